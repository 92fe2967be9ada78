/*
 * join_rounds.c
 *	  The rounds of a join that does not fit in memory: build rows to their
 *	  files and back, and which partition comes next.  join_spill.h describes
 *	  the algorithm.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "executor/join_node.h"
#include "settings.h"
#include "stats.h"

/* The row stores that rows pass through are emptied at this size. */
#define HJ_STAGING_ROWS 256
#define HJ_STAGING_BYTES (64 * 1024)

/* ----------------------------------------------------------------
 *		Build rows
 * ----------------------------------------------------------------
 */

MemoryContext
hj_spill_context(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;

	if (spill->cxt == NULL)
	{
		spill->cxt = AllocSetContextCreate(state->node_cxt, "HashJoinExt files",
										   ALLOCSET_DEFAULT_SIZES);
		spill->staging_cxt = AllocSetContextCreate(spill->cxt,
												   "HashJoinExt staging",
												   ALLOCSET_SMALL_SIZES);
		hj_row_store_init(&spill->staging, state->table->rows.layout, 0,
						  HJ_STAGING_BYTES, spill->staging_cxt);
		hj_row_store_init(&spill->loose, state->table->unmatchable.layout, 0,
						  HJ_STAGING_BYTES, spill->staging_cxt);
	}
	return spill->cxt;
}

void
hj_spill_start(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;
	HjRouter	router = {.bits = 0};

	spill->seen_rows = 0;
	spill->nunmatchable = 0;
	spill->checked_bytes = 0;
	spill->checked_rows = 0;
	/* nothing can be told apart where NULL matches all */
	if (hj_min_partitions == 0 || hj_parallel_shares(state->parallel) ||
		state->null_aware.kind == HJ_NULL_AWARE_GENERAL)
		return;
	router.bits = pg_ceil_log2_32(hj_min_partitions);
	spill->partitions =
		hj_partitions_create(&router, state->key,
							 state->build_ps->plan->plan_rows,
							 get_hash_memory_limit() / HJ_FILTER_IN_MEMORY,
							 hj_spill_context(state));
	spill->counters.partitions += spill->partitions->n;
}

/* Of a spilled partition: by way of a row store, which lays it out. */
static void
write_row(HjJoinState *state, HjPartition *part, uint64 word, uint64 hash,
		  const Datum *values, const bool *nulls)
{
	HjSpill    *spill = &state->spill;
	HjRowStore *staging = &spill->staging;
	HjRawRow	raw;

	hj_row_store_raw(staging,
					 hj_row_store_append(staging, word, values, nulls), &raw);
	hj_partition_write_build(spill->partitions, part, staging->layout, &raw,
							 (uint32) hash);
	if (staging->nrows >= HJ_STAGING_ROWS || staging->bytes > HJ_STAGING_BYTES)
		hj_row_store_clear(staging);
}

void
hj_spill_store_row(HjJoinState *state, bool matchable, uint64 word, uint64 hash,
				   const Datum *values, const bool *nulls)
{
	HjSpill    *spill = &state->spill;

	if (matchable)
	{
		spill->seen_rows++;
		if (spill->partitions != NULL)
		{
			HjPartition *part = hj_partition_of(spill->partitions, word,
												(uint32) hash);

			if (part->spilled)
			{
				write_row(state, part, word, hash, values, nulls);
				return;
			}
		}
	}
	else if (state->table->keep_unmatchable)
		spill->nunmatchable++;
	hj_build_table_append(state->table, matchable, word, hash, values, nulls);
	hj_spill_check_memory(state);
}

/* Does a row of the round's file go to another file?  Then it is written. */
static bool
pass_on(HjJoinState *state, const HjRawRow *raw, uint32 hash)
{
	HjPartitions *p = state->spill.partitions;
	HjPartition *part;

	if (p == NULL)
		return false;
	part = hj_partition_of(p, hj_raw_row_word(state->key, raw), hash);
	if (part->spilled)
		hj_partition_write_build(p, part, state->table->rows.layout, raw, hash);
	return part->spilled;
}

