/*
 * join_build.c
 *	  Phase BUILD: from the build side's rows to a sealed table.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "executor/join_node.h"
#include "settings.h"
#include "stats.h"

/*
 * Store one row.  A key that is a plain column of the output too is stored as
 * the child has it (a toasted value stays toasted, "1.00" stays "1.00");
 * another key is stored as it was prepared, detoasted if that helps to compare.
 */
static void
store_build_row(HjJoinState *state, TupleTableSlot *slot,
				Datum *raw, Datum *prepared, bool *key_nulls)
{
	HjJoinKey  *key = state->key;
	uint64		word = 0;
	uint64		hash = 0;
	bool		matchable;

	memcpy(prepared, raw, key->ncols * sizeof(Datum));
	matchable = key->packed ?
		hj_key_pack(key, true, raw, key_nulls, &word) :
		hj_key_prepare(key, true, prepared, key_nulls, &hash);
	state->null_aware.build_null |= !matchable;
	if (!matchable && !state->table->keep_unmatchable)
		return;
	for (int i = 0; i < state->nbuild_columns; i++)
	{
		const HjBuildColumn *col = &state->build_columns[i];

		if (col->attno > 0)
		{
			state->build_values[i] = slot->tts_values[col->attno - 1];
			state->build_nulls[i] = slot->tts_isnull[col->attno - 1];
		}
		else
		{
			state->build_values[i] = prepared[col->key];
			state->build_nulls[i] = key_nulls[col->key];
		}
	}
	hj_spill_store_row(state, matchable, word, hash, state->build_values,
					   state->build_nulls);
}

/* Highest column of the child's row that is stored or is a plain key. */
static AttrNumber
highest_build_attno(const HjJoinState *state)
{
	AttrNumber	max = state->build_keys->max_attno;

	for (int i = 0; i < state->nbuild_columns; i++)
		max = Max(max, state->build_columns[i].attno);
	return max;
}

/* Rows one by one, in slots. */
static void
drain_rows(HjJoinState *state)
{
	ExprContext *econtext = state->build_econtext;
	AttrNumber	max_attno = highest_build_attno(state);
	int			nkeys = state->key->ncols;
	Datum	   *raw = palloc(nkeys * sizeof(Datum));
	Datum	   *prepared = palloc(nkeys * sizeof(Datum));
	bool	   *nulls = palloc(nkeys * sizeof(bool));

	for (;;)
	{
		TupleTableSlot *slot = hj_source_next(&state->build_source);
		MemoryContext old;

		CHECK_FOR_INTERRUPTS();
		if (TupIsNull(slot))
			break;
		slot_getsomeattrs(slot, max_attno);
		ResetExprContext(econtext);
		econtext->ecxt_innertuple = slot;
		old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
		hj_key_eval(state->build_keys, econtext, slot, raw, nulls);
		store_build_row(state, slot, raw, prepared, nulls);
		MemoryContextSwitchTo(old);
	}
	ResetExprContext(econtext);
	pfree(raw);
	pfree(prepared);
	pfree(nulls);
}

/*
 * A block in which not all rows go the same way: one by one, as store_build_row
 * does it.
 */
static void
store_mixed_block(HjJoinState *state, int n, const HjKeySet *keys)
{
	HjBuildBlocks *blocks = state->build_blocks;

	for (int i = 0; i < n; i++)
	{
		for (int c = 0; c < state->nbuild_columns; c++)
		{
			state->build_values[c] = blocks->values[c][i];
			state->build_nulls[c] = blocks->nulls[c][i];
		}
		state->null_aware.build_null |= !keys->usable[i];
		hj_spill_store_row(state, keys->usable[i],
						   state->key->packed ? keys->word[i] : 0,
						   state->key->packed ? 0 : keys->hash[i],
						   state->build_values, state->build_nulls);
	}
}

/*
 * Store the first rows of a block, as many as have their keys in memory
 * together.  Returns their number.
 */
static int
store_block(HjJoinState *state, HjBlock *block)
{
	HjBuildBlocks *blocks = state->build_blocks;
	const HjKeySet *keys = &blocks->keys.set;
	bool		all_usable = true;

	block->n = hj_block_keys_read(&blocks->keys, state->key, true,
								  state->build_keys, block, HJ_BATCH_BYTES);
	for (int c = 0; c < state->nbuild_columns; c++)
	{
		const HjBuildColumn *col = &state->build_columns[c];

		if (col->attno > 0)
			hj_block_read(block, col->attno, block->n, NULL,
						  blocks->values[c], blocks->nulls[c]);
		else
		{
			memcpy(blocks->values[c], blocks->keys.values[col->key],
				   block->n * sizeof(Datum));
			memcpy(blocks->nulls[c], blocks->keys.nulls[col->key],
				   block->n * sizeof(bool));
		}
	}
	for (int i = 0; i < block->n; i++)
		all_usable &= keys->usable[i];
	if (all_usable && state->spill.partitions == NULL)
	{
		hj_build_table_append_many(state->table, block->n, keys->word, keys->hash,
								   blocks->values, blocks->nulls);
		state->spill.seen_rows += block->n;
		hj_spill_check_memory(state);
	}
	else
		store_mixed_block(state, block->n, keys);
	return block->n;
}

/* Rows in blocks. */
static void
drain_blocks(HjJoinState *state)
{
	ExprContext *econtext = state->build_econtext;
	const HjBlock *block;

	while ((block = hj_source_next_block(&state->build_source,
										 HJ_MAX_BLOCK_ROWS)) != NULL)
	{
		int			done = 0;

		while (done < block->n)
		{
			HjBlock		part = hj_block_part(block, done, block->n - done);
			MemoryContext old;

			CHECK_FOR_INTERRUPTS();
			ResetExprContext(econtext);
			old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
			done += store_block(state, &part);
			MemoryContextSwitchTo(old);
		}
	}
	ResetExprContext(econtext);
}

