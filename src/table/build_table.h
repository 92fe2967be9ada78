/*
 * build_table.h
 *	  The build side: rows, the rows that can match nothing, and the map.
 *
 * Two phases, asserted: rows are appended (filling), then the table is sealed
 * once, then it is only read.  Nothing that a probe changes is kept here, so
 * one table serves any number of probers; match bits are a separate object.
 *
 * The map leads from a key to its first row.  The rows of one key are chained:
 *
 *	 next		 one uint32 a row, row number + 1 of the next row with the same
 *				 key, 0 = end of chain.  There only if some key has two rows;
 *				 otherwise `chained` is false and a probe walks no chain.
 *
 * Rows are linked in from last to first, so that a chain yields its rows in
 * the order in which they were appended.
 */
#ifndef HJ_BUILD_TABLE_H
#define HJ_BUILD_TABLE_H

#include "postgres.h"

#include "lib/hyperloglog.h"

#include "table/array_map.h"
#include "table/hash_map.h"
#include "table/join_key.h"
#include "table/row_store.h"

typedef struct HjBuildTable
{
	HjJoinKey  *key;
	MemoryContext cxt;			/* owns everything that grows with the input */
	bool		sealed;

	/*
	 * Stored columns: first those of the caller's specs, in that order.  The
	 * stored column of key column i is key_cols[i] (unused if packed).
	 */
	int		   *key_cols;
	double		expected_rows;	/* the planner's guess */
	Size		memory_limit;	/* bytes for all of the table */
	Size		chunk_limit;	/* the same, as far as it sets the chunks' size:
								 * that must not change with what is left */
	HjRowStore	rows;
	MemoryContext scratch;		/* for equality functions; the caller's */
	HjChunkSource *source;		/* of chunks of rows and links that others are
								 * to see; NULL: cxt */

	/*
	 * Rows with a NULL where NULL equals nothing, kept only on a preserved
	 * build side.  Same columns, none packed, all nullable.
	 */
	bool		keep_unmatchable;
	HjRowStore	unmatchable;
	MemoryContext unmatchable_cxt;

	/*
	 * One word a row, in chunks.  Until the map is made: the row's hash, kept
	 * unless the key is packed, whose hash is cheaper to compute than to keep.
	 * Afterwards: `next`.
	 */
	uint32	  **links;
	uint32		nlink_chunks;
	uint32		max_link_chunks;
	char	   *link_piece;		/* with a source: what is left of the piece that */
	uint32		link_piece_left;	/* chunks are cut from, in chunks */

	/* Either map; the decision is made when the table is sealed. */
	HjKeyRange	range;			/* of keys that could have an array map */
	bool		use_array;
	HjArrayMap	array;
	HjHashMap	hash;
	char		map_reason[HJ_MAP_REASON_SIZE]; /* why the latest map; outlives it */

	bool		chained;		/* has any key two rows? */
	bool		first_only;		/* the caller wants no second row of a key */
	bool		unique;			/* no key comes twice: the caller knows */
	hyperLogLogState distinct;	/* first_only: of the keys so far */
	uint64		distinct_at;	/* rows at which to look for duplicates */
	Size		map_bytes;		/* of the map itself */
	Size		peak_bytes;		/* most that was allocated at once */
} HjBuildTable;

/*
 * May a key have rows after its first?  Not where `unique` is set, even if that is
 * wrong (a damaged unique index): then there are no links for them.
 */
static inline bool
hj_may_chain(const HjBuildTable *table)
{
	return !table->first_only && !table->unique;
}

/*
 * An empty table in the current memory context, growing in `cxt`.  specs
 * describe the stored columns; each key column must be one of them
 * (spec->key_column).  Equality functions run in, and leave their garbage to,
 * `scratch`, which is reset.
 */
extern HjBuildTable *hj_build_table_create(HjJoinKey *key, MemoryContext cxt,
										   MemoryContext scratch, int ncols,
										   const HjColumnSpec *specs,
										   double expected_rows,
										   Size memory_limit,
										   bool keep_unmatchable);

/*
 * Append one row: all stored columns, and the prepared key, or `matchable` =
 * false for a row that can match nothing.  Errors as hj_row_store_append.
 */
extern void hj_build_table_append(HjBuildTable *table, bool matchable,
								  uint64 word, uint64 hash,
								  const Datum *values, const bool *nulls);

/*
 * Append n rows at once, none of which is unmatchable: words (packed keys) or
 * hashes, and values[c][i], nulls[c][i] of stored column c.
 */
extern void hj_build_table_append_many(HjBuildTable *table, int n,
									   const uint64 *words,
									   const uint64 *hashes,
									   Datum *const *values,
									   bool *const *nulls);

/* The same for a row of the same layout; hash: of a key that is not packed. */
extern void hj_build_table_append_raw(HjBuildTable *table, const HjRawRow *raw,
									  uint32 hash);

/*
 * Drop the rows (not the unmatchable ones) that are not to be kept, as
 * hj_row_store_compact.
 */
extern void hj_build_table_filter(HjBuildTable *table, HjKeepRow keep, void *arg);

/* Throw away the unmatchable rows. */
extern void hj_build_table_drop_unmatchable(HjBuildTable *table);

/*
 * Bytes that the table will take when sealed with the rows it has, while it is
 * filling.
 */
extern Size hj_build_table_bytes_sealed(const HjBuildTable *table,
										const HjArrayPolicy *policy);

/*
 * Make the map.  policy and the memory limit say whether it may be an array.
 * Cost: one pass over the rows.
 */
extern void hj_build_table_seal(HjBuildTable *table,
								const HjArrayPolicy *policy);

/* Throw all rows and the map away; the table is filling again. */
extern void hj_build_table_reset(HjBuildTable *table);

/* Links stand in chunks of 2^11, 8 kB each. */
#define HJ_LINK_CHUNK_SHIFT 11
#define HJ_LINK_CHUNK_ROWS (1U << HJ_LINK_CHUNK_SHIFT)
#define HJ_LINK_CHUNK_BYTES (HJ_LINK_CHUNK_ROWS * sizeof(uint32))

/* From a source they are taken so many together. */
#define HJ_LINK_PIECE_CHUNKS 8

/* A row's word: its hash or `next`. */
static inline uint32 *
hj_build_table_link(const HjBuildTable *table, uint32 row)
{
	return &table->links[row >> HJ_LINK_CHUNK_SHIFT][row & (HJ_LINK_CHUNK_ROWS - 1)];
}

/* Row number + 1 of the row after `row` (also + 1) in its chain, or 0. */
static inline uint32
hj_build_table_next(const HjBuildTable *table, uint32 row)
{
	return table->chained ? *hj_build_table_link(table, row - 1) : 0;
}

/*
 * Change where chunks come from, of an empty table; NULL: its own context.
 */
extern void hj_build_table_set_source(HjBuildTable *table, HjChunkSource *source);

/* Links of all rows, 0, of a table that keeps no hashes. */
extern void hj_build_table_add_links(HjBuildTable *table);

/* Free the room for links from `row` on, of a table that keeps hashes. */
extern void hj_build_table_trim_links(HjBuildTable *table, uint32 row);

/* Bytes allocated at present. */
extern Size hj_build_table_bytes(const HjBuildTable *table);

#endif							/* HJ_BUILD_TABLE_H */
