/*-------------------------------------------------------------------------
 *
 * census.c
 *	  Which joins were executed, by which node, and why not by ours.
 *
 * Test-only: loaded beside hashjoin_ext while PostgreSQL's own suites run with
 * every join forced into our node. Each plan that an executor starts is walked,
 * and one line for each of its joins goes to the file named by the environment
 * variable HJ_CENSUS, fields separated by tabs:
 *
 *		application, class, node, join type, reason, join identity, query
 *
 * class is one of
 *		ours		our node
 *		core		a join of core's that has a usable hash clause
 *		param		a nested loop whose inner side looks up the outer side's value
 *					by a hashable equality, so that a hash join could have done it
 *		none		no usable hash clause
 *
 * A usable hash clause is an equality of a hash join operator, without volatile
 * functions, one side of which has columns of the outer child only and the
 * other of the inner child only. A qual applied above an outer join decides
 * nothing about which rows match and does not count.
 *
 * The query is the beginning of the text that the plan was made from; only joins
 * of core and param have it. The reason is what our planner hook said about the same relations (its DEBUG1
 * message), else what the plan itself shows, else "not said". The messages
 * are caught on their way to the server's log, which needs log_min_messages =
 * debug1; all other messages below WARNING are kept out of the log, so that it
 * holds what it holds without this module.
 *
 * What the planner said is kept by the plan's text, because cached plans are
 * copied and run long after they were made. Parallel workers write nothing:
 * their leader runs the same plan.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>
#include <fcntl.h>
#include <unistd.h>

#include "access/parallel.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "nodes/extensible.h"
#include "nodes/plannodes.h"
#include "optimizer/cost.h"
#include "optimizer/planner.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "usable.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

#define NODE_NAME		"HashJoinExt"
#define MESSAGE_START	"hashjoin_ext: join of "
#define NOT_OFFERED		" not offered: "
#define QUERY_SHOWN		1000	/* bytes of a query that are written */

/* what the planner hook said about one join of the statement in planning */
typedef struct Refusal
{
	Bitmapset  *relids;
	char	   *reason;
} Refusal;

/* the refusals of one plan, by the hash of the plan's text */
typedef struct PlanEntry
{
	uint64		plan;			/* hash key */
	List	   *refusals;		/* of Refusal, in TopMemoryContext */
} PlanEntry;

/* one walk over one plan */
typedef struct Walk
{
	const char *query;			/* source text */
	uint64		plan;
	int			joins;			/* seen so far; numbers them */
	List	   *refusals;
} Walk;

static ExecutorStart_hook_type prev_executor_start = NULL;
static planner_hook_type prev_planner = NULL;
static emit_log_hook_type prev_emit_log = NULL;

static HTAB *plans = NULL;
static List *refusals = NIL;	/* of the statement in planning */
static int	planning = 0;		/* depth of planner calls */
static int	census_file = -1;
static char *application = NULL;	/* the name the session began with */

static void walk_plan(Plan *plan, bool gated, Walk *walk);

/* ----------------------------------------------------------------
 *		What the planner hook says
 * ----------------------------------------------------------------
 */

/* Digits in the message's relation list, whatever separates them. */
static Bitmapset *
parse_relids(const char *from, const char *to)
{
	Bitmapset  *relids = NULL;

	while (from < to)
	{
		if (*from >= '0' && *from <= '9')
		{
			char	   *end;

			relids = bms_add_member(relids, (int) strtol(from, &end, 10));
			from = end;
		}
		else
			from++;
	}
	return relids;
}

static void
catch_message(ErrorData *edata)
{
	if (planning > 0 && edata->elevel == DEBUG1 && edata->message &&
		strncmp(edata->message, MESSAGE_START, strlen(MESSAGE_START)) == 0)
	{
		const char *list = edata->message + strlen(MESSAGE_START);
		const char *reason = strstr(list, NOT_OFFERED);

		if (reason)
		{
			MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
			Refusal    *refusal = palloc(sizeof(Refusal));

			refusal->relids = parse_relids(list, reason);
			refusal->reason = pstrdup(reason + strlen(NOT_OFFERED));
			refusals = lappend(refusals, refusal);
			MemoryContextSwitchTo(old);
		}
	}
	if (edata->elevel < WARNING && edata->elevel != LOG &&
		edata->elevel != LOG_SERVER_ONLY)
		edata->output_to_server = false;
	if (prev_emit_log)
		prev_emit_log(edata);
}

static uint64
plan_hash(PlannedStmt *stmt)
{
	char	   *text = nodeToString(list_make2(stmt->planTree, stmt->subplans));
	uint64		hash = DatumGetUInt64(hash_any_extended((unsigned char *) text,
														strlen(text), 0));

	pfree(text);
	return hash;
}

