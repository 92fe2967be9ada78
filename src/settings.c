/*
 * settings.c
 *	  Definition of the settings: unit, default, range, description.
 *
 * The prefix is reserved at the end, so that a misspelt hashjoin_ext.* is
 * refused instead of becoming a placeholder.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "settings.h"

int			hj_enable = HJ_ENABLE_OFF;
int			hj_batch_size = 1024;
int			hj_debug_hash_bits = 64;

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

	MarkGUCPrefixReserved("hashjoin_ext");
}
