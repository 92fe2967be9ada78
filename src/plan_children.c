/*
 * plan_children.c
 *	  The children of a plan node.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "plan_children.h"

bool
hj_any_plan(List *plans, HjVisitPlan visit, void *arg)
{
	ListCell   *lc;

	foreach(lc, plans)
	{
		if (lfirst(lc) != NULL && visit(lfirst(lc), arg))
			return true;
	}
	return false;
}

bool
hj_any_plan_child(Plan *plan, HjVisitPlan visit, void *arg)
{
	check_stack_depth();
	if ((plan->lefttree != NULL && visit(plan->lefttree, arg)) ||
		(plan->righttree != NULL && visit(plan->righttree, arg)))
		return true;
	switch (nodeTag(plan))
	{
		case T_Append:
			return hj_any_plan(((Append *) plan)->appendplans, visit, arg);
		case T_MergeAppend:
			return hj_any_plan(((MergeAppend *) plan)->mergeplans, visit, arg);
		case T_SubqueryScan:
			return visit(((SubqueryScan *) plan)->subplan, arg);
		case T_CustomScan:
			return hj_any_plan(((CustomScan *) plan)->custom_plans, visit, arg);
		default:
			return false;
	}
}
