/*
 * block.c
 *	  Reading columns of a block.
 */
#include "postgres.h"

#include "batch/block.h"

/* So many may stand behind columns of variable length. */
#define HJ_MAX_FAR_COLUMNS 2

static void
read_tuples(const HjBlock *block, AttrNumber attno, int n, const int *rows,
			Datum *values, bool *nulls)
{
	for (int i = 0; i < n; i++)
	{
		HeapTupleData tuple;

		tuple.t_data = block->tuples[rows ? rows[i] : i];
		values[i] = heap_getattr(&tuple, attno, block->desc, &nulls[i]);
	}
}

void
hj_block_read(const HjBlock *block, AttrNumber attno, int n, const int *rows,
			  Datum *values, bool *nulls)
{
	const HjBlockColumn *col;

	if (block->tuples != NULL)
	{
		read_tuples(block, attno, n, rows, values, nulls);
		return;
	}
	col = &block->columns[attno - 1];
	if (rows == NULL)
	{
		memcpy(values, col->values, n * sizeof(Datum));
		memcpy(nulls, col->nulls, n * sizeof(bool));
		return;
	}
	for (int i = 0; i < n; i++)
	{
		values[i] = col->values[rows[i]];
		nulls[i] = col->nulls[rows[i]];
	}
}

/* Does the column stand at the same place in every tuple without NULLs? */
static bool
has_fixed_place(TupleDesc desc, AttrNumber attno)
{
	for (int i = 0; i < attno - 1; i++)
	{
		if (TupleDescAttr(desc, i)->attlen <= 0)
			return false;
	}
	return true;
}

bool
hj_block_columns_are_near(const HjBlock *block, List *attnos)
{
	int			far = 0;
	ListCell   *lc;

	foreach(lc, attnos)
		far += !has_fixed_place(block->desc, lfirst_int(lc));
	return far <= HJ_MAX_FAR_COLUMNS;
}
