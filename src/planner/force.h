/*
 * force.h
 *	  hashjoin_ext.enable = force.
 */
#ifndef HJ_FORCE_H
#define HJ_FORCE_H

/* Install the planner hook; once, from hj_install_planner_hooks. */
extern void hj_install_force_hook(void);

#endif							/* HJ_FORCE_H */
