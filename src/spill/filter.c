/*
 * filter.c
 *	  Which keys can be among the build rows in files?
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "spill/filter.h"

HjFilter *
hj_filter_create(double nkeys, Size bytes, MemoryContext cxt)
{
	HjFilter   *filter = MemoryContextAllocZero(cxt, sizeof(HjFilter));
	double		wanted = nkeys * HJ_FILTER_BITS_PER_KEY / 64 + 1;

	/* a word's number is made of 32 bits of hash */
	filter->nwords = (uint64) Min(wanted, Max(bytes / sizeof(uint64), 1));
	filter->nwords = Min(filter->nwords, PG_UINT32_MAX);
	filter->words = MemoryContextAllocExtended(cxt, hj_filter_bytes(filter),
											   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	return filter;
}

void
hj_filter_free(HjFilter *filter)
{
	pfree(filter->words);
	pfree(filter);
}
