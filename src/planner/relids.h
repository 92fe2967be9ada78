/*
 * relids.h
 *	  Core's tests on sets of relations, without the call where the sets are
 *	  small, which they nearly always are.  A join of ten tables asks some
 *	  hundred thousand times.
 */
#ifndef HJ_RELIDS_H
#define HJ_RELIDS_H

#include "postgres.h"

#include "nodes/bitmapset.h"

/* bms_is_subset() */
static inline bool
hj_is_subset(const Bitmapset *a, const Bitmapset *b)
{
	if (likely(a != NULL && b != NULL && a->nwords == 1))
		return (a->words[0] & ~b->words[0]) == 0;
	return bms_is_subset(a, b);
}

/* bms_overlap() */
static inline bool
hj_overlap(const Bitmapset *a, const Bitmapset *b)
{
	if (likely(a != NULL && b != NULL && a->nwords == 1))
		return (a->words[0] & b->words[0]) != 0;
	return bms_overlap(a, b);
}

#endif							/* HJ_RELIDS_H */
