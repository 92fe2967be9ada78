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

/* More rows than this are never in a block. */
#define HJ_MAX_BLOCK_ROWS MaxHeapTuplesPerPage

typedef struct HjBlockColumn
{
	const Datum *values;
	const bool *nulls;
} HjBlockColumn;

typedef struct HjBlock
{
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

/*
 * Is the column found in a tuple without walking over the ones before it?
 * (Unless one of them is NULL.)
 */
extern bool hj_block_column_is_near(const HjBlock *block, AttrNumber attno);

#endif							/* HJ_BLOCK_H */
