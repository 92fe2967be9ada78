/*
 * pseudoconstant.h
 *	  Joins with clauses that hold no variables, before PostgreSQL 17.
 */
#ifndef HJ_PSEUDOCONSTANT_H
#define HJ_PSEUDOCONSTANT_H

#include "optimizer/paths.h"

/*
 * See to it that the join hook is called for such joins, too.  `own` is our
 * join hook, `prev` the one that it calls.  Once, from
 * hj_install_planner_hooks; does nothing from 17 on.
 */
extern void hj_install_pseudoconstant_hook(set_join_pathlist_hook_type own,
										   set_join_pathlist_hook_type prev);

#endif							/* HJ_PSEUDOCONSTANT_H */
