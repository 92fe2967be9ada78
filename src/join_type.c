/*
 * join_type.c
 *	  Names of the join types.
 */
#include "postgres.h"

#include "join_type.h"

static const char *const join_type_names[] = {
	[HJ_JOIN_INNER] = "Inner",
	[HJ_JOIN_LEFT] = "Left",
	[HJ_JOIN_RIGHT] = "Right",
	[HJ_JOIN_FULL] = "Full",
	[HJ_JOIN_SEMI] = "Semi",
	[HJ_JOIN_ANTI] = "Anti",
	[HJ_JOIN_RIGHT_SEMI] = "Right Semi",
	[HJ_JOIN_RIGHT_ANTI] = "Right Anti",
};

StaticAssertDecl(lengthof(join_type_names) == HJ_NUM_JOIN_TYPES,
				 "every join type has a name");

const char *
hj_join_type_name(HjJoinType type)
{
	return join_type_names[type];
}
