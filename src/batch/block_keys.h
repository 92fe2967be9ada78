/*
 * block_keys.h
 *	  The keys of a block's rows, read column by column.
 */
#ifndef HJ_BLOCK_KEYS_H
#define HJ_BLOCK_KEYS_H

#include "postgres.h"

#include "batch/block.h"
#include "batch/key_eval.h"
#include "table/join_key.h"

typedef struct HjBlockKeys
{
	HjKeySet	set;			/* by row; hash is set only for keys not packed */
	Datum	  **values;			/* by key column, then row */
	bool	  **nulls;
} HjBlockKeys;

/* Room for `capacity` rows, in the current memory context. */
extern void hj_block_keys_init(HjBlockKeys *keys, const HjJoinKey *key,
							   int capacity);

/*
 * Read the keys, plain columns all, of the build or the probe side.  A key that
 * is not packed is prepared (hj_key_prepare): keys->values[k][i] may have been
 * replaced then by a detoasted value in the current memory context.  Returns
 * how many rows were read, at least one: fewer than the block has when `bytes`
 * of detoasted values came together.  Errors: the hash functions'.
 */
extern int	hj_block_keys_read(HjBlockKeys *keys, HjJoinKey *key, bool build,
							   const HjKeyEval *eval, const HjBlock *block,
							   Size bytes);

#endif							/* HJ_BLOCK_KEYS_H */
