/*
 * build_table.c
 *	  Filling the build side and sealing it.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "table/build_table.h"
#include "table/distinct.h"
#include "table/make_map.h"

/* Empty row stores. */
static void
init_rows(HjBuildTable *table, const HjRowLayout *layout,
		  const HjRowLayout *unmatchable)
{
	hj_row_store_init(&table->rows, layout, table->expected_rows,
					  table->chunk_limit, table->cxt);
	table->rows.source = table->source;
	table->unmatchable_cxt = AllocSetContextCreate(table->cxt,
												   "HashJoinExt unmatchable rows",
												   ALLOCSET_SMALL_SIZES);
	hj_row_store_init(&table->unmatchable, unmatchable, 0,
					  table->chunk_limit, table->unmatchable_cxt);
}

HjBuildTable *
hj_build_table_create(HjJoinKey *key, MemoryContext cxt,
					  MemoryContext scratch, int ncols, const HjColumnSpec *specs,
					  double expected_rows, Size memory_limit,
					  bool keep_unmatchable)
{
	HjBuildTable *table = palloc0(sizeof(HjBuildTable));
	HjColumnSpec *loose = palloc(ncols * sizeof(HjColumnSpec));

	table->key = key;
	table->cxt = cxt;
	table->scratch = scratch;
	table->expected_rows = expected_rows;
	table->memory_limit = memory_limit;
	table->chunk_limit = memory_limit;
	table->keep_unmatchable = keep_unmatchable;
	table->key_cols = palloc0(key->ncols * sizeof(int));
	for (int i = 0; i < ncols; i++)
	{
		if (specs[i].key_column >= 0)
			table->key_cols[specs[i].key_column] = i;
		loose[i] = specs[i];
		loose[i].nullable = true;
	}
	init_rows(table, hj_row_layout_create(key, key->packed, ncols, specs),
			  hj_row_layout_create(key, false, ncols, loose));
	pfree(loose);
	hj_key_range_init(&table->range);
	return table;
}

void
hj_build_table_reset(HjBuildTable *table)
{
	/* the next build is likely to be like this one */
	if (table->sealed)
		table->expected_rows = table->rows.nrows;
	MemoryContextReset(table->cxt);
	init_rows(table, table->rows.layout, table->unmatchable.layout);
	table->links = NULL;
	table->nlink_chunks = 0;
	table->max_link_chunks = 0;
	table->link_piece_left = 0;
	table->chained = false;
	table->distinct.hashesArr = NULL;
	table->map_bytes = 0;
	table->sealed = false;
	hj_key_range_init(&table->range);
}

void
hj_build_table_set_source(HjBuildTable *table, HjChunkSource *source)
{
	Assert(table->rows.nrows == 0 && table->unmatchable.nrows == 0);
	table->source = source;
	hj_build_table_reset(table);
}

void
hj_build_table_drop_unmatchable(HjBuildTable *table)
{
	MemoryContextReset(table->unmatchable_cxt);
	hj_row_store_init(&table->unmatchable, table->unmatchable.layout, 0,
					  table->chunk_limit, table->unmatchable_cxt);
}

Size
hj_build_table_bytes(const HjBuildTable *table)
{
	return table->rows.bytes + table->unmatchable.bytes + table->map_bytes +
		table->nlink_chunks * HJ_LINK_CHUNK_BYTES;
}

/* Make room for the base pointers of n chunks of links. */
static void
reserve_link_chunks(HjBuildTable *table, uint32 n)
{
	uint32		max = Max(table->max_link_chunks, 16);

	while (max < n)
		max *= 2;
	if (max == table->max_link_chunks)
		return;
	if (table->links == NULL)
		table->links = MemoryContextAlloc(table->cxt, max * sizeof(uint32 *));
	else
		table->links = repalloc(table->links, max * sizeof(uint32 *));
	table->max_link_chunks = max;
}

static uint32 *
alloc_link_chunk(HjBuildTable *table)
{
	char	   *chunk;

	if (table->source != NULL && table->link_piece_left == 0)
	{
		table->link_piece = table->source->allocate(table->source,
													HJ_LINK_PIECE_CHUNKS * HJ_LINK_CHUNK_BYTES);
		table->link_piece_left = (table->link_piece != NULL) ? HJ_LINK_PIECE_CHUNKS : 0;
	}
	if (table->link_piece_left == 0)
		return MemoryContextAlloc(table->cxt, HJ_LINK_CHUNK_BYTES);
	chunk = table->link_piece;
	table->link_piece += HJ_LINK_CHUNK_BYTES;
	table->link_piece_left--;
	return (uint32 *) chunk;
}

static void
keep_hash(HjBuildTable *table, uint32 row, uint64 hash)
{
	if ((row & (HJ_LINK_CHUNK_ROWS - 1)) == 0)
	{
		reserve_link_chunks(table, table->nlink_chunks + 1);
		table->links[table->nlink_chunks++] = alloc_link_chunk(table);
	}
	*hj_build_table_link(table, row) = (uint32) hash;
}

