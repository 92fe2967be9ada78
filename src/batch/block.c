/*
 * block.c
 *	  Reading columns of a block.
 */
#include "postgres.h"

#include "batch/block.h"

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

bool
hj_block_column_is_near(const HjBlock *block, AttrNumber attno)
{
	if (block->tuples == NULL)
		return true;
	for (int i = 0; i < attno - 1; i++)
	{
		if (TupleDescAttr(block->desc, i)->attlen <= 0)
			return false;
	}
	return true;
}
