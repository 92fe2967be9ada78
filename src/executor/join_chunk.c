/*
 * join_chunk.c
 *	  Output by the chunk: from a chunk of matches to columns of output rows.
 *
 * For joins whose output is plain columns and that have no clause but their
 * keys.  What the join type makes of the matches is settled for the chunk as a
 * whole; then the build rows' columns are gathered, one column after the other,
 * with their cache misses overlapping.
 *
 * If the node above is ours too, it takes the columns as they are, as a block:
 * a star join passes its rows from dimension to dimension without forming a
 * tuple in between.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"

#include "executor/join_node.h"

static void
allocate_column(HjChunkColumn *col, int rows)
{
	col->own_values = palloc(rows * sizeof(Datum));
	col->own_nulls = palloc(rows * sizeof(bool));
	col->values = col->own_values;
	col->nulls = col->own_nulls;
}

void
hj_join_plan_chunks(HjJoinState *state)
{
	int			rows = state->matches.capacity + 1;
	int			n = state->nout_probe + state->nout_build;

	state->chunked = state->direct_output && hj_join_look_up_decides(state) &&
		state->null_aware.kind != HJ_NULL_AWARE_GENERAL;
	if (!state->chunked)
		return;
	state->nchunk_cols = n;
	state->chunk_cols = palloc0((n + 1) * sizeof(HjChunkColumn));
	state->block.columns = palloc0((n + 1) * sizeof(HjBlockColumn));
	state->load_chunk = palloc0((state->nload + 1) * sizeof(Datum *));
	state->load_chunk_nulls = palloc0((state->nload + 1) * sizeof(bool *));
	for (int i = 0; i < state->nload; i++)
	{
		state->load_chunk[i] = palloc(rows * sizeof(Datum));
		state->load_chunk_nulls[i] = palloc(rows * sizeof(bool));
	}
	for (int i = 0; i < state->nout_probe; i++)
	{
		HjChunkColumn *col = &state->chunk_cols[state->out_probe[i].target];

		col->index = state->out_probe[i].index;
		allocate_column(col, rows);
	}
	for (int i = 0; i < state->nout_build; i++)
	{
		HjChunkColumn *col = &state->chunk_cols[state->out_build[i].target];

		col->values = state->load_chunk[state->out_build[i].index];
		col->nulls = state->load_chunk_nulls[state->out_build[i].index];
	}
}

/* Mark build rows; a join of which they are the output puts out each once. */
static void
mark_build_rows(HjJoinState *state)
{
	HjMatches  *matches = &state->matches;
	HjMatchBits *bits = &state->match_bits;
	bool		once = state->plan.jointype == HJ_JOIN_RIGHT_SEMI;
	int			n = 0;

	for (int i = 0; i < matches->n; i++)
	{
		uint32		row = matches->build[i];

		if (row != HJ_ROW_END)
		{
			/* of several processes, one is the first */
			if (!hj_match_bits_set(bits, row) && once)
				continue;
		}
		matches->probe[n] = matches->probe[i];
		matches->build[n++] = row;
	}
	matches->n = (state->plan.jointype == HJ_JOIN_RIGHT_ANTI) ? 0 : n;
}

/*
 * Are the probe rows of the chunk a run of the batch's?  Rows only ascend, and
 * without chains no row comes twice.
 */
static bool
is_run(const HjJoinState *state)
{
	const HjMatches *matches = &state->matches;

	return !state->table->chained &&
		matches->probe[matches->n - 1] - matches->probe[0] == matches->n - 1;
}

static void
gather_probe_columns(HjJoinState *state)
{
	const HjMatches *matches = &state->matches;
	bool		run = is_run(state);

	for (int i = 0; i < state->nout_probe; i++)
	{
		HjChunkColumn *col = &state->chunk_cols[state->out_probe[i].target];
		const HjBatchColumn *from = &state->batch->cols[col->index];

		if (run)
		{
			col->values = from->values + matches->probe[0];
			col->nulls = from->nulls + matches->probe[0];
			continue;
		}
		for (int j = 0; j < matches->n; j++)
		{
			col->own_values[j] = from->values[matches->probe[j]];
			col->own_nulls[j] = from->nulls[matches->probe[j]];
		}
		col->values = col->own_values;
		col->nulls = col->own_nulls;
	}
}

void
hj_join_settle_chunk(HjJoinState *state)
{
	HjMatches  *matches = &state->matches;

	if (hj_match_bits_kept(&state->match_bits))
		mark_build_rows(state);
	if (matches->n == 0)
		return;
	gather_probe_columns(state);
	if (state->nload > 0)
		hj_row_store_gather(&state->table->rows, matches->n, matches->build,
							hj_join_keeps_probe(state->plan.jointype),
							state->nload, state->load_columns,
							state->load_chunk, state->load_chunk_nulls);
}

TupleTableSlot *
hj_join_emit_chunk_row(HjJoinState *state, int i)
{
	TupleTableSlot *slot = state->css.ss.ps.ps_ResultTupleSlot;

	/* a node above may have made the slot own its values */
	ExecClearTuple(slot);
	for (int c = 0; c < state->nchunk_cols; c++)
	{
		slot->tts_values[c] = state->chunk_cols[c].values[i];
		slot->tts_isnull[c] = state->chunk_cols[c].nulls[i];
	}
	return ExecStoreVirtualTuple(slot);
}

/* ----------------------------------------------------------------
 *		Blocks for a parent node of ours
 * ----------------------------------------------------------------
 */

static const HjBlock *
next_block(HjJoinState *state, int max)
{
	HjMatches  *matches = &state->matches;
	int			from;

	CHECK_FOR_INTERRUPTS();
	if (state->next_match >= matches->n && !hj_join_run_to_chunk(state))
		return NULL;
	from = state->next_match;
	state->block.n = Min(max, matches->n - from);
	state->next_match += state->block.n;
	for (int c = 0; c < state->nchunk_cols; c++)
	{
		state->block.columns[c].values = state->chunk_cols[c].values + from;
		state->block.columns[c].nulls = state->chunk_cols[c].nulls + from;
	}
	return &state->block;
}

/* What ExecProcNode does around a node's own function, for a block. */
static const HjBlock *
exec_next_block(PlanState *ps, int max)
{
	const HjBlock *block;

	if (ps->chgParam != NULL)
		ExecReScan(ps);
	if (likely(ps->instrument == NULL))
		return next_block((HjJoinState *) ps, max);
	InstrStartNode(ps->instrument);
	block = next_block((HjJoinState *) ps, max);
	InstrStopNode(ps->instrument, block != NULL ? block->n : 0);
	return block;
}

HjNextBlock
hj_join_offer_blocks(PlanState *ps)
{
	HjJoinState *state = (HjJoinState *) ps;

	/* build rows without a match come after the chunks, one by one */
	if (!hj_is_join_state(ps) || ps->state->es_epq_active != NULL ||
		hj_join_keeps_build(state->plan.jointype))
		return NULL;
	if (!state->allocated)
		hj_join_allocate(state);
	return state->chunked ? exec_next_block : NULL;
}
