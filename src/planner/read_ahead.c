/*
 * read_ahead.c
 *	  May probe rows be fetched before they are due?
 *
 * The check is on the query, not on the finished plan, which has no generic
 * walker.  The query's own target list does not count: it is computed at or
 * above the top join, once a result row.  Everything else that can end up
 * below a join does: range table entries, quals, CTEs, subplans.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "planner/read_ahead.h"

/* Does a query (or one inside it) lock rows? */
static bool
has_row_marks_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		Query	   *query = (Query *) node;

		if (query->rowMarks != NIL)
			return true;
		return query_tree_walker(query, has_row_marks_walker, context, 0);
	}
	return expression_tree_walker(node, has_row_marks_walker, context);
}

static bool
has_side_effects(Node *node)
{
	return contain_volatile_functions(node) ||
		has_row_marks_walker(node, NULL);
}

static bool
range_table_entry_has_side_effects(RangeTblEntry *rte)
{
	switch (rte->rtekind)
	{
		case RTE_SUBQUERY:
			return has_side_effects((Node *) rte->subquery);
		case RTE_FUNCTION:
			return has_side_effects((Node *) rte->functions);
		case RTE_TABLEFUNC:
			return has_side_effects((Node *) rte->tablefunc);
		case RTE_VALUES:
			return has_side_effects((Node *) rte->values_lists);
		case RTE_RELATION:
			/* a row security qual is in the jointree or in baserestrictinfo */
			return rte->tablesample != NULL &&
				has_side_effects((Node *) rte->tablesample);
		default:
			return false;
	}
}

/* Quals, by relation: preprocessing may have moved them out of the jointree. */
static bool
restriction_has_side_effects(PlannerInfo *root)
{
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		RelOptInfo *rel = root->simple_rel_array[i];
		ListCell   *lc;

		if (rel == NULL)
			continue;
		foreach(lc, rel->baserestrictinfo)
		{
			if (contain_volatile_functions((Node *) lfirst_node(RestrictInfo, lc)->clause))
				return true;
		}
		if (contain_volatile_functions((Node *) rel->reltarget->exprs))
			return true;
	}
	return false;
}

bool
hj_may_read_ahead(PlannerInfo *root)
{
	Query	   *parse = root->parse;
	ListCell   *lc;

	foreach(lc, parse->rtable)
	{
		if (range_table_entry_has_side_effects(lfirst_node(RangeTblEntry, lc)))
			return false;
	}
	if (has_side_effects((Node *) parse->jointree) ||
		has_side_effects((Node *) parse->cteList) ||
		restriction_has_side_effects(root))
		return false;
	foreach(lc, root->glob->subroots)
	{
		PlannerInfo *subroot = lfirst_node(PlannerInfo, lc);

		/* a subplan that we are part of is still being planned */
		if (subroot != root && has_side_effects((Node *) subroot->parse))
			return false;
	}
	return true;
}
