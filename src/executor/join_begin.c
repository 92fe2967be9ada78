/*
 * join_begin.c
 *	  Preparing the node: expressions and slots when the plan starts, table
 *	  and batch when the node first runs.
 *
 * The plan's expressions read the custom scan tuple (INDEX_VAR), which we
 * never form: it would mean copying both sides of every pair.  Copies of the
 * expressions are renumbered to read the probe row as OUTER_VAR and the build
 * row as INNER_VAR, and replace those that ExecInitCustomScan made.  The plan
 * tree itself is shared and stays as it is.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/memutils.h"

#include "executor/join_node.h"
#include "executor/rescan.h"
#include "settings.h"

/* ----------------------------------------------------------------
 *		Expressions
 * ----------------------------------------------------------------
 */

typedef struct RenumberContext
{
	int			nprobe_cols;
	List	   *copies;			/* SubPlans in the renumbered expressions */
	List	   *originals;		/* and those they were copied from */
} RenumberContext;

static Node *
renumber_mutator(Node *node, RenumberContext *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varno == INDEX_VAR)
	{
		Var		   *var = copyObject((Var *) node);

		if (var->varattno <= context->nprobe_cols)
			var->varno = OUTER_VAR;
		else
		{
			var->varno = INNER_VAR;
			var->varattno -= context->nprobe_cols;
		}
		return (Node *) var;
	}
	if (IsA(node, SubPlan))
	{
		Node	   *copy = expression_tree_mutator(node, renumber_mutator, context);

		context->copies = lappend(context->copies, copy);
		context->originals = lappend(context->originals, node);
		return copy;
	}
	return expression_tree_mutator(node, renumber_mutator, context);
}

/*
 * EXPLAIN deparses the arguments of a SubPlanState's plan node in the plan's
 * own terms, in which there is no outer and no inner row.  Nothing else looks
 * at that field once the state is made, so let it show the original.
 */
static void
show_original_subplans(PlanState *ps, const RenumberContext *context)
{
	ListCell   *lc;

	foreach(lc, ps->subPlan)
	{
		SubPlanState *sstate = lfirst_node(SubPlanState, lc);
		ListCell   *copy;
		ListCell   *original;

		forboth(copy, context->copies, original, context->originals)
		{
			if (lfirst(copy) == sstate->subplan)
				sstate->subplan = lfirst_node(SubPlan, original);
		}
	}
}

/* What expressions read of one side's row. */
typedef struct CollectColumns
{
	int			varno;
	Bitmapset  *attnos;
} CollectColumns;

static bool
collect_columns_walker(Node *node, CollectColumns *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		if (((Var *) node)->varno == context->varno)
			context->attnos = bms_add_member(context->attnos,
											 ((Var *) node)->varattno);
		return false;
	}
	return expression_tree_walker(node, collect_columns_walker, context);
}

static List *
columns_read(Node *exprs, int varno)
{
	CollectColumns context = {.varno = varno};
	List	   *result = NIL;
	int			attno = -1;

	collect_columns_walker(exprs, &context);
	while ((attno = bms_next_member(context.attnos, attno)) >= 0)
		result = lappend_int(result, attno);
	return result;
}

/* Note executor parameters and subplans; both can make a key change. */
static bool
key_dependencies_walker(Node *node, HjJoinState *state)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXEC)
		state->build_key_params = bms_add_member(state->build_key_params,
												 ((Param *) node)->paramid);
	if (IsA(node, SubPlan))
		state->build_keys_have_subplan = true;
	return expression_tree_walker(node, key_dependencies_walker, state);
}

