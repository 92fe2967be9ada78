/*
 * join_shared_files.c
 *	  A parallel join in files: both sides are split into partitions, each process
 *	  writing files of its own; then each partition is joined by one process.
 *	  join_parallel.h describes the phases.
 *
 * The filter of all build rows is put together from those of the processes, which
 * leave them in files too: there may be no shared memory for it.  A probe row that
 * it rejects goes to no partition.  If the join must put it out, it is kept by the
 * process that read it, in a file of its own, since nobody may put out a row yet.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "executor/join_node.h"
#include "stats.h"

static FileSet *
file_set(const HjJoinState *state)
{
	return &state->parallel->shared->files.fs;
}

/* ----------------------------------------------------------------
 *		Build side
 * ----------------------------------------------------------------
 */

void
hj_shared_files_enter(HjJoinState *state)
{
	HjParallelJoin *parallel = state->parallel;
	HjSharedJoin *shared = parallel->shared;
	HjSharedRows *exported = &hj_shared_table(shared)->rows[parallel->process];
	HjSpill    *spill = &state->spill;
	HjRouter	router;
	double		expected;

	Assert(spill->partitions == NULL);
	/* the lock orders what was written before it was said that all go to files */
	SpinLockAcquire(&shared->mutex);
	router = shared->router;
	expected = shared->expected_rows;
	SpinLockRelease(&shared->mutex);
	hj_spill_unmatchable(state);
	spill->partitions =
		hj_partitions_create(&router, state->key, expected,
							 hj_spill_filter_bytes(expected),
							 hj_spill_context(state));
	hj_partitions_share(spill->partitions, file_set(state), parallel->process);
	spill->used = true;
	hj_stats.spilled_partitions += spill->partitions->n;

	if (state->table->rows.nrows > 0)
		hj_partitions_evict(spill->partitions, state->table, 0);
	state->table->source = NULL;
	hj_join_empty_table(state);
	if (parallel->building)
		hj_shared_free_own(parallel->area);
	parallel->building = false;
	exported->nrows = 0;
}

static void
filter_name(char *name, int process)
{
	snprintf(name, HJ_FILE_NAME_SIZE, "filter.%d", process);
}

/* Leave the filter of this process's rows to the others. */
static void
export_filter(HjJoinState *state)
{
	HjParallelJoin *parallel = state->parallel;
	const HjFilter *filter = state->spill.partitions->filter;
	char		name[HJ_FILE_NAME_SIZE];
	BufFile    *file;

	if (filter == NULL)
		return;
	filter_name(name, parallel->process);
	file = hj_temp_file_create_in_set(file_set(state), name, state->spill.cxt);
	hj_temp_file_write(file, &filter->nkeys, sizeof(filter->nkeys));
	hj_temp_file_write(file, filter->words, hj_filter_bytes(filter));
	BufFileExportFileSet(file);
	BufFileClose(file);
	*hj_shared_has_filter(parallel->shared, parallel->process) = true;
}

/* Add what another process has left. */
static void
import_filter(HjJoinState *state, int process)
{
	HjPartitions *p = state->spill.partitions;
	char		name[HJ_FILE_NAME_SIZE];
	BufFile    *file;
	uint64		nkeys;
	uint64		words[BLCKSZ / sizeof(uint64)];
	uint64		n;

	if (p->filter == NULL)
		p->filter = hj_filter_create(p->expected_rows, p->filter_bytes, p->cxt);
	filter_name(name, process);
	file = hj_temp_file_open_in_set(file_set(state), name, state->spill.cxt);
	hj_temp_file_read(file, &nkeys, sizeof(nkeys));
	p->filter->nkeys += nkeys;
	for (uint64 i = 0; i < p->filter->nwords; i += n)
	{
		CHECK_FOR_INTERRUPTS();
		n = Min(lengthof(words), p->filter->nwords - i);
		hj_temp_file_read(file, words, n * sizeof(uint64));
		for (uint64 j = 0; j < n; j++)
			p->filter->words[i + j] |= words[j];
	}
	BufFileClose(file);
}

