/*
 * hash_map.h
 *	  The hash map: from key to the first build row of that key.
 *
 *	 directory	 slots of 8 bytes: {tag, row}.  tag = low 32 bits of the hash;
 *				 row = row number + 1 of the key's first row, 0 = empty slot.
 *				 Half full, or four sevenths; slot number = (high 32 bits x
 *				 slots) >> 32, so any number of slots serves.  Linear probing.
 * The map stores hashes and row numbers, never keys.  It is built in one pass
 * at its exact size.  Chains of rows with the same key: build_table.h.
 *
 * Cost: 16 bytes a row, or 14 (make_map.c).
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

#endif							/* HJ_HASH_MAP_H */
