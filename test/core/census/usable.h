/*-------------------------------------------------------------------------
 *
 * usable.h
 *	  Which clauses of a finished plan could be hashed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef USABLE_H
#define USABLE_H

#include "nodes/plannodes.h"

/*
 * Is any of a join's clauses an equality that hash joins may use: of a hashable
 * operator, each side of other columns, one of the outer and one of the inner
 * child, and nothing volatile?
 */
extern bool any_usable(List *clauses);

/*
 * Does the loop's inner side look up values of the outer side by a hashable
 * equality, so that a hash join could have done it?
 */
extern bool parameterised_lookup(NestLoop *loop);

#endif							/* USABLE_H */
