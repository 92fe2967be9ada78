/*
 * join_paths.c
 *	  The join path hook: which joins qualify, and which paths are offered.
 *
 * Mirrors hash_inner_and_outer() of joinpath.c: the same pairs of child paths,
 * for the same orientations.  The outer relation of an orientation is the
 * probe side, the inner one the build side.
 *
 * Differs from it in these points:
 * - Semi and anti joins are offered with either side built.  Core calls the
 *	 hook with the sides swapped for right anti joins from 16 on and for right
 *	 semi joins from 18 on; where it does not, the swapped orientation is added
 *	 here, from the call for the plain one.
 * - extra->inner_unique is not used.  It is wrong when a unique index has
 *	 another collation than the join's clause, and the chains know anyway.
 * - RestrictInfo's transient fields and caches are left alone.
 *
 * When the hook runs, core has already added its own paths, and may have freed
 * some of the children's; only the relations' own path lists are used, and
 * nothing is kept between calls.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "planner/force.h"
#include "planner/join_cost.h"
#include "planner/join_paths.h"
#include "planner/join_plan.h"
#include "settings.h"

static set_join_pathlist_hook_type prev_join_hook = NULL;

/* One orientation of one join, and all that its paths have in common. */
typedef struct HjJoinCandidate
{
	PlannerInfo *root;
	RelOptInfo *joinrel;
	RelOptInfo *probe;
	RelOptInfo *build;
	HjJoinType	jointype;
	JoinType	hook_jointype;	/* JOIN_UNIQUE_* included */
	JoinPathExtraData *extra;
	List	   *hash_clauses;	/* RestrictInfos */
	HjCostBasis basis;
	bool		too_large;		/* was a path left out for its build side? */
} HjJoinCandidate;

#define PARAMETERIZED_BY(path, rel) \
	((path)->param_info && bms_overlap(PATH_REQ_OUTER(path), (rel)->relids))

/* ----------------------------------------------------------------
 *		Which joins qualify
 * ----------------------------------------------------------------
 */

/*
 * Can values of the expression's type really be hashed?  A container operator
 * counts as hashable whatever the elements are; only the type cache knows.
 */
static bool
expression_is_hashable(Node *expr)
{
	Oid			type = getBaseType(exprType(expr));

	if (!type_is_array(type) && !type_is_range(type) &&
		!type_is_multirange(type) && !type_is_rowtype(type))
		return true;
	return OidIsValid(lookup_type_cache(type, TYPECACHE_HASH_PROC)->hash_proc);
}

/* Is the clause `probe op build` or `build op probe`, and hashable? */
static bool
is_hash_clause(const HjJoinCandidate *c, RestrictInfo *rinfo)
{
	bool		probe_is_left;
	OpExpr	   *clause;

	/* above an outer join a clause is no join condition */
	if (hj_join_is_outer(c->jointype) &&
		RINFO_IS_PUSHED_DOWN(rinfo, c->joinrel->relids))
		return false;
	if (!rinfo->can_join || !OidIsValid(rinfo->hashjoinoperator))
		return false;

	if (bms_is_subset(rinfo->left_relids, c->probe->relids) &&
		bms_is_subset(rinfo->right_relids, c->build->relids))
		probe_is_left = true;
	else if (bms_is_subset(rinfo->left_relids, c->build->relids) &&
			 bms_is_subset(rinfo->right_relids, c->probe->relids))
		probe_is_left = false;
	else
		return false;

	clause = castNode(OpExpr, rinfo->clause);
	if (!probe_is_left && !OidIsValid(get_commutator(clause->opno)))
		return false;
	return expression_is_hashable(get_leftop(clause)) &&
		expression_is_hashable(get_rightop(clause));
}

static List *
find_hash_clauses(const HjJoinCandidate *c)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, c->extra->restrictlist)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (is_hash_clause(c, rinfo))
			result = lappend(result, rinfo);
	}
	return result;
}

#if !HJ_CORE_GATES_PSEUDOCONSTANTS
static bool
has_pseudoconstant_clause(List *restrictlist)
{
	ListCell   *lc;

	foreach(lc, restrictlist)
	{
		if (lfirst_node(RestrictInfo, lc)->pseudoconstant)
			return true;
	}
	return false;
}
#endif

/*
 * Does this orientation qualify?  Returns NULL if so, with hash_clauses set;
 * otherwise why not.  docs/limitations.md lists the reasons.
 */
