/*
 * block_probe.c
 *	  Probe rows that come in blocks: looked up first, copied after.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/memutils.h"

#include "batch/block_probe.h"

bool
hj_block_probe_possible(const HjSource *source, HjNextBlock next_block,
						const HjBatch *batch, const HjKeyEval *eval,
						const HjJoinKey *key)
{
	List	   *attnos = NIL;

	if (!hj_source_has_blocks(source, next_block) || key->chains_by_hash ||
		hj_key_eval_has_expressions(eval))
		return false;
	for (int i = 0; i < eval->nkeys; i++)
		attnos = lappend_int(attnos, eval->keys[i].attno);
	for (int i = 0; i < batch->ncols; i++)
		attnos = lappend_int(attnos, batch->cols[i].from);
	return next_block != NULL ||
		hj_block_columns_are_near(&source->scan.block, attnos);
}

HjBlockProbe *
hj_block_probe_create(HjSource *source, HjNextBlock next_block,
					  const HjBatch *batch, const HjJoinKey *key)
{
	HjBlockProbe *probe = palloc0(sizeof(HjBlockProbe));
	int			max = Min(batch->capacity, HJ_MAX_BLOCK_ROWS);

	hj_source_use_blocks(source, next_block);
	probe->max_take = max;
	hj_block_keys_init(&probe->keys, key, max);
	probe->heads = palloc(max * sizeof(uint32));
	probe->kept = palloc(max * sizeof(int));
	hj_block_probe_restart(probe);
	return probe;
}

void
hj_block_probe_restart(HjBlockProbe *probe)
{
	probe->take = 1;
}

/* Which rows of the block go into the batch?  Their heads do as well. */
static int
choose_rows(HjBlockProbe *probe, int nrows, bool keep_all, uint32 *heads)
{
	int			n = 0;

	for (int i = 0; i < nrows; i++)
	{
		probe->kept[n] = i;
		heads[n] = probe->heads[i];
		n += keep_all || probe->heads[i] != 0;
	}
	return n;
}

/* Copy the columns of the chosen rows, column by column. */
static void
copy_columns(const HjBlock *block, int n, const int *rows, HjBatch *batch)
{
	for (int c = 0; c < batch->ncols; c++)
	{
		HjBatchColumn *col = &batch->cols[c];
		Datum	   *values = col->values + batch->nrows;
		bool	   *nulls = col->nulls + batch->nrows;

		hj_block_read(block, col->from, n, (n == block->n) ? NULL : rows,
					  values, nulls);
		if (col->byval)
			continue;
		for (int i = 0; i < n; i++)
		{
			if (!nulls[i])
				values[i] = datumCopy(values[i], false, col->len);
		}
	}
	batch->nrows += n;
}

bool
hj_block_probe_fill(HjBlockProbe *probe, HjSource *source, HjBatch *batch,
					HjBuildTable *table, const HjKeyEval *eval, bool keep_all,
					uint32 *heads, uint64 *rows_read, MemoryContext scratch)
{
	int			size = Min(source->next_size, batch->capacity);

	hj_batch_clear(batch, true);
	while (batch->nrows < size)
	{
		const HjBlock *block = hj_source_next_block(source, probe->take);
		MemoryContext old;
		int			n;

		if (block == NULL)
			break;
		*rows_read += block->n;
		old = MemoryContextSwitchTo(batch->cxt);
		hj_block_keys_read(&probe->keys, table->key, false, eval, block);
		hj_probe_heads(table, &probe->keys.set, block->n, probe->heads, scratch);
		n = choose_rows(probe, block->n, keep_all, heads + batch->nrows);
		copy_columns(block, n, probe->kept, batch);
		MemoryContextSwitchTo(old);

		if (source->read_ahead)
			probe->take = Min(probe->take * 2, probe->max_take);
		if (batch->by_reference &&
			MemoryContextMemAllocated(batch->cxt, true) > HJ_BATCH_BYTES)
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