void
hj_join_drain(HjJoinState *state)
{
	state->null_aware.build_null = false;
	if (state->build_blocks != NULL)
		drain_blocks(state);
	else
		drain_rows(state);
}

/* One bit a build row, for the joins that need to know who was matched. */
static void
allocate_match_bits(HjJoinState *state)
{
	uint32		nrows = state->table->rows.nrows;

	if (!hj_join_marks_build(state->plan.jointype))
		return;
	state->match_bits.nrows = nrows;
	state->match_bits.bits =
		MemoryContextAllocHuge(state->table_cxt,
							   Max(hj_match_bits_bytes(nrows), 1));
}

void
hj_join_note_memory(HjJoinState *state)
{
	Size		bytes = state->table->unmatchable.bytes;

	/* what is shared is counted elsewhere, once */
	if (!hj_parallel_shares(state->parallel) ||
		(!state->parallel->building && !state->parallel->mapped))
		bytes = Max(hj_build_table_bytes(state->table), state->table->peak_bytes);
	if (state->match_bits.bits != NULL)
		bytes += hj_match_bits_bytes(state->match_bits.nrows);
	bytes += state->fixed_bytes + hj_spill_memory(&state->spill);
	if (state->null_aware.maps != NULL)
		bytes += state->null_aware.maps->bytes;
	state->counters.peak_bytes = Max(state->counters.peak_bytes, bytes);
}

/* Is the table small enough to stay in the processor's cache? */
static bool
fits_cache(const HjJoinState *state)
{
	return hj_build_table_bytes(state->table) <= HJ_CACHE_BYTES;
}

void
hj_join_note_map(HjJoinState *state)
{
	const HjBuildTable *table = state->table;
	HjJoinCounters *c = &state->counters;

	if (table->use_array)
	{
		c->array_maps++;
		hj_stats.array_maps++;
	}
	else
		hj_stats.hash_maps++;
	if (!state->spill.from_files)
		c->map_is_array = c->map_is_hash = c->map_is_chained = false;
	/* of the first round that has rows; of an empty one if there is no other */
	if (!c->map_is_array && !c->map_is_hash)
		strlcpy(c->map_reason, table->map_reason, HJ_MAP_REASON_SIZE);
	c->map_is_array |= table->use_array;
	c->map_is_hash |= !table->use_array && table->rows.nrows > 0;
	c->map_is_chained |= table->chained;
}

void
hj_join_divert_blocks(HjJoinState *state)
{
	if (state->block_probe == NULL)
		return;
	hj_block_probe_divert(state->block_probe,
						  state->null_aware.kind != HJ_NULL_AWARE_NOT ?
						  hj_null_aware_divert_block :
						  hj_spill_diverts(&state->spill) ?
						  hj_spill_divert_block : NULL, state);
}

void
hj_join_seal(HjJoinState *state)
{
	HjBuildTable *table = state->table;

	table->memory_limit = hj_spill_table_limit(state);
	hj_build_table_seal(table, &state->array_policy);
	allocate_match_bits(state);
	if (state->match_bits.bits != NULL)
		hj_match_bits_clear_all(&state->match_bits);
	hj_null_aware_seal(state);
	state->row_by_row = state->block_probe == NULL && state->key->packed &&
		state->null_aware.kind != HJ_NULL_AWARE_GENERAL &&
		!state->spill.from_files && !hj_spill_diverts(&state->spill) &&
		fits_cache(state);
	hj_join_note_map(state);
	hj_join_note_memory(state);
}

/* Alone. */
static void
build_table(HjJoinState *state)
{
	HjJoinCounters *c = &state->counters;

	hj_spill_start(state);
	hj_join_drain(state);
	hj_join_seal(state);
	state->table_valid = true;
	hj_join_divert_blocks(state);
	c->table_builds++;
	c->build_rows = state->table->rows.nrows + state->spill.nunmatchable +
		hj_partitions_build_rows(state->spill.partitions);
	hj_stats.joins++;
}

void
hj_join_build(HjJoinState *state)
{
	Instrumentation *instrument = state->css.ss.ps.instrument;
	instr_time	start;

	INSTR_TIME_SET_ZERO(start);
	if (instrument != NULL && instrument->need_timer)
		INSTR_TIME_SET_CURRENT(start);

	state->array_policy = (HjArrayPolicy) {
		/* whoever asks for collisions wants to see the hash map */
		.enabled = hj_array_map && hj_debug_hash_bits == 64,
		.small_range = hj_array_map_small_range,
		.min_density = hj_array_map_min_density,
	};
	if (hj_parallel_shares(state->parallel))
		hj_parallel_build(state);
	else
		build_table(state);
	if (!INSTR_TIME_IS_ZERO(start))
	{
		instr_time	now;

		INSTR_TIME_SET_CURRENT(now);
		INSTR_TIME_ACCUM_DIFF(state->counters.build_time, now, start);
	}
}

void
hj_join_empty_table(HjJoinState *state)
{
	hj_build_table_reset(state->table);
	if (state->null_aware.maps != NULL)
		hj_null_maps_forget(state->null_aware.maps);
	state->match_bits.bits = NULL;
	state->match_bits.shared = NULL;
	state->match_bits.nrows = 0;
}

void
hj_join_discard_table(HjJoinState *state)
{
	hj_spill_reset(state);
	hj_join_empty_table(state);
	state->table_valid = false;
}