static const char *
join_disqualification(HjJoinCandidate *c)
{
	Path	   *probe = c->probe->cheapest_total_path;
	Path	   *build = c->build->cheapest_total_path;

#if !HJ_CORE_GATES_PSEUDOCONSTANTS
	if (has_pseudoconstant_clause(c->extra->restrictlist))
		return "a qual without variables cannot be gated above a custom join before PostgreSQL 17";
#endif
	c->hash_clauses = find_hash_clauses(c);
	if (c->hash_clauses == NIL)
		return "no usable hash clause";
	if (PARAMETERIZED_BY(probe, c->build) || PARAMETERIZED_BY(build, c->probe))
		return "one side is parameterized by the other";
	return NULL;
}

/* ----------------------------------------------------------------
 *		Paths
 * ----------------------------------------------------------------
 */

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

	if (hj_join_is_outer(c->jointype))
	{
		foreach(lc, c->joinrel->reltarget->exprs)
		{
			if (IsA(lfirst(lc), PlaceHolderVar))
				return 0;
		}
	}
	return CUSTOMPATH_SUPPORT_PROJECTION;
}

/* Make a path of ours, costed; partial if workers > 0. */
static CustomPath *
make_join_path(HjJoinCandidate *c, Path *probe, Path *build,
			   Relids required_outer, bool partial)
{
	CustomPath *cpath = makeNode(CustomPath);
	Path	   *path = &cpath->path;
	List	   *restrictlist = list_copy(c->extra->restrictlist);
	bool		disabled = !enable_hashjoin && hj_enable != HJ_ENABLE_FORCE;

	path->pathtype = T_CustomScan;
	path->parent = c->joinrel;
	path->pathtarget = c->joinrel->reltarget;
	path->param_info = partial ? NULL :
		get_joinrel_parampathinfo(c->root, c->joinrel, probe, build,
								  c->extra->sjinfo, required_outer,
								  &restrictlist);
	path->parallel_aware = false;
	path->parallel_safe = c->joinrel->consider_parallel &&
		probe->parallel_safe && build->parallel_safe;
	path->parallel_workers = partial ? probe->parallel_workers : 0;
	path->rows = path->param_info ? path->param_info->ppi_rows : c->joinrel->rows;
	if (partial)
		path->rows = clamp_row_est(path->rows * probe->rows /
								   Max(c->probe->rows, 1));
	path->pathkeys = NIL;

	cpath->flags = path_flags(c);
	cpath->custom_paths = list_make2(probe, build);
	cpath->custom_private = hj_path_data_make(c->jointype, c->hash_clauses,
											  restrictlist);
	HJ_SET_CUSTOM_RESTRICTINFO(cpath, restrictlist);
	cpath->methods = &hj_path_methods;

	hj_cost_path(path, &c->basis, c->jointype, probe, build);
	hj_path_set_disabled(path, probe, build, disabled);
	return cpath;
}

/* Until builds can go to disk, the planner's free choice is for those that fit. */
static bool
build_fits(HjJoinCandidate *c, Path *build)
{
	if (hj_enable == HJ_ENABLE_FORCE ||
		hj_estimate_build_bytes(build) <= (double) get_hash_memory_limit())
		return true;
	c->too_large = true;
	return false;
}

/* As core's try_hashjoin_path(). */
static void
try_path(HjJoinCandidate *c, Path *probe, Path *build)
{
	Relids		required_outer;
	CustomPath *cpath;

	if (hj_path_needs_own_outer_join(probe, c->extra->sjinfo) ||
		hj_path_needs_own_outer_join(build, c->extra->sjinfo))
		return;
	required_outer = calc_non_nestloop_required_outer(probe, build);
	if (required_outer &&
		!bms_overlap(required_outer, c->extra->param_source_rels))
		return;
	if (!build_fits(c, build))
		return;
	cpath = make_join_path(c, probe, build, required_outer, false);
	if (hj_enable != HJ_ENABLE_CONSIDER &&
		hj_path_precheck(c->joinrel, &cpath->path))
		add_path(c->joinrel, &cpath->path);
}

/* As core's try_partial_hashjoin_path(), without a shared table. */
static void
try_partial_path(HjJoinCandidate *c, Path *probe, Path *build)
{
	CustomPath *cpath;

	if (!bms_is_empty(PATH_REQ_OUTER(build)) || !build_fits(c, build))
		return;
	cpath = make_join_path(c, probe, build, NULL, true);
	if (hj_enable != HJ_ENABLE_CONSIDER &&
		hj_partial_path_precheck(c->joinrel, &cpath->path))
		add_partial_path(c->joinrel, &cpath->path);
}