static void
init_keys(HjJoinState *state, List *hash_clauses)
{
	PlanState  *ps = &state->css.ss.ps;
	List	   *probe_exprs = NIL;
	List	   *build_exprs = NIL;
	ListCell   *lc;

	foreach(lc, hash_clauses)
	{
		OpExpr	   *clause = lfirst_node(OpExpr, lc);

		probe_exprs = lappend(probe_exprs, linitial(clause->args));
		build_exprs = lappend(build_exprs, lsecond(clause->args));
	}
	state->probe_keys = hj_key_eval_create(probe_exprs, ps);
	state->build_keys = hj_key_eval_create(build_exprs, ps);
	key_dependencies_walker((Node *) build_exprs, state);

	/*
	 * Never evaluated, but it checks the right to execute the operators'
	 * functions, as stock's hash clauses do.
	 */
	(void) ExecInitQual(hash_clauses, ps);
}

static void
init_expressions(HjJoinState *state)
{
	PlanState  *ps = &state->css.ss.ps;
	CustomScan *plan = (CustomScan *) ps->plan;
	RenumberContext context = {.nprobe_cols = state->plan.nprobe_cols};
	List	   *tlist = (List *)
		renumber_mutator((Node *) plan->scan.plan.targetlist, &context);
	List	   *quals = (List *)
		renumber_mutator((Node *) plan->scan.plan.qual, &context);
	List	   *residual = (List *)
		renumber_mutator((Node *) hj_plan_residual(plan), &context);
	List	   *hash_clauses = (List *)
		renumber_mutator((Node *) hj_plan_hash_clauses(plan), &context);

	/*
	 * The children stand in custom_ps.  While expressions are compiled they
	 * are shown as outer and inner too, so that the compiler sees row types
	 * and that slots are virtual (nothing to deform).
	 */
	ps->lefttree = state->probe_ps;
	ps->righttree = state->build_ps;
	ps->outerops = ps->innerops = &TTSOpsVirtual;
	ps->outeropsset = ps->outeropsfixed = true;
	ps->inneropsset = ps->inneropsfixed = true;

	/* the subplans of the expressions replaced here would be shown twice */
	ps->subPlan = NIL;
	ps->qual = ExecInitQual(quals, ps);
	state->residual = ExecInitQual(residual, ps);
	state->gate = ExecInitQual(hj_plan_gate(plan), ps);
	ps->ps_ProjInfo = ExecBuildProjectionInfo(tlist, ps->ps_ExprContext,
											  ps->ps_ResultTupleSlot, ps, NULL);
	ps->resultops = &TTSOpsVirtual;
	ps->resultopsfixed = ps->resultopsset = true;

	state->probe_attnos = columns_read((Node *) list_make3(tlist, quals, residual),
									   OUTER_VAR);
	state->build_attnos = columns_read((Node *) list_make3(tlist, quals, residual),
									   INNER_VAR);

	/* keys are computed over the children's own rows, of whatever kind */
	ps->outerops = ps->innerops = NULL;
	ps->outeropsset = ps->outeropsfixed = false;
	ps->inneropsset = ps->inneropsfixed = false;
	init_keys(state, hash_clauses);
	ps->lefttree = NULL;
	ps->righttree = NULL;
	show_original_subplans(ps, &context);
}

/*
 * A virtual slot that is written in place: always valid, columns that nobody
 * reads stay NULL.
 */
static TupleTableSlot *
make_row_slot(EState *estate, TupleDesc desc)
{
	return ExecInitNullTupleSlot(estate, desc, &TTSOpsVirtual);
}

