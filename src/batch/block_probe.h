/*
 * block_probe.h
 *	  Probe rows that come in blocks: looked up first, copied after.
 *
 * The rows of a block are looked up where they stand: only their keys are
 * read.  Of the rows that found a candidate, or must go out without one, the
 * columns that the join needs are copied into the batch.  A block has enough
 * rows for the look-ups' cache misses to overlap.
 */
#ifndef HJ_BLOCK_PROBE_H
#define HJ_BLOCK_PROBE_H

#include "postgres.h"

#include "batch/batch.h"
#include "batch/block_keys.h"
#include "batch/source.h"
#include "table/probe.h"

/* Which probe rows go into the batch? */
typedef enum HjKeepRows
{
	HJ_KEEP_HITS,				/* those that found a candidate */
	HJ_KEEP_MISSES,				/* those that found none */
	HJ_KEEP_ALL
} HjKeepRows;

/*
 * Take those rows of a block that are not to be looked up here: set gone[i],
 * and make them not usable.
 */
typedef void (*HjDivertRows) (void *arg, const HjBlock *block, HjKeySet *keys,
							  bool *gone);

typedef struct HjBlockProbe
{
	HjKeepRows	keep;
	HjDivertRows divert;		/* or NULL */
	void	   *divert_arg;
	bool	   *gone;
	HjBlock		rest;			/* rows of the latest block, not looked at yet */
	int			nwide;			/* by-reference columns of the batch */
	AttrNumber *wide_attnos;
	int16	   *wide_lens;
	HjBlockKeys keys;
	uint32	   *heads;
	int		   *kept;			/* rows of the block that go into the batch */
	int			take;			/* rows to ask for next */
	int			max_take;
} HjBlockProbe;

/*
 * Can the source's rows be read this way?  They must come in blocks
 * (next_block as for hj_source_has_blocks), the key must be plain columns that
 * need not be kept for later comparisons, and the columns be found cheaply one
 * by one.
 */
extern bool hj_block_probe_possible(const HjSource *source,
									HjNextBlock next_block,
									const HjBatch *batch,
									const HjKeyEval *eval, const HjJoinKey *key);

/* In the current memory context.  From here on the source gives blocks. */
extern HjBlockProbe *hj_block_probe_create(HjSource *source,
										   HjNextBlock next_block,
										   HjKeepRows keep,
										   const HjBatch *batch,
										   const HjJoinKey *key);

/* From here on, rows go by that function first; NULL: none do. */
extern void hj_block_probe_divert(HjBlockProbe *probe, HjDivertRows divert,
								  void *arg);

/* Start over with small steps. */
extern void hj_block_probe_restart(HjBlockProbe *probe);

/*
 * Replace the batch's rows by the next ones, and look them up: heads[i] as
 * hj_probe_heads, room for the batch's capacity + HJ_BATCH_SLACK.  *rows_read
 * grows by the rows looked at, *hits by those that found a candidate.  Returns
 * false at the end.  Errors: the source's, the hash and equality functions'.
 */
extern bool hj_block_probe_fill(HjBlockProbe *probe, HjSource *source,
								HjBatch *batch, HjBuildTable *table,
								const HjKeyEval *eval, uint32 *heads,
								uint64 *rows_read, uint64 *hits,
								MemoryContext scratch);

#endif							/* HJ_BLOCK_PROBE_H */
