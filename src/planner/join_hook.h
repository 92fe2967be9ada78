/*
 * join_hook.h
 *	  The join path hook.
 */
#ifndef HJ_JOIN_HOOK_H
#define HJ_JOIN_HOOK_H

/* Install the hooks on joins and on planning; once, from _PG_init. */
extern void hj_install_planner_hooks(void);

#endif							/* HJ_JOIN_HOOK_H */
