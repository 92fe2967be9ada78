/*
 * distinct.h
 *	  Dropping build rows whose key is there already, for joins that want one
 *	  row of a key at most (semi and anti joins without a residual).
 */
#ifndef HJ_DISTINCT_H
#define HJ_DISTINCT_H

#include "postgres.h"

#include "table/build_table.h"

/*
 * Rows from `first` on have been appended: count their keys, and drop
 * duplicates if there are many and the rows have doubled since the last time.
 * Row numbers change.  Only with table->first_only.  Cost: a few operations a
 * row; dropping costs one map and one copy of the rows that stay.
 */
extern void hj_distinct_note(HjBuildTable *table, uint32 first);

/* All rows are in: drop what is worth dropping. */
extern void hj_distinct_finish(HjBuildTable *table);

#endif							/* HJ_DISTINCT_H */
