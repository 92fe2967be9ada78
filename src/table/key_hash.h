/*
 * key_hash.h
 *	  Mixing functions for key hashes.
 *
 * A hash has 64 bits: the low 32 are the tag kept in the directory, the high
 * 32 choose the directory slot.  Of a key that is not packed the two are the
 * same, so that 32 bits are enough to keep with each build row: among n rows a
 * look-up meets n / 2^32 that are not its own, and compares them.
 *
 * hj_hash_word	   splitmix64's finaliser (Steele, Lea, Flood 2014) over the
 *				   seeded word: a bijection of 64 bits, so keys that share
 *				   stock's folded int8 hash code do not share ours.
 * hj_hash_word32  the 32-bit bijection "lowbias32" (C. Wellons): the tag is
 *				   the key itself in disguise, so equal tags are equal keys.
 * hj_hash_fold	   adds one more column's hash, in column order.
 */
#ifndef HJ_KEY_HASH_H
#define HJ_KEY_HASH_H

#include "postgres.h"

/* Seed of the directory's hash; other consumers must use another one. */
#define HJ_SEED_DIRECTORY UINT64CONST(0x9E3779B97F4A7C15)

/* Seed of the routing hash, which tells partitions apart. */
#define HJ_SEED_ROUTING UINT64CONST(0xD6E8FEB86659FD93)

/* What a NULL contributes to a hash where NULLs are compared. */
#define HJ_HASH_OF_NULL UINT64CONST(0xA0761D6478BD642F)

static inline uint64
hj_hash_word(uint64 word)
{
	word += HJ_SEED_DIRECTORY;
	word = (word ^ (word >> 30)) * UINT64CONST(0xBF58476D1CE4E5B9);
	word = (word ^ (word >> 27)) * UINT64CONST(0x94D049BB133111EB);
	return word ^ (word >> 31);
}

static inline uint64
hj_hash_word32(uint32 word)
{
	word ^= word >> 16;
	word *= 0x7FEB352DU;
	word ^= word >> 15;
	word *= 0x846CA68BU;
	word ^= word >> 16;
	return ((uint64) (word * 0x9E3779B1U) << 32) | word;
}

/* The hash of a key that is not packed, from the bits that are kept of it. */
static inline uint64
hj_hash_spread(uint32 kept)
{
	return (uint64) kept << 32 | kept;
}

/* The routing hash, of a key's word or kept hash. */
static inline uint64
hj_hash_route(uint64 word)
{
	return hj_hash_word(word ^ HJ_SEED_ROUTING);
}

static inline uint64
hj_hash_fold(uint64 hash, uint64 column_hash)
{
	return hj_hash_word(hash * UINT64CONST(0x9FB21C651E98DF25) ^ column_hash);
}

#endif							/* HJ_KEY_HASH_H */
