-- Joins whose table is built and probed by several processes: every join type,
-- every kind of key, in memory, in files, in passes.
\set test parallel_joins
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
\set helpers :abs_srcdir '/sql/include/parallel.sql'
\i :helpers

-- a is the larger; both have keys of their own, duplicates and NULLs
CREATE TABLE a (k int, big int8, t text, n numeric, u uuid, v int);
INSERT INTO a SELECT CASE WHEN g % 29 > 0 THEN g % 700 END, (g % 700) * 5000000011, 'k' || g % 700, g % 700 + 0.50, md5((g % 700)::text)::uuid, g
	FROM generate_series(1, 4000) g;
CREATE TABLE b (k int, big int8, t text, n numeric, u uuid, w int);
INSERT INTO b SELECT CASE WHEN g % 31 > 0 THEN g * 2 END, g * 2 * 5000000011, 'k' || g * 2, g * 2 + 0.5, md5((g * 2)::text)::uuid, g
	FROM generate_series(1, 400) g;
INSERT INTO b SELECT * FROM b WHERE w % 3 = 0;
CREATE TABLE wide AS SELECT k, w, repeat(t, w * 3) AS t FROM b;
ANALYZE;

-- every join type, either side built
SELECT parallel('SELECT a.v, b.w FROM a JOIN b USING (k)');
SELECT parallel('SELECT a.v, b.w FROM a LEFT JOIN b USING (k)');
SELECT parallel('SELECT a.v, b.w FROM b LEFT JOIN a USING (k)');
SELECT parallel('SELECT a.v, b.w FROM a FULL JOIN b USING (k)');
SELECT parallel('SELECT a.v, b.w FROM b FULL JOIN a USING (k)');
SELECT parallel('SELECT a.v FROM a WHERE EXISTS (SELECT FROM b WHERE b.k = a.k)');
SELECT parallel('SELECT b.w FROM b WHERE EXISTS (SELECT FROM a WHERE b.k = a.k)');
SELECT parallel('SELECT a.v FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.k = a.k)');
SELECT parallel('SELECT b.w FROM b WHERE NOT EXISTS (SELECT FROM a WHERE b.k = a.k)');

-- with residual clauses, and clauses above the join
SELECT parallel('SELECT a.v, b.w FROM a JOIN b ON a.k = b.k AND a.v > b.w * 5');
SELECT parallel('SELECT a.v, b.w FROM a LEFT JOIN b ON a.k = b.k AND a.v > b.w * 5');
SELECT parallel('SELECT a.v, b.w FROM a FULL JOIN b ON a.k = b.k AND a.v > b.w * 5 WHERE coalesce(a.v, 0) + coalesce(b.w, 0) <> 77');
SELECT parallel('SELECT b.w FROM b WHERE EXISTS (SELECT FROM a WHERE b.k = a.k AND a.v > b.w * 5)');
SELECT parallel('SELECT b.w FROM b WHERE NOT EXISTS (SELECT FROM a WHERE b.k = a.k AND a.v > b.w * 5)');
SELECT parallel('SELECT a.v FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.k = a.k AND a.v > b.w * 5)');

-- every kind of key, and several columns
SELECT parallel('SELECT a.v, b.w FROM a FULL JOIN b USING (big)');
SELECT parallel('SELECT a.v, b.w, b.t FROM a FULL JOIN b USING (t)');
SELECT parallel('SELECT a.v, b.w, b.n FROM a FULL JOIN b USING (n)');
SELECT parallel('SELECT a.v, b.w, b.u FROM a FULL JOIN b USING (u)');
SELECT parallel('SELECT a.v, b.w, b.t FROM a FULL JOIN b USING (k, t)');
SELECT parallel('SELECT a.v, b.w FROM a JOIN b USING (k, big)');
SELECT parallel('SELECT a.v, b.w FROM (SELECT *, ARRAY[k, 1] AS arr FROM a) a JOIN (SELECT *, ARRAY[k, 1] AS arr FROM b) b USING (arr)');
SELECT parallel('SELECT a.v, b.w FROM a LEFT JOIN b ON lower(a.t) = b.t');

-- one side is empty, or has no key but NULL
SELECT parallel('SELECT a.v, b.w FROM a FULL JOIN (SELECT * FROM b WHERE w < 0) b USING (k)');
SELECT parallel('SELECT a.v, b.w FROM (SELECT * FROM a WHERE v < 0) a FULL JOIN b USING (k)');
SELECT parallel('SELECT a.v, b.w FROM a FULL JOIN (SELECT * FROM b WHERE k IS NULL) b USING (k)');
SELECT parallel('SELECT a.v FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.k = a.k AND b.w < 0)');
SELECT parallel('SELECT b.w FROM (SELECT * FROM a WHERE v < 0) a RIGHT JOIN b USING (k)');

