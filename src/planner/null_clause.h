/*
 * null_clause.h
 *	  Join clauses that say something of NULLs, and are keys all the same.
 *
 * They are no operator clauses, so core neither notes their sides nor whether
 * they can be hashed (RestrictInfo's can_join, left_relids, hashjoinoperator).
 */
#ifndef HJ_NULL_CLAUSE_H
#define HJ_NULL_CLAUSE_H

#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"

#include "planner/hash_clause.h"

/* Does it look like one?  Cheap: asked of every clause of every join. */
static inline bool
hj_may_be_null_clause(const RestrictInfo *rinfo)
{
	const BoolExpr *clause = (const BoolExpr *) rinfo->clause;

	return IsA(clause, BoolExpr) && clause->boolop == NOT_EXPR &&
		IsA(linitial(clause->args), DistinctExpr);
}

/*
 * Is it one for these sides?  Each of its equalities must have an operator that
 * can be hashed, one argument from either side, and nothing volatile.
 */
extern bool hj_is_null_clause(const HjJoinSides *sides, const RestrictInfo *rinfo);

/*
 * Its equalities as `probe op build`, copied, and for each an HjKeyNulls,
 * appended to the two lists.
 */
extern void hj_null_clause_keys(const HjJoinSides *sides,
								const RestrictInfo *rinfo,
								List **keys, List **nulls);

#endif							/* HJ_NULL_CLAUSE_H */
