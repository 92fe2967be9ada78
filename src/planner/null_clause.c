/*
 * null_clause.c
 *	  Join clauses that say something of NULLs, and are keys all the same.
 *
 * a IS NOT DISTINCT FROM b is, after parsing, NOT (DistinctExpr), and DistinctExpr
 * is an OpExpr by another name: that of the equality operator, which is applied
 * if neither input is NULL.
 */
#include "postgres.h"

#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "planner/null_clause.h"
#include "planner/relids.h"

/* Which side an expression belongs to. */
typedef enum Side
{
	SIDE_NONE,					/* neither, or both */
	SIDE_PROBE,
	SIDE_BUILD
} Side;

static Side
side_of(const HjJoinSides *sides, Node *expr)
{
	Relids		relids = pull_varnos(sides->root, expr);

	if (bms_is_empty(relids))
		return SIDE_NONE;
	if (hj_is_subset(relids, sides->probe_relids))
		return SIDE_PROBE;
	return hj_is_subset(relids, sides->build_relids) ? SIDE_BUILD : SIDE_NONE;
}

/* Can the equality be looked up? */
static bool
is_key(const HjJoinSides *sides, OpExpr *equality)
{
	Side		left;
	Side		right;

	if (list_length(equality->args) != 2 ||
		!op_hashjoinable(equality->opno, exprType(linitial(equality->args))))
		return false;
	left = side_of(sides, linitial(equality->args));
	right = side_of(sides, lsecond(equality->args));
	if (left == SIDE_NONE || right == SIDE_NONE || left == right)
		return false;
	return hj_equality_is_usable(equality, left == SIDE_PROBE);
}

static OpExpr *
distinct_equality(const RestrictInfo *rinfo)
{
	return (OpExpr *) linitial(((BoolExpr *) rinfo->clause)->args);
}

bool
hj_is_null_clause(const HjJoinSides *sides, const RestrictInfo *rinfo)
{
	return hj_may_be_null_clause(rinfo) && !rinfo->pseudoconstant &&
		hj_is_join_condition(sides, rinfo) &&
		is_key(sides, distinct_equality(rinfo)) &&
		!contain_volatile_functions((Node *) rinfo->clause);
}

/* `probe op build`, as an operator clause. */
static OpExpr *
key_of_equality(const HjJoinSides *sides, const OpExpr *equality)
{
	OpExpr	   *key = copyObject((OpExpr *) equality);

	NodeSetTag(key, T_OpExpr);
	if (side_of(sides, linitial(key->args)) == SIDE_BUILD)
		CommuteOpExpr(key);
	return key;
}

void
hj_null_clause_keys(const HjJoinSides *sides, const RestrictInfo *rinfo,
					List **keys, List **nulls)
{
	*keys = lappend(*keys, key_of_equality(sides, distinct_equality(rinfo)));
	*nulls = lappend_int(*nulls, HJ_NULL_MATCHES_NULL);
}
