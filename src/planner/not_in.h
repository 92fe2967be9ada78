/*
 * not_in.h
 *	  NOT IN as a null-aware anti join.
 */
#ifndef HJ_NOT_IN_H
#define HJ_NOT_IN_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/* not_in.c: install the planner hook. */
extern void hj_install_not_in_hook(void);

/* not_in_rewrite.c: may the query hold a NOT IN?  Cheap. */
extern bool hj_query_has_sublinks(const Query *query);

/*
 * not_in_rewrite.c: rewrite each NOT IN of the query, which is changed, that can
 * be a null-aware anti join.  They are numbered from 1 on; with `only`, those of
 * other numbers are left as they are.  Returns how many there are.
 */
extern int	hj_rewrite_not_in(Query *query, const Bitmapset *only);

/* not_in_plan.c: the numbers of those that are keys of nodes of ours in the plan. */
extern Bitmapset *hj_plan_not_in(const PlannedStmt *stmt);

/* not_in_plan.c: inner rows of all of them, as the planner guesses. */
extern double hj_plan_not_in_rows(const PlannedStmt *stmt);

/*
 * not_in_plan.c: see to it that a row which is looked at again, since another
 * transaction changed it (EvalPlanQual), is compared with all rows of the
 * subquery, as NOT IN is.
 */
extern void hj_plan_settle_row_marks(PlannedStmt *stmt);

/*
 * not_in_plan.c: is one of the join's clauses made of a NOT IN?
 */
extern bool hj_joins_not_in(List *restrictlist);

/*
 * not_in_plan.c: take stock's paths that join exactly these two relations out of
 * both path lists.  They would be right but for EvalPlanQual, and slow.
 */
extern void hj_remove_stock_paths(RelOptInfo *joinrel, RelOptInfo *outer,
								  RelOptInfo *inner);

#endif							/* HJ_NOT_IN_H */
