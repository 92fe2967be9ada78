/*
 * join_cost.h
 *	  What a path of ours costs.
 */
#ifndef HJ_JOIN_COST_H
#define HJ_JOIN_COST_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "planner/hash_clause.h"

/*
 * What one pair of relations brings to the cost of every path that joins them
 * with the same clauses; computed once, used for all paths.
 */
typedef struct HjCostBasis
{
	int			nkeys;			/* number of hash clauses */
	int			nresidual;		/* and of the others */
	QualCost	residual;		/* of those together */
	bool		count_pairs;	/* are there more pairs with equal keys than rows
								 * of the join, or fewer? */
	Selectivity selectivity;	/* then: of all hash clauses together, as an
								 * inner join */
	bool		first_match;	/* does stock stop at a probe row's first match? */
	Selectivity match_frac;		/* then: part of the probe rows that have one */
} HjCostBasis;

/*
 * Fill in the basis; with nkeys == 0 the join is none of ours.  Reads selectivities that core has cached in the clauses, and
 * computes missing ones, but never writes them: core must find its caches as
 * it left them.  Allocates nothing, unless statistics must be looked up.
 */
extern void hj_cost_basis(HjCostBasis *basis, PlannerInfo *root,
						  const HjJoinSides *sides,
						  const JoinPathExtraData *extra);

/*
 * A basis that is as cheap as the true one or cheaper, without looking at what
 * the clauses are: whatever might be a hash clause is one that filters, and
 * what core has not cached is free.  A path that is too dear with it need not be
 * looked at any further; most paths of a large query are.
 */
extern void hj_cost_floor_basis(HjCostBasis *basis, const HjJoinSides *sides,
								const JoinPathExtraData *extra);

/*
 * Cost of joining two paths to `rows` rows of `target`.  table_rows: of the table;
 * more than the build path's, if others build it along.  Cheap enough to be
 * computed before a path is made, so that most are never made.
 */
extern void hj_cost_join(const HjCostBasis *basis, HjJoinType jointype,
						 const Path *probe, const Path *build,
						 double table_rows, double rows, const PathTarget *target,
						 Cost *startup_cost, Cost *total_cost);

#endif							/* HJ_JOIN_COST_H */
