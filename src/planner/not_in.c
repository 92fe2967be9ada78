/*
 * not_in.c
 *	  NOT IN as a null-aware anti join: the planner hook.
 *
 * To the planner `x NOT IN (SELECT y ...)` is an expression with a subplan: a
 * hash table if it is thought to fit work_mem, else a scan of the subquery's rows
 * for each outer row.  It is rewritten, before planning, to
 *
 *	 NOT EXISTS (SELECT ... WHERE (x = y) IS NOT FALSE)
 *
 * which is the same for every combination of NULLs and empty inputs, and which
 * core makes an anti join of.  The join hook knows the clause (null_clause.c).
 *
 * Core itself could only do that join by a nested loop, and a rewrite cannot be
 * taken back once the planner has begun.  So a plan is used only if every NOT IN
 * that was rewritten has become a key of our node; if some have, the query is
 * planned once more with only those.  Under `on` it is also planned as it stands,
 * and the cheaper plan is taken: a subplan's hash table that fits is fast already.
 * Planning a query with NOT IN takes twice as long, and no other query longer.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "planner/not_in.h"
#include "settings.h"

/*
 * Stock charges one operator for putting a row into a subplan's hash table.  The
 * measured time of a query grows by 20 to 150 times as much with each row of the
 * subquery (10 thousand to a million rows), for each has a tuple of its own and
 * look-ups miss the cache one by one.
 */
#define HJ_SUBPLAN_ROW_FACTOR 20

static planner_hook_type prev_planner_hook = NULL;

static PlannedStmt *
call_planner(Query *parse, const char *query_string, int cursor_options,
			 ParamListInfo params)
{
	if (prev_planner_hook)
		return prev_planner_hook(parse, query_string, cursor_options, params);
	return standard_planner(parse, query_string, cursor_options, params);
}

/*
 * Can UPDATE ... WHERE CURRENT OF name a row of the query?  Only if it is the scan
 * of one table, in which core finds the current row; a join of ours has none.
 */
static bool
may_be_updatable(const Query *parse)
{
	const RangeTblEntry *rte;
	const RangeTblRef *ref;

	if (parse->commandType != CMD_SELECT || parse->setOperations != NULL ||
		parse->hasAggs || parse->groupClause != NIL ||
		parse->distinctClause != NIL || parse->hasWindowFuncs ||
		list_length(parse->jointree->fromlist) != 1)
		return false;
	ref = linitial(parse->jointree->fromlist);
	if (!IsA(ref, RangeTblRef))
		return false;
	rte = rt_fetch(ref->rtindex, parse->rtable);
	return rte->rtekind == RTE_RELATION ||
		(rte->rtekind == RTE_SUBQUERY && may_be_updatable(rte->subquery));
}

/* Is it a cursor's query, and one that can be updated by its position? */
static bool
may_be_updated_by_position(const Query *parse, int cursor_options)
{
	/* DECLARE and PL/pgSQL say so; with FOR UPDATE it goes by row marks */
	return (cursor_options & CURSOR_OPT_FAST_PLAN) != 0 &&
		parse->rowMarks == NIL && may_be_updatable(parse);
}

static bool
may_rewrite(const Query *parse, int cursor_options)
{
	return (hj_enable == HJ_ENABLE_ON || hj_enable == HJ_ENABLE_FORCE) &&
		hj_null_aware_anti_join && hj_query_has_sublinks(parse) &&
		!may_be_updated_by_position(parse, cursor_options);
}

/* The plan with NOT INs as joins, or NULL. */
static PlannedStmt *
plan_rewritten(const Query *parse, const char *query_string, int cursor_options,
			   ParamListInfo params)
{
	Bitmapset  *wanted = NULL;

	for (int attempt = 0; attempt < 2; attempt++)
	{
		Query	   *query = copyObject((Query *) parse);
		int			n = hj_rewrite_not_in(query, wanted);
		PlannedStmt *result;
		Bitmapset  *found;

		if (n == 0)
			break;
		if (attempt == 0)
			wanted = bms_add_range(NULL, 1, n);
		result = call_planner(query, query_string, cursor_options, params);
		found = hj_plan_not_in(result);
		if (bms_equal(found, wanted))
			return result;
		if (bms_is_empty(found))
			break;
		wanted = found;
	}
	return NULL;
}

static PlannedStmt *
not_in_planner(Query *parse, const char *query_string, int cursor_options,
			   ParamListInfo params)
{
	PlannedStmt *result = NULL;
	PlannedStmt *plain = NULL;

	if (may_rewrite(parse, cursor_options))
		result = plan_rewritten(parse, query_string, cursor_options, params);
	if (result == NULL || hj_enable == HJ_ENABLE_ON)
		plain = call_planner(parse, query_string, cursor_options, params);
	if (result == NULL ||
		(plain != NULL &&
		 !hj_plan_is_cheaper(result->planTree, plain->planTree,
							 hj_plan_not_in_rows(result) * HJ_SUBPLAN_ROW_FACTOR *
							 cpu_operator_cost)))
		return plain;
	hj_plan_settle_row_marks(result);
	return result;
}

void
hj_install_not_in_hook(void)
{
	prev_planner_hook = planner_hook;
	planner_hook = not_in_planner;
}
