-- Rows in blocks: heap pages read where they stand, chunks of output columns,
-- and chunks handed from one of our nodes to the next.
\set test executor_blocks
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
SET compare.table_bytes = 20000;

-- Tuples of every shape on the same pages: NULLs before the key, columns behind
-- one of variable length, tuples older than their last columns, a dropped column.
CREATE TABLE shapes (a int, dropped int, t text, k int, n numeric, u text, v int);
INSERT INTO shapes SELECT CASE WHEN g % 3 = 0 THEN g END, g, CASE WHEN g % 5 > 0 THEN repeat('x', g % 300) END,
	g % 400, g, CASE WHEN g % 7 > 0 THEN g::text END, g FROM generate_series(1, 1500) g;
ALTER TABLE shapes DROP COLUMN dropped;
ALTER TABLE shapes ADD COLUMN late int DEFAULT 42, ADD COLUMN later text;
INSERT INTO shapes SELECT g, 'y', g % 400, g, 'z', g, g, 'w' FROM generate_series(1501, 2000) g;
CREATE TABLE dim (id int, name text, late int);
INSERT INTO dim SELECT g, 'name ' || g, g % 50 FROM generate_series(0, 350) g;
INSERT INTO dim SELECT g, 'again ' || g, g % 50 FROM generate_series(0, 350, 9) g;
INSERT INTO dim VALUES (NULL, 'null', NULL);
ANALYZE;

SELECT compare('SELECT count(*) FROM shapes s JOIN dim d ON d.id = s.k');
SELECT compare('SELECT s.v, d.name FROM shapes s JOIN dim d ON d.id = s.k');
SELECT compare('SELECT s.a, s.v FROM shapes s LEFT JOIN dim d ON d.id = s.a');
SELECT compare('SELECT s.late, s.later, d.name FROM shapes s JOIN dim d ON d.late = s.late');
SELECT compare('SELECT s.t, s.n, s.u, s.v, d.name FROM shapes s FULL JOIN dim d ON d.id = s.k');
SELECT compare('SELECT s.v FROM shapes s WHERE EXISTS (SELECT FROM dim d WHERE d.id = s.a)');
SELECT compare('SELECT s.v FROM shapes s WHERE NOT EXISTS (SELECT FROM dim d WHERE d.id = s.a)');
SELECT compare('SELECT d.name FROM dim d WHERE EXISTS (SELECT FROM shapes s WHERE s.a = d.id)');
SELECT compare('SELECT d.name FROM dim d WHERE NOT EXISTS (SELECT FROM shapes s WHERE s.a = d.id)');
SELECT compare('SELECT s.v, d.name FROM shapes s RIGHT JOIN dim d ON d.id = s.k');
SELECT compare('SELECT s.v, d.name FROM shapes s JOIN dim d ON ''name '' || d.id = d.name AND d.id = s.k WHERE s.v % 2 = 0');
SELECT compare('SELECT s.t, x.t FROM shapes s JOIN shapes x ON s.t = x.t WHERE s.v < 100');
-- a build row is put out once, however many rows of one block ask for it
CREATE TABLE once (id int);
INSERT INTO once SELECT g FROM generate_series(0, 99) g;
ANALYZE once;
SELECT join_types('SELECT o.id FROM once o WHERE EXISTS (SELECT FROM shapes s WHERE s.k = o.id)');
SELECT compare('SELECT o.id FROM once o WHERE EXISTS (SELECT FROM shapes s WHERE s.k = o.id)');
SELECT compare('SELECT o.id FROM once o WHERE NOT EXISTS (SELECT FROM shapes s WHERE s.k = o.id AND s.v < 50)');
-- two matches of a row, none of the next, one of the third: not a run of rows
SELECT compare('SELECT p.k, p.g, b.w FROM (SELECT (g % 3)::text AS k, g FROM generate_series(0, 2999) g OFFSET 0) p JOIN (VALUES (''0'', 10), (''0'', 11), (''2'', 12)) b(k, w) USING (k)');
-- the scan's own clauses see every row once, and are counted
SELECT compare('SELECT s.v FROM shapes s JOIN dim d ON d.id = s.k WHERE s.n > 700 AND s.u <> ''z''');
-- a block ends where the page ends, a batch in the middle of a page, a chunk in
-- the middle of a chain
SET hashjoin_ext.batch_size = 7;
SELECT compare('SELECT s.v, d.name FROM shapes s JOIN dim d ON d.id = s.k');
RESET hashjoin_ext.batch_size;

-- Our node over ours: the rows go from one to the next without a tuple.
CREATE TABLE fact (a int, b int, c text, d int8, v int);
INSERT INTO fact SELECT g % 311, CASE WHEN g % 10 > 0 THEN g % 211 END, 'name ' || g % 380, g % 97, g FROM generate_series(1, 3000) g;
ANALYZE fact;
CREATE FUNCTION star(kind text, cols text) RETURNS text LANGUAGE sql AS $$
	SELECT format('SELECT %2$s FROM fact f %1$s JOIN dim x ON x.id = f.a %1$s JOIN dim y ON y.id = f.b %1$s JOIN dim z ON z.name = f.c %1$s JOIN dim w ON w.late = f.d AND w.name < ''name 12''', kind, cols)
