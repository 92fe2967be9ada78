/*
 * shared_memory.c
 *	  Memory that the processes of one parallel join share.
 *
 * Regions are pinned, so that one outlives the process that made it, and unpinned
 * by whoever is the last to leave the segment in which the join's own shared state
 * stands: core sees to it that every process leaves it, in whatever way it ends.
 * Mappings are pinned too, and removed in the same place.  That place may be reached
 * after the query's memory is gone (a worker that fails), so what it needs stands in
 * TopMemoryContext.
 */
#include "postgres.h"

#include <sys/statvfs.h>

#include "storage/dsm_impl.h"
#include "utils/memutils.h"

#include "shared/region_map.h"
#include "shared/shared_memory.h"

/*
 * A process's regions for chunks: the first is a quarter of what is expected, the next
 * as large as half of what it has, within these bounds.  So there are few of them, and
 * what is left of the last does not matter.  Where there is much memory, all but the
 * first have huge pages; where there is little, none should take a large part of it.
 */
#define HJ_FEWEST_REGION_BYTES ((Size) 512 * 1024)
#define HJ_MOST_FIRST_REGION_BYTES ((Size) 32 * 1024 * 1024)
#define HJ_MOST_REGION_BYTES ((Size) 256 * 1024 * 1024)
#define HJ_REGIONS_IN_SHARE 8

/* Left to others where shared memory is scarce. */
#define HJ_LEAVE_BYTES ((Size) 1024 * 1024)

/* A region as this process sees it. */
typedef struct Mapping
{
	dsm_segment *seg;			/* NULL: not mapped */
	char	   *base;
	char	   *alias;			/* a second mapping, which is used then, or NULL */
	Size		bytes;
} Mapping;

struct HjSharedArea
{
	HjSharedMemory *memory;
	int			process;
	Mapping    *mappings[HJ_MAX_REGIONS];
};

/* A chunk is preceded by this; a cache line, so that rows begin at one. */
typedef union ChunkHeader
{
	HjSharedPointer self;
	char		pad[PG_CACHE_LINE_SIZE];
} ChunkHeader;

static uint32
region_number(HjSharedPointer p)
{
	return (uint32) (p >> HJ_SHARED_OFFSET_BITS) - 1;
}

HjSharedMemory *
hj_shared_area_memory(const HjSharedArea *area)
{
	return area->memory;
}

uint64
hj_shared_memory_used(HjSharedMemory *memory)
{
	return pg_atomic_read_u64(&memory->used);
}

uint64
hj_shared_memory_peak(HjSharedMemory *memory)
{
	return pg_atomic_read_u64(&memory->peak);
}

/* ----------------------------------------------------------------
 *		Regions
 * ----------------------------------------------------------------
 */

/* The segment is being unmapped, by us or because the process ends. */
static void
forget_mapping(dsm_segment *seg, Datum arg)
{
	Mapping    *mapping = (Mapping *) DatumGetPointer(arg);

	if (mapping->alias != NULL)
		hj_region_unmap(mapping->alias, mapping->bytes);
	mapping->alias = NULL;
	mapping->seg = NULL;
	mapping->base = NULL;
}

/*
 * Are segments memory of their own?  Files are not made huge pages of, and what is cut
 * from the main shared memory has the pages that this has.
 */
static bool
may_have_huge_pages(void)
{
	return min_dynamic_shared_memory == 0 &&
		(dynamic_shared_memory_type == DSM_IMPL_POSIX ||
		 dynamic_shared_memory_type == DSM_IMPL_SYSV);
}

/* Note how region `number` is mapped. */
static Mapping *
add_mapping(HjSharedArea *area, uint32 number, dsm_segment *seg, Size bytes)
{
	Mapping    *mapping = area->mappings[number];

	if (mapping == NULL)
		area->mappings[number] = mapping =
			MemoryContextAllocZero(TopMemoryContext, sizeof(Mapping));
	dsm_pin_mapping(seg);
	mapping->seg = seg;
	mapping->bytes = bytes;
	mapping->alias = may_have_huge_pages() ?
		hj_region_map(dsm_segment_address(seg), bytes) : NULL;
	mapping->base = (mapping->alias != NULL) ? mapping->alias :
		dsm_segment_address(seg);
	on_dsm_detach(seg, forget_mapping, PointerGetDatum(mapping));
	return mapping;
}

void
hj_shared_unmap(HjSharedArea *area)
{
	for (uint32 i = 0; i < HJ_MAX_REGIONS; i++)
	{
		if (area->mappings[i] != NULL && area->mappings[i]->seg != NULL)
			dsm_detach(area->mappings[i]->seg);
	}
}

/* The lock must be held.  owner < 0: of all processes. */
static void
unpin_regions(HjSharedMemory *memory, int owner)
{
	for (uint32 i = 0; i < memory->nregions; i++)
	{
		HjSharedRegion *region = &memory->regions[i];

		if (region->owner < 0 || (owner >= 0 && region->owner != owner))
			continue;
		dsm_unpin_segment(region->handle);
		region->owner = -1;
		pg_atomic_sub_fetch_u64(&memory->used, region->bytes);
	}
}

