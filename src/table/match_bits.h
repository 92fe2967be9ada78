/*
 * match_bits.h
 *	  One bit a build row: has any probe row matched it?
 *
 * State of the probe, not of the table: a rescan clears it and keeps the
 * table.
 */
#ifndef HJ_MATCH_BITS_H
#define HJ_MATCH_BITS_H

#include "postgres.h"

typedef struct HjMatchBits
{
	uint32		nrows;
	uint8	   *bits;
} HjMatchBits;

static inline Size
hj_match_bits_bytes(uint32 nrows)
{
	return ((Size) nrows + 7) / 8;
}

static inline bool
hj_match_bits_get(const HjMatchBits *m, uint32 row)
{
	return (m->bits[row >> 3] >> (row & 7)) & 1;
}

static inline void
hj_match_bits_set(HjMatchBits *m, uint32 row)
{
	m->bits[row >> 3] |= 1 << (row & 7);
}

static inline void
hj_match_bits_clear_all(HjMatchBits *m)
{
	memset(m->bits, 0, hj_match_bits_bytes(m->nrows));
}

#endif							/* HJ_MATCH_BITS_H */