$$;
SELECT join_types(star('', 'f.v'));
SELECT compare(star('', 'f.v, x.name, y.name, z.id, w.id'));
SELECT compare(star('', 'count(*), sum(f.v), min(x.name), max(y.name), sum(z.id), sum(w.id)'));
SELECT compare(star('LEFT', 'f.v, f.c, x.name, y.name, z.id, w.id'));
SELECT compare(star('', 'f'));
SELECT compare('SELECT f.v, f.c FROM fact f WHERE EXISTS (SELECT FROM dim x WHERE x.id = f.a) AND NOT EXISTS (SELECT FROM dim y WHERE y.id = f.b) AND EXISTS (SELECT FROM dim z WHERE z.name = f.c)');
-- a clause between, and a residual in the middle of the pipeline
SELECT compare('SELECT f.v, x.name, y.name FROM fact f LEFT JOIN dim x ON x.id = f.a JOIN dim y ON y.id = f.b AND y.late IS DISTINCT FROM x.late LEFT JOIN dim z ON z.id = f.b + 1');
-- right and full joins below put out rows that the probe never saw
SELECT compare('SELECT f.v, x.name, y.name FROM fact f RIGHT JOIN dim x ON x.id = f.a LEFT JOIN dim y ON y.id = f.b');
SELECT compare('SELECT f.v, x.name, y.name FROM (SELECT * FROM fact WHERE v < 400) f FULL JOIN dim x ON x.id = f.a FULL JOIN dim y ON y.id = f.b');
-- a build side that is a join of ours
SELECT compare('SELECT f.v, s.name FROM fact f JOIN (SELECT x.id, y.name FROM dim x JOIN dim y ON x.late = y.id) s ON s.id = f.a');
SELECT compare('SELECT f.late, s.c FROM dim f LEFT JOIN (SELECT x.v, x.c FROM fact x JOIN dim y ON x.a = y.id WHERE x.v < 300) s ON s.v = f.id');
-- rescans from above, changed parameters below
SELECT compare('SELECT o, s.* FROM generate_series(1, 5) o, LATERAL (SELECT count(*), sum(x.id) FROM fact f JOIN dim x ON x.id = f.a JOIN dim y ON y.id = f.b WHERE f.v % 5 < o) s');
SELECT compare('SELECT o, s.* FROM generate_series(1, 5) o, LATERAL (SELECT f.v, y.name FROM fact f JOIN dim x ON x.id = f.a AND x.late > o * 5 JOIN dim y ON y.id = f.b LIMIT o * 100000) s');
-- LIMIT and cursors stop in the middle of a chunk
SELECT compare('SELECT count(*) FROM (' || star('', 'f.v') || ' LIMIT 1234) s');
BEGIN;
SET LOCAL hashjoin_ext.enable = force;
DECLARE c CURSOR FOR SELECT x.late, y.late FROM fact f JOIN dim x ON x.id = f.a JOIN dim y ON y.id = f.b;
MOVE 100 IN c;
MOVE 1000 IN c;
MOVE ALL IN c;
MOVE 1 IN c;
COMMIT;

-- Wide values: a block is taken in parts, so that few are in memory at once.
CREATE TABLE wide (id int, k text, h int);
INSERT INTO wide SELECT g, CASE WHEN g % 9 > 0 THEN repeat(md5((g / 2)::text), 3000) END, g % 4 FROM generate_series(1, 120) g;
ANALYZE wide;
SELECT compare('SELECT a.id, b.id, md5(b.k) FROM wide a JOIN wide b USING (k)');
SELECT compare('SELECT a.id, md5(a.k) FROM wide a WHERE NOT EXISTS (SELECT FROM wide b WHERE b.k = a.k AND b.id < 50)');
SELECT compare('SELECT md5(a.k), x.late, y.late FROM (SELECT *, repeat(k, 3) AS kkk FROM wide OFFSET 0) a JOIN dim x ON x.late = a.h JOIN dim y ON y.id = a.id + x.late');
SELECT compare('SELECT length(a.kkk), x.late, y.name FROM (SELECT *, repeat(k, 3) AS kkk FROM wide OFFSET 0) a JOIN dim x ON x.late = a.h JOIN dim y ON y.id = a.id');

-- EXPLAIN ANALYZE counts the same rows in every node, however they travel.
CREATE FUNCTION counted(q text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	j jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, SUMMARY OFF, FORMAT JSON) ' || q INTO j;
	RETURN QUERY SELECT concat_ws(' ', n ->> 'Alias', 'rows', (n ->> 'Actual Rows')::float8, 'loops', n ->> 'Actual Loops', 'removed', coalesce(n ->> 'Rows Removed by Filter', '0'))
		FROM jsonb_path_query(j, 'strict $.** ? (@."Node Type" == "Seq Scan" || @."Node Type" == "Hash Join" || @."Custom Plan Provider" == "HashJoinExt")') n
		ORDER BY 1;
