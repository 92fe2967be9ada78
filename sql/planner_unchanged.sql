-- A library that is loaded and off leaves every plan as it was, to the last
-- cost; so does "consider", which builds and costs paths of ours.
\set test planner_unchanged
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE SCHEMA planner_unchanged;
SET search_path = planner_unchanged;

-- no autovacuum, so that statistics stay what they are
CREATE TABLE a (k int PRIMARY KEY, v int, t text) WITH (autovacuum_enabled = off);
INSERT INTO a SELECT g, g % 50, 't' || g % 100 FROM generate_series(1, 2000) g;
CREATE TABLE b (k int, w int, t text) WITH (autovacuum_enabled = off);
INSERT INTO b SELECT g % 3000, g % 40, 't' || g % 300 FROM generate_series(1, 5000) g;
CREATE TABLE c (k int, z int) WITH (autovacuum_enabled = off);
INSERT INTO c SELECT g, g % 7 FROM generate_series(1, 100) g;
CREATE INDEX ON b (k);
CREATE TABLE p (k int, v int) PARTITION BY RANGE (k);
CREATE TABLE p0 PARTITION OF p FOR VALUES FROM (0) TO (500) WITH (autovacuum_enabled = off);
CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (500) TO (5000) WITH (autovacuum_enabled = off);
INSERT INTO p SELECT g, g % 9 FROM generate_series(1, 1000) g;
ANALYZE;
CREATE TABLE queries (id serial, q text);
INSERT INTO queries (q) VALUES
	('SELECT * FROM a JOIN b USING (k)'),
	('SELECT count(*) FROM a JOIN b USING (k) JOIN c USING (k)'),
	('SELECT * FROM a LEFT JOIN b ON a.k = b.k AND a.v < b.w WHERE a.v = 3'),
	('SELECT * FROM b RIGHT JOIN a ON a.t = b.t AND a.v = b.w'),
	('SELECT * FROM a FULL JOIN b ON a.k = b.k AND a.v > b.w'),
	('SELECT * FROM a WHERE EXISTS (SELECT FROM b WHERE b.k = a.k AND b.w <> a.v)'),
	('SELECT * FROM c WHERE EXISTS (SELECT FROM b WHERE b.w = c.z)'),
	('SELECT * FROM b WHERE k IN (SELECT k FROM c) AND w IN (SELECT z FROM c)'),
	('SELECT * FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.t = a.t)'),
	('SELECT * FROM c WHERE NOT EXISTS (SELECT FROM b WHERE b.k = c.k)'),
	('SELECT * FROM a WHERE k NOT IN (SELECT k FROM b)'),
	('SELECT * FROM a JOIN b ON lower(a.t) = upper(b.t) ORDER BY a.k LIMIT 3'),
	('SELECT a.k, s.n FROM a, LATERAL (SELECT count(*) AS n FROM b JOIN c USING (k) WHERE b.w = a.v) s WHERE a.k < 9'),
	('SELECT a.k, s.x FROM a LEFT JOIN LATERAL (SELECT b.k, coalesce(c.z, a.v) AS x FROM b LEFT JOIN c USING (k)) s ON s.k = a.k'),
	('SELECT * FROM a x JOIN a y USING (k) JOIN a z USING (k) LEFT JOIN b ON b.k = x.k JOIN c ON c.k = z.v'),
	('SELECT k, sum(v) FROM a JOIN b USING (k) GROUP BY k HAVING count(*) > 1'),
	('SELECT * FROM p x JOIN p y USING (k)'),
	('SELECT x.k FROM p x FULL JOIN p y ON x.k = y.k LEFT JOIN b ON b.k = x.k'),
	('SELECT * FROM b x, b y, c WHERE x.k = y.k AND y.w = c.z AND x.w = c.k AND x.t <> y.t'),
	('SELECT * FROM a JOIN b ON a.k = b.k OR a.v = b.w'),
	('SELECT * FROM a JOIN b USING (k) WHERE now() > ''2000-01-01'''),
	('UPDATE a SET v = b.w FROM b WHERE a.k = b.k'),
	('DELETE FROM b USING c WHERE b.k = c.k AND NOT EXISTS (SELECT FROM a WHERE a.k = b.w)'),
	('INSERT INTO c SELECT a.k, b.w FROM a LEFT JOIN b USING (k)'),
	('WITH RECURSIVE r AS (SELECT k, 0 AS d FROM c UNION SELECT b.w, d + 1 FROM r JOIN b USING (k) WHERE d < 3) SELECT * FROM r JOIN a USING (k)'),
	('SELECT a.k FROM a JOIN b USING (k) JOIN c USING (k) FOR UPDATE OF a'),
	('SELECT c1.k FROM c c1 JOIN c c2 ON c1.k = c2.k JOIN c c3 ON c2.k = c3.k JOIN c c4 ON c3.k = c4.k JOIN c c5 ON c4.k = c5.k JOIN c c6 ON c5.k = c6.k LEFT JOIN c c7 ON c6.z = c7.z');
