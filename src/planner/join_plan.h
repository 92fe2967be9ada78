/*
 * join_plan.h
 *	  From path to CustomScan, and the plan's private data.
 *
 * The CustomScan of a join:
 *	 custom_plans		[probe side, build side]
 *	 custom_scan_tlist	the probe child's target list, then the build child's;
 *						nothing computed
 *	 custom_exprs		[list of hash clauses, list of residual ON clauses, list
 *						of gating clauses]; hash clauses have the probe side
 *						on the left; gating clauses hold no variables and are
 *						evaluated once a scan (empty where core does that)
 *	 qual				clauses above the join (WHERE)
 *	 custom_private		HjPlanData, encoded
 */
#ifndef HJ_JOIN_PLAN_H
#define HJ_JOIN_PLAN_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

#include "join_type.h"

#define HJ_CUSTOM_NAME "HashJoinExt"

/* What the executor needs to know besides expressions. */
typedef struct HjPlanData
{
	HjJoinType	jointype;
	int			nprobe_cols;	/* entries of custom_scan_tlist from the probe side */
	bool		shares_table;	/* is the build child one process's share? */
	bool		unique_build;	/* is no key twice on the build side? */
	bool		read_ahead;		/* may probe rows be fetched before they are due? */
	List	   *key_nulls;		/* an integer (HjKeyNulls) a hash clause */
	List	   *not_in;			/* numbers of the NOT INs that the keys stand for */
} HjPlanData;

/* The one encode/decode pair for custom_private. */
extern List *hj_plan_data_encode(const HjPlanData *data);
extern void hj_plan_data_decode(List *custom_private, HjPlanData *data);

static inline List *
hj_plan_hash_clauses(const CustomScan *plan)
{
	return (List *) linitial(plan->custom_exprs);
}

static inline List *
hj_plan_residual(const CustomScan *plan)
{
	return (List *) lsecond(plan->custom_exprs);
}

static inline List *
hj_plan_gate(const CustomScan *plan)
{
	return (List *) lthird(plan->custom_exprs);
}

/*
 * A partial path is parallel-aware in any case, so that its workers' counters can
 * be collected.  Is its build side a partial path too?  Then the processes share
 * one table; else each builds its own of the whole build side.
 */
static inline bool
hj_path_shares_table(const Path *path)
{
	const Path *build = lsecond(((const CustomPath *) path)->custom_paths);

	return path->parallel_aware && build->parallel_workers > 0;
}

/*
 * A path of ours: custom_paths = [probe side, build side], custom_private = the
 * RestrictInfos to apply, and the method table of its join type.  Nothing
 * else, for planning a large join makes a great many paths.
 */
extern const CustomPathMethods hj_path_methods[HJ_NUM_JOIN_TYPES];

#endif							/* HJ_JOIN_PLAN_H */
