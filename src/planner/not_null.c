/*
 * not_null.c
 *	  Can an expression be NULL where a join sees it?
 */
#include "postgres.h"

#include "nodes/primnodes.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "planner/not_null.h"

/* Does the qual reject a row in which that column is NULL? */
static bool
rejects_null(Node *qual, const Var *var)
{
	if (IsA(qual, NullTest))
		return ((NullTest *) qual)->nulltesttype == IS_NOT_NULL &&
			!((NullTest *) qual)->argisrow &&
			equal(((NullTest *) qual)->arg, var);
	if (IsA(qual, OpExpr))
		return op_strict(((OpExpr *) qual)->opno) &&
			list_member(((OpExpr *) qual)->args, var);
	return false;
}

static bool
is_rejected_when_null(RelOptInfo *rel, const Var *var)
{
	ListCell   *lc;

	foreach(lc, rel->baserestrictinfo)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (!rinfo->pseudoconstant && rejects_null((Node *) rinfo->clause, var))
			return true;
	}
	return false;
}

bool
hj_is_not_null(const HjJoinSides *sides, Node *expr)
{
	Var		   *var;
	RelOptInfo *rel;
	Relids		side;

	while (IsA(expr, RelabelType))
		expr = (Node *) ((RelabelType *) expr)->arg;
	if (!IsA(expr, Var))
		return false;
	var = (Var *) expr;
	if (var->varlevelsup != 0 || var->varattno <= 0)
		return false;
	rel = find_base_rel(sides->root, var->varno);
	side = bms_is_member(var->varno, sides->probe_relids) ?
		sides->probe_relids : sides->build_relids;
	if (hj_may_be_nulled(sides->root, var, side))
		return false;
	return hj_column_is_not_null(sides->root, rel, var->varattno) ||
		is_rejected_when_null(rel, var);
}
