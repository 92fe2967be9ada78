/*
 * join_spill.h
 *	  Joining a build side that does not fit in memory.
 *
 * The join goes in rounds.  The first round's rows come from the children; when
 * the table would exceed its memory, the join is split into partitions, and the
 * largest of them leave for files (hybrid hash join: DeWitt et al.,
 * "Implementation Techniques for Main Memory Database Systems", 1984; the
 * choice of victims as in Nakayama, Kitsuregawa, Takagi, "Hash-Partitioned Join
 * Method Using Dynamic Destaging Strategy", 1988).  Probe rows of the resident
 * partitions are joined at once, the others follow their partition.  Each
 * partition in files is then a round of its own, which may be split again, by
 * further bits of the route.
 *
 * A partition of which most rows are of one key cannot be split.  It is joined
 * in passes: as many build rows as fit, all probe rows, then the next build
 * rows; a bit for each probe row tells who has found a match.
 *
 * So the memory held is bounded for every input: one table, and the buffers of
 * the files that are open.
 *
 * Matches of a probe row come in build order: rows of one key are in the same
 * round, in the order in which they came, and passes go on in that order.
 */
#ifndef HJ_JOIN_SPILL_H
#define HJ_JOIN_SPILL_H

#include "postgres.h"

#include "batch/block.h"
#include "executor/join_counters.h"
#include "spill/flag_file.h"
#include "spill/partitions.h"
#include "table/build_table.h"

struct HjJoinState;

/* The filter of the rows in files is at most this part of the memory. */
#define HJ_FILTER_IN_MEMORY 16

/* A partition in files, to be joined in a round of its own. */
typedef struct HjSpillTask
{
	HjRowFile  *build;			/* NULL: no rows */
	HjRowFile  *probe;
	HjRouter	router;			/* of the split that it comes from */
	int			depth;			/* number of splits above it */
	int			stride_column;	/* key column of which all rows share */
	int			stride_bits;	/* these low bits */
	bool		misses;			/* probe rows known to find no partner: no build
								 * file, and the keys were not kept */
} HjSpillTask;

/* Probe rows on their way to a file and back. */
typedef struct HjProbeRows
{
	HjRowLayout *layout;		/* the batch's columns, then unpacked keys */
	int			ncols;
	HjRowStore	staging;
	MemoryContext cxt;			/* of staging; reset with it */
	Datum	   *row_values;		/* one row */
	bool	   *row_nulls;
	int		   *cols;			/* 0, 1, ... */
	Datum	  **values;			/* a block's rows, by column */
	bool	  **nulls;
	int			capacity;		/* of what follows, and of those arrays */
	int		   *rows;			/* which rows of the block */
	HjPartition **parts;
	uint32	   *numbers;		/* rows of staging */
	uint32	   *hashes;
} HjProbeRows;

typedef struct HjSpill
{
	MemoryContext cxt;			/* owns files and tasks; NULL: none ever */
	HjPartitions *partitions;	/* the split of this round, or NULL */
	List	   *tasks;			/* rounds to come, HjSpillTask, last first */
	bool		from_files;		/* is this round's input `task`? */
	HjSpillTask task;
	bool		used;			/* has anything gone to a file? */
	uint64		seen_rows;		/* build rows of this round so far */
	uint64		nunmatchable;	/* unmatchable ones of the first round */
	Size		checked_bytes;	/* memory when it was last looked at */
	uint64		checked_rows;

	bool		in_passes;
	bool		last_pass;
	HjFlagFile *flags;			/* of the join types that need them */
	int			flagged;		/* rows of the batch whose flags are due */

	HjRowFile  *unmatchable;	/* rows that left memory, or NULL */
	HjRowStore	staging;		/* build rows on their way to a file, and */
	MemoryContext staging_cxt;	/* unmatchable ones on their way back */
	HjRowStore	loose;
	HjProbeRows *probe_rows;	/* NULL until needed */
	HjProbeRows *miss_rows;		/* the same without keys */
	HjRowFile  *misses;			/* those of a parallel join; NULL: none yet */

	HjSpillCounters counters;
} HjSpill;

/*
 * join_rounds.c: store a build row; as hj_build_table_append, but it may go to
 * a file.  Errors: also those of hj_row_file_write.
 */
