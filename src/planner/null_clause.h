/*
 * null_clause.h
 *	  Join clauses that say something of NULLs, and are keys all the same.
 *
 *	 a IS NOT DISTINCT FROM b			of any join
 *	 (a = b) IS NOT FALSE				of an anti join: NOT IN as NOT EXISTS
 *	 (a = b AND c = d) IS NOT FALSE
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

/*
 * Columns whose NULL matches all that a join may have: a table is looked up
 * once for each set of columns that are NULL together.
 */
#define HJ_MAX_OPEN_KEYS 6

/* Does it look like one?  Cheap: asked of every clause of every join. */
static inline bool
hj_may_be_null_clause(const RestrictInfo *rinfo)
{
	const Node *clause = (const Node *) rinfo->clause;

	if (IsA(clause, BoolExpr))
		return ((const BoolExpr *) clause)->boolop == NOT_EXPR &&
			IsA(linitial(((const BoolExpr *) clause)->args), DistinctExpr);
	return IsA(clause, BooleanTest) &&
		((const BooleanTest *) clause)->booltesttype == IS_NOT_FALSE;
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

/* How many keys of the join are of the kind HJ_NULL_MATCHES_ALL? */
extern int	hj_count_open_keys(const HjJoinSides *sides, List *restrictlist);

/*
 * Clauses made of a NOT IN carry its number, from 1 on, in a field that core
 * copies and otherwise ignores.  0: it is none.
 */
extern void hj_null_clause_set_not_in(BooleanTest *clause, int number);
extern int	hj_null_clause_not_in(const RestrictInfo *rinfo);

#endif							/* HJ_NULL_CLAUSE_H */
