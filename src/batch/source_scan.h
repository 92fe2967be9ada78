/*
 * source_scan.h
 *	  Rows of a plain sequential scan, driven by us.
 *
 * The child plan's SeqScan node is not executed; we fetch its tuples, check
 * its quals and read the columns ourselves.  That saves a projection and
 * several calls a row, and lets us look at the key before anything else.
 */
#ifndef HJ_SOURCE_SCAN_H
#define HJ_SOURCE_SCAN_H

#include "postgres.h"

#include "access/htup.h"
#include "nodes/execnodes.h"

#include "batch/block.h"

typedef struct HjScanSource
{
	SeqScanState *node;			/* not owned */
	bool		by_page;		/* may we take a heap page at a time? */
	int			next_on_page;	/* in the page's visible tuples */
	int			ntuples;		/* on the page; 0 before the first */
	HeapTupleData tuple;		/* what the scan's slot holds */

	HjBlock		block;			/* by_page: what hj_scan_source_take gives */
} HjScanSource;

/*
 * Can the child be driven?  It must be a SeqScan whose target list is plain
 * columns, outside EvalPlanQual.  If so returns true and *columns: for each
 * column of the child (from index 1) the table's attribute number; palloc'd in
 * the current memory context.  Otherwise *columns is NULL.
 */
extern bool hj_scan_source_possible(PlanState *child, AttrNumber **columns);

extern void hj_scan_source_init(HjScanSource *source, PlanState *child);

/* Forget the page; the caller rescans the child. */
extern void hj_scan_source_restart(HjScanSource *source);

/*
 * The next row that passes the scan's quals, in the scan's own slot (all of
 * the table's columns, valid until the next call), or NULL.
 */
extern TupleTableSlot *hj_scan_source_next(HjScanSource *source);

/*
 * Take up to `max` rows (at most HJ_MAX_BLOCK_ROWS), all of one heap page, into
 * source->block.  Returns false at the end; not to be called again then.  Only
 * if source->by_page; not to be mixed with hj_scan_source_next.
 */
extern bool hj_scan_source_take(HjScanSource *source, int max);

#endif							/* HJ_SOURCE_SCAN_H */
