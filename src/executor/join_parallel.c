/*
 * join_parallel.c
 *	  A join whose table is built and probed by several processes: its shared
 *	  memory and the phases of building.  join_parallel.h says how, and why nobody
 *	  waits for ever.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"

#include "executor/join_node.h"
#include "settings.h"
#include "stats.h"

/* Rows with a NULL key that a process keeps in memory: this part, or these. */
#define HJ_UNMATCHABLE_IN_MEMORY 32
#define HJ_FEW_UNMATCHABLE_BYTES ((Size) 64 * 1024)

/* Phases of the barrier. */
typedef enum BuildPhase
{
	BUILD_DRAIN,
	BUILD_DECIDE,
	BUILD_PREPARE,
	BUILD_MAKE,
	BUILD_DONE
} BuildPhase;

/* ----------------------------------------------------------------
 *		Shared memory
 * ----------------------------------------------------------------
 */

/* Set the offsets; returns the size of all. */
static Size
lay_out(HjSharedJoin *shared, int n, bool shares_table)
{
	Size		at = MAXALIGN(sizeof(HjSharedJoin));

	shared->nprocesses = n;
	shared->shares_table = shares_table;
	shared->counters = at;
	at += MAXALIGN(mul_size(n, sizeof(HjProcessCounters)));
	if (!shares_table)
		return at;
	shared->file_rows = at;
	at += MAXALIGN(mul_size(n, HJ_NUM_SIDES * HJ_MAX_SHARED_PARTITIONS * sizeof(uint64)));
	shared->filters = at;
	at += MAXALIGN(n * sizeof(bool));
	shared->table = at;
	at += MAXALIGN(hj_shared_table_size(n));
	shared->memory = at;
	return at + sizeof(HjSharedMemory);
}

Size
hj_parallel_estimate(CustomScanState *node, ParallelContext *pcxt)
{
	HjSharedJoin layout;

	return lay_out(&layout, pcxt->nworkers + 1,
				   ((HjJoinState *) node)->plan.shares_table);
}

/* As before the first row. */
static void
init_shared(HjSharedJoin *shared)
{
	memset(hj_shared_counters(shared, 0), 0,
		   shared->nprocesses * sizeof(HjProcessCounters));
	if (!shared->shares_table)
		return;
	BarrierInit(&shared->barrier, 0);
	pg_atomic_write_u64(&shared->rows, 0);
	pg_atomic_write_u32(&shared->to_files, 0);
	pg_atomic_write_u32(&shared->build_facts, 0);
	shared->in_files = false;
	shared->has_router = false;
	hj_completion_init(&shared->probers);
	hj_claim_init(&shared->partitions);
	memset(hj_shared_file_rows(shared, 0, 0, 0), 0,
		   shared->nprocesses * HJ_NUM_SIDES * HJ_MAX_SHARED_PARTITIONS * sizeof(uint64));
	memset(hj_shared_has_filter(shared, 0), 0, shared->nprocesses * sizeof(bool));
	hj_shared_table_init(hj_shared_table(shared), shared->nprocesses);
}

/* Take over what workers have counted; none of them is left. */
static void
collect_counters(HjJoinState *state, HjSharedJoin *shared)
{
	for (int i = 0; i < state->nworkers && i + 1 < shared->nprocesses; i++)
		hj_counters_add_scan(&state->workers[i], hj_shared_counters(shared, i + 1));
	if (shared->shares_table)
		state->shared_peak = Max(state->shared_peak,
								 hj_shared_memory_peak(hj_shared_memory(shared)));
}

/* The segment is about to go.  The node's own memory outlives it. */
static void
collect_at_detach(dsm_segment *seg, Datum arg)
{
	HjJoinState *state = (HjJoinState *) DatumGetPointer(arg);

	if (state->workers_shared != NULL)
		collect_counters(state, state->workers_shared);
	state->workers_shared = NULL;
}

static HjParallelJoin *
make_part(HjJoinState *state, HjSharedJoin *shared, int process)
{
	HjParallelJoin *parallel =
		MemoryContextAllocZero(state->css.ss.ps.state->es_query_cxt,
							   sizeof(HjParallelJoin));

	parallel->shared = shared;
	parallel->process = process;
	return parallel;
}

