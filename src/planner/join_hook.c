/*
 * join_hook.c
 *	  The join path hook: core's calls as orientations of ours.
 *
 * Semi and anti joins are offered with either side built.  Core calls the hook with
 * the sides swapped for right anti joins from 16 on and for right semi joins from 18
 * on; where it does not, the swapped orientation is added here, from the call for the
 * plain one.
 */
#include "postgres.h"

#include "optimizer/paths.h"

#include "compat.h"
#include "planner/force.h"
#include "planner/join_hook.h"
#include "planner/join_paths.h"
#include "planner/not_in.h"
#include "planner/pseudoconstant.h"
#include "settings.h"

static set_join_pathlist_hook_type prev_join_hook = NULL;

/*
 * A NOT IN that was rewritten: if this orientation can be ours, it is nobody
 * else's.
 */
static void
claim_not_in(HjJoinCandidate *c, RelOptInfo *probe, RelOptInfo *build)
{
	RelOptInfo *rel = c->joinrel;
	List	   *paths = rel->pathlist;
	List	   *partial_paths = rel->partial_pathlist;

	hj_remove_stock_paths(rel, probe, build);
	hj_remove_stock_paths(rel, build, probe);
	hj_offer_join_paths(c, probe, build);
	if (rel->pathlist == NIL)
	{
		rel->pathlist = paths;
		rel->partial_pathlist = partial_paths;
	}
}

/* Our join type for core's; false if the hook should not see it. */
static bool
join_type_from_core(JoinType core, HjJoinType *result)
{
	switch (core)
	{
		case JOIN_INNER:
		case JOIN_UNIQUE_OUTER:
		case JOIN_UNIQUE_INNER:
			*result = HJ_JOIN_INNER;
			return true;
		case JOIN_LEFT:
			*result = HJ_JOIN_LEFT;
			return true;
		case JOIN_RIGHT:
			*result = HJ_JOIN_RIGHT;
			return true;
		case JOIN_FULL:
			*result = HJ_JOIN_FULL;
			return true;
		case JOIN_SEMI:
			*result = HJ_JOIN_SEMI;
			return true;
		case JOIN_ANTI:
			*result = HJ_JOIN_ANTI;
			return true;
#if HJ_CORE_HAS_RIGHT_ANTI
		case JOIN_RIGHT_ANTI:
			*result = HJ_JOIN_RIGHT_ANTI;
			return true;
#endif
#if HJ_CORE_HAS_RIGHT_SEMI
		case JOIN_RIGHT_SEMI:
			*result = HJ_JOIN_RIGHT_SEMI;
			return true;
#endif
		default:
			return false;
	}
}

/* The same join with the other side built, where core does not ask for it. */
static bool
swapped_join_type(HjJoinType type, HjJoinType *result)
{
	if (type == HJ_JOIN_SEMI && !HJ_CORE_HAS_RIGHT_SEMI)
		*result = HJ_JOIN_RIGHT_SEMI;
	else if (type == HJ_JOIN_ANTI && !HJ_CORE_HAS_RIGHT_ANTI)
		*result = HJ_JOIN_RIGHT_ANTI;
	else
		return false;
	return true;
}

static void
join_pathlist_hook(PlannerInfo *root, RelOptInfo *joinrel,
				   RelOptInfo *outerrel, RelOptInfo *innerrel,
				   JoinType jointype, JoinPathExtraData *extra)
{
	HjJoinCandidate candidate;

	if (prev_join_hook)
		prev_join_hook(root, joinrel, outerrel, innerrel, jointype, extra);

	if (hj_enable == HJ_ENABLE_OFF ||
		!join_type_from_core(jointype, &candidate.sides.jointype))
		return;
	candidate.root = root;
	candidate.sides.root = root;
	candidate.joinrel = joinrel;
	candidate.sides.join_relids = joinrel->relids;
	candidate.hook_jointype = jointype;
	candidate.extra = extra;
	if (hj_join_is_anti(candidate.sides.jointype) &&
		hj_joins_not_in(extra->restrictlist))
		claim_not_in(&candidate, outerrel, innerrel);
	else
		hj_offer_join_paths(&candidate, outerrel, innerrel);
	if (swapped_join_type(candidate.sides.jointype, &candidate.sides.jointype))
		hj_offer_join_paths(&candidate, innerrel, outerrel);
}

void
hj_install_planner_hooks(void)
{
	prev_join_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = join_pathlist_hook;
	hj_install_pseudoconstant_hook(join_pathlist_hook, prev_join_hook);
	hj_install_force_hook();
	hj_install_not_in_hook();
}
