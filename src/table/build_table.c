/*
 * build_table.c
 *	  Filling the build side and sealing it.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "table/build_table.h"
#include "table/distinct.h"
#include "table/make_map.h"

/* An empty row store, in a context of its own. */
static void
init_rows(HjBuildTable *table, const HjRowLayout *layout)
{
	table->rows_cxt = AllocSetContextCreate(table->cxt, "HashJoinExt rows",
											ALLOCSET_DEFAULT_SIZES);
	hj_row_store_init(&table->rows, layout, table->expected_rows,
					  table->rows_cxt);
}

HjBuildTable *
hj_build_table_create(HjJoinKey *key, MemoryContext cxt,
					  MemoryContext scratch, int ncols, const HjColumnSpec *specs,
					  double expected_rows, bool keep_unmatchable)
{
	HjBuildTable *table = palloc0(sizeof(HjBuildTable));
	HjColumnSpec *loose = palloc(ncols * sizeof(HjColumnSpec));

	table->key = key;
	table->cxt = cxt;
	table->scratch = scratch;
	table->expected_rows = expected_rows;
	table->keep_unmatchable = keep_unmatchable;
	table->key_cols = palloc0(key->ncols * sizeof(int));
	for (int i = 0; i < ncols; i++)
	{
		if (specs[i].key_column >= 0)
			table->key_cols[specs[i].key_column] = i;
		loose[i] = specs[i];
		loose[i].nullable = true;
	}
	init_rows(table, hj_row_layout_create(key, key->packed, ncols, specs));
	hj_row_store_init(&table->unmatchable,
					  hj_row_layout_create(key, false, ncols, loose), 0, cxt);
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
	init_rows(table, table->rows.layout);
	hj_row_store_init(&table->unmatchable, table->unmatchable.layout, 0,
					  table->cxt);
	table->hashes = NULL;
	table->nhash_chunks = 0;
	table->max_hash_chunks = 0;
	table->next = NULL;
	table->chained = false;
	table->distinct.hashesArr = NULL;
	table->map_bytes = 0;
	table->sealed = false;
	hj_key_range_init(&table->range);
}

Size
hj_build_table_bytes(const HjBuildTable *table)
{
	return table->rows.bytes + table->unmatchable.bytes + table->map_bytes +
		((Size) table->nhash_chunks << HJ_HASH_CHUNK_SHIFT) * sizeof(uint64);
}

static void
keep_hash(HjBuildTable *table, uint32 row, uint64 hash)
{
	if ((row & HJ_HASH_CHUNK_MASK) == 0)
	{
		if (table->nhash_chunks == table->max_hash_chunks)
		{
			table->max_hash_chunks = Max(table->max_hash_chunks * 2, 16);
			if (table->hashes == NULL)
				table->hashes = MemoryContextAlloc(table->cxt,
												   table->max_hash_chunks * sizeof(uint64 *));
			else
				table->hashes = repalloc(table->hashes,
										 table->max_hash_chunks * sizeof(uint64 *));
		}
		table->hashes[table->nhash_chunks++] =
			MemoryContextAlloc(table->cxt,
							   sizeof(uint64) << HJ_HASH_CHUNK_SHIFT);
	}
	*hj_build_table_hash(table, row) = hash;
}

void
hj_build_table_trim_hashes(HjBuildTable *table)
{
	uint32		needed = (table->rows.nrows + HJ_HASH_CHUNK_MASK) >> HJ_HASH_CHUNK_SHIFT;

	while (table->nhash_chunks > needed)
		pfree(table->hashes[--table->nhash_chunks]);
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
	if (!table->key->packed)
		keep_hash(table, row, hash);
	else if (hj_array_map_possible(table->key))
		hj_key_range_add(&table->range, table->key, word);
	if (table->first_only)
		hj_distinct_note(table, row);
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
	if (table->first_only)
		hj_distinct_note(table, first);
}

/* ----------------------------------------------------------------
 *		Sealing
 * ----------------------------------------------------------------
 */

void
hj_build_table_seal(HjBuildTable *table, const HjArrayPolicy *policy,
					Size memory_limit)
{
	Size		rows_bytes;
	Size		array_limit;

	Assert(!table->sealed);
	if (table->first_only)
		hj_distinct_finish(table);
	table->sealed = true;
	rows_bytes = table->rows.bytes + table->unmatchable.bytes;
	array_limit = (memory_limit > rows_bytes) ? memory_limit - rows_bytes : 0;

	table->use_array = hj_array_map_decide(&table->array, table->key,
										   &table->range, table->rows.nrows,
										   policy, array_limit,
										   table->map_reason);
	if (table->use_array)
		hj_make_array_map(table);
	else
		hj_make_hash_map(table);

	table->peak_bytes = Max(table->peak_bytes, hj_build_table_bytes(table));
	for (uint32 i = 0; i < table->nhash_chunks; i++)
		pfree(table->hashes[i]);
	table->nhash_chunks = 0;
}
