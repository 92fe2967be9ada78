/*
 * hash_clause.h
 *	  Which clauses of a join are hash clauses.
 */
#ifndef HJ_HASH_CLAUSE_H
#define HJ_HASH_CLAUSE_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "join_type.h"

/* One orientation of a join, as far as its clauses are concerned. */
typedef struct HjJoinSides
{
	HjJoinType	jointype;
	Relids		join_relids;
	Relids		probe_relids;
	Relids		build_relids;
} HjJoinSides;

/*
 * Can the clause be a key: `probe op build` or `build op probe`, with a
 * hashable operator, and a join condition (not a clause above an outer join)?
 * Reads the clause only: core's transient fields and caches in RestrictInfos
 * stay as they are.  Allocates nothing.
 */
extern bool hj_is_hash_clause(const HjJoinSides *sides, RestrictInfo *rinfo);

/* The RestrictInfos of a list that are hash clauses; a new list. */
extern List *hj_hash_clauses(const HjJoinSides *sides, List *restrictlist);

#endif							/* HJ_HASH_CLAUSE_H */
