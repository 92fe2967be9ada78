/*
 * make_map.c
 *	  Making the map of the rows of a build side.
 *
 * The number of rows is known, so the directory has its exact size and nothing
 * is ever rehashed.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "table/make_map.h"
#include "table/prefetch.h"

/*
 * Directory slots for the rows.  At two a row, a miss inspects 2.5 slots on
 * average and a hit 1.5 (Knuth, vol. 3, 6.4), nearly always in one cache line.
 * Where a look-up or a row costs more than the slots, by comparing values or
 * reading tails, it is one and three quarters, for 3.2 and 1.7.
 */
static uint64
slots_for(const HjRowStore *rows)
{
	const HjRowLayout *layout = rows->layout;
	uint64		n = rows->nrows;

	/* one more: a search ends at an empty slot */
	return (layout->packed_key && layout->ntail == 0 ? 2 * n : n + n * 3 / 4) + 1;
}

/*
 * Rows linked in together: their directory slots are prefetched first.  Long
 * enough to hide memory latency, short enough to stay in the first cache.
 */
#define HJ_LINK_BLOCK 64

uint64
hj_build_row_hash(const HjBuildTable *table, uint32 row)
{
	if (!table->key->packed)
		return hj_hash_spread(*hj_build_table_link(table, row));
	return hj_key_hash_word(table->key, hj_row_store_word(&table->rows, row));
}

bool
hj_build_rows_equal(HjBuildTable *table, uint32 a, uint32 b)
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

/*
 * Put `row` at the head of the chain that starts in *head.  Its link is written
 * whether or not there is a chain yet: it may hold the row's hash still.
 */
static inline void
link_row(HjBuildTable *table, uint32 *head, uint32 row)
{
	/* later rows were linked in first: this keeps build order */
	Assert(*head == 0 || *head > row + 1);
	if (!table->first_only)
	{
		if (*head != 0 && !table->chained)
		{
			if (table->links == NULL)
				hj_build_table_add_links(table);
			table->chained = true;
		}
		if (table->links != NULL)
			*hj_build_table_link(table, row) = *head;
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
			 hj_build_rows_equal(table, row, slot->row - 1)))
			return &slot->row;
	}
}

Size
hj_hash_map_bytes(const HjRowStore *rows)
{
	return slots_for(rows) * sizeof(HjSlot);
}

void
hj_make_hash_map(HjBuildTable *table)
{
	HjHashMap  *map = &table->hash;
	uint32		remaining = table->rows.nrows;
	MemoryContext old;

	map->nslots = slots_for(&table->rows);
	map->slots = hj_large_alloc(table->cxt, map->nslots * sizeof(HjSlot), true);
	table->map_bytes += map->nslots * sizeof(HjSlot);

	old = MemoryContextSwitchTo(table->scratch);
	while (remaining > 0)
	{
		uint32		n = Min(remaining, HJ_LINK_BLOCK);
		uint64		hash[HJ_LINK_BLOCK];

		CHECK_FOR_INTERRUPTS();
		remaining -= n;
		for (uint32 i = 0; i < n; i++)
		{
			hash[i] = hj_build_row_hash(table, remaining + i);
			hj_prefetch_for_write(&map->slots[hj_hash_map_slot(map, hash[i])]);
		}
		for (uint32 i = n; i-- > 0;)
			link_row(table, hash_head(table, remaining + i, hash[i]),
					 remaining + i);
		MemoryContextReset(table->scratch);
	}
	MemoryContextSwitchTo(old);
}

void
hj_make_array_map(HjBuildTable *table)
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
			hj_prefetch_for_write(&map->slots[slot[i]]);
		}
		for (uint32 i = n; i-- > 0;)
			link_row(table, &map->slots[slot[i]], remaining + i);
	}
}

