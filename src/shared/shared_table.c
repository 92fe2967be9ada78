/*
 * shared_table.c
 *	  One build table that several processes have filled and all of them probe.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "shared/shared_table.h"
#include "table/link_shared.h"
#include "table/make_map.h"

/* ----------------------------------------------------------------
 *		Lists of chunks
 *
 * One allocation a process: pointers to the row chunks, the tail chunks and the
 * pieces of links, then the tail bases, then one bool a column.
 * ----------------------------------------------------------------
 */

typedef struct ChunkLists
{
	HjSharedPointer *chunks;
	HjSharedPointer *tails;
	HjSharedPointer *links;			/* by piece */
	uint32	   *tail_base;
	bool	   *has_nulls;
} ChunkLists;

static uint32
pieces_of(uint32 nlinks)
{
	return (nlinks + HJ_LINK_PIECE_CHUNKS - 1) / HJ_LINK_PIECE_CHUNKS;
}

static Size
lists_bytes(const HjSharedRows *rows, int ncols)
{
	return sizeof(HjSharedPointer) *
		((Size) rows->nchunks + rows->ntails + pieces_of(rows->nlinks)) +
		sizeof(uint32) * rows->nchunks + ncols;
}

static ChunkLists
lists_at(HjSharedArea *area, const HjSharedRows *rows)
{
	ChunkLists	lists;

	lists.chunks = hj_shared_address(area, rows->lists);
	lists.tails = lists.chunks + rows->nchunks;
	lists.links = lists.tails + rows->ntails;
	lists.tail_base = (uint32 *) (lists.links + pieces_of(rows->nlinks));
	lists.has_nulls = (bool *) (lists.tail_base + rows->nchunks);
	return lists;
}

Size
hj_shared_table_size(int nprocesses)
{
	return offsetof(HjSharedTable, rows) + nprocesses * sizeof(HjSharedRows);
}

void
hj_shared_table_init(HjSharedTable *shared, int nprocesses)
{
	memset(shared, 0, hj_shared_table_size(nprocesses));
	shared->nprocesses = nprocesses;
	hj_atomic_init(&shared->chained, 0);
	hj_claim_init(&shared->to_prepare);
	hj_claim_init(&shared->to_link);
}

static void
fill_lists(const ChunkLists *lists, const HjBuildTable *table)
{
	const HjRowStore *store = &table->rows;

	for (uint32 i = 0; i < store->nchunks; i++)
	{
		lists->chunks[i] = hj_shared_chunk_pointer(store->chunks[i]);
		lists->tail_base[i] = (store->tail_base != NULL) ? store->tail_base[i] : 0;
	}
	for (uint32 i = 0; i < store->ntails; i++)
		lists->tails[i] = hj_shared_chunk_pointer(store->tails[i].base);
	for (uint32 i = 0; i < table->nlink_chunks; i += HJ_LINK_PIECE_CHUNKS)
		lists->links[i / HJ_LINK_PIECE_CHUNKS] = hj_shared_chunk_pointer(table->links[i]);
	memcpy(lists->has_nulls, store->has_nulls, store->layout->ncols);
}

bool
hj_shared_table_export(HjSharedTable *shared, HjSharedArea *area, int process,
					   HjBuildTable *table, HjSharedChunks *chunks)
{
	HjSharedRows *rows = &shared->rows[process];
	ChunkLists	lists;

	if (table->rows.nrows == 0)
		return true;
	rows->nchunks = table->rows.nchunks;
	rows->ntails = table->rows.ntails;
	rows->nlinks = table->nlink_chunks;
	rows->chunk_shift = table->rows.chunk_shift;
	rows->range = table->range;
	rows->lists = hj_shared_chunks_allocate(chunks,
											lists_bytes(rows, table->rows.layout->ncols));
	if (rows->lists == HJ_NO_POINTER)
		return false;
	lists = lists_at(area, rows);
	fill_lists(&lists, table);
	rows->nrows = table->rows.nrows;
	return true;
}