/* Keeps the refusals for the plan; those of an earlier, equal plan stay. */
static void
remember(PlannedStmt *stmt, List *said)
{
	uint64		hash = plan_hash(stmt);
	bool		found;
	PlanEntry  *entry = hash_search(plans, &hash, HASH_ENTER, &found);

	if (!found || entry->refusals == NIL)
		entry->refusals = said;
}

static PlannedStmt *
census_planner(Query *parse, const char *query_string, int cursor_options,
			   ParamListInfo params)
{
	PlannedStmt *result;
	List	   *outer = refusals;

	refusals = NIL;
	planning++;
	PG_TRY();
	{
		result = prev_planner ?
			prev_planner(parse, query_string, cursor_options, params) :
			standard_planner(parse, query_string, cursor_options, params);
		if (refusals != NIL)
			remember(result, refusals);
	}
	PG_FINALLY();
	{
		planning--;
		refusals = outer;
	}
	PG_END_TRY();
	return result;
}

/* ----------------------------------------------------------------
 *		Why a join is not ours
 * ----------------------------------------------------------------
 */

/* The relations joined below a plan node, by their place in the range table. */
static Bitmapset *
scanned(Plan *plan)
{
	Bitmapset  *relids = NULL;
	ListCell   *lc;

	if (plan == NULL)
		return NULL;
	switch (nodeTag(plan))
	{
		case T_Append:
			return bms_copy(((Append *) plan)->apprelids);
		case T_MergeAppend:
			return bms_copy(((MergeAppend *) plan)->apprelids);
		case T_ForeignScan:
			return bms_copy(((ForeignScan *) plan)->fs_relids);
		case T_SubqueryScan:
			return bms_make_singleton(((Scan *) plan)->scanrelid);
		case T_CustomScan:
			foreach(lc, ((CustomScan *) plan)->custom_plans)
				relids = bms_join(relids, scanned(lfirst(lc)));
			break;
		case T_SeqScan:
		case T_SampleScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
		case T_FunctionScan:
		case T_TableFuncScan:
		case T_ValuesScan:
		case T_CteScan:
		case T_NamedTuplestoreScan:
		case T_WorkTableScan:
			return bms_make_singleton(((Scan *) plan)->scanrelid);
		default:
			break;
	}
	relids = bms_join(relids, scanned(plan->lefttree));
	return bms_join(relids, scanned(plan->righttree));
}

/*
 * Are these the same relations? The planner numbers those of a subquery from 1,
 * the finished plan after all those outside of it: the distances are the same.
 */
static bool
same_relids(Bitmapset *said, Bitmapset *found)
{
	int			a = -1;
	int			b = -1;
	int			shift;

	if (bms_num_members(said) != bms_num_members(found) || bms_is_empty(said))
		return false;
	shift = bms_next_member(found, -1) - bms_next_member(said, -1);
	while ((a = bms_next_member(said, a)) >= 0)
	{
		b = bms_next_member(found, b);
		if (b - a != shift)
			return false;
	}
	return true;
}

static const char *
said_of_join(Plan *plan, Walk *walk)
{
	Bitmapset  *relids = scanned(plan);
	ListCell   *lc;

	foreach(lc, walk->refusals)
	{
		Refusal    *refusal = lfirst(lc);

		if (same_relids(refusal->relids, relids))
			return refusal->reason;
	}
	return NULL;
}

/*
 * When no message names these relations (the finished plan has lost some, such
 * as a subquery that is not scanned but merged), those of the statement's other
 * joins are all there is to show.
 */
static const char *
said_of_statement(Walk *walk)
{
	StringInfoData all;
	ListCell   *lc;

	initStringInfo(&all);
	foreach(lc, walk->refusals)
	{
		Refusal    *refusal = lfirst(lc);

		if (strstr(all.data, refusal->reason) == NULL)
			appendStringInfo(&all, "%s%s", all.len ? ", or " : "", refusal->reason);
	}
	return all.len ? all.data : NULL;
}

static const char *
why_not(Plan *plan, bool gated, Walk *walk)
{
	const char *reason;

	reason = said_of_join(plan, walk);
	if (reason == NULL && !enable_seqscan)
		return "enable_seqscan = off disables our children as it disables the nested loop";
	if (reason == NULL && gated)
		return "a condition without columns is checked above the join (One-Time Filter)";
	if (reason == NULL)
		reason = said_of_statement(walk);
	return reason ? reason : "not said";
}

/* ----------------------------------------------------------------
 *		The walk
 * ----------------------------------------------------------------
 */

static const char *
join_type_name(JoinType type)
{
	switch (type)
	{
		case JOIN_INNER:
			return "Inner";
		case JOIN_LEFT:
			return "Left";
		case JOIN_FULL:
			return "Full";
		case JOIN_RIGHT:
			return "Right";
		case JOIN_SEMI:
			return "Semi";
		case JOIN_ANTI:
			return "Anti";
		default:
			return "other";
	}
}

