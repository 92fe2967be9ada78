/*
 * shared_memory.h
 *	  Memory that the processes of one parallel join share.
 *
 * It stands in regions: dynamic shared memory segments of the join's own, a few
 * large ones, each made by one process and attached by the others when they first
 * need it.  (dsa would do, but for three things: it creates segments while it holds
 * a lock, it does not say which memory is fresh, and it does not let a segment be
 * mapped for huge pages.)
 *
 * A pointer is the number of a region and an offset.  Nothing is freed but whole
 * regions: those of one process, or all.
 *
 * Shared memory may be scarcer than the join's memory limit: containers often have
 * 64 MB of /dev/shm.  A segment that cannot be had is an error, so a region is asked
 * for only after the space has been seen to exist.  If it has not, the allocation is
 * refused, and the join goes on in files.  One race remains: space that was seen may
 * be taken by somebody else before the kernel gives it to us.  Then the statement
 * ends with an error, core's or one of the same kind, as any other parallel statement
 * would.
 */
#ifndef HJ_SHARED_MEMORY_H
#define HJ_SHARED_MEMORY_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/dsm.h"
#include "storage/lwlock.h"

#include "table/chunk_source.h"

/* Region number + 1 in the high bits, offset in the low ones; 0: none. */
typedef uint64 HjSharedPointer;

#define HJ_SHARED_OFFSET_BITS 48
#define HJ_NO_POINTER ((HjSharedPointer) 0)

/* More regions than this are refused.  They grow with the join. */
#define HJ_MAX_REGIONS 512

typedef struct HjSharedRegion
{
	dsm_handle	handle;
	int			owner;			/* process that made it; -1: gone */
	Size		bytes;
} HjSharedRegion;

/* In shared memory. */
typedef struct HjSharedMemory
{
	LWLock		lock;			/* of what follows */
	int			nusers;			/* processes that are attached */
	uint32		nregions;
	HjSharedRegion regions[HJ_MAX_REGIONS];
	pg_atomic_uint64 used;		/* bytes of regions */
	pg_atomic_uint64 peak;
} HjSharedMemory;

/* One process's access to it; outlives queries, see the .c file. */
typedef struct HjSharedArea HjSharedArea;

/*
 * Set it up, in a segment that outlives its users.  All regions go when the last
 * process has left that segment, however it ends.
 */
extern HjSharedArea *hj_shared_memory_create(HjSharedMemory *memory,
											 dsm_segment *seg);

/* Take part, in another process, of that number. */
extern HjSharedArea *hj_shared_memory_attach(HjSharedMemory *memory,
											 dsm_segment *seg, int process);

extern HjSharedMemory *hj_shared_area_memory(const HjSharedArea *area);

/* Begin anew: nobody else is attached, and all regions go. */
extern void hj_shared_memory_reset(HjSharedArea *area);

/* Bytes of all regions now, and at most so far. */
extern uint64 hj_shared_memory_used(HjSharedMemory *memory);
extern uint64 hj_shared_memory_peak(HjSharedMemory *memory);

/*
 * Reserve a region for `bytes` bytes; HJ_NO_POINTER if there is no space for it, or
 * if all regions would then take more than `limit`.  Error: see above.
 */
extern HjSharedPointer hj_shared_reserve(HjSharedArea *area, Size bytes, Size limit);

/* How much is prepared at a time. */
#define HJ_PREPARE_BYTES ((Size) 4 * 1024 * 1024)

/*
 * Memory of a region is zero, and can be used as it is, but should be prepared first,
 * once, by any process: it is then in huge pages, where these can be had (region_map.h).
 * From a multiple of HJ_PREPARE_BYTES on, so many bytes, or to the region's end; not
 * what anybody has written to.  False: it was lost to somebody else.
 */
extern bool hj_shared_prepare(HjSharedArea *area, HjSharedPointer from, Size bytes);

/* The same for memory that may have been written to, or be written to meanwhile. */
extern void hj_shared_make_huge(HjSharedArea *area, HjSharedPointer from, Size bytes);

/* Where that is in this process; valid until the region or the mapping goes. */
extern void *hj_shared_address(HjSharedArea *area, HjSharedPointer p);

/* This process looks at none of it any more. */
extern void hj_shared_unmap(HjSharedArea *area);

/*
 * Free the regions that this process has made, or all.  A region stays as long as
 * another process has it mapped.
 */
extern void hj_shared_free_own(HjSharedArea *area);
extern void hj_shared_free_all(HjSharedArea *area);

/* Chunks for a row store, cut from regions of this process. */
typedef struct HjSharedChunks
{
	HjChunkSource source;		/* must be first */
	HjSharedArea *area;
	Size		(*room) (void *arg);
	void	   *arg;
	HjSharedPointer next;		/* what is left of the last region */
	HjSharedPointer prepared;	/* to there */
	Size		left;
	Size		first;			/* bytes of the first region */
	Size		least;			/* of any other */
	Size		total;			/* of all so far */
	bool		refused;		/* was there no memory once? */
} HjSharedChunks;

/*
 * expected: bytes that this process will ask for, roughly; share: those of the limit
 * that are its own.  room is asked, before a region is allocated, how much all
 * regions may take.
 */
extern void hj_shared_chunks_init(HjSharedChunks *chunks, HjSharedArea *area,
								  double expected, Size share,
								  Size (*room) (void *arg), void *arg);

/* The same as source.allocate, but for the pointer. */
extern HjSharedPointer hj_shared_chunks_allocate(HjSharedChunks *chunks, Size bytes);

/* The shared pointer to what such a chunk holds from its address on. */
extern HjSharedPointer hj_shared_chunk_pointer(const void *chunk);

#endif							/* HJ_SHARED_MEMORY_H */
