/*
 * router.h
 *	  Which partition a key belongs to.
 *
 * A route is a number of 64 bits, the same for equal keys of either side.  A
 * split takes the next few of its bits, from the low end, so a partition that
 * was split is split again by other bits.
 *
 * Usually the route is a hash with a seed of its own: partitions then tell
 * nothing about the directory's hash.  Where the keys are dense integers it is
 * the value of a key column.  A partition then holds every 2^n-th value: as
 * dense as the whole once the low bits, which its keys share, are left out, so
 * it can have an array map; and all are of one size in whatever order the rows
 * come (ranges would not be: the end of the range is seen last).
 */
#ifndef HJ_ROUTER_H
#define HJ_ROUTER_H

#include "postgres.h"

#include "table/join_key.h"

/* Bits of a route. */
#define HJ_ROUTE_BITS 64

/* Of a key that is not packed only 32 bits of hash are kept. */
#define HJ_HASH_ROUTE_BITS 32

typedef struct HjRouter
{
	bool		by_value;		/* by the value of `column`, or by hash */
	int			column;
	int			used;			/* bits that earlier splits took */
	int			bits;			/* that this split takes */
} HjRouter;

static inline uint64
hj_route(const HjRouter *router, const HjJoinKey *key, uint64 word, uint32 hash)
{
	if (router->by_value)
		return (uint64) hj_key_integer(&key->cols[router->column], word);
	return hj_hash_route(key->packed ? word : hash) & key->hash_mask;
}

/* A hash of the key for its filter: the route itself may be a plain value. */
static inline uint64
hj_route_filter_hash(uint64 route)
{
	return hj_hash_word(~route);
}

/* Number of the partition. */
static inline int
hj_route_partition(const HjRouter *router, uint64 route)
{
	return (int) ((route >> router->used) & ((1U << router->bits) - 1));
}

#endif							/* HJ_ROUTER_H */
