/*
 * key_eval.c
 *	  Evaluation of a side's key expressions.
 *
 * Most keys are plain columns, perhaps under a relabelling; those are read
 * from the slot without an expression.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "batch/key_eval.h"

HjKeyEval *
hj_key_eval_create(List *exprs, PlanState *parent)
{
	int			n = list_length(exprs);
	HjKeyEval  *eval = palloc0(offsetof(HjKeyEval, keys) + n * sizeof(HjKeyExpr));

	eval->nkeys = n;
	for (int i = 0; i < n; i++)
	{
		HjKeyExpr  *key = &eval->keys[i];
		Expr	   *expr = list_nth(exprs, i);
		Expr	   *bare = expr;
		Oid			type = exprType((Node *) expr);

		get_typlenbyvalalign(type, &key->len, &key->byval, &key->align);
		key->shortenable = get_typstorage(type) != TYPSTORAGE_PLAIN;
		while (IsA(bare, RelabelType))
			bare = ((RelabelType *) bare)->arg;
		if (IsA(bare, Var))
		{
			key->attno = ((Var *) bare)->varattno;
			Assert(key->attno > 0);
			eval->max_attno = Max(eval->max_attno, key->attno);
		}
		else
			key->expr = ExecInitExpr(expr, parent);
	}
	return eval;
}

void
hj_key_eval_remap(HjKeyEval *eval, const AttrNumber *from)
{
	eval->max_attno = 0;
	for (int i = 0; i < eval->nkeys; i++)
	{
		Assert(eval->keys[i].attno > 0);
		eval->keys[i].attno = from[eval->keys[i].attno];
		eval->max_attno = Max(eval->max_attno, eval->keys[i].attno);
	}
}

bool
hj_key_eval_has_expressions(const HjKeyEval *eval)
{
	for (int i = 0; i < eval->nkeys; i++)
	{
		if (eval->keys[i].expr != NULL)
			return true;
	}
	return false;
}
