/*
 * compat.h
 *	  The only place that knows PG_VERSION_NUM.
 *
 * Supported: PostgreSQL 15, 16, 17, 18.  Each difference names the release
 * that brought it.  Planner-side helpers are macros or inline functions, so
 * that the callers read as if there were one PostgreSQL.
 */
#ifndef HJ_COMPAT_H
#define HJ_COMPAT_H

#include "postgres.h"

#if PG_VERSION_NUM < 150000
#error "hashjoin_ext needs PostgreSQL 15 or later"
#endif

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "optimizer/appendinfo.h"
#include "optimizer/pathnode.h"
#include "optimizer/placeholder.h"

/* 18 moved ExplainState and the ExplainProperty functions out of explain.h. */
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#else
#include "commands/explain.h"
#endif

/* 16 brought right anti joins, 18 right semi joins, as join types of core. */
#if PG_VERSION_NUM >= 160000
#define HJ_CORE_HAS_RIGHT_ANTI 1
#else
#define HJ_CORE_HAS_RIGHT_ANTI 0
#endif
#if PG_VERSION_NUM >= 180000
#define HJ_CORE_HAS_RIGHT_SEMI 1
#else
#define HJ_CORE_HAS_RIGHT_SEMI 0
#endif

/*
 * 16 marks Vars and PlaceHolderVars with the outer joins that can null them,
 * and gives outer joins a range table index of their own.
 */
#if PG_VERSION_NUM >= 160000
#include "rewrite/rewriteManip.h"

static inline Node *
hj_without_nulling_relids(PlannerInfo *root, Node *node)
{
	return remove_nulling_relids(node, root->outer_join_rels, NULL);
}

static inline bool
hj_path_needs_own_outer_join(Path *path, SpecialJoinInfo *sjinfo)
{
	return sjinfo->ojrelid != 0 &&
		bms_is_member(sjinfo->ojrelid, PATH_REQ_OUTER(path));
}
#else
static inline Node *
hj_without_nulling_relids(PlannerInfo *root, Node *node)
{
	return node;
}

static inline bool
hj_path_needs_own_outer_join(Path *path, SpecialJoinInfo *sjinfo)
{
	return false;
}
#endif

/*
 * From 17 on core puts a gating Result above a custom join whose restriction
 * list holds pseudoconstant clauses, provided the path carries that list.
 * Before, such a join cannot be replaced at all.
 */
#if PG_VERSION_NUM >= 170000
#define HJ_CORE_GATES_PSEUDOCONSTANTS 1
#define HJ_SET_CUSTOM_RESTRICTINFO(cpath, list) ((cpath)->custom_restrictinfo = (list))
#else
#define HJ_CORE_GATES_PSEUDOCONSTANTS 0
#define HJ_SET_CUSTOM_RESTRICTINFO(cpath, list) ((void) 0)
#endif

/*
 * 18 counts disabled nodes; before, a disabled path costs 1e10 more.
 * hj_disable_path applies that to a path whose children are given;
 * hj_plan_is_cheaper compares plans, the second of which costs `handicap` more;
 * the prechecks ask whether a path has a chance, before it is kept.
 */
#if PG_VERSION_NUM >= 180000
static inline void
hj_disable_path(Path *path, const Path *outer, const Path *inner, bool disabled)
{
	path->disabled_nodes = outer->disabled_nodes + inner->disabled_nodes +
		(disabled ? 1 : 0);
}

static inline bool
hj_plan_is_cheaper(const Plan *a, const Plan *b, Cost handicap)
{
	return a->disabled_nodes != b->disabled_nodes ?
		a->disabled_nodes < b->disabled_nodes :
		a->total_cost < b->total_cost + handicap;
}

static inline void
hj_copy_disabled_nodes(Path *to, const Path *from)
{
	to->disabled_nodes = from->disabled_nodes;
}

static inline int
hj_compare_disabled(const Path *a, const Path *b)
{
	return a->disabled_nodes - b->disabled_nodes;
}

