-- Build sides larger than their memory: every join type, kinds of keys, residual
-- quals; each in files, some split again, some joined in passes.
\set test spill_joins
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
\set spill_helpers :abs_srcdir '/sql/include/spill.sql'
\i :spill_helpers
SET compare.table_bytes = 20000;

-- n: sparse; d: dense; t: text; m: numeric; u: uuid; dup: 1000 keys; NULLs.
-- Both tables have keys that the other has not.
CREATE TABLE a AS
	SELECT hashint4(g)::int8 * 7 AS n, g AS d, 'key ' || g AS t, g + 0.50 AS m, md5(g::text)::uuid AS u,
		g % 1000 AS dup, g AS v
	FROM generate_series(1, 12000) g
	UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, g FROM generate_series(1, 500) g;
CREATE TABLE b AS
	SELECT hashint4(g)::int8 * 7 AS n, g AS d, 'key ' || g AS t, g + 0.5 AS m, md5(g::text)::uuid AS u,
		g % 1000 AS dup, g AS w
	FROM generate_series(6000, 15000) g
	UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, g FROM generate_series(1, 500) g;
ANALYZE a, b;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SET hashjoin_ext.batch_size = 100;

-- every join type with one kind of key
CREATE FUNCTION joins(k text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT j || ': ' || spilled(q)
	FROM (VALUES
		('inner', format('SELECT v, w, a.%1$I, b.%1$I FROM a JOIN b ON a.%1$I = b.%1$I', k)),
		('left', format('SELECT v, w, b.%1$I FROM a LEFT JOIN b ON a.%1$I = b.%1$I', k)),
		('right', format('SELECT v, w, a.%1$I FROM a RIGHT JOIN b ON a.%1$I = b.%1$I', k)),
		('full', format('SELECT v, w, a.%1$I, b.%1$I FROM a FULL JOIN b ON a.%1$I = b.%1$I', k)),
		('semi', format('SELECT v, %1$I FROM a WHERE EXISTS (SELECT FROM b WHERE a.%1$I = b.%1$I)', k)),
		('anti', format('SELECT v, %1$I FROM a WHERE NOT EXISTS (SELECT FROM b WHERE a.%1$I = b.%1$I)', k)),
		('semi, the other side', format('SELECT w, %1$I FROM b WHERE EXISTS (SELECT FROM a WHERE a.%1$I = b.%1$I)', k)),
		('anti, the other side', format('SELECT w, %1$I FROM b WHERE NOT EXISTS (SELECT FROM a WHERE a.%1$I = b.%1$I)', k)),
		('inner, residual', format('SELECT v, w FROM a JOIN b ON a.%1$I = b.%1$I AND v %% 3 <> w %% 2', k)),
		('left, residual', format('SELECT v, w FROM a LEFT JOIN b ON a.%1$I = b.%1$I AND v %% 3 <> w %% 2', k)),
		('full, residual', format('SELECT v, w FROM a FULL JOIN b ON a.%1$I = b.%1$I AND (v %% 3 = 0) = (w %% 2 = 0)', k)),
		('semi, residual', format('SELECT v FROM a WHERE EXISTS (SELECT FROM b WHERE a.%1$I = b.%1$I AND v %% 3 <> w %% 2)', k)),
		('anti, residual', format('SELECT v FROM a WHERE NOT EXISTS (SELECT FROM b WHERE a.%1$I = b.%1$I AND v %% 3 <> w %% 2)', k)),
		('left, WHERE', format('SELECT v, w FROM a LEFT JOIN b ON a.%1$I = b.%1$I WHERE w IS NULL OR v %% 3 <> w %% 2', k)),
		('inner, expression', format('SELECT v + w FROM a JOIN b ON a.%1$I = b.%1$I', k))) q(j, q)
$$;
SELECT joins('n');
SELECT joins('d');
SELECT joins('t');
SELECT joins('m');
SELECT joins('u');
-- several columns: packed into a word, and not
SELECT spilled('SELECT v, w FROM a FULL JOIN b USING (d, dup)');
SELECT spilled('SELECT v, w FROM a FULL JOIN b USING (n, dup, t)');
-- duplicates, without a row for each pair
SELECT spilled('SELECT v, count(w), sum(w) FROM a LEFT JOIN (SELECT * FROM b WHERE w < 9000) b USING (dup) WHERE v < 3000 GROUP BY v');
SELECT spilled('SELECT v FROM a WHERE v % 10 = 0 AND EXISTS (SELECT FROM b WHERE a.dup = b.dup AND w % 7 = v % 7)');
-- the array map decides as ever for each partition
SELECT node_props('SELECT v, w FROM a LEFT JOIN b USING (d)', 'Map', 'Map Reason');
SELECT node_props('SELECT v, w FROM a LEFT JOIN b USING (n)', 'Map', 'Map Reason');

-- One key of more rows than the memory holds: passes.
CREATE TABLE hot AS SELECT CASE WHEN g % 10 = 0 THEN -g ELSE 7 END AS k, 'k' || CASE WHEN g % 10 = 0 THEN -g ELSE 7 END AS t, g AS w FROM generate_series(1, 8000) g;
CREATE TABLE few AS SELECT g AS k, 'k' || g AS t, g AS v FROM generate_series(-9000, 8) g;
ANALYZE hot, few;
CREATE FUNCTION passes(on_clause text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT j || ': ' || spilled(q)
	FROM (VALUES
		('inner', 'SELECT v, w FROM few a JOIN hot b ON ' || on_clause),
		('left', 'SELECT v, w FROM few a LEFT JOIN hot b ON ' || on_clause),
		('right', 'SELECT v, w FROM few a RIGHT JOIN hot b ON ' || on_clause),
		('full', 'SELECT v, w FROM few a FULL JOIN hot b ON ' || on_clause),
		('semi', 'SELECT v FROM few a WHERE EXISTS (SELECT FROM hot b WHERE w >= v AND ' || on_clause || ')'),
		('anti', 'SELECT v FROM few a WHERE NOT EXISTS (SELECT FROM hot b WHERE w >= v AND ' || on_clause || ')'),
		('computed', 'SELECT v + w FROM few a LEFT JOIN hot b ON ' || on_clause)) q(j, q)
$$;
SELECT passes('a.k = b.k');
SELECT passes('a.t = b.t');
SELECT passes('a.k = b.k AND v + w > 4000');
SELECT passes('a.t = b.t AND v + w > 4000');
-- the same key on the preserved or reduced side, which is built
SELECT spilled('SELECT w FROM hot b WHERE EXISTS (SELECT FROM few a WHERE a.k = b.k AND v + w > 4000)');
SELECT spilled('SELECT w FROM hot b WHERE NOT EXISTS (SELECT FROM few a WHERE a.k = b.k AND v + w > 4000)');
-- no probe row at all, no build row in most partitions
SELECT spilled('SELECT v, w FROM (SELECT few.* FROM few, generate_series(1, 20) g WHERE v + g > 30 OFFSET 0) a FULL JOIN hot b ON a.k = b.k');
SELECT spilled('SELECT v, w FROM (SELECT few.* FROM few, generate_series(1, 20) g WHERE v + g > 25 OFFSET 0) a FULL JOIN hot b ON a.k = b.k');
SELECT spilled('SELECT v, w FROM (SELECT few.* FROM few, generate_series(1, 20) g WHERE v + g > 25 OFFSET 0) a LEFT JOIN hot b ON a.k = b.k');

-- Matches come in build order, through partitions, splits and passes.
CREATE FUNCTION in_build_order(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	EXECUTE 'SELECT format(''%s rows, %s out of order'', count(*), count(*) FILTER (WHERE ord < before)) FROM
		(SELECT ord, lag(ord) OVER (PARTITION BY v ORDER BY n) AS before FROM
			(SELECT *, row_number() OVER () AS n FROM (' || q || ') s) s) s' INTO result;
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	RETURN result;
END $$;
SELECT in_build_order('SELECT v, w AS ord FROM few a JOIN hot b ON a.k = b.k');
SELECT in_build_order('SELECT v, w AS ord FROM few a LEFT JOIN hot b ON a.t = b.t AND w <> v');
SELECT in_build_order('SELECT v, w AS ord FROM (SELECT * FROM a WHERE v < 500) a JOIN b USING (dup)');
-- at least as many partitions as asked for
SET work_mem = '16MB';
SET hashjoin_ext.partitions = 5;
SELECT node_props('SELECT v, w FROM a JOIN b USING (n)', 'Partitions', 'Partitions Spilled', 'Disk Usage');
SELECT compare('SELECT v, w FROM a FULL JOIN b USING (n)');
