/*
 * null_map.h
 *	  Look-ups in which NULL matches all, on either side, in some key columns
 *	  (open ones): (a = b AND c = d) IS NOT FALSE.
 *
 * In the table NULL is a value like any other (join_key.h, null_matches).  The
 * set of open columns in which a row is NULL is its pattern.  A probe row and a
 * build row match if they are equal in all columns that are in neither pattern.
 *
 * - A probe row without NULLs is looked up once for each pattern that build rows
 *	 have, with NULLs put in for the pattern's columns: what it finds is equal in
 *	 all others.
 * - So is one with NULLs, if all patterns of the build side include its own.
 * - Else there is a second map of the same rows for its pattern, made when the
 *	 first such row comes: of their keys with NULLs put in for that pattern.  It
 *	 takes 20 bytes a row.  Where there is no memory for that, and where all columns
 *	 are NULL, all rows are looked at, until the first that will do.
 *
 * Cost: of a probe row, as many look-ups as there are patterns, at most 2^open.
 */
#ifndef HJ_NULL_MAP_H
#define HJ_NULL_MAP_H

#include "postgres.h"

#include "table/probe.h"

/* Open columns are at most this many (HJ_MAX_OPEN_KEYS of the planner). */
#define HJ_MAX_OPEN_COLUMNS 6
#define HJ_MAX_NULL_PATTERNS (1 << HJ_MAX_OPEN_COLUMNS)

/* A map of all rows for probe rows of one pattern. */
typedef struct HjPatternMap
{
	bool		tried;			/* made, unless there was no memory */
	uint64		patterns;		/* of its keys, a bit each */
	HjHashMap	map;			/* slots NULL: not made; row: head of a chain */
	uint32	   *next;			/* by row: as build_table.h, but of equal tags */
} HjPatternMap;

/* What a visitor says of a build row that matches. */
typedef enum HjVisit
{
	HJ_VISIT_ON,				/* go on */
	HJ_VISIT_DROP,				/* go on; the row need not be shown again */
	HJ_VISIT_STOP
} HjVisit;

typedef HjVisit (*HjVisitRow) (void *arg, uint32 build_row);

typedef struct HjNullMaps
{
	HjBuildTable *table;
	MemoryContext scratch;
	int			nopen;
	int			open[HJ_MAX_OPEN_COLUMNS];	/* key columns */
	bool		only_open;		/* are there no other key columns? */
	bool		may_drop;		/* does a visitor drop rows? */
	uint64		patterns;		/* of the table's rows, a bit each */
	HjKeySet	one;			/* room for one key */
	Datum	   *values;			/* of one row, by key column */
	bool	   *nulls;

	/* packed keys, by pattern: the columns' bits, and their NULL flags */
	uint64		bits[HJ_MAX_NULL_PATTERNS];
	uint64		flags[HJ_MAX_NULL_PATTERNS];

	Size		limit;			/* bytes for table and maps together */
	Size		bytes;			/* of the maps */
	HjPatternMap maps[HJ_MAX_NULL_PATTERNS];
} HjNullMaps;

/*
 * In the current memory context; open: an integer (bool) a key column.  scratch:
 * for hash and equality functions; reset.
 */
extern HjNullMaps *hj_null_maps_create(HjBuildTable *table, List *open,
									   bool may_drop, MemoryContext scratch);

/*
 * The table has been sealed: begin anew.  Earlier maps are gone with the table's
 * memory context.  Cost: one pass over its rows, if any open column has NULLs.
 */
extern void hj_null_maps_start(HjNullMaps *maps, Size limit);

/* The maps are gone with the table. */
extern void hj_null_maps_forget(HjNullMaps *maps);

/* The same rows are going to be looked up anew: nothing is dropped any more. */
extern void hj_null_maps_restart(HjNullMaps *maps);

/*
 * Show the visitor each build row that matches probe row i, of which `head` is
 * the look-up (hj_probe_heads).  Returns true if it said stop.
 *
 * marks, if given: a chain of the table whose first row is marked need not be shown
 * (matching depends on the key alone, and whoever was shown one row of a chain was
 * shown all).
 */
extern bool hj_null_maps_visit(HjNullMaps *maps, const HjKeySet *keys, int i,
							   uint32 head, const HjMatchBits *marks,
							   HjVisitRow visit, void *arg);

#endif							/* HJ_NULL_MAP_H */
