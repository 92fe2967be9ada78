/*
 * join_node.c
 *	  The CustomScan callbacks, and the state machine of a join.
 *
 * The algorithm is the classic in-memory hash join, with the probe side taken
 * in batches (compare Boncz et al., "Database Architecture Optimized for the
 * New Bottleneck: Memory Access", 1999; Chen et al., "Improving Hash Join
 * Performance through Prefetching", 2004):
 *
 *		 BUILD ----> PROBE ------> UNMATCHED --> NEXT_ROUND --> UNMATCHABLE --> DONE
 *		   |		 ^ ^ |			 ^				 |				^
 *		   |		 | | |  join keeps build rows	 |			rows with NULL keys
 *		   +-> DONE	 | +-+  (otherwise left out)	 |			(otherwise left out)
 *		   empty	 |	batch by batch				 |
 *		   side		 +-------------------------------+
 *							partition by partition in files
 *
 * BUILD		if a gating clause (one without variables) is false, there is no
 *				row; otherwise drain the build side, hash as we go, make the map.  First, as
 *				nodeHashjoin.c does, see whether the probe side is empty when
 *				that is cheaper to know, or its rows are needed anyway.
 * PROBE		a batch of probe rows is looked up; pairs come in chunks; each
 *				is checked against the residual ON clauses, then the clauses
 *				above the join, then projected.
 * UNMATCHED	build rows that no probe row matched (right, full, right anti).
 * NEXT_ROUND	if the build side did not fit, the next partition in files is
 *				loaded (join_spill.h).
 * UNMATCHABLE	build rows with a NULL key; no probe row could match them.
 *
 * Rescan: the table stays if neither the build child nor a parameter inside
 * the build side's key expressions changed, and nothing went to files; match
 * bits are cleared.  A node that nobody rescans frees its table at its end.
 *
 * EvalPlanQual: the node has no scan relation, so ExecScan's recheck is not
 * for it.  It runs as ever, over children that return the rows under test,
 * which is what core's joins do.
 *
 * NOT IN: an anti join in which NULL matches all (join_null_aware.h).
 *
 * In a parallel plan the processes may share table and files (join_parallel.h); then
 * BUILD ends with a table that all of them probe, or with partitions in files, and
 * goes to NEXT_ROUND directly.  Otherwise each process has its own table.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "nodes/extensible.h"

#include "compat.h"
#include "executor/join_node.h"

static void
begin_custom_scan(CustomScanState *node, EState *estate, int eflags)
{
	hj_join_begin((HjJoinState *) node, estate, eflags);
}

/*
 * Can the join be known to be empty without building?  Also fetches the first
 * probe row where stock would.
 */
static bool
probe_side_is_empty(HjJoinState *state)
{
	HjJoinType	type = state->plan.jointype;

	/* of a shared join every process reads but a part of the probe side */
	if (hj_join_keeps_build(type) || hj_parallel_shares(state->parallel))
		return false;
	if (!hj_join_keeps_probe(type) &&
		(state->probe_not_empty ||
		 state->probe_ps->plan->startup_cost >= state->build_ps->plan->total_cost))
		return false;
	state->probe_not_empty = hj_source_peek(&state->probe_source);
	return !state->probe_not_empty;
}

static bool
build_side_is_empty(const HjJoinState *state)
{
	return state->spill.seen_rows == 0 && state->spill.nunmatchable == 0;
}

