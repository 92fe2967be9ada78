/*
 * row_read.c
 *	  Reading rows of the build side; the layout is drawn in row_store.h.
 */
#include "postgres.h"

#include "table/byval.h"
#include "table/prefetch.h"
#include "table/row_store.h"

static inline bool
column_is_null(const HjRowLayout *layout, const char *row,
			   const HjStoredColumn *col)
{
	return col->null_bit >= 0 &&
		(row[layout->null_offset + col->null_bit / 8] & (1 << (col->null_bit % 8)));
}

/* The value at *offset of a tail chunk, and *offset past its end. */
static Datum
read_tail_value(const HjStoredColumn *col, char *chunk, Size *offset)
{
	char	   *p = chunk + *offset;

	if (col->len == -2)
	{
		*offset += strlen(p) + 1;
		return CStringGetDatum(p);
	}
	/* a non-zero first byte is a 1-byte header or an aligned 4-byte one */
	if (!VARATT_NOT_PAD_BYTE(p))
	{
		*offset = TYPEALIGN(col->align, *offset);
		p = chunk + *offset;
	}
	*offset += VARSIZE_ANY(p);
	return PointerGetDatum(p);
}

/* Which column of a row's tail stands where. */
typedef struct HjTailCursor
{
	char	   *chunk;			/* NULL: not yet looked for */
	Size		offset;
	int			next;			/* the column there, or a later one */
} HjTailCursor;

/* Column `target` of the tail; columns read in order walk the tail once. */
static Datum
read_tail_column(const HjRowStore *store, uint32 rownum, const char *row,
				 int target, HjTailCursor *at)
{
	const HjRowLayout *layout = store->layout;

	if (at->chunk == NULL || target < at->next)
	{
		at->chunk = store->tails[hj_row_store_tail(store, rownum, &at->offset)].base;
		at->next = 0;
	}
	for (;;)
	{
		const HjStoredColumn *col = &layout->cols[at->next++];

		if (col->place == HJ_PLACE_TAIL && !column_is_null(layout, row, col))
		{
			Datum		value = read_tail_value(col, at->chunk, &at->offset);

			if (at->next == target + 1)
				return value;
		}
	}
}

void
hj_row_store_read(const HjRowStore *store, uint32 rownum,
				  int n, const int *cols, Datum *values, bool *nulls)
{
	const HjRowLayout *layout = store->layout;
	const char *row = hj_row_store_row(store, rownum);
	HjTailCursor tail = {NULL, 0, 0};

	for (int i = 0; i < n; i++)
	{
		const HjStoredColumn *col = &layout->cols[cols[i]];

		if (column_is_null(layout, row, col))
		{
			values[i] = (Datum) 0;
			nulls[i] = true;
			continue;
		}
		nulls[i] = false;
		switch (col->place)
		{
			case HJ_PLACE_PACKED_KEY:
				values[i] = hj_key_unpack(&layout->key->cols[col->key_column],
										  hj_row_store_word(store, rownum));
				break;
			case HJ_PLACE_BYVAL:
				values[i] = hj_fetch_byval(row + col->offset, col->len);
				break;
			case HJ_PLACE_FIXED:
				values[i] = PointerGetDatum(row + col->offset);
				break;
			case HJ_PLACE_TAIL:
				values[i] = read_tail_column(store, rownum, row, cols[i], &tail);
				break;
		}
	}
}

/* One by-value column of many rows. */
static void
gather_byval(const HjRowLayout *layout, const HjStoredColumn *col, int n,
			 const char *const *at, Datum *values, bool *nulls)
{
	for (int i = 0; i < n; i++)
	{
		nulls[i] = at[i] == NULL || column_is_null(layout, at[i], col);
		values[i] = nulls[i] ? (Datum) 0 :
			hj_fetch_byval(at[i] + col->offset, col->len);
	}
}

/* The same where nothing can be NULL: one width, no branch. */
#define GATHER(type, to_datum) \
	for (int i = 0; i < n; i++) \
	{ \
		type		value; \
		memcpy(&value, at[i] + col->offset, sizeof(value)); \
		values[i] = to_datum(value); \
	}

static void
gather_plain(const HjStoredColumn *col, int n, const char *const *at,
			 Datum *values, bool *nulls)
{
	memset(nulls, false, n * sizeof(bool));
	switch (col->len)
	{
		case sizeof(int32):
			GATHER(int32, Int32GetDatum);
			break;
		case sizeof(int64):
			GATHER(int64, Int64GetDatum);
			break;
		case sizeof(int16):
			GATHER(int16, Int16GetDatum);
			break;
		default:
			Assert(col->len == sizeof(char));
			GATHER(char, CharGetDatum);
			break;
	}
}

