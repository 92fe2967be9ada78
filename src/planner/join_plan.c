/*
 * join_plan.c
 *	  From path to CustomScan.
 *
 * Mirrors create_hashjoin_plan() of createplan.c: clauses are ordered, ON and
 * WHERE clauses of outer joins are told apart, hash clauses are commuted so
 * that the probe side stands on the left.
 *
 * Differs from it in the target lists.  Core matches the expressions of a
 * join loosely with its inputs (setrefs.c, NRM_SUPERSET), but those of a
 * custom scan exactly, nulling relids included.  The same column has other
 * nulling relids below an outer join than above it.  So every column of
 * custom_scan_tlist is written as the join's *output* shows it, and every
 * expression of the plan is rewritten to agree (struct ColumnMap).
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"

#include "compat.h"
#include "executor/join_node.h"
#include "planner/hash_clause.h"
#include "planner/join_plan.h"
#include "planner/null_clause.h"
#include "planner/read_ahead.h"
#include "planner/uniqueness.h"

/* ----------------------------------------------------------------
 *		Private data of plan and path
 * ----------------------------------------------------------------
 */

typedef enum HjPlanField
{
	HJ_PLAN_JOINTYPE,
	HJ_PLAN_NPROBE_COLS,
	HJ_PLAN_SHARES_TABLE,
	HJ_PLAN_UNIQUE_BUILD,
	HJ_PLAN_READ_AHEAD,
	HJ_PLAN_KEY_NULLS,
	HJ_PLAN_NOT_IN,
	HJ_NUM_PLAN_FIELDS
} HjPlanField;

List *
hj_plan_data_encode(const HjPlanData *data)
{
	List	   *result = NIL;

	result = lappend(result, makeInteger(data->jointype));
	result = lappend(result, makeInteger(data->nprobe_cols));
	result = lappend(result, makeInteger(data->shares_table));
	result = lappend(result, makeInteger(data->unique_build));
	result = lappend(result, makeInteger(data->read_ahead));
	result = lappend(result, data->key_nulls);
	result = lappend(result, data->not_in);
	Assert(list_length(result) == HJ_NUM_PLAN_FIELDS);
	return result;
}

void
hj_plan_data_decode(List *custom_private, HjPlanData *data)
{
	if (list_length(custom_private) != HJ_NUM_PLAN_FIELDS)
		elog(ERROR, "hashjoin_ext: plan was made by another version of the library");
	data->jointype = intVal(list_nth(custom_private, HJ_PLAN_JOINTYPE));
	data->nprobe_cols = intVal(list_nth(custom_private, HJ_PLAN_NPROBE_COLS));
	data->shares_table = intVal(list_nth(custom_private, HJ_PLAN_SHARES_TABLE)) != 0;
	data->unique_build = intVal(list_nth(custom_private, HJ_PLAN_UNIQUE_BUILD)) != 0;
	data->read_ahead = intVal(list_nth(custom_private, HJ_PLAN_READ_AHEAD)) != 0;
	data->key_nulls = list_nth(custom_private, HJ_PLAN_KEY_NULLS);
	data->not_in = list_nth(custom_private, HJ_PLAN_NOT_IN);
}

/*
 * A path for a child of a partitioned relation, when the parameter comes from
 * another partition than it was made for.  As reparameterize_path_by_child()
 * does with a hash path.
 */
static List *
reparameterize_path_data(PlannerInfo *root, List *custom_private,
						 RelOptInfo *child_rel)
{
	return (List *) hj_adjust_child_attrs(root, (Node *) custom_private,
										  child_rel);
}

/* ----------------------------------------------------------------
 *		Columns as the join's output shows them
 * ----------------------------------------------------------------
 */

typedef struct ColumnMapEntry
{
	Expr	   *child;			/* as the child plan has it */
	Node	   *bare;			/* without nulling relids; only if not a Var or
								 * PlaceHolderVar */
	Expr	   *output;			/* as the plan shall have it */
	bool		fixed;			/* output was taken from the join's output */
} ColumnMapEntry;

typedef struct ColumnMap
{
	PlannerInfo *root;
	int			n;
	ColumnMapEntry *entries;
	bool		has_others;		/* anything but Vars and PlaceHolderVars? */
} ColumnMap;

static void
column_map_add(ColumnMap *map, List *tlist)
{
	ListCell   *lc;

	foreach(lc, tlist)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);
		ColumnMapEntry *entry = &map->entries[map->n++];

		entry->child = tle->expr;
		entry->output = tle->expr;
		if (!IsA(tle->expr, Var) && !IsA(tle->expr, PlaceHolderVar))
		{
			entry->bare = hj_without_nulling_relids(map->root,
													copyObject((Node *) tle->expr));
			map->has_others = true;
		}
	}
}

