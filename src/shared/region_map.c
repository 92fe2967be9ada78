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
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
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

/* Does the kernel know it?  Older ones refuse even to do it to no bytes. */
static bool
makes_huge_pages(char *address)
{
	return madvise(address, 0, MADV_COLLAPSE) == 0;
}

char *
hj_region_map(char *base, Size bytes)
{
	char	   *to;

	if (bytes < HJ_REGION_ALIGNMENT || bytes % HJ_REGION_ALIGNMENT != 0 ||
		!makes_huge_pages(base))
		return NULL;
	to = reserve_addresses(bytes);
	if (to == NULL)
		return NULL;
	/* no bytes: the old mapping stays */
	if (mremap(base, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED)
	{
		(void) munmap(to, bytes);
		return NULL;
	}
	return to;
}

/* Have pages, of whatever size. */
static bool
populate(char *address, Size bytes)
{
	int			rc;

	do
		rc = madvise(address, bytes, MADV_POPULATE_WRITE);
	while (rc != 0 && errno == EINTR);
	return rc == 0;
}

void
hj_region_copy_to_huge(char *address, Size bytes)
{
	(void) madvise(address, bytes, MADV_COLLAPSE);
}

bool
hj_region_make_huge(char *address, Size bytes)
{
	/* what cannot be given back is copied */
	if (madvise(address, bytes, MADV_REMOVE) != 0)
	{
		hj_region_copy_to_huge(address, bytes);
		return true;
	}
	for (Size at = 0; at < bytes; at += HJ_REGION_ALIGNMENT)
	{
		if (!populate(address + at, 1))
			return populate(address, bytes);
	}
	return madvise(address, bytes, MADV_COLLAPSE) == 0 || populate(address, bytes);
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

bool
hj_region_make_huge(char *address, Size bytes)
{
	return true;
}

void
hj_region_copy_to_huge(char *address, Size bytes)
{
}

void
hj_region_unmap(char *address, Size bytes)
{
}

#endif
