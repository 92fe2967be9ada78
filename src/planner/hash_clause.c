/*
 * hash_clause.c
 *	  Which clauses of a join are hash clauses: the test of
 *	  hash_inner_and_outer() in joinpath.c.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/restrictinfo.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "planner/hash_clause.h"
#include "planner/null_clause.h"
#include "planner/relids.h"

/*
 * Can the operator's input really be hashed?  Range operators count as
 * hashable whatever their elements are; only the type cache knows.  (Arrays
 * and records were checked when the clause was marked as hashable.)
 */
static bool
input_is_hashable(OpExpr *clause)
{
	Oid			type;

	if (!OidIsValid(clause->opfuncid))
		set_opfuncid(clause);
	if (likely(clause->opfuncid != F_RANGE_EQ &&
			   clause->opfuncid != F_MULTIRANGE_EQ))
		return true;
	type = getBaseType(exprType(linitial(clause->args)));
	return OidIsValid(lookup_type_cache(type, TYPECACHE_HASH_PROC)->hash_proc);
}

/*
 * Can the clause be turned round?  Hashable operators ought to have a
 * commutator; core's have, and asking the catalog each time is a good part of
 * the cost of considering a join.
 */
static bool
has_commutator(const OpExpr *clause)
{
	return clause->opno < FirstNormalObjectId ||
		OidIsValid(get_commutator(clause->opno));
}

bool
hj_equality_is_usable(OpExpr *clause, bool probe_is_left)
{
	return (probe_is_left || has_commutator(clause)) && input_is_hashable(clause);
}

/* !RINFO_IS_PUSHED_DOWN, where that matters. */
bool
hj_is_join_condition(const HjJoinSides *sides, const RestrictInfo *rinfo)
{
	return !hj_join_is_outer(sides->jointype) ||
		(!rinfo->is_pushed_down &&
		 hj_is_subset(rinfo->required_relids, sides->join_relids));
}

bool
hj_is_hash_clause(const HjJoinSides *sides, RestrictInfo *rinfo)
{
	bool		probe_is_left;

	if (!rinfo->can_join || !OidIsValid(rinfo->hashjoinoperator))
		return hj_is_null_clause(sides, rinfo);
	if (hj_is_subset(rinfo->left_relids, sides->probe_relids) &&
		hj_is_subset(rinfo->right_relids, sides->build_relids))
		probe_is_left = true;
	else if (hj_is_subset(rinfo->left_relids, sides->build_relids) &&
			 hj_is_subset(rinfo->right_relids, sides->probe_relids))
		probe_is_left = false;
	else
		return false;
	return hj_is_join_condition(sides, rinfo) &&
		hj_equality_is_usable(castNode(OpExpr, rinfo->clause), probe_is_left);
}

List *
hj_hash_clauses(const HjJoinSides *sides, List *restrictlist)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, restrictlist)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (hj_is_hash_clause(sides, rinfo))
			result = lappend(result, rinfo);
	}
	return result;
}
