/*
 * source.h
 *	  Where the rows of a side come from: any child plan, a sequential scan that
 *	  we drive, or another of our nodes.
 *
 * Rows come one by one in slots, or, where the source has them together, in
 * blocks.
 *
 * Batches start at one row and double up to the limit, so that LIMIT, EXISTS
 * and cursors stay quick.  A source that must not be read ahead (its rows have
 * side effects that stock would not have caused yet) stays at one row.
 */
#ifndef HJ_SOURCE_H
#define HJ_SOURCE_H

#include "postgres.h"

#include "executor/executor.h"

#include "batch/batch.h"
#include "batch/block.h"
#include "batch/source_scan.h"

/*
 * The next block of at most `max` rows from a node of ours, or NULL at the end.
 * A pointer, since this directory knows no node.
 */
typedef const HjBlock *(*HjNextBlock) (PlanState *ps, int max);

typedef struct HjSource
{
	PlanState  *ps;				/* the child; not owned */
	bool		driven;			/* is it a scan that we drive? */
	HjScanSource scan;
	bool		in_blocks;		/* rows come in blocks */
	HjNextBlock next_block;		/* of a node of ours; NULL: a scan's */
	const HjBlock *peeked;		/* fetched by hj_source_peek, or NULL */
	AttrNumber *columns;		/* driven: the table's column for each of the
								 * child's; else NULL */
	bool		read_ahead;		/* may rows be fetched before they are due? */
	bool		exhausted;
	TupleTableSlot *pending;	/* fetched by hj_source_peek, or NULL */
	int			next_size;		/* of the next batch */
} HjSource;

/* may_drive: false to execute the child as it is, whatever it is. */
extern void hj_source_init(HjSource *source, PlanState *ps, bool read_ahead,
						   bool may_drive);

/*
 * Can rows come in blocks?  next_block: the child's function, if it is a node
 * of ours that puts out blocks; else NULL.  They can if the keys are plain
 * columns, and these and `columns` (a list of the source's columns, which this
 * function frees) are found cheaply one by one.
 */
extern bool hj_source_has_blocks(const HjSource *source, HjNextBlock next_block,
								 const HjKeyEval *eval, List *columns);

/* From here on they do. */
extern void hj_source_use_blocks(HjSource *source, HjNextBlock next_block);

/*
 * The next block of at most `max` rows, or NULL; never asks the child again
 * after the end.
 */
extern const HjBlock *hj_source_next_block(HjSource *source, int max);

/* Start over; the caller rescans the child. */
extern void hj_source_restart(HjSource *source);

/* Fetch the first row, and keep it for the first batch.  False if none. */
extern bool hj_source_peek(HjSource *source);

/* Column of the rows that the source yields, for a column of the child. */
static inline AttrNumber
hj_source_column(const HjSource *source, AttrNumber attno)
{
	return (source->columns != NULL) ? source->columns[attno] : attno;
}

/* The next row, or NULL; never asks the child again after the end. */
static inline TupleTableSlot *
hj_source_next(HjSource *source)
{
	TupleTableSlot *slot = source->pending;

	Assert(!source->in_blocks);
	if (unlikely(slot != NULL))
	{
		source->pending = NULL;
		return slot;
	}
	if (unlikely(source->exhausted))
		return NULL;
	slot = source->driven ? hj_scan_source_next(&source->scan) :
		ExecProcNode(source->ps);
	if (unlikely(TupIsNull(slot)))
	{
		source->exhausted = true;
		return NULL;
	}
	return slot;
}

/* After a batch of `size` rows: the next may be larger. */
static inline void
hj_source_grow(HjSource *source, int size, const HjBatch *batch)
{
	if (source->read_ahead)
		source->next_size = Min(size * 2, batch->capacity);
}

/*
 * Replace the batch's rows by the next ones.  Parameters as hj_batch_append;
 * *rows_read grows by the rows taken from the child.  Returns false at the
 * end.  Errors: the child's, and the key expressions'.
 */
extern bool hj_source_fill(HjSource *source, HjBatch *batch,
						   HjJoinKey *key, HjKeyEval *eval,
						   ExprContext *econtext, bool keep_unmatchable,
						   uint64 *rows_read);

#endif							/* HJ_SOURCE_H */
