/*
 * rescan.c
 *	  May a plan node be executed again after its end?
 *
 * There is no walker for plan trees, and a state tree is not complete while
 * its nodes begin; so the children are listed here.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/plannodes.h"

#include "executor/rescan.h"

typedef enum Found
{
	NOT_FOUND,
	FOUND_ONCE,					/* executed once */
	FOUND_AGAIN					/* perhaps more often */
} Found;

static Found find(const Plan *plan, const Plan *node);

static Found
find_in_list(List *plans, const Plan *node)
{
	ListCell   *lc;

	foreach(lc, plans)
	{
		Found		found = find(lfirst(lc), node);

		if (found != NOT_FOUND)
			return found;
	}
	return NOT_FOUND;
}

static Found
find_in_children(const Plan *plan, const Plan *node)
{
	Found		found;

	switch (nodeTag(plan))
	{
		case T_Append:
			return find_in_list(((const Append *) plan)->appendplans, node);
		case T_MergeAppend:
			return find_in_list(((const MergeAppend *) plan)->mergeplans, node);
		case T_SubqueryScan:
			return find(((const SubqueryScan *) plan)->subplan, node);
		case T_CustomScan:
			return find_in_list(((const CustomScan *) plan)->custom_plans, node);
		default:
			found = find(plan->lefttree, node);
			if (found != NOT_FOUND)
				return found;
			found = find(plan->righttree, node);
			if (found == FOUND_ONCE &&
				(IsA(plan, NestLoop) || IsA(plan, RecursiveUnion)))
				return FOUND_AGAIN;
			return found;
	}
}

static Found
find(const Plan *plan, const Plan *node)
{
	check_stack_depth();
	if (plan == NULL)
		return NOT_FOUND;
	return (plan == node) ? FOUND_ONCE : find_in_children(plan, node);
}

bool
hj_may_be_rescanned(const EState *estate, const Plan *node, int eflags)
{
	if (eflags & (EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK))
		return true;
	return find(estate->es_plannedstmt->planTree, node) != FOUND_ONCE;
}
