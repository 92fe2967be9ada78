/*
 * join_counters.c
 *	  What EXPLAIN ANALYZE shows of a join, counted in each process.
 */
#include "postgres.h"

#include "executor/join_counters.h"

static void
add_join(HjJoinCounters *sum, const HjJoinCounters *other)
{
	if (sum->map_reason[0] == '\0' || (!sum->map_is_array && !sum->map_is_hash &&
									   (other->map_is_array || other->map_is_hash)))
		strlcpy(sum->map_reason, other->map_reason, HJ_MAP_REASON_SIZE);
	sum->table_builds += other->table_builds;
	sum->array_maps += other->array_maps;
	sum->map_is_array |= other->map_is_array;
	sum->map_is_hash |= other->map_is_hash;
	sum->map_is_chained |= other->map_is_chained;
	sum->build_rows += other->build_rows;
	sum->probe_rows += other->probe_rows;
	sum->probe_hits += other->probe_hits;
	sum->residual_removed += other->residual_removed;
	sum->peak_bytes += other->peak_bytes;
	/* they work at the same time: the one that took longest */
	if (INSTR_TIME_GET_DOUBLE(other->build_time) >
		INSTR_TIME_GET_DOUBLE(sum->build_time))
		sum->build_time = other->build_time;
}

static void
add_spill(HjSpillCounters *sum, const HjSpillCounters *other)
{
	sum->partitions += other->partitions;
	sum->spilled += other->spilled;
	sum->split += other->split;
	sum->in_passes += other->in_passes;
	sum->bytes += other->bytes;
}

void
hj_counters_add_scan(HjProcessCounters *sum, const HjProcessCounters *later)
{
	Size		peak = sum->join.peak_bytes;
	instr_time	time = sum->join.build_time;

	if (!later->used)
		return;
	/* of these the latest is shown */
	sum->join.build_rows = 0;
	sum->join.map_is_array = sum->join.map_is_hash = sum->join.map_is_chained = false;
	hj_counters_add(sum, later);
	sum->join.peak_bytes = Max(peak, later->join.peak_bytes);
	sum->join.build_time = later->join.build_time;
	INSTR_TIME_ADD(sum->join.build_time, time);
}

void
hj_counters_add(HjProcessCounters *sum, const HjProcessCounters *other)
{
	if (!other->used)
		return;
	sum->used = true;
	add_join(&sum->join, &other->join);
	add_spill(&sum->spill, &other->spill);
}
