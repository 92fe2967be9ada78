/*
 * not_in_plan.c
 *	  What becomes of a rewritten NOT IN in paths and plans.
 *
 * EvalPlanQual: a row that is to be locked, updated or deleted, and that another
 * transaction has changed meanwhile, is sent through the plan again in its new
 * version.  All other relations of the query then yield one row only, that of
 * the first time, which their row mark names.  The inner side of an anti join has
 * none, so it is taken for empty, and the row for one without a match.  A subplan
 * has no row marks: its relations are scanned in full.  So must be those of a NOT
 * IN that has become a join: their row marks are taken out of the plan, and their
 * scans, finding none, scan.
 */
#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/plannodes.h"

#include "executor/join_node.h"
#include "plan_children.h"
#include "planner/join_plan.h"
#include "planner/not_in.h"
#include "planner/null_clause.h"

/* ----------------------------------------------------------------
 *		Walking a plan
 * ----------------------------------------------------------------
 */

typedef void (*VisitPlan) (Plan *plan, void *arg);

typedef struct Walk
{
	VisitPlan	visit;
	void	   *arg;
} Walk;

/* A plan and all below it, but not the subplans of its expressions. */
static bool
walk(Plan *plan, void *arg)
{
	Walk	   *w = arg;

	w->visit(plan, w->arg);
	return hj_any_plan_child(plan, walk, w);
}

static void
walk_plan(Plan *plan, VisitPlan visit, void *arg)
{
	Walk		w = {visit, arg};

	(void) walk(plan, &w);
}

/* The same for every plan of a statement. */
static void
walk_statement(const PlannedStmt *stmt, VisitPlan visit, void *arg)
{
	Walk		w = {visit, arg};

	(void) walk(stmt->planTree, &w);
	(void) hj_any_plan(stmt->subplans, walk, &w);
}

/* Is the plan a join of ours that stands for a NOT IN?  Then *data is set. */
static bool
is_not_in_join(const Plan *plan, HjPlanData *data)
{
	const CustomScan *scan = (const CustomScan *) plan;

	if (!IsA(plan, CustomScan) || scan->methods != &hj_scan_methods)
		return false;
	hj_plan_data_decode(scan->custom_private, data);
	return data->not_in != NIL;
}

/* ----------------------------------------------------------------
 *		Has it become a join?
 * ----------------------------------------------------------------
 */

static void
collect_not_in(Plan *plan, void *arg)
{
	Bitmapset **found = arg;
	HjPlanData	data;
	ListCell   *lc;

	if (!is_not_in_join(plan, &data))
		return;
	foreach(lc, data.not_in)
		*found = bms_add_member(*found, lfirst_int(lc));
}

Bitmapset *
hj_plan_not_in(const PlannedStmt *stmt)
{
	Bitmapset  *found = NULL;

	walk_statement(stmt, collect_not_in, &found);
	return found;
}

/* The plan of the inner side. */
static Plan *
inner_plan(const Plan *plan, const HjPlanData *data)
{
	const CustomScan *scan = (const CustomScan *) plan;

	return data->jointype == HJ_JOIN_ANTI ? lsecond(scan->custom_plans) :
		linitial(scan->custom_plans);
}

static void
count_inner_rows(Plan *plan, void *arg)
{
	HjPlanData	data;

	if (is_not_in_join(plan, &data))
		*(double *) arg += inner_plan(plan, &data)->plan_rows;
}

double
hj_plan_not_in_rows(const PlannedStmt *stmt)
{
	double		rows = 0;

	walk_statement(stmt, count_inner_rows, &rows);
	return rows;
}

/* ----------------------------------------------------------------
 *		Row marks
 * ----------------------------------------------------------------
 */

/* Range table indexes that a plan scans. */
static void
collect_scanned(Plan *plan, void *arg)
{
	Bitmapset **relids = arg;

	switch (nodeTag(plan))
	{
		case T_ForeignScan:
			*relids = bms_add_members(*relids, ((ForeignScan *) plan)->fs_relids);
			break;
		case T_CustomScan:
			*relids = bms_add_members(*relids,
									  ((CustomScan *) plan)->custom_relids);
			break;
		case T_SeqScan:
		case T_SampleScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
		case T_SubqueryScan:
		case T_FunctionScan:
		case T_ValuesScan:
		case T_TableFuncScan:
		case T_CteScan:
		case T_NamedTuplestoreScan:
		case T_WorkTableScan:
			*relids = bms_add_member(*relids, ((Scan *) plan)->scanrelid);
			break;
		default:
			break;
	}
}

/* Those of the inner sides of NOT INs. */
static void
collect_inner_scanned(Plan *plan, void *arg)
{
	HjPlanData	data;

	if (is_not_in_join(plan, &data))
		walk_plan(inner_plan(plan, &data), collect_scanned, arg);
}

static List *
without_marks_of(List *rowmarks, const Bitmapset *relids)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, rowmarks)
	{
		PlanRowMark *mark = lfirst_node(PlanRowMark, lc);

		if (!bms_is_member(mark->rti, relids))
			result = lappend(result, mark);
	}
	return result;
}

static void
settle_row_marks(Plan *plan, void *arg)
{
	List	  **rowmarks;
	Bitmapset  *relids = NULL;

	if (IsA(plan, LockRows))
		rowmarks = &((LockRows *) plan)->rowMarks;
	else if (IsA(plan, ModifyTable))
		rowmarks = &((ModifyTable *) plan)->rowMarks;
	else
		return;
	walk_plan(plan, collect_inner_scanned, &relids);
	if (relids != NULL)
		*rowmarks = without_marks_of(*rowmarks, relids);
}

void
hj_plan_settle_row_marks(PlannedStmt *stmt)
{
	walk_statement(stmt, settle_row_marks, NULL);
}

/* ----------------------------------------------------------------
 *		Paths
 * ----------------------------------------------------------------
 */

bool
hj_joins_not_in(List *restrictlist)
{
	ListCell   *lc;

	foreach(lc, restrictlist)
	{
		if (hj_null_clause_not_in(lfirst_node(RestrictInfo, lc)) > 0)
			return true;
	}
	return false;
}

static List *
without_joins_of(List *paths, RelOptInfo *outer, RelOptInfo *inner)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, paths)
	{
		JoinPath   *path = lfirst(lc);
		bool		is_join = IsA(path, NestPath) || IsA(path, HashPath) ||
			IsA(path, MergePath);

		if (!is_join || path->outerjoinpath->parent != outer ||
			path->innerjoinpath->parent != inner)
			result = lappend(result, path);
	}
	return result;
}

void
hj_remove_stock_paths(RelOptInfo *joinrel, RelOptInfo *outer, RelOptInfo *inner)
{
	joinrel->pathlist = without_joins_of(joinrel->pathlist, outer, inner);
	joinrel->partial_pathlist = without_joins_of(joinrel->partial_pathlist,
												 outer, inner);
}
