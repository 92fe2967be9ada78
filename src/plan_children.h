/*
 * plan_children.h
 *	  The children of a plan node, whatever its kind: core has no walker for plan
 *	  trees (it has one for their states).
 */
#ifndef HJ_PLAN_CHILDREN_H
#define HJ_PLAN_CHILDREN_H

#include "postgres.h"

#include "nodes/plannodes.h"

typedef bool (*HjVisitPlan) (Plan *plan, void *arg);

/*
 * Call visit for each child that there is, until one answers true; then that is the
 * answer.  Not for the subplans of expressions: those stand in the PlannedStmt.
 */
extern bool hj_any_plan_child(Plan *plan, HjVisitPlan visit, void *arg);

/* The same for each plan of a list. */
extern bool hj_any_plan(List *plans, HjVisitPlan visit, void *arg);

#endif							/* HJ_PLAN_CHILDREN_H */
