/*
 * join_paths.c
 *	  Which paths are offered for a join.
 *
 * Mirrors hash_inner_and_outer() of joinpath.c: the same pairs of child paths,
 * for the same orientations.  The outer relation of an orientation is the
 * probe side, the inner one the build side.
 *
 * Differs from it in these points:
 * - extra->inner_unique only steers the cost, as it does stock's.  It is wrong
 *	 when a unique index has another collation than the join's clause, so the
 *	 node never stops at a first match because of it; the chains know anyway.
 *	 (hj_build_side_is_unique asks for itself, where no collation takes part.)
 * - RestrictInfo's transient fields and caches are left alone.
 *
 * When the hook runs, core has already added its own paths, and may have freed
 * some of the children's; only the relations' own path lists are used, and
 * nothing is kept between calls.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/guc.h"

#include "compat.h"
#include "planner/join_paths.h"
#include "planner/join_plan.h"
#include "planner/null_clause.h"
#include "settings.h"
#include "table/link_shared.h"

/*
 * Projection is ours, with one exception.  The plan above may put expressions
 * into our target list after we are planned; a place-holder computed at an
 * outer join may then hold columns with the nulling relids from below the
 * join, which core matches loosely for its own joins but not for ours.
 */
static uint32
path_flags(const HjJoinCandidate *c)
{
	ListCell   *lc;

	if (c->root->placeholder_list != NIL &&
		hj_join_is_outer(c->sides.jointype))
	{
		foreach(lc, c->joinrel->reltarget->exprs)
		{
			if (IsA(lfirst(lc), PlaceHolderVar))
				return 0;
		}
	}
	return CUSTOMPATH_SUPPORT_PROJECTION;
}

/*
 * Cost a path of ours, on the stack of the caller: most are not worth making.
 * Sets rows, costs and param_info only; for a parameterized path also
 * *restrictlist.
 */
static void
cost_join_path(HjJoinCandidate *c, Path *path, Path *probe, Path *build,
			   Relids required_outer, bool partial, List **restrictlist)
{
	/* a share of the build side makes a part of a table of all of it */
	bool		shared = partial && build->parallel_workers > 0;

	path->param_info = NULL;
	*restrictlist = c->extra->restrictlist;
	path->rows = c->joinrel->rows;
	if (required_outer != NULL)
	{
		path->param_info = get_joinrel_parampathinfo(c->root, c->joinrel, probe,
													 build, c->extra->sjinfo,
													 required_outer,
													 restrictlist);
		path->rows = path->param_info->ppi_rows;
	}
	if (partial)
		path->rows = clamp_row_est(path->rows * probe->rows /
								   Max(c->probe->rows, 1));
	hj_cost_join(&c->basis, c->sides.jointype, probe, build,
				 shared ? c->build->rows : build->rows, path->rows,
				 c->joinrel->reltarget, &path->startup_cost, &path->total_cost);
	hj_disable_path(path, probe, build,
					!enable_hashjoin && hj_enable != HJ_ENABLE_FORCE);
}

static bool
is_parallel_safe(const HjJoinCandidate *c, const Path *probe, const Path *build)
{
	return c->joinrel->consider_parallel &&
		probe->parallel_safe && build->parallel_safe;
}

/* Make the path that was costed. */
static Path *
make_join_path(HjJoinCandidate *c, const Path *costed, Path *probe, Path *build,
			   bool partial, List *restrictlist)
{
	CustomPath *cpath = makeNode(CustomPath);
	Path	   *path = &cpath->path;

	path->param_info = costed->param_info;
	path->rows = costed->rows;
	path->startup_cost = costed->startup_cost;
	path->total_cost = costed->total_cost;
	hj_copy_disabled_nodes(path, costed);
	path->pathtype = T_CustomScan;
	path->parent = c->joinrel;
	path->pathtarget = c->joinrel->reltarget;
	path->parallel_aware = partial;
	path->parallel_safe = is_parallel_safe(c, probe, build);
	path->parallel_workers = partial ? probe->parallel_workers : 0;
	path->pathkeys = NIL;

	cpath->flags = path_flags(c);
	cpath->custom_paths = list_make2(probe, build);
	cpath->custom_private = restrictlist;
	HJ_SET_CUSTOM_RESTRICTINFO(cpath, restrictlist);
	cpath->methods = &hj_path_methods[c->sides.jointype];
	return path;
}

/*
 * Is a still parameterized path worth having?  As in try_hashjoin_path(), but
 * without putting the two sides' parameters together first.
 */
