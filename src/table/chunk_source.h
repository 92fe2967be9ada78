/*
 * chunk_source.h
 *	  Where a row store takes its chunks from, if not from its memory context.
 */
#ifndef HJ_CHUNK_SOURCE_H
#define HJ_CHUNK_SOURCE_H

#include "postgres.h"

typedef struct HjChunkSource HjChunkSource;

struct HjChunkSource
{
	/*
	 * `bytes` bytes, or NULL if they are not to be had: then the store takes
	 * private memory for this chunk, and whoever owns the source sees to it that
	 * it is the last.  The store never gives chunks back; the source does, all
	 * together.
	 */
	void	   *(*allocate) (HjChunkSource *source, Size bytes);
};

#endif							/* HJ_CHUNK_SOURCE_H */
