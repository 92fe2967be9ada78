/*
 * rescan.h
 *	  May a plan node be executed again after its end?
 */
#ifndef HJ_RESCAN_H
#define HJ_RESCAN_H

#include "postgres.h"

#include "nodes/execnodes.h"

/*
 * True unless it is certain that nobody rescans the node: it is in the main plan
 * tree, and not on the inner side of a nested loop or a recursive union.  The
 * flag EXEC_FLAG_REWIND does not tell: a nested loop with parameters takes it
 * away and rescans nevertheless.  Cost: one walk over the plan tree.
 */
extern bool hj_may_be_rescanned(const EState *estate, const Plan *node,
								int eflags);

#endif							/* HJ_RESCAN_H */