extern void hj_spill_store_row(struct HjJoinState *state, bool matchable,
							   uint64 word, uint64 hash,
							   const Datum *values, const bool *nulls);

/* join_memory.c: rows were appended to the table; make room if need be. */
extern void hj_spill_check_memory(struct HjJoinState *state);

/*
 * join_memory.c: is it time to look at the memory again?  The map grows with the
 * rows, everything else by the chunk.
 */
extern bool hj_spill_time_to_look(struct HjJoinState *state);

/* join_memory.c: would the table, some chunks larger and sealed, be too large? */
extern bool hj_spill_is_too_large(const struct HjJoinState *state);

/* join_rounds.c: the context of files and tasks, made if there is none yet. */
extern MemoryContext hj_spill_context(struct HjJoinState *state);

/* join_rounds.c: rows with a NULL key need no table: they leave memory. */
extern void hj_spill_unmatchable(struct HjJoinState *state);

/* join_rounds.c: before the first build row. */
extern void hj_spill_start(struct HjJoinState *state);

/* join_rounds.c: are any partitions of this round in files? */
static inline bool
hj_spill_diverts(const HjSpill *spill)
{
	return spill->partitions != NULL && spill->partitions->nspilled > 0;
}

/*
 * join_rounds.c: all of this round has been joined; load the next one's table.
 * False if there is none.
 */
extern bool hj_spill_next_round(struct HjJoinState *state);

/*
 * join_rounds.c: unmatchable rows that are in a file: begin with the first; the
 * next one, in spill->loose, or false.
 */
extern void hj_spill_start_unmatchable(struct HjJoinState *state);
extern bool hj_spill_next_unmatchable(struct HjJoinState *state);

/* join_rounds.c: close all files; as before the first build row. */
extern void hj_spill_reset(struct HjJoinState *state);

/* join_memory.c: what the table may take of the memory limit. */
extern Size hj_spill_table_limit(const struct HjJoinState *state);

/* join_memory.c: what the filter of so many build rows in files may take. */
extern Size hj_spill_filter_bytes(double rows);

/*
 * join_memory.c: how all processes of a parallel join split it, when so many rows
 * have been seen by all; and how many there may be.
 */
extern void hj_spill_choose_shared_router(const struct HjJoinState *state,
										  double seen, int nprocesses,
										  HjRouter *router, double *expected);

/* join_rounds.c: close it, and count what was written. */
extern void hj_spill_close_file(HjSpill *spill, HjRowFile **file);
extern void hj_spill_close_task(HjSpill *spill, HjSpillTask *task);

/* join_rounds.c: which split, so deep, the round comes from. */
extern void hj_spill_set_split(HjSpillTask *task, const HjRouter *router, int depth);

/* join_rounds.c: can rows come of it? */
extern bool hj_spill_is_worth_joining(const struct HjJoinState *state,
									  const HjSpillTask *task);

/* join_divert.c: layout of probe rows in files. */
extern const HjRowLayout *hj_spill_probe_layout(struct HjJoinState *state);

/*
 * join_divert.c: the batch's rows, which find no partner, go to a file of this
 * process's own, to be put out later.
 */
extern void hj_spill_keep_misses(struct HjJoinState *state);

/* join_memory.c: memory that is neither the table's nor fixed. */
extern Size hj_spill_memory(const HjSpill *spill);

/* join_memory.c: bytes written to temporary files, over rescans. */
extern Size hj_spill_disk_bytes(const HjSpill *spill);

/* join_divert.c: probe rows of the batch that belong to files leave it. */
extern void hj_spill_divert_batch(struct HjJoinState *state);

/* join_divert.c: the same for rows of a block; an HjDivertRows. */
extern void hj_spill_divert_block(void *arg, const HjBlock *block,
								  HjKeySet *keys, bool *gone);

/* join_divert.c: the next batch of a round from files, looked up. */
extern bool hj_spill_next_batch(struct HjJoinState *state);

/*
 * join_divert.c: of a chunk of matches in a pass, drop what is not to be put
 * out yet, or was put out in an earlier pass.
 */
extern void hj_spill_filter_chunk(struct HjJoinState *state);

#endif							/* HJ_JOIN_SPILL_H */
