/*
 * source_scan.c
 *	  Rows of a plain sequential scan, driven by us.
 *
 * Mirrors SeqNext() and ExecScan(): the scan descriptor is begun only if
 * nobody has (a parallel scan has), changed parameters rescan first, the
 * scan's own quals come first (they may guard leaky ones), filtered rows are
 * counted, and under EXPLAIN ANALYZE the node's instrumentation is started and
 * stopped around each row, as ExecProcNode would.
 *
 * A heap in page mode has found all visible tuples of a page when it returns
 * the first.  The rest is taken from its list, without a call into the access
 * method for each; the list's cursor is set to the end, so that the next call
 * goes to the next page.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/relscan.h"
#include "access/tableam.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "batch/source_scan.h"
#include "table/prefetch.h"

bool
hj_scan_source_possible(PlanState *child, AttrNumber **columns)
{
	List	   *tlist = child->plan->targetlist;
	ListCell   *lc;

	*columns = NULL;
	if (!IsA(child, SeqScanState) || child->state->es_epq_active != NULL)
		return false;
	*columns = palloc0((list_length(tlist) + 1) * sizeof(AttrNumber));
	foreach(lc, tlist)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);

		/* system columns and whole rows are left to the scan node */
		if (!IsA(tle->expr, Var) || ((Var *) tle->expr)->varattno <= 0)
		{
			pfree(*columns);
			*columns = NULL;
			return false;
		}
		(*columns)[tle->resno] = ((Var *) tle->expr)->varattno;
	}
	return true;
}

void
hj_scan_source_init(HjScanSource *source, PlanState *child)
{
	Relation	rel = ((SeqScanState *) child)->ss.ss_currentRelation;

	source->node = (SeqScanState *) child;
	source->by_page = rel->rd_tableam == GetHeapamTableAmRoutine();
	source->tuple.t_tableOid = RelationGetRelid(rel);
	if (source->by_page)
	{
		source->block.tuples = palloc(HJ_MAX_BLOCK_ROWS * sizeof(HeapTupleHeader));
		source->block.desc = RelationGetDescr(rel);
	}
	hj_scan_source_restart(source);
}

void
hj_scan_source_restart(HjScanSource *source)
{
	source->next_on_page = 0;
	source->ntuples = 0;
	source->block.n = 0;
}

/* The next tuple by the access method; begins the scan if need be. */
static bool
next_by_method(HjScanSource *source)
{
	SeqScanState *node = source->node;
	EState	   *estate = node->ss.ps.state;
	HeapScanDesc heap;

	if (node->ss.ss_currentScanDesc == NULL)
		node->ss.ss_currentScanDesc =
			table_beginscan(node->ss.ss_currentRelation, estate->es_snapshot,
							0, NULL);
	if (!table_scan_getnextslot(node->ss.ss_currentScanDesc,
								ForwardScanDirection,
								node->ss.ss_ScanTupleSlot))
	{
		source->ntuples = 0;
		return false;
	}
	if (source->by_page &&
		(node->ss.ss_currentScanDesc->rs_flags & SO_ALLOW_PAGEMODE))
	{
		heap = (HeapScanDesc) node->ss.ss_currentScanDesc;
		source->next_on_page = heap->rs_cindex + 1;
		source->ntuples = heap->rs_ntuples;
		heap->rs_cindex = heap->rs_ntuples - 1;
	}
	return true;
}

/* Show tuple number i of the page whose list we have in the scan's slot. */
static inline void
show_tuple(HjScanSource *source, int i)
{
	SeqScanState *node = source->node;
	HeapScanDesc heap = (HeapScanDesc) node->ss.ss_currentScanDesc;
	Page		page = BufferGetPage(heap->rs_cbuf);
	OffsetNumber offset = heap->rs_vistuples[i];
	ItemId		item = PageGetItemId(page, offset);

	source->tuple.t_data = (HeapTupleHeader) PageGetItem(page, item);
	source->tuple.t_len = ItemIdGetLength(item);
	ItemPointerSet(&source->tuple.t_self, heap->rs_cblock, offset);
	ExecStoreBufferHeapTuple(&source->tuple, node->ss.ss_ScanTupleSlot,
							 heap->rs_cbuf);
}