void
hj_parallel_init_dsm(CustomScanState *node, ParallelContext *pcxt,
					 void *coordinate)
{
	HjJoinState *state = (HjJoinState *) node;
	HjSharedJoin *shared = coordinate;

	/* no shared memory at all: the leader is alone */
	if (pcxt->seg == NULL)
		return;
	(void) lay_out(shared, pcxt->nworkers + 1, state->plan.shares_table);
	shared->segment = dsm_segment_handle(pcxt->seg);
	shared->chunk_limit = (hj_debug_table_bytes > 0) ? (Size) hj_debug_table_bytes :
		get_hash_memory_limit();
	pg_atomic_init_u64(&shared->rows, 0);
	pg_atomic_init_u32(&shared->to_files, 0);
	pg_atomic_init_u32(&shared->build_facts, 0);
	SpinLockInit(&shared->mutex);
	init_shared(shared);
	state->parallel = make_part(state, shared, 0);
	if (shared->shares_table)
	{
		SharedFileSetInit(&shared->files, pcxt->seg);
		state->parallel->area = hj_shared_memory_create(hj_shared_memory(shared),
														pcxt->seg);
	}
	if (state->workers == NULL)
	{
		state->nworkers = pcxt->nworkers;
		state->workers =
			MemoryContextAllocZero(state->css.ss.ps.state->es_query_cxt,
								   (pcxt->nworkers + 1) * sizeof(HjProcessCounters));
	}
	state->workers_shared = shared;
	on_dsm_detach(pcxt->seg, collect_at_detach, PointerGetDatum(state));
}

/* The workers of the last scan are gone, those of the next not yet there. */
void
hj_parallel_reinit_dsm(CustomScanState *node, ParallelContext *pcxt,
					   void *coordinate)
{
	HjJoinState *state = (HjJoinState *) node;
	HjParallelJoin *parallel = state->parallel;

	if (parallel == NULL)
		return;
	collect_counters(state, parallel->shared);
	if (parallel->shared->shares_table)
	{
		if (state->allocated)
			hj_join_discard_table(state);
		hj_shared_memory_reset(parallel->area);
		SharedFileSetDeleteAll(&parallel->shared->files);
		state->parallel = make_part(state, parallel->shared, 0);
		state->parallel->area = parallel->area;
		pfree(parallel);
	}
	init_shared(coordinate);
}

void
hj_parallel_init_worker(CustomScanState *node, shm_toc *toc, void *coordinate)
{
	HjJoinState *state = (HjJoinState *) node;
	HjSharedJoin *shared = coordinate;
	dsm_segment *seg = dsm_find_mapping(shared->segment);

	state->parallel = make_part(state, shared, ParallelWorkerNumber + 1);
	if (!shared->shares_table)
		return;
	SharedFileSetAttach(&shared->files, seg);
	state->parallel->area = hj_shared_memory_attach(hj_shared_memory(shared), seg,
													state->parallel->process);
}

/* The process will not run the node again, unless all begins anew. */
void
hj_parallel_shutdown(CustomScanState *node)
{
	HjJoinState *state = (HjJoinState *) node;
	HjParallelJoin *parallel = state->parallel;

	if (parallel == NULL)
		return;
	if (parallel->shared->shares_table)
	{
		uint64		bytes = hj_spill_disk_bytes(&state->spill);

		hj_parallel_leave(state);
		if (state->allocated)
			hj_join_discard_table(state);
		state->spill.counters.bytes = bytes;
		state->phase = HJ_PHASE_DONE;
		hj_shared_unmap(parallel->area);
	}
	if (parallel->process > 0)
	{
		HjProcessCounters *mine = hj_shared_counters(parallel->shared,
													 parallel->process);

		mine->join = state->counters;
		mine->spill = state->spill.counters;
		mine->used = state->node_cxt != NULL;
	}
	state->parallel = NULL;
}

/* ----------------------------------------------------------------
 *		Memory
 * ----------------------------------------------------------------
 */

/* What the table may take, all processes together. */
static Size
shared_limit(const HjJoinState *state)
{
	return hj_spill_table_limit(state) * state->parallel->shared->nprocesses;
}

/*
 * How much may all regions take, so that the table can still be made within the
 * limit of all?
 */
static Size
room(void *arg)
{
	HjJoinState *state = arg;
	HjParallelJoin *parallel = state->parallel;
	HjSharedJoin *shared = parallel->shared;
	uint64		mine = state->spill.seen_rows;
	uint64		rows;
	Size		limit = shared_limit(state);
	Size		map;

	rows = pg_atomic_add_fetch_u64(&shared->rows, mine - parallel->reported_rows);
	parallel->reported_rows = mine;
	if (pg_atomic_read_u32(&shared->to_files) != 0)
		return 0;
	/* each process may be about to fill such a chunk */
	rows += (uint64) shared->nprocesses * (state->table->rows.chunk_mask + 1);
	map = hj_shared_map_bytes(state->table, rows,
							  hj_join_marks_build(state->plan.jointype));
	return limit - Min(limit, map);
}