/* ----------------------------------------------------------------
 *		Shape
 * ----------------------------------------------------------------
 */

/*
 * Will rows be chained by links of their own?  Not those of keys that are not packed:
 * theirs are where their hashes were.
 */
static bool
needs_links(const HjBuildTable *table)
{
	return table->key->packed && hj_may_chain(table);
}

Size
hj_shared_map_bytes(const HjBuildTable *table, uint64 nrows, bool mark_rows)
{
	HjRowStore	rows = table->rows;

	rows.nrows = (uint32) Min(nrows, HJ_MAX_ROWS);
	return hj_hash_map_bytes(&rows) +
		(needs_links(table) ? nrows * sizeof(uint32) : 0) +
		(mark_rows ? nrows / 8 : 0);
}

/* Number the rows; false if there are more than numbers. */
static bool
number_rows(HjSharedTable *shared, const HjBuildTable *table)
{
	/* neither a chunk of rows nor one of links is of two stores */
	uint64		unit = Max(table->rows.chunk_mask + 1, HJ_LINK_CHUNK_ROWS);
	uint64		next = 0;

	for (int i = 0; i < shared->nprocesses; i++)
	{
		HjSharedRows *rows = &shared->rows[i];

		if (rows->nrows == 0)
			continue;
		if (rows->chunk_shift != table->rows.chunk_shift)
			elog(ERROR, "processes of a hash join disagree on the size of chunks");
		next = (next + unit - 1) / unit * unit;
		if (next + rows->nrows > HJ_MAX_ROWS)
			return false;
		rows->first_row = (uint32) next;
		rows->first_tail = shared->ntails;
		next += rows->nrows;
		shared->ntails += rows->ntails;
		shared->nrows += rows->nrows;
	}
	shared->end_row = (uint32) next;
	return true;
}

static void
merge_range(HjKeyRange *all, const HjKeyRange *range)
{
	all->has_null |= range->has_null;
	for (int i = 0; i < HJ_ARRAY_MAX_COLUMNS; i++)
	{
		all->min[i] = Min(all->min[i], range->min[i]);
		all->max[i] = Max(all->max[i], range->max[i]);
	}
}

static void
decide_map(HjSharedTable *shared, const HjBuildTable *table,
		   const HjArrayPolicy *policy, Size limit)
{
	HjKeyRange	range;
	HjRowStore	rows = table->rows;

	hj_key_range_init(&range);
	for (int i = 0; i < shared->nprocesses; i++)
	{
		if (shared->rows[i].nrows > 0)
			merge_range(&range, &shared->rows[i].range);
	}
	/* the numbers of the rows follow no order */
	range.in_order = false;
	shared->use_array = hj_array_map_decide(&shared->array, table->key, &range,
											(uint32) shared->nrows, policy, limit,
											shared->map_reason);
	rows.nrows = (uint32) shared->nrows;
	shared->nslots = hj_hash_map_bytes(&rows) / sizeof(HjSlot);
}

/*
 * The map with the match flags, and the links.  These apart: if no key comes twice, they
 * are not even touched.
 */
static bool
reserve_map(HjSharedTable *shared, HjSharedArea *area, const HjBuildTable *table,
			Size limit, bool mark_rows)
{
	Size		slots = shared->use_array ? shared->array.nslots * sizeof(uint32) :
		shared->nslots * sizeof(HjSlot);
	Size		links = needs_links(table) ?
		((Size) shared->end_row + HJ_LINK_CHUNK_ROWS) * sizeof(uint32) : 0;
	Size		match = mark_rows ? hj_match_bits_shared_bytes(shared->end_row) : 0;

	slots = CACHELINEALIGN(slots);
	shared->map_bytes = slots + match;
	shared->slots = hj_shared_reserve(area, shared->map_bytes, limit);
	if (shared->slots == HJ_NO_POINTER)
		return false;
	shared->match = (match > 0) ? shared->slots + slots : HJ_NO_POINTER;
	shared->links = HJ_NO_POINTER;
	if (links > 0)
		shared->links = hj_shared_reserve(area, links, limit);
	return links == 0 || shared->links != HJ_NO_POINTER;
}