/*
 * Columns by reference of many rows: all of a row at once, since its tail is
 * walked.  others[]: which of the ncols columns they are.
 */
static void
gather_others(const HjRowStore *store, int n, const uint32 *rows,
			  int nothers, const int *others, const int *cols,
			  Datum *const *values, bool *const *nulls, int from)
{
	int			stored[HJ_MAX_GATHERED];
	Datum		v[HJ_MAX_GATHERED];
	bool		isnull[HJ_MAX_GATHERED];

	for (int c = 0; c < nothers; c++)
		stored[c] = cols[others[c]];
	for (int i = 0; i < n; i++)
	{
		if (rows[i] != HJ_NO_ROW)
			hj_row_store_read(store, rows[i], nothers, stored, v, isnull);
		for (int c = 0; c < nothers; c++)
		{
			bool		missing = rows[i] == HJ_NO_ROW || isnull[c];

			values[others[c]][from + i] = missing ? (Datum) 0 : v[c];
			nulls[others[c]][from + i] = missing;
		}
	}
}

/* Addresses of n rows, prefetched, with their tails if asked. */
static void
locate_rows(const HjRowStore *store, int n, const uint32 *rows, bool tails,
			const char **at)
{
	for (int i = 0; i < n; i++)
	{
		at[i] = (rows[i] == HJ_NO_ROW) ? NULL : hj_row_store_row(store, rows[i]);
		hj_prefetch(at[i]);
	}
	for (int i = 0; i < n && tails; i++)
	{
		if (at[i] != NULL)
			hj_row_store_prefetch_tail(store, rows[i]);
	}
}

/* By-value columns here, the others are put aside; returns how many. */
static int
gather_by_column(const HjRowStore *store, int n, const char *const *at,
				 bool any_missing, int ncols, const int *cols,
				 Datum *const *values, bool *const *nulls, int from,
				 int *others)
{
	const HjRowLayout *layout = store->layout;
	int			nothers = 0;

	for (int c = 0; c < ncols; c++)
	{
		const HjStoredColumn *col = &layout->cols[cols[c]];

		if (col->place != HJ_PLACE_BYVAL)
			others[nothers++] = c;
		else if (any_missing || store->has_nulls[cols[c]])
			gather_byval(layout, col, n, at, values[c] + from, nulls[c] + from);
		else
			gather_plain(col, n, at, values[c] + from, nulls[c] + from);
	}
	return nothers;
}

/* Does any of the columns stand in the rows' tails? */
static bool
reads_tails(const HjRowLayout *layout, int ncols, const int *cols)
{
	for (int c = 0; c < ncols; c++)
	{
		if (layout->cols[cols[c]].place == HJ_PLACE_TAIL)
			return true;
	}
	return false;
}

void
hj_row_store_gather(const HjRowStore *store, int n, const uint32 *rows,
					bool any_missing, int ncols, const int *cols,
					Datum *const *values, bool *const *nulls)
{
	bool		tails = reads_tails(store->layout, ncols, cols);
	const char *at[HJ_GATHER_BLOCK];
	int			others[HJ_MAX_GATHERED];

	Assert(ncols <= HJ_MAX_GATHERED);
	for (int from = 0; from < n; from += HJ_GATHER_BLOCK)
	{
		int			m = Min(n - from, HJ_GATHER_BLOCK);
		int			nothers;

		locate_rows(store, m, rows + from, tails, at);
		nothers = gather_by_column(store, m, at, any_missing, ncols, cols,
								   values, nulls, from, others);
		if (nothers > 0)
			gather_others(store, m, rows + from, nothers, others, cols,
						  values, nulls, from);
	}
}

Datum
hj_row_store_column(const HjRowStore *store, uint32 row, int col, bool *isnull)
{
	Datum		value;

	hj_row_store_read(store, row, 1, &col, &value, isnull);
	return value;
}

void
hj_row_store_raw(const HjRowStore *store, uint32 rownum, HjRawRow *raw)
{
	const HjRowLayout *layout = store->layout;
	HjTailCursor at;
	Size		start;
	bool		any = false;

	raw->fixed = hj_row_store_row(store, rownum);
	raw->tail = NULL;
	raw->tail_bytes = 0;
	if (layout->ntail == 0)
		return;
	at.next = hj_row_store_tail(store, rownum, &start);
	at.offset = start;
	for (int i = 0; i < layout->ncols; i++)
	{
		const HjStoredColumn *col = &layout->cols[i];

		if (col->place != HJ_PLACE_TAIL || column_is_null(layout, raw->fixed, col))
			continue;
		if (!any)
			at.chunk = store->tails[at.next].base;
		any = true;
		(void) read_tail_value(col, at.chunk, &at.offset);
	}
	if (!any)
		return;
	raw->tail = at.chunk + start;
	raw->tail_bytes = at.offset - start;
}
