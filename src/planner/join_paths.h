/*
 * join_paths.h
 *	  Which paths are offered for a join.
 */
#ifndef HJ_JOIN_PATHS_H
#define HJ_JOIN_PATHS_H

#include "planner/join_candidate.h"

/*
 * Offer what is worth it, serial and partial, for one orientation of a join, with
 * these sides.  The rest of the candidate must be set, but for what is examined.
 */
extern void hj_offer_join_paths(HjJoinCandidate *c, RelOptInfo *probe,
								RelOptInfo *build);

#endif							/* HJ_JOIN_PATHS_H */
