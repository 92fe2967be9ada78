/*
 * prefetch.h
 *	  Ask for a cache line ahead of its use.
 */
#ifndef HJ_PREFETCH_H
#define HJ_PREFETCH_H

#include "postgres.h"

/*
 * GCC takes a function that does nothing but prefetch for one without effect,
 * and removes calls of it; the empty statement is an effect that it must keep.
 */
static inline void
hj_prefetch(const void *address)
{
	__builtin_prefetch(address);
	__asm__ __volatile__("":::);
}

static inline void
hj_prefetch_for_write(const void *address)
{
	__builtin_prefetch(address, 1);
	__asm__ __volatile__("":::);
}

#endif							/* HJ_PREFETCH_H */
