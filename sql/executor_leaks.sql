-- Nothing is left behind: no memory context after an error, no memory that
-- grows with the number of executions, no file, no pin, no lock.
\set test executor_leaks
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
SET compare.table_bytes = 20000;

CREATE TABLE a (k int, v int, t text);
INSERT INTO a SELECT g, g % 10, 'text ' || g FROM generate_series(1, 60) g;
CREATE TABLE b (k int, w int, t text);
INSERT INTO b SELECT g * 2, g % 5, 'text ' || g * 3 FROM generate_series(1, 60) g;
ANALYZE;
-- Contexts of the node that are there now: none unless a query is running.
CREATE VIEW contexts AS
	SELECT name, count(*) AS n FROM pg_backend_memory_contexts
	WHERE name LIKE 'HashJoinExt%' GROUP BY name;
SET hashjoin_ext.enable = force;
SELECT uses_node('SELECT count(*) FROM a JOIN b USING (k)');
SELECT count(*) FROM a JOIN b USING (k);
SELECT * FROM contexts;
-- premise: while a cursor is open they can be seen, and hold what was built
BEGIN;
DECLARE c CURSOR FOR SELECT a.k, b.t FROM a JOIN (SELECT k, repeat(t, 5000) AS t FROM b WHERE k < 20 OFFSET 0) b USING (k);
MOVE 1 FROM c;
SELECT count(*) > 0 FROM contexts;
SELECT sum(total_bytes) > 200000 FROM pg_backend_memory_contexts WHERE name LIKE 'HashJoinExt%';
COMMIT;
SELECT * FROM contexts;
-- after an error in the build, the probe, the output; in a subtransaction
\set VERBOSITY sqlstate
SELECT count(*) FROM a JOIN b ON a.k = 1 / (b.w - 3);
SELECT count(*) FROM a JOIN b ON 1 / (a.v - 3) = b.w;
SELECT count(1 / (a.v - b.w)) FROM a JOIN b USING (k);
BEGIN;
SAVEPOINT s;
SELECT count(*) FROM a FULL JOIN b ON a.k = 1 / (b.w - 3);
ROLLBACK TO s;
SELECT * FROM contexts;
COMMIT;
\set VERBOSITY default
SELECT * FROM contexts;
SELECT count(*) FROM pg_cursors;

