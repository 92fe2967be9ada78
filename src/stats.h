/*
 * stats.h
 *	  This backend's counters, shown by hashjoin_ext_stats().
 */
#ifndef HJ_STATS_H
#define HJ_STATS_H

#include "postgres.h"

typedef struct HjStats
{
	uint64		joins;			/* build sides drained */
	uint64		array_maps;
	uint64		hash_maps;
	uint64		spilled_partitions;
	uint64		spilled_bytes;
	uint64		filtered_rows;
} HjStats;

extern HjStats hj_stats;

#endif							/* HJ_STATS_H */
