/*
 * join_candidate.c
 *	  Which joins qualify.
 */
#include "postgres.h"

#include "compat.h"
#include "planner/join_candidate.h"
#include "planner/not_in.h"
#include "planner/null_clause.h"
#include "planner/uniqueness.h"

/*
 * Does a relation carry the row identity of an inherited target of UPDATE,
 * DELETE or MERGE?  Above the leaves such a column is a Var of ROWID_VAR;
 * setrefs.c asserts that a custom scan's target list has none, and EXPLAIN
 * could not name it.
 */
static bool
carries_inherited_row_identity(PlannerInfo *root, RelOptInfo *rel)
{
	ListCell   *lc;

	if (root->row_identity_vars == NIL)
		return false;
	foreach(lc, rel->reltarget->exprs)
	{
		Node	   *node = lfirst(lc);

		if (IsA(node, Var) && ((Var *) node)->varno == ROWID_VAR)
			return true;
	}
	return false;
}

const char *
hj_join_disqualification(HjJoinCandidate *c)
{
	Path	   *probe = c->probe->cheapest_total_path;
	Path	   *build = c->build->cheapest_total_path;

	hj_cost_basis(&c->basis, c->root, &c->sides, c->extra);
	if (c->basis.nkeys == 0)
		return "no usable hash clause";
	if ((c->hook_jointype == JOIN_UNIQUE_OUTER ||
		 c->hook_jointype == JOIN_UNIQUE_INNER) &&
		!hj_unique_side_is_safe(&c->sides, c->extra->restrictlist))
		return "a side made unique under another collation would be wrong";
	if (c->hook_jointype == JOIN_INNER &&
		hj_may_be_reduced_semi_join(c->root, &c->sides, c->extra->restrictlist))
		return "a semi join may have been reduced under another collation";
	if (hj_join_is_anti(c->sides.jointype) &&
		hj_count_open_keys(&c->sides, c->extra->restrictlist) > HJ_MAX_OPEN_KEYS)
		return "too many columns whose NULL matches all";
	if (carries_inherited_row_identity(c->root, c->probe) ||
		carries_inherited_row_identity(c->root, c->build))
		return "one side is the inherited target of the statement";
	if (PARAMETERIZED_BY(probe, c->build) || PARAMETERIZED_BY(build, c->probe))
		return "one side is parameterized by the other";
	return NULL;
}

void
hj_report_refusal(HjJoinCandidate *c)
{
	char	   *relids;

	if (!message_level_is_interesting(DEBUG1) || hj_join_qualifies(c))
		return;
	relids = bmsToString(c->joinrel->relids);
	ereport(DEBUG1,
			(errmsg_internal("hashjoin_ext: join of %s not offered: %s",
							 relids, c->disqualification)));
	pfree(relids);
}
