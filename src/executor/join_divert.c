/*
 * join_divert.c
 *	  Joining a build side that does not fit in memory: the probe side's half.
 *
 * A probe row whose partition is in files goes to a file too, unless the filter
 * of those build rows knows that it finds no partner there; then it is looked up
 * at once, in vain, and is put out or dropped as the join type asks.  Written are
 * the columns that the batch would hold and the key, laid out as a row store does.  In its own
 * round it is read back into a row store, and from there into a batch, looked
 * up like any other.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "executor/join_node.h"

/* Staging is emptied at this size; it holds a batch on its way back. */
#define HJ_STAGING_BYTES (256 * 1024)

/* ----------------------------------------------------------------
 *		Layout
 * ----------------------------------------------------------------
 */

/* The batch's columns, then, for later comparisons, the keys, if wanted. */
static HjRowLayout *
probe_layout(HjJoinState *state, bool with_keys)
{
	const HjBatch *batch = state->batch;
	const HjJoinKey *key = state->key;
	TupleDesc	desc = ExecGetResultType(state->probe_ps);
	int			nkeys = (key->packed || !with_keys) ? 0 : key->ncols;
	HjColumnSpec *specs = palloc0((batch->ncols + nkeys + 1) * sizeof(HjColumnSpec));
	HjRowLayout *layout;

	for (int i = 0; i < batch->ncols; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, batch->cols[i].attno - 1);

		specs[i].len = att->attlen;
		specs[i].byval = att->attbyval;
		specs[i].align = att->attalign;
		specs[i].shortenable = att->attstorage != TYPSTORAGE_PLAIN;
		specs[i].nullable = true;
		specs[i].key_column = -1;
	}
	for (int k = 0; k < nkeys; k++)
	{
		HjColumnSpec *spec = &specs[batch->ncols + k];
		const HjKeyExpr *expr = &state->probe_keys->keys[k];

		spec->len = expr->len;
		spec->byval = expr->byval;
		spec->align = expr->align;
		spec->shortenable = expr->shortenable;
		spec->nullable = key->cols[k].null_matches || !key->cols[k].strict;
		spec->key_column = -1;
	}
	layout = hj_row_layout_create(key, key->packed && with_keys, batch->ncols + nkeys, specs);
	pfree(specs);
	return layout;
}

/* What is needed to write probe rows to files and to read them. */
static HjProbeRows *
make_rows(HjJoinState *state, bool with_keys)
{
	HjSpill    *spill = &state->spill;
	HjProbeRows *rows;
	MemoryContext old;
	int			n;

	old = MemoryContextSwitchTo(spill->cxt);
	rows = palloc0(sizeof(HjProbeRows));
	rows->layout = probe_layout(state, with_keys);
	n = rows->ncols = rows->layout->ncols;
	rows->cxt = AllocSetContextCreate(spill->cxt, "HashJoinExt probe rows",
									  ALLOCSET_SMALL_SIZES);
	hj_row_store_init(&rows->staging, rows->layout, 0, HJ_STAGING_BYTES,
					  rows->cxt);
	rows->capacity = state->batch->capacity + HJ_BATCH_SLACK;
	rows->row_values = palloc((n + 1) * sizeof(Datum));
	rows->row_nulls = palloc((n + 1) * sizeof(bool));
	rows->cols = palloc((n + 1) * sizeof(int));
	rows->values = palloc((n + 1) * sizeof(Datum *));
	rows->nulls = palloc((n + 1) * sizeof(bool *));
	for (int c = 0; c < n; c++)
	{
		rows->cols[c] = c;
		rows->values[c] = palloc(rows->capacity * sizeof(Datum));
		rows->nulls[c] = palloc(rows->capacity * sizeof(bool));
	}
	rows->rows = palloc(rows->capacity * sizeof(int));
	rows->parts = palloc(rows->capacity * sizeof(HjPartition *));
	rows->numbers = palloc(rows->capacity * sizeof(uint32));
	for (int i = 0; i < rows->capacity; i++)
		rows->numbers[i] = i;
	rows->hashes = palloc(rows->capacity * sizeof(uint32));
	MemoryContextSwitchTo(old);
	return rows;
}

static HjProbeRows *
probe_rows(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;

	if (spill->probe_rows == NULL)
		spill->probe_rows = make_rows(state, true);
	return spill->probe_rows;
}

static HjProbeRows *
miss_rows(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;

	if (spill->miss_rows == NULL)
		spill->miss_rows = make_rows(state, false);
	return spill->miss_rows;
}

/* Of the rows of this round's file. */
static HjProbeRows *
task_rows(HjJoinState *state)
{
	return state->spill.task.misses ? miss_rows(state) : probe_rows(state);
}

const HjRowLayout *
hj_spill_probe_layout(HjJoinState *state)
{
	return probe_rows(state)->layout;
}

/* ----------------------------------------------------------------
 *		To files
 * ----------------------------------------------------------------
 */

