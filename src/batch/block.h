/*
 * block.h
 *	  A block: some rows of a side, where they stand.
 *
 * Rows of one heap page of a scan that we drive, or rows that another of our
 * nodes puts out.  A block is valid until the next one is asked for.
 */
#ifndef HJ_BLOCK_H
#define HJ_BLOCK_H

#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupdesc.h"
#include "nodes/pg_list.h"

/* More rows than this are never in a block. */
#define HJ_MAX_BLOCK_ROWS MaxHeapTuplesPerPage

typedef struct HjBlockColumn
{
	const Datum *values;
	const bool *nulls;
} HjBlockColumn;

typedef struct HjBlock
{
	int			first;			/* row 0 is this one of the arrays below */
	int			n;

	/* either tuples of a page ... */
	HeapTupleHeader *tuples;
	TupleDesc	desc;

	/* ... or (tuples == NULL) columns, by attribute number - 1 */
	HjBlockColumn *columns;
} HjBlock;

/*
 * Read column `attno` of rows rows[0..n-1] (NULL: rows 0..n-1).  By-reference
 * values point into the block.
 */
extern void hj_block_read(const HjBlock *block, AttrNumber attno,
						  int n, const int *rows, Datum *values, bool *nulls);

/* Rows from..from+n-1 of a block, as a block. */
static inline HjBlock
hj_block_part(const HjBlock *block, int from, int n)
{
	HjBlock		part = *block;

	Assert(from + n <= block->n);
	part.first += from;
	part.n = n;
	return part;
}

/*
 * How many of the first rows hold no more than `bytes` in the by-reference
 * columns `attnos`?  At least one.  Not asked of a page's tuples, which are no
 * larger than the page.
 */
extern int	hj_block_rows_within(const HjBlock *block, Size bytes, int nattnos,
								 const AttrNumber *attnos, const int16 *lens);

/*
 * Are these columns found quickly, one by one, in a page's tuples?  Not if many
 * of them stand behind columns of variable length: then the scan's slot, which
 * walks over a tuple once, is quicker.  (In tuples with a NULL before the
 * column each one is found by walking; that is borne.)
 */
extern bool hj_block_columns_are_near(const HjBlock *block, List *attnos);

#endif							/* HJ_BLOCK_H */
