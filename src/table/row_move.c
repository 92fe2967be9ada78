/*
 * row_move.c
 *	  Rows of the build side as bytes: from one store to another, or to a place
 *	  of lower number.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "table/row_chunks.h"

/* Where the null bits say so, a column has NULLs. */
static void
note_nulls(HjRowStore *store, const char *row)
{
	const HjRowLayout *layout = store->layout;
	uint8		any = 0;

	for (uint32 i = 0; i < layout->null_bytes; i++)
		any |= (uint8) row[layout->null_offset + i];
	for (int c = 0; c < layout->ncols && any != 0; c++)
	{
		int			bit = layout->cols[c].null_bit;

		if (bit >= 0 && (row[layout->null_offset + bit / 8] & (1 << (bit % 8))))
			store->has_nulls[c] = true;
	}
}

uint32
hj_row_store_append_raw(HjRowStore *store, const HjRawRow *raw)
{
	char	   *row;

	(void) hj_chunks_reserve_rows(store, 1, &row);
	memcpy(row, raw->fixed, store->layout->row_size);
	note_nulls(store, row);
	if (raw->tail != NULL)
	{
		int			phase = (uintptr_t) raw->tail & (MAXIMUM_ALIGNOF - 1);
		Size		start;
		uint32		chunk = hj_chunks_place_tail(store, raw->tail_bytes, phase, &start);

		memcpy(store->tails[chunk].base + start, raw->tail, raw->tail_bytes);
		hj_chunks_set_tail(store, store->nrows, row, chunk, start);
	}
	else if (store->layout->ntail > 0)
		memset(row + store->layout->tail_offset, 0, sizeof(uint32));
	return store->nrows++;
}

void
hj_row_store_clear(HjRowStore *store)
{
	Size		chunk = ((Size) store->chunk_mask + 1) * store->layout->row_size;
	uint32		from = 0;

	hj_chunks_release_tails(store, store, &from, store->ntails);
	store->ntails = 0;
	store->tail_chunk = 0;
	store->tail_used = 0;
	while (store->nchunks > 1)
	{
		hj_chunks_free(store, store->chunks[--store->nchunks], chunk,
				   &store->spare_chunks);
		store->capacity -= store->chunk_mask + 1;
	}
	if (store->tail_base != NULL)
		store->tail_base[0] = 0;
	store->nrows = 0;
}

/*
 * Append a row of a store that is being taken apart.  A chunk of one row's tail
 * changes hands.
 */
static void
move_row(HjRowStore *store, HjRowStore *old, uint32 rownum)
{
	HjRawRow	raw;
	Size		start;
	HjTailChunk *chunk;
	char	   *row;

	hj_row_store_raw(old, rownum, &raw);
	chunk = (raw.tail == NULL) ? NULL :
		&old->tails[hj_row_store_tail(old, rownum, &start)];
	if (chunk == NULL || !chunk->single)
	{
		hj_row_store_append_raw(store, &raw);
		return;
	}
	(void) hj_chunks_reserve_rows(store, 1, &row);
	memcpy(row, raw.fixed, store->layout->row_size);
	hj_chunks_set_tail(store, store->nrows, row,
					   hj_chunks_adopt_tail(store, chunk), start);
	store->nrows++;
}

/* A row that is not kept: its tail's own chunk is free at once. */
static void
drop_row(HjRowStore *store, HjRowStore *old, uint32 rownum)
{
	HjRawRow	raw;
	Size		start;
	uint32		c;

	if (old->layout->ntail == 0)
		return;
	hj_row_store_raw(old, rownum, &raw);
	if (raw.tail == NULL)
		return;
	c = hj_row_store_tail(old, rownum, &start);
	if (old->tails[c].single)
		hj_chunks_release_tails(store, old, &c, c + 1);
}

/*
 * Shared chunks of tails are filled in row order: those before the row's own are
 * done with.  Wide rows have many to a chunk of rows.
 */
static void
release_tails_before(HjRowStore *store, HjRowStore *old, uint32 rownum,
					 uint32 *done)
{
	Size		start;
	uint32		c;

	if (old->layout->ntail == 0)
		return;
	c = hj_row_store_tail(old, rownum, &start);
	if (c < old->ntails && !old->tails[c].single)
		hj_chunks_release_tails(store, old, done, c);
}

/* Free row chunk c, whose rows are done with. */
static void
release_chunk(HjRowStore *store, HjRowStore *old, uint32 c)
{
	Size		full = ((Size) store->chunk_mask + 1) * store->layout->row_size;
	Size		bytes = (old->capacity <= store->chunk_mask) ?
		old->capacity * store->layout->row_size : full;

	if (bytes == full)
		hj_chunks_free(store, old->chunks[c], full, &store->spare_chunks);
	else
	{
		store->bytes -= bytes;
		pfree(old->chunks[c]);
	}
}

void
hj_row_store_compact(HjRowStore *store, HjKeepRow keep, void *arg)
{
	HjRowStore	old = *store;
	uint32		chunk_rows = store->chunk_mask + 1;
	uint32		tails_done = 0;

	store->nrows = 0;
	store->capacity = 0;
	store->chunks = NULL;
	store->tail_base = NULL;
	store->nchunks = store->max_chunks = 0;
	store->tails = NULL;
	store->ntails = store->max_tails = 0;
	store->tail_chunk = 0;
	store->tail_used = 0;
	for (uint32 c = 0; c < old.nchunks; c++)
	{
		uint64		end = Min(old.nrows, (uint64) (c + 1) * chunk_rows);

		for (uint32 row = c * chunk_rows; row < end; row++)
		{
			CHECK_FOR_INTERRUPTS();
			release_tails_before(store, &old, row, &tails_done);
			if (keep(arg, &old, row, store->nrows))
				move_row(store, &old, row);
			else
				drop_row(store, &old, row);
		}
		release_chunk(store, &old, c);
	}
	hj_chunks_release_tails(store, &old, &tails_done, old.ntails);
	store->bytes -= old.max_chunks * sizeof(char *) +
		old.max_tails * sizeof(HjTailChunk);
	if (old.tail_base != NULL)
		store->bytes -= old.max_chunks * sizeof(uint32);
	if (old.nchunks > 0)
		pfree(old.chunks);
	if (old.tail_base != NULL)
		pfree(old.tail_base);
	if (old.tails != NULL)
		pfree(old.tails);
}
