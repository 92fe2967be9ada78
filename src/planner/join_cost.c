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
 *	 disk	 what is estimated not to fit in memory is written and read, of
 *			 both sides: seq_page_cost a page each time
 *
 * The first two factors say that the same step costs us less than stock; they
 * apply to our own work only, never to the children, or they would compound up
 * the join tree.  Stock charges for chain comparisons, from an estimated
 * bucket size; our directory makes them a constant, which is inside the probe
 * term.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/selfuncs.h"

#include "planner/join_cost.h"
#include "planner/null_clause.h"

/*
 * Of stock's charge for the same step.  Not calibrated: modest enough that a
 * join which stock would rather not hash is not hashed by us either.
 */
#define HJ_BUILD_FACTOR 0.8
#define HJ_PROBE_FACTOR 0.8
#define HJ_PAIR_FACTOR 0.9

/* Bytes a build row takes beyond its columns: directory, chain, tail reference. */
#define HJ_ROW_OVERHEAD 24

/* The same in a file. */
#define HJ_FILE_ROW_OVERHEAD 12

/*
 * Selectivity of a hash clause with the semantics of an inner join.
 *
 * clause_selectivity() caches its result in a RestrictInfo; handed the bare
 * clause it has nowhere to.
 */
static Selectivity
hash_clause_selectivity(PlannerInfo *root, const HjJoinSides *sides,
						RestrictInfo *rinfo)
{
	SpecialJoinInfo sjinfo;

	if (rinfo->norm_selec >= 0)
		return rinfo->norm_selec;
	memset(&sjinfo, 0, sizeof(sjinfo));
	sjinfo.type = T_SpecialJoinInfo;
	sjinfo.jointype = JOIN_INNER;
	sjinfo.min_lefthand = sides->probe_relids;
	sjinfo.min_righthand = sides->build_relids;
	sjinfo.syn_lefthand = sides->probe_relids;
	sjinfo.syn_righthand = sides->build_relids;
	return clause_selectivity(root, (Node *) rinfo->clause, 0, JOIN_INNER,
							  &sjinfo);
}

/* What does not depend on the clauses. */
static void
start_basis(HjCostBasis *basis, const HjJoinSides *sides,
			const JoinPathExtraData *extra)
{
	basis->first_match = hj_join_first_match_only(sides->jointype) ||
		(extra->inner_unique && !hj_join_is_swapped(sides->jointype));
	basis->match_frac = extra->semifactors.outer_match_frac;
	basis->nkeys = 0;
	basis->nresidual = 0;
	basis->selectivity = 1.0;
	basis->residual.startup = 0;
	basis->residual.per_tuple = 0;
}

static void
add_residual(HjCostBasis *basis, const QualCost *cost)
{
	basis->nresidual++;
	basis->residual.startup += cost->startup;
	basis->residual.per_tuple += cost->per_tuple;
}

/*
 * An inner join without a residual emits all pairs with equal keys and nothing
 * else, so their number is that of its rows.
 */
static void
finish_basis(HjCostBasis *basis, const HjJoinSides *sides)
{
	CLAMP_PROBABILITY(basis->selectivity);
	basis->count_pairs = !basis->first_match &&
		!(sides->jointype == HJ_JOIN_INNER && basis->nresidual == 0);
}

void
hj_cost_basis(HjCostBasis *basis, PlannerInfo *root, const HjJoinSides *sides,
			  const JoinPathExtraData *extra)
{
	ListCell   *lc;

	start_basis(basis, sides, extra);
	foreach(lc, extra->restrictlist)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (hj_is_hash_clause(sides, rinfo))
		{
			basis->nkeys++;
			if (!basis->first_match)
				basis->selectivity *= hash_clause_selectivity(root, sides, rinfo);
		}
		else
		{
			QualCost	cost = rinfo->eval_cost;

			/* as core caches it; negative: not yet asked for */
			if (cost.startup < 0)
				cost_qual_eval_node(&cost, (Node *) rinfo, root);
			add_residual(basis, &cost);
		}
	}
	finish_basis(basis, sides);
}

void
hj_cost_floor_basis(HjCostBasis *basis, const HjJoinSides *sides,
					const JoinPathExtraData *extra)
{
	ListCell   *lc;

	start_basis(basis, sides, extra);
	basis->nkeys = 1;
	foreach(lc, extra->restrictlist)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (OidIsValid(rinfo->hashjoinoperator) || hj_may_be_null_clause(rinfo))
			basis->selectivity *= Max(rinfo->norm_selec, 0);
		else if (rinfo->eval_cost.startup >= 0)
			add_residual(basis, &rinfo->eval_cost);
	}
	finish_basis(basis, sides);
}

/*
 * How many pairs of rows are put together?  Counted as final_cost_hashjoin()
 * counts them.  For a join whose build side is unique it sees only a fraction
 * of the matches (outer_match_frac is then the selectivity of an inner join),
 * and of a table that several processes share only the part that this one has
 * built; but what is compared with its cost must be counted as it counts.
 */
static double
estimate_pairs(const HjCostBasis *basis, HjJoinType jointype, double rows,
			   double probe_rows, double build_rows, double table_rows)
{
	double		matched;

	if (basis->first_match)
	{
		matched = rint(probe_rows * basis->match_frac);
		return (jointype == HJ_JOIN_ANTI) ? probe_rows - matched : matched;
	}
	if (basis->count_pairs)
		return probe_rows * build_rows * basis->selectivity;
	return rows * build_rows / Max(table_rows, 1);
}

/* The part of both sides that goes to files. */
static double
part_on_disk(const Path *build)
{
	double		bytes = build->rows * (build->pathtarget->width + HJ_ROW_OVERHEAD);
	double		limit = get_hash_memory_limit();

	return (bytes > limit) ? 1.0 - limit / bytes : 0;
}

static double
file_pages(const Path *path)
{
	return ceil(path->rows * (path->pathtarget->width + HJ_FILE_ROW_OVERHEAD) /
				BLCKSZ);
}

void
hj_cost_join(const HjCostBasis *basis, HjJoinType jointype,
			 const Path *probe, const Path *build,
			 double table_rows, double rows, const PathTarget *target,
			 Cost *startup_cost, Cost *total_cost)
{
	double		pairs = estimate_pairs(basis, jointype, rows,
									   probe->rows, build->rows,
									   Max(table_rows, build->rows));
	double		formed = pairs;
	double		on_disk;
	Cost		startup = 0;
	Cost		run = 0;

	startup += probe->startup_cost + build->total_cost;
	startup += build->rows * HJ_BUILD_FACTOR *
		(basis->nkeys * cpu_operator_cost + cpu_tuple_cost);
	startup += basis->residual.startup;

	run += probe->total_cost - probe->startup_cost;
	run += probe->rows * basis->nkeys * cpu_operator_cost * HJ_PROBE_FACTOR;

	/*
	 * A semi or anti join is charged for the rows that it returns, whichever
	 * side is built: for the build rows if they are those.
	 */
	if (hj_join_is_swapped(jointype))
		formed = Max(formed, rows);
	run += pairs * basis->residual.per_tuple +
		formed * cpu_tuple_cost * HJ_PAIR_FACTOR;

	startup += target->cost.startup;
	run += target->cost.per_tuple * rows;

	on_disk = part_on_disk(build);
	if (on_disk > 0)
	{
		startup += on_disk * seq_page_cost * file_pages(build);
		run += on_disk * seq_page_cost *
			(file_pages(build) + 2 * file_pages(probe));
	}

	*startup_cost = startup;
	*total_cost = startup + run;
}