void
hj_join_begin(HjJoinState *state, EState *estate, int eflags)
{
	CustomScan *plan = (CustomScan *) state->css.ss.ps.plan;
	TupleDesc	probe_desc;
	TupleDesc	build_desc;

	hj_plan_data_decode(plan->custom_private, &state->plan);
	state->free_at_end = !hj_may_be_rescanned(estate, &plan->scan.plan, eflags);
	eflags &= ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK);
	state->probe_ps = ExecInitNode(linitial(plan->custom_plans), estate, eflags);
	state->build_ps = ExecInitNode(lsecond(plan->custom_plans), estate, eflags);
	state->css.custom_ps = list_make2(state->probe_ps, state->build_ps);

	init_expressions(state);
	hj_null_aware_begin(state);

	probe_desc = ExecGetResultType(state->probe_ps);
	build_desc = ExecGetResultType(state->build_ps);
	state->probe_slot = make_row_slot(estate, probe_desc);
	state->build_slot = make_row_slot(estate, build_desc);
	state->null_probe_slot = make_row_slot(estate, probe_desc);
	state->null_build_slot = make_row_slot(estate, build_desc);

	state->phase = HJ_PHASE_BUILD;
	state->loaded_row = -1;
	hj_source_init(&state->probe_source, state->probe_ps,
				   state->plan.read_ahead,
				   !hj_key_eval_has_expressions(state->probe_keys));
	hj_source_init(&state->build_source, state->build_ps, true,
				   !hj_key_eval_has_expressions(state->build_keys));
}

/* ----------------------------------------------------------------
 *		First execution
 * ----------------------------------------------------------------
 */

/*
 * A key column of the build side is stored if the key is not packed (it must
 * be compared), or if it is a plain column that the output needs as well.  Not
 * so one of a packed key that can be NULL: the output needs it as it was.
 */
static bool
key_is_stored(const HjJoinState *state, int key)
{
	AttrNumber	attno = state->build_keys->keys[key].attno;

	return !state->key->packed ||
		(attno > 0 && !state->key->cols[key].null_matches &&
		 list_member_int(state->build_attnos, attno));
}

/* The key that is the plain column `attno`, or -1. */
static int
key_of_column(const HjJoinState *state, AttrNumber attno)
{
	for (int i = 0; i < state->build_keys->nkeys; i++)
	{
		if (state->build_keys->keys[i].attno == attno)
			return i;
	}
	return -1;
}

static void
add_build_column(HjJoinState *state, HjColumnSpec *specs, int key,
				 AttrNumber attno)
{
	HjBuildColumn *col = &state->build_columns[state->nbuild_columns];
	HjColumnSpec *spec = &specs[state->nbuild_columns++];

	col->key = key;
	col->attno = attno;
	spec->key_column = key;
	if (key >= 0)
	{
		const HjKeyExpr *expr = &state->build_keys->keys[key];
		const HjKeyColumn *keycol = &state->key->cols[key];

		spec->len = expr->len;
		spec->byval = expr->byval;
		spec->align = expr->align;
		spec->shortenable = expr->shortenable;
		spec->nullable = keycol->null_matches || !keycol->strict;
	}
	else
	{
		Form_pg_attribute att =
			TupleDescAttr(state->build_slot->tts_tupleDescriptor, attno - 1);

		spec->len = att->attlen;
		spec->byval = att->attbyval;
		spec->align = att->attalign;
		spec->shortenable = att->attstorage != TYPSTORAGE_PLAIN;
		spec->nullable = true;
	}
}

/* Which columns are stored, and which of them go into build_slot. */
static HjColumnSpec *
choose_build_columns(HjJoinState *state)
{
	int			max = state->build_keys->nkeys + list_length(state->build_attnos);
	HjColumnSpec *specs = palloc0((max + 1) * sizeof(HjColumnSpec));
	ListCell   *lc;

	state->build_columns = palloc0((max + 1) * sizeof(HjBuildColumn));
	state->load_columns = palloc0((max + 1) * sizeof(int));
	state->load_attnos = palloc0((max + 1) * sizeof(AttrNumber));

	for (int i = 0; i < state->build_keys->nkeys; i++)
	{
		AttrNumber	attno = state->build_keys->keys[i].attno;

		/* a plain column is kept as it is only if somebody wants to see it */
		if (!list_member_int(state->build_attnos, attno))
			attno = 0;
		if (key_is_stored(state, i))
			add_build_column(state, specs, i, attno);
	}
	foreach(lc, state->build_attnos)
	{
		AttrNumber	attno = lfirst_int(lc);
		int			key = key_of_column(state, attno);
		int			stored = -1;

		for (int i = 0; i < state->nbuild_columns && key >= 0; i++)
		{
			if (state->build_columns[i].key == key)
				stored = i;
		}
		if (stored < 0)
		{
			stored = state->nbuild_columns;
			add_build_column(state, specs, -1, attno);
		}
		state->load_columns[state->nload] = stored;
		state->load_attnos[state->nload++] = attno;
	}
	state->build_values = palloc0((state->nbuild_columns + 1) * sizeof(Datum));
	state->build_nulls = palloc0((state->nbuild_columns + 1) * sizeof(bool));
	state->load_values = palloc0((state->nload + 1) * sizeof(Datum));
	state->load_nulls = palloc0((state->nload + 1) * sizeof(bool));
	return specs;
}

