/*
 * join_node.h
 *	  State of the join node, shared by the files of executor/.
 */
#ifndef HJ_JOIN_NODE_H
#define HJ_JOIN_NODE_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/extensible.h"

#include "batch/batch.h"
#include "batch/block.h"
#include "batch/block_probe.h"
#include "batch/source.h"
#include "executor/join_counters.h"
#include "executor/join_null_aware.h"
#include "executor/join_parallel.h"
#include "executor/join_spill.h"
#include "planner/join_plan.h"
#include "table/build_table.h"
#include "table/match_bits.h"
#include "table/probe.h"

/*
 * A table up to this size is probed row by row.  About the second-level cache
 * of a current server processor; up to there, a look-up costs less than the
 * copying that batches need.
 */
#define HJ_CACHE_BYTES (2 * 1024 * 1024)

/* The phases; join_node.c draws them. */
typedef enum HjPhase
{
	HJ_PHASE_BUILD,
	HJ_PHASE_PROBE,
	HJ_PHASE_UNMATCHED,			/* build rows without a match */
	HJ_PHASE_NEXT_ROUND,		/* a partition in files */
	HJ_PHASE_UNMATCHABLE,		/* build rows with a NULL key */
	HJ_PHASE_DONE
} HjPhase;

/* Where a stored column's value comes from when the build side is drained. */
typedef struct HjBuildColumn
{
	int			key;			/* index of the key column, or -1 */
	AttrNumber	attno;			/* else the column of build_source's rows; with
								 * both, the key is that plain column */
} HjBuildColumn;

/* A plain column of the output. */
typedef struct HjOutputColumn
{
	int			target;			/* of the result slot, from 0 */
	int			index;			/* of its source's columns */
} HjOutputColumn;

/* A block of build rows on its way into the table. */
typedef struct HjBuildBlocks
{
	HjBlockKeys keys;
	Datum	  **values;			/* by stored column, then row */
	bool	  **nulls;
} HjBuildBlocks;

/*
 * The output rows of a chunk of matches, as columns: of one column of the
 * result, what it is made of.
 */
typedef struct HjChunkColumn
{
	int			index;			/* of the batch's columns, if it is one of them */
	const Datum *values;		/* of this chunk's rows */
	const bool *nulls;
	Datum	   *own_values;		/* room for a chunk */
	bool	   *own_nulls;
} HjChunkColumn;

typedef struct HjJoinState
{
	CustomScanState css;		/* must be first */

	HjPlanData	plan;
	PlanState  *probe_ps;
	PlanState  *build_ps;

	/* Expressions, on outer = probe row and inner = build row. */
	ExprState  *residual;		/* ON clauses that are not hash clauses */
	ExprState  *gate;			/* clauses without variables, or NULL */
	HjKeyEval  *probe_keys;
	HjKeyEval  *build_keys;
	ExprContext *probe_econtext;	/* for keys; per-tuple memory = the batch's */
	ExprContext *build_econtext;	/* for keys; its per-tuple memory holds them
									 * while equality functions reset scratch */
	List	   *probe_attnos;	/* columns that output or residual need */
	List	   *build_attnos;
	Bitmapset  *build_key_params;	/* PARAM_EXEC ids in build keys */
	bool		build_keys_have_subplan;

	/* Slots that those expressions read; all virtual. */
	TupleTableSlot *probe_slot;
	TupleTableSlot *build_slot;
	TupleTableSlot *null_probe_slot;
	TupleTableSlot *null_build_slot;

	HjSource	probe_source;
	HjSource	build_source;

	/* Made at first execution; NULL before. */
	bool		allocated;		/* all of it, arrays included */
	HjJoinKey  *key;
	HjBuildTable *table;
	MemoryContext node_cxt;		/* owns all of it */
	MemoryContext array_cxt;	/* batches and blocks: of fixed size */
	Size		fixed_bytes;	/* of everything but table and files */
	MemoryContext table_cxt;
	MemoryContext scratch_cxt;
	int			nbuild_columns;
	HjBuildColumn *build_columns;
	Datum	   *build_values;	/* one row being stored */
	bool	   *build_nulls;
	HjBuildBlocks *build_blocks;	/* build rows come in blocks, or NULL */
	int			nload;			/* columns that go into build_slot */
	int		   *load_columns;	/* stored column */
	AttrNumber *load_attnos;	/* column of build_slot */
	Datum	   *load_values;
	bool	   *load_nulls;
	HjMatchBits match_bits;		/* bits are NULL unless the join marks rows */
	HjBatch    *batch;
	uint32	   *heads;			/* of the batch's rows */
	bool	   *row_matched;	/* of the batch's rows */

	/*
	 * The output row, if it is plain columns and no clause needs the two rows
	 * in slots: written directly into the result slot.
	 */
	bool		direct_output;
	int			nout_probe;
	HjOutputColumn *out_probe;	/* index: of the batch's columns */
	int			nout_build;
	HjOutputColumn *out_build;	/* index: of the loaded columns */

	/*
	 * If besides no residual has to see each pair, whole chunks go out as
	 * columns; a parent node of ours takes them as blocks.
	 */
	bool		chunked;
	int			nchunk_cols;
	HjChunkColumn *chunk_cols;	/* by column of the result */
	Datum	  **load_chunk;		/* by loaded column: where its values go */
	bool	  **load_chunk_nulls;
	HjBlock		block;

	HjSpill		spill;
	HjNullAware null_aware;
	HjArrayPolicy array_policy; /* of the table being built */

	HjParallelJoin *parallel;	/* together with other processes; NULL: alone */
	HjProcessCounters *workers; /* what workers have counted, in the leader */
	int			nworkers;
	HjSharedJoin *workers_shared;	/* where they count */
	Size		shared_peak;	/* most shared memory at once */

	/* Where the join stands. */
	HjPhase		phase;
	bool		free_at_end;	/* nobody is going to ask for more */
	bool		table_valid;	/* is the table sealed and up to date? */
	bool		probe_not_empty;	/* seen in an earlier scan */
	int			walk_flags;
	HjBlockProbe *block_probe;	/* probe rows come in blocks, or NULL */
	bool		row_by_row;		/* probe without batches */
	HjProbeCursor cursor;
	HjMatches	matches;
	int			next_match;		/* in matches */
	int			loaded_row;		/* batch row in probe_slot, or -1 */
	uint32		next_unmatched;	/* build row to look at next */

	HjJoinCounters counters;
} HjJoinState;