bool
hj_shared_table_shape(HjSharedTable *shared, HjSharedArea *area,
					  HjBuildTable *table, const HjArrayPolicy *policy,
					  Size limit, bool mark_rows)
{
	uint64		used = hj_shared_memory_used(hj_shared_area_memory(area));

	if (!number_rows(shared, table))
		return false;
	decide_map(shared, table, policy, limit - Min(limit, used));
	return reserve_map(shared, area, table, limit, mark_rows);
}

void
hj_shared_table_prepare(HjSharedTable *shared, HjSharedArea *area)
{
	uint32		n = (shared->map_bytes + HJ_PREPARE_BYTES - 1) / HJ_PREPARE_BYTES;
	uint32		part;

	while ((part = hj_claim_next(&shared->to_prepare, n)) < n)
	{
		CHECK_FOR_INTERRUPTS();
		if (!hj_shared_prepare(area, shared->slots + part * HJ_PREPARE_BYTES,
							   HJ_PREPARE_BYTES))
			ereport(ERROR,
					(errcode(ERRCODE_OUT_OF_MEMORY),
					 errmsg("out of shared memory"),
					 errdetail("Memory reserved for a hash join was taken by another process.")));
	}
}

/* ----------------------------------------------------------------
 *		Each process's view
 * ----------------------------------------------------------------
 */

/* The chunks of one store, at its place among all. */
static void
map_rows(HjSharedArea *area, const HjSharedRows *from, HjBuildTable *table)
{
	HjRowStore *store = &table->rows;
	ChunkLists	lists = lists_at(area, from);
	uint32		chunk = from->first_row >> store->chunk_shift;
	uint32		link = from->first_row >> HJ_LINK_CHUNK_SHIFT;

	for (uint32 i = 0; i < from->nchunks; i++)
	{
		store->chunks[chunk + i] = hj_shared_address(area, lists.chunks[i]);
		if (store->tail_base != NULL)
			store->tail_base[chunk + i] = from->first_tail + lists.tail_base[i];
	}
	for (uint32 i = 0; i < from->ntails; i++)
		store->tails[from->first_tail + i].base = hj_shared_address(area, lists.tails[i]);
	for (uint32 i = 0; i < from->nlinks; i++)
	{
		char	   *piece = hj_shared_address(area, lists.links[i / HJ_LINK_PIECE_CHUNKS]);

		table->links[link + i] = (uint32 *)
			(piece + (i % HJ_LINK_PIECE_CHUNKS) * HJ_LINK_CHUNK_BYTES);
	}
	for (int c = 0; c < store->layout->ncols; c++)
		store->has_nulls[c] |= lists.has_nulls[c];
}

/* Links of all rows in one piece, where no hashes are kept. */
static void
map_links(HjSharedTable *shared, HjSharedArea *area, HjBuildTable *table)
{
	char	   *all;

	if (shared->links == HJ_NO_POINTER)
		return;
	all = hj_shared_address(area, shared->links);
	for (uint32 i = 0; i < table->nlink_chunks; i++)
		table->links[i] = (uint32 *) (all + i * HJ_LINK_CHUNK_BYTES);
}

