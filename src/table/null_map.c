/*
 * null_map.c
 *	  Look-ups in which NULL matches all; the contract is in null_map.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "table/null_map.h"

/* In a slot: a chain whose rows have all been dropped. */
#define HJ_NO_ROWS PG_UINT32_MAX

#define PATTERN_BIT(pattern) (UINT64CONST(1) << (pattern))

/* ----------------------------------------------------------------
 *		Patterns
 * ----------------------------------------------------------------
 */

static uint64
column_bits(const HjKeyColumn *col)
{
	uint64		value = (col->bits == 64) ? PG_UINT64_MAX :
		(UINT64CONST(1) << col->bits) - 1;

	return value << col->shift | hj_key_null_flag(col);
}

HjNullMaps *
hj_null_maps_create(HjBuildTable *table, List *open, bool may_drop,
					MemoryContext scratch)
{
	HjNullMaps *maps = palloc0(sizeof(HjNullMaps));
	HjJoinKey  *key = table->key;

	maps->table = table;
	maps->scratch = scratch;
	maps->may_drop = may_drop;
	for (int k = 0; k < key->ncols; k++)
	{
		if (!list_nth_int(open, k))
			continue;
		Assert(maps->nopen < HJ_MAX_OPEN_COLUMNS && key->cols[k].null_matches);
		maps->open[maps->nopen++] = k;
	}
	maps->only_open = maps->nopen == key->ncols;
	for (int p = 0; p < 1 << maps->nopen && key->packed; p++)
	{
		for (int i = 0; i < maps->nopen; i++)
		{
			if (!(p >> i & 1))
				continue;
			maps->bits[p] |= column_bits(&key->cols[maps->open[i]]);
			maps->flags[p] |= hj_key_null_flag(&key->cols[maps->open[i]]);
		}
	}
	hj_key_set_init(&maps->one, key, 1);
	maps->values = palloc(key->ncols * sizeof(Datum));
	maps->nulls = palloc(key->ncols * sizeof(bool));
	return maps;
}

static int
pattern_of_word(const HjNullMaps *maps, uint64 word)
{
	int			pattern = 0;

	for (int i = 0; i < maps->nopen; i++)
		pattern |= ((word & maps->flags[1 << i]) != 0) << i;
	return pattern;
}

static int
pattern_of_probe_row(const HjNullMaps *maps, const HjKeySet *keys, int row)
{
	int			pattern = 0;

	if (maps->table->key->packed)
		return pattern_of_word(maps, keys->word[row]);
	for (int i = 0; i < maps->nopen; i++)
		pattern |= keys->nulls[maps->open[i]][row] << i;
	return pattern;
}

static int
pattern_of_build_row(const HjNullMaps *maps, uint32 row)
{
	const HjBuildTable *table = maps->table;
	int			pattern = 0;

	if (table->key->packed)
		return pattern_of_word(maps, hj_row_store_word(&table->rows, row));
	for (int i = 0; i < maps->nopen; i++)
	{
		int			col = table->key_cols[maps->open[i]];
		bool		isnull = false;

		if (table->rows.has_nulls[col])
			(void) hj_row_store_column(&table->rows, row, col, &isnull);
		pattern |= isnull << i;
	}
	return pattern;
}

/* Can any build row have a NULL in an open column? */
static bool
may_have_nulls(const HjNullMaps *maps)
{
	const HjBuildTable *table = maps->table;

	if (table->key->packed)
		return true;			/* nobody has noted it */
	for (int i = 0; i < maps->nopen && table->rows.nrows > 0; i++)
	{
		if (table->rows.has_nulls[table->key_cols[maps->open[i]]])
			return true;
	}
	return false;
}

void
hj_null_maps_forget(HjNullMaps *maps)
{
	memset(maps->maps, 0, sizeof(maps->maps));
	maps->bytes = 0;
}