/* From here on, key and build columns are those of the rows that we read. */
static void
read_source_columns(HjJoinState *state)
{
	for (int i = 0; i < state->nbuild_columns; i++)
	{
		HjBuildColumn *col = &state->build_columns[i];

		if (col->attno > 0)
			col->attno = hj_source_column(&state->build_source, col->attno);
	}
	if (state->build_source.columns != NULL)
		hj_key_eval_remap(state->build_keys, state->build_source.columns);
	if (state->probe_source.columns != NULL)
		hj_key_eval_remap(state->probe_keys, state->probe_source.columns);
}

static void
choose_walk_flags(HjJoinState *state)
{
	HjJoinType	type = state->plan.jointype;

	state->walk_flags = 0;
	if (hj_join_first_match_only(type) && state->residual == NULL)
		state->walk_flags |= HJ_WALK_FIRST_ONLY;
	if (hj_join_keeps_probe(type))
		state->walk_flags |= state->chunked ? HJ_WALK_MISSES : HJ_WALK_ROW_ENDS;
	if (state->chunked && type == HJ_JOIN_ANTI)
		state->walk_flags |= HJ_WALK_NO_PAIRS;
}

/*
 * Of which probe rows can output come?  Without a residual the look-up alone
 * tells who has a match.
 */
static HjKeepRows
rows_to_keep(const HjJoinState *state)
{
	if (!hj_join_keeps_probe(state->plan.jointype))
		return HJ_KEEP_HITS;
	return (state->chunked && state->plan.jointype == HJ_JOIN_ANTI) ?
		HJ_KEEP_MISSES : HJ_KEEP_ALL;
}

/* Probe rows come in blocks if the child and the join allow it. */
static void
choose_probe_source(HjJoinState *state)
{
	HjNextBlock next_block;

	/* whose rows are looked up again and again */
	if (state->null_aware.kind == HJ_NULL_AWARE_GENERAL)
		return;
	next_block = hj_join_offer_blocks(state->probe_ps);
	if (hj_block_probe_possible(&state->probe_source, next_block, state->batch,
								state->probe_keys, state->key))
		state->block_probe = hj_block_probe_create(&state->probe_source,
												   next_block,
												   rows_to_keep(state),
												   state->batch, state->key);
}

/* The same for build rows. */
static void
choose_build_source(HjJoinState *state)
{
	HjNextBlock next_block = hj_join_offer_blocks(state->build_ps);
	HjBuildBlocks *blocks;
	List	   *columns = NIL;
	int			n = state->nbuild_columns;

	for (int i = 0; i < n; i++)
	{
		if (state->build_columns[i].attno > 0)
			columns = lappend_int(columns, state->build_columns[i].attno);
	}
	if (!hj_source_has_blocks(&state->build_source, next_block,
							  state->build_keys, columns))
		return;

	hj_source_use_blocks(&state->build_source, next_block);
	blocks = state->build_blocks = palloc0(sizeof(HjBuildBlocks));
	hj_block_keys_init(&blocks->keys, state->key, HJ_MAX_BLOCK_ROWS);
	blocks->values = palloc((n + 1) * sizeof(Datum *));
	blocks->nulls = palloc((n + 1) * sizeof(bool *));
	for (int i = 0; i < n; i++)
	{
		blocks->values[i] = palloc(HJ_MAX_BLOCK_ROWS * sizeof(Datum));
		blocks->nulls[i] = palloc(HJ_MAX_BLOCK_ROWS * sizeof(bool));
	}
}