/* The partition in files that a probe row belongs to, or NULL. */
static HjPartition *
partition_in_files(const HjJoinState *state, const HjKeySet *keys, int i)
{
	/* a row that can match nothing belongs to no partition */
	if (!keys->usable[i])
		return NULL;
	return hj_partition_in_files(state->spill.partitions,
								 state->key->packed ? keys->word[i] : 0,
								 state->key->packed ? 0 : (uint32) keys->hash[i]);
}

/* Write one row, whose values are in row_values. */
static void
write_row(HjJoinState *state, HjPartition *part, const HjKeySet *keys, int i)
{
	HjProbeRows *rows = state->spill.probe_rows;
	HjRowStore *staging = &rows->staging;
	bool		packed = state->key->packed;
	HjRawRow	raw;
	uint32		row;

	row = hj_row_store_append(staging, packed ? keys->word[i] : 0,
							  rows->row_values, rows->row_nulls);
	hj_row_store_raw(staging, row, &raw);
	hj_partition_write_probe(state->spill.partitions, part, rows->layout, &raw,
							 packed ? 0 : (uint32) keys->hash[i]);
	if (staging->nrows >= (uint32) rows->capacity || staging->bytes > HJ_STAGING_BYTES)
		hj_row_store_clear(staging);
}

/* The columns of row i of the batch. */
static void
set_row_columns(HjProbeRows *rows, const HjBatch *batch, int i)
{
	for (int c = 0; c < batch->ncols; c++)
	{
		rows->row_values[c] = batch->cols[c].values[i];
		rows->row_nulls[c] = batch->cols[c].nulls[i];
	}
}

/* The keys of row i, after the batch's columns. */
static void
set_row_keys(HjJoinState *state, const HjKeySet *keys, int i)
{
	HjProbeRows *rows = state->spill.probe_rows;
	int			ncols = state->batch->ncols;

	for (int k = 0; k < rows->ncols - ncols; k++)
	{
		rows->row_values[ncols + k] = keys->values[k][i];
		rows->row_nulls[ncols + k] = keys->nulls[k][i];
	}
}

/* Move row `from` of the batch to `to`. */
static void
move_batch_row(HjJoinState *state, int from, int to)
{
	HjBatch    *batch = state->batch;
	HjKeySet   *keys = &batch->keys;

	keys->usable[to] = keys->usable[from];
	if (state->key->packed)
		keys->word[to] = keys->word[from];
	else if (keys->usable[from])
	{
		keys->hash[to] = keys->hash[from];
		for (int k = 0; k < state->key->ncols; k++)
		{
			keys->values[k][to] = keys->values[k][from];
			keys->nulls[k][to] = keys->nulls[k][from];
		}
	}
	for (int c = 0; c < batch->ncols; c++)
	{
		batch->cols[c].values[to] = batch->cols[c].values[from];
		batch->cols[c].nulls[to] = batch->cols[c].nulls[from];
	}
}

void
hj_spill_divert_batch(HjJoinState *state)
{
	HjBatch    *batch = state->batch;
	HjProbeRows *rows = probe_rows(state);
	int			kept = 0;

	for (int i = 0; i < batch->nrows; i++)
	{
		HjPartition *part = partition_in_files(state, &batch->keys, i);

		if (part == NULL)
		{
			if (kept != i)
				move_batch_row(state, i, kept);
			kept++;
			continue;
		}
		set_row_columns(rows, batch, i);
		set_row_keys(state, &batch->keys, i);
		write_row(state, part, &batch->keys, i);
	}
	batch->nrows = kept;
}

void
hj_spill_divert_block(void *arg, const HjBlock *block, HjKeySet *keys, bool *gone)
{
	HjJoinState *state = arg;
	HjProbeRows *rows = probe_rows(state);
	const HjBatch *batch = state->batch;
	int			n = 0;

	Assert(block->n <= rows->capacity);
	for (int i = 0; i < block->n; i++)
	{
		HjPartition *part = partition_in_files(state, keys, i);

		gone[i] = part != NULL;
		rows->rows[n] = i;
		rows->parts[n] = part;
		n += gone[i];
	}
	for (int c = 0; c < batch->ncols; c++)
		hj_block_read(block, batch->cols[c].from, n, rows->rows,
					  rows->values[c], rows->nulls[c]);
	for (int j = 0; j < n; j++)
	{
		int			i = rows->rows[j];

		for (int c = 0; c < batch->ncols; c++)
		{
			rows->row_values[c] = rows->values[c][j];
			rows->row_nulls[c] = rows->nulls[c][j];
		}
		set_row_keys(state, keys, i);
		write_row(state, rows->parts[j], keys, i);
		keys->usable[i] = false;
	}
}

void
hj_spill_keep_misses(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;
	HjBatch    *batch = state->batch;
	HjProbeRows *rows = miss_rows(state);

	if (spill->misses == NULL)
		spill->misses = hj_row_file_create(rows->layout, false, spill->cxt);
	for (int i = 0; i < batch->nrows; i++)
	{
		HjRawRow	raw;
		uint32		row;

		set_row_columns(rows, batch, i);
		row = hj_row_store_append(&rows->staging, 0, rows->row_values,
								  rows->row_nulls);
		hj_row_store_raw(&rows->staging, row, &raw);
		hj_row_file_write(spill->misses, &raw, 0);
		if (rows->staging.bytes > HJ_STAGING_BYTES)
			hj_row_store_clear(&rows->staging);
	}
	hj_row_store_clear(&rows->staging);
}