CREATE TABLE ways (way text, settings text);
INSERT INTO ways VALUES ('default', ''), ('parallel', 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 3'),
	('partitionwise', 'SET enable_partitionwise_join = on; SET enable_partitionwise_aggregate = on'),
	('hash only', 'SET enable_mergejoin = off; SET enable_nestloop = off'),
	('merge only', 'SET enable_hashjoin = off; SET enable_nestloop = off'),
	('loops only', 'SET enable_hashjoin = off; SET enable_mergejoin = off'),
	('small memory', 'SET work_mem = ''64kB'''),
	('genetic', 'SET geqo_threshold = 2; SET geqo_seed = 0.5');
-- Plans with costs and, apart from them, the answers' shape.
CREATE TABLE plans (moment text, way text, id int, plan text);
CREATE FUNCTION take(moment text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	w record;
	r record;
	plan text;
BEGIN
	FOR w IN SELECT * FROM ways LOOP
		EXECUTE 'SET parallel_setup_cost TO DEFAULT; ' || w.settings;
		FOR r IN SELECT * FROM queries LOOP
			EXECUTE 'EXPLAIN (VERBOSE, FORMAT JSON) ' || r.q INTO plan;
			INSERT INTO plans VALUES (moment, w.way, r.id, plan);
		END LOOP;
		SET parallel_setup_cost TO DEFAULT;
		SET parallel_tuple_cost TO DEFAULT;
		SET min_parallel_table_scan_size TO DEFAULT;
		SET max_parallel_workers_per_gather TO DEFAULT;
		SET enable_partitionwise_join TO DEFAULT;
		SET enable_partitionwise_aggregate TO DEFAULT;
		SET enable_hashjoin TO DEFAULT;
		SET enable_mergejoin TO DEFAULT;
		SET enable_nestloop TO DEFAULT;
		SET work_mem TO DEFAULT;
		SET geqo_threshold TO DEFAULT;
		SET geqo_seed TO DEFAULT;
	END LOOP;
END $$;
CREATE FUNCTION changed(moment text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT format('%s: %s', y.way, q) FROM plans x JOIN plans y USING (way, id) JOIN queries USING (id)
	WHERE x.moment = 'before' AND y.moment = changed.moment AND x.plan <> y.plan ORDER BY 1
$$;
-- functions used by the test are planned once, before anything is measured
SELECT take('warm');
TRUNCATE plans;
SELECT take('before');
LOAD 'hashjoin_ext';
SHOW hashjoin_ext.enable;
SELECT take('loaded');
SET hashjoin_ext.enable = off;
SELECT take('off');
SET hashjoin_ext.enable = consider;
SELECT take('consider');
SET hashjoin_ext.enable = off;
SELECT take('after consider');
-- premise: forced, most of these plans are others
SET hashjoin_ext.enable = force;
SELECT take('force');
SET hashjoin_ext.enable = off;
SELECT moment, count(*) FROM plans WHERE moment <> 'force' GROUP BY 1 ORDER BY 1;
SELECT changed('loaded');
SELECT changed('off');
SELECT changed('consider');
SELECT changed('after consider');
SELECT count(*) > 150 FROM changed('force');
-- what the settings say is what the user set, during and after planning, also after an error in it
SET hashjoin_ext.enable = force;
SHOW enable_hashjoin;
SHOW enable_mergejoin;
SHOW enable_nestloop;
CREATE FUNCTION at_plan_time() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RAISE EXCEPTION 'planning failed'; END$$;
\set VERBOSITY terse
SELECT * FROM a JOIN b USING (k) WHERE a.v = at_plan_time();
\set VERBOSITY default
SET hashjoin_ext.enable = off;
TRUNCATE plans;
SELECT take('before');
SET enable_hashjoin = on;
SELECT take('again');
SELECT changed('again');
-- on: hint tools that set enable_hashjoin have their way with ours too
SET hashjoin_ext.enable = on;
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT count(*) FROM (SELECT take('on, no hash')) s;
SELECT count(*) FROM plans WHERE moment = 'on, no hash' AND way IN ('default', 'merge only') AND plan LIKE '%HashJoinExt%' AND id = 1;

DROP SCHEMA planner_unchanged CASCADE;
