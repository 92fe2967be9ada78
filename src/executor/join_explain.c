/*
 * join_explain.c
 *	  Everything that EXPLAIN prints of the node, beyond what core prints of
 *	  any custom scan.  Works before execution, too.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/ruleutils.h"

#include "compat.h"
#include "executor/join_node.h"

static void
show_clauses(HjJoinState *state, List *clauses, const char *label,
			 List *ancestors, ExplainState *es)
{
	Plan	   *plan = state->css.ss.ps.plan;
	bool		useprefix;
	List	   *context;
	Node	   *node;

	if (clauses == NIL)
		return;
	useprefix = list_length(es->rtable) > 1 || es->verbose;
	context = set_deparse_context_plan(es->deparse_cxt, plan, ancestors);
	node = (Node *) make_ands_explicit(clauses);
	ExplainPropertyText(label,
						deparse_expression(node, context, useprefix, false), es);
}

/* Of the latest table. */
static const char *
map_name(const HjBuildTable *table)
{
	if (table->use_array)
		return table->chained ? "array" : "array (unique)";
	if (table->rows.nrows == 0)
		return "hash (empty)";
	return table->chained ? "hash" : "hash (unique)";
}

/* Counters, once the node has run. */
static void
show_execution(HjJoinState *state, ExplainState *es)
{
	const HjJoinCounters *c = &state->counters;

	ExplainPropertyText("Map", map_name(state->table), es);
	ExplainPropertyText("Map Reason", state->table->map_reason, es);
	ExplainPropertyInteger("Array Maps Created", NULL, c->array_maps, es);
	ExplainPropertyInteger("Build Rows", NULL, c->build_rows, es);
	if (es->timing)
		ExplainPropertyFloat("Build Time", "ms",
							 INSTR_TIME_GET_MILLISEC(c->build_time), 3, es);
	if (c->table_builds > 1)
		ExplainPropertyInteger("Table Builds", NULL, c->table_builds, es);
	ExplainPropertyInteger("Memory Usage", "kB", (c->peak_bytes + 1023) / 1024, es);
	if (c->peak_bytes > get_hash_memory_limit())
		ExplainPropertyBool("Memory Limit Exceeded", true, es);
	ExplainPropertyInteger("Probe Rows", NULL, c->probe_rows, es);
	ExplainPropertyInteger("Probe Hits", NULL, c->probe_hits, es);
	if (state->residual != NULL)
		ExplainPropertyInteger("Rows Removed by Join Filter", NULL,
							   c->residual_removed, es);
}

void
hj_join_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	HjJoinState *state = (HjJoinState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;

	ExplainPropertyText("Join Type", hj_join_type_name(state->plan.jointype), es);
	show_clauses(state, hj_plan_hash_clauses(plan), "Hash Cond", ancestors, es);
	show_clauses(state, hj_plan_residual(plan), "Join Filter", ancestors, es);
	show_clauses(state, hj_plan_gate(plan), "One-Time Filter", ancestors, es);
	ExplainPropertyText("Build Side", "inner", es);
	if (es->analyze && state->counters.table_builds > 0)
		show_execution(state, es);
}
