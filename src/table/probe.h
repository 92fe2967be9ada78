/*
 * probe.h
 *	  Look-up of a batch of probe rows, chunk by chunk, resumable.
 *
 * Two steps.  hj_probe_heads finds, for each probe row, the first build row of
 * its key.  hj_probe_walk then follows the chains and writes pairs of (probe
 * row, build row) until the chunk is full; the cursor says where to go on, so
 * one probe row with ten million matches costs no more memory than any other.
 */
#ifndef HJ_PROBE_H
#define HJ_PROBE_H

#include "postgres.h"

#include "table/build_table.h"
#include "table/match_bits.h"

/*
 * The probe offset: at row `row`, from the head of its chain (next == 0), or
 * in the middle of that chain, at build row number + 1 `next`.
 */
typedef struct HjProbeCursor
{
	int			row;
	uint32		next;
} HjProbeCursor;

/* In place of a build row: all matches of this probe row have been given. */
#define HJ_ROW_END HJ_NO_ROW

/* A chunk of pairs. */
typedef struct HjMatches
{
	int			capacity;		/* the arrays hold one more */
	int			n;
	int		   *probe;			/* row in the batch */
	uint32	   *build;			/* build row number, or HJ_ROW_END */
} HjMatches;

/* What hj_probe_walk gives. */
#define HJ_WALK_FIRST_ONLY	0x01	/* at most one pair a probe row */
#define HJ_WALK_ROW_ENDS	0x02	/* HJ_ROW_END after each row's pairs */
#define HJ_WALK_MISSES		0x04	/* HJ_ROW_END for rows without a pair; not
									 * with chains by hash */
#define HJ_WALK_NO_PAIRS	0x08	/* no pairs: only those marks */

extern void hj_matches_init(HjMatches *matches, int capacity);

/*
 * For rows 0..nrows-1 of the key set: heads[i] = row number + 1 of the first
 * candidate, or 0.  Unless the table chains by hash, a candidate is a match.
 * Equality functions run in `scratch`, which is reset.
 */
extern void hj_probe_heads(HjBuildTable *table, const HjKeySet *keys,
						   int nrows, uint32 *heads, MemoryContext scratch);

/* The same for one packed key; at once, without prefetching. */
extern uint32 hj_probe_word(HjBuildTable *table, uint64 word);

/*
 * Write the next chunk of pairs, replacing matches' content; n == 0 means that
 * the batch is finished.  With `skip_marked`, rows whose whole chain is known
 * to be marked are passed over (for joins that only mark, or emit a build row
 * once; not with chains by hash).
 */
extern void hj_probe_walk(HjBuildTable *table, const HjKeySet *keys, int nrows,
						  const uint32 *heads, int flags,
						  const HjMatchBits *skip_marked,
						  HjProbeCursor *cursor, HjMatches *matches,
						  MemoryContext scratch);

/* No more pairs of probe row `row`, please. */
static inline void
hj_probe_skip_row(HjProbeCursor *cursor, int row)
{
	if (cursor->row == row)
	{
		cursor->row++;
		cursor->next = 0;
	}
}

#endif							/* HJ_PROBE_H */