static void
free_regions(HjSharedArea *area, int owner)
{
	LWLockAcquire(&area->memory->lock, LW_EXCLUSIVE);
	unpin_regions(area->memory, owner);
	LWLockRelease(&area->memory->lock);
}

void
hj_shared_free_own(HjSharedArea *area)
{
	hj_shared_unmap(area);
	free_regions(area, area->process);
}

void
hj_shared_free_all(HjSharedArea *area)
{
	hj_shared_unmap(area);
	free_regions(area, -1);
}

void
hj_shared_memory_reset(HjSharedArea *area)
{
	hj_shared_free_all(area);
	area->memory->nregions = 0;
}

/* May the system be expected to give us so much more? */
static bool
space_exists(Size bytes)
{
	const char *path;
	struct statvfs fs;

	switch (dynamic_shared_memory_type)
	{
		case DSM_IMPL_POSIX:
			path = "/dev/shm";
			break;
		case DSM_IMPL_MMAP:
			path = PG_DYNSHMEM_DIR;
			break;
		default:
			return true;		/* nobody to ask */
	}
	/* where it is elsewhere we cannot know */
	if (statvfs(path, &fs) != 0)
		return true;
	return (uint64) fs.f_bavail * fs.f_frsize >= (uint64) bytes + HJ_LEAVE_BYTES;
}

/* From a preallocated part of the main shared memory it may have been used before. */
static void
clear_if_not_fresh(dsm_segment *seg, Size bytes)
{
	if (min_dynamic_shared_memory > 0)
		memset(dsm_segment_address(seg), 0, bytes);
}

static Size
region_bytes(Size bytes)
{
	return (bytes < HJ_REGION_ALIGNMENT) ? TYPEALIGN(BLCKSZ, bytes) :
		TYPEALIGN(HJ_REGION_ALIGNMENT, bytes);
}

HjSharedPointer
hj_shared_reserve(HjSharedArea *area, Size bytes, Size limit)
{
	HjSharedMemory *memory = area->memory;
	dsm_segment *seg = NULL;
	uint32		number;
	uint64		used;
	uint64		peak;

	bytes = region_bytes(bytes);
	/* one at a time, or each would see the same space */
	LWLockAcquire(&memory->lock, LW_EXCLUSIVE);
	if (memory->nregions < HJ_MAX_REGIONS &&
		hj_shared_memory_used(memory) + bytes <= limit && space_exists(bytes))
		seg = dsm_create(bytes, DSM_CREATE_NULL_IF_MAXSEGMENTS);
	if (seg == NULL)
	{
		LWLockRelease(&memory->lock);
		return HJ_NO_POINTER;
	}
	dsm_pin_segment(seg);
	number = memory->nregions++;
	memory->regions[number] = (HjSharedRegion)
	{
		dsm_segment_handle(seg), area->process, bytes
	};
	used = pg_atomic_add_fetch_u64(&memory->used, bytes);
	peak = pg_atomic_read_u64(&memory->peak);
	pg_atomic_write_u64(&memory->peak, Max(peak, used));
	LWLockRelease(&memory->lock);

	clear_if_not_fresh(seg, bytes);
	(void) add_mapping(area, number, seg, bytes);
	return (HjSharedPointer) (number + 1) << HJ_SHARED_OFFSET_BITS;
}

/* The part of a range that lies in the region and is mapped for huge pages. */
static char *
huge_range(HjSharedArea *area, HjSharedPointer from, Size *bytes)
{
	char	   *at = hj_shared_address(area, from);
	const Mapping *mapping = area->mappings[region_number(from)];

	if (mapping->alias == NULL)
		return NULL;
	*bytes = Min(*bytes, mapping->bytes - (at - mapping->base));
	return at;
}

bool
hj_shared_prepare(HjSharedArea *area, HjSharedPointer from, Size bytes)
{
	char	   *at = huge_range(area, from, &bytes);

	return at == NULL || hj_region_make_huge(at, bytes);
}

void
hj_shared_make_huge(HjSharedArea *area, HjSharedPointer from, Size bytes)
{
	char	   *at = huge_range(area, from, &bytes);

	if (at != NULL)
		hj_region_copy_to_huge(at, bytes);
}

/* Attach to a region that another process has made. */
static Mapping *
map_region(HjSharedArea *area, uint32 number)
{
	const HjSharedRegion *region = &area->memory->regions[number];
	dsm_segment *seg = dsm_attach(region->handle);

	if (seg == NULL)
		elog(ERROR, "could not map shared memory of a hash join");
	return add_mapping(area, number, seg, region->bytes);
}

void *
hj_shared_address(HjSharedArea *area, HjSharedPointer p)
{
	uint32		number = region_number(p);
	Mapping    *mapping = area->mappings[number];

	if (mapping == NULL || mapping->seg == NULL)
		mapping = map_region(area, number);
	return mapping->base + (p & ((UINT64CONST(1) << HJ_SHARED_OFFSET_BITS) - 1));
}

