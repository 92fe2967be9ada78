/*
 * shared_table.h
 *	  One build table that several processes have filled and all of them probe.
 *
 * Each process appends its share of the build side to a table of its own whose
 * chunks stand in shared memory (HjSharedChunks).  When all are done:
 *
 *	 export		each process publishes where its chunks are
 *	 shape		one process gives every store its row numbers, decides which map
 *				there will be, and allocates it
 *	 map		each process makes its own chunk tables: base pointers of all
 *				stores' chunks, one after the other, as if they were one store
 *	 link		all processes together link the rows (table/link_shared.h)
 *
 * with a barrier before shape, map, link, and probing.  From then on the table
 * is like any other, but that row numbers have gaps: behind the last row of each
 * store, whose match flags are set, so that they are not taken for rows without a
 * match.
 */
#ifndef HJ_SHARED_TABLE_H
#define HJ_SHARED_TABLE_H

#include "postgres.h"

#include "parallel/claim.h"
#include "shared/shared_memory.h"
#include "table/build_table.h"
#include "table/match_bits.h"

/* What one process has brought. */
typedef struct HjSharedRows
{
	uint32		nrows;
	uint32		nchunks;
	uint32		ntails;
	uint32		nlinks;			/* chunks of links */
	int			chunk_shift;	/* the same in all processes */
	HjKeyRange	range;
	HjSharedPointer lists;		/* of pointers to those; see the .c file */
	uint32		first_row;		/* from shape on */
	uint32		first_tail;
} HjSharedRows;

typedef struct HjSharedTable
{
	uint64		nrows;
	uint32		end_row;		/* row numbers, gaps included */
	uint32		ntails;
	bool		use_array;
	HjArrayMap	array;			/* its slots: see below */
	uint64		nslots;			/* of the hash map */
	HjSharedPointer slots;		/* of either map */
	HjSharedPointer match;		/* behind them, if the join marks build rows */
	Size		map_bytes;		/* of these two */
	HjSharedPointer links;		/* if there may be chains, and the key is packed */
	HjAtomic	chained;
	HjClaim		to_prepare;		/* parts of the map's memory */
	HjClaim		to_link;		/* chunks of rows */
	char		map_reason[HJ_MAP_REASON_SIZE];
	int			nprocesses;
	HjSharedRows rows[FLEXIBLE_ARRAY_MEMBER];
} HjSharedTable;

extern Size hj_shared_table_size(int nprocesses);

extern void hj_shared_table_init(HjSharedTable *shared, int nprocesses);

/*
 * Bytes that a table of so many rows takes beyond the rows themselves and the
 * hashes that are kept with them: map, chains, match flags.
 */
extern Size hj_shared_map_bytes(const HjBuildTable *table, uint64 nrows,
								bool mark_rows);

/* Publish this process's rows.  False: there is no memory for that. */
extern bool hj_shared_table_export(HjSharedTable *shared, HjSharedArea *area,
								   int process, HjBuildTable *table,
								   HjSharedChunks *chunks);

/*
 * In one process, when all have exported: number the rows, decide on the map and
 * allocate it.  limit: bytes for all of the table.  False: too many rows, or no
 * memory; then it can only be freed.
 */
extern bool hj_shared_table_shape(HjSharedTable *shared, HjSharedArea *area,
								  HjBuildTable *table,
								  const HjArrayPolicy *policy, Size limit,
								  bool mark_rows);

/*
 * In every process, when it has its shape: prepare the map's memory, as much as is
 * left.  Error: see shared_memory.h.
 */
extern void hj_shared_table_prepare(HjSharedTable *shared, HjSharedArea *area);

/*
 * Make `table` (this process's own, of the same columns) stand for the shared
 * one, and bits for the shared flags.  The table is sealed, its map not made.
 */
extern void hj_shared_table_map(HjSharedTable *shared, HjSharedArea *area,
								HjBuildTable *table, HjMatchBits *bits);

/* Link rows, as many as are left. */
extern void hj_shared_table_link(HjSharedTable *shared, HjSharedArea *area,
								 HjBuildTable *table, HjMatchBits *bits);

/* When all rows are linked: what is known of the map. */
static inline void
hj_shared_table_seal(HjSharedTable *shared, HjBuildTable *table)
{
	table->chained = hj_atomic_load_relaxed(&shared->chained) != 0;
}

#endif							/* HJ_SHARED_TABLE_H */