/* ----------------------------------------------------------------
 *		From files
 * ----------------------------------------------------------------
 */

/*
 * Read up to a batch of rows that are to be joined in this round into staging;
 * those of partitions that are in files again go there.  Returns their number.
 */
static int
read_rows(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;
	HjProbeRows *rows = task_rows(state);
	HjRowFile  *file = spill->task.probe;
	bool		diverts = hj_spill_diverts(spill);
	HjRawRow	raw;
	uint32		hash;

	hj_row_store_clear(&rows->staging);
	while (rows->staging.nrows < (uint32) state->batch->capacity &&
		   rows->staging.bytes <= HJ_STAGING_BYTES &&
		   hj_row_file_read(file, &raw, &hash))
	{
		CHECK_FOR_INTERRUPTS();
		if (diverts)
		{
			uint64		word = hj_raw_row_word(state->key, &raw);
			HjPartition *part = hj_partition_in_files(spill->partitions, word,
													  hash);

			if (part != NULL)
			{
				hj_partition_write_probe(spill->partitions, part, file->layout,
										 &raw, hash);
				continue;
			}
		}
		rows->hashes[rows->staging.nrows] = hash;
		(void) hj_row_store_append_raw(&rows->staging, &raw);
	}
	return rows->staging.nrows;
}

/* Make a batch of the rows in staging. */
static void
fill_batch(HjJoinState *state, int n)
{
	HjProbeRows *rows = task_rows(state);
	HjBatch    *batch = state->batch;
	HjKeySet   *keys = &batch->keys;
	bool		has_keys = !state->spill.task.misses;
	int			nkeys = rows->ncols - batch->ncols;

	for (int c = 0; c < batch->ncols; c++)
	{
		rows->values[c] = batch->cols[c].values;
		rows->nulls[c] = batch->cols[c].nulls;
	}
	for (int k = 0; k < nkeys; k++)
	{
		rows->values[batch->ncols + k] = keys->values[k];
		rows->nulls[batch->ncols + k] = keys->nulls[k];
	}
	hj_row_store_gather(&rows->staging, n, rows->numbers, false, rows->ncols,
						rows->cols, rows->values, rows->nulls);
	for (int i = 0; i < n; i++)
	{
		keys->usable[i] = has_keys;
		if (!has_keys)
			continue;
		if (state->key->packed)
			keys->word[i] = hj_row_store_word(&rows->staging, i);
		else
			keys->hash[i] = hj_hash_spread(rows->hashes[i]);
	}
	batch->nrows = n;
}

/*
 * In a pass: which rows have found a match before?  Where the look-up decides
 * everything, rows that have nothing more to give are made to look so.
 */
static void
apply_flags(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;
	HjJoinType	type = state->plan.jointype;

	if (spill->flags == NULL)
		return;
	hj_flag_file_read(spill->flags, state->batch->nrows, state->row_matched);
	spill->flagged = state->batch->nrows;
	if (!state->chunked)
		return;
	for (int i = 0; i < state->batch->nrows; i++)
	{
		bool		before = state->row_matched[i];

		state->row_matched[i] |= state->heads[i] != 0;
		if (type == HJ_JOIN_SEMI && before)
			state->heads[i] = 0;
		/* a row of an anti join that looks like a hit is not put out */
		if (type == HJ_JOIN_ANTI && (before || !spill->last_pass))
			state->heads[i] = 1;
	}
}

/* The flags of the batch that is done with. */
static void
keep_flags(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;

	if (spill->flagged > 0)
		hj_flag_file_write(spill->flags, spill->flagged, state->row_matched);
	spill->flagged = 0;
}

bool
hj_spill_next_batch(HjJoinState *state)
{
	int			n;

	keep_flags(state);
	if (state->spill.task.probe == NULL)
		return false;
	hj_batch_clear(state->batch, true);
	n = read_rows(state);
	if (n == 0)
		return false;
	fill_batch(state, n);
	hj_probe_heads(state->table, &state->batch->keys, n, state->heads,
				   state->scratch_cxt);
	for (int i = 0; i < n; i++)
		state->counters.probe_hits += (state->heads[i] != 0);
	memset(state->row_matched, 0, n * sizeof(bool));
	apply_flags(state);
	return true;
}

void
hj_spill_filter_chunk(HjJoinState *state)
{
	HjSpill    *spill = &state->spill;
	HjMatches  *matches = &state->matches;
	int			n = 0;

	for (int i = 0; i < matches->n; i++)
	{
		if (matches->build[i] == HJ_ROW_END &&
			(!spill->last_pass || state->row_matched[matches->probe[i]]))
			continue;
		matches->probe[n] = matches->probe[i];
		matches->build[n++] = matches->build[i];
	}
	matches->n = n;
}
