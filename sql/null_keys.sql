-- IS NOT DISTINCT FROM as a join key: NULL meets NULL, and nothing else.  For
-- every join type and kind of key, alone and beside ordinary keys, with rows in
-- files, with array map and without.
\set test null_keys
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
\set spill_helpers :abs_srcdir '/sql/include/spill.sql'
\i :spill_helpers

-- one column of each kind of key; every third or fourth row is NULL
CREATE TABLE a AS
	SELECT CASE WHEN g % 4 > 0 THEN x END::int AS i, CASE WHEN g % 3 > 0 THEN x END::int2 AS s,
		CASE WHEN g % 4 > 0 THEN (x::int8 << 33) + x END AS l, CASE WHEN g % 3 > 0 THEN 'key ' || x END AS t,
		CASE WHEN g % 4 > 0 THEN x + 0.50 END AS m, CASE WHEN g % 3 > 0 THEN md5(x::text)::uuid END AS u,
		CASE WHEN g % 4 > 0 THEN x % 2 = 0 END AS o, CASE WHEN g % 3 > 0 THEN ARRAY[x, NULL] END AS r,
		CASE WHEN g % 4 > 0 THEN x::text END::char(5) AS c, g % 5 AS j, g AS v
	FROM (SELECT g, g % 23 - 3 AS x FROM generate_series(1, 60) g) s;
CREATE TABLE b AS
	SELECT CASE WHEN g % 5 > 0 THEN x END::int AS i, CASE WHEN g % 4 > 0 THEN x END::int2 AS s,
		CASE WHEN g % 5 > 0 THEN (x::int8 << 33) + x END AS l, CASE WHEN g % 4 > 0 THEN 'key ' || x END AS t,
		CASE WHEN g % 5 > 0 THEN x + 0.5 END AS m, CASE WHEN g % 4 > 0 THEN md5(x::text)::uuid END AS u,
		CASE WHEN g % 5 > 0 THEN x % 2 = 0 END AS o, CASE WHEN g % 4 > 0 THEN ARRAY[x, NULL] END AS r,
		CASE WHEN g % 5 > 0 THEN x::text END::char(9) AS c, g % 4 AS j, g AS w
	FROM (SELECT g, g % 31 - 6 AS x FROM generate_series(1, 50) g) s;
CREATE TABLE none AS SELECT * FROM b LIMIT 0;
CREATE TABLE nulls AS SELECT NULL::int AS i, NULL::int8 AS l, NULL::text AS t, g AS w FROM generate_series(1, 4) g;
CREATE TABLE bare AS SELECT * FROM b WHERE i IS NOT NULL;
ANALYZE;

