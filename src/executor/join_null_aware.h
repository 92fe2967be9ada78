/*
 * join_null_aware.h
 *	  Anti joins in which NULL matches all: NOT IN.
 *
 * An inner row with a NULL key matches every outer row, an outer row with a NULL
 * key every inner row, provided that the residual clauses hold for the pair.
 *
 * SIMPLE	 one key and no residual: it is enough to know whether the inner side
 *			 has a NULL (then there is no result) and whether it is empty (then
 *			 outer rows with a NULL are part of it).  All else is an ordinary anti
 *			 join, in memory or in files.
 * GENERAL	 several keys, or a residual: pairs are found by table/null_map.h.  A
 *			 partition of the keys would not do, for a NULL belongs to all of them:
 *			 a build side that does not fit goes to one file, and is joined in
 *			 passes.
 */
#ifndef HJ_JOIN_NULL_AWARE_H
#define HJ_JOIN_NULL_AWARE_H

#include "postgres.h"

#include "batch/block.h"
#include "table/null_map.h"

struct HjJoinState;

typedef enum HjNullAwareKind
{
	HJ_NULL_AWARE_NOT,			/* any other join */
	HJ_NULL_AWARE_SIMPLE,
	HJ_NULL_AWARE_GENERAL
} HjNullAwareKind;

typedef struct HjNullAware
{
	HjNullAwareKind kind;

	/* SIMPLE */
	bool		build_null;		/* has the build side a NULL? */
	bool		build_seen;		/* has it any row? */
	bool		probe_null;		/* the same of the probe side, as far as it was */
	bool		probe_seen;		/* read; only if the build side is preserved */

	/* GENERAL */
	HjNullMaps *maps;
} HjNullAware;

/* Which kind is it?  Once, when the node begins. */
extern void hj_null_aware_begin(struct HjJoinState *state);

/* Make what it needs, in the current memory context; key and table are there. */
extern void hj_null_aware_allocate(struct HjJoinState *state);

/* What this process has seen of the build side: facts of parallel/completion.h. */
extern uint32 hj_null_aware_build_facts(const struct HjJoinState *state);

/* The build side has been read, by all; a round's table has been sealed. */
extern void hj_null_aware_note_build(struct HjJoinState *state);
extern void hj_null_aware_seal(struct HjJoinState *state);

/*
 * The probe side is about to be read, from its beginning.  Returns false if it is
 * known already that there is no result.
 */
extern bool hj_null_aware_start_probe(struct HjJoinState *state);

/* Are probe rows with a NULL to be put into batches? */
extern bool hj_null_aware_keeps_null(const struct HjJoinState *state);

/* A batch of probe rows was read from the child: note what is to be known. */
extern void hj_null_aware_see_batch(struct HjJoinState *state);

/*
 * A probe row was read that has a NULL where it matches nothing, by itself.  Is it
 * to be treated like any row without a match?
 */
extern bool hj_null_aware_take_null(struct HjJoinState *state);

/* An HjDivertRows: for rows in blocks, instead of hj_spill_divert_block. */
extern void hj_null_aware_divert_block(void *arg, const HjBlock *block,
									   HjKeySet *keys, bool *gone);

/* May preserved build rows with a NULL key be put out? */
extern bool hj_null_aware_keeps_unmatchable(const struct HjJoinState *state);

/* GENERAL: as hj_join_probe_next. */
extern TupleTableSlot *hj_null_aware_probe_next(struct HjJoinState *state);

#endif							/* HJ_JOIN_NULL_AWARE_H */
