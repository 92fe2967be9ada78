/*
 * read_ahead.h
 *	  May probe rows be fetched before they are due?
 */
#ifndef HJ_READ_AHEAD_H
#define HJ_READ_AHEAD_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * False if fetching a row early could be noticed: stock's joins read
 * one probe row at a time, so under LIMIT or a cursor a volatile function (or
 * a row lock in a subquery) of the probe side would run more often with us.
 * Called once a plan; walks the query tree.
 */
extern bool hj_may_read_ahead(PlannerInfo *root);

#endif							/* HJ_READ_AHEAD_H */
