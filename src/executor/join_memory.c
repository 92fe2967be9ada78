/*
 * join_memory.c
 *	  What a join holds, what it may hold, and which build rows leave memory.
 *	  join_spill.h describes the algorithm.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "executor/join_node.h"
#include "settings.h"
#include "stats.h"

/* Partitions of a split: at least as many, however little is known. */
#define HJ_MIN_PARTITION_BITS 5

/* At most as many, and so many that their files' buffers take this part. */
#define HJ_MAX_PARTITION_BITS 7
#define HJ_BUFFERS_IN_MEMORY 2
#define HJ_FEWEST_PARTITION_BITS 2

/* Partitions are planned to be smaller than the memory by this factor. */
#define HJ_PARTITION_MARGIN 3

/* More splits than this would not help. */
#define HJ_MAX_DEPTH 12

/* A process that has fewer rows than this part of its share cannot tell. */
#define HJ_FEW_ROWS_OF_SHARE 4.0

/* A partition cannot be split if so large a part of it stays together. */
#define HJ_UNSPLITTABLE 0.75

/* Of what would fit exactly, leave this much resident: estimates err. */
#define HJ_RESIDENT_MARGIN 0.95

/* ----------------------------------------------------------------
 *		Memory
 * ----------------------------------------------------------------
 */

/* What the files of a partition take that are not open yet. */
static Size
memory_to_come(const HjPartitions *p)
{
	Size		bytes = 0;

	for (int i = 0; p != NULL && i < p->n; i++)
	{
		if (p->parts[i].spilled)
			bytes += ((p->parts[i].build == NULL) + (p->parts[i].probe == NULL)) *
				HJ_ROW_FILE_MEMORY;
	}
	return bytes;
}

Size
hj_spill_memory(const HjSpill *spill)
{
	if (spill->cxt == NULL)
		return 0;
	return MemoryContextMemAllocated(spill->cxt, true) +
		memory_to_come(spill->partitions);
}

static Size
file_bytes(const HjRowFile *file)
{
	return (file != NULL) ? file->bytes : 0;
}

Size
hj_spill_disk_bytes(const HjSpill *spill)
{
	const HjPartitions *p = spill->partitions;
	Size		bytes = spill->counters.bytes + file_bytes(spill->unmatchable);
	ListCell   *lc;

	if (spill->from_files)
		bytes += file_bytes(spill->task.build) + file_bytes(spill->task.probe);
	for (int i = 0; p != NULL && i < p->n; i++)
		bytes += file_bytes(p->parts[i].build) + file_bytes(p->parts[i].probe);
	foreach(lc, spill->tasks)
	{
		const HjSpillTask *task = lfirst(lc);

		bytes += file_bytes(task->build) + file_bytes(task->probe);
	}
	return bytes + (spill->flags != NULL ? spill->flags->bytes : 0);
}

Size
hj_spill_table_limit(const HjJoinState *state)
{
	Size		limit = get_hash_memory_limit();
	Size		other = state->fixed_bytes + hj_spill_memory(&state->spill);

	if (hj_debug_table_bytes > 0)
		return hj_debug_table_bytes;
	/* the least that a table is given; more than a few rows, in any case */
	return Max(limit - Min(limit, other), limit / 4);
}

bool
hj_spill_is_too_large(const HjJoinState *state)
{
	const HjBuildTable *table = state->table;
	Size		bytes = hj_build_table_bytes_sealed(table, &state->array_policy) +
		2 * table->rows.chunk_bytes;

	if (hj_join_marks_build(state->plan.jointype))
		bytes += hj_match_bits_bytes(table->rows.nrows);
	/* the last huge page of a region is there as a whole */
	if (table->rows.large)
		bytes += HJ_HUGE_PAGE_BYTES;
	return bytes > hj_spill_table_limit(state);
}

/* ----------------------------------------------------------------
 *		Splitting
 * ----------------------------------------------------------------
 */

/*
 * How many build rows will this round have?  At least as many as were seen, and
 * some more.
 */
