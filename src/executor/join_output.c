/*
 * join_output.c
 *	  From a pair of rows to an output row.
 *
 * In general both rows are shown in slots that are written in place, the
 * probe row as outer and the build row as inner tuple; clauses and projection
 * read them there.  Most joins put out plain columns only and have no clause
 * but their keys: then the values go straight into the result slot.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/primnodes.h"

#include "executor/join_node.h"

/* Position of `attno` in a list of column numbers. */
static int
position(List *attnos, AttrNumber attno)
{
	for (int i = 0; i < list_length(attnos); i++)
	{
		if (list_nth_int(attnos, i) == attno)
			return i;
	}
	elog(ERROR, "column %d is not loaded", attno);
}

void
hj_join_plan_output(HjJoinState *state)
{
	PlanState  *ps = &state->css.ss.ps;
	List	   *tlist = ps->plan->targetlist;
	int			n = list_length(tlist);
	ListCell   *lc;

	state->direct_output = false;
	if (ps->qual != NULL)
		return;
	state->out_probe = palloc((n + 1) * sizeof(HjOutputColumn));
	state->out_build = palloc((n + 1) * sizeof(HjOutputColumn));
	foreach(lc, tlist)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);
		Var		   *var = (Var *) tle->expr;
		HjOutputColumn out = {.target = tle->resno - 1};

		if (!IsA(var, Var) || var->varno != INDEX_VAR)
			return;
		if (var->varattno <= state->plan.nprobe_cols)
		{
			out.index = position(state->probe_attnos, var->varattno);
			state->out_probe[state->nout_probe++] = out;
		}
		else
		{
			out.index = position(state->build_attnos,
								 var->varattno - state->plan.nprobe_cols);
			state->out_build[state->nout_build++] = out;
		}
	}
	state->direct_output = true;
}

/* Read what the plan needs of build row `row` of a store. */
static inline void
read_build_row(HjJoinState *state, const HjRowStore *store, uint32 row)
{
	hj_row_store_read(store, row, state->nload, state->load_columns,
					  state->load_values, state->load_nulls);
}

static TupleTableSlot *
emit_direct(HjJoinState *state, int row, const HjRowStore *store,
			uint32 build_row)
{
	TupleTableSlot *slot = state->css.ss.ps.ps_ResultTupleSlot;

	/* a node above may have made the slot own its values */
	ExecClearTuple(slot);
	for (int i = 0; i < state->nout_probe; i++)
	{
		const HjOutputColumn *out = &state->out_probe[i];
		const HjBatchColumn *col = &state->batch->cols[out->index];

		slot->tts_values[out->target] = (row >= 0) ? col->values[row] : (Datum) 0;
		slot->tts_isnull[out->target] = (row >= 0) ? col->nulls[row] : true;
	}
	if (state->nout_build > 0)
	{
		if (store != NULL)
			read_build_row(state, store, build_row);
		for (int i = 0; i < state->nout_build; i++)
		{
			const HjOutputColumn *out = &state->out_build[i];

			slot->tts_values[out->target] =
				(store != NULL) ? state->load_values[out->index] : (Datum) 0;
			slot->tts_isnull[out->target] =
				(store != NULL) ? state->load_nulls[out->index] : true;
		}
	}
	return ExecStoreVirtualTuple(slot);
}

/* Show build row `row` of a store in build_slot. */
static void
load_build_row(HjJoinState *state, const HjRowStore *store, uint32 row)
{
	TupleTableSlot *slot = state->build_slot;

	if (state->nload == 0)
		return;
	read_build_row(state, store, row);
	for (int i = 0; i < state->nload; i++)
	{
		slot->tts_values[state->load_attnos[i] - 1] = state->load_values[i];
		slot->tts_isnull[state->load_attnos[i] - 1] = state->load_nulls[i];
	}
}

void
hj_join_load_pair(HjJoinState *state, int row, const HjRowStore *store,
				  uint32 build_row)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	if (row < 0)
		econtext->ecxt_outertuple = state->null_probe_slot;
	else
	{
		if (state->loaded_row != row)
			hj_batch_load(state->batch, row, state->probe_slot);
		state->loaded_row = row;
		econtext->ecxt_outertuple = state->probe_slot;
	}
	if (store == NULL)
		econtext->ecxt_innertuple = state->null_build_slot;
	else
	{
		load_build_row(state, store, build_row);
		econtext->ecxt_innertuple = state->build_slot;
	}
}

/* The pair is in the econtext. */
static TupleTableSlot *
emit_loaded(HjJoinState *state)
{
	PlanState  *ps = &state->css.ss.ps;

	if (ps->qual == NULL || ExecQual(ps->qual, ps->ps_ExprContext))
		return ExecProject(ps->ps_ProjInfo);
	InstrCountFiltered1(ps, 1);
	ResetExprContext(ps->ps_ExprContext);
	return NULL;
}

TupleTableSlot *
hj_join_emit(HjJoinState *state, int row, const HjRowStore *store,
			 uint32 build_row)
{
	if (state->direct_output)
		return emit_direct(state, row, store, build_row);
	hj_join_load_pair(state, row, store, build_row);
	return emit_loaded(state);
}