/* A semi join as an inner join with one side made unique. */
static void
try_unique_paths(HjJoinCandidate *c)
{
	Path	   *probe = c->probe->cheapest_total_path;
	Path	   *build = c->build->cheapest_total_path;
	Path	   *startup = c->probe->cheapest_startup_path;

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

static void
try_plain_paths(HjJoinCandidate *c)
{
	Path	   *startup = c->probe->cheapest_startup_path;
	Path	   *cheapest_build = c->build->cheapest_total_path;
	ListCell   *lc1;
	ListCell   *lc2;

	if (startup != NULL && !PARAMETERIZED_BY(startup, c->build))
		try_path(c, startup, cheapest_build);
	foreach(lc1, c->probe->cheapest_parameterized_paths)
	{
		Path	   *probe = lfirst(lc1);

		if (PARAMETERIZED_BY(probe, c->build))
			continue;
		foreach(lc2, c->build->cheapest_parameterized_paths)
		{
			Path	   *build = lfirst(lc2);

			if (PARAMETERIZED_BY(build, c->probe) ||
				(probe == startup && build == cheapest_build))
				continue;
			try_path(c, probe, build);
		}
	}
}

/*
 * Each worker joins its share of the probe side with a table of its own.  Not
 * for joins that emit build rows: a row without a match here may have one in
 * another worker.  Not for a probe side made unique: its shares are not.
 */
static void
try_partial_paths(HjJoinCandidate *c)
{
	Path	   *build = c->build->cheapest_total_path;

	if (!c->joinrel->consider_parallel ||
		hj_join_marks_build(c->jointype) ||
		c->hook_jointype == JOIN_UNIQUE_OUTER ||
		c->probe->partial_pathlist == NIL ||
		!bms_is_empty(c->joinrel->lateral_relids))
		return;
	if (c->hook_jointype == JOIN_UNIQUE_INNER)
		build = (Path *) create_unique_path(c->root, c->build, build,
											c->extra->sjinfo);
	else if (!build->parallel_safe)
		build = get_cheapest_parallel_safe_total_inner(c->build->pathlist);
	if (build != NULL && build->parallel_safe)
		try_partial_path(c, linitial(c->probe->partial_pathlist), build);
}

static void
consider_candidate(HjJoinCandidate *c)
{
	const char *reason = join_disqualification(c);

	if (reason == NULL)
	{
		hj_cost_basis(&c->basis, c->root, c->joinrel, c->probe, c->build,
					  c->hash_clauses, c->extra->restrictlist);
		if (c->hook_jointype == JOIN_UNIQUE_OUTER ||
			c->hook_jointype == JOIN_UNIQUE_INNER)
			try_unique_paths(c);
		else
			try_plain_paths(c);
		try_partial_paths(c);
		if (c->too_large)
			reason = "the build side is estimated to exceed the memory limit";
	}
	if (reason != NULL && message_level_is_interesting(DEBUG1))
	{
		char	   *relids = bmsToString(c->joinrel->relids);

		ereport(DEBUG1,
				(errmsg_internal("hashjoin_ext: join of %s not offered: %s",
								 relids, reason)));
		pfree(relids);
	}
}

/* ----------------------------------------------------------------
 *		The hook
 * ----------------------------------------------------------------
 */

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
	HjJoinCandidate candidate = {
		.root = root,
		.joinrel = joinrel,
		.probe = outerrel,
		.build = innerrel,
		.hook_jointype = jointype,
		.extra = extra,
	};
	HjJoinType	swapped;

	if (prev_join_hook)
		prev_join_hook(root, joinrel, outerrel, innerrel, jointype, extra);

	if (hj_enable == HJ_ENABLE_OFF)
		return;
	if (!join_type_from_core(jointype, &candidate.jointype))
		return;
	consider_candidate(&candidate);

	if (swapped_join_type(candidate.jointype, &swapped))
	{
		HjJoinCandidate other = {
			.root = root,
			.joinrel = joinrel,
			.probe = innerrel,
			.build = outerrel,
			.jointype = swapped,
			.hook_jointype = jointype,
			.extra = extra,
		};

		consider_candidate(&other);
	}
}

void
hj_install_planner_hooks(void)
{
	prev_join_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = join_pathlist_hook;
	hj_install_force_hook();
}
