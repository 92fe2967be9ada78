/*
 * block_keys.c
 *	  The keys of a block's rows, read column by column.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "batch/block_keys.h"

void
hj_block_keys_init(HjBlockKeys *keys, const HjJoinKey *key, int capacity)
{
	hj_key_set_init(&keys->set, key, capacity);
	if (!key->packed)
	{
		keys->values = keys->set.values;
		keys->nulls = keys->set.nulls;
		return;
	}
	keys->values = palloc(key->ncols * sizeof(Datum *));
	keys->nulls = palloc(key->ncols * sizeof(bool *));
	for (int k = 0; k < key->ncols; k++)
	{
		keys->values[k] = palloc(capacity * sizeof(Datum));
		keys->nulls[k] = palloc(capacity * sizeof(bool));
	}
}

/*
 * Garbage goes to the current memory context, until it holds `bytes` more than
 * before.  Returns the number of rows done.
 */
static int
prepare(HjBlockKeys *keys, HjJoinKey *key, bool build, int n, Size bytes)
{
	Size		limit = MemoryContextMemAllocated(CurrentMemoryContext, false) + bytes;
	Datum	   *values = palloc(key->ncols * sizeof(Datum));
	bool	   *nulls = palloc(key->ncols * sizeof(bool));
	int			done = 0;

	while (done < n &&
		   (done == 0 ||
			MemoryContextMemAllocated(CurrentMemoryContext, false) <= limit))
	{
		int			i = done++;

		CHECK_FOR_INTERRUPTS();
		for (int k = 0; k < key->ncols; k++)
		{
			values[k] = keys->values[k][i];
			nulls[k] = keys->nulls[k][i];
		}
		keys->set.usable[i] = hj_key_prepare(key, build, values, nulls,
											 &keys->set.hash[i]);
		for (int k = 0; k < key->ncols; k++)
			keys->values[k][i] = values[k];
	}
	pfree(values);
	pfree(nulls);
	return done;
}

int
hj_block_keys_read(HjBlockKeys *keys, HjJoinKey *key, bool build,
				   const HjKeyEval *eval, const HjBlock *block, Size bytes)
{
	Assert(block->n > 0 && block->n <= keys->set.capacity);
	for (int k = 0; k < key->ncols; k++)
		hj_block_read(block, eval->keys[k].attno, block->n, NULL,
					  keys->values[k], keys->nulls[k]);
	if (!key->packed)
		return prepare(keys, key, build, block->n, bytes);
	hj_key_pack_many(key, build, block->n, keys->values, keys->nulls,
					 keys->set.word, keys->set.usable);
	return block->n;
}