extern const CustomScanMethods hj_scan_methods;

/*
 * Does the look-up alone tell whether two rows match?  Not if a residual, or
 * with chains by hash the operator, has to see each pair.
 */
static inline bool
hj_join_look_up_decides(const HjJoinState *state)
{
	return state->residual == NULL && !state->key->chains_by_hash;
}

/* join_begin.c: expressions and slots; no memory that grows with the input. */
extern void hj_join_begin(HjJoinState *state, EState *estate, int eflags);

/*
 * join_begin.c: key, table and batch; at first execution, and at the next after
 * hj_join_release.
 */
extern void hj_join_allocate(HjJoinState *state);

/*
 * join_begin.c: free the table and all arrays.  The node can be executed again,
 * from the build side's first row.
 */
extern void hj_join_release(HjJoinState *state);

/* join_build.c: drain the build side and seal the table. */
extern void hj_join_build(HjJoinState *state);

/* join_build.c: store all rows of the build child. */
extern void hj_join_drain(HjJoinState *state);

/* join_build.c: the table of a round has its rows: make the map. */
extern void hj_join_seal(HjJoinState *state);

/* join_build.c: for EXPLAIN and the session's sums, note which map was made. */
extern void hj_join_note_map(HjJoinState *state);

/*
 * join_build.c: probe rows in blocks may have to go elsewhere before they are looked
 * up; to be called when it is known what is in files.
 */
extern void hj_join_divert_blocks(HjJoinState *state);

/* join_build.c: throw the table's rows and map away. */
extern void hj_join_empty_table(HjJoinState *state);

/* join_build.c: the same, and all files: the build side is read anew. */
extern void hj_join_discard_table(HjJoinState *state);

/* join_build.c: for EXPLAIN, note how much memory is held. */
extern void hj_join_note_memory(HjJoinState *state);

/* join_output.c: decide how rows go out; from hj_join_allocate. */
extern void hj_join_plan_output(HjJoinState *state);

/*
 * join_output.c: the row made of a row of the batch (or none, -1) and of a row
 * of a store (or none, NULL), after the clauses above the join.  NULL if one
 * rejects it.
 */
extern TupleTableSlot *hj_join_emit(HjJoinState *state, int row,
									const HjRowStore *store, uint32 build_row);

/* join_chunk.c: prepare for it; from hj_join_allocate. */
extern void hj_join_plan_chunks(HjJoinState *state);

/*
 * join_chunk.c: what the join type makes of the chunk of matches, and its
 * output columns.  Leaves matches->n = the number of output rows.
 */
extern void hj_join_settle_chunk(HjJoinState *state);

/* join_chunk.c: output row i of the chunk. */
extern TupleTableSlot *hj_join_emit_chunk_row(HjJoinState *state, int i);

/*
 * join_chunk.c: if the plan node is one of ours and its output can go out in
 * blocks, make it ready to run (hj_join_allocate), and return the function that
 * gives them; else NULL.
 */
extern HjNextBlock hj_join_offer_blocks(PlanState *ps);

/* join_node.c: is the plan node one of ours? */
extern bool hj_is_join_state(const PlanState *ps);

/* join_node.c: run until a chunk of the probe phase is ready; false at the end. */
extern bool hj_join_run_to_chunk(HjJoinState *state);

/* join_probe.c: get a chunk of matches; false at the end of the probe side. */
extern bool hj_join_next_chunk(HjJoinState *state);

/*
 * join_probe.c: the next batch of the probe child's rows, those of partitions in
 * files apart, looked up; false at the end.
 */
extern bool hj_join_fill_batch(HjJoinState *state);
/* join_probe.c: take the next batch and look it up; false at the end. */
extern bool hj_join_next_batch(HjJoinState *state);

/* join_output.c: show a pair in the econtext, for residual clauses. */
extern void hj_join_load_pair(HjJoinState *state, int row,
							  const HjRowStore *store, uint32 build_row);

/* join_probe.c: the next output row of the probe phase, or NULL. */
extern TupleTableSlot *hj_join_probe_next(HjJoinState *state);

/* join_probe.c: the next preserved build row, or NULL. */
extern TupleTableSlot *hj_join_unmatched_next(HjJoinState *state);
extern TupleTableSlot *hj_join_unmatchable_next(HjJoinState *state);

/* join_explain.c */
extern void hj_join_explain(CustomScanState *node, List *ancestors,
							ExplainState *es);

#endif							/* HJ_JOIN_NODE_H */