static bool
parameterization_is_sensible(const HjJoinCandidate *c, const Path *probe,
							 const Path *build)
{
	Relids		sources = c->extra->param_source_rels;

	return bms_overlap(PATH_REQ_OUTER(probe), sources) ||
		bms_overlap(PATH_REQ_OUTER(build), sources);
}

/*
 * Does the relation have an unparameterized path that is as good as this one
 * in every respect?  add_path() would keep the old one; this saves making the
 * new one, of which joins of similar tables have many.  Like the prechecks it
 * relies on the list's being sorted by total cost.
 */
static bool
is_dominated(const HjJoinCandidate *c, const Path *costed, bool parallel_safe)
{
	ListCell   *lc;

	foreach(lc, c->joinrel->pathlist)
	{
		Path	   *old = lfirst(lc);

		if (hj_compare_disabled(old, costed) > 0 ||
			old->total_cost > costed->total_cost)
			return false;
		if (old->startup_cost <= costed->startup_cost &&
			old->param_info == NULL && old->rows <= costed->rows &&
			(old->parallel_safe || !parallel_safe))
			return true;
	}
	return false;
}

/*
 * Is that so of the path that could be made of these two, whatever the clauses
 * are?  Most joins of a large query are settled by this, unexamined.
 */
static bool
floor_is_dominated(const HjJoinCandidate *c, const Path *probe,
				   const Path *build)
{
	Path		floor;

	floor.rows = c->joinrel->rows;
	hj_cost_join(&c->floor, c->sides.jointype, probe, build, build->rows, floor.rows,
				 c->joinrel->reltarget, &floor.startup_cost, &floor.total_cost);
	hj_disable_path(&floor, probe, build, !enable_hashjoin);
	return is_dominated(c, &floor, is_parallel_safe(c, probe, build));
}

/* As core's try_hashjoin_path(). */
static void
try_path(HjJoinCandidate *c, Path *probe, Path *build)
{
	bool		parameterized = probe->param_info || build->param_info;
	Relids		required_outer;
	List	   *restrictlist;
	Path		costed;

	if (hj_path_needs_own_outer_join(probe, c->extra->sjinfo) ||
		hj_path_needs_own_outer_join(build, c->extra->sjinfo) ||
		(parameterized && !parameterization_is_sensible(c, probe, build)))
		return;
	if (!hj_join_qualifies(c))
		return;
	required_outer = parameterized ?
		calc_non_nestloop_required_outer(probe, build) : NULL;
	cost_join_path(c, &costed, probe, build, required_outer, false,
				   &restrictlist);
	if (hj_enable == HJ_ENABLE_CONSIDER)
		(void) make_join_path(c, &costed, probe, build, false, restrictlist);
	else if (!(required_outer == NULL &&
			   is_dominated(c, &costed, is_parallel_safe(c, probe, build))) &&
			 hj_path_precheck(c->joinrel, &costed, required_outer))
		add_path(c->joinrel, make_join_path(c, &costed, probe, build, false,
											restrictlist));
}

/* As core's try_partial_hashjoin_path(). */
static void
try_partial_path(HjJoinCandidate *c, Path *probe, Path *build)
{
	List	   *restrictlist;
	Path		costed;

	if (build->param_info != NULL)
		return;
	cost_join_path(c, &costed, probe, build, NULL, true, &restrictlist);
	if (hj_enable == HJ_ENABLE_CONSIDER)
		(void) make_join_path(c, &costed, probe, build, true, restrictlist);
	else if (hj_partial_path_precheck(c->joinrel, &costed))
		add_partial_path(c->joinrel, make_join_path(c, &costed, probe, build,
													true, restrictlist));
}

/* A semi join as an inner join with one side made unique. */
static void
try_unique_paths(HjJoinCandidate *c)
{
	Path	   *probe = c->probe->cheapest_total_path;
	Path	   *build = c->build->cheapest_total_path;
	Path	   *startup = c->probe->cheapest_startup_path;

	if (!hj_join_qualifies(c))
		return;					/* and from here on examined */
	if (c->hook_jointype == JOIN_UNIQUE_OUTER)
	{
		probe = (Path *) create_unique_path(c->root, c->probe, probe,
											c->extra->sjinfo);
		if (probe != NULL)
			try_path(c, probe, build);
		return;
	}
	build = (Path *) create_unique_path(c->root, c->build, build,
										c->extra->sjinfo);
	if (build == NULL)
		return;
	try_path(c, probe, build);
	if (startup != NULL && startup != probe)
		try_path(c, startup, build);
}

