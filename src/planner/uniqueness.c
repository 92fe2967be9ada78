/*
 * uniqueness.c
 *	  What core's proofs of uniqueness are worth.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/planmain.h"
#include "utils/lsyscache.h"

#include "planner/uniqueness.h"

static bool
is_nondeterministic(Oid collation)
{
	return OidIsValid(collation) && !get_collation_isdeterministic(collation);
}

/*
 * Is some hash clause's collation another than that of its arguments, and one of
 * them nondeterministic?  With `bare`, of what stands below their relabelling.
 */
static bool
collations_differ(const HjJoinSides *sides, List *restrictlist, bool bare)
{
	ListCell   *lc;

	foreach(lc, restrictlist)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		OpExpr	   *clause = (OpExpr *) rinfo->clause;
		ListCell   *cell;

		/* the cheapest test first: most clauses have no collation */
		if (!IsA(clause, OpExpr) || !OidIsValid(clause->inputcollid) ||
			!hj_is_hash_clause(sides, rinfo))
			continue;
		foreach(cell, clause->args)
		{
			Node	   *arg = lfirst(cell);
			Oid			collation;

			while (bare && IsA(arg, RelabelType))
				arg = (Node *) ((RelabelType *) arg)->arg;
			collation = exprCollation(arg);
			if (collation != clause->inputcollid &&
				(is_nondeterministic(collation) ||
				 is_nondeterministic(clause->inputcollid)))
				return true;
		}
	}
	return false;
}

bool
hj_unique_side_is_safe(const HjJoinSides *sides, List *restrictlist)
{
	return !collations_differ(sides, restrictlist, false);
}

/* Semi joins in a part of the join tree, which core leaves as the query has it. */
static int
count_semi_joins(Node *jtnode)
{
	int			n = 0;
	ListCell   *lc;

	if (IsA(jtnode, FromExpr))
	{
		foreach(lc, ((FromExpr *) jtnode)->fromlist)
			n += count_semi_joins(lfirst(lc));
	}
	else if (IsA(jtnode, JoinExpr))
		n = (((JoinExpr *) jtnode)->jointype == JOIN_SEMI) +
			count_semi_joins(((JoinExpr *) jtnode)->larg) +
			count_semi_joins(((JoinExpr *) jtnode)->rarg);
	return n;
}

/* Did core make an inner join of any semi join of the query? */
static bool
semi_joins_were_reduced(PlannerInfo *root)
{
	int			n = count_semi_joins((Node *) root->parse->jointree);
	ListCell   *lc;

	foreach(lc, root->join_info_list)
		n -= lfirst_node(SpecialJoinInfo, lc)->jointype == JOIN_SEMI;
	return n > 0;
}

bool
hj_may_be_reduced_semi_join(PlannerInfo *root, const HjJoinSides *sides,
							List *restrictlist)
{
	return collations_differ(sides, restrictlist, true) &&
		semi_joins_were_reduced(root);
}

static bool
have_collation(List *clauses)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		if (OidIsValid(exprInputCollation((Node *) lfirst_node(RestrictInfo, lc)->clause)))
			return true;
	}
	return false;
}

bool
hj_build_side_is_unique(const HjJoinSides *sides, RelOptInfo *build,
						List *hash_clauses, int nclauses)
{
	return list_length(hash_clauses) == nclauses &&
		!have_collation(hash_clauses) &&
		innerrel_is_unique(sides->root, sides->join_relids, sides->probe_relids,
						   build, JOIN_INNER, hash_clauses, false);
}
