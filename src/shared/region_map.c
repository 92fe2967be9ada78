/*
 * region_map.c
 *	  How a region of shared memory is mapped in this process.
 */
#include "postgres.h"

#ifdef __linux__
#include <sys/mman.h>

/* Older headers do not have it. */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#endif

#include "shared/region_map.h"

#if defined(__linux__) && defined(MREMAP_FIXED) && defined(MAP_NORESERVE)

/* An aligned range of addresses that nothing else is mapped to. */
static char *
reserve_addresses(Size bytes)
{
	Size		all = bytes + HJ_REGION_ALIGNMENT;
	char	   *from = mmap(NULL, all, PROT_NONE,
							MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char	   *aligned;

	if (from == MAP_FAILED)
		return NULL;
	aligned = (char *) TYPEALIGN(HJ_REGION_ALIGNMENT, (uintptr_t) from);
	if (aligned > from)
		(void) munmap(from, aligned - from);
	if (from + all > aligned + bytes)
		(void) munmap(aligned + bytes, from + all - (aligned + bytes));
	return aligned;
}

char *
hj_region_map(char *base, Size bytes)
{
	char	   *to;

	if (bytes < HJ_REGION_ALIGNMENT || bytes % HJ_REGION_ALIGNMENT != 0)
		return NULL;
	to = reserve_addresses(bytes);
	if (to == NULL)
		return NULL;
	/* no bytes: the old mapping stays; the first thing that fails undoes all */
	if (mremap(base, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED ||
		madvise(to, bytes, MADV_COLLAPSE) != 0)
	{
		(void) munmap(to, bytes);
		return NULL;
	}
	return to;
}

void
hj_region_unmap(char *address, Size bytes)
{
	(void) munmap(address, bytes);
}

#else

char *
hj_region_map(char *base, Size bytes)
{
	return NULL;
}

void
hj_region_unmap(char *address, Size bytes)
{
}

#endif