void
hj_build_table_add_links(HjBuildTable *table)
{
	uint32		n = (table->rows.nrows + HJ_LINK_CHUNK_ROWS - 1) >> HJ_LINK_CHUNK_SHIFT;
	char	   *all = hj_large_alloc(table->cxt, n * HJ_LINK_CHUNK_BYTES, true);

	Assert(table->nlink_chunks == 0);
	reserve_link_chunks(table, n);
	for (uint32 i = 0; i < n; i++)
		table->links[i] = (uint32 *) (all + i * HJ_LINK_CHUNK_BYTES);
	table->nlink_chunks = n;
}

void
hj_build_table_trim_links(HjBuildTable *table, uint32 row)
{
	uint32		needed = (row + HJ_LINK_CHUNK_ROWS - 1) >> HJ_LINK_CHUNK_SHIFT;

	while (table->nlink_chunks > needed)
	{
		table->nlink_chunks--;
		if (table->source == NULL)
			pfree(table->links[table->nlink_chunks]);
	}
}

/* What has to be known of a row besides itself. */
static inline void
note_row(HjBuildTable *table, uint32 row, uint64 word, uint64 hash)
{
	if (!table->key->packed)
		keep_hash(table, row, hash);
	else if (hj_array_map_possible(table->key))
		hj_key_range_add(&table->range, table->key, word);
	/* of a shared table this is but a part of the rows */
	if (table->first_only && table->source == NULL)
		hj_distinct_note(table, row);
}

void
hj_build_table_append(HjBuildTable *table, bool matchable,
					  uint64 word, uint64 hash,
					  const Datum *values, const bool *nulls)
{
	uint32		row;

	Assert(!table->sealed);
	if (!matchable)
	{
		if (table->keep_unmatchable)
			hj_row_store_append(&table->unmatchable, 0, values, nulls);
		return;
	}
	row = hj_row_store_append(&table->rows, word, values, nulls);
	note_row(table, row, word, hash);
}

void
hj_build_table_append_many(HjBuildTable *table, int n, const uint64 *words,
						   const uint64 *hashes,
						   Datum *const *values, bool *const *nulls)
{
	uint32		first = table->rows.nrows;

	Assert(!table->sealed);
	hj_row_store_append_many(&table->rows, n, words, values, nulls);
	if (!table->key->packed)
	{
		for (int i = 0; i < n; i++)
			keep_hash(table, first + i, hashes[i]);
	}
	else if (hj_array_map_possible(table->key))
	{
		for (int i = 0; i < n; i++)
			hj_key_range_add(&table->range, table->key, words[i]);
	}
	if (table->first_only && table->source == NULL)
		hj_distinct_note(table, first);
}

void
hj_build_table_append_raw(HjBuildTable *table, const HjRawRow *raw, uint32 hash)
{
	uint32		row = hj_row_store_append_raw(&table->rows, raw);

	Assert(!table->sealed);
	note_row(table, row, hj_raw_row_word(table->key, raw), hash);
}

/* ----------------------------------------------------------------
 *		Filtering
 * ----------------------------------------------------------------
 */

typedef struct FilterContext
{
	HjBuildTable *table;
	HjKeepRow	keep;
	void	   *arg;
} FilterContext;

/* What is known of a row moves with it. */
static bool
filter_row(void *arg, const HjRowStore *rows, uint32 row, uint32 to)
{
	FilterContext *context = arg;
	HjBuildTable *table = context->table;

	if (!context->keep(context->arg, rows, row, to))
		return false;
	if (!table->key->packed)
		*hj_build_table_link(table, to) = *hj_build_table_link(table, row);
	else if (hj_array_map_possible(table->key))
		hj_key_range_add(&table->range, table->key, hj_row_store_word(rows, row));
	return true;
}

void
hj_build_table_filter(HjBuildTable *table, HjKeepRow keep, void *arg)
{
	FilterContext context = {table, keep, arg};

	Assert(!table->sealed);
	hj_key_range_init(&table->range);
	hj_row_store_compact(&table->rows, filter_row, &context);
	if (!table->key->packed)
		hj_build_table_trim_links(table, table->rows.nrows);
}

/* ----------------------------------------------------------------
 *		Sealing
 * ----------------------------------------------------------------
 */

Size
hj_build_table_bytes_sealed(const HjBuildTable *table,
							const HjArrayPolicy *policy)
{
	Size		bytes = hj_build_table_bytes(table);
	Size		array = hj_array_map_bytes(table->key, &table->range,
										   table->rows.nrows, policy);
	Size		chains = table->key->packed ?
		(Size) table->rows.nrows * sizeof(uint32) : 0;

	return bytes + chains + Min(array, hj_hash_map_bytes(&table->rows));
}

void
hj_build_table_seal(HjBuildTable *table, const HjArrayPolicy *policy)
{
	Size		rows_bytes;
	Size		array_limit;

	Assert(!table->sealed);
	if (table->first_only)
		hj_distinct_finish(table);
	table->sealed = true;
	rows_bytes = table->rows.bytes + table->unmatchable.bytes;
	array_limit = (table->memory_limit > rows_bytes) ?
		table->memory_limit - rows_bytes : 0;

	table->use_array = hj_array_map_decide(&table->array, table->key,
										   &table->range, table->rows.nrows,
										   policy, array_limit,
										   table->map_reason);
	if (table->use_array)
		hj_make_array_map(table);
	else
		hj_make_hash_map(table);

	table->peak_bytes = Max(table->peak_bytes, hj_build_table_bytes(table));
	if (!table->chained)
		hj_build_table_trim_links(table, 0);
}