static inline void
try_path_above_floor(HjJoinCandidate *c, Path *probe, Path *build)
{
	if (hj_enable == HJ_ENABLE_ON && !c->examined &&
		probe->param_info == NULL && build->param_info == NULL &&
		floor_is_dominated(c, probe, build))
		return;
	try_path(c, probe, build);
}

static void
try_plain_paths(HjJoinCandidate *c)
{
	Path	   *startup = c->probe->cheapest_startup_path;
	Path	   *cheapest_build = c->build->cheapest_total_path;
	ListCell   *lc1;
	ListCell   *lc2;

	if (hj_enable == HJ_ENABLE_ON)
		hj_cost_floor_basis(&c->floor, &c->sides, c->extra);
	if (startup != NULL && !PARAMETERIZED_BY(startup, c->build))
		try_path_above_floor(c, startup, cheapest_build);
	foreach(lc1, c->probe->cheapest_parameterized_paths)
	{
		Path	   *probe = lfirst(lc1);

		if (PARAMETERIZED_BY(probe, c->build))
			continue;
		foreach(lc2, c->build->cheapest_parameterized_paths)
		{
			Path	   *build = lfirst(lc2);

			if ((probe == startup && build == cheapest_build) ||
				PARAMETERIZED_BY(build, c->probe))
				continue;
			try_path_above_floor(c, probe, build);
		}
	}
}

/* The cheapest path of the build side that every worker can run as a whole. */
static Path *
private_build_path(HjJoinCandidate *c)
{
	Path	   *build = c->build->cheapest_total_path;

	if (c->hook_jointype == JOIN_UNIQUE_INNER)
		return (Path *) create_unique_path(c->root, c->build, build,
										   c->extra->sjinfo);
	return build->parallel_safe ? build :
		get_cheapest_parallel_safe_total_inner(c->build->pathlist);
}

/*
 * May processes share a table?  Where NULL matches all, only if it is enough to know
 * whether any process has seen one on the build side; a process that puts out
 * build rows would have to know all of the probe side.
 */
static bool
may_share(const HjJoinCandidate *c)
{
	int			open = hj_join_is_anti(c->sides.jointype) ?
		hj_count_open_keys(&c->sides, c->extra->restrictlist) : 0;

	return hj_can_link_shared() &&
		(open == 0 ||
		 (open == 1 && c->sides.jointype == HJ_JOIN_ANTI &&
		  c->basis.nkeys == 1 && c->basis.nresidual == 0));
}

/*
 * Each worker joins its share of the probe side: with a table that all share,
 * built from its share of the build side, or with a table of its own, of all of
 * it.  The latter not for joins that emit build rows: a row without a match here
 * may have one in another worker.  Neither for a probe side made unique: its shares
 * are not.
 */
static void
try_partial_paths(HjJoinCandidate *c)
{
	Path	   *probe;
	Path	   *build;

	if (!c->joinrel->consider_parallel ||
		c->hook_jointype == JOIN_UNIQUE_OUTER ||
		c->probe->partial_pathlist == NIL ||
		!bms_is_empty(c->joinrel->lateral_relids) ||
		!hj_join_qualifies(c))
		return;
	probe = linitial(c->probe->partial_pathlist);
	if (enable_parallel_hash && c->build->partial_pathlist != NIL &&
		c->hook_jointype != JOIN_UNIQUE_INNER && may_share(c))
		try_partial_path(c, probe, linitial(c->build->partial_pathlist));
	if (hj_join_marks_build(c->sides.jointype))
		return;
	build = private_build_path(c);
	if (build != NULL && build->parallel_safe)
		try_partial_path(c, probe, build);
}

void
hj_offer_join_paths(HjJoinCandidate *c, RelOptInfo *probe, RelOptInfo *build)
{
	c->probe = probe;
	c->build = build;
	c->sides.probe_relids = probe->relids;
	c->sides.build_relids = build->relids;
	c->examined = false;
	if (c->hook_jointype == JOIN_UNIQUE_OUTER ||
		c->hook_jointype == JOIN_UNIQUE_INNER)
		try_unique_paths(c);
	else
		try_plain_paths(c);
	try_partial_paths(c);
	if (unlikely(Min(log_min_messages, client_min_messages) <= DEBUG1))
		hj_report_refusal(c);
}