static double
expected_rows(const HjJoinState *state)
{
	const HjSpill *spill = &state->spill;
	double		seen = spill->seen_rows;
	double		guess = state->build_ps->plan->plan_rows;

	if (spill->from_files)
		return Max(spill->task.build->nrows, seen);
	/* within reason; and if there are more than the planner thought already? */
	return (guess > seen) ? Min(guess, seen * 8) : seen * 1.25;
}

/* Bits for a split into that many partitions, or fewer. */
static int
bits_for(double parts)
{
	Size		buffers = get_hash_memory_limit() / HJ_BUFFERS_IN_MEMORY;
	int			bits = HJ_MIN_PARTITION_BITS;

	if (hj_debug_table_bytes > 0)
		return HJ_FEWEST_PARTITION_BITS;
	while (bits < HJ_MAX_PARTITION_BITS && (1 << bits) < parts)
		bits++;
	while (bits > HJ_FEWEST_PARTITION_BITS &&
		   ((Size) 2 * HJ_ROW_FILE_MEMORY << bits) > buffers)
		bits--;
	return bits;
}

/*
 * Bits of the next split: enough for partitions that fit, for what is known.  A
 * guess that is too high costs buffers only, so it is believed here.
 */
static int
choose_bits(const HjJoinState *state)
{
	double		rows = state->spill.from_files ? 0 :
		state->build_ps->plan->plan_rows;

	return bits_for(HJ_PARTITION_MARGIN * Max(rows, expected_rows(state)) /
					Max(state->table->rows.nrows, 1));
}

/*
 * The key column with the widest range, if so many rows would be dense enough
 * for an array map; else -1.
 */
static int
dense_column(const HjJoinState *state, double expected)
{
	const HjBuildTable *table = state->table;
	double		rows = Min(expected, HJ_MAX_ROWS);
	int			widest = 0;

	if (hj_array_map_bytes(table->key, &table->range, (uint32) rows,
						   &state->array_policy) == SIZE_MAX)
		return -1;
	for (int i = 1; i < table->key->ncols; i++)
	{
		if ((uint64) table->range.max[i] - (uint64) table->range.min[i] >
			(uint64) table->range.max[widest] - (uint64) table->range.min[widest])
			widest = i;
	}
	return widest;
}

static void
choose_router(const HjJoinState *state, HjRouter *router)
{
	const HjSpill *spill = &state->spill;

	if (state->null_aware.kind == HJ_NULL_AWARE_GENERAL)
	{
		*router = (HjRouter) {.bits = 0};
		return;
	}
	if (spill->from_files)
	{
		*router = spill->task.router;
		router->used += router->bits;
	}
	else
	{
		int			column = dense_column(state, expected_rows(state));

		router->by_value = column >= 0;
		router->column = Max(column, 0);
		router->used = 0;
	}
	router->bits = choose_bits(state);
}

/* Rows that all processes may be expected to find, of those seen so far. */
static double
expected_shared_rows(const HjJoinState *state, double seen, int nprocesses)
{
	double		guess = state->build_ps->plan->plan_rows * nprocesses;

	return (guess > seen) ? Min(guess, Max(seen, 1) * 8) : seen * 1.25;
}

void
hj_spill_choose_shared_router(const HjJoinState *state, double seen,
							  int nprocesses, HjRouter *router, double *expected)
{
	double		guess = state->build_ps->plan->plan_rows * nprocesses;
	int			column;

	*expected = expected_shared_rows(state, seen, nprocesses);
	/*
	 * By this process's rows, if it has enough of them to tell: what is dense in
	 * part is denser as a whole.
	 */
	column = (state->table->rows.nrows * HJ_FEW_ROWS_OF_SHARE * nprocesses >= seen) ?
		dense_column(state, *expected) : -1;
	router->by_value = column >= 0;
	router->column = Max(column, 0);
	router->used = 0;
	/* what was seen would fit in the memory of all, and each has its own part */
	router->bits = bits_for(HJ_PARTITION_MARGIN * nprocesses *
							Max(guess, *expected) / Max(seen, 1));
}

