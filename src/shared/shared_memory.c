/*
 * shared_memory.c
 *	  Memory that the processes of one parallel join share.
 */
#include "postgres.h"

#include <sys/statvfs.h>

#include "storage/dsm_impl.h"

#include "shared/shared_memory.h"

/* What is granted at least, beyond what was asked for, and at most. */
#define HJ_GRANT_BYTES ((Size) 1024 * 1024)
#define HJ_MAX_GRANT_BYTES ((Size) 64 * 1024 * 1024)

/* Left to others where memory is scarce. */
#define HJ_LEAVE_BYTES ((Size) 1024 * 1024)

/* A chunk is preceded by this; a cache line, so that rows begin at one. */
typedef union ChunkHeader
{
	struct
	{
		dsa_pointer self;
		dsa_pointer next;
		Size		bytes;		/* header included */
	}			h;
	char		pad[PG_CACHE_LINE_SIZE];
} ChunkHeader;

/* Areas begin behind the struct. */
static void *
area_place(HjSharedMemory *memory)
{
	return (char *) memory + MAXALIGN(sizeof(HjSharedMemory));
}

Size
hj_shared_memory_size(void)
{
	return MAXALIGN(sizeof(HjSharedMemory)) + MAXALIGN(dsa_minimum_size());
}

static void
create_area(HjSharedArea *area, dsm_segment *seg)
{
	HjSharedMemory *memory = area->memory;

	area->dsa = dsa_create_in_place(area_place(memory), dsa_minimum_size(),
									LWTRANCHE_PARALLEL_QUERY_DSA, seg);
	memory->granted = dsa_minimum_size();
	dsa_set_size_limit(area->dsa, memory->granted);
	pg_atomic_write_u64(&memory->used, 0);
}

void
hj_shared_memory_create(HjSharedMemory *memory, dsm_segment *seg,
						HjSharedArea *area)
{
	LWLockInitialize(&memory->lock, LWTRANCHE_PARALLEL_QUERY_DSA);
	pg_atomic_init_u64(&memory->used, 0);
	pg_atomic_init_u64(&memory->peak, 0);
	area->memory = memory;
	create_area(area, seg);
}

void
hj_shared_memory_attach(HjSharedMemory *memory, dsm_segment *seg,
						HjSharedArea *area)
{
	area->memory = memory;
	area->dsa = dsa_attach_in_place(area_place(memory), seg);
}

void
hj_shared_memory_reset(HjSharedArea *area, dsm_segment *seg)
{
	void	   *place = area_place(area->memory);

	cancel_on_dsm_detach(seg, dsa_on_dsm_detach_release_in_place,
						 PointerGetDatum(place));
	dsa_detach(area->dsa);
	dsa_release_in_place(place);
	create_area(area, seg);
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

/* Raise the area's limit, so that `bytes` more can be allocated. */
static bool
grant(HjSharedArea *area, Size bytes)
{
	HjSharedMemory *memory = area->memory;
	/* a segment's own administration: 8 bytes a page, and some */
	Size		least = bytes + bytes / 256 + HJ_GRANT_BYTES / 4;
	Size		more;
	bool		granted = true;

	LWLockAcquire(&memory->lock, LW_EXCLUSIVE);
	more = Max(least, Min(Max(memory->granted, HJ_GRANT_BYTES), HJ_MAX_GRANT_BYTES));
	if (!space_exists(more))
	{
		more = least;
		granted = space_exists(more);
	}
	if (granted)
	{
		memory->granted += more;
		dsa_set_size_limit(area->dsa, memory->granted);
	}
	LWLockRelease(&memory->lock);
	return granted;
}

dsa_pointer
hj_shared_allocate(HjSharedArea *area, Size bytes)
{
	HjSharedMemory *memory = area->memory;

	/* another process may use up what was granted to us, but not for ever */
	for (int attempt = 0; attempt < 8; attempt++)
	{
		dsa_pointer p = dsa_allocate_extended(area->dsa, bytes,
											  DSA_ALLOC_HUGE | DSA_ALLOC_NO_OOM);

		if (DsaPointerIsValid(p))
		{
			uint64		used = pg_atomic_add_fetch_u64(&memory->used, bytes);
			uint64		peak = pg_atomic_read_u64(&memory->peak);

			while (peak < used &&
				   !pg_atomic_compare_exchange_u64(&memory->peak, &peak, used))
				;
			return p;
		}
		if (!grant(area, bytes))
			break;
	}
	return InvalidDsaPointer;
}

void
hj_shared_free(HjSharedArea *area, dsa_pointer p, Size bytes)
{
	dsa_free(area->dsa, p);
	pg_atomic_sub_fetch_u64(&area->memory->used, bytes);
}

/* ----------------------------------------------------------------
 *		Chunks
 * ----------------------------------------------------------------
 */

static void *
allocate_chunk(HjChunkSource *source, Size bytes)
{
	HjSharedChunks *chunks = (HjSharedChunks *) source;
	Size		all = bytes + sizeof(ChunkHeader);
	dsa_pointer p = InvalidDsaPointer;
	ChunkHeader *header;

	if (!chunks->refused && chunks->may_allocate(chunks->arg, all))
		p = hj_shared_allocate(chunks->area, all);
	if (!DsaPointerIsValid(p))
	{
		chunks->refused = true;
		return NULL;
	}
	header = hj_shared_address(chunks->area, p);
	header->h.self = p;
	header->h.next = chunks->first;
	header->h.bytes = all;
	chunks->first = p;
	return header + 1;
}

void
hj_shared_chunks_init(HjSharedChunks *chunks, HjSharedArea *area,
					  bool (*may_allocate) (void *arg, Size bytes), void *arg)
{
	chunks->source.allocate = allocate_chunk;
	chunks->area = area;
	chunks->may_allocate = may_allocate;
	chunks->arg = arg;
	chunks->first = InvalidDsaPointer;
	chunks->refused = false;
}

dsa_pointer
hj_shared_chunk_pointer(const void *chunk)
{
	const ChunkHeader *header = (const ChunkHeader *) chunk - 1;

	return header->h.self + sizeof(ChunkHeader);
}

void
hj_shared_chunks_free(HjSharedArea *area, dsa_pointer first)
{
	while (DsaPointerIsValid(first))
	{
		ChunkHeader *header = hj_shared_address(area, first);
		dsa_pointer next = header->h.next;

		hj_shared_free(area, first, header->h.bytes);
		first = next;
	}
}