-- The same memory after thousands of executions as after hundreds.
CREATE FUNCTION planned(n int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	s bigint := 0;
	c bigint;
BEGIN
	FOR i IN 1..n LOOP
		SELECT count(*) INTO c FROM executor_leaks.a LEFT JOIN executor_leaks.b USING (k) WHERE a.v <> i % 10;
		s := s + c;
	END LOOP;
	RETURN s;
END $$;
CREATE FUNCTION unplanned(n int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	s bigint := 0;
	c bigint;
BEGIN
	FOR i IN 1..n LOOP
		EXECUTE 'SELECT count(*) FROM executor_leaks.a FULL JOIN executor_leaks.b ON lower(a.t) = lower(b.t) AND a.v < ' || i % 10 INTO c;
		s := s + c;
	END LOOP;
	RETURN s;
END $$;
CREATE FUNCTION failing(n int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	s bigint := 0;
	c bigint;
BEGIN
	FOR i IN 1..n LOOP
		BEGIN
			SELECT count(*) INTO c FROM executor_leaks.a JOIN executor_leaks.b ON a.k = b.k AND 100 / (b.w - i % 9) > -1000;
		EXCEPTION WHEN division_by_zero THEN
			s := s + 1;
		END;
	END LOOP;
	RETURN s;
END $$;
SELECT planned(200), unplanned(200), failing(200);
-- (the caches are filled first: once is enough to warm them)
CREATE TEMP TABLE used (bytes numeric);
INSERT INTO used SELECT sum(total_bytes) FROM pg_backend_memory_contexts;
SELECT sum(total_bytes) - bytes IS NULL FROM pg_backend_memory_contexts, used GROUP BY bytes;
UPDATE used SET bytes = (SELECT sum(total_bytes) FROM pg_backend_memory_contexts);
SELECT planned(1500), unplanned(500), failing(1000);
SELECT sum(total_bytes) - bytes < 300000 FROM pg_backend_memory_contexts, used GROUP BY bytes;
-- and within one execution: rescans, and a chain of matches that is put out
CREATE FUNCTION grows(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	c refcursor;
	early bigint;
	late bigint;
BEGIN
	OPEN c FOR EXECUTE q;
	MOVE FORWARD 500 FROM c;
	SELECT sum(total_bytes) INTO early FROM pg_backend_memory_contexts;
	MOVE FORWARD 8000 FROM c;
	SELECT sum(total_bytes) INTO late FROM pg_backend_memory_contexts;
	CLOSE c;
	RETURN CASE WHEN late - early < 400000 THEN 'steady' ELSE 'grew by ' || late - early END || whose(q);
END $$;
SET enable_material = off;
SET enable_memoize = off;
-- rescanned thousands of times, the table kept and the table built again
SELECT grows('SELECT g, s.* FROM generate_series(1, 30000) g, LATERAL (SELECT count(*) FROM (SELECT * FROM a WHERE v = g % 10) a JOIN b USING (k)) s');
SELECT grows('SELECT g, s.* FROM generate_series(1, 30000) g, LATERAL (SELECT count(*) FROM a LEFT JOIN (SELECT * FROM b WHERE w = g % 5) b USING (k)) s');
SELECT grows('SELECT g, s.* FROM generate_series(1, 30000) g, LATERAL (SELECT count(*) FROM a JOIN b ON a.t = b.t || (g - g)::text) s');
SELECT grows('SELECT g, s.* FROM generate_series(1, 30000) g, LATERAL (SELECT count(*) FROM a FULL JOIN b ON lower(a.t) = upper(b.t) AND a.v + b.w > g) s');
-- long probes: keys that are computed and must be freed, toasted or not
SELECT grows('SELECT g FROM generate_series(1, 30000) g LEFT JOIN b ON ''text '' || g || repeat(''x'', 3000) = b.t');
SELECT grows('SELECT g FROM generate_series(1, 30000) g LEFT JOIN b ON ARRAY[g, 1] = ARRAY[b.k, 1]');
SELECT grows('SELECT g FROM generate_series(1, 30000) g LEFT JOIN b ON b.k = g % 50 AND repeat(b.t, 300) <> repeat(g::text, 300)');
SELECT grows('SELECT g, repeat(b.t, 100) FROM generate_series(1, 30000) g JOIN b ON b.k = 2 + 2 * (g % 60)');
SELECT grows('SELECT g FROM generate_series(1, 30000) g WHERE NOT EXISTS (SELECT FROM b WHERE b.t = g::text || repeat(''y'', 2000))');
-- one key with thousands of matches: its rows are not collected
CREATE TABLE same AS SELECT 1 AS k, g AS n FROM generate_series(1, 30000) g;
ANALYZE same;
SELECT grows('SELECT x.n, same.n FROM (VALUES (1, 1), (1, 2)) x(k, n) JOIN same USING (k)');
RESET enable_material;
RESET enable_memoize;

-- A build larger than its limit goes to files.
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT regexp_replace(node_props('SELECT count(*) FROM same x JOIN same y ON x.n = y.n', 'Build Rows', 'Partitions Spilled'), 'Spilled=[1-9].*', 'Spilled=some');
SELECT compare('SELECT count(*), sum(x.n) FROM (SELECT * FROM same WHERE n <= 3000) x FULL JOIN (SELECT * FROM same WHERE n <= 4000) y ON x.n = y.n + 1500');
SET work_mem = '64MB';
SELECT node_props('SELECT count(*) FROM same x JOIN same y ON x.n = y.n', 'Build Rows', 'Partitions Spilled');
RESET work_mem;
RESET hash_mem_multiplier;
-- no file, no lock that outlives its transaction
SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '%';
SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN ('a'::regclass, 'b'::regclass);
SELECT * FROM contexts;
SET hashjoin_ext.enable = off;

DROP SCHEMA executor_leaks CASCADE;