static int
route_bits(const HjJoinState *state, const HjRouter *router)
{
	return (state->key->packed || router->by_value) ? HJ_ROUTE_BITS :
		HJ_HASH_ROUTE_BITS;
}

Size
hj_spill_filter_bytes(double rows)
{
	Size		most = get_hash_memory_limit() / HJ_FILTER_IN_MEMORY;
	double		wanted = rows * HJ_FILTER_BITS_PER_KEY / BITS_PER_BYTE;

	return (Size) Min(wanted + sizeof(uint64), most);
}

/* Split by that router.  False if that does not take the rows apart. */
static bool
try_split(HjJoinState *state, const HjRouter *router)
{
	HjSpill    *spill = &state->spill;

	if (router->used + router->bits > route_bits(state, router))
		return false;
	spill->partitions = hj_partitions_create(router, state->key,
											 expected_rows(state),
											 hj_spill_filter_bytes(expected_rows(state)),
											 hj_spill_context(state));
	spill->partitions->unfiltered = state->null_aware.kind == HJ_NULL_AWARE_GENERAL;
	if (hj_partitions_count(spill->partitions, state->table) <= HJ_UNSPLITTABLE)
		return true;
	/* rows of the children must go somewhere, if only to one file */
	if (!spill->from_files && !router->by_value)
		return true;
	hj_partitions_free(spill->partitions);
	spill->partitions = NULL;
	return false;
}

/* Split this round.  False if it cannot be split. */
static bool
split(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;
	HjRouter	router;

	if (spill->from_files &&
		(spill->task.depth >= HJ_MAX_DEPTH ||
		 state->null_aware.kind == HJ_NULL_AWARE_GENERAL))
		return false;
	choose_router(state, &router);
	if (!try_split(state, &router))
	{
		/* values may have a structure that hashes do not have */
		if (!router.by_value)
			return false;
		router.by_value = false;
		router.used = 0;
		if (!try_split(state, &router))
			return false;
	}
	spill->counters.partitions += spill->partitions->n;
	if (spill->from_files)
		spill->counters.split++;
	return true;
}

/* The part of the resident rows that may stay. */
static double
part_to_keep(const HjJoinState *state)
{
	double		part = HJ_RESIDENT_MARGIN * state->spill.seen_rows /
		Max(expected_rows(state), 1);

	return Min(part, HJ_RESIDENT_MARGIN);
}

static void
evict(HjJoinState *state)
{
	HjPartitions *p = state->spill.partitions;
	int			before = p->nspilled;

	hj_partitions_evict(p, state->table,
						(Size) (p->resident_bytes * part_to_keep(state)));
	state->spill.used = true;
	state->spill.counters.spilled += p->nspilled - before;
	hj_stats.spilled_partitions += p->nspilled - before;
}

static void
make_room(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;

	hj_spill_unmatchable(state);
	while (state->table->rows.nrows > 0 && hj_spill_is_too_large(state))
	{
		if (spill->partitions != NULL)
			(void) hj_partitions_count(spill->partitions, state->table);
		else if (!split(state))
		{
			Assert(spill->from_files);
			spill->in_passes = true;
			return;
		}
		evict(state);
	}
}

bool
hj_spill_time_to_look(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;
	const HjBuildTable *table = state->table;
	Size		bytes = table->rows.bytes + table->unmatchable.bytes;

	if (bytes == spill->checked_bytes &&
		table->rows.nrows - spill->checked_rows < table->rows.chunk_mask)
		return false;
	spill->checked_bytes = bytes;
	spill->checked_rows = table->rows.nrows;
	hj_join_note_memory(state);
	return true;
}

void
hj_spill_check_memory(HjJoinState *state)
{
	if (state->parallel != NULL && state->parallel->building)
	{
		hj_parallel_check_memory(state);
		return;
	}
	if (!hj_spill_time_to_look(state) || !hj_spill_is_too_large(state))
		return;
	make_room(state);
	state->spill.checked_rows = 0;
	state->spill.checked_bytes = 0;
}
