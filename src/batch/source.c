/*
 * source.c
 *	  Rows and batches from a child plan.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "batch/source.h"

void
hj_source_init(HjSource *source, PlanState *ps, bool read_ahead, bool may_drive)
{
	source->ps = ps;
	source->read_ahead = read_ahead;
	source->columns = NULL;
	source->in_blocks = false;
	source->next_block = NULL;
	source->driven = may_drive && hj_scan_source_possible(ps, &source->columns);
	if (source->driven)
		hj_scan_source_init(&source->scan, ps);
	hj_source_restart(source);
}

void
hj_source_restart(HjSource *source)
{
	source->exhausted = false;
	source->pending = NULL;
	source->peeked = NULL;
	source->next_size = 1;
	if (source->driven)
		hj_scan_source_restart(&source->scan);
}

bool
hj_source_has_blocks(const HjSource *source, HjNextBlock next_block,
					 const HjKeyEval *eval, List *columns)
{
	bool		result = !hj_key_eval_has_expressions(eval);

	for (int i = 0; i < eval->nkeys; i++)
		columns = lappend_int(columns, eval->keys[i].attno);
	if (next_block == NULL)
		result = result && source->driven && source->scan.by_page &&
			hj_block_columns_are_near(&source->scan.block, columns);
	list_free(columns);
	return result;
}

void
hj_source_use_blocks(HjSource *source, HjNextBlock next_block)
{
	Assert(next_block != NULL || (source->driven && source->scan.by_page));
	source->in_blocks = true;
	source->next_block = next_block;
}

const HjBlock *
hj_source_next_block(HjSource *source, int max)
{
	const HjBlock *block = source->peeked;

	if (block != NULL)
	{
		source->peeked = NULL;
		return block;
	}
	if (source->exhausted)
		return NULL;
	if (source->next_block != NULL)
		block = source->next_block(source->ps, max);
	else if (hj_scan_source_take(&source->scan, max))
		block = &source->scan.block;
	source->exhausted = block == NULL;
	return block;
}

bool
hj_source_peek(HjSource *source)
{
	if (source->in_blocks)
	{
		source->peeked = hj_source_next_block(source, 1);
		return source->peeked != NULL;
	}
	source->pending = hj_source_next(source);
	return source->pending != NULL;
}

bool
hj_source_fill(HjSource *source, HjBatch *batch, HjJoinKey *key,
			   HjKeyEval *eval, ExprContext *econtext,
			   bool keep_unmatchable, uint64 *rows_read)
{
	int			size = Min(source->next_size, batch->capacity);

	hj_batch_clear(batch, size > 1);
	while (batch->nrows < size)
	{
		TupleTableSlot *slot = hj_source_next(source);

		CHECK_FOR_INTERRUPTS();
		if (slot == NULL)
			break;
		(*rows_read)++;
		if (!hj_batch_append(batch, key, eval, econtext, slot, keep_unmatchable) &&
			size == 1)
			MemoryContextReset(batch->cxt); /* key garbage of a dropped row */
		if (hj_batch_ends_by_memory(batch))
			break;
	}
	hj_source_grow(source, size, batch);
	return batch->nrows > 0;
}
