/*
 * block.c
 *	  Reading columns of a block.
 */
#include "postgres.h"

#include "nodes/bitmapset.h"
#include "utils/datum.h"

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

		tuple.t_data = block->tuples[block->first + (rows ? rows[i] : i)];
		values[i] = heap_getattr(&tuple, attno, block->desc, &nulls[i]);
	}
}

void
hj_block_read(const HjBlock *block, AttrNumber attno, int n, const int *rows,
			  Datum *values, bool *nulls)
{
	const Datum *from;
	const bool *from_nulls;

	if (block->tuples != NULL)
	{
		read_tuples(block, attno, n, rows, values, nulls);
		return;
	}
	from = block->columns[attno - 1].values + block->first;
	from_nulls = block->columns[attno - 1].nulls + block->first;
	if (rows == NULL)
	{
		memcpy(values, from, n * sizeof(Datum));
		memcpy(nulls, from_nulls, n * sizeof(bool));
		return;
	}
	for (int i = 0; i < n; i++)
	{
		values[i] = from[rows[i]];
		nulls[i] = from_nulls[rows[i]];
	}
}

int
hj_block_rows_within(const HjBlock *block, Size bytes, int nattnos,
					 const AttrNumber *attnos, const int16 *lens)
{
	Size		sum = 0;

	if (block->tuples != NULL || nattnos == 0)
		return block->n;
	for (int i = 0; i < block->n; i++)
	{
		for (int a = 0; a < nattnos; a++)
		{
			const HjBlockColumn *col = &block->columns[attnos[a] - 1];

			if (!col->nulls[block->first + i])
				sum += datumGetSize(col->values[block->first + i], false, lens[a]);
		}
		if (sum > bytes && i > 0)
			return i;
	}
	return block->n;
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
	Bitmapset  *seen = NULL;
	ListCell   *lc;

	foreach(lc, attnos)
	{
		if (!bms_is_member(lfirst_int(lc), seen))
			far += !has_fixed_place(block->desc, lfirst_int(lc));
		seen = bms_add_member(seen, lfirst_int(lc));
	}
	bms_free(seen);
	return far <= HJ_MAX_FAR_COLUMNS;
}
