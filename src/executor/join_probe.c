/*
 * join_probe.c
 *	  Phases PROBE, UNMATCHED and UNMATCHABLE: from the table to output rows.
 *
 * Each row that may go out passes the clauses above the join, then the
 * projection; both read the probe row as outer and the build row as inner
 * tuple, each from a slot that is written in place.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "executor/join_node.h"

/* Show build row `row` of a store in build_slot. */
static void
load_build_row(HjJoinState *state, const HjRowStore *store, uint32 row)
{
	TupleTableSlot *slot = state->build_slot;

	if (state->nload == 0)
		return;
	hj_row_store_read(store, row, state->nload, state->load_columns,
					  state->load_values, state->load_nulls);
	for (int i = 0; i < state->nload; i++)
	{
		slot->tts_values[state->load_attnos[i] - 1] = state->load_values[i];
		slot->tts_isnull[state->load_attnos[i] - 1] = state->load_nulls[i];
	}
}

/* Show row `row` of the batch in probe_slot. */
static void
load_probe_row(HjJoinState *state, int row)
{
	if (state->loaded_row == row)
		return;
	hj_batch_load(state->batch, row, state->probe_slot);
	state->loaded_row = row;
}

/*
 * The row made of the econtext's two tuples: apply the clauses above the join
 * and project.  NULL if a clause rejects it.
 */
static TupleTableSlot *
emit(HjJoinState *state)
{
	PlanState  *ps = &state->css.ss.ps;
	ExprContext *econtext = ps->ps_ExprContext;

	if (ps->qual == NULL || ExecQual(ps->qual, econtext))
		return ExecProject(ps->ps_ProjInfo);
	InstrCountFiltered1(ps, 1);
	ResetExprContext(econtext);
	return NULL;
}

/* ----------------------------------------------------------------
 *		PROBE
 * ----------------------------------------------------------------
 */

/* Take the next batch and look it up.  False at the end of the probe side. */
static bool
next_batch(HjJoinState *state)
{
	bool		keep = hj_join_keeps_probe(state->plan.jointype);
	HjBatch    *batch = state->batch;
	uint64		hits = 0;

	if (!hj_plan_source_fill(&state->source, batch, state->key,
							 state->probe_keys, state->probe_econtext, keep,
							 &state->counters.probe_rows))
		return false;
	hj_probe_heads(state->table, &batch->keys, batch->nrows, state->heads,
				   state->scratch_cxt);
	for (int i = 0; i < batch->nrows; i++)
		hits += (state->heads[i] != 0);
	state->counters.probe_hits += hits;
	memset(state->row_matched, 0, batch->nrows * sizeof(bool));
	state->cursor = (HjProbeCursor) {0, 0};
	state->loaded_row = -1;
	return true;
}

/* Get more pairs, from this batch or the next.  False at the end. */
static bool
next_chunk(HjJoinState *state)
{
	HjJoinType	type = state->plan.jointype;
	const HjMatchBits *skip = NULL;

	if (hj_join_is_swapped(type) &&
		state->residual == NULL && !state->key->chains_by_hash)
		skip = &state->match_bits;
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		hj_probe_walk(state->table, &state->batch->keys, state->batch->nrows,
					  state->heads, state->walk_flags, skip,
					  &state->cursor, &state->matches, state->scratch_cxt);
		state->next_match = 0;
		if (state->matches.n > 0)
			return true;
		if (!next_batch(state))
			return false;
	}
}

/* All pairs of a probe row have been seen; emit it if it had no match. */
static TupleTableSlot *
finish_probe_row(HjJoinState *state, int row)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	if (state->row_matched[row])
		return NULL;
	load_probe_row(state, row);
	econtext->ecxt_outertuple = state->probe_slot;
	econtext->ecxt_innertuple = state->null_build_slot;
	return emit(state);
}

/* A pair whose keys are equal.  Returns a row to emit, or NULL. */
static TupleTableSlot *
join_pair(HjJoinState *state, int row, uint32 build_row)
{
	HjJoinType	type = state->plan.jointype;
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	/* one match was enough; the chunk may hold more */
	if (hj_join_first_match_only(type) && state->row_matched[row])
		return NULL;
	if (hj_join_is_swapped(type) &&
		hj_match_bits_get(&state->match_bits, build_row))
		return NULL;

	load_probe_row(state, row);
	load_build_row(state, &state->table->rows, build_row);
	econtext->ecxt_outertuple = state->probe_slot;
	econtext->ecxt_innertuple = state->build_slot;
	if (state->residual != NULL && !ExecQual(state->residual, econtext))
	{
		state->counters.residual_removed++;
		ResetExprContext(econtext);
		return NULL;
	}

	state->row_matched[row] = true;
	if (state->match_bits.bits != NULL)
		hj_match_bits_set(&state->match_bits, build_row);
	if (hj_join_first_match_only(type))
		hj_probe_skip_row(&state->cursor, row);
	if (type == HJ_JOIN_ANTI || type == HJ_JOIN_RIGHT_ANTI)
		return NULL;
	return emit(state);
}

TupleTableSlot *
hj_join_probe_next(HjJoinState *state)
{
	for (;;)
	{
		HjMatches  *matches = &state->matches;
		TupleTableSlot *slot;
		int			row;
		uint32		build_row;

		if (state->next_match >= matches->n)
		{
			if (!next_chunk(state))
				return NULL;
		}
		row = matches->probe[state->next_match];
		build_row = matches->build[state->next_match];
		state->next_match++;

		if (build_row == HJ_ROW_END)
			slot = finish_probe_row(state, row);
		else
			slot = join_pair(state, row, build_row);
		if (slot != NULL)
			return slot;
	}
}

/* ----------------------------------------------------------------
 *		UNMATCHED, UNMATCHABLE
 * ----------------------------------------------------------------
 */

static TupleTableSlot *
emit_build_row(HjJoinState *state, const HjRowStore *store, uint32 row)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	load_build_row(state, store, row);
	econtext->ecxt_outertuple = state->null_probe_slot;
	econtext->ecxt_innertuple = state->build_slot;
	return emit(state);
}

TupleTableSlot *
hj_join_unmatched_next(HjJoinState *state)
{
	const HjRowStore *store = &state->table->rows;

	while (state->next_unmatched < store->nrows)
	{
		uint32		row = state->next_unmatched++;
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		if (hj_match_bits_get(&state->match_bits, row))
			continue;
		slot = emit_build_row(state, store, row);
		if (slot != NULL)
			return slot;
	}
	return NULL;
}

TupleTableSlot *
hj_join_unmatchable_next(HjJoinState *state)
{
	const HjRowStore *store = &state->table->unmatchable;

	while (state->next_unmatched < store->nrows)
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		slot = emit_build_row(state, store, state->next_unmatched++);
		if (slot != NULL)
			return slot;
	}
	return NULL;
}
