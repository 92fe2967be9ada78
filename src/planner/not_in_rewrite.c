/*
 * not_in_rewrite.c
 *	  NOT IN, as a query has it, to NOT EXISTS.
 *
 * Rewritten are, where core pulls sublinks up into the join tree (WHERE and ON,
 * under AND; in ON of a left join, if x comes from the side that can become
 * NULL):
 *
 *	 x NOT IN (SELECT y ...)	(x, z) NOT IN (SELECT ...)		x <> ALL (SELECT ...)
 *
 * at every level of the query.  A simple subquery takes the test into its own
 * WHERE, so it may refer to the outer query.  One whose rows are not simply those
 * of its FROM and WHERE (grouping, DISTINCT ON, set operations, WITH, LIMIT,
 * window functions, set-returning functions) becomes a FROM item of a new
 * subquery, which must not refer to the query around it.
 *
 * Left alone are: a test without a column of this level; volatile functions in
 * the test or the selected columns; operators that cannot be hashed or are not
 * strict; FOR UPDATE in the subquery; UPDATE and DELETE of an inherited table,
 * whose row identity a custom scan cannot carry; MERGE.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "planner/not_in.h"
#include "planner/null_clause.h"

/*
 * Of one statement.  What core takes to plan anti joins grows faster than their
 * number (25: 4 ms, 100: over 100 ms), while the same many subplans take 1 ms.
 */
#define HJ_MAX_NOT_IN 20

typedef struct Rewrite
{
	int			count;			/* NOT INs that could be rewritten so far */
	const Bitmapset *only;		/* numbers of those that shall be; NULL: all */
} Rewrite;

static void rewrite_query(Query *query, Rewrite *rewrite);

/* ----------------------------------------------------------------
 *		Is there any?
 * ----------------------------------------------------------------
 */

bool
hj_query_has_sublinks(const Query *query)
{
	ListCell   *lc;

	if (query->hasSubLinks)
		return true;
	foreach(lc, query->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_SUBQUERY && hj_query_has_sublinks(rte->subquery))
			return true;
	}
	foreach(lc, query->cteList)
	{
		const Query *cte = (const Query *) lfirst_node(CommonTableExpr, lc)->ctequery;

		if (IsA(cte, Query) && hj_query_has_sublinks(cte))
			return true;
	}
	return false;
}

/* ----------------------------------------------------------------
 *		The test
 * ----------------------------------------------------------------
 */

/* The equality that is tested for: the operator, or what it negates. */
static OpExpr *
as_equality(Node *node, bool negated)
{
	OpExpr	   *equality;

	if (!IsA(node, OpExpr) || list_length(((OpExpr *) node)->args) != 2)
		return NULL;
	equality = copyObject((OpExpr *) node);
	if (negated)
	{
		equality->opno = get_negator(equality->opno);
		equality->opfuncid = InvalidOid;
		if (!OidIsValid(equality->opno))
			return NULL;
	}
	if (!op_strict(equality->opno) ||
		!op_hashjoinable(equality->opno, exprType(linitial(equality->args))))
		return NULL;
	return equality;
}

/* All equalities of a test, or NIL. */
static List *
equalities_of(Node *test, BoolExprType connective, bool negated)
{
	List	   *nodes = (IsA(test, BoolExpr) && ((BoolExpr *) test)->boolop == connective) ?
		((BoolExpr *) test)->args : list_make1(test);
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, nodes)
	{
		OpExpr	   *equality = as_equality(lfirst(lc), negated);

		if (equality == NULL)
			return NIL;
		result = lappend(result, equality);
	}
	return result;
}

/* If the clause is a NOT IN: its sublink and equalities. */
static bool
is_not_in(Node *clause, SubLink **sublink, List **equalities)
{
	if (is_notclause(clause))
	{
		*sublink = (SubLink *) get_notclausearg((Expr *) clause);
		if (!IsA(*sublink, SubLink) || (*sublink)->subLinkType != ANY_SUBLINK)
			return false;
		*equalities = equalities_of((*sublink)->testexpr, AND_EXPR, false);
	}
	else if (IsA(clause, SubLink) &&
			 ((SubLink *) clause)->subLinkType == ALL_SUBLINK)
	{
		*sublink = (SubLink *) clause;
		*equalities = equalities_of((*sublink)->testexpr, OR_EXPR, true);
	}
	else
		return false;
	return *equalities != NIL && IsA((*sublink)->subselect, Query);
}

/* ----------------------------------------------------------------
 *		The subquery
 * ----------------------------------------------------------------
 */

