/*
 * row_store.c
 *	  Rows of the build side: layout and writing.  row_store.h draws the layout,
 *	  row_read.c reads the rows.
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
				  double expected_rows, MemoryContext cxt)
{
	int			shift = HJ_MIN_CHUNK_ROWS_SHIFT;

	while (((Size) layout->row_size << (shift + 1)) <= HJ_CHUNK_BYTES)
		shift++;
	memset(store, 0, sizeof(*store));
	store->layout = layout;
	store->cxt = cxt;
	store->chunk_shift = shift;
	store->chunk_mask = (1U << shift) - 1;
	store->large = expected_rows * layout->row_size >= HJ_LARGE_BYTES;
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
 * A full-size chunk.  A large store cuts them from regions; of those only what
 * is in use counts, the rest is not touched.
 */
static char *
alloc_chunk(HjRowStore *store, Size size)
{
	store->bytes += size;
	if (store->bytes >= HJ_LARGE_BYTES)
		store->large = true;
	if (!store->large)
		return MemoryContextAllocHuge(store->cxt, size);
	return hj_region_alloc(&store->region, store->cxt, size);
}

/* A chunk that may still be reallocated. */
static char *
alloc_small_chunk(HjRowStore *store, Size size)
{
	store->bytes += size;
	return MemoryContextAllocHuge(store->cxt, size);
}

/*
 * Room for more rows.  The first chunk starts small and grows in place, so tiny
 * builds stay tiny: nobody keeps a pointer to a row across an append.
 */
static void
make_room(HjRowStore *store)
{
	Size		row_size = store->layout->row_size;
	uint32		chunk_rows = store->chunk_mask + 1;
	char	   *chunk;

	if (store->nchunks == 1 && store->capacity < chunk_rows)
	{
		Size		more = store->capacity * row_size;

		store->chunks[0] = repalloc_huge(store->chunks[0], 2 * more);
		store->bytes += more;
		store->capacity *= 2;
		return;
	}
	if (store->nchunks == store->max_chunks)
		grow_table(store, &store->chunks, &store->max_chunks);
	if (store->nchunks == 0)
		store->has_nulls = MemoryContextAllocZero(store->cxt,
												  store->layout->ncols + 1);
	if (store->nchunks == 0 && !store->large)
	{
		chunk_rows = 1U << HJ_MIN_CHUNK_ROWS_SHIFT;
		chunk = alloc_small_chunk(store, chunk_rows * row_size);
	}
	else
		chunk = alloc_chunk(store, chunk_rows * row_size);
	store->chunks[store->nchunks++] = chunk;
	store->capacity += chunk_rows;
}

/*
 * Where the next rows go: up to n of them, one after the other.  Returns for
 * how many there is room there, at least one; the caller counts them in.
 */
static int
reserve_rows(HjRowStore *store, int n, char **to)
{
	uint32		row = store->nrows;
	uint64		room;

	if (unlikely(row >= HJ_MAX_ROWS))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("hash join build side exceeds %u rows", HJ_MAX_ROWS)));
	if (row == store->capacity)
		make_room(store);
	*to = store->chunks[store->nchunks - 1] +
		(Size) (row & store->chunk_mask) * store->layout->row_size;
	room = Min(store->capacity, HJ_MAX_ROWS) - row;
	return (int) Min((uint64) n, room);
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
	/* the first one may grow */
	store->tails[ref->chunk] = (ref->chunk == 0 && !own_chunk) ?
		alloc_small_chunk(store, chunk_size) : alloc_chunk(store, chunk_size);
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
	{
		memset(row + layout->tail_offset, 0, sizeof(ref));
		return;
	}
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
	char	   *row;

	(void) reserve_rows(store, 1, &row);
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

/* Key words of n rows from `row` on. */
static void
write_words(const HjRowLayout *layout, int n, char *row, const uint64 *words)
{
	uint32		size = layout->row_size;

	if (layout->key->packed_bytes == 4)
	{
		for (int i = 0; i < n; i++, row += size)
			*(uint32 *) row = (uint32) words[i];
	}
	else
	{
		for (int i = 0; i < n; i++, row += size)
			*(uint64 *) row = words[i];
	}
}

#define SCATTER(type, from_datum) \
	for (int i = 0; i < n; i++, at += size) \
		*(type *) at = from_datum(values[i])

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
		write_tail(store, row, v, isnull);
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

		n = reserve_rows(store, nrows - from, &row);
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
