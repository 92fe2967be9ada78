/*
 * settings.c
 *	  Definition of the settings: unit, default, range, description.
 *
 * The prefix is reserved at the end, so that a misspelt hashjoin_ext.* is
 * refused instead of becoming a placeholder.
 */
#include "postgres.h"

#include <limits.h>

#include "utils/guc.h"

#include "settings.h"

int			hj_enable = HJ_ENABLE_OFF;
int			hj_batch_size = 1024;
int			hj_debug_hash_bits = 64;
bool		hj_array_map = true;
int			hj_array_map_small_range = 1024;
double		hj_array_map_min_density = 0.15;
int			hj_min_partitions = 0;
bool		hj_null_aware_anti_join = true;
int			hj_debug_table_bytes = 0;

static const struct config_enum_entry enable_options[] = {
	{"off", HJ_ENABLE_OFF, false},
	{"on", HJ_ENABLE_ON, false},
	{"force", HJ_ENABLE_FORCE, false},
	{"consider", HJ_ENABLE_CONSIDER, false},
	{"false", HJ_ENABLE_OFF, true},
	{"true", HJ_ENABLE_ON, true},
	{"no", HJ_ENABLE_OFF, true},
	{"yes", HJ_ENABLE_ON, true},
	{"0", HJ_ENABLE_OFF, true},
	{"1", HJ_ENABLE_ON, true},
	{NULL, 0, false}
};

void
hj_define_settings(void)
{
	DefineCustomEnumVariable("hashjoin_ext.enable",
							 "Enables the planner's use of the extension's hash join.",
							 "\"force\" and \"consider\" are meant for tests.",
							 &hj_enable,
							 HJ_ENABLE_OFF,
							 enable_options,
							 PGC_USERSET,
							 GUC_EXPLAIN,
							 NULL, NULL, NULL);

	DefineCustomIntVariable("hashjoin_ext.batch_size",
							"Sets the largest number of probe rows that are looked up together.",
							NULL,
							&hj_batch_size,
							1024, 1, HJ_MAX_BATCH_SIZE,
							PGC_USERSET,
							GUC_EXPLAIN,
							NULL, NULL, NULL);

	DefineCustomIntVariable("hashjoin_ext.debug_hash_bits",
							"Sets the number of bits that are kept of each key's hash.",
							"Fewer than 64 make collisions; for tests.",
							&hj_debug_hash_bits,
							64, 0, 64,
							PGC_USERSET,
							GUC_EXPLAIN | GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);

	DefineCustomBoolVariable("hashjoin_ext.array_map",
							 "Enables array maps for build keys that are dense integers.",
							 NULL,
							 &hj_array_map,
							 true,
							 PGC_USERSET,
							 GUC_EXPLAIN,
							 NULL, NULL, NULL);

	DefineCustomIntVariable("hashjoin_ext.array_map_small_range",
							"Sets the key range below which an array map is used whatever the density.",
							"The range is the largest key minus the smallest.",
							&hj_array_map_small_range,
							1024, 0, INT_MAX,
							PGC_USERSET,
							GUC_EXPLAIN,
							NULL, NULL, NULL);

	DefineCustomRealVariable("hashjoin_ext.array_map_min_density",
							 "Sets the density of build keys above which an array map is used.",
							 "The density is the number of build rows divided by the number of possible keys.",
							 &hj_array_map_min_density,
							 0.15, 0.0, 1.0,
							 PGC_USERSET,
							 GUC_EXPLAIN,
							 NULL, NULL, NULL);

	DefineCustomIntVariable("hashjoin_ext.partitions",
							"Sets the smallest number of partitions that a join is split into.",
							"0 splits a join only if its build side does not fit in memory.",
							&hj_min_partitions,
							0, 0, 1024,
							PGC_USERSET,
							GUC_EXPLAIN,
							NULL, NULL, NULL);

	DefineCustomBoolVariable("hashjoin_ext.null_aware_anti_join",
							 "Enables the planner to make a join of NOT IN.",
							 NULL,
							 &hj_null_aware_anti_join,
							 true,
							 PGC_USERSET,
							 GUC_EXPLAIN,
							 NULL, NULL, NULL);

	DefineCustomIntVariable("hashjoin_ext.debug_table_bytes",
							"Sets the memory that the table of a join may take.",
							"0 is what work_mem allows. Little memory makes small joins spill; for tests.",
							&hj_debug_table_bytes,
							0, 0, INT_MAX,
							PGC_USERSET,
							GUC_EXPLAIN | GUC_NOT_IN_SAMPLE | GUC_UNIT_BYTE,
							NULL, NULL, NULL);

	MarkGUCPrefixReserved("hashjoin_ext");
}
