/*
 * join_null_aware.c
 *	  Anti joins in which NULL matches all; join_null_aware.h describes how.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "executor/join_node.h"

static bool
is_simple(const HjJoinState *state)
{
	return state->null_aware.kind == HJ_NULL_AWARE_SIMPLE;
}

/* Is the build side the one that NOT IN's outer rows come from? */
static bool
is_swapped(const HjJoinState *state)
{
	return hj_join_is_swapped(state->plan.jointype);
}

/* As many integers as keys: is the key an open one? */
static List *
open_keys(const HjJoinState *state)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, state->plan.key_nulls)
		result = lappend_int(result, lfirst_int(lc) == HJ_NULL_MATCHES_ALL);
	return result;
}

void
hj_null_aware_begin(HjJoinState *state)
{
	HjNullAware *na = &state->null_aware;

	na->kind = HJ_NULL_AWARE_NOT;
	if (!list_member_int(state->plan.key_nulls, HJ_NULL_MATCHES_ALL))
		return;
	Assert(hj_join_is_anti(state->plan.jointype));
	na->kind = (list_length(state->plan.key_nulls) == 1 &&
				state->residual == NULL) ?
		HJ_NULL_AWARE_SIMPLE : HJ_NULL_AWARE_GENERAL;
}

void
hj_null_aware_allocate(HjJoinState *state)
{
	if (state->null_aware.kind == HJ_NULL_AWARE_GENERAL)
		state->null_aware.maps = hj_null_maps_create(state->table, open_keys(state),
													 is_swapped(state),
													 state->scratch_cxt);
}

uint32
hj_null_aware_build_facts(const HjJoinState *state)
{
	bool		null = state->null_aware.build_null;

	return (null ? HJ_SAW_NULL : 0) |
		(null || state->spill.seen_rows > 0 ? HJ_SAW_ROW : 0);
}

void
hj_null_aware_note_build(HjJoinState *state)
{
	uint32		facts = hj_parallel_shares(state->parallel) ?
		hj_parallel_build_facts(state) : hj_null_aware_build_facts(state);

	state->null_aware.build_null = (facts & HJ_SAW_NULL) != 0;
	state->null_aware.build_seen = (facts & HJ_SAW_ROW) != 0;
}

void
hj_null_aware_seal(HjJoinState *state)
{
	if (state->null_aware.kind == HJ_NULL_AWARE_GENERAL)
		hj_null_maps_start(state->null_aware.maps, hj_spill_table_limit(state));
}

bool
hj_null_aware_start_probe(HjJoinState *state)
{
	HjNullAware *na = &state->null_aware;

	na->probe_null = na->probe_seen = false;
	if (na->kind == HJ_NULL_AWARE_GENERAL)
		hj_null_maps_restart(na->maps);
	return !(is_simple(state) && !is_swapped(state) && na->build_null);
}

/* ----------------------------------------------------------------
 *		SIMPLE
 * ----------------------------------------------------------------
 */

bool
hj_null_aware_keeps_null(const HjJoinState *state)
{
	if (!is_simple(state))
		return hj_join_keeps_probe(state->plan.jointype);
	/* with the sides swapped, so that they are seen */
	return is_swapped(state) || !state->null_aware.build_seen;
}

void
hj_null_aware_see_batch(HjJoinState *state)
{
	if (!is_simple(state) || !is_swapped(state))
		return;
	state->null_aware.probe_seen = true;
	for (int i = 0; i < state->batch->nrows; i++)
		state->null_aware.probe_null |= !state->batch->keys.usable[i];
}

bool
hj_null_aware_take_null(HjJoinState *state)
{
	if (!is_simple(state))
		return true;
	if (!is_swapped(state))
		return !state->null_aware.build_seen;
	state->null_aware.probe_null = true;
	return false;
}

void
hj_null_aware_divert_block(void *arg, const HjBlock *block, HjKeySet *keys,
						   bool *gone)
{
	HjJoinState *state = arg;
	bool		drop = !is_swapped(state) && state->null_aware.build_seen;
	bool		any = false;

	if (hj_spill_diverts(&state->spill))
		hj_spill_divert_block(arg, block, keys, gone);
	else
		memset(gone, 0, block->n * sizeof(bool));
	for (int i = 0; i < block->n; i++)
	{
		any |= !gone[i] && !keys->usable[i];
		gone[i] |= drop && !keys->usable[i];
	}
	if (is_swapped(state))
	{
		state->null_aware.probe_seen = true;
		state->null_aware.probe_null |= any;
	}
}

bool
hj_null_aware_keeps_unmatchable(const HjJoinState *state)
{
	return !(is_simple(state) && state->null_aware.probe_seen);
}

/* ----------------------------------------------------------------
 *		GENERAL
 * ----------------------------------------------------------------
 */

/* A pair of rows whose keys match. */
typedef struct Pair
{
	HjJoinState *state;
	int			row;			/* of the batch */
} Pair;

static bool
passes_residual(const Pair *pair, uint32 build_row)
{
	HjJoinState *state = pair->state;
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	bool		passes;

	if (state->residual == NULL)
		return true;
	hj_join_load_pair(state, pair->row, &state->table->rows, build_row);
	passes = ExecQual(state->residual, econtext);
	if (!passes)
		state->counters.residual_removed++;
	ResetExprContext(econtext);
	return passes;
}

/* The probe side is preserved: one partner is enough. */
static HjVisit
look_for_one(void *arg, uint32 build_row)
{
	return passes_residual(arg, build_row) ? HJ_VISIT_STOP : HJ_VISIT_ON;
}

/* The build side is preserved: mark all partners. */
static HjVisit
mark_each(void *arg, uint32 build_row)
{
	Pair	   *pair = arg;
	HjMatchBits *bits = &pair->state->match_bits;

	if (!hj_match_bits_get(bits, build_row))
	{
		if (!passes_residual(pair, build_row))
			return HJ_VISIT_ON;
		hj_match_bits_set(bits, build_row);
	}
	return HJ_VISIT_DROP;
}

/* Has the row of the batch a partner?  If the build side is preserved: false. */
static bool
find_partner(HjJoinState *state, int row)
{
	Pair		pair = {state, row};
	bool		swapped = is_swapped(state);
	const HjMatchBits *marks = NULL;

	if (!state->batch->keys.usable[row] || state->table->rows.nrows == 0)
		return false;
	if (swapped && hj_join_look_up_decides(state))
		marks = &state->match_bits;
	return hj_null_maps_visit(state->null_aware.maps, &state->batch->keys, row,
							  state->heads[row], marks,
							  swapped ? mark_each : look_for_one, &pair);
}

/* Is a row without a partner in this round's table to be put out now? */
static bool
is_due(const HjJoinState *state)
{
	return !is_swapped(state) &&
		(!state->spill.in_passes || state->spill.last_pass);
}

TupleTableSlot *
hj_null_aware_probe_next(HjJoinState *state)
{
	for (;;)
	{
		TupleTableSlot *slot;
		int			row = state->cursor.row;

		CHECK_FOR_INTERRUPTS();
		if (row >= state->batch->nrows)
		{
			if (state->null_aware.maps->bytes > 0)
				hj_join_note_memory(state);
			if (!hj_join_next_batch(state))
				return NULL;
			continue;
		}
		state->cursor.row++;
		if (state->row_matched[row])
			continue;
		state->row_matched[row] = find_partner(state, row);
		if (state->row_matched[row] || !is_due(state))
			continue;
		slot = hj_join_emit(state, row, NULL, 0);
		if (slot != NULL)
			return slot;
	}
}
