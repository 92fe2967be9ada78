/*
 * large_alloc.h
 *	  Memory of large builds: in few, large pieces that the kernel may back
 *	  with huge pages.
 *
 * A large build side is read at random; with pages of 4 kB nearly every access
 * misses the processor's address cache as well.  From HJ_LARGE_BYTES on, memory
 * is advised to huge pages, on its aligned interior only, where the system
 * knows such advice.  It is asked for in pieces of HJ_REGION_BYTES or more,
 * which malloc maps on their own and gives back whole, advice and all; what is
 * not used of a piece is never touched.  Smaller builds are not worth it.
 */
#ifndef HJ_LARGE_ALLOC_H
#define HJ_LARGE_ALLOC_H

#include "postgres.h"

#define HJ_LARGE_BYTES ((Size) 8 * 1024 * 1024)
#define HJ_REGION_BYTES ((Size) 32 * 1024 * 1024)
#define HJ_MAX_REGION_BYTES ((Size) 256 * 1024 * 1024)

/* The usual size of a huge page; another one only moves the edges. */
#define HJ_HUGE_PAGE_BYTES ((Size) 2 * 1024 * 1024)

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
