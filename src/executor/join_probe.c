/*
 * join_probe.c
 *	  Phases PROBE, UNMATCHED and UNMATCHABLE: from the table to output rows.
 *
 * Three ways to probe.  Where the rows come in blocks, a block is looked up
 * where it stands, and the rows that are needed are copied into a batch.
 * Elsewhere rows are copied into a batch that is looked up, so that the cache
 * misses of many rows overlap; or they are taken row by row, when the table
 * fits the processor's cache: then there is nothing to overlap, and a row that
 * finds no partner is never copied.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "executor/join_node.h"

/* ----------------------------------------------------------------
 *		PROBE
 * ----------------------------------------------------------------
 */

/* From blocks: the rows are looked up before they get into the batch. */
static bool
fill_from_blocks(HjJoinState *state)
{
	return hj_block_probe_fill(state->block_probe, &state->probe_source,
							   state->batch, state->table, state->probe_keys,
							   state->heads, &state->counters.probe_rows,
							   &state->counters.probe_hits, state->scratch_cxt);
}

/* From rows. */
static bool
fill_from_rows(HjJoinState *state)
{
	HjBatch    *batch = state->batch;
	uint64		hits = 0;

	do
	{
		if (!hj_source_fill(&state->probe_source, batch, state->key,
							state->probe_keys, state->probe_econtext,
							hj_null_aware_keeps_null(state),
							&state->counters.probe_rows))
			return false;
		hj_null_aware_see_batch(state);
		if (hj_spill_diverts(&state->spill))
			hj_spill_divert_batch(state);
	} while (batch->nrows == 0);
	hj_probe_heads(state->table, &batch->keys, batch->nrows, state->heads,
				   state->scratch_cxt);
	for (int i = 0; i < batch->nrows; i++)
		hits += (state->heads[i] != 0);
	state->counters.probe_hits += hits;
	return true;
}

bool
hj_join_fill_batch(HjJoinState *state)
{
	return (state->block_probe != NULL) ? fill_from_blocks(state) :
		fill_from_rows(state);
}

bool
hj_join_next_batch(HjJoinState *state)
{
	if (state->spill.from_files)
	{
		if (!hj_spill_next_batch(state))
			return false;
	}
	else
	{
		if (!hj_join_fill_batch(state))
			return false;
		memset(state->row_matched, 0, state->batch->nrows * sizeof(bool));
	}
	state->cursor = (HjProbeCursor) {0, 0};
	state->loaded_row = -1;
	return true;
}

/*
 * Row by row: take the next row that has a candidate, or must go out without
 * one, as a batch of one row that is not copied.
 */
static bool
next_row(HjJoinState *state)
{
	bool		keep = hj_join_keeps_probe(state->plan.jointype);
	HjSource   *source = &state->probe_source;
	HjBatch    *batch = state->batch;
	ExprContext *econtext = state->probe_econtext;
	HjKeyEval  *eval = state->probe_keys;

	hj_batch_clear(batch, false);
	for (;;)
	{
		TupleTableSlot *slot = hj_source_next(source);
		Datum		values[HJ_MAX_PACKED_COLUMNS];
		bool		nulls[HJ_MAX_PACKED_COLUMNS];
		uint64		word;
		uint32		head = 0;

		if (slot == NULL)
			return false;
		CHECK_FOR_INTERRUPTS();
		state->counters.probe_rows++;
		slot_getsomeattrs(slot, eval->max_attno);
		econtext->ecxt_outertuple = slot;
		hj_key_eval(eval, econtext, slot, values, nulls);
		state->null_aware.probe_seen = true;
		if (hj_key_pack(state->key, false, values, nulls, &word))
			head = hj_probe_word(state->table, word);
		else if (!hj_null_aware_take_null(state))
		{
			MemoryContextReset(batch->cxt);
			if (state->null_aware.probe_null)
				return false;
			continue;
		}
		if (batch->by_reference)
			MemoryContextReset(batch->cxt);
		if (head == 0 && !keep)
			continue;
		slot_getsomeattrs(slot, batch->max_attno);
		hj_batch_store_columns(batch, 0, slot);
		batch->nrows = 1;
		state->heads[0] = head;
		state->counters.probe_hits += (head != 0);
		state->row_matched[0] = false;
		state->cursor = (HjProbeCursor) {0, 0};
		state->loaded_row = -1;
		return true;
	}
}

