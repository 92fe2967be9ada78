/*
 * join_candidate.h
 *	  One orientation of a join, and whether it qualifies.
 */
#ifndef HJ_JOIN_CANDIDATE_H
#define HJ_JOIN_CANDIDATE_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "planner/join_cost.h"
#include "planner/relids.h"

/* One orientation of one join, and all that its paths have in common. */
typedef struct HjJoinCandidate
{
	PlannerInfo *root;
	RelOptInfo *joinrel;
	RelOptInfo *probe;
	RelOptInfo *build;
	HjJoinSides sides;
	JoinType	hook_jointype;	/* JOIN_UNIQUE_* included */
	JoinPathExtraData *extra;
	bool		examined;		/* are the next two set? */
	const char *disqualification;	/* NULL if the join qualifies */
	HjCostBasis basis;			/* set if it does */
	HjCostBasis floor;			/* set under `on` */
} HjJoinCandidate;

#define PARAMETERIZED_BY(path, rel) \
	((path)->param_info && \
	 hj_overlap((path)->param_info->ppi_req_outer, (rel)->relids))

/*
 * Does this orientation qualify?  Returns NULL if so, with the cost basis set;
 * otherwise why not.  docs/limitations.md lists the reasons.
 */
extern const char *hj_join_disqualification(HjJoinCandidate *c);

/* The same, examined once, and only when some path is worth the question. */
static inline bool
hj_join_qualifies(HjJoinCandidate *c)
{
	if (!c->examined)
	{
		c->disqualification = hj_join_disqualification(c);
		c->examined = true;
	}
	return c->disqualification == NULL;
}

/* For DEBUG1: why was it not offered? */
extern void hj_report_refusal(HjJoinCandidate *c);

#endif							/* HJ_JOIN_CANDIDATE_H */
