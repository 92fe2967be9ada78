/*
 * build_table.c
 *	  Filling the build side and making its map.
 *
 * The map is made when the last row is in: the number of rows is known then,
 * so the directory has its exact size and nothing is ever rehashed.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "table/build_table.h"

/* Hashes are kept in chunks of 2^14, 128 kB each. */
#define HJ_HASH_CHUNK_SHIFT 14
#define HJ_HASH_CHUNK_MASK ((1U << HJ_HASH_CHUNK_SHIFT) - 1)

/*
 * Directory slots for each row.  At two, a miss inspects 2.5 slots on average
 * and a hit 1.5 (Knuth, vol. 3, 6.4), nearly always in one cache line.
 */
#define HJ_SLOTS_PER_ROW 2

/*
 * Rows linked in together: their directory slots are prefetched first.  Long
 * enough to hide memory latency, short enough to stay in the first cache.
 */
#define HJ_LINK_BLOCK 64

HjBuildTable *
hj_build_table_create(HjJoinKey *key, MemoryContext cxt,
					  int ncols, const HjColumnSpec *specs,
					  double expected_rows, bool keep_unmatchable)
{
	HjBuildTable *table = palloc0(sizeof(HjBuildTable));
	HjColumnSpec *loose = palloc(ncols * sizeof(HjColumnSpec));

	table->key = key;
	table->cxt = cxt;
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
	hj_row_store_init(&table->rows,
					  hj_row_layout_create(key, key->packed, ncols, specs),
					  expected_rows, cxt);
	hj_row_store_init(&table->unmatchable,
					  hj_row_layout_create(key, false, ncols, loose), 0, cxt);
	pfree(loose);
	hj_key_range_init(&table->range);
	return table;
}

void
hj_build_table_reset(HjBuildTable *table)
{
	MemoryContextReset(table->cxt);
	hj_row_store_init(&table->rows, table->rows.layout, table->expected_rows,
					  table->cxt);
	hj_row_store_init(&table->unmatchable, table->unmatchable.layout, 0,
					  table->cxt);
	table->hashes = NULL;
	table->nhash_chunks = 0;
	table->max_hash_chunks = 0;
	table->next = NULL;
	table->chained = false;
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
	table->hashes[row >> HJ_HASH_CHUNK_SHIFT][row & HJ_HASH_CHUNK_MASK] = hash;
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
}

/* ----------------------------------------------------------------
 *		The map
 * ----------------------------------------------------------------
 */

static uint64
row_hash(const HjBuildTable *table, uint32 row)
{
	if (!table->key->packed)
		return table->hashes[row >> HJ_HASH_CHUNK_SHIFT][row & HJ_HASH_CHUNK_MASK];
	return hj_key_hash_word(table->key, hj_row_store_word(&table->rows, row));
}

static bool
build_rows_equal(HjBuildTable *table, uint32 a, uint32 b)
{
	HjJoinKey  *key = table->key;

	if (key->packed)
		return hj_row_store_word(&table->rows, a) ==
			hj_row_store_word(&table->rows, b);
	for (int i = 0; i < key->ncols; i++)
	{
		bool		anull;
		bool		bnull;
		Datum		avalue = hj_row_store_column(&table->rows, a,
												 table->key_cols[i], &anull);
		Datum		bvalue = hj_row_store_column(&table->rows, b,
												 table->key_cols[i], &bnull);

		if (!hj_key_column_equal(&key->cols[i], true, avalue, anull,
								 bvalue, bnull))
			return false;
	}
	return true;
}

/* Put `row` at the head of the chain that starts in *head. */
static inline void
link_row(HjBuildTable *table, uint32 *head, uint32 row)
{
	/* later rows were linked in first: this keeps build order */
	Assert(*head == 0 || *head > row + 1);
	if (*head != 0 && !table->first_only)
	{
		if (!table->chained)
		{
			Size		bytes = (Size) table->rows.nrows * sizeof(uint32);

			table->next = hj_large_alloc(table->cxt, bytes, true);
			table->chained = true;
			table->map_bytes += bytes;
		}
		table->next[row] = *head;
	}
	*head = row + 1;
}