/* Load build rows of the round's file, all or, in passes, as many as fit. */
static void
load_rows(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;
	HjRowFile  *file = spill->task.build;
	HjRawRow	raw;
	uint32		hash;

	spill->checked_bytes = 0;
	spill->checked_rows = 0;
	while (file != NULL && hj_row_file_read(file, &raw, &hash))
	{
		CHECK_FOR_INTERRUPTS();
		spill->seen_rows++;
		if (pass_on(state, &raw, hash))
			continue;
		hj_build_table_append_raw(state->table, &raw, hash);
		if (spill->in_passes)
		{
			if (hj_spill_time_to_look(state) && hj_spill_is_too_large(state))
				return;
			continue;
		}
		hj_spill_check_memory(state);
		/* it may just have turned out that passes are needed */
		if (spill->in_passes)
			return;
	}
}

/* ----------------------------------------------------------------
 *		Rounds
 * ----------------------------------------------------------------
 */

void
hj_spill_close_file(HjSpill *spill, HjRowFile **file)
{
	if (*file == NULL)
		return;
	spill->counters.bytes += (*file)->bytes;
	hj_stats.spilled_bytes += (*file)->bytes;
	hj_row_file_close(*file);
	*file = NULL;
}

void
hj_spill_close_task(HjSpill *spill, HjSpillTask *task)
{
	hj_spill_close_file(spill, &task->build);
	hj_spill_close_file(spill, &task->probe);
}

bool
hj_spill_is_worth_joining(const HjJoinState *state, const HjSpillTask *task)
{
	HjJoinType	type = state->plan.jointype;

	return (task->build != NULL || hj_join_keeps_probe(type)) &&
		(task->probe != NULL || hj_join_keeps_build(type)) &&
		(task->build != NULL || task->probe != NULL);
}

void
hj_spill_set_split(HjSpillTask *task, const HjRouter *router, int depth)
{
	task->router = *router;
	task->depth = depth;
	if (router->by_value)
	{
		task->stride_column = router->column;
		task->stride_bits = router->used + router->bits;
	}
}

/* What has been spilled in this round becomes rounds to come. */
static void
add_tasks(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;
	HjPartitions *p = spill->partitions;
	MemoryContext old;

	if (p == NULL)
		return;
	old = MemoryContextSwitchTo(spill->cxt);
	for (int i = p->n - 1; i >= 0; i--)
	{
		HjSpillTask *task = palloc0(sizeof(HjSpillTask));

		task->build = p->parts[i].build;
		task->probe = p->parts[i].probe;
		p->parts[i].build = p->parts[i].probe = NULL;
		if (spill->from_files)
		{
			task->stride_column = spill->task.stride_column;
			task->stride_bits = spill->task.stride_bits;
		}
		hj_spill_set_split(task, &p->router,
						   spill->from_files ? spill->task.depth + 1 : 1);
		if (hj_spill_is_worth_joining(state, task))
			spill->tasks = lappend(spill->tasks, task);
		else
		{
			hj_spill_close_task(spill, task);
			pfree(task);
		}
	}
	MemoryContextSwitchTo(old);
	hj_partitions_free(p);
	spill->partitions = NULL;
}

/* The flags of a round in passes. */
static void
start_passes(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;
	HjJoinType	type = state->plan.jointype;

	spill->counters.in_passes++;
	if (hj_join_keeps_probe(type) || hj_join_first_match_only(type))
		spill->flags = hj_flag_file_create(spill->cxt);
}

static void
end_passes(HjSpill *spill)
{
	if (spill->flags != NULL)
	{
		spill->counters.bytes += spill->flags->bytes;
		hj_flag_file_close(spill->flags);
		spill->flags = NULL;
	}
	spill->in_passes = false;
	spill->flagged = 0;
}

