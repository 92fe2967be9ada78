/*
 * force.c
 *	  hashjoin_ext.enable = force: stock's join paths are disabled during
 *	  planning, so that ours, at its true cost, wins wherever it exists.
 *
 * The planner reads the variables behind the settings directly; they are
 * changed for the time of planning only, and restored also on error.  What
 * SHOW reports afterwards is what the user set.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/planner.h"

#include "planner/force.h"
#include "settings.h"

static planner_hook_type prev_planner_hook = NULL;

static PlannedStmt *
call_planner(Query *parse, const char *query_string, int cursor_options,
			 ParamListInfo params)
{
	if (prev_planner_hook)
		return prev_planner_hook(parse, query_string, cursor_options, params);
	return standard_planner(parse, query_string, cursor_options, params);
}

static PlannedStmt *
force_planner(Query *parse, const char *query_string, int cursor_options,
			  ParamListInfo params)
{
	PlannedStmt *result;
	bool		save_hashjoin = enable_hashjoin;
	bool		save_mergejoin = enable_mergejoin;
	bool		save_nestloop = enable_nestloop;

	if (hj_enable != HJ_ENABLE_FORCE)
		return call_planner(parse, query_string, cursor_options, params);

	PG_TRY();
	{
		enable_hashjoin = false;
		enable_mergejoin = false;
		enable_nestloop = false;
		result = call_planner(parse, query_string, cursor_options, params);
	}
	PG_FINALLY();
	{
		enable_hashjoin = save_hashjoin;
		enable_mergejoin = save_mergejoin;
		enable_nestloop = save_nestloop;
	}
	PG_END_TRY();
	return result;
}

void
hj_install_force_hook(void)
{
	prev_planner_hook = planner_hook;
	planner_hook = force_planner;
}