-- one key for everything, values of many sizes
SELECT parallel('SELECT a.v, b.w FROM (SELECT k / 10000 AS k, v FROM a WHERE v < 120) a FULL JOIN (SELECT k / 10000 AS k, w FROM b) b USING (k)');
SELECT parallel('SELECT a.v, b.w, length(b.t) AS l, b.t FROM a JOIN wide b USING (k) WHERE a.v < 600', 5000);
SELECT parallel('SELECT a FROM a JOIN b USING (k)');
SELECT parallel('SELECT 1 AS one FROM a JOIN b USING (k)');

-- joins of joins, below an ordered Gather, an Append, a Sort
SELECT parallel('SELECT a.v, b.w, c.w AS x FROM a JOIN b USING (k) JOIN b c ON c.k = b.w');
SELECT rows_only(parallel('SELECT a.v, b.w, c.w AS x FROM a FULL JOIN b USING (k) FULL JOIN b c ON c.k = b.w'));
SELECT parallel('SELECT a.v, x.w FROM a JOIN (SELECT b.k, b.w FROM b JOIN b c ON b.w = c.k) x USING (k)');
SELECT parallel('SELECT a.v, b.w FROM a JOIN b USING (k) ORDER BY a.v, b.w LIMIT 1000000');
SELECT parallel('SELECT x.v, b.w FROM (SELECT k, v FROM a UNION ALL SELECT k, w FROM b) x JOIN b USING (k)');

-- tables of megabytes, whose memory is prepared in parts by all (huge pages where the
-- system has them): each key once or three times, map and array map, flags or none;
-- keys that an index proves unique, NULL or not, alone or with a column that is no key
CREATE TABLE large AS SELECT g AS dense, g * 1000003::int8 AS sparse, g % 200000 AS thrice, (g % 200000) * 1000003::int8 AS sparse_thrice,
	CASE WHEN g % 701 > 0 THEN g END AS proven, CASE WHEN g % 701 > 0 THEN g * 1000003::int8 END AS sparse_proven,
	g AS proven_all, (g / 200000)::money AS price, g AS w
	FROM generate_series(1, 600000) g;
CREATE UNIQUE INDEX ON large (proven);
CREATE UNIQUE INDEX ON large (sparse_proven);
CREATE UNIQUE INDEX ON large (proven_all);
CREATE UNIQUE INDEX ON large (thrice, price);
ANALYZE large;
CREATE FUNCTION large(col text, join_type text, also text, mb int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	q text := format('SELECT count(*), sum(hashint8extended(coalesce(a.w, 0)::int8 * 1000000 + coalesce(b.w, 0), 1)) FROM (SELECT * FROM large WHERE w > 1000) a %2$s JOIN (SELECT * FROM large WHERE w < 599000) b ON a.%1$I = b.%1$I %3$s', col, join_type, also);
	want text;
	got text;
	node jsonb;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'off', true), set_config('work_mem', '100MB', true);
	EXECUTE q INTO want;
	PERFORM set_config('hashjoin_ext.enable', 'force', true), set_config('max_parallel_workers_per_gather', '2', true);
	EXECUTE q INTO got;
	node := ran(q);
	PERFORM set_config('hashjoin_ext.enable', 'off', true), set_config('max_parallel_workers_per_gather', '0', true);
	RETURN format('%s, table: %s, map: %s, more than %s MB: %s', CASE WHEN got = want THEN 'same' ELSE got || ' is not ' || want END,
		node ->> 'Table', node ->> 'Map', mb, (node ->> 'Memory Usage')::int > mb * 1000);
END $$;
SELECT col, join_type, large(col, join_type, also, mb) FROM (VALUES ('dense', 'INNER', '', 10), ('sparse', 'FULL', '', 10), ('thrice', 'FULL', '', 10), ('sparse_thrice', 'INNER', '', 10),
	('proven', 'INNER', '', 8), ('proven', 'FULL', '', 8), ('sparse_proven', 'FULL', '', 8), ('thrice', 'FULL', 'AND a.price = b.price', 10)) v(col, join_type, also, mb);

-- where keys are proven unique, no room is taken for chains; the leader alone, for it is
-- chance how rows are shared
CREATE FUNCTION large_memory(col text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	j jsonb;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'force', true), set_config('max_parallel_workers_per_gather', '2', true),
		set_config('max_parallel_workers', '0', true), set_config('work_mem', '100MB', true);
	EXECUTE format('EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, FORMAT JSON) SELECT sum(a.w) FROM large a JOIN large b ON a.w = b.%1$I', col) INTO j;
	RETURN jsonb_path_query_first(j, 'strict $.** ? (@.Table == "shared")') ->> 'Memory Usage';
END $$;
SELECT large_memory('dense') - large_memory('proven_all') >= 600000 * 4 / 1024 AS less;

