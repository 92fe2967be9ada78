/*
 * rescan.c
 *	  May a plan node be executed again after its end?
 *
 * A state tree is not complete while its nodes begin; so the plan is looked at.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "executor/rescan.h"
#include "plan_children.h"

typedef struct Search
{
	const Plan *node;
	bool		again;			/* below what executes it perhaps more often */
} Search;

/* Is the node this plan, or below it? */
static bool
find(Plan *plan, void *arg)
{
	Search	   *search = arg;

	if (plan == search->node)
		return true;
	if (!IsA(plan, NestLoop) && !IsA(plan, RecursiveUnion))
		return hj_any_plan_child(plan, find, search);
	/* these have two children, and rescan the right one */
	if (find(plan->lefttree, search))
		return true;
	search->again = find(plan->righttree, search);
	return search->again;
}

bool
hj_may_be_rescanned(const EState *estate, const Plan *node, int eflags)
{
	Search		search = {.node = node};

	if (eflags & (EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK))
		return true;
	return !find(estate->es_plannedstmt->planTree, &search) || search.again;
}