/* The next tuple of the page whose list we have. */
static inline void
next_on_page(HjScanSource *source)
{
	show_tuple(source, source->next_on_page++);
	pgstat_count_heap_getnext(source->node->ss.ss_currentRelation);
}

/* Does the row in the scan's slot pass its quals? */
static inline bool
passes(HjScanSource *source, ExprState *qual)
{
	SeqScanState *node = source->node;
	ExprContext *econtext = node->ss.ps.ps_ExprContext;

	ResetExprContext(econtext);
	econtext->ecxt_scantuple = node->ss.ss_ScanTupleSlot;
	if (ExecQual(qual, econtext))
		return true;
	InstrCountFiltered1(node, 1);
	return false;
}

static inline TupleTableSlot *
next_row(HjScanSource *source)
{
	SeqScanState *node = source->node;
	ExprState  *qual = node->ss.ps.qual;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (source->next_on_page < source->ntuples)
			next_on_page(source);
		else if (!next_by_method(source))
			return NULL;
		if (qual == NULL || passes(source, qual))
			return node->ss.ss_ScanTupleSlot;
	}
}

TupleTableSlot *
hj_scan_source_next(HjScanSource *source)
{
	PlanState  *ps = &source->node->ss.ps;
	TupleTableSlot *slot;

	if (ps->chgParam != NULL)
		ExecReScan(ps);
	if (likely(ps->instrument == NULL))
		return next_row(source);
	InstrStartNode(ps->instrument);
	slot = next_row(source);
	InstrStopNode(ps->instrument, slot != NULL ? 1.0 : 0.0);
	return slot;
}

/* ----------------------------------------------------------------
 *		Many rows of a page at once
 * ----------------------------------------------------------------
 */

/* A tuple that the access method gave, where there is no list of a page. */
static void
take_single(HjScanSource *source, ExprState *qual)
{
	TupleTableSlot *slot = source->node->ss.ss_ScanTupleSlot;

	if (qual == NULL || passes(source, qual))
		source->block.tuples[source->block.n++] =
			((BufferHeapTupleTableSlot *) slot)->base.tuple->t_data;
}

/* Tuples of the page whose list we have, from next_on_page on. */
static void
take_from_page(HjScanSource *source, ExprState *qual, int max)
{
	SeqScanState *node = source->node;
	HeapScanDesc heap = (HeapScanDesc) node->ss.ss_currentScanDesc;
	Page		page = BufferGetPage(heap->rs_cbuf);

	while (source->next_on_page < source->ntuples && source->block.n < max)
	{
		int			i = source->next_on_page++;
		HeapTupleHeader tuple = (HeapTupleHeader)
			PageGetItem(page, PageGetItemId(page, heap->rs_vistuples[i]));

		if (qual != NULL)
		{
			CHECK_FOR_INTERRUPTS();
			show_tuple(source, i);
			if (!passes(source, qual))
				continue;
		}
		/* so far only the page's item list has been read */
		hj_prefetch(tuple);
		source->block.tuples[source->block.n++] = tuple;
	}
}

static void
take(HjScanSource *source, int max)
{
	SeqScanState *node = source->node;
	ExprState  *qual = node->ss.ps.qual;

	source->block.n = 0;
	while (source->block.n == 0)
	{
		int			from;

		CHECK_FOR_INTERRUPTS();
		if (source->next_on_page >= source->ntuples)
		{
			if (!next_by_method(source))
				return;
			if (source->ntuples == 0)
			{
				take_single(source, qual);
				continue;
			}
			source->next_on_page--; /* the tuple that it gave is one of the list */
			from = source->next_on_page + 1;
		}
		else
			from = source->next_on_page;
		take_from_page(source, qual, max);
		for (; from < source->next_on_page; from++)
			pgstat_count_heap_getnext(node->ss.ss_currentRelation);
	}
}

bool
hj_scan_source_take(HjScanSource *source, int max)
{
	PlanState  *ps = &source->node->ss.ps;

	Assert(source->by_page && max <= HJ_MAX_BLOCK_ROWS);
	if (ps->chgParam != NULL)
		ExecReScan(ps);
	if (likely(ps->instrument == NULL))
		take(source, max);
	else
	{
		InstrStartNode(ps->instrument);
		take(source, max);
		InstrStopNode(ps->instrument, source->block.n);
	}
	return source->block.n > 0;
}
