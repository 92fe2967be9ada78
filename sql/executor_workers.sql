-- A plan with the node may run inside parallel workers, with a table of their own or
-- one that they share.  No row is lost, none comes twice.
\set test executor_workers
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE a (k int, v int, t text);
INSERT INTO a SELECT g % 3000, g, 't' || g % 50 FROM generate_series(1, 6000) g;
CREATE TABLE b (k int, w int, t text);
INSERT INTO b SELECT g * 2, g, 't' || g % 90 FROM generate_series(1, 1200) g;
CREATE TABLE c (k int PRIMARY KEY, z numeric);
INSERT INTO c SELECT g, g / 4.0 FROM generate_series(1, 900) g;
ANALYZE;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
-- cursors are never parallel: rows are taken through a table
CREATE FUNCTION rows_of(q text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	result text[];
BEGIN
	EXECUTE 'CREATE TEMP TABLE got AS ' || q;
	EXECUTE 'SELECT array_agg(g::text) FROM got g' INTO result;
	DROP TABLE got;
	RETURN coalesce(result, '{}');
END $$;
-- whether a node of ours stands below a Gather
CREATE FUNCTION gathered(p jsonb) RETURNS bool LANGUAGE sql AS $$
	SELECT coalesce(bool_or(nodes(g) > 0), false)
	FROM jsonb_path_query(p, 'strict $.** ? (@."Node Type" == "Gather" || @."Node Type" == "Gather Merge")') g
$$;
CREATE FUNCTION parallel(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	want text[];
	got text[];
	p jsonb;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'off', true), set_config('max_parallel_workers_per_gather', '0', true);
	want := rows_of(q);
	PERFORM set_config('hashjoin_ext.enable', 'force', true), set_config('max_parallel_workers_per_gather', '2', true);
	p := plan(q);
	got := rows_of(q);
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	RETURN coalesce(difference(want, got), 'same, ' || cardinality(got) || ' rows')
		|| CASE WHEN nodes(p) = 0 THEN ', left to stock' WHEN gathered(p) THEN ', below Gather' ELSE ', not below Gather' END;
END $$;
SELECT parallel('SELECT a.v, b.w FROM a JOIN b USING (k)');
SELECT parallel('SELECT a.v, b.w FROM a LEFT JOIN b USING (k)');
SELECT parallel('SELECT a.v FROM a WHERE EXISTS (SELECT FROM b WHERE b.k = a.k)');
SELECT parallel('SELECT a.v FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.k = a.k AND b.w > 300)');
SELECT parallel('SELECT a.v, b.w, c.z FROM a JOIN b USING (k) LEFT JOIN c ON c.k = b.w AND c.z > 3');
SELECT parallel('SELECT count(*) AS n, sum(a.v) AS v, sum(c.z) AS z FROM a JOIN b USING (k) JOIN c USING (k)');
-- joins that put out build rows share their table
SELECT rows_only(parallel('SELECT a.v, b.w FROM a FULL JOIN b USING (k)'));
SELECT rows_only(parallel('SELECT a.v, b.w FROM b RIGHT JOIN a ON a.k = b.k'));
SELECT rows_only(parallel('SELECT a.v, b.w FROM a RIGHT JOIN b ON a.k = b.k'));
SELECT rows_only(parallel('SELECT b.w FROM b WHERE EXISTS (SELECT FROM a WHERE a.k = b.k)'));
SELECT rows_only(parallel('SELECT b.w FROM b WHERE NOT EXISTS (SELECT FROM a WHERE a.k = b.k)'));
SELECT rows_only(parallel('SELECT a.t, b.t AS u FROM a FULL JOIN b ON a.k = b.k AND a.t = b.t WHERE a.v IS DISTINCT FROM 3'));
-- ordered gathering, limits, rescans of a Gather
SELECT parallel('SELECT a.v, b.w FROM a JOIN b USING (k) ORDER BY a.v, b.w LIMIT 50');
SELECT rows_only(parallel('SELECT s.* FROM (VALUES (1), (2), (3)) x(i), LATERAL (SELECT x.i, count(*) AS n, sum(b.w) AS w FROM a JOIN b USING (k) WHERE b.w % 3 < x.i) s'));
SELECT rows_only(parallel('SELECT c.k, (SELECT count(*) FROM a JOIN b USING (k) WHERE a.v > 5000) AS n FROM c WHERE c.k < 5'));
-- parameters, initplans and subplans are sent to workers
SET plan_cache_mode = force_generic_plan;
SET hashjoin_ext.enable = force;
PREPARE p(int, text) AS SELECT count(*), sum(a.v) FROM a JOIN b ON a.k = b.k AND a.v > $1 WHERE b.t <> $2;
EXECUTE p(0, 't1');
EXECUTE p(3000, 't2');
EXECUTE p(NULL, 't2');
SET max_parallel_workers_per_gather = 0;
SET hashjoin_ext.enable = off;
DISCARD PLANS;
EXECUTE p(0, 't1');
EXECUTE p(3000, 't2');
DEALLOCATE p;
RESET plan_cache_mode;
SET max_parallel_workers_per_gather = 2;
SELECT rows_only(parallel('SELECT a.v, b.w FROM a JOIN b ON a.k = b.k AND a.v < (SELECT max(z) FROM c)'));
SELECT parallel('SELECT a.v, b.w FROM a JOIN b ON a.k = b.k AND b.w IN (SELECT k FROM c)');
SELECT parallel('SELECT a.v, b.w FROM a LEFT JOIN b ON lower(a.t) = lower(b.t) AND a.k = b.k');
-- keys of every kind in a worker: the plan was written out and read back
SELECT parallel('SELECT a.v, b.w FROM a JOIN b ON a.k = b.k AND a.t = b.t');
SELECT parallel('SELECT a.v, c.k FROM a JOIN c ON a.v::numeric = c.z');
SELECT parallel('SELECT a.v, b.w FROM (SELECT *, ARRAY[k, 1] AS arr FROM a) a JOIN (SELECT *, ARRAY[k, 1] AS arr FROM b) b USING (arr)');
SELECT rows_only(parallel('SELECT a, b.ctid AS tid FROM a JOIN b USING (k) WHERE a.v < 500'));
-- workers that never start, a leader that does not take part
SET max_parallel_workers = 0;
SELECT parallel('SELECT a.v, b.w FROM a JOIN b USING (k)');
RESET max_parallel_workers;
SET parallel_leader_participation = off;
SELECT parallel('SELECT a.v, b.w FROM a LEFT JOIN b USING (k)');
RESET parallel_leader_participation;
-- what EXPLAIN shows of a node below Gather
SET hashjoin_ext.enable = force;
CREATE FUNCTION explained(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	j jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, TIMING OFF, COSTS OFF, SUMMARY OFF, FORMAT JSON) ' || q INTO j;
	-- rows are printed as an average over the loops
	RETURN (SELECT string_agg(round((n ->> 'Actual Rows')::numeric * (n ->> 'Actual Loops')::numeric, -1)::text, ', ')
		FROM jsonb_path_query(j, 'strict $.** ? (@."Custom Plan Provider" == "HashJoinExt")') n);
END $$;
SELECT count(*) FROM a JOIN b USING (k) WHERE a.v <= 5000;
SELECT explained('SELECT count(*) FROM a JOIN b USING (k) WHERE a.v <= 5000');

DROP SCHEMA executor_workers CASCADE;