/* Key, table and what the output is made of: made once, small. */
static void
plan_execution(HjJoinState *state)
{
	EState	   *estate = state->css.ss.ps.state;
	CustomScan *plan = (CustomScan *) state->css.ss.ps.plan;
	MemoryContext old;
	HjColumnSpec *specs;

	state->node_cxt = AllocSetContextCreate(estate->es_query_cxt, "HashJoinExt",
											ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(state->node_cxt);
	state->array_cxt = AllocSetContextCreate(state->node_cxt,
											 "HashJoinExt arrays",
											 ALLOCSET_DEFAULT_SIZES);
	state->table_cxt = AllocSetContextCreate(state->node_cxt,
											 "HashJoinExt table",
											 ALLOCSET_DEFAULT_SIZES);
	state->scratch_cxt = AllocSetContextCreate(state->node_cxt,
											   "HashJoinExt scratch",
											   ALLOCSET_SMALL_SIZES);
	state->probe_econtext = CreateExprContext(estate);
	state->build_econtext = CreateExprContext(estate);

	state->key = hj_join_key_create(hj_plan_hash_clauses(plan),
									state->null_aware.kind == HJ_NULL_AWARE_SIMPLE ?
									NIL : state->plan.key_nulls,
									hj_debug_hash_bits);
	specs = choose_build_columns(state);
	state->table = hj_build_table_create(state->key, state->table_cxt,
										 state->scratch_cxt,
										 state->nbuild_columns, specs,
										 state->build_ps->plan->plan_rows,
										 hj_spill_table_limit(state),
										 hj_join_keeps_build(state->plan.jointype));
	/* a second match would change nothing, unless a clause rejects the first */
	state->table->first_only = hj_join_look_up_decides(state) &&
		hj_join_first_match_only(state->plan.jointype);
	/* other keys' links are there anyway, for they hold hashes */
	state->table->unique = state->plan.unique_build && state->key->packed;
	pfree(specs);
	hj_null_aware_allocate(state);
	read_source_columns(state);
	hj_join_plan_output(state);
	MemoryContextSwitchTo(old);
}

void
hj_join_allocate(HjJoinState *state)
{
	MemoryContext old;

	if (state->node_cxt == NULL)
		plan_execution(state);
	old = MemoryContextSwitchTo(state->array_cxt);
	state->batch = hj_batch_create(state->key, hj_batch_size,
								   ExecGetResultType(state->probe_ps),
								   state->probe_attnos,
								   state->probe_source.columns,
								   state->probe_econtext->ecxt_per_tuple_memory);
	state->batch->by_reference |= hj_key_eval_has_expressions(state->probe_keys);
	state->heads = palloc((hj_batch_size + HJ_BATCH_SLACK) * sizeof(uint32));
	state->row_matched = palloc((hj_batch_size + HJ_BATCH_SLACK) * sizeof(bool));
	hj_matches_init(&state->matches, hj_batch_size);
	hj_join_plan_chunks(state);
	choose_walk_flags(state);
	choose_probe_source(state);
	choose_build_source(state);
	state->fixed_bytes = MemoryContextMemAllocated(state->node_cxt, true);
	state->allocated = true;
	MemoryContextSwitchTo(old);
}

void
hj_join_release(HjJoinState *state)
{
	hj_join_discard_table(state);
	ResetExprContext(state->probe_econtext);
	ResetExprContext(state->build_econtext);
	MemoryContextReset(state->array_cxt);
	state->batch = NULL;
	state->heads = NULL;
	state->row_matched = NULL;
	memset(&state->matches, 0, sizeof(state->matches));
	state->next_match = 0;
	state->block_probe = NULL;
	state->build_blocks = NULL;
	state->allocated = false;
}
