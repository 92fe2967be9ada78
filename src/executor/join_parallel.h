/*
 * join_parallel.h
 *	  A join whose table is built and probed by several processes.
 *
 * The build child is a partial plan: each process drains its share into chunks in
 * shared memory (shared/shared_table.h).  If all of it fits the limit, which is
 * that of one process times their number, they make one table of it.  If not, or
 * if there is not so much shared memory, they take everything to files: build
 * rows first, then, as nobody may put out a row yet, all probe rows that could
 * find a partner there; then partitions are claimed one by one (large ones in parts),
 * and each is joined by one process alone, in its own part of the memory, as any round of a join is
 * (join_spill.h): split again, in passes, unmatched rows and all.
 *
 *	 barrier phase	 one table					 files
 *	 DRAIN			 drain the build side; a process that finds too little memory
 *					 says so, and all go to files with what they have
 *	 DECIDE			 one process: which of the two; numbers the rows
 *	 PREPARE		 see all rows as one table,	 rest of the build rows to files
 *					 prepare the map's memory
 *	 MAKE			 link the rows				 probe rows to files
 *	 DONE			 probe						 join partitions
 *
 * A process may come in any phase and takes part from there on.  What it would
 * have drained before has been drained by the others.
 *
 * No deadlock
 *
 * - Processes wait for one another at the barrier only, and only those that are
 *	 attached are waited for.  A process is attached from its first call of the node
 *	 until before it puts out its first row, all within one call; while attached it
 *	 runs the children, the barrier, nothing else.  So an attached process is never
 *	 blocked on a full tuple queue, and never waits for the node above, a LIMIT, or
 *	 a client that does not fetch.  (nodeHashjoin.c goes by the same rule.)
 * - A child may be such a join itself.  Then a process is attached to both, waits at
 *	 the child's barrier, and those that it waits for there run the child's
 *	 children.  The order in the plan tree is an order of waiting: no cycle.
 * - Nothing else waits.  A prober that finishes says so (parallel/completion.h) and
 *	 goes on; whoever is the last puts out the build rows without a match.  A
 *	 partition is claimed or left.
 * - A worker that never starts never attaches.  The leader, if it does not take
 *	 part, does not either.
 * - A process that fails ends the statement: the leader is told, and ends the others,
 *	 which wait interruptibly.
 *
 * A process that comes so late that all others have completed finds nothing left:
 * the probe side was read to its end without it.
 */
#ifndef HJ_JOIN_PARALLEL_H
#define HJ_JOIN_PARALLEL_H

#include "postgres.h"

#include "access/parallel.h"
#include "nodes/extensible.h"
#include "storage/barrier.h"
#include "storage/sharedfileset.h"
#include "storage/spin.h"

#include "executor/join_counters.h"
#include "parallel/claim.h"
#include "parallel/completion.h"
#include "shared/shared_memory.h"
#include "shared/shared_table.h"
#include "spill/router.h"

struct HjJoinState;
struct HjSpillTask;

/* Partitions that all processes split both sides into: at most so many. */
#define HJ_MAX_SHARED_PARTITION_BITS 7
#define HJ_MAX_SHARED_PARTITIONS (1 << HJ_MAX_SHARED_PARTITION_BITS)

typedef enum HjSide
{
	HJ_SIDE_BUILD,
	HJ_SIDE_PROBE,
	HJ_NUM_SIDES
} HjSide;

/* In shared memory. */
typedef struct HjSharedJoin
{
	dsm_handle	segment;
	int			nprocesses;		/* the leader and the planned workers */
	bool		shares_table;	/* else each has its own: only counters here */
	Barrier		barrier;
	SharedFileSet files;

	Size		chunk_limit;	/* sets the size of all processes' chunks */
	pg_atomic_uint64 rows;		/* build rows so far, roughly */
	pg_atomic_uint32 to_files;	/* has anyone had too little memory? */
	pg_atomic_uint32 build_facts;	/* HJ_SAW_ROW, HJ_SAW_NULL: of the build side,
									 * complete when all have drained it */
	bool		in_files;		/* what was decided */
	slock_t		mutex;			/* of what follows, until DECIDE */
	bool		has_router;
	HjRouter	router;
	double		expected_rows;

	HjCompletion probers;		/* of one table */
	HjClaim		partitions;		/* in files */

	Size		counters;		/* offsets of what stands behind this */
	Size		file_rows;
	Size		filters;
	Size		table;
	Size		memory;
} HjSharedJoin;

