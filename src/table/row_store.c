/*
 * row_store.c
 *	  Rows of the build side; the layout is drawn in row_store.h.
 *
 * Unlike a MinimalTuple a row holds only the columns that the plan needs, has
 * no header, and is found by its number.  Fields are aligned as their types
 * ask, since by-reference values are handed out as pointers into the row;
 * everything else is copied with memcpy, so rows need no padding beyond that.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"

#include "table/row_store.h"

/*
 * Bytes of a full-size chunk, of rows or of tails: large enough that the
 * per-chunk cost vanishes, small enough that a last half-empty chunk does not
 * matter.  The first chunks are smaller, since most builds are small.
 */
#define HJ_CHUNK_BYTES (256 * 1024)
#define HJ_FIRST_TAIL_BYTES (8 * 1024)

/* A small first chunk keeps tiny builds cheap; it still has 2^k rows. */
#define HJ_MIN_CHUNK_ROWS_SHIFT 5

/* Reference to a row's tail, in the fixed part. */
typedef struct HjTailRef
{
	uint32		chunk;
	uint32		offset;
} HjTailRef;

/* ----------------------------------------------------------------
 *		Layout
 * ----------------------------------------------------------------
 */

static uint8
align_bytes(char typalign)
{
	switch (typalign)
	{
		case TYPALIGN_CHAR:
			return 1;
		case TYPALIGN_SHORT:
			return ALIGNOF_SHORT;
		case TYPALIGN_INT:
			return ALIGNOF_INT;
		default:
			return ALIGNOF_DOUBLE;
	}
}

static HjColumnPlace
column_place(const HjColumnSpec *spec, bool packed_key)
{
	if (packed_key && spec->key_column >= 0)
		return HJ_PLACE_PACKED_KEY;
	if (spec->byval)
		return HJ_PLACE_BYVAL;
	return (spec->len > 0) ? HJ_PLACE_FIXED : HJ_PLACE_TAIL;
}

/* Bytes that a column takes in the fixed part, apart from alignment. */
static int
fixed_size(const HjStoredColumn *col)
{
	return (col->place == HJ_PLACE_BYVAL || col->place == HJ_PLACE_FIXED) ?
		col->len : 0;
}

HjRowLayout *
hj_row_layout_create(const HjJoinKey *key, bool packed_key,
					 int ncols, const HjColumnSpec *specs)
{
	HjRowLayout *layout = palloc0(offsetof(HjRowLayout, cols) +
								  ncols * sizeof(HjStoredColumn));
	uint32		offset = packed_key ? key->packed_bytes : 0;
	uint8		row_align = packed_key ? key->packed_bytes : 1;
	int			null_bits = 0;

	layout->key = key;
	layout->packed_key = packed_key;
	layout->ncols = ncols;
	for (int i = 0; i < ncols; i++)
	{
		HjStoredColumn *col = &layout->cols[i];

		col->place = column_place(&specs[i], packed_key);
		col->len = specs[i].len;
		col->shortenable = specs[i].shortenable;
		col->align = align_bytes(specs[i].align);
		col->key_column = specs[i].key_column;
		col->nullable = specs[i].nullable && col->place != HJ_PLACE_PACKED_KEY;
		col->null_bit = col->nullable ? null_bits++ : -1;
		if (col->place == HJ_PLACE_TAIL)
			layout->ntail++;
	}

	/* widest alignment first leaves no holes between by-value columns */
	for (uint8 align = ALIGNOF_DOUBLE; align >= 1; align /= 2)
	{
		for (int i = 0; i < ncols; i++)
		{
			HjStoredColumn *col = &layout->cols[i];

			if (fixed_size(col) == 0 || col->align != align)
				continue;
			offset = TYPEALIGN(align, offset);
			col->offset = offset;
			offset += fixed_size(col);
			row_align = Max(row_align, align);
		}
	}
	if (layout->ntail > 0)
	{
		offset = TYPEALIGN(sizeof(uint32), offset);
		layout->tail_offset = offset;
		offset += sizeof(HjTailRef);
		row_align = Max(row_align, sizeof(uint32));
	}
	layout->null_offset = offset;
	layout->null_bytes = (null_bits + 7) / 8;
	offset += layout->null_bytes;
	layout->row_size = Max(TYPEALIGN(row_align, offset), 1);
	return layout;
}

/* ----------------------------------------------------------------
 *		Writing
 * ----------------------------------------------------------------
 */

void
hj_row_store_init(HjRowStore *store, const HjRowLayout *layout,
				  MemoryContext cxt)
{
	int			shift = HJ_MIN_CHUNK_ROWS_SHIFT;

	while (((Size) layout->row_size << (shift + 1)) <= HJ_CHUNK_BYTES)
		shift++;
	memset(store, 0, sizeof(*store));
	store->layout = layout;
	store->cxt = cxt;
	store->chunk_shift = shift;
	store->chunk_mask = (1U << shift) - 1;
}

