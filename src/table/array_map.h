/*
 * array_map.h
 *	  The array map (perfect hash join): for keys that are dense integers,
 *	  slot[key - min] = row number + 1, 0 = no such key.
 *
 * With several key columns the slot is counted in mixed radix, each column by
 * its own range.  No hash, no tag, no comparison: a key has its own slot.
 * Where NULL equals NULL, the key is one column, and NULL has a slot behind all
 * others.
 *
 * If the rows came in the order of their keys and none is missing (a table
 * loaded by its serial number), slot i would hold row number i + 1: then there
 * is no array at all.
 */
#ifndef HJ_ARRAY_MAP_H
#define HJ_ARRAY_MAP_H

#include "postgres.h"

#include "table/join_key.h"

/* More key columns than this are left to the hash map. */
#define HJ_ARRAY_MAX_COLUMNS 4

/* Smallest and largest key seen, by column; kept while the table is filled. */
typedef struct HjKeyRange
{
	bool		in_order;		/* is each key one more than the one before? */
	bool		has_null;		/* NULL, where it is a key; in neither bound */
	int64		min[HJ_ARRAY_MAX_COLUMNS];
	int64		max[HJ_ARRAY_MAX_COLUMNS];
} HjKeyRange;

/* Bytes of the text that says why a map was chosen. */
#define HJ_MAP_REASON_SIZE 96

/* When to use an array map. */
typedef struct HjArrayPolicy
{
	bool		enabled;		/* array maps may be used at all */
	uint64		small_range;	/* max - min below this is always accepted */
	double		min_density;	/* rows / (max - min + 1) above this, too */
	int			column;			/* all values of this key column are the same */
	int			stride_bits;	/* in these low bits: count those as no range */
} HjArrayPolicy;

typedef struct HjArrayMap
{
	int			ncols;
	uint64		nslots;
	int64		min[HJ_ARRAY_MAX_COLUMNS];
	uint64		range[HJ_ARRAY_MAX_COLUMNS];	/* (max - min) >> shift */
	uint8		shift[HJ_ARRAY_MAX_COLUMNS];	/* low bits that all keys share */
	uint64		stride[HJ_ARRAY_MAX_COLUMNS];
	bool		in_order;		/* slot i stands for row number i + 1 */
	bool		has_null;		/* the last slot is that of NULL */
	uint32	   *slots;			/* unless in_order */
} HjArrayMap;

/* Can keys of this kind have an array map at all? */
static inline bool
hj_array_map_possible(const HjJoinKey *key)
{
	return key->packed && key->ncols <= HJ_ARRAY_MAX_COLUMNS &&
		(key->null_flags == 0 || key->ncols == 1);
}

extern void hj_key_range_init(HjKeyRange *range);

static inline void
hj_key_range_add(HjKeyRange *range, const HjJoinKey *key, uint64 word)
{
	if (unlikely(word & key->null_flags))
	{
		range->has_null = true;
		range->in_order = false;
		return;
	}
	for (int i = 0; i < key->ncols; i++)
	{
		int64		value = hj_key_integer(&key->cols[i], word);

		/* unsigned, so that the largest key may have a successor */
		if ((uint64) value != (uint64) range->max[i] + 1 &&
			range->min[i] <= range->max[i])
			range->in_order = false;
		if (value < range->min[i])
			range->min[i] = value;
		if (value > range->max[i])
			range->max[i] = value;
	}
}

/*
 * Decide, from what was seen.  max_bytes: what the array may take.  If the
 * answer is true, map's shape is set (not its slots).  reason says why or why
 * not.
 */
extern bool hj_array_map_decide(HjArrayMap *map, const HjJoinKey *key,
								const HjKeyRange *range, uint32 nrows,
								const HjArrayPolicy *policy, Size max_bytes,
								char reason[HJ_MAP_REASON_SIZE]);

/*
 * Bytes of the array, if as many rows of this range would get one now; else
 * the largest Size.
 */
extern Size hj_array_map_bytes(const HjJoinKey *key, const HjKeyRange *range,
							   uint32 nrows, const HjArrayPolicy *policy);

/* Row number + 1 of a slot's first row, or 0. */
static inline uint32
hj_array_map_head(const HjArrayMap *map, uint64 slot)
{
	return map->in_order ? (uint32) slot + 1 : map->slots[slot];
}

/*
 * The slot number of a key, or false if it is out of range.  Where keys share
 * low bits, so does whoever asks: another partition's keys do not get here.
 */
static inline bool
hj_array_map_slot(const HjArrayMap *map, const HjJoinKey *key, uint64 word,
				  uint64 *slot)
{
	uint64		at = 0;

	if (unlikely(word & key->null_flags))
	{
		*slot = map->nslots - 1;
		return map->has_null;
	}
	for (int i = 0; i < map->ncols; i++)
	{
		uint64		offset = ((uint64) hj_key_integer(&key->cols[i], word) -
							  (uint64) map->min[i]) >> map->shift[i];

		if (offset > map->range[i])
			return false;
		at += offset * map->stride[i];
	}
	*slot = at;
	return true;
}

#endif							/* HJ_ARRAY_MAP_H */
