/*
 * batch.c
 *	  A batch of probe rows, as columns.
 */
#include "postgres.h"

#include "executor/tuptable.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "batch/batch.h"

/* Keys of a join are few (at most as many as a plan's clauses). */
#define HJ_INLINE_KEYS 32

HjBatch *
hj_batch_create(const HjJoinKey *key, int capacity, TupleDesc desc,
				List *attnos, const AttrNumber *from, MemoryContext cxt)
{
	int			ncols = list_length(attnos);
	HjBatch    *batch = palloc0(offsetof(HjBatch, cols) +
								ncols * sizeof(HjBatchColumn));

	batch->capacity = capacity;
	batch->cxt = cxt;
	batch->ncols = ncols;
	batch->by_reference = !key->packed;
	hj_key_set_init(&batch->keys, key, capacity);
	for (int i = 0; i < ncols; i++)
	{
		HjBatchColumn *col = &batch->cols[i];
		Form_pg_attribute att;

		col->attno = list_nth_int(attnos, i);
		att = TupleDescAttr(desc, col->attno - 1);
		col->len = att->attlen;
		col->byval = att->attbyval;
		col->values = palloc((capacity + HJ_BATCH_SLACK) * sizeof(Datum));
		col->nulls = palloc((capacity + HJ_BATCH_SLACK) * sizeof(bool));
		col->from = (from != NULL) ? from[col->attno] : col->attno;
		batch->max_attno = Max(batch->max_attno, col->from);
		batch->by_reference |= !col->byval;
	}
	return batch;
}

void
hj_batch_clear(HjBatch *batch, bool copies)
{
	MemoryContextReset(batch->cxt);
	batch->nrows = 0;
	batch->copies = copies;
}

bool
hj_batch_ends_by_memory(HjBatch *batch)
{
	if (!batch->by_reference ||
		MemoryContextMemAllocated(batch->cxt, true) <= HJ_BATCH_BYTES)
		return false;
	if (batch->nrows > 0)
		return true;
	MemoryContextReset(batch->cxt);
	return false;
}

/* Enter a prepared key as row `row`; copies what points into the child's row. */
static void
store_key(HjBatch *batch, const HjJoinKey *key, const HjKeyEval *eval, int row,
		  const Datum *raw, const Datum *prepared, const bool *nulls)
{
	for (int i = 0; i < key->ncols; i++)
	{
		Datum		value = prepared[i];

		/* a detoasted value is ours already; anything else may not be */
		if (batch->copies && !nulls[i] && !eval->keys[i].byval &&
			DatumGetPointer(value) == DatumGetPointer(raw[i]))
			value = datumCopy(value, false, eval->keys[i].len);
		batch->keys.values[i][row] = value;
		batch->keys.nulls[i][row] = nulls[i];
	}
}

void
hj_batch_store_columns(HjBatch *batch, int row, TupleTableSlot *slot)
{
	for (int i = 0; i < batch->ncols; i++)
	{
		HjBatchColumn *col = &batch->cols[i];
		Datum		value = slot->tts_values[col->from - 1];
		bool		isnull = slot->tts_isnull[col->from - 1];

		if (batch->copies && !isnull && !col->byval)
			value = datumCopy(value, false, col->len);
		col->values[row] = value;
		col->nulls[row] = isnull;
	}
}

bool
hj_batch_append(HjBatch *batch, HjJoinKey *key, HjKeyEval *eval,
				ExprContext *econtext, TupleTableSlot *slot,
				bool keep_unmatchable)
{
	int			row = batch->nrows;
	Datum		inline_values[2 * HJ_INLINE_KEYS];
	bool		inline_nulls[HJ_INLINE_KEYS];
	Datum	   *raw = inline_values;
	Datum	   *values = inline_values + HJ_INLINE_KEYS;
	bool	   *nulls = inline_nulls;
	bool		usable;
	MemoryContext old;

	Assert(row < batch->capacity);
	old = MemoryContextSwitchTo(batch->cxt);
	if (unlikely(key->ncols > HJ_INLINE_KEYS))
	{
		raw = palloc(key->ncols * sizeof(Datum));
		values = palloc(key->ncols * sizeof(Datum));
		nulls = palloc(key->ncols * sizeof(bool));
	}
	slot_getsomeattrs(slot, Max(batch->max_attno, eval->max_attno));
	econtext->ecxt_outertuple = slot;
	hj_key_eval(eval, econtext, slot, raw, nulls);
	memcpy(values, raw, key->ncols * sizeof(Datum));
	usable = key->packed ?
		hj_key_pack(key, false, raw, nulls, &batch->keys.word[row]) :
		hj_key_prepare(key, false, values, nulls, &batch->keys.hash[row]);
	if (!usable && !keep_unmatchable)
	{
		MemoryContextSwitchTo(old);
		return false;
	}
	batch->keys.usable[row] = usable;
	if (usable && !key->packed)
		store_key(batch, key, eval, row, raw, values, nulls);

	hj_batch_store_columns(batch, row, slot);
	batch->nrows++;
	MemoryContextSwitchTo(old);
	return true;
}

void
hj_batch_load(const HjBatch *batch, int row, TupleTableSlot *slot)
{
	for (int i = 0; i < batch->ncols; i++)
	{
		const HjBatchColumn *col = &batch->cols[i];

		slot->tts_values[col->attno - 1] = col->values[row];
		slot->tts_isnull[col->attno - 1] = col->nulls[row];
	}
}
