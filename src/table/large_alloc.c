/*
 * large_alloc.c
 *	  Memory of large builds.
 */
#include "postgres.h"

#include <sys/mman.h>

#include "utils/memutils.h"

#include "table/large_alloc.h"

#ifdef MADV_HUGEPAGE
static void
advise(char *piece, Size size)
{
	char	   *from = (char *) TYPEALIGN(HJ_HUGE_PAGE_BYTES, piece);
	char	   *to = (char *) TYPEALIGN_DOWN(HJ_HUGE_PAGE_BYTES, piece + size);

	/* advice only: a kernel without huge pages refuses, and nothing is lost */
	if (to > from)
		(void) madvise(from, to - from, MADV_HUGEPAGE);
}
#else
static void
advise(char *piece, Size size)
{
}
#endif

void *
hj_large_alloc(MemoryContext cxt, Size size, bool zero)
{
	char	   *piece;

	if (size < HJ_LARGE_BYTES)
		return MemoryContextAllocExtended(cxt, size, MCXT_ALLOC_HUGE |
										  (zero ? MCXT_ALLOC_ZERO : 0));
	piece = MemoryContextAllocHuge(cxt, Max(size, HJ_REGION_BYTES));
	advise(piece, size);
	if (zero)
		memset(piece, 0, size);
	return piece;
}

void *
hj_region_alloc(HjRegion *region, MemoryContext cxt, Size size)
{
	char	   *piece;

	size = MAXALIGN(size);
	if (region->base == NULL || region->size - region->used < size)
	{
		/* ever larger ones: fewer edges that no huge page covers */
		Size		region_size = Max(region->size * 2, HJ_REGION_BYTES);

		region_size = Max(size, Min(region_size, HJ_MAX_REGION_BYTES));
		region->base = hj_large_alloc(cxt, region_size, false);
		region->size = region_size;
		region->used = 0;
	}
	piece = region->base + region->used;
	region->used += size;
	return piece;
}
