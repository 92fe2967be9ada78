/*
 * pseudoconstant.c
 *	  Joins with clauses that hold no variables, before PostgreSQL 17.
 *
 * A clause without variables (now() > $1, a function of the user, EXISTS of an
 * uncorrelated subquery) is evaluated once, by a gating node above the join.
 * Core can put that node above a custom join only from 17 on; before, it does
 * not call the join hook when such a clause is among the join's.
 *
 * Our node evaluates those clauses itself (join_node.c).  So that the hook is
 * called, the note that the query has any is put aside while joins are
 * searched; it is needed again only when the plan is made.
 *
 * Not if anybody else would be called as well who does not expect it: a
 * foreign data wrapper, or another library with a join hook.
 */
#include "postgres.h"

#include "optimizer/geqo.h"
#include "optimizer/paths.h"

#include "compat.h"
#include "planner/pseudoconstant.h"
#include "settings.h"

#if !HJ_CORE_GATES_PSEUDOCONSTANTS

static join_search_hook_type prev_search_hook = NULL;
static set_join_pathlist_hook_type own_join_hook = NULL;
static set_join_pathlist_hook_type prev_join_hook = NULL;

static RelOptInfo *
search_joins(PlannerInfo *root, int levels_needed, List *initial_rels)
{
	if (prev_search_hook)
		return prev_search_hook(root, levels_needed, initial_rels);
	if (enable_geqo && levels_needed >= geqo_threshold)
		return geqo(root, levels_needed, initial_rels);
	return standard_join_search(root, levels_needed, initial_rels);
}

/* Is our hook the only one that core would call for a join? */
static bool
nobody_else_is_called(PlannerInfo *root)
{
	if (set_join_pathlist_hook != own_join_hook || prev_join_hook != NULL)
		return false;
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		if (root->simple_rel_array[i] != NULL &&
			root->simple_rel_array[i]->fdwroutine != NULL)
			return false;
	}
	return true;
}

static RelOptInfo *
join_search(PlannerInfo *root, int levels_needed, List *initial_rels)
{
	RelOptInfo *result;

	if (hj_enable == HJ_ENABLE_OFF || !root->hasPseudoConstantQuals ||
		!nobody_else_is_called(root))
		return search_joins(root, levels_needed, initial_rels);

	/* an error ends the planning of this query, and root with it */
	root->hasPseudoConstantQuals = false;
	result = search_joins(root, levels_needed, initial_rels);
	root->hasPseudoConstantQuals = true;
	return result;
}
#endif

void
hj_install_pseudoconstant_hook(set_join_pathlist_hook_type own,
							   set_join_pathlist_hook_type prev)
{
#if !HJ_CORE_GATES_PSEUDOCONSTANTS
	own_join_hook = own;
	prev_join_hook = prev;
	prev_search_hook = join_search_hook;
	join_search_hook = join_search;
#endif
}
