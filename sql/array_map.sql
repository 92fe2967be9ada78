-- The array map: when it is used and when it is refused, at the borders of the
-- decision; the rows are those of the hash map, for every join type.
\set test array_map
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
SET compare.table_bytes = 20000;

CREATE TABLE probe (k int8, v int);
CREATE TABLE build (k int8, w int);
INSERT INTO probe SELECT g, g FROM generate_series(-5, 5) g;
-- many rows, so that the other side is the one that is built
INSERT INTO probe SELECT NULL, g FROM generate_series(1, 6000) g;
INSERT INTO probe VALUES (NULL, 99), (9223372036854775807, 1), (-9223372036854775808, 2), (0, 3);

-- What the map of "probe LEFT JOIN build" is for build keys that a query gives.
CREATE FUNCTION map_of(keys text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
	before text;
	q constant text := 'SELECT p.k, p.v, b.w FROM probe p LEFT JOIN (SELECT k, w FROM build OFFSET 0) b USING (k)';
BEGIN
	TRUNCATE build;
	EXECUTE 'INSERT INTO build SELECT k, row_number() OVER () FROM (' || keys || ') s(k)';
	ANALYZE probe, build;
	SELECT node_props(q, 'Map', 'Map Reason', 'Array Maps Created') INTO result;
	PERFORM set_config('hashjoin_ext.array_map', 'off', true);
	before := compare(q);
	PERFORM set_config('hashjoin_ext.array_map', 'on', true);
	RETURN result || CASE WHEN before = compare(q) AND before LIKE 'same%' THEN '' ELSE ' ' || before || ' / ' || compare(q) END;
END $$;

-- settings out of range
SET hashjoin_ext.array_map = maybe;
SET hashjoin_ext.array_map_small_range = -1;
SET hashjoin_ext.array_map_min_density = 1.5;
-- range: 1023 is below array_map_small_range, 1024 is not
SELECT map_of('VALUES (0), (1023)');
SELECT map_of('VALUES (0), (1024)');
-- density: above array_map_min_density, at it, below
SELECT map_of('SELECT g * 5 FROM generate_series(0, 999) g');
SELECT map_of('SELECT g FROM generate_series(1, 1500) g UNION ALL SELECT 10000');
SELECT map_of('SELECT g FROM generate_series(1, 1499) g UNION ALL SELECT 10000');
SELECT map_of('SELECT g FROM generate_series(1, 1498) g UNION ALL SELECT 10000');
SET hashjoin_ext.array_map_min_density = 0.2;
SELECT map_of('SELECT g * 5 FROM generate_series(0, 999) g');
SELECT map_of('SELECT g * 5 FROM generate_series(1, 1000) g');
SELECT map_of('SELECT g * 6 FROM generate_series(0, 999) g');
RESET hashjoin_ext.array_map_min_density;
SET hashjoin_ext.array_map_small_range = 0;
SELECT map_of('VALUES (7)');
SELECT map_of('VALUES (7), (20)');
RESET hashjoin_ext.array_map_small_range;
-- an outlier
SELECT map_of('SELECT g FROM generate_series(1, 1000) g UNION ALL SELECT 1000000000');
-- the whole domain, and one less
SELECT map_of('VALUES (9223372036854775807), (-9223372036854775808)');
SELECT map_of('VALUES (9223372036854775806), (-9223372036854775808)');
-- at the ends of the domain
SELECT map_of('SELECT 9223372036854775807 - g FROM generate_series(0, 10) g');
SELECT map_of('SELECT -9223372036854775808 + g FROM generate_series(0, 10) g');
-- NULLs do not count, duplicates are chained; empty, one row, only NULLs
SELECT map_of('SELECT nullif(g % 11, 0) FROM generate_series(1, 100) g');
SELECT map_of('SELECT 1 WHERE false');
SELECT map_of('VALUES (3)');
SELECT map_of('VALUES (NULL::int8), (NULL)');
-- switched off
SET hashjoin_ext.array_map = off;
SELECT map_of('VALUES (1), (2)');
RESET hashjoin_ext.array_map;
-- out of the memory limit: dense, but the array would not fit
SET work_mem = '400kB';
SET hash_mem_multiplier = 1;
SET hashjoin_ext.array_map_min_density = 0.05;
SELECT map_of('SELECT g * 16 FROM generate_series(1, 4000) g');
SELECT map_of('SELECT g * 16 FROM generate_series(1, 1000) g');
RESET hashjoin_ext.array_map_min_density;
RESET work_mem;
RESET hash_mem_multiplier;

-- Other types of key.  Timestamps are dense only at their own step.
CREATE FUNCTION map_of_types(type text, keys text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
	q constant text := 'SELECT p.k, b.w FROM tprobe p JOIN (SELECT k, w FROM tbuild OFFSET 0) b USING (k)';
BEGIN
	DROP TABLE IF EXISTS tprobe, tbuild;
	EXECUTE format('CREATE TABLE tprobe AS SELECT k::%s, row_number() OVER () AS v FROM (%s) s(k)', type, keys);
	EXECUTE format('CREATE TABLE tbuild AS SELECT k::%s, row_number() OVER () AS w FROM (%s) s(k)', type, keys);
	SELECT node_props(q, 'Map', 'Map Reason') INTO result;
	RETURN result || ', ' || compare(q);
END $$;
SELECT map_of_types('int2', 'SELECT g FROM generate_series(-50, 50) g');
SELECT map_of_types('int4', 'VALUES (2147483647), (-2147483648), (0)');
SELECT map_of_types('oid', 'SELECT 4294967295::int8 - g FROM generate_series(0, 50) g');
SELECT map_of_types('"char"', 'SELECT chr(g) FROM generate_series(32, 120) g');
SELECT map_of_types('bool', 'VALUES (true), (false), (NULL)');
SELECT map_of_types('date', 'SELECT date ''2020-01-01'' + g FROM generate_series(0, 3000) g');
SELECT map_of_types('timestamp', 'SELECT timestamp ''2020-01-01'' + g * interval ''1 microsecond'' FROM generate_series(0, 50) g');
SELECT map_of_types('timestamp', 'SELECT timestamp ''2020-01-01'' + g * interval ''1 hour'' FROM generate_series(0, 50) g');
SELECT map_of_types('text', 'SELECT g FROM generate_series(0, 50) g');

-- Several columns that fit one word: each counts by its own range.
CREATE TABLE m1 AS SELECT g % 40 AS a, g / 40 AS b, g AS v FROM generate_series(0, 1999) g;
CREATE TABLE m2 AS SELECT a - 3 AS a, b + 2 AS b, v FROM m1;
CREATE TABLE m3 AS SELECT (g % 10)::int2 AS a, (g / 10 % 10)::int2 AS b, (g / 100)::int2 AS c, g AS v FROM generate_series(0, 999) g;
SELECT node_props('SELECT m1.v, m2.v FROM m1 JOIN m2 USING (a, b)', 'Map', 'Map Reason');
SELECT compare('SELECT m1.v, m2.v FROM m1 JOIN m2 USING (a, b)');
SELECT compare('SELECT m1.v, m2.v FROM m1 FULL JOIN m2 USING (a, b)');
SELECT node_props('SELECT x.v, y.v FROM m3 x JOIN m3 y USING (a, b, c)', 'Map', 'Map Reason');
SELECT compare('SELECT x.v, y.v FROM m3 x LEFT JOIN m3 y ON x.a = y.b AND x.b = y.c AND x.c = y.a');
SELECT node_props('SELECT x.v, y.v FROM m1 x JOIN m1 y ON x.a::int8 = y.a AND x.b = y.b', 'Map', 'Map Reason');

-- All join types, with and without a residual, unique and not.
CREATE TABLE l AS SELECT nullif(g % 60, 0) AS k, g AS v FROM generate_series(1, 300) g;
CREATE TABLE r AS SELECT nullif(g % 90, 0) + 10 AS k, g AS w FROM generate_series(1, 200) g;
CREATE FUNCTION all_types(residual text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT t || ': ' || compare(format('SELECT l.*, r.* FROM l %s JOIN r ON l.k = r.k %s', t, residual))
		FROM unnest('{INNER,LEFT,RIGHT,FULL}'::text[]) t;
	RETURN QUERY SELECT n || 'EXISTS: ' || compare(format('SELECT * FROM l WHERE %s EXISTS (SELECT FROM r WHERE l.k = r.k %s)', n, residual))
		FROM unnest('{"",NOT }'::text[]) n;
	RETURN QUERY SELECT n || 'EXISTS, swapped: ' || compare(format('SELECT * FROM r WHERE %s EXISTS (SELECT FROM l WHERE l.k = r.k %s)', n, residual))
		FROM unnest('{"",NOT }'::text[]) n;
END $$;
SELECT all_types('');
SELECT all_types('AND (l.v + r.w) % 3 > 0');
SELECT node_props('SELECT * FROM l WHERE EXISTS (SELECT FROM r WHERE l.k = r.k)', 'Join Type', 'Map');

-- counters
CREATE EXTENSION IF NOT EXISTS hashjoin_ext;
SELECT hashjoin_ext_reset_stats();
SET hashjoin_ext.enable = force;
SELECT count(*) FROM l JOIN r USING (k);
SELECT count(*) FROM l x JOIN l y ON x.k::text = y.k::text;
SET hashjoin_ext.enable = off;
SELECT joins, array_maps, hash_maps FROM hashjoin_ext_stats();
DROP EXTENSION hashjoin_ext;
DROP SCHEMA array_map CASCADE;
