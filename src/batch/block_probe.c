/*
 * block_probe.c
 *	  Probe rows that come in blocks: looked up first, copied after.
 */
#include "postgres.h"

#include "utils/datum.h"

#include "batch/block_probe.h"

bool
hj_block_probe_possible(const HjSource *source, HjNextBlock next_block,
						const HjBatch *batch, const HjKeyEval *eval,
						const HjJoinKey *key)
{
	List	   *columns = NIL;

	for (int i = 0; i < batch->ncols; i++)
		columns = lappend_int(columns, batch->cols[i].from);
	return !key->chains_by_hash &&
		hj_source_has_blocks(source, next_block, eval, columns);
}

HjBlockProbe *
hj_block_probe_create(HjSource *source, HjNextBlock next_block,
					  HjKeepRows keep, const HjBatch *batch, const HjJoinKey *key)
{
	HjBlockProbe *probe = palloc0(sizeof(HjBlockProbe));
	int			max = Min(batch->capacity, HJ_MAX_BLOCK_ROWS);

	hj_source_use_blocks(source, next_block);
	probe->keep = keep;
	probe->max_take = max;
	probe->wide_attnos = palloc((batch->ncols + 1) * sizeof(AttrNumber));
	probe->wide_lens = palloc((batch->ncols + 1) * sizeof(int16));
	for (int i = 0; i < batch->ncols; i++)
	{
		if (batch->cols[i].byval)
			continue;
		probe->wide_attnos[probe->nwide] = batch->cols[i].from;
		probe->wide_lens[probe->nwide++] = batch->cols[i].len;
	}
	hj_block_keys_init(&probe->keys, key, max);
	probe->heads = palloc(max * sizeof(uint32));
	probe->kept = palloc(max * sizeof(int));
	probe->gone = palloc0(max * sizeof(bool));
	hj_block_probe_restart(probe);
	return probe;
}

void
hj_block_probe_divert(HjBlockProbe *probe, HjDivertRows divert, void *arg)
{
	probe->divert = divert;
	probe->divert_arg = arg;
	memset(probe->gone, 0, probe->max_take * sizeof(bool));
}

void
hj_block_probe_restart(HjBlockProbe *probe)
{
	probe->take = 1;
	probe->rest.n = 0;
}

/* Which rows go into the batch?  Their heads do as well.  None that is gone. */
static int
choose_rows(HjBlockProbe *probe, int nrows, uint32 *heads, uint64 *hits)
{
	bool		keep_hits = probe->keep != HJ_KEEP_MISSES;
	bool		keep_misses = probe->keep != HJ_KEEP_HITS;
	int			found = 0;
	int			n = 0;

	for (int i = 0; i < nrows; i++)
	{
		bool		hit = probe->heads[i] != 0;

		found += hit;
		probe->kept[n] = i;
		heads[n] = probe->heads[i];
		n += (hit ? keep_hits : keep_misses) & !probe->gone[i];
	}
	*hits += found;
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

/*
 * Look up the first rows of the block, as many as may be in memory together,
 * and copy what is needed of them.  Returns their number.
 */
static int
look_up(HjBlockProbe *probe, const HjBlock *block, HjBatch *batch,
		HjBuildTable *table, const HjKeyEval *eval, uint32 *heads,
		uint64 *hits, MemoryContext scratch)
{
	int			n = hj_block_rows_within(block, HJ_BATCH_BYTES, probe->nwide,
										 probe->wide_attnos, probe->wide_lens);
	HjBlock		part = hj_block_part(block, 0, n);
	MemoryContext old = MemoryContextSwitchTo(batch->cxt);
	int			kept;

	part.n = hj_block_keys_read(&probe->keys, table->key, false, eval, &part,
								HJ_BATCH_BYTES);
	if (probe->divert != NULL)
		probe->divert(probe->divert_arg, &part, &probe->keys.set, probe->gone);
	hj_probe_heads(table, &probe->keys.set, part.n, probe->heads, scratch);
	kept = choose_rows(probe, part.n, heads + batch->nrows, hits);
	copy_columns(&part, kept, probe->kept, batch);
	MemoryContextSwitchTo(old);
	return part.n;
}

bool
hj_block_probe_fill(HjBlockProbe *probe, HjSource *source, HjBatch *batch,
					HjBuildTable *table, const HjKeyEval *eval, uint32 *heads,
					uint64 *rows_read, uint64 *hits, MemoryContext scratch)
{
	int			size = Min(source->next_size, batch->capacity);

	hj_batch_clear(batch, true);
	while (batch->nrows < size)
	{
		int			n;

		if (probe->rest.n == 0)
		{
			const HjBlock *block = hj_source_next_block(source, probe->take);

			if (block == NULL)
				break;
			probe->rest = *block;
			if (source->read_ahead)
				probe->take = Min(probe->take * 2, probe->max_take);
		}
		n = look_up(probe, &probe->rest, batch, table, eval, heads, hits, scratch);
		probe->rest = hj_block_part(&probe->rest, n, probe->rest.n - n);
		*rows_read += n;

		if (hj_batch_ends_by_memory(batch))
			break;
	}
	hj_source_grow(source, size, batch);
	return batch->nrows > 0;
}
