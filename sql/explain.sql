-- What EXPLAIN says of the node: always, when executed, when never executed, in
-- every format.
\set test explain
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE a (k int, v int, t text);
INSERT INTO a SELECT g, g % 10, 't' || g FROM generate_series(1, 300) g;
INSERT INTO a VALUES (NULL, 1, 'null');
CREATE TABLE b (k int, w int, t text);
INSERT INTO b SELECT g * 2, g % 5, 't' || g FROM generate_series(1, 100) g;
INSERT INTO b VALUES (NULL, 1, 'null');
CREATE TABLE tiny (k int, x int);
INSERT INTO tiny SELECT g, g FROM generate_series(1, 5) g;
CREATE TABLE none (k int);
ANALYZE;
SET hashjoin_ext.enable = force;

-- the plan as text: children in order (probe side, build side), conditions
EXPLAIN (COSTS OFF) SELECT * FROM a JOIN b USING (k);
EXPLAIN (COSTS OFF) SELECT * FROM a LEFT JOIN b ON a.k = b.k AND a.v > b.w;
EXPLAIN (COSTS OFF) SELECT * FROM a LEFT JOIN b ON a.k = b.k WHERE coalesce(b.w, 0) < a.v;
EXPLAIN (COSTS OFF) SELECT * FROM tiny LEFT JOIN a USING (k);
EXPLAIN (COSTS OFF) SELECT * FROM a FULL JOIN b ON a.k = b.k AND lower(a.t) = b.t;
EXPLAIN (COSTS OFF) SELECT * FROM a WHERE EXISTS (SELECT FROM b WHERE b.k = a.k AND b.w <> a.v);
EXPLAIN (COSTS OFF) SELECT * FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.k = a.k);
EXPLAIN (COSTS OFF) SELECT * FROM tiny WHERE EXISTS (SELECT FROM a WHERE a.k = tiny.k AND a.v < tiny.x);
EXPLAIN (COSTS OFF) SELECT * FROM tiny WHERE NOT EXISTS (SELECT FROM a WHERE a.k = tiny.k);
EXPLAIN (COSTS OFF) SELECT * FROM a JOIN b ON a.v + 1 = b.w - 1 AND a.t || 'x' = b.t;
EXPLAIN (VERBOSE, COSTS OFF) SELECT a.v + b.w AS sum, b, a.ctid FROM a LEFT JOIN b ON a.k = b.k AND a.v > b.w WHERE coalesce(b.w, 1) = 1;
CREATE FUNCTION works(options text, q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	lines text[];
BEGIN
	lines := run(format('EXPLAIN (%s) %s', options, q));
	RETURN CASE WHEN lines[1] LIKE 'ERROR%' THEN lines[1] WHEN array_to_string(lines, ' ') LIKE '%HashJoinExt%' THEN 'ok' ELSE 'not our node' END;
END $$;
-- subplans and initplans in keys, conditions and target list
SELECT works('VERBOSE', 'SELECT a.v FROM a JOIN b ON a.k = b.k + (SELECT max(x) FROM tiny)');
SELECT works('VERBOSE', 'SELECT a.v, (SELECT max(x) FROM tiny WHERE x < b.w) FROM a JOIN b USING (k)');
SELECT works('VERBOSE', 'SELECT a.v FROM a LEFT JOIN b ON a.k = b.k AND a.v > (SELECT max(x) FROM tiny WHERE x < b.w)');
SELECT works('VERBOSE', 'SELECT a.v FROM a LEFT JOIN b ON (SELECT x FROM tiny WHERE tiny.k = a.v) = b.k WHERE b.w IN (SELECT x FROM tiny WHERE x > a.v) OR b.w IS NULL');
SELECT works('VERBOSE', 'SELECT tiny.x, s.* FROM tiny, LATERAL (SELECT count(*) FROM a JOIN b ON a.k = b.k + tiny.k AND a.v < tiny.x) s');

-- Labels, in order, of the first node of a plan; and single values.
CREATE FUNCTION labels(options text, q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	j json;
	node json;
BEGIN
	EXECUTE format('EXPLAIN (%s, FORMAT JSON) %s', options, q) INTO j;
	node := j #> '{0,Plan}';
	WHILE node IS NOT NULL AND node ->> 'Custom Plan Provider' IS DISTINCT FROM 'HashJoinExt' LOOP
		node := node #> '{Plans,0}';
	END LOOP;
	RETURN (SELECT string_agg(key, ', ' ORDER BY o) FROM json_each(node) WITH ORDINALITY e(key, value, o)
		WHERE key IN ('Node Type', 'Custom Plan Provider', 'Join Type', 'Hash Cond', 'Join Filter', 'Filter', 'Build Side', 'Map', 'Map Reason',
			'Array Maps Created', 'Build Rows', 'Build Time', 'Table Builds', 'Memory Usage', 'Memory Limit Exceeded', 'Probe Rows', 'Probe Hits',
			'Rows Removed by Join Filter', 'Rows Removed by Filter'));
END $$;
SELECT labels('COSTS OFF', 'SELECT * FROM a JOIN b USING (k)');
SELECT labels('COSTS OFF', 'SELECT * FROM a LEFT JOIN b ON a.k = b.k AND a.v > b.w WHERE coalesce(b.w, 0) < a.v');
SELECT labels('ANALYZE, TIMING OFF', 'SELECT * FROM a JOIN b USING (k)');
SELECT labels('ANALYZE, TIMING ON', 'SELECT * FROM a LEFT JOIN b ON a.k = b.k AND a.v > b.w WHERE coalesce(b.w, 0) < a.v');
-- counts are exact
SELECT node_props('SELECT * FROM a JOIN b USING (k)', 'Join Type', 'Build Side', 'Map', 'Build Rows', 'Probe Rows', 'Probe Hits');
SELECT (node_props('SELECT * FROM a LEFT JOIN b ON a.k = b.k AND a.v > b.w', 'Build Rows', 'Probe Rows', 'Probe Hits', 'Rows Removed by Join Filter'));
SELECT node_props('SELECT * FROM a LEFT JOIN b ON a.k = b.k WHERE b.w IS NULL OR a.v > b.w', 'Probe Rows', 'Rows Removed by Join Filter', 'Rows Removed by Filter');
SELECT node_props('SELECT * FROM a JOIN (SELECT k FROM b UNION ALL SELECT k FROM b) b USING (k)', 'Map', 'Build Rows');
SELECT node_props('SELECT * FROM a JOIN none USING (k)', 'Map', 'Array Maps Created', 'Build Rows');
SELECT node_props('SELECT * FROM a FULL JOIN b USING (k)', 'Join Type', 'Build Rows', 'Probe Rows');
SELECT node_props('SELECT * FROM tiny WHERE NOT EXISTS (SELECT FROM a WHERE a.k = tiny.k)', 'Join Type', 'Build Rows', 'Probe Rows');
SELECT p ~ '^Memory Usage=[1-9][0-9]* Map Reason=.' FROM node_props('SELECT * FROM a JOIN b USING (k)', 'Memory Usage', 'Map Reason') p;
-- core's own line counts rows as it does for every node
CREATE FUNCTION rows_of_join(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	j jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || q INTO j;
	RETURN (j #>> '{0,Plan,Plans,0,Actual Rows}')::numeric::int || ' of ' || (j #>> '{0,Plan,Plans,0,Plans,0,Actual Rows}')::numeric::int
		|| ' and ' || (j #>> '{0,Plan,Plans,0,Plans,1,Actual Rows}')::numeric::int;
END $$;
SELECT rows_of_join('SELECT count(*) FROM a JOIN b USING (k)');
SELECT rows_of_join('SELECT count(*) FROM a FULL JOIN b USING (k)');
SELECT rows_of_join('SELECT count(*) FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.k = a.k)');

-- a node that is never executed: below a branch not taken, below LIMIT 0; no counters, no memory
SELECT labels('ANALYZE, TIMING OFF', 'SELECT * FROM a JOIN b USING (k) LIMIT 0');
SELECT node_props('SELECT * FROM tiny WHERE CASE WHEN x > 0 THEN true ELSE EXISTS (SELECT FROM a JOIN b USING (k)) END', 'Map', 'Build Rows', 'Actual Loops');
SELECT node_props('SELECT k FROM tiny UNION ALL SELECT a.k FROM a JOIN b USING (k) LIMIT 3', 'Map', 'Actual Loops');
-- with nothing to find the probe side is not read to its end
CREATE FUNCTION probe_read(q text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	j jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || q INTO j;
	RETURN (j #>> '{0,Plan,Plans,0,Actual Rows}')::numeric > 1;
END $$;
SELECT probe_read('SELECT * FROM a JOIN (SELECT * FROM b WHERE k = 1) b USING (k)'),
	probe_read('SELECT * FROM a WHERE EXISTS (SELECT FROM b WHERE b.k = a.k AND b.k = 1 - b.w * 0)');
-- EXPLAIN without ANALYZE executes nothing
CREATE FUNCTION forbidden(i int) RETURNS int LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'executed'; END$$;
SELECT cardinality(run('EXPLAIN SELECT * FROM (SELECT forbidden(k) AS k FROM a OFFSET 0) a JOIN b USING (k)')) > 3;
-- the settings under which a plan is executed do not change what it is
PREPARE p AS SELECT count(*) FROM a JOIN b USING (k);
EXECUTE p;
SET hashjoin_ext.enable = off;
EXPLAIN (COSTS OFF) EXECUTE p;
EXECUTE p;
SET hashjoin_ext.enable = force;

-- every format, every option, every kind of statement
BEGIN;
SELECT o, w, count(*) FROM
	(VALUES ('COSTS OFF'), ('VERBOSE'), ('ANALYZE'), ('ANALYZE, TIMING OFF, SUMMARY OFF'), ('ANALYZE, VERBOSE, BUFFERS, WAL, SETTINGS, FORMAT JSON'),
		('ANALYZE, FORMAT XML'), ('VERBOSE, FORMAT XML'), ('ANALYZE, VERBOSE, FORMAT YAML'), ('FORMAT YAML')) o(o),
	(VALUES ('SELECT a.*, b FROM a JOIN b USING (k) WHERE a.v < 3'), ('SELECT count(*) FROM a LEFT JOIN b ON a.k = b.k AND a.v + b.w < 10'),
		('SELECT a.k FROM a FULL JOIN b ON a.k = b.k WHERE coalesce(a.v, 1) = 1'), ('SELECT * FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.k = a.k)'),
		('UPDATE a SET v = w FROM b WHERE a.k = b.k'), ('DELETE FROM b USING a WHERE a.k = b.k AND a.v < 0'),
		('INSERT INTO none SELECT a.k FROM a LEFT JOIN none USING (k) WHERE none.k IS NULL'),
		('MERGE INTO b USING a ON a.k = b.k WHEN MATCHED THEN UPDATE SET w = a.v'),
		('SELECT * FROM a WHERE k IN (SELECT k FROM b WHERE w = 1) AND k < (SELECT max(x.k) FROM a x JOIN b y USING (k))'),
		('WITH RECURSIVE r(k) AS (SELECT k FROM tiny UNION SELECT b.w FROM r JOIN b USING (k)) SELECT * FROM r'),
		('SELECT tiny.k, s.* FROM tiny, LATERAL (SELECT count(*), sum(b.w) FROM a JOIN b ON a.k = b.k + tiny.x) s')) q(q),
	LATERAL works(o, q) w GROUP BY 1, 2 ORDER BY o COLLATE "C", w COLLATE "C";
ROLLBACK;

SET hashjoin_ext.enable = off;
DROP SCHEMA explain CASCADE;
