/*
 * hashjoin_ext.c
 *	  Library entry: settings, then hooks.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/extensible.h"

#include "executor/join_node.h"
#include "planner/join_hook.h"
#include "settings.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	hj_define_settings();
	RegisterCustomScanMethods(&hj_scan_methods);
	hj_install_planner_hooks();
}