/* Find the slot of the row's key, or take an empty one. */
static uint32 *
hash_head(HjBuildTable *table, uint32 row, uint64 hash)
{
	HjHashMap  *map = &table->hash;
	const HjJoinKey *key = table->key;
	uint32		tag = (uint32) hash;

	for (uint64 i = hj_hash_map_slot(map, hash);; i = hj_hash_map_after(map, i))
	{
		HjSlot	   *slot = &map->slots[i];

		if (slot->row == 0)
		{
			slot->tag = tag;
			return &slot->row;
		}
		if (slot->tag == tag &&
			(key->tag_is_key || key->chains_by_hash ||
			 build_rows_equal(table, row, slot->row - 1)))
			return &slot->row;
	}
}

static void
make_hash_map(HjBuildTable *table, MemoryContext scratch)
{
	HjHashMap  *map = &table->hash;
	uint32		remaining = table->rows.nrows;
	MemoryContext old;

	map->nslots = Max((uint64) remaining * HJ_SLOTS_PER_ROW, 1);
	map->slots = hj_large_alloc(table->cxt, map->nslots * sizeof(HjSlot), true);
	table->map_bytes += map->nslots * sizeof(HjSlot);

	old = MemoryContextSwitchTo(scratch);
	while (remaining > 0)
	{
		uint32		n = Min(remaining, HJ_LINK_BLOCK);
		uint64		hash[HJ_LINK_BLOCK];

		CHECK_FOR_INTERRUPTS();
		remaining -= n;
		for (uint32 i = 0; i < n; i++)
		{
			hash[i] = row_hash(table, remaining + i);
			__builtin_prefetch(&map->slots[hj_hash_map_slot(map, hash[i])], 1);
		}
		for (uint32 i = n; i-- > 0;)
			link_row(table, hash_head(table, remaining + i, hash[i]),
					 remaining + i);
		MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(old);
}

static void
make_array_map(HjBuildTable *table)
{
	HjArrayMap *map = &table->array;
	uint32		remaining = table->rows.nrows;

	Assert(!map->in_order || map->nslots == remaining);
	if (map->in_order)
		return;
	map->slots = hj_large_alloc(table->cxt, map->nslots * sizeof(uint32), true);
	table->map_bytes += map->nslots * sizeof(uint32);
	while (remaining > 0)
	{
		uint32		n = Min(remaining, HJ_LINK_BLOCK);
		uint64		slot[HJ_LINK_BLOCK];

		CHECK_FOR_INTERRUPTS();
		remaining -= n;
		for (uint32 i = 0; i < n; i++)
		{
			if (!hj_array_map_slot(map, table->key,
								   hj_row_store_word(&table->rows, remaining + i),
								   &slot[i]))
				elog(ERROR, "key out of the array map's range");
			__builtin_prefetch(&map->slots[slot[i]], 1);
		}
		for (uint32 i = n; i-- > 0;)
			link_row(table, &map->slots[slot[i]], remaining + i);
	}
}

void
hj_build_table_seal(HjBuildTable *table, const HjArrayPolicy *policy,
					Size memory_limit, MemoryContext scratch)
{
	Size		rows_bytes = table->rows.bytes + table->unmatchable.bytes;
	Size		array_limit = (memory_limit > rows_bytes) ?
		memory_limit - rows_bytes : 0;

	Assert(!table->sealed);
	table->sealed = true;

	table->use_array = hj_array_map_decide(&table->array, table->key,
										   &table->range, table->rows.nrows,
										   policy, array_limit,
										   table->map_reason);
	if (table->use_array)
		make_array_map(table);
	else
		make_hash_map(table, scratch);

	table->peak_bytes = Max(table->peak_bytes, hj_build_table_bytes(table));
	for (uint32 i = 0; i < table->nhash_chunks; i++)
		pfree(table->hashes[i]);
	table->nhash_chunks = 0;
}