/* Phase BUILD; sets the phase that follows. */
static void
run_build_phase(HjJoinState *state)
{
	if (state->gate != NULL &&
		!ExecQual(state->gate, state->css.ss.ps.ps_ExprContext))
	{
		state->phase = HJ_PHASE_DONE;
		return;
	}
	if (!state->allocated)
		hj_join_allocate(state);
	if (!state->table_valid)
	{
		if (probe_side_is_empty(state))
		{
			state->phase = HJ_PHASE_DONE;
			return;
		}
		hj_join_build(state);
		hj_null_aware_note_build(state);
	}
	if (hj_parallel_shares(state->parallel))
	{
		state->phase = hj_parallel_begin_probe(state) ? HJ_PHASE_PROBE :
			HJ_PHASE_NEXT_ROUND;
		return;
	}
	if (state->match_bits.bits != NULL)
		hj_match_bits_clear_all(&state->match_bits);
	state->phase = HJ_PHASE_PROBE;
	if ((build_side_is_empty(state) &&
		 !hj_join_keeps_probe(state->plan.jointype)) ||
		!hj_null_aware_start_probe(state))
		state->phase = HJ_PHASE_DONE;
}

/* All rows of a round are out: begin with the next. */
static bool
next_round(HjJoinState *state)
{
	if (!hj_spill_next_round(state))
		return false;
	state->cursor = (HjProbeCursor) {0, 0};
	state->batch->nrows = 0;
	state->phase = HJ_PHASE_PROBE;
	return true;
}

/*
 * The join has ended.  Its memory goes, unless it might be asked again: of many
 * joins in a plan not all need be in memory at once.
 */
static void
finish(HjJoinState *state)
{
	state->phase = HJ_PHASE_DONE;
	if (hj_parallel_shares(state->parallel))
		hj_parallel_leave(state);
	if (state->free_at_end && state->allocated)
		hj_join_release(state);
}

/* All probe rows of this round are looked up.  What is left of its build rows? */
static HjPhase
after_probe(HjJoinState *state)
{
	bool		emit = hj_join_keeps_build(state->plan.jointype);

	/* a round from files is this process's alone */
	if (hj_parallel_shares(state->parallel) && !state->spill.from_files)
		emit = hj_parallel_end_probe(state);
	return emit ? HJ_PHASE_UNMATCHED : HJ_PHASE_NEXT_ROUND;
}

bool
hj_join_run_to_chunk(HjJoinState *state)
{
	if (state->phase == HJ_PHASE_BUILD)
		run_build_phase(state);
	while (state->phase == HJ_PHASE_PROBE || state->phase == HJ_PHASE_NEXT_ROUND)
	{
		if (state->phase == HJ_PHASE_PROBE)
		{
			if (hj_join_next_chunk(state))
				return true;
			state->phase = after_probe(state);
		}
		if (!next_round(state))
			finish(state);
	}
	return false;
}

static TupleTableSlot *
exec_custom_scan(CustomScanState *node)
{
	HjJoinState *state = (HjJoinState *) node;
	TupleTableSlot *slot;

	ResetExprContext(node->ss.ps.ps_ExprContext);
	for (;;)
	{
		switch (state->phase)
		{
			case HJ_PHASE_BUILD:
				run_build_phase(state);
				break;

			case HJ_PHASE_PROBE:
				slot = hj_join_probe_next(state);
				if (slot != NULL)
					return slot;
				state->phase = after_probe(state);
				state->next_unmatched = 0;
				/* NULL matches all: no build row is left */
				if (state->null_aware.probe_null)
					finish(state);
				break;

			case HJ_PHASE_UNMATCHED:
				slot = hj_join_unmatched_next(state);
				if (slot != NULL)
					return slot;
				state->phase = HJ_PHASE_NEXT_ROUND;
				break;

			case HJ_PHASE_NEXT_ROUND:
				if (next_round(state))
					break;
				if (!hj_join_keeps_build(state->plan.jointype) ||
					!hj_null_aware_keeps_unmatchable(state))
				{
					finish(state);
					break;
				}
				hj_spill_start_unmatchable(state);
				state->phase = HJ_PHASE_UNMATCHABLE;
				state->next_unmatched = 0;
				break;

			case HJ_PHASE_UNMATCHABLE:
				slot = hj_join_unmatchable_next(state);
				if (slot != NULL)
					return slot;
				finish(state);
				break;

			case HJ_PHASE_DONE:
				return ExecClearTuple(node->ss.ps.ps_ResultTupleSlot);
		}
	}
}