/* Are the subquery's rows those of its FROM and WHERE? */
static bool
is_simple(const Query *sub)
{
	return sub->setOperations == NULL && !sub->hasAggs &&
		!sub->hasWindowFuncs && !sub->hasTargetSRFs && !sub->hasDistinctOn &&
		sub->groupClause == NIL && sub->groupingSets == NIL &&
		sub->havingQual == NULL && sub->cteList == NIL &&
		sub->limitCount == NULL && sub->limitOffset == NULL &&
		sub->jointree->fromlist != NIL;
}

static bool
has_volatile_columns(const Query *sub)
{
	ListCell   *lc;

	foreach(lc, sub->targetList)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);

		if (contain_volatile_functions((Node *) tle->expr))
			return true;
	}
	return false;
}

/* Put expressions in place of the sublink's output parameters. */
static Node *
replace_params(Node *node, List *exprs)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_SUBLINK)
		return copyObject(list_nth(exprs, ((Param *) node)->paramid - 1));
	return expression_tree_mutator(node, replace_params, exprs);
}

/*
 * The clauses that the subquery gets, in terms of its own level; exprs: what
 * stands for its output columns.
 */
static List *
test_clauses(List *equalities, List *exprs, int number)
{
	List	   *result = NIL;
	ListCell   *lc;

	/* x is one level further away now */
	IncrementVarSublevelsUp((Node *) equalities, 1, 0);
	foreach(lc, equalities)
	{
		BooleanTest *test = makeNode(BooleanTest);

		test->arg = (Expr *) replace_params(lfirst(lc), exprs);
		test->booltesttype = IS_NOT_FALSE;
		hj_null_clause_set_not_in(test, number);
		result = lappend(result, test);
	}
	return result;
}

/* The test goes into the subquery's own WHERE. */
static Query *
merge_test(Query *sub, List *equalities, int number)
{
	List	   *exprs = NIL;
	ListCell   *lc;

	foreach(lc, sub->targetList)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);

		if (!tle->resjunk)
			exprs = lappend(exprs, tle->expr);
	}
	foreach(lc, test_clauses(equalities, exprs, number))
		sub->jointree->quals = make_and_qual(sub->jointree->quals, lfirst(lc));
	return sub;
}

/* The subquery becomes a FROM item, the test is the new one's WHERE. */
static Query *
wrap_in_test(Query *sub, List *equalities, int number)
{
	Query	   *query = makeNode(Query);
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblRef *ref = makeNode(RangeTblRef);
	List	   *exprs = NIL;
	List	   *names = NIL;
	ListCell   *lc;

	foreach(lc, sub->targetList)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);

		if (tle->resjunk)
			continue;
		exprs = lappend(exprs, makeVarFromTargetEntry(1, tle));
		names = lappend(names, makeString(pstrdup(tle->resname ? tle->resname :
												  "?column?")));
	}
	IncrementVarSublevelsUp((Node *) sub, 1, 1);
	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = sub;
	rte->eref = makeAlias("not_in", names);
	rte->inFromCl = true;
	ref->rtindex = 1;
	query->commandType = CMD_SELECT;
	query->querySource = sub->querySource;
	query->canSetTag = true;
	query->rtable = list_make1(rte);
	query->jointree =
		makeFromExpr(list_make1(ref),
					 (Node *) make_ands_explicit(test_clauses(equalities, exprs,
															  number)));
	return query;
}

/* ----------------------------------------------------------------
 *		Places
 * ----------------------------------------------------------------
 */

/* Range table indexes that a part of the join tree provides. */
static Relids
provided_relids(Node *jtnode)
{
	Relids		result = NULL;
	ListCell   *lc;

	if (IsA(jtnode, RangeTblRef))
		return bms_make_singleton(((RangeTblRef *) jtnode)->rtindex);
	if (IsA(jtnode, JoinExpr))
	{
		JoinExpr   *join = (JoinExpr *) jtnode;

		result = bms_join(provided_relids(join->larg),
						  provided_relids(join->rarg));
		return join->rtindex > 0 ? bms_add_member(result, join->rtindex) : result;
	}
	foreach(lc, ((FromExpr *) jtnode)->fromlist)
		result = bms_join(result, provided_relids(lfirst(lc)));
	return result;
}

/* Does x come from `allowed` (NULL: anywhere), and from somewhere? */
static bool
is_in_place(List *equalities, Relids allowed)
{
	Relids		relids = pull_varnos(NULL, (Node *) equalities);

	return !bms_is_empty(relids) &&
		(allowed == NULL || bms_is_subset(relids, allowed));
}

