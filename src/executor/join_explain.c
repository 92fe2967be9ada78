/*
 * join_explain.c
 *	  Everything that EXPLAIN prints of the node, beyond what core prints of
 *	  any custom scan.  Works before execution, too.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
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

/*
 * The keys, each as the clause that it comes from: of one that compares NULLs
 * the plan has only the operator.
 */
static void
show_keys(HjJoinState *state, List *clauses, List *ancestors, ExplainState *es)
{
	bool		useprefix = list_length(es->rtable) > 1 || es->verbose;
	List	   *context = set_deparse_context_plan(es->deparse_cxt,
												   state->css.ss.ps.plan,
												   ancestors);
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < list_length(clauses); i++)
	{
		OpExpr	   *clause = list_nth_node(OpExpr, clauses, i);

		if (i > 0)
			appendStringInfoString(&text, " AND ");
		if (list_nth_int(state->plan.key_nulls, i) == HJ_NULL_MATCHES_NULL)
			appendStringInfo(&text, "(%s IS NOT DISTINCT FROM %s)",
							 deparse_expression(linitial(clause->args), context,
												useprefix, false),
							 deparse_expression(lsecond(clause->args), context,
												useprefix, false));
		else
			appendStringInfoString(&text,
								   deparse_expression((Node *) clause, context,
													  useprefix, false));
	}
	if (list_length(clauses) > 1)
		ExplainPropertyText("Hash Cond", psprintf("(%s)", text.data), es);
	else
		ExplainPropertyText("Hash Cond", text.data, es);
}

/* Of the latest build; partitions may have had different ones. */
static const char *
map_name(const HjJoinCounters *c)
{
	if (c->map_is_array && c->map_is_hash)
		return c->map_is_chained ? "array and hash" : "array and hash (unique)";
	if (c->map_is_array)
		return c->map_is_chained ? "array" : "array (unique)";
	if (!c->map_is_hash)
		return "hash (empty)";
	return c->map_is_chained ? "hash" : "hash (unique)";
}

/* How the join was split, if it was. */
static void
show_partitions(const HjSpillCounters *c, ExplainState *es)
{
	uint64		disk = c->bytes;

	if (es->format == EXPLAIN_FORMAT_TEXT && c->partitions == 0 && disk == 0)
		return;
	if (es->format != EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyInteger("Partitions", NULL, c->partitions, es);
		ExplainPropertyInteger("Partitions Spilled", NULL, c->spilled, es);
		ExplainPropertyInteger("Partitions Split Again", NULL, c->split, es);
		ExplainPropertyInteger("Partitions Joined in Passes", NULL,
							   c->in_passes, es);
	}
	else
	{
		StringInfoData text;

		initStringInfo(&text);
		appendStringInfo(&text, UINT64_FORMAT " (spilled " UINT64_FORMAT,
						 c->partitions, c->spilled);
		if (c->split > 0)
			appendStringInfo(&text, ", split again " UINT64_FORMAT, c->split);
		if (c->in_passes > 0)
			appendStringInfo(&text, ", joined in passes " UINT64_FORMAT,
							 c->in_passes);
		appendStringInfoChar(&text, ')');
		ExplainPropertyText("Partitions", text.data, es);
		pfree(text.data);
	}
	ExplainPropertyInteger("Disk Usage", "kB", (disk + 1023) / 1024, es);
}

/* Counters, once the node has run. */
static void
show_execution(HjJoinState *state, const HjProcessCounters *all, ExplainState *es)
{
	const HjJoinCounters *c = &all->join;

	ExplainPropertyText("Map", map_name(c), es);
	ExplainPropertyText("Map Reason", c->map_reason, es);
	ExplainPropertyInteger("Array Maps Created", NULL, c->array_maps, es);
	ExplainPropertyInteger("Build Rows", NULL, c->build_rows, es);
	if (es->timing)
		ExplainPropertyFloat("Build Time", "ms",
							 INSTR_TIME_GET_MILLISEC(c->build_time), 3, es);
	if (c->table_builds > 1)
		ExplainPropertyInteger("Table Builds", NULL, c->table_builds, es);
	ExplainPropertyInteger("Memory Usage", "kB", (c->peak_bytes + state->shared_peak + 1023) / 1024, es);
	show_partitions(&all->spill, es);
	ExplainPropertyInteger("Probe Rows", NULL, c->probe_rows, es);
	ExplainPropertyInteger("Probe Hits", NULL, c->probe_hits, es);
	if (state->residual != NULL)
		ExplainPropertyInteger("Rows Removed by Join Filter", NULL,
							   c->residual_removed, es);
}

