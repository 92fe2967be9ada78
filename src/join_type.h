/*
 * join_type.h
 *	  The join types of the node, and what each does with unmatched rows.
 *
 * An enum of our own, since core has right anti joins only from 16 and right
 * semi joins only from 18 on.  Always: the outer child is the probe side, the
 * inner child is the build side.
 */
#ifndef HJ_JOIN_TYPE_H
#define HJ_JOIN_TYPE_H

#include "postgres.h"

typedef enum HjJoinType
{
	HJ_JOIN_INNER,
	HJ_JOIN_LEFT,				/* preserves the probe side */
	HJ_JOIN_RIGHT,				/* preserves the build side */
	HJ_JOIN_FULL,
	HJ_JOIN_SEMI,				/* probe rows that have a match */
	HJ_JOIN_ANTI,				/* probe rows that have none */
	HJ_JOIN_RIGHT_SEMI,			/* build rows that have a match */
	HJ_JOIN_RIGHT_ANTI,			/* build rows that have none */
	HJ_NUM_JOIN_TYPES
} HjJoinType;

/*
 * What a NULL in a key column does.  The planner sets it for each column, from
 * the clause that the column comes from.
 */
typedef enum HjKeyNulls
{
	HJ_NULL_MATCHES_NOTHING,	/* a = b */
	HJ_NULL_MATCHES_NULL,		/* a IS NOT DISTINCT FROM b */
	HJ_NULL_MATCHES_ALL			/* (a = b) IS NOT FALSE: an open key */
} HjKeyNulls;

/* Is a probe row without a match emitted, with NULLs for the build side? */
static inline bool
hj_join_keeps_probe(HjJoinType type)
{
	return type == HJ_JOIN_LEFT || type == HJ_JOIN_FULL || type == HJ_JOIN_ANTI;
}

/* Is a build row without a match emitted, with NULLs for the probe side? */
static inline bool
hj_join_keeps_build(HjJoinType type)
{
	return type == HJ_JOIN_RIGHT || type == HJ_JOIN_FULL ||
		type == HJ_JOIN_RIGHT_ANTI;
}

/* Does the join remember which build rows were matched? */
static inline bool
hj_join_marks_build(HjJoinType type)
{
	return hj_join_keeps_build(type) || type == HJ_JOIN_RIGHT_SEMI;
}

/* Does the join want at most one match of a probe row? */
static inline bool
hj_join_first_match_only(HjJoinType type)
{
	return type == HJ_JOIN_SEMI || type == HJ_JOIN_ANTI;
}

/* Is it a semi or anti join whose reduced side is built? */
static inline bool
hj_join_is_swapped(HjJoinType type)
{
	return type == HJ_JOIN_RIGHT_SEMI || type == HJ_JOIN_RIGHT_ANTI;
}

/* Is it an anti join, whichever side is built? */
static inline bool
hj_join_is_anti(HjJoinType type)
{
	return type == HJ_JOIN_ANTI || type == HJ_JOIN_RIGHT_ANTI;
}

/* As IS_OUTER_JOIN: are ON clauses and WHERE clauses different things? */
static inline bool
hj_join_is_outer(HjJoinType type)
{
	return hj_join_keeps_probe(type) || hj_join_keeps_build(type);
}

/* The name that EXPLAIN shows. */
extern const char *hj_join_type_name(HjJoinType type);

#endif							/* HJ_JOIN_TYPE_H */