/* Close the file, which others read from now on. */
static void
export_file(HjJoinState *state, HjSide side, int partition, HjRowFile **file)
{
	HjParallelJoin *parallel = state->parallel;

	if (*file == NULL)
		return;
	hj_row_file_export(*file);
	*hj_shared_file_rows(parallel->shared, side, partition,
						 parallel->process) = (*file)->nrows;
	hj_spill_close_file(&state->spill, file);
}

void
hj_shared_files_export_build(HjJoinState *state)
{
	HjPartitions *p = state->spill.partitions;

	for (int i = 0; i < p->n; i++)
		export_file(state, HJ_SIDE_BUILD, i, &p->parts[i].build);
	export_filter(state);
	hj_join_note_memory(state);
}

/* ----------------------------------------------------------------
 *		Probe side
 * ----------------------------------------------------------------
 */

void
hj_shared_files_partition_probe(HjJoinState *state)
{
	HjParallelJoin *parallel = state->parallel;
	HjSharedJoin *shared = parallel->shared;
	HjPartitions *p = state->spill.partitions;
	bool		keep = hj_join_keeps_probe(state->plan.jointype);

	for (int i = 0; i < shared->nprocesses; i++)
	{
		if (i != parallel->process && *hj_shared_has_filter(shared, i))
			import_filter(state, i);
	}
	/* NULL matches all, so there is no result */
	if (!hj_null_aware_start_probe(state))
	{
		hj_partitions_free(p);
		state->spill.partitions = NULL;
		return;
	}
	/* to look up in vain what goes to no partition */
	hj_join_seal(state);
	hj_join_divert_blocks(state);
	while (hj_join_fill_batch(state))
	{
		CHECK_FOR_INTERRUPTS();
		if (keep)
			hj_spill_keep_misses(state);
	}
	hj_batch_clear(state->batch, false);
	for (int i = 0; i < p->n; i++)
		export_file(state, HJ_SIDE_PROBE, i, &p->parts[i].probe);
	hj_join_note_memory(state);
	hj_partitions_free(p);
	state->spill.partitions = NULL;
}

/* ----------------------------------------------------------------
 *		Tasks
 * ----------------------------------------------------------------
 */

static uint64
rows_of(HjSharedJoin *shared, HjSide side, int partition)
{
	uint64		rows = 0;

	for (int i = 0; i < shared->nprocesses; i++)
		rows += *hj_shared_file_rows(shared, side, partition, i);
	return rows;
}

/*
 * What a process claims: a partition, or of a large one the rows of one side that one
 * process has written, to be joined with all of the other side.
 */
typedef struct HjPart
{
	int			partition;
	int			writer;			/* of the side that is divided; -1: none is */
	HjSide		divided;
	uint64		rows;
} HjPart;

static int
compare_parts(const void *a, const void *b)
{
	const HjPart *x = a;
	const HjPart *y = b;

	/* the same in all processes: the numbers are final, and ties are broken */
	if (x->rows != y->rows)
		return (x->rows > y->rows) ? -1 : 1;
	if (x->partition != y->partition)
		return x->partition - y->partition;
	return x->writer - y->writer;
}

/*
 * Which side can be divided?  A row that goes out without a match, or only once, has
 * to meet all rows of the other side in one process.
 */
static bool
divisible_side(const HjJoinState *state, uint64 build_rows, uint64 probe_rows,
			   HjSide *side)
{
	HjJoinType	type = state->plan.jointype;
	bool		by_build = !hj_join_keeps_probe(type) && !hj_join_first_match_only(type);
	bool		by_probe = !hj_join_marks_build(type);

	*side = (by_build && (!by_probe || build_rows > probe_rows)) ?
		HJ_SIDE_BUILD : HJ_SIDE_PROBE;
	return by_build || by_probe;
}

