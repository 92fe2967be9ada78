/*
 * filter.h
 *	  Which keys can be among the build rows in files?
 *
 * A Bloom filter (B. Bloom, 1970), all bits of a key in one 64-bit word, so that
 * a test costs one cache miss (Putze, Sanders, Singler, "Cache-, Hash- and
 * Space-Efficient Bloom Filters", 2007).  It never denies a key that was added.
 * A filter that was sized for fewer keys than came says yes too often, and
 * stands aside then.
 */
#ifndef HJ_FILTER_H
#define HJ_FILTER_H

#include "postgres.h"

typedef struct HjFilter
{
	uint64	   *words;
	uint64		nwords;
	uint64		nkeys;			/* added, until it was full; duplicates count */
} HjFilter;

/* Bits of a word that a key sets. */
#define HJ_FILTER_BITS 3

/* Bits of the filter for each key that is expected. */
#define HJ_FILTER_BITS_PER_KEY 8

/* With fewer bits than this for each key it is of no use. */
#define HJ_FILTER_LEAST_BITS_PER_KEY 2

/* An empty filter for so many keys, of at most `bytes` bytes, in cxt. */
extern HjFilter *hj_filter_create(double nkeys, Size bytes, MemoryContext cxt);

extern void hj_filter_free(HjFilter *filter);

static inline Size
hj_filter_bytes(const HjFilter *filter)
{
	return filter->nwords * sizeof(uint64);
}

/* Word of a key; hash: 64 bits, all of them good. */
static inline uint64 *
hj_filter_word(const HjFilter *filter, uint64 hash)
{
	return &filter->words[((hash >> 32) * filter->nwords) >> 32];
}

static inline uint64
hj_filter_mask(uint64 hash)
{
	uint64		mask = 0;

	for (int i = 0; i < HJ_FILTER_BITS; i++, hash >>= 6)
		mask |= UINT64CONST(1) << (hash & 63);
	return mask;
}

/* Have too many keys been added?  Then it may contain any. */
static inline bool
hj_filter_is_full(const HjFilter *filter)
{
	return filter->nkeys * HJ_FILTER_LEAST_BITS_PER_KEY > filter->nwords * 64;
}

static inline void
hj_filter_add(HjFilter *filter, uint64 hash)
{
	if (hj_filter_is_full(filter))
		return;
	*hj_filter_word(filter, hash) |= hj_filter_mask(hash);
	filter->nkeys++;
}

/* May the key be among those that were added? */
static inline bool
hj_filter_may_contain(const HjFilter *filter, uint64 hash)
{
	uint64		mask;

	if (hj_filter_is_full(filter))
		return true;
	mask = hj_filter_mask(hash);
	return (*hj_filter_word(filter, hash) & mask) == mask;
}

#endif							/* HJ_FILTER_H */