/* It does not fit: everybody to files, by the same router. */
static void
request_files(HjJoinState *state)
{
	HjSharedJoin *shared = state->parallel->shared;
	HjRouter	router;
	double		expected;

	hj_spill_choose_shared_router(state, pg_atomic_read_u64(&shared->rows),
								  shared->nprocesses, &router, &expected);
	SpinLockAcquire(&shared->mutex);
	if (!shared->has_router)
	{
		shared->router = router;
		shared->expected_rows = expected;
		shared->has_router = true;
	}
	SpinLockRelease(&shared->mutex);
	pg_atomic_fetch_or_u32(&shared->to_files, 1);
}

/*
 * Rows that can match nothing are this process's own, and leave memory as soon as
 * they are more than a small part of it.
 */
static void
check_unmatchable(HjJoinState *state)
{
	const HjRowStore *rows = &state->table->unmatchable;

	if (rows->bytes > HJ_FEW_UNMATCHABLE_BYTES &&
		rows->bytes > hj_spill_table_limit(state) / HJ_UNMATCHABLE_IN_MEMORY)
		hj_spill_unmatchable(state);
}

void
hj_parallel_check_memory(HjJoinState *state)
{
	HjParallelJoin *parallel = state->parallel;

	check_unmatchable(state);
	if (state->spill.partitions != NULL)
		return;
	if (parallel->chunks.refused)
		request_files(state);
	else if (pg_atomic_read_u32(&parallel->shared->to_files) == 0)
		return;
	hj_shared_files_enter(state);
}

/* ----------------------------------------------------------------
 *		Phases
 * ----------------------------------------------------------------
 */

/* Drain this process's share of the build side. */
static void
drain(HjJoinState *state)
{
	HjParallelJoin *parallel = state->parallel;
	HjSharedJoin *shared = parallel->shared;

	hj_shared_chunks_init(&parallel->chunks, parallel->area,
						  state->build_ps->plan->plan_rows *
						  state->table->rows.layout->row_size,
						  hj_spill_table_limit(state), room, state);
	state->table->chunk_limit = shared->chunk_limit;
	hj_build_table_set_source(state->table, &parallel->chunks.source);
	parallel->building = true;
	hj_join_drain(state);
	pg_atomic_fetch_add_u64(&shared->rows,
							state->spill.seen_rows - parallel->reported_rows);
	parallel->reported_rows = state->spill.seen_rows;
	pg_atomic_fetch_or_u32(&shared->build_facts, hj_null_aware_build_facts(state));
	if (state->spill.partitions != NULL)
		return;
	if (parallel->chunks.refused ||
		!hj_shared_table_export(hj_shared_table(shared), parallel->area,
								parallel->process, state->table,
								&parallel->chunks))
		request_files(state);
}

/* In one process, when all rows are drained: one table, or files? */
static void
decide(HjJoinState *state)
{
	HjParallelJoin *parallel = state->parallel;
	HjSharedJoin *shared = parallel->shared;

	if (pg_atomic_read_u32(&shared->to_files) == 0 &&
		!hj_shared_table_shape(hj_shared_table(shared), parallel->area,
							   state->table, &state->array_policy,
							   shared_limit(state),
							   hj_join_marks_build(state->plan.jointype)))
		request_files(state);
	shared->in_files = pg_atomic_read_u32(&shared->to_files) != 0;
	if (shared->in_files)
	{
		state->spill.counters.partitions += 1 << shared->router.bits;
		state->spill.counters.spilled += 1 << shared->router.bits;
	}
	state->counters.table_builds++;
	parallel->decided = true;
}

/* See the rows of all processes as one table. */
static void
map_table(HjJoinState *state)
{
	HjParallelJoin *parallel = state->parallel;

	hj_shared_table_map(hj_shared_table(parallel->shared), parallel->area,
						state->table, &state->match_bits);
	parallel->building = false;
	parallel->mapped = true;
}