-- damage: an index says so, and it is not true.  Any of the rows is the one, as in
-- stock, whether or not there are links
CREATE INDEX untrue ON large (thrice);
CREATE INDEX sparse_untrue ON large (sparse_thrice);
UPDATE pg_index SET indisunique = true WHERE indexrelid IN ('untrue'::regclass, 'sparse_untrue'::regclass);
CREATE FUNCTION untrue(col text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	q text := format('SELECT count(*) FROM large a JOIN (SELECT * FROM large WHERE w < 599000) b ON a.%1$I = b.%1$I', col);
	want int8;
	got int8;
BEGIN
	PERFORM set_config('work_mem', '100MB', true), set_config('enable_mergejoin', 'off', true), set_config('enable_nestloop', 'off', true);
	EXECUTE q INTO want;
	PERFORM set_config('hashjoin_ext.enable', 'force', true), set_config('max_parallel_workers_per_gather', '2', true);
	EXECUTE q INTO got;
	-- one for each probe row, whichever side that is
	RETURN format('%s, %s, table: %s', got IN (600000, 598999), want IN (600000, 598999), ran(q) ->> 'Table');
END $$;
SELECT untrue('thrice');
SELECT untrue('sparse_thrice');
DROP INDEX untrue, sparse_untrue;

-- all join types were among them
SELECT string_agg(DISTINCT type, ', ') FROM seen;

-- without parallel hash joins each process has a table of its own, if that will do
SET enable_parallel_hash = off;
SELECT parallel('SELECT a.v, b.w FROM a LEFT JOIN b USING (k)');
RESET enable_parallel_hash;

-- a Gather that is rescanned begins anew each time
CREATE FUNCTION rescanned() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	q text := 'SELECT x.i, s.* FROM generate_series(1, 4) x(i), LATERAL (SELECT count(*) AS n, sum(coalesce(a.v, 0) - coalesce(b.w, 0)) AS s, count(a.v) AS l FROM a FULL JOIN b ON a.k = b.k AND a.v % 5 < b.w % 4 WHERE coalesce(b.w, 0) % 3 < x.i OFFSET 0) s';
	want text[];
	got text[];
	result text := '';
	bytes text;
BEGIN
	PERFORM set_config('enable_material', 'off', true), set_config('hashjoin_ext.enable', 'off', true);
	want := aggregated(q);
	PERFORM set_config('hashjoin_ext.enable', 'force', true), set_config('max_parallel_workers_per_gather', '2', true);
	-- in memory; in files; in files, by the limit as it is
	FOREACH bytes IN ARRAY '{0,1,-1}'::text[] LOOP
		PERFORM set_config('hashjoin_ext.debug_table_bytes', greatest(bytes::int, 0)::text, true),
			set_config('work_mem', CASE WHEN bytes = '-1' THEN '64kB' ELSE '4MB' END, true);
		result := result || coalesce(difference(want, aggregated(q)), 'same ');
	END LOOP;
	RETURN result || CASE WHEN ran(q) IS NOT NULL THEN 'in workers' ELSE 'without workers' END;
END $$;
SELECT rescanned();

-- no worker can be had; only some can
SET max_parallel_workers_per_gather = 4;
SET hashjoin_ext.enable = force;
SET max_parallel_workers = 0;
SELECT count(*), sum(a.v), sum(b.w) FROM a FULL JOIN b USING (k);
SET parallel_leader_participation = off;
SELECT count(*), sum(a.v), sum(b.w) FROM a FULL JOIN b USING (k);
SET max_parallel_workers = 1;
SELECT count(*), sum(a.v), sum(b.w) FROM a FULL JOIN b USING (k);
SET hashjoin_ext.debug_table_bytes = 1;
SELECT count(*), sum(a.v), sum(b.w) FROM a FULL JOIN b USING (k);
RESET hashjoin_ext.debug_table_bytes;
RESET parallel_leader_participation;
RESET max_parallel_workers;
SET hashjoin_ext.enable = off;
SET max_parallel_workers_per_gather = 0;
SELECT count(*), sum(a.v), sum(b.w) FROM a FULL JOIN b USING (k);

-- stopped early: by LIMIT, and by an error in a worker
SET hashjoin_ext.enable = force;
SET max_parallel_workers_per_gather = 2;
SELECT count(*) FROM (SELECT a.v FROM a FULL JOIN b USING (k) LIMIT 7) s;
SET hashjoin_ext.debug_table_bytes = 1;
SELECT count(*) FROM (SELECT a.v FROM a FULL JOIN b USING (k) LIMIT 7) s;
RESET hashjoin_ext.debug_table_bytes;
SET parallel_leader_participation = off;
\set SHOW_CONTEXT never
SELECT count(*) FROM a JOIN (SELECT k, 1 / (w - 200) AS x FROM b) b USING (k) WHERE b.x IS NOT NULL;
SELECT count(*) FROM (SELECT k, 1 / (v - 2000) AS x FROM a) a JOIN b USING (k) WHERE a.x IS NOT NULL;
SELECT sum(1 / (a.v - 2000)) FROM a FULL JOIN b USING (k);
SELECT count(*), sum(a.v), sum(b.w) FROM a FULL JOIN b USING (k);
RESET parallel_leader_participation;

DROP SCHEMA parallel_joins CASCADE;
