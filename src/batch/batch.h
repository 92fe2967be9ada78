/*
 * batch.h
 *	  A batch of probe rows, as columns.
 *
 * Only the columns that the join's output or a residual needs, and the keys.
 * By-reference values are copied into the batch's memory, unless it is filled
 * from slots and limited to one row: then they stay where the child plan has
 * them, and no copy is made.
 */
#ifndef HJ_BATCH_H
#define HJ_BATCH_H

#include "postgres.h"

#include "access/htup_details.h"
#include "nodes/execnodes.h"

#include "batch/key_eval.h"
#include "table/join_key.h"

typedef struct HjBatchColumn
{
	AttrNumber	attno;			/* in the child's row, from 1 */
	AttrNumber	from;			/* in the row that is read */
	int16		len;
	bool		byval;
	Datum	   *values;
	bool	   *nulls;
} HjBatchColumn;

typedef struct HjBatch
{
	int			capacity;
	int			nrows;
	bool		copies;			/* do values outlive the child's row? */
	bool		by_reference;	/* can values or keys take memory in cxt? */
	AttrNumber	max_attno;		/* highest column that is read */
	HjKeySet	keys;
	MemoryContext cxt;			/* copies and key results; reset per batch */
	int			ncols;
	HjBatchColumn cols[FLEXIBLE_ARRAY_MEMBER];
} HjBatch;

/*
 * A batch end by memory: values of this many bytes are enough, however few
 * rows they are.  It bounds a batch of wide rows.
 */
#define HJ_BATCH_BYTES (256 * 1024)

/* Rows that the arrays hold beyond the capacity: those of one heap page. */
#define HJ_BATCH_SLACK MaxHeapTuplesPerPage

/*
 * Make a batch in the current memory context.  attnos: the columns to keep, in
 * rows described by desc; from[attno], if given, is where they stand in the
 * rows that are read.  cxt: where values go (the caller's; reset here).
 */
extern HjBatch *hj_batch_create(const HjJoinKey *key, int capacity,
								TupleDesc desc, List *attnos,
								const AttrNumber *from, MemoryContext cxt);

/* Forget all rows and free their values. */
extern void hj_batch_clear(HjBatch *batch, bool copies);

/*
 * Append the row in `slot`.  The key is evaluated by `eval` in econtext, whose
 * per-tuple memory must be batch->cxt.  A row that can match nothing is
 * dropped unless keep_unmatchable.  Returns whether the row was kept.
 */
extern bool hj_batch_append(HjBatch *batch, HjJoinKey *key, HjKeyEval *eval,
							ExprContext *econtext, TupleTableSlot *slot,
							bool keep_unmatchable);

/*
 * Does memory end the batch (HJ_BATCH_BYTES)?  If it is still empty, what it
 * holds is garbage of rows that were dropped, and is freed instead.
 */
extern bool hj_batch_ends_by_memory(HjBatch *batch);

/* Enter a row's columns, already deformed, without a key. */
extern void hj_batch_store_columns(HjBatch *batch, int row, TupleTableSlot *slot);

/* Write row `row` into a virtual slot of the child's descriptor. */
extern void hj_batch_load(const HjBatch *batch, int row, TupleTableSlot *slot);

#endif							/* HJ_BATCH_H */
