/*
 * join_cost.h
 *	  What a path of ours costs.
 */
#ifndef HJ_JOIN_COST_H
#define HJ_JOIN_COST_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "join_type.h"

/*
 * What one pair of relations brings to the cost of every path that joins them
 * with the same clauses; computed once, used for all paths.
 */
typedef struct HjCostBasis
{
	int			nkeys;
	bool		pairs_known;	/* is selectivity set? */
	Selectivity selectivity;	/* of all hash clauses together */
	QualCost	residual;		/* all clauses that are not hash clauses */
	bool		has_residual;
} HjCostBasis;

/*
 * Fill in the basis.  Reads selectivities that core has cached in the clauses,
 * and computes missing ones, but never writes them: core must find its caches
 * as it left them.
 */
extern void hj_cost_basis(HjCostBasis *basis, PlannerInfo *root,
						  RelOptInfo *joinrel, RelOptInfo *probe,
						  RelOptInfo *build, List *hash_clauses,
						  List *restrictlist);

/* Set path's startup_cost, total_cost; path->rows must be set. */
extern void hj_cost_path(Path *path, const HjCostBasis *basis,
						 HjJoinType jointype, Path *probe, Path *build);

/* Bytes that the build side will take, estimated. */
extern double hj_estimate_build_bytes(const Path *build);

#endif							/* HJ_JOIN_COST_H */
