/*
 * settings.h
 *	  Every setting of the extension.
 *
 * All are PGC_USERSET and GUC_EXPLAIN.  A changed setting does not replan
 * cached plans; those of the executor are read when a node first runs or
 * builds a table.
 */
#ifndef HJ_SETTINGS_H
#define HJ_SETTINGS_H

#include "postgres.h"

typedef enum HjEnable
{
	HJ_ENABLE_OFF,				/* the hooks do nothing */
	HJ_ENABLE_ON,				/* the planner weighs our paths */
	HJ_ENABLE_FORCE,			/* stock's join paths are disabled (tests) */
	HJ_ENABLE_CONSIDER			/* build and cost, never add (tests) */
} HjEnable;

extern int	hj_enable;			/* HjEnable */
extern int	hj_batch_size;		/* rows in a batch, 1 to HJ_MAX_BATCH_SIZE */
extern int	hj_debug_hash_bits; /* bits of hash kept, 0 to 64 */
extern bool hj_array_map;		/* may the map be an array? */
extern int	hj_array_map_small_range;	/* keys' max - min that is always accepted */
extern bool hj_null_aware_anti_join;	/* may NOT IN be a join? */
extern int	hj_debug_table_bytes;	/* what a table may take; 0: what is left of
									 * the memory limit */
extern int	hj_min_partitions;	/* a join is split into at least as many; 0: as
								 * needed */
extern double hj_array_map_min_density; /* rows / slots that is accepted */

/* A batch's arrays stay well below MaxAllocSize at this size. */
#define HJ_MAX_BATCH_SIZE 65536

/* Define the settings; once, from _PG_init. */
extern void hj_define_settings(void);

#endif							/* HJ_SETTINGS_H */
