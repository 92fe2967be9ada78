/*
 * not_null.h
 *	  Can an expression be NULL where a join sees it?
 */
#ifndef HJ_NOT_NULL_H
#define HJ_NOT_NULL_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "planner/hash_clause.h"

/*
 * True only if it certainly cannot: a column of a plain table that is declared
 * NOT NULL, or that the table's own quals test, and that no outer join below
 * the join can have made NULL.
 */
extern bool hj_is_not_null(const HjJoinSides *sides, Node *expr);

#endif							/* HJ_NOT_NULL_H */