/* Get more pairs, from this batch or the next. */
bool
hj_join_next_chunk(HjJoinState *state)
{
	HjJoinType	type = state->plan.jointype;
	const HjMatchBits *skip = NULL;

	/* worth it where there are chains; single rows are sorted out later */
	if (hj_join_is_swapped(type) && hj_join_look_up_decides(state) &&
		state->table->chained)
		skip = &state->match_bits;
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		hj_probe_walk(state->table, &state->batch->keys, state->batch->nrows,
					  state->heads, state->walk_flags, skip,
					  &state->cursor, &state->matches, state->scratch_cxt);
		state->next_match = 0;
		if (state->matches.n > 0)
		{
			if (state->spill.flags != NULL)
				hj_spill_filter_chunk(state);
			if (state->chunked)
				hj_join_settle_chunk(state);
			if (state->matches.n > 0)
				return true;
			continue;
		}
		if (state->null_aware.probe_null ||
			(state->row_by_row ? !next_row(state) : !hj_join_next_batch(state)))
			return false;
	}
}

/* All pairs of a probe row have been seen; emit it if it had no match. */
static TupleTableSlot *
finish_probe_row(HjJoinState *state, int row)
{
	if (state->row_matched[row])
		return NULL;
	return hj_join_emit(state, row, NULL, 0);
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

	if (state->residual != NULL)
	{
		hj_join_load_pair(state, row, &state->table->rows, build_row);
		if (!ExecQual(state->residual, econtext))
		{
			state->counters.residual_removed++;
			ResetExprContext(econtext);
			return NULL;
		}
	}

	state->row_matched[row] = true;
	/* another process may have been quicker: the row goes out once */
	if (hj_match_bits_kept(&state->match_bits) &&
		!hj_match_bits_set(&state->match_bits, build_row) &&
		type == HJ_JOIN_RIGHT_SEMI)
		return NULL;
	if (hj_join_first_match_only(type))
		hj_probe_skip_row(&state->cursor, row);
	if (type == HJ_JOIN_ANTI || type == HJ_JOIN_RIGHT_ANTI)
		return NULL;
	return hj_join_emit(state, row, &state->table->rows, build_row);
}

TupleTableSlot *
hj_join_probe_next(HjJoinState *state)
{
	if (state->null_aware.kind == HJ_NULL_AWARE_GENERAL)
		return hj_null_aware_probe_next(state);
	for (;;)
	{
		HjMatches  *matches = &state->matches;
		TupleTableSlot *slot;
		int			row;
		uint32		build_row;

		if (state->next_match >= matches->n)
		{
			if (!hj_join_next_chunk(state))
				return NULL;
		}
		if (state->chunked)
			return hj_join_emit_chunk_row(state, state->next_match++);
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
		slot = hj_join_emit(state, -1, store, row);
		if (slot != NULL)
			return slot;
	}
	return NULL;
}

TupleTableSlot *
hj_join_unmatchable_next(HjJoinState *state)
{
	const HjRowStore *store = &state->table->unmatchable;

	while (hj_spill_next_unmatchable(state))
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		slot = hj_join_emit(state, -1, &state->spill.loose, 0);
		if (slot != NULL)
			return slot;
	}
	while (state->next_unmatched < store->nrows)
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		slot = hj_join_emit(state, -1, store, state->next_unmatched++);
		if (slot != NULL)
			return slot;
	}
	return NULL;
}