static inline bool
hj_path_precheck(RelOptInfo *rel, const Path *path, Relids required_outer)
{
	return add_path_precheck(rel, path->disabled_nodes, path->startup_cost,
							 path->total_cost, NIL, required_outer);
}

static inline bool
hj_partial_path_precheck(RelOptInfo *rel, const Path *path)
{
	return add_partial_path_precheck(rel, path->disabled_nodes,
									 path->total_cost, NIL);
}
#else
#include "optimizer/cost.h"

static inline void
hj_disable_path(Path *path, const Path *outer, const Path *inner, bool disabled)
{
	if (disabled)
	{
		path->startup_cost += disable_cost;
		path->total_cost += disable_cost;
	}
}

static inline bool
hj_plan_is_cheaper(const Plan *a, const Plan *b, Cost handicap)
{
	return a->total_cost < b->total_cost + handicap;
}

static inline void
hj_copy_disabled_nodes(Path *to, const Path *from)
{
}

static inline int
hj_compare_disabled(const Path *a, const Path *b)
{
	return 0;
}

static inline bool
hj_path_precheck(RelOptInfo *rel, const Path *path, Relids required_outer)
{
	return add_path_precheck(rel, path->startup_cost, path->total_cost, NIL,
							 required_outer);
}

static inline bool
hj_partial_path_precheck(RelOptInfo *rel, const Path *path)
{
	return add_partial_path_precheck(rel, path->total_cost, NIL);
}
#endif

/*
 * 17 notes which columns are declared NOT NULL (and 18 lets such a constraint be
 * there without being true yet); before, the catalog says so.
 */
#if PG_VERSION_NUM >= 170000
static inline bool
hj_column_is_not_null(PlannerInfo *root, RelOptInfo *rel, AttrNumber attno)
{
	return bms_is_member(attno, rel->notnullattnums);
}
#else
#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "parser/parsetree.h"
#include "utils/syscache.h"

static inline bool
hj_column_is_not_null(PlannerInfo *root, RelOptInfo *rel, AttrNumber attno)
{
	RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);
	HeapTuple	tuple;
	bool		result;

	/* children of a plain table need not have its constraints */
	if (rte->rtekind != RTE_RELATION ||
		(rte->inh && rte->relkind != RELKIND_PARTITIONED_TABLE))
		return false;
	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(rte->relid),
							Int16GetDatum(attno));
	if (!HeapTupleIsValid(tuple))
		return false;
	result = ((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;
	ReleaseSysCache(tuple);
	return result;
}
#endif

/*
 * Can an outer join have made the column NULL, on its way to a join of whose
 * sides it comes from `side`?  16 says so of each Var; before, it is guessed.
 */
static inline bool
hj_may_be_nulled(PlannerInfo *root, const Var *var, Relids side)
{
#if PG_VERSION_NUM >= 160000
	return var->varnullingrels != NULL;
#else
	ListCell   *lc;

	foreach(lc, root->join_info_list)
	{
		SpecialJoinInfo *sjinfo = lfirst_node(SpecialJoinInfo, lc);
		bool		right = bms_is_member(var->varno, sjinfo->syn_righthand);

		if (sjinfo->jointype == JOIN_FULL &&
			(right || bms_is_member(var->varno, sjinfo->syn_lefthand)))
			return true;
		if (sjinfo->jointype == JOIN_LEFT && right)
			return true;
		/* an anti join that was a left join; not the join in question */
		if (sjinfo->jointype == JOIN_ANTI && right &&
			bms_overlap(sjinfo->min_lefthand, side))
			return true;
	}
	return false;
#endif
}

/* 16 takes the relations instead of their relid sets. */
static inline Node *
hj_adjust_child_attrs(PlannerInfo *root, Node *node, RelOptInfo *child_rel)
{
#if PG_VERSION_NUM >= 160000
	return adjust_appendrel_attrs_multilevel(root, node, child_rel,
											 child_rel->top_parent);
#else
	return adjust_appendrel_attrs_multilevel(root, node, child_rel->relids,
											 child_rel->top_parent_relids);
#endif
}

#endif							/* HJ_COMPAT_H */