-- q with our node against another query without it: for what stock refuses.
CREATE FUNCTION compare_with(oracle text, q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	want text[] := run(oracle);
	diff text;
	c record;
	who text;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	FOR c IN SELECT * FROM (VALUES (1024, 64, 0), (1, 0, 0), (2, 3, 1), (1024, 64, 1)) AS v(batch_size, hash_bits, table_bytes) LOOP
		PERFORM set_config('hashjoin_ext.batch_size', c.batch_size::text, true),
			set_config('hashjoin_ext.debug_hash_bits', c.hash_bits::text, true),
			set_config('hashjoin_ext.debug_table_bytes', c.table_bytes::text, true);
		diff := coalesce(diff, difference(want, run(q)));
	END LOOP;
	who := whose(q);
	PERFORM set_config('hashjoin_ext.enable', 'off', true),
		set_config('hashjoin_ext.batch_size', '1024', true),
		set_config('hashjoin_ext.debug_hash_bits', '64', true),
		set_config('hashjoin_ext.debug_table_bytes', '0', true);
	RETURN coalesce(diff, 'same, ' || cardinality(want) || ' rows') || who;
END $$;

CREATE FUNCTION full_join(list text, cond text) RETURNS text LANGUAGE sql AS $$
	SELECT compare_with(
		format('SELECT %1$s FROM a LEFT JOIN b ON %2$s UNION ALL SELECT %1$s FROM (SELECT * FROM a LIMIT 0) a RIGHT JOIN b ON NOT EXISTS (SELECT FROM a WHERE %2$s) WHERE NOT EXISTS (SELECT FROM a WHERE %2$s)', list, cond),
		format('SELECT %1$s FROM a FULL JOIN b ON %2$s', list, cond))
$$;

-- every join type with one kind of key
CREATE FUNCTION joins(k text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT j || ': ' || compare(q)
	FROM (VALUES
		('inner', format('SELECT v, w, a.%1$I, b.%1$I FROM a JOIN b ON a.%1$I IS NOT DISTINCT FROM b.%1$I', k)),
		('left', format('SELECT v, w, b.%1$I FROM a LEFT JOIN b ON a.%1$I IS NOT DISTINCT FROM b.%1$I', k)),
		('right', format('SELECT v, w, a.%1$I FROM a RIGHT JOIN b ON NOT (a.%1$I IS DISTINCT FROM b.%1$I)', k)),
		('semi', format('SELECT v, %1$I FROM a WHERE EXISTS (SELECT FROM b WHERE a.%1$I IS NOT DISTINCT FROM b.%1$I)', k)),
		('anti', format('SELECT v, %1$I FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.%1$I IS NOT DISTINCT FROM a.%1$I)', k)),
		('semi, the other side', format('SELECT w, %1$I FROM b WHERE EXISTS (SELECT FROM a WHERE a.%1$I IS NOT DISTINCT FROM b.%1$I)', k)),
		('anti, the other side', format('SELECT w, %1$I FROM b WHERE NOT EXISTS (SELECT FROM a WHERE a.%1$I IS NOT DISTINCT FROM b.%1$I)', k)),
		('left, residual', format('SELECT v, w FROM a LEFT JOIN b ON a.%1$I IS NOT DISTINCT FROM b.%1$I AND v %% 3 <> w %% 2', k)),
		('semi, residual', format('SELECT v FROM a WHERE EXISTS (SELECT FROM b WHERE a.%1$I IS NOT DISTINCT FROM b.%1$I AND v %% 3 <> w %% 2)', k)),
		('anti, residual', format('SELECT v FROM a WHERE NOT EXISTS (SELECT FROM b WHERE a.%1$I IS NOT DISTINCT FROM b.%1$I AND v %% 3 <> w %% 2)', k)),
		('beside a key', format('SELECT v, w, a.%1$I FROM a LEFT JOIN b ON a.%1$I IS NOT DISTINCT FROM b.%1$I AND a.j = b.j', k)),
		('an expression', format('SELECT v + w, b.%1$I FROM a JOIN b ON a.%1$I IS NOT DISTINCT FROM b.%1$I', k))) q(j, q)
	UNION ALL SELECT 'full: ' || full_join(format('v, w, a.%1$I, b.%1$I', k), format('a.%1$I IS NOT DISTINCT FROM b.%1$I', k))
	UNION ALL SELECT 'full, residual: ' || full_join('v, w', format('a.%1$I IS NOT DISTINCT FROM b.%1$I AND v %% 3 <> w %% 2', k))
$$;
SELECT joins('i');
SELECT joins('s');
SELECT joins('l');
SELECT joins('t');
SELECT joins('m');
SELECT joins('u');
SELECT joins('o');
SELECT joins('r');
SELECT joins('c');

-- both sides can be built
SELECT join_types('SELECT v FROM a WHERE EXISTS (SELECT FROM b WHERE a.i IS NOT DISTINCT FROM b.i)');
SELECT join_types('SELECT w FROM none WHERE NOT EXISTS (SELECT FROM a WHERE a.i IS NOT DISTINCT FROM none.i)');

-- several columns: packed, too wide for it, not packed; of several widths
SELECT compare('SELECT v, w, a.i, b.s FROM a LEFT JOIN b ON a.i IS NOT DISTINCT FROM b.i AND a.s IS NOT DISTINCT FROM b.s');
SELECT compare('SELECT v, w, a.i, b.s FROM a LEFT JOIN b ON a.i = b.i AND a.s IS NOT DISTINCT FROM b.s');
SELECT compare('SELECT v, w, a.i, b.l FROM a LEFT JOIN b ON a.i IS NOT DISTINCT FROM b.i AND a.l IS NOT DISTINCT FROM b.l');
SELECT compare('SELECT v, w FROM a RIGHT JOIN b ON a.l = b.l AND a.o IS NOT DISTINCT FROM b.o');
SELECT compare('SELECT v, w FROM a JOIN b ON a.o IS NOT DISTINCT FROM b.o AND a.s IS NOT DISTINCT FROM b.s AND a.i IS NOT DISTINCT FROM b.i');
SELECT compare('SELECT v, w FROM a JOIN b ON a.i IS NOT DISTINCT FROM b.s');
SELECT compare('SELECT v, w FROM a JOIN b ON a.l IS NOT DISTINCT FROM b.s');
SELECT compare('SELECT v, w FROM a LEFT JOIN b ON a.t IS NOT DISTINCT FROM b.t AND a.i = b.i AND a.m IS NOT DISTINCT FROM b.m');
SELECT compare('SELECT v, w FROM a LEFT JOIN b ON (a.i, a.t) IS NOT DISTINCT FROM (b.i, b.t)');
SELECT full_join('v, w', 'a.i IS NOT DISTINCT FROM b.i AND a.t IS NOT DISTINCT FROM b.t');
SELECT full_join('v, w', 'a.i = b.i AND a.s IS NOT DISTINCT FROM b.s');
-- expressions that make NULLs, and hide them
SELECT compare('SELECT v, w FROM a JOIN b ON nullif(a.v, 7) IS NOT DISTINCT FROM nullif(b.w, 9)');
SELECT compare('SELECT v, w FROM a JOIN b ON coalesce(a.i, 1) IS NOT DISTINCT FROM b.i');
-- above and below outer joins
SELECT compare('SELECT a.v, b.w, x.w FROM a LEFT JOIN b ON a.v = b.w LEFT JOIN b x ON x.i IS NOT DISTINCT FROM b.i');
SELECT compare('SELECT a.v, b.w FROM a LEFT JOIN b ON a.v = b.w WHERE a.i IS NOT DISTINCT FROM b.i');
-- one side empty, one side only NULLs, no NULL on one side
SELECT compare('SELECT v, w FROM a LEFT JOIN none ON a.i IS NOT DISTINCT FROM none.i');
SELECT compare(format('SELECT v, w, a.%1$I FROM a LEFT JOIN nulls ON a.%1$I IS NOT DISTINCT FROM nulls.%1$I', k))
	FROM unnest(ARRAY['i', 'l', 't']) k;
SELECT compare(format('SELECT v, w, a.%1$I FROM nulls LEFT JOIN a ON a.%1$I IS NOT DISTINCT FROM nulls.%1$I', k))
	FROM unnest(ARRAY['i', 'l', 't']) k;
SELECT compare('SELECT v, w FROM a LEFT JOIN bare ON a.i IS NOT DISTINCT FROM bare.i');
SELECT compare('SELECT v, w FROM bare LEFT JOIN a ON a.i IS NOT DISTINCT FROM bare.i');
-- a NULL constant is no join condition
SELECT compare('SELECT v, w FROM a JOIN b ON a.j = b.j WHERE a.i IS NOT DISTINCT FROM NULL');

-- the NULL has a slot of its own in an array map
SELECT node_props('SELECT v, w FROM a JOIN b ON a.i IS NOT DISTINCT FROM b.i', 'Map', 'Map Reason');
SELECT node_props('SELECT v, w FROM a JOIN nulls ON a.i IS NOT DISTINCT FROM nulls.i', 'Map', 'Map Reason');
SELECT node_props('SELECT v, w FROM a JOIN b ON a.l IS NOT DISTINCT FROM b.l', 'Map', 'Map Reason');
SELECT node_props('SELECT v, w FROM a JOIN b ON a.i IS NOT DISTINCT FROM b.i AND a.s IS NOT DISTINCT FROM b.s', 'Map', 'Map Reason');
SET hashjoin_ext.array_map = off;
SELECT compare('SELECT v, w FROM a LEFT JOIN b ON a.i IS NOT DISTINCT FROM b.i');
RESET hashjoin_ext.array_map;

-- larger than memory: dense keys and sparse ones, where a filter knows what is
-- in files
SET compare.table_bytes = 20000;
CREATE TABLE large AS SELECT CASE WHEN g % 10 > 0 THEN g END AS d, CASE WHEN g % 10 > 0 THEN hashint4(g) END AS h, 'key ' || CASE WHEN g % 10 > 0 THEN g END AS t, g AS v FROM generate_series(1, 4000) g;
CREATE TABLE more AS SELECT d, h, t, v AS w FROM large WHERE v % 3 = 0 AND (v % 10 > 0 OR v < 40) UNION ALL SELECT v + 10000, v, 'more ' || v, v FROM large WHERE v > 1000;
ANALYZE;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT spilled(format('SELECT v, w FROM large LEFT JOIN more ON large.%1$I IS NOT DISTINCT FROM more.%1$I', k)) FROM unnest(ARRAY['d', 'h', 't']) k;
SELECT spilled(format('SELECT v, w FROM more LEFT JOIN large ON large.%1$I IS NOT DISTINCT FROM more.%1$I', k)) FROM unnest(ARRAY['d', 'h', 't']) k;
SELECT spilled(format('SELECT v FROM large WHERE NOT EXISTS (SELECT FROM more WHERE large.%1$I IS NOT DISTINCT FROM more.%1$I)', k)) FROM unnest(ARRAY['d', 'h', 't']) k;
RESET work_mem;

-- FULL JOIN: stock refuses, and what is left to stock is refused as ever
SELECT run('SELECT v, w FROM a FULL JOIN b ON a.i IS NOT DISTINCT FROM b.i');
SET hashjoin_ext.enable = consider;
SELECT run('SELECT v, w FROM a FULL JOIN b ON a.i IS NOT DISTINCT FROM b.i');
SET hashjoin_ext.enable = on;
SELECT count(*) FROM a FULL JOIN b ON a.i IS NOT DISTINCT FROM b.i;
SET enable_hashjoin = off;
SELECT count(*) FROM a FULL JOIN b ON a.i IS NOT DISTINCT FROM b.i;
RESET enable_hashjoin;
-- the clause is shown as what it is
SET hashjoin_ext.enable = force;
EXPLAIN (COSTS OFF) SELECT * FROM a FULL JOIN b ON a.i IS NOT DISTINCT FROM b.i;
EXPLAIN (COSTS OFF) SELECT * FROM a JOIN b ON b.i + 1 IS NOT DISTINCT FROM a.i AND a.j = b.j AND a.v < b.w;
-- what is no key: volatile, or without a hash function
EXPLAIN (COSTS OFF) SELECT * FROM a JOIN b ON a.i + (random() * 0)::int IS NOT DISTINCT FROM b.i AND a.j = b.j;
EXPLAIN (COSTS OFF) SELECT * FROM a JOIN b ON a.v::money IS NOT DISTINCT FROM b.w::money AND a.j = b.j;
SET hashjoin_ext.enable = off;

DROP SCHEMA null_keys CASCADE;
