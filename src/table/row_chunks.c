/*
 * row_chunks.c
 *	  The memory of a row store.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "table/row_chunks.h"

/* The very first chunk of tails. */
#define HJ_FIRST_TAIL_BYTES ((Size) 8 * 1024)

/*
 * Rows of a chunk open at most one tail chunk each.  A tail reference can count
 * twice as many: those, and as many between the one being filled and them.
 */
#define HJ_MAX_TAILED_ROWS_SHIFT (32 - HJ_CHUNK_SHIFT - 1)
#define HJ_MAX_TAILED_ROWS (1U << HJ_MAX_TAILED_ROWS_SHIFT)

/* A small first chunk keeps tiny builds cheap; it still has 2^k rows. */
#define HJ_FIRST_CHUNK_ROWS_SHIFT 5
#define HJ_MIN_CHUNK_ROWS_SHIFT 3

StaticAssertDecl((1 << HJ_MIN_CHUNK_ROWS_SHIFT) >= sizeof(void *),
				 "a spare chunk must hold a link");

/* A chunk is at most this part of the memory that the caller has. */
#define HJ_CHUNKS_IN_MEMORY 64

void
hj_row_store_init(HjRowStore *store, const HjRowLayout *layout,
				  double expected_rows, Size memory_limit, MemoryContext cxt)
{
	Size		chunk_bytes = HJ_CHUNK_BYTES;
	int			shift = HJ_MIN_CHUNK_ROWS_SHIFT;

	while (chunk_bytes > memory_limit / HJ_CHUNKS_IN_MEMORY &&
		   chunk_bytes > HJ_MIN_CHUNK_BYTES)
		chunk_bytes /= 2;
	while (((Size) layout->row_size << (shift + 1)) <= chunk_bytes &&
		   (layout->ntail == 0 || shift < HJ_MAX_TAILED_ROWS_SHIFT))
		shift++;
	memset(store, 0, sizeof(*store));
	store->layout = layout;
	store->cxt = cxt;
	store->chunk_bytes = chunk_bytes;
	store->chunk_shift = shift;
	store->chunk_mask = (1U << shift) - 1;
	store->large = expected_rows * layout->row_size >= HJ_LARGE_BYTES;
}

/* A table of max entries, or more of one. */
static void *
grow_table(HjRowStore *store, void *table, Size entry, uint32 max,
		   uint32 newmax)
{
	store->bytes += (newmax - max) * entry;
	if (table == NULL)
		return MemoryContextAlloc(store->cxt, newmax * entry);
	return repalloc_huge(table, newmax * entry);
}

/* Make room for one more row chunk's entries. */
static void
grow_chunk_tables(HjRowStore *store)
{
	uint32		max = store->max_chunks;
	uint32		newmax = Max(max * 2, 8);

	store->chunks = grow_table(store, store->chunks, sizeof(char *), max, newmax);
	if (store->layout->ntail > 0)
		store->tail_base = grow_table(store, store->tail_base, sizeof(uint32),
									  max, newmax);
	store->max_chunks = newmax;
}

/* From the store's source, if it has one and that has memory; else NULL. */
static char *
take_from_source(HjRowStore *store, Size size)
{
	return (store->source == NULL) ? NULL :
		store->source->allocate(store->source, size);
}

/*
 * A full-size chunk, perhaps one of the spare ones.  A large store cuts them
 * from regions; of those only what is in use counts, the rest is not touched.
 */
static char *
alloc_chunk(HjRowStore *store, Size size, void **spare)
{
	char	   *shared;

	store->bytes += size;
	if (*spare != NULL)
	{
		char	   *chunk = *spare;

		*spare = *(void **) chunk;
		return chunk;
	}
	shared = take_from_source(store, size);
	if (shared != NULL)
		return shared;
	if (store->bytes >= HJ_LARGE_BYTES)
		store->large = true;
	if (!store->large)
		return MemoryContextAllocHuge(store->cxt, size);
	return hj_region_alloc(&store->region, store->cxt, size);
}

void
hj_chunks_free(HjRowStore *store, char *chunk, Size size, void **spare)
{
	store->bytes -= size;
	*(void **) chunk = *spare;
	*spare = chunk;
}

/* A chunk that may be reallocated or freed, unless there is a source. */
static char *
alloc_small_chunk(HjRowStore *store, Size size)
{
	char	   *shared = take_from_source(store, size);

	store->bytes += size;
	if (shared != NULL)
		return shared;
	return MemoryContextAllocHuge(store->cxt, size);
}

/*
 * The tail chunk from which a new row chunk counts: the one being filled, unless
 * too many large tails have come since it was opened; then it is closed.
 */
static uint32
new_tail_base(HjRowStore *store)
{
	if (store->ntails - store->tail_chunk < HJ_MAX_TAILED_ROWS)
		return store->tail_chunk;
	store->tail_used = store->chunk_bytes;
	return store->ntails;
}

/*
 * Room for more rows.  The first chunk starts small and grows in place, so tiny
 * builds stay tiny: nobody keeps a pointer to a row across an append.
 */
