/*
 * distinct.c
 *	  Dropping build rows whose key is there already.
 *
 * A row costs nothing but an estimate of the number of distinct keys
 * (HyperLogLog).  When that says that half of the rows are duplicates, a hash
 * map of the rows so far tells which are the first of their keys, and the
 * others are dropped.  This is looked at whenever the rows have doubled, so the
 * work for each row is bounded, and the store holds at most about twice the
 * distinct keys.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "table/distinct.h"
#include "table/make_map.h"

/* Fewer rows than this are not worth the trouble. */
#define HJ_MIN_DISTINCT_ROWS 4096

/* Registers of the estimate: 2^10, for an error of 3 %. */
#define HJ_DISTINCT_BITS 10

/* Rows are dropped if the distinct keys are less than this part of them. */
#define HJ_DISTINCT_WHILE_FILLING 0.5
#define HJ_DISTINCT_AT_END 0.75

/* Which rows are the first of their key?  One bit a row. */
static uint8 *
find_first_rows(HjBuildTable *table)
{
	HjHashMap  *map = &table->hash;
	Size		map_bytes = table->map_bytes;
	uint8	   *first = MemoryContextAllocExtended(table->cxt,
												   table->rows.nrows / 8 + 1,
												   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	hj_make_hash_map(table);
	for (uint64 i = 0; i < map->nslots; i++)
	{
		uint32		row = map->slots[i].row;

		CHECK_FOR_INTERRUPTS();
		if (row != 0)
			first[(row - 1) >> 3] |= 1 << ((row - 1) & 7);
	}
	table->peak_bytes = Max(table->peak_bytes, hj_build_table_bytes(table));
	pfree(map->slots);
	map->slots = NULL;
	table->map_bytes = map_bytes;
	return first;
}

static bool
is_first_row(void *arg, const HjRowStore *rows, uint32 row, uint32 to)
{
	const uint8 *first = arg;

	return (first[row >> 3] >> (row & 7)) & 1;
}

/* Is there room for what that takes? */
static bool
may_look(const HjBuildTable *table)
{
	return hj_build_table_bytes(table) + hj_hash_map_bytes(&table->rows) +
		table->rows.nrows / 8 <= table->memory_limit;
}

static void
drop_duplicates(HjBuildTable *table)
{
	uint32		before = table->rows.nrows;
	uint8	   *first;

	if (!may_look(table))
		return;
	first = find_first_rows(table);
	hj_build_table_filter(table, is_first_row, first);
	pfree(first);

	/* the estimate was wrong (few hash bits): do not try again */
	if (table->rows.nrows > before * HJ_DISTINCT_AT_END)
		table->distinct_at = PG_UINT64_MAX;
}

static bool
has_duplicates(HjBuildTable *table, double fraction)
{
	return estimateHyperLogLog(&table->distinct) < table->rows.nrows * fraction;
}

void
hj_distinct_note(HjBuildTable *table, uint32 first)
{
	if (table->distinct.hashesArr == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(table->cxt);

		initHyperLogLog(&table->distinct, HJ_DISTINCT_BITS);
		table->distinct_at = HJ_MIN_DISTINCT_ROWS;
		MemoryContextSwitchTo(old);
	}
	for (uint32 row = first; row < table->rows.nrows; row++)
		addHyperLogLog(&table->distinct,
					   (uint32) (hj_build_row_hash(table, row) >> 32));
	if (table->rows.nrows < table->distinct_at)
		return;
	if (has_duplicates(table, HJ_DISTINCT_WHILE_FILLING))
		drop_duplicates(table);
	if (table->distinct_at != PG_UINT64_MAX)
		table->distinct_at = Max((uint64) table->rows.nrows, HJ_MIN_DISTINCT_ROWS / 2) * 2;
}

void
hj_distinct_finish(HjBuildTable *table)
{
	if (table->distinct.hashesArr != NULL &&
		table->distinct_at != PG_UINT64_MAX &&
		table->rows.nrows >= HJ_MIN_DISTINCT_ROWS / 2 &&
		has_duplicates(table, HJ_DISTINCT_AT_END))
		drop_duplicates(table);
}
