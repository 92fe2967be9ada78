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
	PlannerInfo *root;
	HjJoinType	jointype;
	Relids		join_relids;
	Relids		probe_relids;
	Relids		build_relids;
} HjJoinSides;

/* Is the clause a join condition, and not one above an outer join? */
extern bool hj_is_join_condition(const HjJoinSides *sides,
								 const RestrictInfo *rinfo);

/*
 * Of an equality with a hashable operator: can it be turned round, if it must
 * be, and its input really be hashed?
 */
extern bool hj_equality_is_usable(OpExpr *clause, bool probe_is_left);

/*
 * Can the clause be a key: `probe op build` or `build op probe`, with a
 * hashable operator, or one that says something of NULLs besides
 * (null_clause.h), and a join condition?  Reads the clause only: core's
 * transient fields and caches in RestrictInfos stay as they are.  Allocates
 * nothing for the first kind.
 */
extern bool hj_is_hash_clause(const HjJoinSides *sides, RestrictInfo *rinfo);

/* The RestrictInfos of a list that are hash clauses; a new list. */
extern List *hj_hash_clauses(const HjJoinSides *sides, List *restrictlist);

#endif							/* HJ_HASH_CLAUSE_H */