/* Make room for one more base pointer. */
static void
grow_table(HjRowStore *store, char ***table, uint32 *max)
{
	uint32		newmax = Max(*max * 2, 8);

	if (*table == NULL)
		*table = MemoryContextAlloc(store->cxt, newmax * sizeof(char *));
	else
		*table = repalloc_huge(*table, (Size) newmax * sizeof(char *));
	store->bytes += (Size) (newmax - *max) * sizeof(char *);
	*max = newmax;
}

/*
 * A full-size chunk.  A store that has grown large cuts them from regions; of
 * those only what is in use counts, the rest is not touched.
 */
static char *
alloc_chunk(HjRowStore *store, Size size, bool may_grow)
{
	store->bytes += size;
	if (may_grow || store->bytes < HJ_REGION_BYTES)
		return MemoryContextAllocHuge(store->cxt, size);
	return hj_region_alloc(&store->region, store->cxt, size);
}

/*
 * The first chunk starts small and grows in place of its own accord: until
 * any pointer into it can exist (rows are read only after the store is
 * sealed) it may be reallocated, so tiny builds stay tiny.
 */
static char *
row_address_for_append(HjRowStore *store)
{
	uint32		row = store->nrows;
	uint32		in_chunk = row & store->chunk_mask;
	Size		row_size = store->layout->row_size;

	if (unlikely(row >= HJ_MAX_ROWS))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("hash join build side exceeds %u rows", HJ_MAX_ROWS)));
	if (in_chunk == 0)
	{
		uint32		first = 1U << HJ_MIN_CHUNK_ROWS_SHIFT;
		Size		size = (row == 0) ? first * row_size :
			(Size) (store->chunk_mask + 1) * row_size;

		if (row == 0)
			store->has_nulls = MemoryContextAllocZero(store->cxt,
													  store->layout->ncols + 1);
		if (store->nchunks == store->max_chunks)
			grow_table(store, &store->chunks, &store->max_chunks);
		store->chunks[store->nchunks++] = alloc_chunk(store, size, row == 0);
	}
	else if (store->nchunks == 1 &&
			 row >= (1U << HJ_MIN_CHUNK_ROWS_SHIFT) && (row & (row - 1)) == 0)
	{
		store->chunks[0] = repalloc_huge(store->chunks[0],
										 (Size) row * 2 * row_size);
		store->bytes += (Size) row * row_size;
	}
	return store->chunks[store->nchunks - 1] + (Size) in_chunk * row_size;
}

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

/* Room for a tail of `size` bytes, MAXALIGNed. */
static char *
tail_alloc(HjRowStore *store, Size size, HjTailRef *ref)
{
	Size		chunk_size = HJ_CHUNK_BYTES;
	bool		own_chunk = size > HJ_CHUNK_BYTES / 4;

	size = MAXALIGN(size);
	if (!own_chunk && store->ntails > 0 && store->tail_used + size <= chunk_size)
	{
		/* the very first chunk grows from small, as the first row chunk does */
		if (store->tail_chunk == 0 && store->ntails == 1)
		{
			Size		have = HJ_FIRST_TAIL_BYTES;

			while (have < store->tail_used)
				have *= 2;
			if (store->tail_used + size > have)
			{
				Size		want = have;

				while (want < store->tail_used + size)
					want *= 2;
				store->tails[0] = repalloc(store->tails[0], want);
				store->bytes += want - have;
			}
		}
		ref->chunk = store->tail_chunk;
		ref->offset = store->tail_used;
		store->tail_used += size;
		return store->tails[ref->chunk] + ref->offset;
	}

	if (own_chunk)
		chunk_size = size;
	else if (store->ntails == 0)
	{
		chunk_size = HJ_FIRST_TAIL_BYTES;
		while (chunk_size < size)
			chunk_size *= 2;
	}
	if (store->ntails == store->max_tails)
		grow_table(store, &store->tails, &store->max_tails);
	ref->chunk = store->ntails++;
	ref->offset = 0;
	store->tails[ref->chunk] = alloc_chunk(store, chunk_size,
										   !own_chunk && ref->chunk == 0);
	/* a chunk of its own is full; the next small tail opens a new one */
	store->tail_chunk = ref->chunk;
	store->tail_used = own_chunk ? HJ_CHUNK_BYTES : size;
	return store->tails[ref->chunk];
}

static void
write_tail(HjRowStore *store, char *row, const Datum *values, const bool *nulls)
{
	const HjRowLayout *layout = store->layout;
	HjTailRef	ref;
	char	   *tail;
	Size		size = 0;

	for (int i = 0; i < layout->ncols; i++)
	{
		if (layout->cols[i].place == HJ_PLACE_TAIL && !nulls[i])
			size = tail_value_end(&layout->cols[i], size, values[i]);
	}
	if (size == 0)
		return;
	tail = tail_alloc(store, size, &ref);
	memcpy(row + layout->tail_offset, &ref, sizeof(ref));
	size = 0;
	for (int i = 0; i < layout->ncols; i++)
	{
		if (layout->cols[i].place == HJ_PLACE_TAIL && !nulls[i])
			size = write_tail_value(&layout->cols[i], tail, size, values[i]);
	}
}

