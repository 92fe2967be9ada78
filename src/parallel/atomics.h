/*
 * atomics.h
 *	  The atomic operations that the protocols between processes are made of.
 *
 * completion.h and claim.h use these and nothing else, so that the same source
 * is compiled into the node, over PostgreSQL's atomics, and into a model
 * checker, over its own (test/model/model_atomics.h).
 *
 * Every operation that changes a value names the memory order that its protocol
 * relies on, and the checker grants no more.  PostgreSQL's read-modify-write
 * operations are full barriers whatever the name, so here it is not passed on;
 * pg_atomic_read_u32 orders nothing, and has no order to name.
 */
#ifndef HJ_ATOMICS_H
#define HJ_ATOMICS_H

#ifdef HJ_MODEL

#include "model_atomics.h"

#else

#include "postgres.h"

#include "port/atomics.h"

/* In shared memory; may be changed by any process at any time. */
typedef pg_atomic_uint32 HjAtomic;

/* Before anyone else can see it. */
#define hj_atomic_init(a, value) pg_atomic_init_u32(a, value)

/* Possibly an old value, and nothing follows from it for other memory. */
#define hj_atomic_load_relaxed(a) pg_atomic_read_u32(a)

/* These return the value from before. */
#define hj_atomic_fetch_add(a, n, order) pg_atomic_fetch_add_u32(a, n)
#define hj_atomic_fetch_sub(a, n, order) pg_atomic_fetch_sub_u32(a, n)
#define hj_atomic_fetch_or(a, bits, order) pg_atomic_fetch_or_u32(a, bits)

/*
 * If *a is *expected, makes it `desired` and returns true; else *expected
 * becomes *a.  Never fails where the two are equal: completion.h needs that.
 */
#define hj_atomic_compare_exchange(a, expected, desired, order) \
	pg_atomic_compare_exchange_u32(a, expected, desired)

#endif							/* HJ_MODEL */

#endif							/* HJ_ATOMICS_H */