/* The entry that `node` stands for, nulling relids apart, or NULL. */
static ColumnMapEntry *
column_map_find(ColumnMap *map, Node *node)
{
	Node	   *bare = NULL;

	for (int i = 0; i < map->n; i++)
	{
		ColumnMapEntry *entry = &map->entries[i];

		if (IsA(node, Var))
		{
			Var		   *a = (Var *) node;
			Var		   *b = (Var *) entry->child;

			if (IsA(b, Var) && a->varno == b->varno &&
				a->varattno == b->varattno && a->varlevelsup == 0)
				return entry;
		}
		else if (IsA(node, PlaceHolderVar))
		{
			PlaceHolderVar *a = (PlaceHolderVar *) node;
			PlaceHolderVar *b = (PlaceHolderVar *) entry->child;

			if (IsA(b, PlaceHolderVar) && a->phid == b->phid &&
				a->phlevelsup == 0)
				return entry;
		}
		else if (entry->bare != NULL && !IsA(node, Const) &&
				 nodeTag(node) == nodeTag(entry->child))
		{
			/* a constant is cheaper as it is (so thinks setrefs.c, too) */
			if (bare == NULL)
				bare = hj_without_nulling_relids(map->root, copyObject(node));
			if (equal(bare, entry->bare))
				return entry;
		}
	}
	return NULL;
}

/* Take over what an expression of the join's output says of columns. */
static bool
column_map_learn(Node *node, ColumnMap *map)
{
	ColumnMapEntry *entry;

	if (node == NULL)
		return false;
	if (IsA(node, Var) || IsA(node, PlaceHolderVar) || map->has_others)
	{
		entry = column_map_find(map, node);
		if (entry != NULL)
		{
			if (!entry->fixed)
				entry->output = copyObject((Expr *) node);
			entry->fixed = true;
			return false;
		}
	}
	return expression_tree_walker(node, column_map_learn, map);
}

static Node *
column_map_apply(Node *node, ColumnMap *map)
{
	ColumnMapEntry *entry;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) || IsA(node, PlaceHolderVar) || map->has_others)
	{
		entry = column_map_find(map, node);
		if (entry != NULL)
			return (Node *) copyObject(entry->output);
	}
	return expression_tree_mutator(node, column_map_apply, map);
}

/*
 * Build the map.  The top level of the join's target comes first: that is
 * where the plans above look.  Expressions inside may lag behind it.
 */
static void
column_map_init(ColumnMap *map, PlannerInfo *root, RelOptInfo *rel,
				Plan *probe, Plan *build, List *tlist, List *quals)
{
	ListCell   *lc;

	map->root = root;
	map->n = 0;
	map->has_others = false;
	map->entries = palloc0((list_length(probe->targetlist) +
							list_length(build->targetlist) + 1) *
						   sizeof(ColumnMapEntry));
	column_map_add(map, probe->targetlist);
	column_map_add(map, build->targetlist);

	foreach(lc, rel->reltarget->exprs)
	{
		Node	   *node = lfirst(lc);
		ColumnMapEntry *entry = column_map_find(map, node);

		if (entry != NULL)
		{
			entry->output = (Expr *) node;
			entry->fixed = true;
		}
	}
	column_map_learn((Node *) tlist, map);
	column_map_learn((Node *) rel->reltarget->exprs, map);
	column_map_learn((Node *) quals, map);
}

static List *
column_map_tlist(ColumnMap *map)
{
	List	   *tlist = NIL;

	for (int i = 0; i < map->n; i++)
		tlist = lappend(tlist,
						makeTargetEntry(copyObject(map->entries[i].output),
										i + 1, NULL, false));
	return tlist;
}

/* ----------------------------------------------------------------
 *		Clauses
 * ----------------------------------------------------------------
 */

typedef struct OrderedClause
{
	RestrictInfo *rinfo;
	Cost		cost;
	Index		security_level;
} OrderedClause;

/*
 * Sort by security level, then cost; stable.  The same order as core's
 * order_qual_clauses(), which is not exported: a cheap leakproof clause may go
 * first, whatever its level.
 */
static List *
order_clauses(PlannerInfo *root, List *clauses)
{
	int			n = 0;
	OrderedClause *items = palloc((list_length(clauses) + 1) * sizeof(OrderedClause));
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		OrderedClause item = {.rinfo = rinfo};
		QualCost	cost;
		int			at;

		cost_qual_eval_node(&cost, (Node *) rinfo, root);
		item.cost = cost.per_tuple;
		item.security_level =
			(rinfo->leakproof && cost.per_tuple < 10 * cpu_operator_cost) ?
			0 : rinfo->security_level;
		for (at = n++; at > 0; at--)
		{
			OrderedClause *before = &items[at - 1];

			if (item.security_level > before->security_level ||
				(item.security_level == before->security_level &&
				 item.cost >= before->cost))
				break;
			items[at] = *before;
		}
		items[at] = item;
	}
	for (int i = 0; i < n; i++)
		result = lappend(result, items[i].rinfo);
	return result;
}