static inline HjProcessCounters *
hj_shared_counters(HjSharedJoin *shared, int process)
{
	return (HjProcessCounters *) ((char *) shared + shared->counters) + process;
}

/* Rows in the file of one side, partition and process. */
static inline uint64 *
hj_shared_file_rows(HjSharedJoin *shared, HjSide side, int partition, int process)
{
	uint64	   *rows = (uint64 *) ((char *) shared + shared->file_rows);

	return rows + ((Size) side * HJ_MAX_SHARED_PARTITIONS + partition) *
		shared->nprocesses + process;
}

/* Has a process left a filter of its build rows in a file? */
static inline bool *
hj_shared_has_filter(HjSharedJoin *shared, int process)
{
	return (bool *) ((char *) shared + shared->filters) + process;
}

static inline HjSharedTable *
hj_shared_table(HjSharedJoin *shared)
{
	return (HjSharedTable *) ((char *) shared + shared->table);
}

static inline HjSharedMemory *
hj_shared_memory(HjSharedJoin *shared)
{
	return (HjSharedMemory *) ((char *) shared + shared->memory);
}

/* One process's part. */
typedef struct HjParallelJoin
{
	HjSharedJoin *shared;
	HjSharedArea *area;			/* NULL: shares nothing */
	int			process;		/* 0: the leader */
	HjSharedChunks chunks;
	uint64		reported_rows;	/* counted in shared->rows */
	bool		building;		/* does the table's memory come from there? */
	bool		decided;		/* was it this process that did? */
	bool		mapped;			/* does the table show the rows of all? */
	bool		probing;		/* attached to probers */
	bool		last;			/* completed, and found itself last */
	struct HjPart *parts;		/* what can be claimed, largest first; NULL: not
								 * yet listed */
	uint32		nparts;
} HjParallelJoin;

/* DSM callbacks of the node. */
extern Size hj_parallel_estimate(CustomScanState *node, ParallelContext *pcxt);
extern void hj_parallel_init_dsm(CustomScanState *node, ParallelContext *pcxt,
								 void *coordinate);
extern void hj_parallel_reinit_dsm(CustomScanState *node, ParallelContext *pcxt,
								   void *coordinate);
extern void hj_parallel_init_worker(CustomScanState *node, shm_toc *toc,
									void *coordinate);
extern void hj_parallel_shutdown(CustomScanState *node);

/* Does the node share its table, or its files, with other processes? */
static inline bool
hj_parallel_shares(const HjParallelJoin *parallel)
{
	return parallel != NULL && parallel->shared->shares_table;
}

/*
 * All of the barrier's phases.  Afterwards there is a sealed table, or there are
 * partitions in files to be joined.
 */
extern void hj_parallel_build(struct HjJoinState *state);

/* After that: a table to probe?  False: partitions in files, or nothing is left. */
extern bool hj_parallel_begin_probe(struct HjJoinState *state);

/*
 * The probe side has been read to its end.  True if this process has to put out
 * the build rows without a match.
 */
extern bool hj_parallel_end_probe(struct HjJoinState *state);

/*
 * The process needs the table no longer, whether or not it has finished.  The
 * last one frees it.
 */
extern void hj_parallel_leave(struct HjJoinState *state);

/*
 * What all processes have seen of the build side, when all have drained it: facts of
 * parallel/completion.h.
 */
extern uint32 hj_parallel_build_facts(const struct HjJoinState *state);

/* Build rows were appended; if memory is short, go to files. */
extern void hj_parallel_check_memory(struct HjJoinState *state);

/*
 * join_shared_files.c
 */

/* This process's build rows leave memory, and further ones never enter it. */
extern void hj_shared_files_enter(struct HjJoinState *state);

/* Its build rows are all in files: let others read them. */
extern void hj_shared_files_export_build(struct HjJoinState *state);

/* All processes' build rows are: take this one's probe rows to files. */
extern void hj_shared_files_partition_probe(struct HjJoinState *state);

/* The next partition that nobody has joined yet; false if there is none. */
extern bool hj_shared_files_next_task(struct HjJoinState *state,
									  struct HjSpillTask *task);

#endif							/* HJ_JOIN_PARALLEL_H */
