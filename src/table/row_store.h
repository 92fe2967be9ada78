/*
 * row_store.h
 *	  Rows of the build side, packed, append only.
 *
 * A row has a fixed part and, if the layout has variable-length columns, a
 * tail.
 *
 *	 fixed part:  [packed key 4 or 8][by-value and fixed-size columns][tail
 *				   reference 4][null bits, only for columns that can be null]
 *	 tail:		  the row's varlena and cstring values, one after another,
 *				  aligned as in a heap tuple; toast pointers stay pointers
 *
 * Columns handed out by reference are aligned as their types ask.  By-value
 * columns are aligned too after a packed key, if the rows have no tail and that
 * costs little: an even size keeps most rows in one cache line.  Otherwise they
 * stand close.
 *
 * Fixed parts stand in chunks of exactly 2^k rows, so that row number ->
 * address is a shift and a mask.  Tails stand in separate chunks, filled in row
 * order; a large tail has a chunk of its own.  A tail reference is the number of
 * the tail's chunk, counted from the first one that a row of the same row chunk
 * could be in, and the offset there.  Chunk tables hold this process's base
 * pointers; row numbers and tail references hold no address, so the same rows
 * can stand in shared memory: then chunks come from a source, all of full size,
 * and the caller sets it right after hj_row_store_init().
 *
 * A row is written once and never moved; the store is freed as a whole.
 */
#ifndef HJ_ROW_STORE_H
#define HJ_ROW_STORE_H

#include "postgres.h"

#include "access/htup_details.h"

#include "table/chunk_source.h"
#include "table/join_key.h"
#include "table/large_alloc.h"
#include "table/prefetch.h"

/* Where a stored column's value stands. */
typedef enum HjColumnPlace
{
	HJ_PLACE_PACKED_KEY,		/* unpacked from the key word */
	HJ_PLACE_BYVAL,
	HJ_PLACE_FIXED,				/* by reference, fixed size, in the row */
	HJ_PLACE_TAIL
} HjColumnPlace;

/* What a caller says of a column it wants stored. */
typedef struct HjColumnSpec
{
	int16		len;			/* as pg_type.typlen */
	bool		byval;
	char		align;
	bool		nullable;
	bool		shortenable;	/* a varlena that may get a 1-byte header */
	int			key_column;		/* index in the join key, or -1 */
} HjColumnSpec;

typedef struct HjStoredColumn
{
	HjColumnPlace place;
	int16		len;
	uint8		align;			/* in bytes */
	bool		nullable;
	bool		shortenable;
	int			key_column;
	uint32		offset;			/* in the fixed part */
	int			null_bit;		/* or -1 */
} HjStoredColumn;

typedef struct HjRowLayout
{
	const HjJoinKey *key;
	bool		packed_key;		/* the row starts with the key word */
	int			ncols;
	int			ntail;			/* number of HJ_PLACE_TAIL columns */
	uint32		row_size;
	uint32		tail_offset;	/* of the tail reference */
	uint32		null_offset;	/* of the null bits */
	uint32		null_bytes;
	HjStoredColumn cols[FLEXIBLE_ARRAY_MEMBER];
} HjRowLayout;

/*
 * Bytes of a full-size chunk, of rows or of tails: large enough that the
 * per-chunk cost vanishes, small enough that a last half-empty chunk does not
 * matter; less if memory is short.  The first chunks are smaller, since most
 * builds are small.
 */
#define HJ_CHUNK_SHIFT 18
#define HJ_CHUNK_BYTES ((Size) 1 << HJ_CHUNK_SHIFT)
#define HJ_MIN_CHUNK_BYTES ((Size) 1024)

/* A chunk of tails. */
typedef struct HjTailChunk
{
	char	   *base;
	Size		bytes;
	bool		single;			/* of one row */
} HjTailChunk;

typedef struct HjRowStore
{
	const HjRowLayout *layout;
	MemoryContext cxt;			/* owns every chunk; the caller's */
	HjChunkSource *source;		/* chunks come from here; NULL: from cxt */
	Size		chunk_bytes;	/* of a full-size chunk, at most */
	uint32		nrows;
	bool	   *has_nulls;		/* by column: was any value NULL? */
	uint64		capacity;		/* rows for which there is room */
	int			chunk_shift;	/* 2^chunk_shift rows in a chunk */
	uint32		chunk_mask;
	char	  **chunks;
	uint32	   *tail_base;		/* by chunk: the tail chunk counted from */
	uint32		nchunks;
	uint32		max_chunks;
	HjTailChunk *tails;
	uint32		ntails;
	uint32		max_tails;
	uint32		tail_chunk;		/* the one being filled */
	Size		tail_used;		/* bytes of it; all: open another */
	bool		large;			/* chunks are cut from regions */
	HjRegion	region;
	void	   *spare_chunks;	/* full-size ones to use again: lists, linked */
	void	   *spare_tails;	/* by their first words */
	Size		bytes;			/* in use so far */
} HjRowStore;

/* Row numbers are 32 bits, and row number + 1 must be one too. */
#define HJ_MAX_ROWS ((uint32) 0xFFFFFFFE)

/* In place of a row number: no row, all its columns are NULL. */
#define HJ_NO_ROW PG_UINT32_MAX

/* Columns of one row are at most those of a tuple. */
#define HJ_MAX_GATHERED MaxTupleAttributeNumber