void
hj_shared_table_map(HjSharedTable *shared, HjSharedArea *area,
					HjBuildTable *table, HjMatchBits *bits)
{
	HjRowStore *store = &table->rows;
	uint32		end = shared->end_row;
	MemoryContext old;

	/* what this process has brought itself stays where it is */
	table->source = store->source = NULL;
	old = MemoryContextSwitchTo(table->cxt);
	store->nrows = end;
	store->nchunks = (end + store->chunk_mask) >> store->chunk_shift;
	store->chunks = palloc0((store->nchunks + 1) * sizeof(char *));
	if (store->layout->ntail > 0)
		store->tail_base = palloc0((store->nchunks + 1) * sizeof(uint32));
	store->ntails = shared->ntails;
	store->tails = palloc0((shared->ntails + 1) * sizeof(HjTailChunk));
	store->has_nulls = palloc0(store->layout->ncols + 1);
	table->nlink_chunks = (end + HJ_LINK_CHUNK_ROWS - 1) >> HJ_LINK_CHUNK_SHIFT;
	table->links = palloc0((table->nlink_chunks + 1) * sizeof(uint32 *));
	MemoryContextSwitchTo(old);

	for (int i = 0; i < shared->nprocesses; i++)
	{
		if (shared->rows[i].nrows > 0)
			map_rows(area, &shared->rows[i], table);
	}
	map_links(shared, area, table);
	table->use_array = shared->use_array;
	table->array = shared->array;
	table->array.slots = hj_shared_address(area, shared->slots);
	table->hash.slots = hj_shared_address(area, shared->slots);
	table->hash.nslots = shared->nslots;
	strlcpy(table->map_reason, shared->map_reason, HJ_MAP_REASON_SIZE);
	table->sealed = true;
	bits->nrows = end;
	bits->shared = shared->match != HJ_NO_POINTER ?
		hj_shared_address(area, shared->match) : NULL;
}

/* ----------------------------------------------------------------
 *		Making the map
 * ----------------------------------------------------------------
 */

/* The store that a row number, or the gap behind it, belongs to. */
static const HjSharedRows *
store_of_row(const HjSharedTable *shared, uint32 row)
{
	const HjSharedRows *result = NULL;

	for (int i = 0; i < shared->nprocesses; i++)
	{
		const HjSharedRows *rows = &shared->rows[i];

		if (rows->nrows > 0 && rows->first_row <= row)
			result = rows;
	}
	return result;
}

/*
 * Keys come more than once: have the links of the rows from `row` on in huge pages.
 * `done` is up to where that was tried already; rows come in ascending order.
 */
static void
prepare_links(HjSharedTable *shared, HjSharedArea *area, uint32 row, Size *done)
{
	Size		at = row * sizeof(uint32) / HJ_PREPARE_BYTES * HJ_PREPARE_BYTES;

	if (shared->links == HJ_NO_POINTER || at < *done)
		return;
	hj_shared_make_huge(area, shared->links + at, HJ_PREPARE_BYTES);
	*done = at + HJ_PREPARE_BYTES;
}

void
hj_shared_table_link(HjSharedTable *shared, HjSharedArea *area,
					 HjBuildTable *table, HjMatchBits *bits)
{
	const HjRowStore *store = &table->rows;
	uint32		n = store->nchunks;
	uint32		chunk;
	bool		chained = false;
	Size		links_done = 0;

	while ((chunk = hj_claim_next(&shared->to_link, n)) < n)
	{
		uint64		from = (uint64) chunk << store->chunk_shift;
		uint64		to = Min(from + store->chunk_mask + 1, shared->end_row);
		const HjSharedRows *rows = store_of_row(shared, (uint32) from);
		uint64		end = Min((uint64) rows->first_row + rows->nrows, to);

		if (chained)
			prepare_links(shared, area, (uint32) from, &links_done);
		if (end > from)
			chained |= hj_link_shared_rows(table, (uint32) from, (uint32) end);
		if (bits->shared == NULL)
			continue;
		for (uint64 gap = Max(end, from); gap < to; gap++)
			(void) hj_match_bits_set(bits, (uint32) gap);
	}
	if (chained)
		(void) hj_atomic_fetch_or(&shared->chained, 1, HJ_RELAXED);
}
