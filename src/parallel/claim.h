/*
 * claim.h
 *	  Work that several processes share out, and match flags that all of them set.
 *
 * Claiming: parts 0 to n - 1 are taken one at a time, each by exactly one
 * process, in that order.  A claim orders nothing: what a part holds was made
 * visible before (by a barrier), and what is done with it is made visible after
 * (by a barrier, or by completing).
 *
 * Match flags: a bit for each build row.  It is only ever set, by any prober.
 * Two probers may set bits of one word, so setting is atomic.  That is left out
 * where the bit is seen to be set: a bit once set stays set, so an old value can
 * only be wrong the other way.  With many matches a row that saves nearly all
 * traffic between processors.
 *
 * Who completes last (completion.h) sees every flag that was set by those who
 * completed before, though setting orders nothing: completing does.
 *
 * As in completion.h nobody waits here, and each HJ_MUTANT_... must be noticed by
 * the checker in test/model.
 */
#ifndef HJ_CLAIM_H
#define HJ_CLAIM_H

#include "parallel/atomics.h"

/* In shared memory. */
typedef struct HjClaim
{
	HjAtomic	next;
} HjClaim;

/* Before anyone claims; again before a rescan, when all have gone. */
static inline void
hj_claim_init(HjClaim *claim)
{
	hj_atomic_init(&claim->next, 0);
}

/*
 * The next part for the caller alone, or n when all are taken.  n is the same in
 * every call, and small against 2^32 less the number of processes.
 */
static inline uint32
hj_claim_next(HjClaim *claim, uint32 n)
{
	uint32		part = hj_atomic_load_relaxed(&claim->next);

	/* looked at first, so that it cannot wrap around however often it is asked */
	if (part >= n)
		return n;
#ifdef HJ_MUTANT_CLAIM_SPLIT
	hj_atomic_store_relaxed(&claim->next, part + 1);
#else
	part = hj_atomic_fetch_add(&claim->next, 1, HJ_RELAXED);
#endif
	return (part < n) ? part : n;
}

/*
 * Sets the flag of a row.  True for the one caller, of all processes, that found
 * it not set: so that a row is put out once.
 */
static inline bool
hj_match_flag_set(HjAtomic *words, uint32 row)
{
	HjAtomic   *word = &words[row / 32];
	uint32		bit = 1U << (row % 32);
	uint32		before = hj_atomic_load_relaxed(word);

	if (before & bit)
		return false;
#if defined(HJ_MUTANT_FLAG_SPLIT)
	hj_atomic_store_relaxed(word, before | bit);
#elif defined(HJ_MUTANT_FLAG_RESULT_EARLY)
	(void) hj_atomic_fetch_or(word, bit, HJ_RELAXED);
#else
	before = hj_atomic_fetch_or(word, bit, HJ_RELAXED);
#endif
	return (before & bit) == 0;
}

/*
 * Is the flag of a row set?  A yes can be relied on at any time; a no only by
 * the last prober, after it completed.
 */
static inline bool
hj_match_flag_get(HjAtomic *words, uint32 row)
{
	return (hj_atomic_load_relaxed(&words[row / 32]) >> (row % 32)) & 1;
}

#endif							/* HJ_CLAIM_H */