uint32
hj_row_store_append(HjRowStore *store, uint64 word,
					const Datum *values, const bool *nulls)
{
	const HjRowLayout *layout = store->layout;
	char	   *row = row_address_for_append(store);

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
			store_att_byval(row + col->offset, values[i], col->len);
		else if (col->place == HJ_PLACE_FIXED)
			memcpy(row + col->offset, DatumGetPointer(values[i]), col->len);
	}
	if (layout->ntail > 0)
		write_tail(store, row, values, nulls);
	return store->nrows++;
}

/* ----------------------------------------------------------------
 *		Reading
 * ----------------------------------------------------------------
 */

static inline bool
column_is_null(const HjRowLayout *layout, const char *row,
			   const HjStoredColumn *col)
{
	return col->null_bit >= 0 &&
		(row[layout->null_offset + col->null_bit / 8] & (1 << (col->null_bit % 8)));
}

/* The value at *offset of the tail, and *offset past its end. */
static Datum
read_tail_value(const HjStoredColumn *col, char *tail, Size *offset)
{
	char	   *p = tail + *offset;

	if (col->len == -2)
	{
		*offset += strlen(p) + 1;
		return CStringGetDatum(p);
	}
	/* a non-zero first byte is a 1-byte header or an aligned 4-byte one */
	if (!VARATT_NOT_PAD_BYTE(p))
	{
		*offset = TYPEALIGN(col->align, *offset);
		p = tail + *offset;
	}
	*offset += VARSIZE_ANY(p);
	return PointerGetDatum(p);
}

/*
 * Column `target` of the tail; *next and *offset say which column stands
 * where, so that columns read in order walk the tail once.
 */
static Datum
read_tail_column(const HjRowStore *store, const char *row, int target,
				 int *next, Size *offset)
{
	const HjRowLayout *layout = store->layout;
	HjTailRef	ref;
	char	   *tail;

	memcpy(&ref, row + layout->tail_offset, sizeof(ref));
	tail = store->tails[ref.chunk] + ref.offset;
	if (target < *next)
	{
		*next = 0;
		*offset = 0;
	}
	for (;;)
	{
		const HjStoredColumn *col = &layout->cols[*next];

		if (col->place == HJ_PLACE_TAIL && !column_is_null(layout, row, col))
		{
			Datum		value = read_tail_value(col, tail, offset);

			if (*next == target)
			{
				(*next)++;
				return value;
			}
		}
		(*next)++;
	}
}

void
hj_row_store_read(const HjRowStore *store, uint32 rownum,
				  int n, const int *cols, Datum *values, bool *nulls)
{
	const HjRowLayout *layout = store->layout;
	const char *row = hj_row_store_row(store, rownum);
	int			next = 0;
	Size		offset = 0;

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
				values[i] = fetch_att(row + col->offset, true, col->len);
				break;
			case HJ_PLACE_FIXED:
				values[i] = PointerGetDatum(row + col->offset);
				break;
			case HJ_PLACE_TAIL:
				values[i] = read_tail_column(store, row, cols[i], &next, &offset);
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
			fetch_att(at[i] + col->offset, true, col->len);
	}
}

/* The same where nothing can be NULL: one width, no branch. */
#define GATHER(type, to_datum) \
	for (int i = 0; i < n; i++) \
		values[i] = to_datum(*(const type *) (at[i] + col->offset))

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

void
hj_row_store_gather(const HjRowStore *store, int n, const uint32 *rows,
					bool any_missing, int ncols, const int *cols,
					Datum *const *values, bool *const *nulls)
{
	const HjRowLayout *layout = store->layout;
	const char *at[HJ_GATHER_BLOCK];

	for (int from = 0; from < n; from += HJ_GATHER_BLOCK)
	{
		int			m = Min(n - from, HJ_GATHER_BLOCK);

		for (int i = 0; i < m; i++)
		{
			uint32		row = rows[from + i];

			at[i] = (row == HJ_NO_ROW) ? NULL : hj_row_store_row(store, row);
			__builtin_prefetch(at[i]);
		}
		for (int c = 0; c < ncols; c++)
		{
			const HjStoredColumn *col = &layout->cols[cols[c]];
			Datum	   *v = values[c] + from;
			bool	   *isnull = nulls[c] + from;

			if (col->place == HJ_PLACE_BYVAL && !any_missing &&
				!store->has_nulls[cols[c]])
				gather_plain(col, m, at, v, isnull);
			else if (col->place == HJ_PLACE_BYVAL)
				gather_byval(layout, col, m, at, v, isnull);
			else
			{
				for (int i = 0; i < m; i++)
				{
					v[i] = (Datum) 0;
					isnull[i] = true;
					if (at[i] != NULL)
						hj_row_store_read(store, rows[from + i], 1, &cols[c],
										  &v[i], &isnull[i]);
				}
			}
		}
	}
}

Datum
hj_row_store_column(const HjRowStore *store, uint32 row, int col, bool *isnull)
{
	Datum		value;

	hj_row_store_read(store, row, 1, &col, &value, isnull);
	return value;
}
