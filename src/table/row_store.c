/*
 * row_store.c
 *	  Rows of the build side: writing.  row_layout.c says where columns stand,
 *	  row_chunks.c where the memory comes from, row_read.c reads, row_move.c moves
 *	  rows as they are.
 */
#include "postgres.h"

#include "utils/expandeddatum.h"

#include "table/byval.h"
#include "table/row_chunks.h"

/* Bytes of a tail value that starts at `offset` of the tail. */
static Size
tail_value_end(const HjStoredColumn *col, Size offset, Datum value)
{
	char	   *p = DatumGetPointer(value);

	if (col->len == -2)
		return offset + strlen(p) + 1;
	if (VARATT_IS_EXTERNAL_EXPANDED(p))
		return TYPEALIGN(col->align, offset) + EOH_get_flat_size(DatumGetEOHP(value));
	if (VARATT_IS_SHORT(p) || VARATT_IS_EXTERNAL(p))
		return offset + VARSIZE_ANY(p);
	if (col->shortenable && VARATT_CAN_MAKE_SHORT(p))
		return offset + VARATT_CONVERTED_SHORT_SIZE(p);
	return TYPEALIGN(col->align, offset) + VARSIZE_ANY(p);
}

/* Copy a value to `offset` of the tail; returns where it ends. */
static Size
write_tail_value(const HjStoredColumn *col, char *tail, Size offset, Datum value)
{
	char	   *p = DatumGetPointer(value);
	Size		end = tail_value_end(col, offset, value);
	Size		start;

	if (col->len == -2)
		memcpy(tail + offset, p, end - offset);
	else if (VARATT_IS_EXTERNAL_EXPANDED(p))
	{
		start = TYPEALIGN(col->align, offset);
		memset(tail + offset, 0, start - offset);
		EOH_flatten_into(DatumGetEOHP(value), tail + start, end - start);
	}
	else if (VARATT_IS_SHORT(p) || VARATT_IS_EXTERNAL(p))
		memcpy(tail + offset, p, end - offset);
	else if (col->shortenable && VARATT_CAN_MAKE_SHORT(p))
	{
		SET_VARSIZE_SHORT(tail + offset, end - offset);
		memcpy(tail + offset + 1, VARDATA(p), end - offset - 1);
	}
	else
	{
		start = TYPEALIGN(col->align, offset);
		/* readers recognise padding by its zero bytes */
		memset(tail + offset, 0, start - offset);
		memcpy(tail + start, p, end - start);
	}
	return end;
}

/* Where a row's tail ends that starts at `start`. */
static Size
tail_end(const HjRowLayout *layout, const Datum *values, const bool *nulls,
		 Size start)
{
	for (int i = 0; i < layout->ncols; i++)
	{
		if (layout->cols[i].place == HJ_PLACE_TAIL && !nulls[i])
			start = tail_value_end(&layout->cols[i], start, values[i]);
	}
	return start;
}

/* Write the tail of the row that is being appended. */
static void
write_tail(HjRowStore *store, uint32 rownum, char *row,
		   const Datum *values, const bool *nulls)
{
	const HjRowLayout *layout = store->layout;
	Size		from = store->tail_used;
	Size		bytes = tail_end(layout, values, nulls, from) - from;
	Size		offset;
	uint32		chunk;

	if (bytes == 0)
	{
		memset(row + layout->tail_offset, 0, sizeof(uint32));
		return;
	}
	/* padding depends on where the tail starts: room for either case */
	bytes = Max(bytes, tail_end(layout, values, nulls, 0));
	chunk = hj_chunks_place_tail(store, bytes, -1, &offset);
	hj_chunks_set_tail(store, rownum, row, chunk, offset);
	for (int i = 0; i < layout->ncols; i++)
	{
		if (layout->cols[i].place == HJ_PLACE_TAIL && !nulls[i])
			offset = write_tail_value(&layout->cols[i], store->tails[chunk].base,
									  offset, values[i]);
	}
	if (!store->tails[chunk].single)
		store->tail_used = offset;
}

uint32
hj_row_store_append(HjRowStore *store, uint64 word,
					const Datum *values, const bool *nulls)
{
	const HjRowLayout *layout = store->layout;
	char	   *row;

	(void) hj_chunks_reserve_rows(store, 1, &row);
	if (layout->packed_key)
	{
		uint32		low = (uint32) word;

		if (layout->key->packed_bytes == 4)
			memcpy(row, &low, sizeof(low));
		else
			memcpy(row, &word, sizeof(word));
	}
	if (layout->null_bytes > 0)
		memset(row + layout->null_offset, 0, layout->null_bytes);
	for (int i = 0; i < layout->ncols; i++)
	{
		const HjStoredColumn *col = &layout->cols[i];

		if (nulls[i] && col->place != HJ_PLACE_PACKED_KEY)
		{
			Assert(col->nullable);
			store->has_nulls[i] = true;
			row[layout->null_offset + col->null_bit / 8] |= 1 << (col->null_bit % 8);
		}
		else if (col->place == HJ_PLACE_BYVAL)
			hj_store_byval(row + col->offset, values[i], col->len);
		else if (col->place == HJ_PLACE_FIXED)
			memcpy(row + col->offset, DatumGetPointer(values[i]), col->len);
	}
	if (layout->ntail > 0)
		write_tail(store, store->nrows, row, values, nulls);
	return store->nrows++;
}

