/*
 * region_map.h
 *	  How a region of shared memory is mapped in this process.
 *
 * Shared memory comes in pages of 4 kB, whatever the system does for private memory.
 * A large table is then touched page by page, in each process anew: on a virtual
 * machine, 100 MB took 330 ms to be touched first, and 260 ms in the next process;
 * in huge pages 35 ms and 30.
 *
 * Linux (6.1 and later) makes huge pages of an existing mapping when asked to
 * (MADV_COLLAPSE), if it is aligned as a huge page is.  A segment's mapping is not,
 * so it is mapped once more (mremap of no bytes of a shared mapping does that), at
 * an aligned address.  Wherever any of this is not to be had, the segment is used as
 * it is.
 */
#ifndef HJ_REGION_MAP_H
#define HJ_REGION_MAP_H

#include "postgres.h"

/* Regions of this size and more are multiples of it, and get huge pages. */
#define HJ_REGION_ALIGNMENT ((Size) 2 * 1024 * 1024)

/*
 * An aligned second mapping of `bytes` bytes at `base`, in huge pages if possible;
 * NULL if that is of no use or cannot be.
 */
extern char *hj_region_map(char *base, Size bytes);

/* Remove it. */
extern void hj_region_unmap(char *address, Size bytes);

#endif							/* HJ_REGION_MAP_H */
