/*
 * region_map.h
 *	  How a region of shared memory is mapped in this process.
 *
 * Shared memory comes in pages of 4 kB, whatever the system does for private memory.
 * A large table is then touched page by page, in each process anew: on a virtual
 * machine, 100 MB took 330 ms to be touched first, and 175 ms in the next process;
 * in huge pages 15 ms and 2.
 *
 * Linux (6.1 and later) makes huge pages of an existing mapping when asked to
 * (MADV_COLLAPSE), if it is aligned as a huge page is.  A segment's mapping is not,
 * so it is mapped once more (mremap of no bytes of a shared mapping does that), at
 * an aligned address.  Wherever any of this is not to be had, the segment is used as
 * it is.
 *
 * Small pages that exist would be copied into the huge one.  Those of a new segment
 * were reserved, but hold nothing, so they are given back first, all but one, since
 * a huge page is not made of none.  For a moment, then, what was reserved is not.
 */
#ifndef HJ_REGION_MAP_H
#define HJ_REGION_MAP_H

#include "postgres.h"

/* Regions of this size and more are multiples of it, and get huge pages. */
#define HJ_REGION_ALIGNMENT ((Size) 2 * 1024 * 1024)

/*
 * An aligned second mapping of `bytes` bytes at `base`, where huge pages can be had;
 * NULL if that is of no use or cannot be.
 */
extern char *hj_region_map(char *base, Size bytes);

/*
 * Make huge pages of some bytes (both multiples of HJ_REGION_ALIGNMENT) of such a
 * mapping, which nobody has written to yet; they are zero then.  Others see them,
 * too: each touches such a page once, not 512 times.  It does not matter if there
 * are none to be had.  False: the memory has been lost to somebody else.
 */
extern bool hj_region_make_huge(char *address, Size bytes);

/* The same, with what the small pages hold. */
extern void hj_region_copy_to_huge(char *address, Size bytes);

/* Remove it. */
extern void hj_region_unmap(char *address, Size bytes);

#endif							/* HJ_REGION_MAP_H */