/* The hash clauses as `probe op build`, copied, and what they say of NULLs. */
static List *
clauses_probe_first(List *hash_clauses, const HjJoinSides *sides,
					HjPlanData *data)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, hash_clauses)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		OpExpr	   *clause;

		if (hj_may_be_null_clause(rinfo))
		{
			hj_null_clause_keys(sides, rinfo, &result, &data->key_nulls);
			if (hj_null_clause_not_in(rinfo) > 0)
				data->not_in = list_append_unique_int(data->not_in,
													  hj_null_clause_not_in(rinfo));
			continue;
		}
		clause = copyObject(castNode(OpExpr, rinfo->clause));
		if (!bms_is_subset(rinfo->left_relids, sides->probe_relids))
			CommuteOpExpr(clause);
		result = lappend(result, clause);
		data->key_nulls = lappend_int(data->key_nulls, HJ_NULL_MATCHES_NOTHING);
	}
	return result;
}

/*
 * Split what is not a hash clause into ON (*residual), WHERE (*above) and, if
 * core leaves them to us, clauses without variables (*gate).
 */
static void
split_clauses(PlannerInfo *root, HjJoinType jointype, RelOptInfo *rel,
			  List *restrictlist, List *hash_clauses,
			  List **residual, List **above, List **gate)
{
	List	   *ordered = order_clauses(root, restrictlist);

	*gate = HJ_CORE_GATES_PSEUDOCONSTANTS ? NIL :
		extract_actual_clauses(ordered, true);
	*above = NIL;
	if (hj_join_is_outer(jointype))
		extract_actual_join_clauses(ordered, rel->relids, residual, above);
	else
		*residual = extract_actual_clauses(ordered, false);
	*residual = list_difference(*residual, get_actual_clauses(hash_clauses));
}

/* ----------------------------------------------------------------
 *		The plan
 * ----------------------------------------------------------------
 */

static Plan *
plan_custom_path(PlannerInfo *root, RelOptInfo *rel, CustomPath *path,
				 List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *plan = makeNode(CustomScan);
	Plan	   *probe = linitial(custom_plans);
	Plan	   *build = lsecond(custom_plans);
	RelOptInfo *build_rel = ((Path *) lsecond(path->custom_paths))->parent;
	HjJoinSides sides = {
		.root = root,
		.jointype = path->methods - hj_path_methods,
		.join_relids = rel->relids,
		.probe_relids = ((Path *) linitial(path->custom_paths))->parent->relids,
		.build_relids = build_rel->relids,
	};
	List	   *restrictlist = path->custom_private;
	List	   *hash_rinfos = hj_hash_clauses(&sides, restrictlist);
	List	   *hash_clauses;
	List	   *residual;
	List	   *above;
	List	   *gate;
	ColumnMap	map;
	HjPlanData	data = {0};

	data.jointype = sides.jointype;
	data.nprobe_cols = list_length(probe->targetlist);
	data.shares_table = hj_path_shares_table(&path->path);
	/* to others it makes no difference */
	data.unique_build = data.shares_table &&
		hj_build_side_is_unique(&sides, build_rel, hash_rinfos,
								list_length(restrictlist));
	data.read_ahead = hj_may_read_ahead(root);

	hash_clauses = clauses_probe_first(hash_rinfos, &sides, &data);
	split_clauses(root, sides.jointype, rel, restrictlist, hash_rinfos,
				  &residual, &above, &gate);
	column_map_init(&map, root, rel, probe, build, tlist, above);

	plan->scan.plan.targetlist = (List *) column_map_apply((Node *) tlist, &map);
	plan->scan.plan.qual = (List *) column_map_apply((Node *) above, &map);
	plan->scan.scanrelid = 0;
	plan->flags = path->flags;
	plan->custom_plans = custom_plans;
	plan->custom_scan_tlist = column_map_tlist(&map);
	plan->custom_exprs =
		list_make3(column_map_apply((Node *) hash_clauses, &map),
				   column_map_apply((Node *) residual, &map),
				   gate);
	plan->custom_private = hj_plan_data_encode(&data);
	plan->methods = &hj_scan_methods;
	return &plan->scan.plan;
}

#define PATH_METHODS \
	{ \
		.CustomName = HJ_CUSTOM_NAME, \
		.PlanCustomPath = plan_custom_path, \
		.ReparameterizeCustomPathByChild = reparameterize_path_data, \
	}

const CustomPathMethods hj_path_methods[HJ_NUM_JOIN_TYPES] = {
	[HJ_JOIN_INNER] = PATH_METHODS,
	[HJ_JOIN_LEFT] = PATH_METHODS,
	[HJ_JOIN_RIGHT] = PATH_METHODS,
	[HJ_JOIN_FULL] = PATH_METHODS,
	[HJ_JOIN_SEMI] = PATH_METHODS,
	[HJ_JOIN_ANTI] = PATH_METHODS,
	[HJ_JOIN_RIGHT_SEMI] = PATH_METHODS,
	[HJ_JOIN_RIGHT_ANTI] = PATH_METHODS,
};
