/*
 * null_clause.c
 *	  Join clauses that say something of NULLs, and are keys all the same.
 *
 * a IS NOT DISTINCT FROM b is, after parsing, NOT (DistinctExpr), and DistinctExpr
 * is an OpExpr by another name: that of the equality operator, which is applied
 * if neither input is NULL.
 *
 * (a = b) IS NOT FALSE holds if a equals b or either is NULL (the operator is
 * strict).  With several equalities that is so of each of them:
 * (A AND B) IS NOT FALSE is A IS NOT FALSE AND B IS NOT FALSE.
 */
#include "postgres.h"

#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "planner/not_null.h"
#include "planner/null_clause.h"
#include "planner/relids.h"
#include "settings.h"
#include "table/null_map.h"

StaticAssertDecl(HJ_MAX_OPEN_KEYS <= HJ_MAX_OPEN_COLUMNS,
				 "the executor can tell as many columns apart");

/* ----------------------------------------------------------------
 *		The number of a NOT IN
 * ----------------------------------------------------------------
 */

/* BooleanTest's location: no place in a text is that far before it. */
#define HJ_NOT_IN_LOCATION (-1000000)

void
hj_null_clause_set_not_in(BooleanTest *clause, int number)
{
	Assert(number > 0);
	clause->location = HJ_NOT_IN_LOCATION - number;
}

int
hj_null_clause_not_in(const RestrictInfo *rinfo)
{
	const BooleanTest *clause = (const BooleanTest *) rinfo->clause;

	if (!IsA(clause, BooleanTest) || clause->location >= HJ_NOT_IN_LOCATION)
		return 0;
	return HJ_NOT_IN_LOCATION - clause->location;
}

/* ----------------------------------------------------------------
 *		Is it a key?
 * ----------------------------------------------------------------
 */

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

static bool
is_distinct_clause(const RestrictInfo *rinfo)
{
	return IsA(rinfo->clause, BoolExpr);
}

/* What stands below NOT, of a distinct clause. */
static OpExpr *
distinct_equality(const RestrictInfo *rinfo)
{
	return (OpExpr *) linitial(((BoolExpr *) rinfo->clause)->args);
}

/* What stands below IS NOT FALSE, as a list. */
static List *
tested_equalities(const RestrictInfo *rinfo)
{
	Node	   *arg = (Node *) ((BooleanTest *) rinfo->clause)->arg;

	return is_andclause(arg) ? ((BoolExpr *) arg)->args : list_make1(arg);
}

static bool
are_open_keys(const HjJoinSides *sides, List *equalities)
{
	ListCell   *lc;

	foreach(lc, equalities)
	{
		OpExpr	   *equality = lfirst(lc);

		if (!IsA(equality, OpExpr) || !op_strict(equality->opno) ||
			!is_key(sides, equality))
			return false;
	}
	return true;
}

bool
hj_is_null_clause(const HjJoinSides *sides, const RestrictInfo *rinfo)
{
	if (!hj_may_be_null_clause(rinfo) || rinfo->pseudoconstant ||
		!hj_is_join_condition(sides, rinfo))
		return false;
	if (is_distinct_clause(rinfo))
	{
		if (!is_key(sides, distinct_equality(rinfo)))
			return false;
	}
	else if (!hj_null_aware_anti_join || !hj_join_is_anti(sides->jointype) ||
			 !are_open_keys(sides, tested_equalities(rinfo)))
		return false;
	return !contain_volatile_functions((Node *) rinfo->clause);
}

/* ----------------------------------------------------------------
 *		The keys
 * ----------------------------------------------------------------
 */

/* Can neither side be NULL?  Then it is an equality like any other. */
static HjKeyNulls
nulls_of_open_key(const HjJoinSides *sides, const OpExpr *equality)
{
	return (hj_is_not_null(sides, linitial(equality->args)) &&
			hj_is_not_null(sides, lsecond(equality->args))) ?
		HJ_NULL_MATCHES_NOTHING : HJ_NULL_MATCHES_ALL;
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
	ListCell   *lc;

	if (is_distinct_clause(rinfo))
	{
		*keys = lappend(*keys, key_of_equality(sides, distinct_equality(rinfo)));
		*nulls = lappend_int(*nulls, HJ_NULL_MATCHES_NULL);
		return;
	}
	foreach(lc, tested_equalities(rinfo))
	{
		OpExpr	   *equality = lfirst_node(OpExpr, lc);

		*keys = lappend(*keys, key_of_equality(sides, equality));
		*nulls = lappend_int(*nulls, nulls_of_open_key(sides, equality));
	}
}

int
hj_count_open_keys(const HjJoinSides *sides, List *restrictlist)
{
	int			n = 0;
	ListCell   *lc;
	ListCell   *cell;

	foreach(lc, restrictlist)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (!IsA(rinfo->clause, BooleanTest) || !hj_is_null_clause(sides, rinfo))
			continue;
		foreach(cell, tested_equalities(rinfo))
			n += nulls_of_open_key(sides, lfirst_node(OpExpr, cell)) == HJ_NULL_MATCHES_ALL;
	}
	return n;
}