/* ----------------------------------------------------------------
 *		Users
 * ----------------------------------------------------------------
 */

/* This process leaves the segment in which the shared state stands. */
static void
leave(dsm_segment *seg, Datum arg)
{
	HjSharedArea *area = (HjSharedArea *) DatumGetPointer(arg);
	HjSharedMemory *memory = area->memory;

	hj_shared_unmap(area);
	LWLockAcquire(&memory->lock, LW_EXCLUSIVE);
	if (--memory->nusers == 0)
		unpin_regions(memory, -1);
	LWLockRelease(&memory->lock);
	for (uint32 i = 0; i < HJ_MAX_REGIONS; i++)
	{
		if (area->mappings[i] != NULL)
			pfree(area->mappings[i]);
	}
	pfree(area);
}

HjSharedArea *
hj_shared_memory_attach(HjSharedMemory *memory, dsm_segment *seg, int process)
{
	HjSharedArea *area = MemoryContextAllocZero(TopMemoryContext,
												sizeof(HjSharedArea));

	area->memory = memory;
	area->process = process;
	on_dsm_detach(seg, leave, PointerGetDatum(area));
	LWLockAcquire(&memory->lock, LW_EXCLUSIVE);
	memory->nusers++;
	LWLockRelease(&memory->lock);
	return area;
}

HjSharedArea *
hj_shared_memory_create(HjSharedMemory *memory, dsm_segment *seg)
{
	/* core's name for locks of a parallel query's memory */
	LWLockInitialize(&memory->lock, LWTRANCHE_PARALLEL_QUERY_DSA);
	memory->nusers = 0;
	memory->nregions = 0;
	pg_atomic_init_u64(&memory->used, 0);
	pg_atomic_init_u64(&memory->peak, 0);
	return hj_shared_memory_attach(memory, seg, 0);
}

/* ----------------------------------------------------------------
 *		Chunks
 * ----------------------------------------------------------------
 */

/* A new region for at least `bytes` bytes; a smaller one where memory is short. */
static bool
next_region(HjSharedChunks *chunks, Size bytes)
{
	Size		needed = region_bytes(bytes);
	Size		wanted = (chunks->total == 0) ? chunks->first :
		Min(Max(chunks->total / 2, chunks->least), HJ_MOST_REGION_BYTES);

	wanted = region_bytes(Max(wanted, bytes));
	while ((chunks->next = hj_shared_reserve(chunks->area, wanted,
											 chunks->room(chunks->arg))) == HJ_NO_POINTER)
	{
		if (wanted == needed)
			return false;
		wanted = Max(region_bytes(wanted / 2), needed);
	}
	chunks->prepared = chunks->next;
	chunks->left = wanted;
	chunks->total += wanted;
	return true;
}

/* What is not used of a region is never touched. */
static bool
prepare_next(HjSharedChunks *chunks)
{
	while (chunks->prepared < chunks->next)
	{
		if (!hj_shared_prepare(chunks->area, chunks->prepared, HJ_PREPARE_BYTES))
			return false;
		chunks->prepared += HJ_PREPARE_BYTES;
	}
	return true;
}

HjSharedPointer
hj_shared_chunks_allocate(HjSharedChunks *chunks, Size bytes)
{
	HjSharedPointer p;

	bytes = TYPEALIGN(PG_CACHE_LINE_SIZE, bytes);
	if (!chunks->refused && bytes > chunks->left && !next_region(chunks, bytes))
		chunks->refused = true;
	if (chunks->refused)
		return HJ_NO_POINTER;
	p = chunks->next;
	chunks->next += bytes;
	chunks->left -= bytes;
	chunks->refused = !prepare_next(chunks);
	return chunks->refused ? HJ_NO_POINTER : p;
}

static void *
allocate_chunk(HjChunkSource *source, Size bytes)
{
	HjSharedChunks *chunks = (HjSharedChunks *) source;
	HjSharedPointer p = hj_shared_chunks_allocate(chunks,
												  bytes + sizeof(ChunkHeader));
	ChunkHeader *header;

	if (p == HJ_NO_POINTER)
		return NULL;
	header = hj_shared_address(chunks->area, p);
	header->self = p;
	return header + 1;
}

void
hj_shared_chunks_init(HjSharedChunks *chunks, HjSharedArea *area, double expected,
					  Size share, Size (*room) (void *arg), void *arg)
{
	Size		part = Max(share / HJ_REGIONS_IN_SHARE, HJ_FEWEST_REGION_BYTES);

	memset(chunks, 0, sizeof(*chunks));
	chunks->first = Min(Max(expected / 4, HJ_FEWEST_REGION_BYTES),
						Min(part, HJ_MOST_FIRST_REGION_BYTES));
	chunks->least = Min(part, HJ_REGION_ALIGNMENT);
	chunks->source.allocate = allocate_chunk;
	chunks->area = area;
	chunks->room = room;
	chunks->arg = arg;
}

HjSharedPointer
hj_shared_chunk_pointer(const void *chunk)
{
	return ((const ChunkHeader *) chunk - 1)->self + sizeof(ChunkHeader);
}
