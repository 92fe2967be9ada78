/*
 * join_cost.c
 *	  What a path of ours costs.
 *
 * The children's cost, plus our own work, in stock's units:
 *
 *	 build	 a build row is hashed, copied and linked in:
 *			 (nkeys x cpu_operator_cost + cpu_tuple_cost) x HJ_BUILD_FACTOR
 *	 probe	 a probe row is hashed, copied and looked up:
 *			 nkeys x cpu_operator_cost x HJ_PROBE_FACTOR
 *	 pairs	 a candidate pair is put together and its residual clauses are
 *			 evaluated: cpu_tuple_cost x HJ_PAIR_FACTOR + residual
 *	 output	 the target list
 *
 * The first two factors say that the same step costs us less than stock; they
 * apply to our own work only, never to the children, or they would compound up
 * the join tree.  Stock charges for chain comparisons, from an estimated
 * bucket size; our directory makes them a constant, which is inside the probe
 * term.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "utils/selfuncs.h"

#include "planner/join_cost.h"

/*
 * Of stock's charge for the same step.  Stock's own figures per row are about
 * 200 ns (build) and 100 ns (probe) where ours are half of it; deliberately
 * cautious until they are calibrated.
 */
#define HJ_BUILD_FACTOR 0.8
#define HJ_PROBE_FACTOR 0.8
#define HJ_PAIR_FACTOR 0.9

/* Bytes a build row takes beyond its columns: directory, chain, tail reference. */
#define HJ_ROW_OVERHEAD 28

/*
 * Selectivity of the hash clauses with the semantics of an inner join.
 *
 * clause_selectivity() caches its result in a RestrictInfo; handed the bare
 * clause it has nowhere to.
 */
static Selectivity
hash_clauses_selectivity(PlannerInfo *root, RelOptInfo *joinrel,
						 RelOptInfo *probe, RelOptInfo *build,
						 List *hash_clauses)
{
	SpecialJoinInfo sjinfo;
	Selectivity result = 1.0;
	ListCell   *lc;

	memset(&sjinfo, 0, sizeof(sjinfo));
	sjinfo.type = T_SpecialJoinInfo;
	sjinfo.jointype = JOIN_INNER;
	sjinfo.min_lefthand = probe->relids;
	sjinfo.min_righthand = build->relids;
	sjinfo.syn_lefthand = probe->relids;
	sjinfo.syn_righthand = build->relids;

	foreach(lc, hash_clauses)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (rinfo->norm_selec >= 0)
			result *= rinfo->norm_selec;
		else
			result *= clause_selectivity(root, (Node *) rinfo->clause, 0,
										 JOIN_INNER, &sjinfo);
	}
	CLAMP_PROBABILITY(result);
	return result;
}

void
hj_cost_basis(HjCostBasis *basis, PlannerInfo *root, RelOptInfo *joinrel,
			  RelOptInfo *probe, RelOptInfo *build, List *hash_clauses,
			  List *restrictlist)
{
	QualCost	hash_cost;

	memset(basis, 0, sizeof(*basis));
	basis->nkeys = list_length(hash_clauses);
	cost_qual_eval(&hash_cost, hash_clauses, root);
	cost_qual_eval(&basis->residual, restrictlist, root);
	basis->residual.startup -= hash_cost.startup;
	basis->residual.per_tuple -= hash_cost.per_tuple;
	basis->has_residual = list_length(restrictlist) > list_length(hash_clauses);
	if (basis->has_residual)
	{
		basis->selectivity = hash_clauses_selectivity(root, joinrel, probe,
													  build, hash_clauses);
		basis->pairs_known = true;
	}
}

/* How many pairs of rows have equal keys and must be looked at? */
static double
estimate_pairs(const HjCostBasis *basis, HjJoinType jointype, double rows,
			   double probe_rows, double build_rows)
{
	double		pairs = rows;

	if (basis->pairs_known)
		pairs = Max(pairs, probe_rows * build_rows * basis->selectivity);

	/* one match is enough, and two are tried on average until it is found */
	if (hj_join_first_match_only(jointype))
		pairs = Min(pairs, 2 * probe_rows);
	return pairs;
}

void
hj_cost_path(Path *path, const HjCostBasis *basis, HjJoinType jointype,
			 Path *probe, Path *build)
{
	double		pairs = estimate_pairs(basis, jointype, path->rows,
									   probe->rows, build->rows);
	Cost		startup = 0;
	Cost		run = 0;

	startup += probe->startup_cost + build->total_cost;
	startup += build->rows * HJ_BUILD_FACTOR *
		(basis->nkeys * cpu_operator_cost + cpu_tuple_cost);
	startup += basis->residual.startup;

	run += probe->total_cost - probe->startup_cost;
	run += probe->rows * basis->nkeys * cpu_operator_cost * HJ_PROBE_FACTOR;
	run += pairs * (cpu_tuple_cost * HJ_PAIR_FACTOR + basis->residual.per_tuple);

	startup += path->pathtarget->cost.startup;
	run += path->pathtarget->cost.per_tuple * path->rows;

	path->startup_cost = startup;
	path->total_cost = startup + run;
}

double
hj_estimate_build_bytes(const Path *build)
{
	return build->rows * (build->pathtarget->width + HJ_ROW_OVERHEAD);
}
