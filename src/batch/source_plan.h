/*
 * source_plan.h
 *	  Batches from any child plan.
 *
 * Batches start at one row and double up to the limit, so that LIMIT, EXISTS
 * and cursors stay quick.  A source that must not be read ahead (its rows have
 * side effects that stock would not have caused yet) stays at one row.
 */
#ifndef HJ_SOURCE_PLAN_H
#define HJ_SOURCE_PLAN_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "batch/batch.h"

typedef struct HjPlanSource
{
	PlanState  *ps;				/* the child; not owned */
	bool		read_ahead;		/* may rows be fetched before they are due? */
	bool		exhausted;
	TupleTableSlot *pending;	/* fetched by hj_plan_source_peek, or NULL */
	int			next_size;		/* of the next batch */
} HjPlanSource;

extern void hj_plan_source_init(HjPlanSource *source, PlanState *ps,
								bool read_ahead);

/* Start over; the caller rescans the child. */
extern void hj_plan_source_restart(HjPlanSource *source);

/* Fetch the first row, and keep it for the first batch.  False if none. */
extern bool hj_plan_source_peek(HjPlanSource *source);

/*
 * Replace the batch's rows by the next ones.  Parameters as hj_batch_append;
 * *rows_read grows by the rows taken from the child.  Returns false at the
 * end.  Errors: the child's, and the key expressions'.
 */
extern bool hj_plan_source_fill(HjPlanSource *source, HjBatch *batch,
								HjJoinKey *key, HjKeyEval *eval,
								ExprContext *econtext, bool keep_unmatchable,
								uint64 *rows_read);

#endif							/* HJ_SOURCE_PLAN_H */
