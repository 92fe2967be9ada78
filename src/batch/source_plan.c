/*
 * source_plan.c
 *	  Batches from any child plan, by ExecProcNode.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "batch/source_plan.h"

void
hj_plan_source_init(HjPlanSource *source, PlanState *ps, bool read_ahead)
{
	source->ps = ps;
	source->read_ahead = read_ahead;
	hj_plan_source_restart(source);
}

void
hj_plan_source_restart(HjPlanSource *source)
{
	source->exhausted = false;
	source->pending = NULL;
	source->next_size = 1;
}

/* The child's next row, or NULL; never asks again after the end. */
static TupleTableSlot *
next_slot(HjPlanSource *source)
{
	TupleTableSlot *slot = source->pending;

	source->pending = NULL;
	if (slot != NULL)
		return slot;
	if (source->exhausted)
		return NULL;
	slot = ExecProcNode(source->ps);
	if (TupIsNull(slot))
	{
		source->exhausted = true;
		return NULL;
	}
	return slot;
}

bool
hj_plan_source_peek(HjPlanSource *source)
{
	source->pending = next_slot(source);
	return source->pending != NULL;
}

bool
hj_plan_source_fill(HjPlanSource *source, HjBatch *batch, HjJoinKey *key,
					HjKeyEval *eval, ExprContext *econtext,
					bool keep_unmatchable, uint64 *rows_read)
{
	int			size = Min(source->next_size, batch->capacity);

	hj_batch_clear(batch, size > 1);
	while (batch->nrows < size)
	{
		TupleTableSlot *slot = next_slot(source);

		CHECK_FOR_INTERRUPTS();
		if (slot == NULL)
			break;
		(*rows_read)++;
		if (!hj_batch_append(batch, key, eval, econtext, slot, keep_unmatchable) &&
			size == 1)
			MemoryContextReset(batch->cxt); /* key garbage of a dropped row */
		if (MemoryContextMemAllocated(batch->cxt, true) > HJ_BATCH_BYTES)
		{
			if (batch->nrows > 0)
				break;
			MemoryContextReset(batch->cxt);
		}
	}
	if (source->read_ahead)
		source->next_size = Min(size * 2, batch->capacity);
	return batch->nrows > 0;
}