/* List a partition, in parts if it is more than a process's share of all. */
static void
list_partition(HjJoinState *state, int partition, uint64 share)
{
	HjParallelJoin *parallel = state->parallel;
	HjSharedJoin *shared = parallel->shared;
	uint64		build_rows = rows_of(shared, HJ_SIDE_BUILD, partition);
	uint64		probe_rows = rows_of(shared, HJ_SIDE_PROBE, partition);
	HjSide		side;

	if (build_rows + probe_rows <= share ||
		!divisible_side(state, build_rows, probe_rows, &side))
	{
		parallel->parts[parallel->nparts++] = (HjPart)
		{
			partition, -1, HJ_SIDE_BUILD, build_rows + probe_rows
		};
		return;
	}
	for (int i = 0; i < shared->nprocesses; i++)
		parallel->parts[parallel->nparts++] = (HjPart)
		{
			partition, i, side,
				*hj_shared_file_rows(shared, side, partition, i) +
				(side == HJ_SIDE_BUILD ? probe_rows : build_rows)
		};
}

/* The largest first, so that no process is left alone with it at the end. */
static void
list_parts(HjJoinState *state, int n)
{
	HjParallelJoin *parallel = state->parallel;
	HjSharedJoin *shared = parallel->shared;
	uint64		all = 0;

	parallel->parts = MemoryContextAlloc(state->spill.cxt,
										 n * shared->nprocesses * sizeof(HjPart));
	for (int i = 0; i < n; i++)
		all += rows_of(shared, HJ_SIDE_BUILD, i) + rows_of(shared, HJ_SIDE_PROBE, i);
	for (int i = 0; i < n; i++)
		list_partition(state, i, all / shared->nprocesses);
	qsort(parallel->parts, parallel->nparts, sizeof(HjPart), compare_parts);
}

/* One side of what was claimed; NULL if it has no rows. */
static HjRowFile *
open_side(HjJoinState *state, HjSide side, const HjPart *part,
		  const HjRowLayout *layout)
{
	HjSharedJoin *shared = state->parallel->shared;
	MemoryContext cxt = state->spill.cxt;
	HjRowFilePart *parts =
		MemoryContextAlloc(cxt, shared->nprocesses * sizeof(HjRowFilePart));
	bool		divided = part->writer >= 0 && part->divided == side;
	HjRowFile  *file;
	int			n = 0;

	for (int i = 0; i < shared->nprocesses; i++)
	{
		uint64		rows = *hj_shared_file_rows(shared, side, part->partition, i);

		if (rows == 0 || (divided && i != part->writer))
			continue;
		hj_partition_file_name(parts[n].name, side == HJ_SIDE_BUILD,
							   part->partition, i);
		parts[n++].nrows = rows;
	}
	if (n == 0)
	{
		pfree(parts);
		return NULL;
	}
	file = hj_row_file_open_parts(layout, !state->key->packed, file_set(state),
								  n, parts, cxt);
	file->keep_parts = part->writer >= 0 && !divided;
	return file;
}

static bool
own_misses(HjJoinState *state, HjSpillTask *task)
{
	HjSpill    *spill = &state->spill;

	if (spill->misses == NULL)
		return false;
	memset(task, 0, sizeof(*task));
	task->probe = spill->misses;
	task->misses = true;
	spill->misses = NULL;
	return true;
}

bool
hj_shared_files_next_task(HjJoinState *state, HjSpillTask *task)
{
	HjParallelJoin *parallel = state->parallel;
	HjSharedJoin *shared = parallel->shared;
	const HjRouter *router = &shared->router;
	uint32		claimed;

	if (!shared->in_files)
		return false;
	if (parallel->parts == NULL)
		list_parts(state, 1 << router->bits);
	while ((claimed = hj_claim_next(&shared->partitions, parallel->nparts)) <
		   parallel->nparts)
	{
		const HjPart *part = &parallel->parts[claimed];

		CHECK_FOR_INTERRUPTS();
		memset(task, 0, sizeof(*task));
		task->build = open_side(state, HJ_SIDE_BUILD, part,
								state->table->rows.layout);
		task->probe = open_side(state, HJ_SIDE_PROBE, part,
								hj_spill_probe_layout(state));
		hj_spill_set_split(task, router, 1);
		if (hj_spill_is_worth_joining(state, task))
			return true;
		hj_spill_close_task(&state->spill, task);
	}
	return own_misses(state, task);
}