/* NOT EXISTS in place of a NOT IN; or the clause as it is. */
static Node *
rewrite_clause(Query *query, Node *clause, Relids allowed, Rewrite *rewrite)
{
	SubLink    *sublink;
	List	   *equalities;
	Query	   *sub;
	bool		simple;

	if (!is_not_in(clause, &sublink, &equalities) ||
		!is_in_place(equalities, allowed) ||
		checkExprHasSubLink((Node *) equalities) ||
		contain_volatile_functions((Node *) equalities))
		return clause;
	sub = (Query *) sublink->subselect;
	simple = is_simple(sub) && !checkExprHasSubLink((Node *) sub->targetList);
	if (sub->commandType != CMD_SELECT || sub->rowMarks != NIL ||
		sub->hasModifyingCTE || has_volatile_columns(sub) ||
		(!simple && contain_vars_of_level((Node *) sub, 1)))
		return clause;

	if (rewrite->count >= HJ_MAX_NOT_IN)
		return clause;
	rewrite->count++;
	if (rewrite->only != NULL && !bms_is_member(rewrite->count, rewrite->only))
		return clause;
	query->hasRowSecurity |= sub->hasRowSecurity;
	sublink->subLinkType = EXISTS_SUBLINK;
	sublink->testexpr = NULL;
	sublink->operName = NIL;
	sublink->subselect = (Node *) (simple ?
								   merge_test(sub, equalities, rewrite->count) :
								   wrap_in_test(sub, equalities, rewrite->count));
	return (Node *) make_notclause((Expr *) sublink);
}

static Node *
rewrite_quals(Query *query, Node *quals, Relids allowed, Rewrite *rewrite)
{
	ListCell   *lc;

	if (quals == NULL)
		return NULL;
	if (!is_andclause(quals))
		return rewrite_clause(query, quals, allowed, rewrite);
	foreach(lc, ((BoolExpr *) quals)->args)
		lfirst(lc) = rewrite_quals(query, lfirst(lc), allowed, rewrite);
	return quals;
}

static void
rewrite_jointree(Query *query, Node *jtnode, Rewrite *rewrite)
{
	check_stack_depth();
	if (IsA(jtnode, FromExpr))
	{
		FromExpr   *from = (FromExpr *) jtnode;
		ListCell   *lc;

		foreach(lc, from->fromlist)
			rewrite_jointree(query, lfirst(lc), rewrite);
		from->quals = rewrite_quals(query, from->quals, NULL, rewrite);
	}
	else if (IsA(jtnode, JoinExpr))
	{
		JoinExpr   *join = (JoinExpr *) jtnode;
		Relids		allowed = NULL;

		rewrite_jointree(query, join->larg, rewrite);
		rewrite_jointree(query, join->rarg, rewrite);
		if (join->jointype == JOIN_FULL)
			return;
		if (join->jointype != JOIN_INNER)
			allowed = provided_relids(join->jointype == JOIN_LEFT ?
									  join->rarg : join->larg);
		join->quals = rewrite_quals(query, join->quals, allowed, rewrite);
	}
}

/* Does the statement change a table that has children? */
static bool
changes_inherited_table(const Query *query)
{
	const RangeTblEntry *rte;

	if (query->resultRelation == 0 || query->commandType == CMD_INSERT)
		return false;
	rte = rt_fetch(query->resultRelation, query->rtable);
	return rte->inh && (rte->relkind == RELKIND_PARTITIONED_TABLE ||
						has_subclass(rte->relid));
}

/* Subqueries in expressions. */
static bool
rewrite_sublinks_walker(Node *node, Rewrite *rewrite)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubLink) && IsA(((SubLink *) node)->subselect, Query))
		rewrite_query((Query *) ((SubLink *) node)->subselect, rewrite);
	else if (IsA(node, Query))
		return false;			/* that was it */
	return expression_tree_walker(node, rewrite_sublinks_walker, rewrite);
}

static void
rewrite_query(Query *query, Rewrite *rewrite)
{
	ListCell   *lc;

	check_stack_depth();
	if (!hj_query_has_sublinks(query))
		return;
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_SUBQUERY)
			rewrite_query(rte->subquery, rewrite);
	}
	foreach(lc, query->cteList)
	{
		Query	   *cte = (Query *) lfirst_node(CommonTableExpr, lc)->ctequery;

		if (IsA(cte, Query))
			rewrite_query(cte, rewrite);
	}
	if (!query->hasSubLinks)
		return;
	(void) query_tree_walker(query, rewrite_sublinks_walker, rewrite,
							 QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES);
	if (query->commandType != CMD_UTILITY && query->commandType != CMD_MERGE &&
		!changes_inherited_table(query))
		rewrite_jointree(query, (Node *) query->jointree, rewrite);
}

int
hj_rewrite_not_in(Query *query, const Bitmapset *only)
{
	Rewrite		rewrite = {0, only};

	rewrite_query(query, &rewrite);
	return rewrite.count;
}