/* Key words of n rows from `row` on. */
static void
write_words(const HjRowLayout *layout, int n, char *row, const uint64 *words)
{
	uint32		size = layout->row_size;

	if (layout->key->packed_bytes == 4)
	{
		for (int i = 0; i < n; i++, row += size)
		{
			uint32		word = (uint32) words[i];

			memcpy(row, &word, sizeof(word));
		}
	}
	else
	{
		for (int i = 0; i < n; i++, row += size)
			memcpy(row, &words[i], sizeof(words[i]));
	}
}

#define SCATTER(type, from_datum) \
	for (int i = 0; i < n; i++, at += size) \
	{ \
		type		value = from_datum(values[i]); \
		memcpy(at, &value, sizeof(value)); \
	}

/* A by-value column of n rows.  What stands in place of a NULL is not read. */
static void
write_byval(const HjRowLayout *layout, const HjStoredColumn *col, int n,
			char *row, const Datum *values)
{
	uint32		size = layout->row_size;
	char	   *at = row + col->offset;

	switch (col->len)
	{
		case sizeof(int32):
			SCATTER(int32, DatumGetInt32);
			break;
		case sizeof(int64):
			SCATTER(int64, DatumGetInt64);
			break;
		case sizeof(int16):
			SCATTER(int16, DatumGetInt16);
			break;
		default:
			Assert(col->len == sizeof(char));
			SCATTER(char, DatumGetChar);
			break;
	}
}

/* Null bits of one column. */
static void
write_nulls(HjRowStore *store, int c, int n, char *row, const bool *nulls)
{
	const HjRowLayout *layout = store->layout;
	const HjStoredColumn *col = &layout->cols[c];

	if (col->place == HJ_PLACE_PACKED_KEY)
		return;
	for (int i = 0; i < n; i++, row += layout->row_size)
	{
		if (nulls[i])
		{
			Assert(col->nullable);
			store->has_nulls[c] = true;
			row[layout->null_offset + col->null_bit / 8] |= 1 << (col->null_bit % 8);
		}
	}
}

/* Tails of n rows. */
static void
write_tails(HjRowStore *store, int n, char *row, int from,
			Datum *const *values, bool *const *nulls)
{
	int			ncols = store->layout->ncols;
	Datum	   *v = palloc(ncols * sizeof(Datum));
	bool	   *isnull = palloc(ncols * sizeof(bool));

	for (int i = 0; i < n; i++, row += store->layout->row_size)
	{
		for (int c = 0; c < ncols; c++)
		{
			v[c] = values[c][from + i];
			isnull[c] = nulls[c][from + i];
		}
		write_tail(store, store->nrows + i, row, v, isnull);
	}
	pfree(v);
	pfree(isnull);
}

void
hj_row_store_append_many(HjRowStore *store, int nrows, const uint64 *words,
						 Datum *const *values, bool *const *nulls)
{
	const HjRowLayout *layout = store->layout;
	uint32		size = layout->row_size;
	int			n;

	for (int from = 0; from < nrows; from += n)
	{
		char	   *row;

		n = hj_chunks_reserve_rows(store, nrows - from, &row);
		if (layout->packed_key)
			write_words(layout, n, row, words + from);
		for (int i = 0; i < n && layout->null_bytes > 0; i++)
			memset(row + i * (Size) size + layout->null_offset, 0,
				   layout->null_bytes);
		for (int c = 0; c < layout->ncols; c++)
		{
			const HjStoredColumn *col = &layout->cols[c];

			write_nulls(store, c, n, row, nulls[c] + from);
			if (col->place == HJ_PLACE_BYVAL)
				write_byval(layout, col, n, row, values[c] + from);
			else if (col->place == HJ_PLACE_FIXED)
			{
				for (int i = 0; i < n; i++)
				{
					if (!nulls[c][from + i])
						memcpy(row + i * (Size) size + col->offset,
							   DatumGetPointer(values[c][from + i]), col->len);
				}
			}
		}
		if (layout->ntail > 0)
			write_tails(store, n, row, from, values, nulls);
		store->nrows += n;
	}
}
