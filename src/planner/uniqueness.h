/*
 * uniqueness.h
 *	  What core's proofs of uniqueness are worth.
 */
#ifndef HJ_UNIQUENESS_H
#define HJ_UNIQUENESS_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "planner/hash_clause.h"

/*
 * May a side be made unique, so that a semi join becomes an inner join?  Core
 * makes it unique under its columns' collation, not under that of the join's
 * clauses (18; before, the clause's was part of the column).  If one of them is
 * nondeterministic, rows would come twice or get lost; the semi join's own paths
 * serve then.
 */
extern bool hj_unique_side_is_safe(const HjJoinSides *sides, List *restrictlist);

/*
 * Could this inner join be a semi join that core took for one, because it
 * believes one side unique that is not?  A unique index under another collation
 * proves nothing under a nondeterministic one, but earlier minor releases took
 * it for proof; their own joins may then stop at the first match, ours do not.
 */
extern bool hj_may_be_reduced_semi_join(PlannerInfo *root,
										const HjJoinSides *sides,
										List *restrictlist);

/*
 * Is no key twice on the build side, so that nothing need be kept to chain its rows?
 * hash_clauses: all that hold at the join.  For nclauses, the number of all clauses
 * of the join, that is to be equal: core remembers a proof by the relations, not by
 * the clauses.  False where a collation takes part: an index under another one proves
 * nothing.  Only for joins that have a plan; sets outer_is_left of the clauses, as
 * core does for each use.  Cost: a search of the build side's unique indexes.
 */
extern bool hj_build_side_is_unique(const HjJoinSides *sides, RelOptInfo *build,
									List *hash_clauses, int nclauses);

#endif							/* HJ_UNIQUENESS_H */
