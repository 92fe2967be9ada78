/*
 * large_alloc.h
 *	  Memory of large builds: in few, large pieces that the kernel may back
 *	  with huge pages.
 *
 * A build side of some hundred megabytes is read at random; with pages of 4 kB
 * nearly every access misses the processor's address cache as well.  Pieces of
 * HJ_REGION_BYTES and more are advised to huge pages, on their aligned interior
 * only, where the system knows such advice.  Smaller builds are not: they would
 * pay for a page that they use a part of.
 */
#ifndef HJ_LARGE_ALLOC_H
#define HJ_LARGE_ALLOC_H

#include "postgres.h"

/* From this size on. */
#define HJ_REGION_BYTES ((Size) 32 * 1024 * 1024)

/* A large piece that smaller ones are cut from; freed with its context. */
typedef struct HjRegion
{
	char	   *base;			/* NULL: none yet */
	Size		size;
	Size		used;
} HjRegion;

/*
 * Allocate `size` bytes in `cxt`, zeroed if asked; advised if large.  Error:
 * 53200 out of memory.
 */
extern void *hj_large_alloc(MemoryContext cxt, Size size, bool zero);

/*
 * Cut `size` bytes, MAXALIGNed, from the region; a new one is begun if they do
 * not fit (the rest of the old one is lost).  Not to be freed or reallocated.
 */
extern void *hj_region_alloc(HjRegion *region, MemoryContext cxt, Size size);

#endif							/* HJ_LARGE_ALLOC_H */