/* Rows whose addresses are prefetched together. */
#define HJ_GATHER_BLOCK 128

/*
 * Make a layout in the current memory context.  With packed_key the columns
 * whose key_column is set are not stored but unpacked from the key word.
 */
extern HjRowLayout *hj_row_layout_create(const HjJoinKey *key, bool packed_key,
										 int ncols, const HjColumnSpec *specs);

/*
 * An empty store; allocates nothing in cxt until the first row.  Of
 * expected_rows only the magnitude matters, and being wrong costs little.
 * memory_limit: what the caller may take for it; it sets the chunks' size.
 */
extern void hj_row_store_init(HjRowStore *store, const HjRowLayout *layout,
							  double expected_rows, Size memory_limit,
							  MemoryContext cxt);

/*
 * Append a row; returns its number.  `word` is the packed key, if the layout
 * has one.  Values are copied.  Expanded objects are flattened, nothing is
 * detoasted.  Error: 54000 past HJ_MAX_ROWS, 53200 out of memory.
 */
extern uint32 hj_row_store_append(HjRowStore *store, uint64 word,
								  const Datum *values, const bool *nulls);

/*
 * Append n rows at once: words[i], and values[c][i], nulls[c][i] of stored
 * column c.  As hj_row_store_append for each.
 */
extern void hj_row_store_append_many(HjRowStore *store, int n,
									 const uint64 *words,
									 Datum *const *values, bool *const *nulls);

/* A row as bytes. */
typedef struct HjRawRow
{
	const char *fixed;			/* layout->row_size bytes */
	const char *tail;			/* NULL if it has none */
	Size		tail_bytes;
} HjRawRow;

/* The packed key of such a row; 0 if the key is not packed. */
static inline uint64
hj_raw_row_word(const HjJoinKey *key, const HjRawRow *raw)
{
	return key->packed ? hj_key_word_at(key, raw->fixed) : 0;
}

/* A row of the store as bytes, which stay where they are. */
extern void hj_row_store_raw(const HjRowStore *store, uint32 row, HjRawRow *raw);

/*
 * Append a row of the same layout; returns its number.  Its tail goes to an
 * address that is the same modulo MAXALIGN as the one it comes from, as the
 * values inside are aligned.  Errors as hj_row_store_append.
 */
extern uint32 hj_row_store_append_raw(HjRowStore *store, const HjRawRow *raw);

/* Forget all rows; room for as many small ones is kept. */
extern void hj_row_store_clear(HjRowStore *store);

/* Is the row of `rows`, about to get number `to` if so, to be kept? */
typedef bool (*HjKeepRow) (void *arg, const HjRowStore *rows, uint32 row,
						   uint32 to);

/*
 * Drop the rows that are not to be kept; the others are numbered anew, in the
 * same order.  Memory is used again chunk by chunk: at no time are there more
 * than a few chunks beyond what there was.  keep() sees the rows in order and
 * may read them; errors in it leave a store that can only be thrown away.
 */
extern void hj_row_store_compact(HjRowStore *store, HjKeepRow keep, void *arg);

/*
 * Read columns cols[0..n-1] of a row into values[], nulls[] (same order as
 * cols).  By-reference values point into the store and live as long as it.
 */
extern void hj_row_store_read(const HjRowStore *store, uint32 row,
							  int n, const int *cols,
							  Datum *values, bool *nulls);

/*
 * Read columns cols[0..ncols-1] of n rows, column by column:
 * values[c][i], nulls[c][i] for rows[i].  any_missing: may HJ_NO_ROW be among
 * them?  The rows are prefetched.
 */
extern void hj_row_store_gather(const HjRowStore *store, int n,
								const uint32 *rows, bool any_missing,
								int ncols, const int *cols,
								Datum *const *values, bool *const *nulls);

/* One column; use the above for more than one. */
extern Datum hj_row_store_column(const HjRowStore *store, uint32 row, int col,
								 bool *isnull);

static inline const char *
hj_row_store_row(const HjRowStore *store, uint32 row)
{
	return store->chunks[row >> store->chunk_shift] +
		(Size) (row & store->chunk_mask) * store->layout->row_size;
}

/*
 * Where a row's tail is: the chunk's number and the offset there.  Of no use
 * for a row without any value in its tail; the chunk may not exist then.
 */
static inline uint32
hj_row_store_tail(const HjRowStore *store, uint32 row, Size *offset)
{
	uint32		ref;

	memcpy(&ref, hj_row_store_row(store, row) + store->layout->tail_offset,
		   sizeof(ref));
	*offset = ref & (HJ_CHUNK_BYTES - 1);
	return store->tail_base[row >> store->chunk_shift] + (ref >> HJ_CHUNK_SHIFT);
}

/* Prefetch the beginning of a row's tail, if its layout has tails. */
static inline void
hj_row_store_prefetch_tail(const HjRowStore *store, uint32 row)
{
	Size		offset;
	uint32		chunk = hj_row_store_tail(store, row, &offset);

	if (chunk < store->ntails)
		hj_prefetch(store->tails[chunk].base + offset);
}

/* The packed key of a row. */
static inline uint64
hj_row_store_word(const HjRowStore *store, uint32 row)
{
	return hj_key_word_at(store->layout->key, hj_row_store_row(store, row));
}

#endif							/* HJ_ROW_STORE_H */