END $$;
CREATE FUNCTION counted_same(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	a text[];
	b text[];
BEGIN
	PERFORM set_config('enable_mergejoin', 'off', true), set_config('enable_nestloop', 'off', true), set_config('hashjoin_ext.enable', 'off', true);
	a := ARRAY(SELECT counted(q));
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	b := ARRAY(SELECT counted(q));
	PERFORM set_config('hashjoin_ext.enable', 'off', true), set_config('enable_mergejoin', 'on', true), set_config('enable_nestloop', 'on', true);
	RETURN CASE WHEN a = b THEN 'same: ' || array_to_string(a, '; ') ELSE 'DIFFERENT: ' || a::text || ' / ' || b::text END;
END $$;
SELECT counted_same('SELECT sum(f.v) FROM fact f JOIN dim x ON x.id = f.a JOIN (SELECT DISTINCT ON (id) id FROM dim OFFSET 0) y ON y.id = f.b WHERE f.v > 500 AND x.late > 3');

-- Keys in the order of the rows: no array is needed, and none is missed.
CREATE TABLE serial_build (k int8, w int);
CREATE TABLE serial_probe (k int8);
INSERT INTO serial_probe SELECT g FROM generate_series(-10, 3010) g;
INSERT INTO serial_probe VALUES (NULL), (9223372036854775807), (-9223372036854775808), (9223372036854775806);
-- In units of 8 kB: an array of 2000 slots takes one.  What the node takes besides
-- differs by less between releases.
CREATE FUNCTION about(props text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(props, '\d+$', '') || round(substring(props FROM '\d+$')::int / 8.0) * 8
$$;
CREATE FUNCTION in_order(keys text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE serial_build;
	EXECUTE 'INSERT INTO serial_build SELECT k, row_number() OVER () FROM (' || keys || ') s(k)';
	ANALYZE serial_build, serial_probe;
	RETURN compare('SELECT p.k, b.w FROM serial_probe p LEFT JOIN (SELECT * FROM serial_build OFFSET 0) b USING (k)') || '; ' ||
		about(node_props('SELECT p.k, b.w FROM serial_probe p LEFT JOIN (SELECT * FROM serial_build OFFSET 0) b USING (k)', 'Map', 'Memory Usage'));
END $$;
SELECT in_order('SELECT g FROM generate_series(1, 2000) g');
SELECT in_order('SELECT g FROM generate_series(2000, 1, -1) g');
SELECT in_order('SELECT g FROM generate_series(1, 2000) g WHERE g <> 1000');
SELECT in_order('SELECT g FROM generate_series(1, 1999) g UNION ALL SELECT 1999');
SELECT in_order('SELECT g FROM generate_series(2, 2000) g UNION ALL SELECT 1');
SELECT in_order('VALUES (9223372036854775806), (9223372036854775807)');
SELECT in_order('VALUES (9223372036854775807), (-9223372036854775808)');
SELECT in_order('VALUES (-9223372036854775808), (-9223372036854775807)');

-- Semi and anti joins keep one row of a key, whatever kind of key.
CREATE TABLE many (i int, t text, n numeric, p int, q int2);
INSERT INTO many SELECT g % 1000 * 1000, 'key ' || g % 1000, g % 1000, g % 50, g % 20 FROM generate_series(1, 20000) g;
INSERT INTO many SELECT g * 1000, 'key ' || g, g, g, 1 FROM generate_series(1001, 1100) g;
INSERT INTO many VALUES (NULL, NULL, NULL, NULL, NULL);
CREATE TABLE asking AS SELECT g * 500 AS i, 'key ' || g AS t, g / 2.0 AS n, g AS p, (g % 30)::int2 AS q FROM generate_series(0, 2300) g;
INSERT INTO asking SELECT asking.* FROM asking, generate_series(1, 11);
INSERT INTO asking VALUES (NULL, NULL, NULL, NULL, NULL);
ANALYZE many, asking;
CREATE FUNCTION semi_anti(cond text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	q text := 'SELECT a.i, a.t FROM asking a WHERE %s EXISTS (SELECT FROM many m WHERE ' || cond || ')';
BEGIN
	RETURN concat_ws('; ', join_types(format(q, '')), compare(format(q, '')), compare(format(q, 'NOT')),
		node_props(format(q, ''), 'Build Rows'), node_props(format(q, 'NOT'), 'Build Rows'));
END $$;
SET enable_hashagg = off;
SELECT semi_anti('m.i = a.i');
SELECT semi_anti('m.t = a.t');
SELECT semi_anti('m.n = a.n');
SELECT semi_anti('m.p = a.p AND m.q = a.q');
SELECT semi_anti('m.t = a.t AND m.i = a.i * 2');
-- not with a residual: it decides which of the rows counts
SELECT semi_anti('m.i = a.i AND m.p < a.p');
DROP SCHEMA executor_blocks CASCADE;
