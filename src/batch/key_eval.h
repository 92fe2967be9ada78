/*
 * key_eval.h
 *	  Evaluation of a side's key expressions over that side's rows.
 */
#ifndef HJ_KEY_EVAL_H
#define HJ_KEY_EVAL_H

#include "postgres.h"

#include "executor/executor.h"

typedef struct HjKeyExpr
{
	AttrNumber	attno;			/* > 0: plain column of the input row */
	ExprState  *expr;			/* otherwise */
	int16		len;			/* of the result type */
	bool		byval;
	char		align;
	bool		shortenable;
} HjKeyExpr;

typedef struct HjKeyEval
{
	int			nkeys;
	AttrNumber	max_attno;		/* highest plain column */
	HjKeyExpr	keys[FLEXIBLE_ARRAY_MEMBER];
} HjKeyEval;

/*
 * Prepare key expressions, whose Vars stand for the side's child plan, in the
 * current memory context.
 */
extern HjKeyEval *hj_key_eval_create(List *exprs, PlanState *parent);

/* The rows have other columns than the child's: column a is from[a] there. */
extern void hj_key_eval_remap(HjKeyEval *eval, const AttrNumber *from);

/* Is any key more than a plain column? */
extern bool hj_key_eval_has_expressions(const HjKeyEval *eval);

/*
 * Evaluate all keys over the row that econtext shows.  Results may point into
 * the row or into econtext's per-tuple memory.  Errors: the expressions' own.
 */
static inline void
hj_key_eval(HjKeyEval *eval, ExprContext *econtext, TupleTableSlot *slot,
			Datum *values, bool *nulls)
{
	for (int i = 0; i < eval->nkeys; i++)
	{
		HjKeyExpr  *key = &eval->keys[i];

		if (key->attno > 0)
		{
			Assert(key->attno <= slot->tts_nvalid);
			values[i] = slot->tts_values[key->attno - 1];
			nulls[i] = slot->tts_isnull[key->attno - 1];
		}
		else
		{
			/* the result may be a read-write expanded object; keep it as is */
			values[i] = ExecEvalExprSwitchContext(key->expr, econtext, &nulls[i]);
		}
	}
}

#endif							/* HJ_KEY_EVAL_H */
