/*
 * hash_map.h
 *	  The chained map: from key to build rows.
 *
 *	 directory	 slots of 8 bytes: {tag, row}.  tag = low 32 bits of the hash;
 *				 row = row number + 1 of the key's first row, 0 = empty slot.
 *				 At most half full; slot number = (high 32 bits x slots) >> 32,
 *				 so any number of slots serves.  Linear probing.
 *	 next		 one uint32 a row, row number + 1 of the next row with the same
 *				 key, 0 = end of chain.  Allocated only when the first
 *				 duplicate key appears; until then `chained` is false and a
 *				 probe walks no chain.
 *
 * The map stores hashes and row numbers, never keys.  It is built in one pass
 * at its exact size, from the last row to the first, so that a chain yields
 * its rows in the order in which they were appended.
 *
 * Cost: 16 bytes a row, 20 with duplicates.
 */
#ifndef HJ_HASH_MAP_H
#define HJ_HASH_MAP_H

#include "postgres.h"

typedef struct HjSlot
{
	uint32		tag;
	uint32		row;			/* row number + 1, 0 = empty */
} HjSlot;

typedef struct HjHashMap
{
	HjSlot	   *slots;
	uint64		nslots;
	uint32	   *next;			/* or NULL */
	bool		chained;		/* has any key two rows? */
} HjHashMap;

static inline uint64
hj_hash_map_slot(const HjHashMap *map, uint64 hash)
{
	return ((hash >> 32) * map->nslots) >> 32;
}

/* The slot after `slot`, wrapping round. */
static inline uint64
hj_hash_map_after(const HjHashMap *map, uint64 slot)
{
	return (slot + 1 == map->nslots) ? 0 : slot + 1;
}

/* Row number + 1 of the row after `row` (also + 1) in its chain, or 0. */
static inline uint32
hj_hash_map_next(const HjHashMap *map, uint32 row)
{
	return map->chained ? map->next[row - 1] : 0;
}

#endif							/* HJ_HASH_MAP_H */
