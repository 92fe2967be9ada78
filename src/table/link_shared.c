/*
 * link_shared.c
 *	  Making one map by several processes at once.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/atomics.h"
#include "utils/memutils.h"

#include "table/link_shared.h"
#include "table/make_map.h"
#include "table/prefetch.h"

StaticAssertDecl(sizeof(HjSlot) == sizeof(uint64),
				 "a slot changes in one operation");

/* As make_map.c has it. */
#define HJ_LINK_BLOCK 64

static inline uint64
slot_word(HjSlot slot)
{
	uint64		word;

	memcpy(&word, &slot, sizeof(word));
	return word;
}

static inline HjSlot
word_slot(uint64 word)
{
	HjSlot		slot;

	memcpy(&slot, &word, sizeof(slot));
	return slot;
}

/*
 * Put a row before the one that is the first of its key so far.  Its link is
 * written before the row can be found: compare-and-swap is a full barrier.
 */
static inline void
link_before(HjBuildTable *table, uint32 row, uint32 head)
{
	*hj_build_table_link(table, row) = head;
}

/* True if the key had a row before. */
static bool
link_by_hash(HjBuildTable *table, uint32 row, uint64 hash)
{
	const HjJoinKey *key = table->key;
	HjHashMap  *map = &table->hash;
	HjSlot		mine = {.tag = (uint32) hash, .row = row + 1};
	bool		clear_link = !key->packed;	/* it holds the hash */

	for (uint64 i = hj_hash_map_slot(map, hash);; i = hj_hash_map_after(map, i))
	{
		pg_atomic_uint64 *at = (pg_atomic_uint64 *) &map->slots[i];
		uint64		word = pg_atomic_read_u64(at);

		while (word == 0)
		{
			if (clear_link)
				link_before(table, row, 0);
			clear_link = false;
			if (pg_atomic_compare_exchange_u64(at, &word, slot_word(mine)))
				return false;
		}
		if (word_slot(word).tag != mine.tag ||
			!(key->tag_is_key || key->chains_by_hash ||
			  hj_build_rows_equal(table, row, word_slot(word).row - 1)))
			continue;
		if (!hj_may_chain(table))
			return true;
		/* whatever comes first now, it has the same key */
		do
			link_before(table, row, word_slot(word).row);
		while (!pg_atomic_compare_exchange_u64(at, &word, slot_word(mine)));
		return true;
	}
}

static bool
link_by_value(HjBuildTable *table, uint32 row, uint64 slot)
{
	pg_atomic_uint32 *at = (pg_atomic_uint32 *) &table->array.slots[slot];
	uint32		head;

	/* one row of a key will do, whichever */
	if (!hj_may_chain(table))
	{
		pg_atomic_write_u32(at, row + 1);
		return false;
	}
	head = pg_atomic_read_u32(at);
	while (head == 0)
	{
		if (pg_atomic_compare_exchange_u32(at, &head, row + 1))
			return false;
	}
	do
		link_before(table, row, head);
	while (!pg_atomic_compare_exchange_u32(at, &head, row + 1));
	return true;
}

/*
 * Rows on their way into the map.  A compare-and-swap lets nothing that comes after
 * it begin, so the slots of one block are asked for before those of the block before
 * are changed: in between there is time for them to arrive.
 */
typedef struct Block
{
	uint32		from;
	uint32		n;
	uint64		at[HJ_LINK_BLOCK];	/* hash, or slot of the array */
} Block;

static void
start_block(HjBuildTable *table, Block *block, uint32 from, uint32 n)
{
	block->from = from;
	block->n = n;
	for (uint32 i = 0; i < n; i++)
	{
		if (!table->use_array)
		{
			block->at[i] = hj_build_row_hash(table, from + i);
			hj_prefetch_for_write(&table->hash.slots[hj_hash_map_slot(&table->hash, block->at[i])]);
			continue;
		}
		if (!hj_array_map_slot(&table->array, table->key,
							   hj_row_store_word(&table->rows, from + i),
							   &block->at[i]))
			elog(ERROR, "key out of the array map's range");
		hj_prefetch_for_write(&table->array.slots[block->at[i]]);
	}
}

static bool
finish_block(HjBuildTable *table, const Block *block)
{
	bool		chained = false;

	for (uint32 i = 0; i < block->n; i++)
		chained |= table->use_array ?
			link_by_value(table, block->from + i, block->at[i]) :
			link_by_hash(table, block->from + i, block->at[i]);
	MemoryContextReset(table->scratch);
	return chained;
}

bool
hj_link_shared_rows(HjBuildTable *table, uint32 from, uint32 to)
{
	Block		blocks[2];
	Block	   *before = &blocks[0];
	Block	   *next = &blocks[1];
	bool		chained = false;
	MemoryContext old = MemoryContextSwitchTo(table->scratch);

	before->n = 0;
	while (from < to)
	{
		uint32		n = Min(to - from, HJ_LINK_BLOCK);
		Block	   *swap = before;

		CHECK_FOR_INTERRUPTS();
		start_block(table, next, from, n);
		chained |= finish_block(table, before);
		before = next;
		next = swap;
		from += n;
	}
	chained |= finish_block(table, before);
	MemoryContextSwitchTo(old);
	return chained && hj_may_chain(table);
}
