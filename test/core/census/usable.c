/*-------------------------------------------------------------------------
 *
 * usable.c
 *	  Which clauses of a finished plan could be hashed.
 *
 * Works on plans as the executor gets them: in a join's clauses, columns are
 * OUTER_VAR or INNER_VAR; below a parameterised nested loop, the outer side's
 * columns have become PARAM_EXEC parameters.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/bitmapset.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "usable.h"

#define SIDE_OUTER	1
#define SIDE_INNER	2
#define SIDE_OTHER	4

static bool
sides_walker(Node *node, int *sides)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		Var		   *var = (Var *) node;

		*sides |= var->varno == OUTER_VAR ? SIDE_OUTER :
			var->varno == INNER_VAR ? SIDE_INNER : SIDE_OTHER;
		return false;
	}
	return expression_tree_walker(node, sides_walker, sides);
}

/* The two arguments of a hashable equality without volatile functions. */
static bool
hashable_equality(Node *clause, Node **left, Node **right)
{
	OpExpr	   *op;

	if (!IsA(clause, OpExpr))
		return false;
	op = (OpExpr *) clause;
	if (list_length(op->args) != 2)
		return false;
	*left = linitial(op->args);
	*right = lsecond(op->args);
	return op_hashjoinable(op->opno, exprType(*left)) &&
		!contain_volatile_functions(clause);
}

bool
any_usable(List *clauses)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		Node	   *left;
		Node	   *right;
		int			lsides = 0;
		int			rsides = 0;

		if (!hashable_equality(lfirst(lc), &left, &right))
			continue;
		sides_walker(left, &lsides);
		sides_walker(right, &rsides);
		if ((lsides == SIDE_OUTER && rsides == SIDE_INNER) ||
			(lsides == SIDE_INNER && rsides == SIDE_OUTER))
			return true;
	}
	return false;
}

/* What an expression under a parameterised nested loop is made of. */
typedef struct Parts
{
	Bitmapset  *params;			/* the loop's parameters */
	bool		has_param;
	bool		has_var;
} Parts;

static bool
parts_walker(Node *node, Parts *parts)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		parts->has_var = true;
	else if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXEC &&
			 bms_is_member(((Param *) node)->paramid, parts->params))
		parts->has_param = true;
	return expression_tree_walker(node, parts_walker, parts);
}

static bool
any_lookup(List *clauses, Bitmapset *params)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		Node	   *left;
		Node	   *right;
		Parts		l = {params, false, false};
		Parts		r = {params, false, false};

		if (!hashable_equality(lfirst(lc), &left, &right))
			continue;
		parts_walker(left, &l);
		parts_walker(right, &r);
		if ((l.has_param && !l.has_var && r.has_var && !r.has_param) ||
			(r.has_param && !r.has_var && l.has_var && !l.has_param))
			return true;
	}
	return false;
}

/*
 * Does the inner side look the parameters up by a hashable equality? Stops at
 * nodes that a join clause cannot be pushed through: what is below them refers
 * to the outer side because the query is LATERAL, and is no join clause.
 */
static bool
looks_up(Plan *plan, Bitmapset *params)
{
	List	   *children = NIL;
	ListCell   *lc;

	if (plan == NULL || any_lookup(plan->qual, params))
		return plan != NULL;
	switch (nodeTag(plan))
	{
		case T_IndexScan:
			return any_lookup(((IndexScan *) plan)->indexqualorig, params);
		case T_IndexOnlyScan:
			return any_lookup(((IndexOnlyScan *) plan)->recheckqual, params);
		case T_BitmapHeapScan:
			return any_lookup(((BitmapHeapScan *) plan)->bitmapqualorig, params);
		case T_TidScan:
			return any_lookup(((TidScan *) plan)->tidquals, params);
		case T_Append:
			children = ((Append *) plan)->appendplans;
			break;
		case T_MergeAppend:
			children = ((MergeAppend *) plan)->mergeplans;
			break;
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
			if (any_lookup(((Join *) plan)->joinqual, params))
				return true;
			break;
		case T_Hash:
		case T_Material:
		case T_Memoize:
		case T_Sort:
		case T_Result:
		case T_Gather:
		case T_GatherMerge:
			break;
		case T_CustomScan:
			children = ((CustomScan *) plan)->custom_plans;
			break;
		default:
			return false;
	}
	foreach(lc, children)
		if (looks_up(lfirst(lc), params))
			return true;
	return looks_up(plan->lefttree, params) || looks_up(plan->righttree, params);
}

bool
parameterised_lookup(NestLoop *loop)
{
	Bitmapset  *params = NULL;
	ListCell   *lc;

	foreach(lc, loop->nestParams)
		params = bms_add_member(params, ((NestLoopParam *) lfirst(lc))->paramno);
	return params && looks_up(loop->join.plan.righttree, params);
}
