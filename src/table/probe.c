/*
 * probe.c
 *	  Look-up of a batch; the contract is in probe.h.
 *
 * Each stage runs over the whole batch before the next begins, so that the
 * cache misses of different rows overlap: prefetch the directory slots, read
 * the tags into candidates and prefetch their rows, then compare the keys.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "table/probe.h"

void
hj_matches_init(HjMatches *matches, int capacity)
{
	matches->capacity = capacity;
	matches->n = 0;
	/* one more: an end-of-row mark may follow the last pair */
	matches->probe = palloc((capacity + 1) * sizeof(int));
	matches->build = palloc((capacity + 1) * sizeof(uint32));
}

/* Is build row `row` a match for probe row i? */
static bool
keys_equal(HjBuildTable *table, const HjKeySet *keys, int i, uint32 row)
{
	HjJoinKey  *key = table->key;

	if (key->packed)
		return keys->word[i] == hj_row_store_word(&table->rows, row);
	for (int c = 0; c < key->ncols; c++)
	{
		bool		isnull;
		Datum		value = hj_row_store_column(&table->rows, row,
												table->key_cols[c], &isnull);

		if (!hj_key_column_equal(&key->cols[c], false, keys->values[c][i],
								 keys->nulls[c][i], value, isnull))
			return false;
	}
	return true;
}

/*
 * The first slot at or after `slot` that holds the tag; returns its row number
 * + 1 and leaves *slot behind it, or 0 at an empty slot.
 */
static inline uint32
next_candidate(const HjHashMap *map, uint32 tag, uint64 *slot)
{
	for (;;)
	{
		HjSlot		s = map->slots[*slot];

		if (s.row == 0)
			return 0;
		*slot = hj_hash_map_after(map, *slot);
		if (s.tag == tag)
			return s.row;
	}
}

/* Find the first candidate whose key is equal. */
static uint32
find_head(HjBuildTable *table, const HjKeySet *keys, int i)
{
	const HjHashMap *map = &table->map;
	uint32		tag = (uint32) keys->hash[i];
	uint64		slot = hj_hash_map_slot(map, keys->hash[i]);
	uint32		row;

	while ((row = next_candidate(map, tag, &slot)) != 0)
	{
		if (table->key->tag_is_key || table->key->chains_by_hash ||
			keys_equal(table, keys, i, row - 1))
			return row;
	}
	return 0;
}

void
hj_probe_heads(HjBuildTable *table, const HjKeySet *keys,
			   int nrows, uint32 *heads, MemoryContext scratch)
{
	const HjHashMap *map = &table->map;
	bool		may_leave_garbage = !table->key->packed;
	MemoryContext old;

	Assert(table->sealed);
	if (table->rows.nrows == 0)
	{
		memset(heads, 0, nrows * sizeof(uint32));
		return;
	}
	for (int i = 0; i < nrows; i++)
	{
		if (keys->usable[i])
			__builtin_prefetch(&map->slots[hj_hash_map_slot(map, keys->hash[i])]);
	}
	old = MemoryContextSwitchTo(scratch);
	for (int i = 0; i < nrows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		heads[i] = keys->usable[i] ? find_head(table, keys, i) : 0;
		if (may_leave_garbage)
			MemoryContextReset(scratch);
	}
	MemoryContextSwitchTo(old);
}

void
hj_probe_walk(HjBuildTable *table, const HjKeySet *keys, int nrows,
			  const uint32 *heads, int flags, const HjMatchBits *skip_marked,
			  HjProbeCursor *cursor, HjMatches *matches, MemoryContext scratch)
{
	const HjHashMap *map = &table->map;
	bool		check_each = table->key->chains_by_hash;
	int			n = 0;
	MemoryContext old = MemoryContextSwitchTo(scratch);

	while (cursor->row < nrows && n < matches->capacity)
	{
		int			i = cursor->row;
		uint32		row = cursor->next ? cursor->next : heads[i];

		/* a chain is marked from its head on, so a marked head is a marked chain */
		if (skip_marked && row && cursor->next == 0 &&
			hj_match_bits_get(skip_marked, row - 1))
			row = 0;
		for (; row != 0; row = hj_hash_map_next(map, row))
		{
			if (n >= matches->capacity)
				break;
			if (check_each)
			{
				bool		equal;

				CHECK_FOR_INTERRUPTS();
				equal = keys_equal(table, keys, i, row - 1);
				MemoryContextReset(scratch);
				if (!equal)
					continue;
			}
			matches->probe[n] = i;
			matches->build[n++] = row - 1;
			if (flags & HJ_WALK_FIRST_ONLY)
			{
				row = 0;
				break;
			}
		}
		if (row != 0)
		{
			cursor->next = row;
			break;
		}
		if (flags & HJ_WALK_ROW_ENDS)
		{
			matches->probe[n] = i;
			matches->build[n++] = HJ_ROW_END;
		}
		cursor->row++;
		cursor->next = 0;
	}
	matches->n = n;
	MemoryContextSwitchTo(old);
}