/* Could the build side's rows or keys be others than last time? */
static bool
build_side_changed(const HjJoinState *state)
{
	const Bitmapset *changed = state->css.ss.ps.chgParam;

	if (state->build_ps->chgParam != NULL)
		return true;
	if (changed == NULL)
		return false;
	return state->build_keys_have_subplan ||
		bms_overlap(changed, state->build_key_params);
}

/*
 * As ExecReScanHashJoin().  Core has told init plans and subplans about the
 * changed parameters; children in custom_ps are ours to tell.
 */
static void
rescan_custom_scan(CustomScanState *node)
{
	HjJoinState *state = (HjJoinState *) node;
	PlanState  *ps = &node->ss.ps;

	if (ps->chgParam != NULL)
	{
		UpdateChangedParamSet(state->probe_ps, ps->chgParam);
		UpdateChangedParamSet(state->build_ps, ps->chgParam);
	}

	/* what has gone to files is used up, what was shared is gone */
	if (state->table_valid && (build_side_changed(state) || state->spill.used ||
							   hj_parallel_shares(state->parallel)))
		hj_join_discard_table(state);
	/* a child with changed parameters is rescanned by its first ExecProcNode */
	if (!state->table_valid && state->build_ps->chgParam == NULL)
		ExecReScan(state->build_ps);
	if (state->probe_ps->chgParam == NULL)
		ExecReScan(state->probe_ps);
	else
		state->probe_not_empty = false;

	hj_source_restart(&state->probe_source);
	if (state->block_probe != NULL)
		hj_block_probe_restart(state->block_probe);
	hj_source_restart(&state->build_source);
	state->phase = HJ_PHASE_BUILD;
	state->cursor = (HjProbeCursor) {0, 0};
	state->matches.n = 0;
	state->next_match = 0;
	state->loaded_row = -1;
	if (state->batch != NULL)
		hj_batch_clear(state->batch, false);
}

static void
end_custom_scan(CustomScanState *node)
{
	HjJoinState *state = (HjJoinState *) node;

	hj_parallel_shutdown(node);
	if (state->node_cxt != NULL)
	{
		hj_spill_reset(state);
		MemoryContextDelete(state->node_cxt);
		state->node_cxt = NULL;
		state->table_valid = false;
	}
	ExecEndNode(state->probe_ps);
	ExecEndNode(state->build_ps);
}

static const CustomExecMethods exec_methods = {
	.CustomName = HJ_CUSTOM_NAME,
	.BeginCustomScan = begin_custom_scan,
	.ExecCustomScan = exec_custom_scan,
	.EndCustomScan = end_custom_scan,
	.ReScanCustomScan = rescan_custom_scan,
	.EstimateDSMCustomScan = hj_parallel_estimate,
	.InitializeDSMCustomScan = hj_parallel_init_dsm,
	.ReInitializeDSMCustomScan = hj_parallel_reinit_dsm,
	.InitializeWorkerCustomScan = hj_parallel_init_worker,
	.ShutdownCustomScan = hj_parallel_shutdown,
	.ExplainCustomScan = hj_join_explain,
};

bool
hj_is_join_state(const PlanState *ps)
{
	return IsA(ps, CustomScanState) &&
		((const CustomScanState *) ps)->methods == &exec_methods;
}

static Node *
create_custom_scan_state(CustomScan *plan)
{
	HjJoinState *state = (HjJoinState *) newNode(sizeof(HjJoinState),
												 T_CustomScanState);

	state->css.methods = &exec_methods;
	return (Node *) state;
}

const CustomScanMethods hj_scan_methods = {
	.CustomName = HJ_CUSTOM_NAME,
	.CreateCustomScanState = create_custom_scan_state,
};
