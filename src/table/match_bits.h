/*
 * match_bits.h
 *	  One bit a build row: has any probe row matched it?
 *
 * State of the probe, not of the table: a rescan clears it and keeps the
 * table.  Several processes that probe one table share the bits; then they are
 * the flags of parallel/claim.h.
 */
#ifndef HJ_MATCH_BITS_H
#define HJ_MATCH_BITS_H

#include "postgres.h"

#include "parallel/claim.h"

typedef struct HjMatchBits
{
	uint32		nrows;
	uint8	   *bits;
	HjAtomic   *shared;			/* instead, if others set them too */
} HjMatchBits;

static inline Size
hj_match_bits_bytes(uint32 nrows)
{
	return ((Size) nrows + 7) / 8;
}

/* The same, of shared ones. */
static inline Size
hj_match_bits_shared_bytes(uint32 nrows)
{
	return ((Size) nrows + 31) / 32 * sizeof(HjAtomic);
}

/* Are there any? */
static inline bool
hj_match_bits_kept(const HjMatchBits *m)
{
	return m->bits != NULL || m->shared != NULL;
}

static inline bool
hj_match_bits_get(const HjMatchBits *m, uint32 row)
{
	if (unlikely(m->shared != NULL))
		return hj_match_flag_get(m->shared, row);
	return (m->bits[row >> 3] >> (row & 7)) & 1;
}

/* True if it was not set; of several processes, in one only. */
static inline bool
hj_match_bits_set(HjMatchBits *m, uint32 row)
{
	uint8		bit = 1 << (row & 7);
	bool		set;

	if (unlikely(m->shared != NULL))
		return hj_match_flag_set(m->shared, row);
	set = (m->bits[row >> 3] & bit) == 0;
	m->bits[row >> 3] |= bit;
	return set;
}

static inline void
hj_match_bits_clear_all(HjMatchBits *m)
{
	memset(m->bits, 0, hj_match_bits_bytes(m->nrows));
}

#endif							/* HJ_MATCH_BITS_H */
