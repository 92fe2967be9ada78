/*
 * make_map.h
 *	  Making the map of the rows of a build side; for build_table.c, when the
 *	  last row is in, and distinct.c, before.
 */
#ifndef HJ_MAKE_MAP_H
#define HJ_MAKE_MAP_H

#include "postgres.h"

#include "table/build_table.h"

/*
 * Allocate table->hash's directory (counted in table->map_bytes) and link all
 * rows into it; with table->first_only, only the first row of each key.
 * Equality functions run in table->scratch.  Cost: one pass over the rows.
 */
extern void hj_make_hash_map(HjBuildTable *table);

/* The same for table->array, whose shape was decided. */
extern void hj_make_array_map(HjBuildTable *table);

/* Bytes of the directory for those rows. */
extern Size hj_hash_map_bytes(const HjRowStore *rows);

/* Hash of a build row. */
extern uint64 hj_build_row_hash(const HjBuildTable *table, uint32 row);

/* Have two build rows the same key? */
extern bool hj_build_rows_equal(HjBuildTable *table, uint32 a, uint32 b);

#endif							/* HJ_MAKE_MAP_H */