void
hj_null_maps_start(HjNullMaps *maps, Size limit)
{
	uint32		nrows = maps->table->rows.nrows;

	hj_null_maps_forget(maps);
	maps->limit = limit;
	maps->patterns = (nrows > 0) ? PATTERN_BIT(0) : 0;
	if (!may_have_nulls(maps))
		return;
	maps->patterns = 0;
	for (uint32 row = 0; row < nrows; row++)
	{
		if ((row & 0xFFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		maps->patterns |= PATTERN_BIT(pattern_of_build_row(maps, row));
	}
}

void
hj_null_maps_restart(HjNullMaps *maps)
{
	if (!maps->may_drop)
		return;
	for (int p = 0; p < HJ_MAX_NULL_PATTERNS; p++)
	{
		if (maps->maps[p].map.slots != NULL)
		{
			pfree(maps->maps[p].map.slots);
			pfree(maps->maps[p].next);
		}
	}
	hj_null_maps_forget(maps);
}

/* ----------------------------------------------------------------
 *		Does it match?
 * ----------------------------------------------------------------
 */

static bool
rows_match(HjNullMaps *maps, const HjKeySet *keys, int i, uint32 row)
{
	HjBuildTable *table = maps->table;
	HjJoinKey  *key = table->key;
	int			probe_pattern = pattern_of_probe_row(maps, keys, i);
	int			pattern = probe_pattern | pattern_of_build_row(maps, row);
	bool		equal = true;
	MemoryContext old;

	if (key->packed)
		return ((keys->word[i] ^ hj_row_store_word(&table->rows, row)) &
				~maps->bits[pattern]) == 0;
	old = MemoryContextSwitchTo(maps->scratch);
	for (int k = 0, at = 0; k < key->ncols && equal; k++)
	{
		bool		isnull;
		Datum		value;

		/* the next open column is passed over if either is NULL */
		if (at < maps->nopen && maps->open[at] == k && (pattern >> at++ & 1))
			continue;
		value = hj_row_store_column(&table->rows, row, table->key_cols[k], &isnull);
		equal = hj_key_column_equal(&key->cols[k], false, keys->values[k][i],
									keys->nulls[k][i], value, isnull);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(maps->scratch);
	return equal;
}

/* ----------------------------------------------------------------
 *		Maps
 * ----------------------------------------------------------------
 */

/* Hash of a key, which is in values and nulls, with a pattern put in. */
static uint64
hash_with_pattern(HjNullMaps *maps, bool build, int pattern)
{
	MemoryContext old = MemoryContextSwitchTo(maps->scratch);
	uint64		hash = 0;

	for (int i = 0; i < maps->nopen; i++)
	{
		if (pattern >> i & 1)
			maps->nulls[maps->open[i]] = true;
	}
	if (!hj_key_prepare(maps->table->key, build, maps->values, maps->nulls, &hash))
		elog(ERROR, "a key that matches nothing was looked up");
	MemoryContextSwitchTo(old);
	return hash;
}

static uint64
word_with_pattern(const HjNullMaps *maps, uint64 word, int pattern)
{
	return (word & ~maps->bits[pattern]) | maps->flags[pattern];
}

static uint64
build_hash(HjNullMaps *maps, uint32 row, int pattern)
{
	const HjBuildTable *table = maps->table;
	uint64		hash;

	if (table->key->packed)
		return hj_key_hash_word(table->key,
								word_with_pattern(maps,
												  hj_row_store_word(&table->rows, row),
												  pattern));
	hj_row_store_read(&table->rows, row, table->key->ncols, table->key_cols,
					  maps->values, maps->nulls);
	hash = hash_with_pattern(maps, true, pattern);
	MemoryContextReset(maps->scratch);
	return hash;
}

/* Leaves garbage in scratch; values are the caller's. */
static uint64
probe_hash(HjNullMaps *maps, const HjKeySet *keys, int i, int pattern)
{
	HjJoinKey  *key = maps->table->key;

	if (key->packed)
		return hj_key_hash_word(key, word_with_pattern(maps, keys->word[i], pattern));
	for (int k = 0; k < key->ncols; k++)
	{
		maps->values[k] = keys->values[k][i];
		maps->nulls[k] = keys->nulls[k][i];
	}
	return hash_with_pattern(maps, false, pattern);
}

/* Are all key columns NULL, so that any build row will do? */
static bool
matches_any(const HjNullMaps *maps, int pattern)
{
	return maps->only_open && pattern == (1 << maps->nopen) - 1;
}

/* The slot of a tag, or an empty one. */
static HjSlot *
find_slot(const HjHashMap *map, uint64 hash)
{
	uint64		at = hj_hash_map_slot(map, hash);

	while (map->slots[at].row != 0 && map->slots[at].tag != (uint32) hash)
		at = hj_hash_map_after(map, at);
	return &map->slots[at];
}

/* Link all rows in, from last to first. */
static void
fill_map(HjNullMaps *maps, HjPatternMap *pmap, int pattern)
{
	bool		any = matches_any(maps, pattern);

	for (uint32 row = maps->table->rows.nrows; row-- > 0;)
	{
		uint64		hash = any ? 0 : build_hash(maps, row, pattern);
		HjSlot	   *slot = find_slot(&pmap->map, hash);

		CHECK_FOR_INTERRUPTS();
		pmap->patterns |= PATTERN_BIT(pattern_of_build_row(maps, row) | pattern);
		slot->tag = (uint32) hash;
		pmap->next[row] = slot->row;
		slot->row = row + 1;
	}
}

/* The map for probe rows of a pattern; NULL if there is no room for one. */
static HjPatternMap *
pattern_map(HjNullMaps *maps, int pattern)
{
	HjBuildTable *table = maps->table;
	HjPatternMap *pmap = &maps->maps[pattern];
	uint32		nrows = table->rows.nrows;
	uint64		nslots = matches_any(maps, pattern) ? 2 : (uint64) nrows * 2 + 1;
	Size		bytes = nslots * sizeof(HjSlot) + (Size) nrows * sizeof(uint32);

	if (pmap->tried)
		return pmap->map.slots != NULL ? pmap : NULL;
	pmap->tried = true;
	if (hj_build_table_bytes(table) + maps->bytes + bytes > maps->limit)
		return NULL;
	pmap->map.nslots = nslots;
	pmap->map.slots =
		MemoryContextAllocExtended(table->cxt, nslots * sizeof(HjSlot),
								   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	pmap->next = MemoryContextAllocHuge(table->cxt, nrows * sizeof(uint32));
	maps->bytes += bytes;
	fill_map(maps, pmap, pattern);
	return pmap;
}

/* ----------------------------------------------------------------
 *		Visits
 * ----------------------------------------------------------------
 */

/* One probe row, and who wants to see what matches it. */
typedef struct Visitor
{
	HjNullMaps *maps;
	const HjKeySet *keys;
	int			i;
	const HjMatchBits *marks;
	HjVisitRow	visit;
	void	   *arg;
} Visitor;

/* A chain of the table's own map. */
static bool
visit_chain(Visitor *v, uint32 head)
{
	HjBuildTable *table = v->maps->table;

	if (head != 0 && v->marks != NULL && hj_match_bits_get(v->marks, head - 1))
		return false;
	for (uint32 row = head; row != 0; row = hj_build_table_next(table, row))
	{
		CHECK_FOR_INTERRUPTS();
		if (table->key->chains_by_hash &&
			!rows_match(v->maps, v->keys, v->i, row - 1))
			continue;
		if (v->visit(v->arg, row - 1) == HJ_VISIT_STOP)
			return true;
	}
	return false;
}

/* A chain of a pattern's map: all rows of a tag. */
static bool
visit_pattern_chain(Visitor *v, HjPatternMap *pmap, HjSlot *slot)
{
	uint32		before = 0;
	uint32		next;

	for (uint32 row = slot->row; row != 0 && row != HJ_NO_ROWS; row = next)
	{
		HjVisit		said = HJ_VISIT_ON;

		CHECK_FOR_INTERRUPTS();
		next = pmap->next[row - 1];
		if (rows_match(v->maps, v->keys, v->i, row - 1))
			said = v->visit(v->arg, row - 1);
		if (said == HJ_VISIT_STOP)
			return true;
		if (said == HJ_VISIT_ON)
			before = row;
		else if (before != 0)
			pmap->next[before - 1] = next;
		else
			slot->row = (next != 0) ? next : HJ_NO_ROWS;
	}
	return false;
}

static bool
visit_all(Visitor *v)
{
	for (uint32 row = 0; row < v->maps->table->rows.nrows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		if (rows_match(v->maps, v->keys, v->i, row) &&
			v->visit(v->arg, row) == HJ_VISIT_STOP)
			return true;
	}
	return false;
}

/* Look probe row i up in the table, with NULLs put in. */
static uint32
look_up(HjNullMaps *maps, const HjKeySet *keys, int i, int pattern)
{
	HjJoinKey  *key = maps->table->key;
	uint32		head;

	if (key->packed)
		return hj_probe_word(maps->table,
							 word_with_pattern(maps, keys->word[i], pattern));
	maps->one.hash[0] = probe_hash(maps, keys, i, pattern);
	maps->one.usable[0] = true;
	for (int k = 0; k < key->ncols; k++)
	{
		maps->one.values[k][0] = maps->values[k];
		maps->one.nulls[k][0] = maps->nulls[k];
	}
	hj_probe_heads(maps->table, &maps->one, 1, &head, maps->scratch);
	return head;
}

/* By the table's own map, for every pattern of its rows. */
static bool
visit_by_table(Visitor *v, int pattern, uint32 head)
{
	HjNullMaps *maps = v->maps;

	for (int p = 0; p < 1 << maps->nopen; p++)
	{
		if ((maps->patterns & PATTERN_BIT(p)) &&
			visit_chain(v, p == pattern ? head : look_up(maps, v->keys, v->i, p)))
			return true;
	}
	return false;
}

/* By a map of its own. */
static bool
visit_by_pattern(Visitor *v, HjPatternMap *pmap, int pattern)
{
	HjNullMaps *maps = v->maps;

	if (matches_any(maps, pattern))
		return visit_pattern_chain(v, pmap, find_slot(&pmap->map, 0));
	for (int p = 0; p < 1 << maps->nopen; p++)
	{
		uint64		hash;

		if (!(pmap->patterns & PATTERN_BIT(p)))
			continue;
		hash = probe_hash(maps, v->keys, v->i, p);
		MemoryContextReset(maps->scratch);
		if (visit_pattern_chain(v, pmap, find_slot(&pmap->map, hash)))
			return true;
	}
	return false;
}

/* Do all patterns of the table's rows include this one? */
static bool
table_serves(const HjNullMaps *maps, int pattern)
{
	for (int p = 0; p < 1 << maps->nopen; p++)
	{
		if ((maps->patterns & PATTERN_BIT(p)) && (p & pattern) != pattern)
			return false;
	}
	return true;
}

bool
hj_null_maps_visit(HjNullMaps *maps, const HjKeySet *keys, int i, uint32 head,
				   const HjMatchBits *marks, HjVisitRow visit, void *arg)
{
	Visitor		v = {maps, keys, i, marks, visit, arg};
	int			pattern = pattern_of_probe_row(maps, keys, i);
	HjPatternMap *pmap = NULL;

	if (table_serves(maps, pattern))
		return visit_by_table(&v, pattern, head);
	if (maps->may_drop || !matches_any(maps, pattern))
		pmap = pattern_map(maps, pattern);
	return pmap != NULL ? visit_by_pattern(&v, pmap, pattern) : visit_all(&v);
}