static void
prepare(HjJoinState *state)
{
	HjSharedJoin *shared = state->parallel->shared;

	if (!shared->in_files)
	{
		map_table(state);
		hj_shared_table_prepare(hj_shared_table(shared), state->parallel->area);
		return;
	}
	if (state->spill.partitions == NULL)
		hj_shared_files_enter(state);
	hj_shared_files_export_build(state);
}

static void
make(HjJoinState *state)
{
	HjSharedJoin *shared = state->parallel->shared;

	if (shared->in_files)
	{
		if (state->spill.partitions == NULL)
			hj_shared_files_enter(state);
		hj_shared_files_partition_probe(state);
		return;
	}
	if (!state->parallel->mapped)
		map_table(state);
	hj_shared_table_link(hj_shared_table(shared), state->parallel->area, state->table,
						 &state->match_bits);
}

uint32
hj_parallel_build_facts(const HjJoinState *state)
{
	return pg_atomic_read_u32(&state->parallel->shared->build_facts);
}

/* From the phase in which the process comes to the last. */
static void
run_phases(HjJoinState *state)
{
	HjSharedJoin *shared = state->parallel->shared;
	Barrier    *barrier = &shared->barrier;

	switch (BarrierAttach(barrier))
	{
		case BUILD_DRAIN:
			drain(state);
			if (BarrierArriveAndWait(barrier, PG_WAIT_EXTENSION))
				decide(state);
			/* FALLTHROUGH */
		case BUILD_DECIDE:
			BarrierArriveAndWait(barrier, PG_WAIT_EXTENSION);
			/* FALLTHROUGH */
		case BUILD_PREPARE:
			prepare(state);
			BarrierArriveAndWait(barrier, PG_WAIT_EXTENSION);
			/* FALLTHROUGH */
		case BUILD_MAKE:
			hj_null_aware_note_build(state);
			make(state);
			BarrierArriveAndWait(barrier, PG_WAIT_EXTENSION);
			/* FALLTHROUGH */
		case BUILD_DONE:
			break;
		default:
			elog(ERROR, "unexpected phase of a parallel hash join");
	}
	BarrierDetach(barrier);
}

void
hj_parallel_build(HjJoinState *state)
{
	hj_spill_start(state);
	run_phases(state);
	state->counters.build_rows = state->spill.seen_rows + state->spill.nunmatchable;
	state->table_valid = true;
	hj_join_note_memory(state);
	hj_stats.joins++;
}

/* The map is made, and this process may probe it. */
static void
see_table(HjJoinState *state)
{
	HjParallelJoin *parallel = state->parallel;

	if (!parallel->mapped)
		map_table(state);
	hj_shared_table_seal(hj_shared_table(parallel->shared), state->table);
	state->row_by_row = state->block_probe == NULL && state->key->packed &&
		hj_shared_memory_used(hj_shared_memory(parallel->shared)) <= HJ_CACHE_BYTES;
	hj_join_divert_blocks(state);
	if (parallel->decided)
		hj_join_note_map(state);
}

bool
hj_parallel_begin_probe(HjJoinState *state)
{
	HjParallelJoin *parallel = state->parallel;
	HjSharedJoin *shared = parallel->shared;
	bool		wanted = hj_null_aware_start_probe(state);

	if (shared->in_files)
	{
		(void) hj_spill_context(state);
		return false;
	}
	/* before the table is looked at: the last one to leave frees it */
	parallel->probing = hj_completion_attach(&shared->probers);
	if (!parallel->probing)
		return false;
	see_table(state);
	return wanted && (hj_shared_table(shared)->nrows > 0 ||
					  hj_join_keeps_probe(state->plan.jointype));
}

bool
hj_parallel_end_probe(HjJoinState *state)
{
	HjParallelJoin *parallel = state->parallel;
	uint32		seen = 0;

	if (!parallel->probing)
		return false;
	parallel->probing = false;
	parallel->last = hj_completion_complete(&parallel->shared->probers, 0, &seen);
	return parallel->last && (seen & HJ_ABANDONED) == 0 &&
		hj_join_keeps_build(state->plan.jointype);
}

void
hj_parallel_leave(HjJoinState *state)
{
	HjParallelJoin *parallel = state->parallel;
	uint32		seen;

	if (parallel->probing)
		parallel->last = hj_completion_complete(&parallel->shared->probers,
												HJ_ABANDONED, &seen);
	parallel->probing = false;
	if (parallel->last)
		hj_shared_free_all(parallel->area);
	parallel->last = false;
	hj_shared_unmap(parallel->area);
}
