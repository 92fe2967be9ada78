/*
 * shared_memory.h
 *	  Memory that the processes of one parallel join share.
 *
 * An area of its own (dsa), so that the join can limit it and give it back as a
 * whole.  Shared memory may be scarcer than the join's memory limit: containers
 * often have 64 MB of /dev/shm.  An area that cannot grow raises an error in the
 * middle of dsa, holding a lock, so nobody lets it come to that: the area has a
 * size limit, which is raised only after the space has been seen to exist; beyond
 * it an allocation is refused, and the join goes on in files.
 *
 * One race remains: space that was seen to exist may be taken by somebody else
 * before the kernel gives it to us.  Then the statement ends with core's error
 * (53100 or 53200), as any other parallel statement would.
 */
#ifndef HJ_SHARED_MEMORY_H
#define HJ_SHARED_MEMORY_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/dsm.h"
#include "storage/lwlock.h"
#include "utils/dsa.h"

#include "table/chunk_source.h"

/* In shared memory; behind it the area's own. */
typedef struct HjSharedMemory
{
	LWLock		lock;			/* of what follows */
	Size		granted;		/* size limit of the area */
	pg_atomic_uint64 used;		/* bytes allocated */
	pg_atomic_uint64 peak;
} HjSharedMemory;

/* One process's access to it. */
typedef struct HjSharedArea
{
	HjSharedMemory *memory;
	dsa_area   *dsa;
} HjSharedArea;

/* Bytes of a HjSharedMemory and its area, MAXALIGNed. */
extern Size hj_shared_memory_size(void);

/*
 * Make the area in place, in a segment that outlives its users.  All that is
 * allocated there goes when the last process has left the segment.
 */
extern void hj_shared_memory_create(HjSharedMemory *memory, dsm_segment *seg,
									HjSharedArea *area);

/* The same area in another process. */
extern void hj_shared_memory_attach(HjSharedMemory *memory, dsm_segment *seg,
									HjSharedArea *area);

/* Throw everything away and begin anew; nobody else may be attached. */
extern void hj_shared_memory_reset(HjSharedArea *area, dsm_segment *seg);

/*
 * Allocate, not zeroed; InvalidDsaPointer if there is no space for it.  Error:
 * see above.
 */
extern dsa_pointer hj_shared_allocate(HjSharedArea *area, Size bytes);

extern void hj_shared_free(HjSharedArea *area, dsa_pointer p, Size bytes);

static inline void *
hj_shared_address(const HjSharedArea *area, dsa_pointer p)
{
	return dsa_get_address(area->dsa, p);
}

/*
 * Chunks for a row store, of one process.  They are linked with one another, so
 * that all can be freed by whoever is the last to need them.
 */
typedef struct HjSharedChunks
{
	HjChunkSource source;		/* must be first */
	HjSharedArea *area;
	bool		(*may_allocate) (void *arg, Size bytes);
	void	   *arg;
	dsa_pointer first;			/* of the list */
	bool		refused;		/* was there no memory once? */
} HjSharedChunks;

/* may_allocate is asked before each chunk. */
extern void hj_shared_chunks_init(HjSharedChunks *chunks, HjSharedArea *area,
								  bool (*may_allocate) (void *arg, Size bytes),
								  void *arg);

/* The shared pointer to what such a chunk holds from its address on. */
extern dsa_pointer hj_shared_chunk_pointer(const void *chunk);

/* Free a list of chunks. */
extern void hj_shared_chunks_free(HjSharedArea *area, dsa_pointer first);

#endif							/* HJ_SHARED_MEMORY_H */