/* Which round is next: one of this process's own, or one of all. */
static bool
take_task(HjJoinState *state, HjSpillTask *task)
{
	HjSpill    *spill = &state->spill;
	HjSpillTask *own;

	if (spill->tasks == NIL)
		return hj_parallel_shares(state->parallel) &&
			hj_shared_files_next_task(state, task);
	own = llast(spill->tasks);
	spill->tasks = list_delete_last(spill->tasks);
	*task = *own;
	pfree(own);
	return true;
}

/* Take the next partition in files; false if there is none. */
static bool
next_task(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;

	end_passes(spill);
	add_tasks(state);
	if (spill->from_files)
		hj_spill_close_task(spill, &spill->task);
	spill->from_files = take_task(state, &spill->task);
	if (!spill->from_files)
		return false;
	if (spill->task.build != NULL)
		hj_row_file_rewind(spill->task.build);
	spill->seen_rows = 0;
	state->array_policy.column = spill->task.stride_column;
	state->array_policy.stride_bits = spill->task.stride_bits;
	return true;
}

bool
hj_spill_next_round(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;
	bool		next_pass = spill->in_passes && !spill->last_pass;

	if (spill->cxt == NULL)
		return false;
	if (next_pass)
	{
		if (spill->flags != NULL)
			hj_flag_file_next_pass(spill->flags);
	}
	else if (!next_task(state))
		return false;
	hj_spill_unmatchable(state);
	hj_join_empty_table(state);
	load_rows(state);
	if (spill->in_passes && !next_pass)
		start_passes(state);
	spill->last_pass = spill->task.build == NULL ||
		spill->task.build->next >= spill->task.build->nrows;
	if (spill->task.probe != NULL)
		hj_row_file_rewind(spill->task.probe);
	hj_join_seal(state);
	return true;
}

void
hj_spill_unmatchable(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;
	HjRowStore *rows = &state->table->unmatchable;

	if (rows->nrows == 0)
		return;
	spill->used = true;
	if (spill->unmatchable == NULL)
		spill->unmatchable = hj_row_file_create(rows->layout, false,
												hj_spill_context(state));
	for (uint32 row = 0; row < rows->nrows; row++)
	{
		HjRawRow	raw;

		CHECK_FOR_INTERRUPTS();
		hj_row_store_raw(rows, row, &raw);
		hj_row_file_write(spill->unmatchable, &raw, 0);
	}
	hj_build_table_drop_unmatchable(state->table);
}

void
hj_spill_start_unmatchable(HjJoinState *state)
{
	if (state->spill.unmatchable != NULL)
		hj_row_file_rewind(state->spill.unmatchable);
}

bool
hj_spill_next_unmatchable(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;
	HjRawRow	raw;
	uint32		hash;

	if (spill->unmatchable == NULL ||
		!hj_row_file_read(spill->unmatchable, &raw, &hash))
		return false;
	hj_row_store_clear(&spill->loose);
	(void) hj_row_store_append_raw(&spill->loose, &raw);
	return true;
}

void
hj_spill_reset(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;
	ListCell   *lc;

	if (spill->cxt != NULL)
	{
		end_passes(spill);
		if (spill->partitions != NULL)
			hj_partitions_free(spill->partitions);
		foreach(lc, spill->tasks)
			hj_spill_close_task(spill, lfirst(lc));
		if (spill->from_files)
			hj_spill_close_task(spill, &spill->task);
		hj_spill_close_file(spill, &spill->unmatchable);
		hj_spill_close_file(spill, &spill->misses);
		MemoryContextDelete(spill->cxt);
	}
	spill->cxt = NULL;
	spill->partitions = NULL;
	spill->tasks = NIL;
	spill->from_files = false;
	spill->in_passes = false;
	spill->flagged = 0;
	spill->nunmatchable = 0;
	spill->used = false;
	spill->probe_rows = NULL;
	spill->miss_rows = NULL;
}
