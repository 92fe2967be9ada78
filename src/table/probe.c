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

#include "table/prefetch.h"
#include "table/probe.h"

/*
 * Rows whose slots are computed and prefetched together: long enough to hide
 * memory latency, short enough for the stack.
 */
#define HJ_PROBE_BLOCK 256

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
	const HjHashMap *map = &table->hash;
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

static void
array_heads(const HjBuildTable *table, const HjKeySet *keys, int nrows,
			uint32 *heads)
{
	const HjArrayMap *map = &table->array;
	uint64		slot[HJ_PROBE_BLOCK];

	for (int from = 0; from < nrows; from += HJ_PROBE_BLOCK)
	{
		int			n = Min(nrows - from, HJ_PROBE_BLOCK);

		for (int i = 0; i < n; i++)
		{
			if (!keys->usable[from + i] ||
				!hj_array_map_slot(map, table->key, keys->word[from + i], &slot[i]))
				slot[i] = PG_UINT64_MAX;
			else if (!map->in_order)
				hj_prefetch(&map->slots[slot[i]]);
		}
		for (int i = 0; i < n; i++)
			heads[from + i] = (slot[i] == PG_UINT64_MAX) ? 0 :
				hj_array_map_head(map, slot[i]);
	}
}

/*
 * Keys are compared with the build rows' own.  By now the directory's lines are
 * arriving: prefetch the row of each first candidate, and where keys stand in
 * tails, after all those the tails.
 */
static void
prefetch_candidates(const HjBuildTable *table, const HjKeySet *keys,
					int from, int n)
{
	const HjHashMap *map = &table->hash;
	bool		tails = !table->key->packed && table->rows.layout->ntail > 0;
	uint32		candidate[HJ_PROBE_BLOCK];

	for (int i = 0; i < n; i++)
	{
		uint64		slot;

		candidate[i] = 0;
		if (!keys->usable[from + i])
			continue;
		slot = hj_hash_map_slot(map, keys->hash[from + i]);
		candidate[i] = next_candidate(map, (uint32) keys->hash[from + i], &slot);
		if (candidate[i] != 0)
			hj_prefetch(hj_row_store_row(&table->rows, candidate[i] - 1));
	}
	for (int i = 0; i < n && tails; i++)
	{
		if (candidate[i] != 0)
			hj_row_store_prefetch_tail(&table->rows, candidate[i] - 1);
	}
}

static void
hash_heads(HjBuildTable *table, const HjKeySet *keys, int nrows, uint32 *heads,
		   MemoryContext scratch)
{
	const HjHashMap *map = &table->hash;
	bool		may_leave_garbage = !table->key->packed;
	MemoryContext old = MemoryContextSwitchTo(scratch);

	for (int from = 0; from < nrows; from += HJ_PROBE_BLOCK)
	{
		int			to = Min(nrows, from + HJ_PROBE_BLOCK);

		CHECK_FOR_INTERRUPTS();
		for (int i = from; i < to; i++)
		{
			if (!keys->usable[i])
				continue;
			if (table->key->packed)
				keys->hash[i] = hj_key_hash_word(table->key, keys->word[i]);
			hj_prefetch(&map->slots[hj_hash_map_slot(map, keys->hash[i])]);
		}
		if (!table->key->tag_is_key)
			prefetch_candidates(table, keys, from, to - from);
		for (int i = from; i < to; i++)
		{
			heads[i] = keys->usable[i] ? find_head(table, keys, i) : 0;
			if (may_leave_garbage)
			{
				CHECK_FOR_INTERRUPTS();
				MemoryContextReset(scratch);
			}
		}
	}
	MemoryContextSwitchTo(old);
}

uint32
hj_probe_word(HjBuildTable *table, uint64 word)
{
	const HjHashMap *map = &table->hash;
	uint64		hash;
	uint64		slot;
	uint32		row;

	if (table->rows.nrows == 0)
		return 0;
	if (table->use_array)
		return hj_array_map_slot(&table->array, table->key, word, &slot) ?
			hj_array_map_head(&table->array, slot) : 0;
	hash = hj_key_hash_word(table->key, word);
	slot = hj_hash_map_slot(map, hash);
	while ((row = next_candidate(map, (uint32) hash, &slot)) != 0)
	{
		if (table->key->tag_is_key ||
			word == hj_row_store_word(&table->rows, row - 1))
			break;
	}
	return row;
}

/* The build rows that are about to be read. */
static void
prefetch_rows(const HjBuildTable *table, const uint32 *heads, int nrows)
{
	if (table->rows.nrows == 0)
		return;
	for (int i = 0; i < nrows; i++)
	{
		if (heads[i] != 0)
			hj_prefetch(hj_row_store_row(&table->rows, heads[i] - 1));
	}
}

void
hj_probe_heads(HjBuildTable *table, const HjKeySet *keys,
			   int nrows, uint32 *heads, MemoryContext scratch)
{
	Assert(table->sealed);
	if (table->rows.nrows == 0)
		memset(heads, 0, nrows * sizeof(uint32));
	else if (table->use_array)
		array_heads(table, keys, nrows, heads);
	else
		hash_heads(table, keys, nrows, heads, scratch);

	/* where no key was compared, nobody has touched the rows yet */
	if (table->use_array || table->key->tag_is_key)
		prefetch_rows(table, heads, nrows);
}

/*
 * Every row has one pair or none: no chain code.  Returns the number written.
 */
static int
walk_heads(int nrows, const uint32 *heads, int flags, HjProbeCursor *cursor,
		   HjMatches *matches)
{
	bool		pairs = !(flags & HJ_WALK_NO_PAIRS);
	bool		misses = (flags & HJ_WALK_MISSES) != 0;
	int			n = 0;
	int			to = Min(nrows, cursor->row + matches->capacity);

	for (int i = cursor->row; i < to; i++)
	{
		/* written in any case, counted if wanted: no branch to mispredict */
		matches->probe[n] = i;
		matches->build[n] = heads[i] - 1;	/* 0 - 1 is HJ_ROW_END */
		n += (heads[i] != 0) ? pairs : misses;
	}
	cursor->row = to;
	return n;
}

void
hj_probe_walk(HjBuildTable *table, const HjKeySet *keys, int nrows,
			  const uint32 *heads, int flags, const HjMatchBits *skip_marked,
			  HjProbeCursor *cursor, HjMatches *matches, MemoryContext scratch)
{
	bool		check_each = table->key->chains_by_hash;
	bool		one_each = !table->chained ||
		(flags & (HJ_WALK_FIRST_ONLY | HJ_WALK_NO_PAIRS)) != 0;
	int			n = 0;
	MemoryContext old;

	if (one_each && !check_each && skip_marked == NULL &&
		!(flags & HJ_WALK_ROW_ENDS))
	{
		do
			matches->n = walk_heads(nrows, heads, flags, cursor, matches);
		while (matches->n == 0 && cursor->row < nrows);
		return;
	}

	old = MemoryContextSwitchTo(scratch);
	while (cursor->row < nrows && n < matches->capacity)
	{
		int			i = cursor->row;
		uint32		row = cursor->next ? cursor->next : heads[i];

		/* a chain is marked from its head on, so a marked head is a marked chain */
		if (skip_marked && row && cursor->next == 0 &&
			hj_match_bits_get(skip_marked, row - 1))
			row = 0;
		for (; row != 0; row = hj_build_table_next(table, row))
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
		if ((flags & HJ_WALK_ROW_ENDS) ||
			((flags & HJ_WALK_MISSES) && heads[i] == 0))
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