/* One line, or one group, for each worker that ran the node. */
static void
show_workers(HjJoinState *state, ExplainState *es)
{
	bool		any = false;

	for (int i = 0; i < state->nworkers; i++)
		any |= state->workers[i].used;
	if (!any)
		return;
	ExplainOpenGroup("Join Workers", "Join Workers", false, es);
	for (int i = 0; i < state->nworkers; i++)
	{
		const HjProcessCounters *w = &state->workers[i];

		if (!w->used)
			continue;
		if (es->format == EXPLAIN_FORMAT_TEXT)
		{
			char	   *label = psprintf("Join Worker %d", i);
			char	   *text = psprintf("Build Rows: " UINT64_FORMAT
										"  Probe Rows: " UINT64_FORMAT
										"  Probe Hits: " UINT64_FORMAT
										"  Memory: %zukB  Disk: " UINT64_FORMAT "kB",
										w->join.build_rows, w->join.probe_rows,
										w->join.probe_hits,
										(w->join.peak_bytes + 1023) / 1024,
										(w->spill.bytes + 1023) / 1024);

			ExplainPropertyText(label, text, es);
			continue;
		}
		ExplainOpenGroup("Worker", NULL, true, es);
		ExplainPropertyInteger("Worker Number", NULL, i, es);
		ExplainPropertyInteger("Build Rows", NULL, w->join.build_rows, es);
		ExplainPropertyInteger("Probe Rows", NULL, w->join.probe_rows, es);
		ExplainPropertyInteger("Probe Hits", NULL, w->join.probe_hits, es);
		ExplainPropertyInteger("Memory Usage", "kB",
							   (w->join.peak_bytes + 1023) / 1024, es);
		ExplainPropertyInteger("Disk Usage", "kB",
							   (w->spill.bytes + 1023) / 1024, es);
		ExplainCloseGroup("Worker", NULL, true, es);
	}
	ExplainCloseGroup("Join Workers", "Join Workers", false, es);
}

/* What this process has counted. */
static void
own_counters(const HjJoinState *state, HjProcessCounters *own)
{
	own->used = true;
	own->join = state->counters;
	own->spill = state->spill.counters;
	own->spill.bytes = hj_spill_disk_bytes(&state->spill);
}

void
hj_join_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	HjJoinState *state = (HjJoinState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	HjProcessCounters own;
	HjProcessCounters all;

	ExplainPropertyText("Join Type",
						psprintf("%s%s",
								 state->null_aware.kind != HJ_NULL_AWARE_NOT ?
								 "Null-Aware " : "",
								 hj_join_type_name(state->plan.jointype)), es);
	show_keys(state, hj_plan_hash_clauses(plan), ancestors, es);
	show_clauses(state, hj_plan_residual(plan), "Join Filter", ancestors, es);
	show_clauses(state, hj_plan_gate(plan), "One-Time Filter", ancestors, es);
	ExplainPropertyText("Build Side", "inner", es);
	if (plan->scan.plan.parallel_aware)
		ExplainPropertyText("Table", state->plan.shares_table ? "shared" :
							"one a process", es);
	if (!es->analyze)
		return;
	own_counters(state, &own);
	all = own;
	for (int i = 0; i < state->nworkers; i++)
		hj_counters_add(&all, &state->workers[i]);
	if (all.join.table_builds > 0)
		show_execution(state, &all, es);
	if (es->verbose)
		show_workers(state, es);
}
