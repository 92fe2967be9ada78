/*
 * row_store.h
 *	  Rows of the build side, packed, append only.
 *
 * A row has a fixed part and, if the layout has variable-length columns, a
 * tail.
 *
 *	 fixed part:  [packed key 4 or 8][by-value and fixed-size columns, each
 *				   aligned][tail reference 8][null bits, only for columns
 *				   that can be null]
 *	 tail:		  the row's varlena and cstring values, one after another,
 *				  aligned as in a heap tuple; toast pointers stay pointers
 *
 * Fixed parts stand in chunks of exactly 2^k rows, so that row number ->
 * address is a shift and a mask.  Tails stand in separate chunks and are named
 * by (chunk, offset); a tail larger than a chunk has a chunk of its own.
 * Chunk tables hold this process's base pointers; row numbers and tail
 * references hold no address, so the same rows could stand in shared memory.
 *
 * A row is written once and never moved; the store is freed as a whole.
 */
#ifndef HJ_ROW_STORE_H
#define HJ_ROW_STORE_H

#include "postgres.h"

#include "access/htup_details.h"

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

/* Reference to a row's tail, in the fixed part. */
typedef struct HjTailRef
{
	uint32		chunk;
	uint32		offset;
} HjTailRef;

typedef struct HjRowStore
{
	const HjRowLayout *layout;
	MemoryContext cxt;			/* owns every chunk; the caller's */
	uint32		nrows;
	bool	   *has_nulls;		/* by column: was any value NULL? */
	uint64		capacity;		/* rows for which there is room */
	int			chunk_shift;	/* 2^chunk_shift rows in a chunk */
	uint32		chunk_mask;
	char	  **chunks;
	uint32		nchunks;
	uint32		max_chunks;
	char	  **tails;
	uint32		ntails;
	uint32		max_tails;
	uint32		tail_chunk;		/* the chunk being filled, if ntails > 0 */
	Size		tail_used;
	bool		large;			/* chunks are cut from regions */
	HjRegion	region;
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
 */
extern void hj_row_store_init(HjRowStore *store, const HjRowLayout *layout,
							  double expected_rows, MemoryContext cxt);

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

/* Prefetch the beginning of a row's tail, if its layout has tails. */
static inline void
hj_row_store_prefetch_tail(const HjRowStore *store, uint32 row)
{
	HjTailRef	ref;

	memcpy(&ref, hj_row_store_row(store, row) + store->layout->tail_offset,
		   sizeof(ref));
	/* a row without any value there has no reference, and perhaps no store */
	if (ref.chunk < store->ntails)
		hj_prefetch(store->tails[ref.chunk] + ref.offset);
}

/* The packed key of a row. */
static inline uint64
hj_row_store_word(const HjRowStore *store, uint32 row)
{
	const char *p = hj_row_store_row(store, row);

	if (store->layout->key->packed_bytes == 4)
	{
		uint32		w;

		memcpy(&w, p, sizeof(w));
		return w;
	}
	else
	{
		uint64		w;

		memcpy(&w, p, sizeof(w));
		return w;
	}
}

#endif							/* HJ_ROW_STORE_H */