/* On one line, and not all of a long one. */
static void
append_query(StringInfo line, const char *query)
{
	int			length = 0;

	for (; query && *query && length < QUERY_SHOWN; query++, length++)
		appendStringInfoChar(line, isspace((unsigned char) *query) ? ' ' : *query);
}

/* O_APPEND makes each line whole, whichever backends write at the same time. */
static void
write_line(Walk *walk, const char *class, const char *node, const char *type,
		   const char *reason)
{
	const char *path = getenv("HJ_CENSUS");
	StringInfoData line;

	if (census_file < 0 && path)
		census_file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
	if (census_file < 0)
		return;
	initStringInfo(&line);
	appendStringInfo(&line, "%s\t%s\t%s\t%s\t%s\t%016llx.%d\t", application, class,
					 node, type, reason, (unsigned long long) walk->plan,
					 walk->joins);
	if (reason[0])
		append_query(&line, walk->query);
	appendStringInfoChar(&line, '\n');
	if (write(census_file, line.data, line.len) < 0)
		elog(WARNING, "census: could not write: %m");
	pfree(line.data);
}

static void
classify_join(Plan *plan, bool gated, Walk *walk)
{
	Join	   *join = (Join *) plan;
	const char *node = IsA(plan, HashJoin) ? "Hash Join" :
		IsA(plan, MergeJoin) ? "Merge Join" : "Nested Loop";
	const char *class = "none";

	walk->joins++;
	if (IsA(plan, HashJoin) ||
		any_usable(join->joinqual) ||
		(join->jointype == JOIN_INNER && any_usable(plan->qual)) ||
		(IsA(plan, MergeJoin) && any_usable(((MergeJoin *) plan)->mergeclauses)))
		class = "core";
	else if (IsA(plan, NestLoop) && parameterised_lookup((NestLoop *) plan))
		class = "param";
	write_line(walk, class, node, join_type_name(join->jointype),
			   strcmp(class, "none") == 0 ? "" : why_not(plan, gated, walk));
}

static void
walk_list(List *plans, Walk *walk)
{
	ListCell   *lc;

	foreach(lc, plans)
		walk_plan(lfirst(lc), false, walk);
}

/* gated: the parent is a Result that checks a condition without columns first */
static void
walk_plan(Plan *plan, bool gated, Walk *walk)
{
	bool		gates = false;

	if (plan == NULL)
		return;
	check_stack_depth();
	switch (nodeTag(plan))
	{
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
			classify_join(plan, gated, walk);
			break;
		case T_CustomScan:
			if (strcmp(((CustomScan *) plan)->methods->CustomName, NODE_NAME) == 0)
			{
				walk->joins++;
				write_line(walk, "ours", NODE_NAME, "", "");
			}
			walk_list(((CustomScan *) plan)->custom_plans, walk);
			break;
		case T_Append:
			walk_list(((Append *) plan)->appendplans, walk);
			break;
		case T_MergeAppend:
			walk_list(((MergeAppend *) plan)->mergeplans, walk);
			break;
		case T_SubqueryScan:
			walk_plan(((SubqueryScan *) plan)->subplan, false, walk);
			break;
		case T_Result:
			gates = ((Result *) plan)->resconstantqual != NULL;
			break;
		default:
			break;
	}
	walk_plan(plan->lefttree, gates, walk);
	walk_plan(plan->righttree, false, walk);
}

static void
census_executor_start(QueryDesc *query_desc, int eflags)
{
	if (prev_executor_start)
		prev_executor_start(query_desc, eflags);
	else
		standard_ExecutorStart(query_desc, eflags);

	if (!(eflags & EXEC_FLAG_EXPLAIN_ONLY) && !IsParallelWorker())
	{
		Walk		walk = {0};
		PlanEntry  *entry;

		walk.query = query_desc->sourceText;
		walk.plan = plan_hash(query_desc->plannedstmt);
		entry = hash_search(plans, &walk.plan, HASH_FIND, NULL);
		walk.refusals = entry ? entry->refusals : NIL;
		walk_plan(query_desc->plannedstmt->planTree, false, &walk);
		walk_list(query_desc->plannedstmt->subplans, &walk);
	}
}

void
_PG_init(void)
{
	HASHCTL		ctl = {0};

	/* a test may set another one later */
	application = MemoryContextStrdup(TopMemoryContext, application_name ? application_name : "");

	ctl.keysize = sizeof(uint64);
	ctl.entrysize = sizeof(PlanEntry);
	ctl.hcxt = TopMemoryContext;
	plans = hash_create("census of joins", 256, &ctl,
						HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);

	prev_executor_start = ExecutorStart_hook;
	ExecutorStart_hook = census_executor_start;
	prev_planner = planner_hook;
	planner_hook = census_planner;
	prev_emit_log = emit_log_hook;
	emit_log_hook = catch_message;
}