static void
make_room(HjRowStore *store)
{
	Size		row_size = store->layout->row_size;
	uint32		chunk_rows = store->chunk_mask + 1;
	char	   *chunk;

	if (store->nchunks == 1 && store->capacity < chunk_rows)
	{
		Size		more = store->capacity * row_size;

		store->chunks[0] = repalloc_huge(store->chunks[0], 2 * more);
		store->bytes += more;
		store->capacity *= 2;
		return;
	}
	if (store->nchunks == store->max_chunks)
		grow_chunk_tables(store);
	if (store->has_nulls == NULL)
		store->has_nulls = MemoryContextAllocZero(store->cxt,
												  store->layout->ncols + 1);
	if (store->nchunks == 0 && !store->large && store->source == NULL)
	{
		chunk_rows = Min(chunk_rows, 1U << HJ_FIRST_CHUNK_ROWS_SHIFT);
		chunk = alloc_small_chunk(store, chunk_rows * row_size);
	}
	else
		chunk = alloc_chunk(store, chunk_rows * row_size, &store->spare_chunks);
	if (store->tail_base != NULL)
		store->tail_base[store->nchunks] = new_tail_base(store);
	store->chunks[store->nchunks++] = chunk;
	store->capacity += chunk_rows;
}

int
hj_chunks_reserve_rows(HjRowStore *store, int n, char **to)
{
	uint32		row = store->nrows;
	uint64		room;

	if (unlikely(row >= HJ_MAX_ROWS))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("hash join build side exceeds %u rows", HJ_MAX_ROWS)));
	if (row == store->capacity)
		make_room(store);
	*to = store->chunks[store->nchunks - 1] +
		(Size) (row & store->chunk_mask) * store->layout->row_size;
	room = Min(store->capacity, HJ_MAX_ROWS) - row;
	return (int) Min((uint64) n, room);
}

/* Make room in the table of tail chunks for two more. */
static void
grow_tail_table(HjRowStore *store)
{
	uint32		newmax = Max(store->max_tails * 2, 8);

	if (store->ntails + 2 <= store->max_tails)
		return;
	store->tails = grow_table(store, store->tails, sizeof(HjTailChunk),
							  store->max_tails, newmax);
	store->max_tails = newmax;
}

static uint32
add_tail_chunk(HjRowStore *store, char *base, Size bytes, bool single)
{
	store->tails[store->ntails] = (HjTailChunk) {base, bytes, single};
	return store->ntails++;
}

/* Open a chunk for tails; the very first one starts small. */
static void
open_tail_chunk(HjRowStore *store)
{
	Size		bytes = store->chunk_bytes;
	char	   *base;

	if (store->ntails == 0 && bytes > HJ_FIRST_TAIL_BYTES &&
		store->source == NULL)
	{
		bytes = HJ_FIRST_TAIL_BYTES;
		base = alloc_small_chunk(store, bytes);
	}
	else
		base = alloc_chunk(store, bytes, &store->spare_tails);
	store->tail_used = 0;
	store->tail_chunk = add_tail_chunk(store, base, bytes, false);
}

/* That one grows as it fills. */
static void
grow_tail_chunk(HjRowStore *store, Size needed)
{
	HjTailChunk *chunk = &store->tails[store->tail_chunk];
	Size		bytes = chunk->bytes;

	while (bytes < needed)
		bytes *= 2;
	chunk->base = repalloc_huge(chunk->base, bytes);
	store->bytes += bytes - chunk->bytes;
	chunk->bytes = bytes;
}

uint32
hj_chunks_place_tail(HjRowStore *store, Size bytes, int phase, Size *start)
{
	Size		at = store->tail_used;

	grow_tail_table(store);
	if (bytes > store->chunk_bytes / 4)
	{
		*start = Max(phase, 0);
		bytes += *start;
		return add_tail_chunk(store, alloc_small_chunk(store, bytes), bytes, true);
	}
	if (phase >= 0)
		at += (phase - at) & (MAXIMUM_ALIGNOF - 1);
	if (store->tail_used == 0 || at + bytes > store->chunk_bytes)
	{
		open_tail_chunk(store);
		at = Max(phase, 0);
	}
	if (at + bytes > store->tails[store->tail_chunk].bytes)
		grow_tail_chunk(store, at + bytes);
	*start = at;
	store->tail_used = at + bytes;
	return store->tail_chunk;
}

void
hj_chunks_set_tail(HjRowStore *store, uint32 rownum, char *row, uint32 chunk, Size start)
{
	uint32		ref = chunk - store->tail_base[rownum >> store->chunk_shift];

	Assert(ref < 1U << (32 - HJ_CHUNK_SHIFT) && start < HJ_CHUNK_BYTES);
	ref = ref << HJ_CHUNK_SHIFT | (uint32) start;
	memcpy(row + store->layout->tail_offset, &ref, sizeof(ref));
}

void
hj_chunks_release_tails(HjRowStore *store, HjRowStore *old, uint32 *from, uint32 end)
{
	for (; *from < end; (*from)++)
	{
		HjTailChunk *chunk = &old->tails[*from];

		if (chunk->base == NULL)
			continue;
		if (!chunk->single && chunk->bytes == store->chunk_bytes)
			hj_chunks_free(store, chunk->base, chunk->bytes, &store->spare_tails);
		else
		{
			store->bytes -= chunk->bytes;
			if (store->source == NULL)
				pfree(chunk->base);
		}
		chunk->base = NULL;
	}
}

uint32
hj_chunks_adopt_tail(HjRowStore *store, HjTailChunk *chunk)
{
	char	   *base = chunk->base;

	Assert(chunk->single);
	chunk->base = NULL;
	grow_tail_table(store);
	return add_tail_chunk(store, base, chunk->bytes, true);
}
