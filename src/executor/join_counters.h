/*
 * join_counters.h
 *	  What EXPLAIN ANALYZE shows of a join, counted in each process.
 *
 * Core collects nothing of the kind from workers for a custom node.  Each process
 * has a slot in the join's shared memory, which it fills when it ends; the leader
 * reads the workers' slots when that memory is about to go, and no worker is left.
 */
#ifndef HJ_JOIN_COUNTERS_H
#define HJ_JOIN_COUNTERS_H

#include "postgres.h"

#include "portability/instr_time.h"
#include "table/array_map.h"

/* They grow over rescans. */
typedef struct HjJoinCounters
{
	uint64		table_builds;
	uint64		array_maps;		/* of those tables, of all rounds */
	bool		map_is_array;	/* of the latest build, any round */
	bool		map_is_hash;
	bool		map_is_chained;
	char		map_reason[HJ_MAP_REASON_SIZE]; /* of its first round */
	uint64		build_rows;		/* of the latest table, unmatchable ones included */
	uint64		probe_rows;
	uint64		probe_hits;		/* probe rows that found a key */
	uint64		residual_removed;
	Size		peak_bytes;
	instr_time	build_time;
} HjJoinCounters;

/* Of what does not fit in memory; they grow over rescans. */
typedef struct HjSpillCounters
{
	uint64		partitions;		/* of all splits */
	uint64		spilled;		/* of those */
	uint64		split;			/* rounds that were split again */
	uint64		in_passes;		/* rounds joined in passes */
	uint64		bytes;			/* written to temporary files */
} HjSpillCounters;

typedef struct HjProcessCounters
{
	bool		used;			/* has the process run the node? */
	HjJoinCounters join;
	HjSpillCounters spill;
} HjProcessCounters;

/* Add what another process has counted. */
extern void hj_counters_add(HjProcessCounters *sum, const HjProcessCounters *other);

/* Add what a worker of the same number has counted in a later scan. */
extern void hj_counters_add_scan(HjProcessCounters *sum,
								 const HjProcessCounters *later);

#endif							/* HJ_JOIN_COUNTERS_H */
