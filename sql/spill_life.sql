-- A join in files and the rest of the executor: rescans, cursors, errors in the
-- middle, limits of disk, what is left behind.
\set test spill_life
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
\set spill_helpers :abs_srcdir '/sql/include/spill.sql'
\i :spill_helpers

CREATE TABLE a AS SELECT g AS k, 'key ' || g AS t, g AS v FROM generate_series(1, 9000) g;
CREATE TABLE b AS SELECT g * 3 AS k, 'key ' || g * 3 AS t, g AS w FROM generate_series(1, 9000) g;
CREATE TABLE times AS SELECT g FROM generate_series(1, 3) g;
ANALYZE a, b, times;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SET enable_material = off;
SET enable_memoize = off;

-- rescans: the same again, with other probe rows, with other build rows, ended early
SELECT spilled('SELECT g, s.* FROM times, LATERAL (SELECT count(*), sum(v), sum(w) FROM a JOIN b USING (t) OFFSET 0) s');
SELECT spilled('SELECT g, s.* FROM times, LATERAL (SELECT count(*), sum(v), sum(w) FROM a FULL JOIN b ON a.t = b.t AND v % 3 <> g) s');
SELECT spilled('SELECT g, s.* FROM times, LATERAL (SELECT count(*), sum(v), sum(w) FROM a LEFT JOIN (SELECT * FROM b WHERE w % 3 <> g OFFSET 0) b USING (k)) s');
SELECT spilled('SELECT g, s.* FROM times, LATERAL (SELECT count(*) FROM (SELECT FROM a JOIN b USING (t) LIMIT 5 * g) s) s');
SELECT spilled('SELECT v, (SELECT count(*) FROM a x JOIN b USING (t) WHERE x.v % 100 < a.v) FROM a WHERE v < 4');

-- cursors, also one that outlives its transaction and the session's files of it
SET hashjoin_ext.enable = force;
BEGIN;
DECLARE c CURSOR FOR SELECT v, w FROM a JOIN b USING (t);
FETCH 2 FROM c;
SELECT count(*) > 0 AS has_files FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '%';
SAVEPOINT s;
FETCH 2 FROM c;
ROLLBACK TO s;
MOVE 1000 FROM c;
SELECT count(*) > 0 AS has_files FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '%';
CLOSE c;
SELECT count(*) AS files FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '%';
DECLARE s SCROLL CURSOR WITH HOLD FOR SELECT v, w FROM a JOIN b USING (t);
FETCH 1 FROM s;
COMMIT;
MOVE ALL FROM s;
FETCH BACKWARD 1 FROM s;
MOVE ABSOLUTE 0 FROM s;
MOVE ALL FROM s;
CLOSE s;

-- errors in each phase: what the server says without us, and nothing left behind
SET hashjoin_ext.enable = off;
CREATE FUNCTION fails(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	stock text[];
	ours text[];
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	stock := run(q);
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	ours := run(q);
	-- some releases quote the names of settings
	RETURN replace(coalesce(difference(stock, ours), stock[1]), '"', '') || whose(q) || ', ' ||
		(SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '%') || ' files';
END $$;
-- while the build side is read; while the probe side is; in a later partition, in residual and output
SELECT fails('SELECT count(*) FROM a JOIN (SELECT t, 1 / (w - 8999) AS x FROM b OFFSET 0) b USING (t) WHERE x < 2');
SELECT fails('SELECT count(*) FROM (SELECT t, 1 / (v - 8999) AS x FROM a OFFSET 0) a JOIN b USING (t) WHERE x < 2');
SELECT fails('SELECT count(*) FROM a JOIN b ON a.t = b.t AND 1 / (w - 2999) < 2');
SELECT fails('SELECT sum(1 / (w - 1500)) FROM a JOIN b USING (t)');
SELECT fails('SELECT sum(1 / coalesce(w, 0)) FROM a LEFT JOIN b USING (t)');
SELECT fails('SELECT sum(1 / coalesce(v, 0)) FROM a RIGHT JOIN b USING (t)');
-- temp_file_limit, on either side; the statement's own message
SET temp_file_limit = '16kB';
SELECT fails('SELECT count(*) FROM a JOIN b USING (t)');
SELECT fails('SELECT count(*) FROM a FULL JOIN b USING (k)');
RESET temp_file_limit;
-- cancelled
SET hashjoin_ext.enable = force;
SET statement_timeout = 60;
SELECT count(*) FROM a x, a y JOIN b USING (t) WHERE x.v + y.v < 0;
RESET statement_timeout;
SELECT count(*) AS files FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '%';
-- the session goes on
SELECT spilled('SELECT v, w FROM a JOIN b USING (t)');

-- counters, EXPLAIN: files are seen in the buffers, and their bytes
SET hashjoin_ext.enable = force;
CREATE FUNCTION temp_blocks(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	j jsonb;
	n jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, COSTS OFF, SUMMARY OFF, FORMAT JSON) ' || q INTO j;
	n := jsonb_path_query_first(j, 'strict $.** ? (@."Custom Plan Provider" == "HashJoinExt")');
	RETURN format('written %s, read %s, disk %s', (n ->> 'Temp Written Blocks')::int > 10, (n ->> 'Temp Read Blocks')::int > 10,
		(n ->> 'Disk Usage')::int BETWEEN 1 AND 8 * (n ->> 'Temp Written Blocks')::int);
END $$;
SELECT temp_blocks('SELECT count(*) FROM a JOIN b USING (t)');
CREATE FUNCTION lines(q text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	l text;
BEGIN
	FOR l IN EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, SUMMARY OFF) ' || q LOOP
		IF l ~ 'Partitions|Disk|Memory' THEN
			RETURN NEXT trim(regexp_replace(l, '[0-9]+', 'N', 'g'));
		END IF;
	END LOOP;
END $$;
SELECT lines('SELECT count(*) FROM a JOIN b USING (t)');
SET work_mem = '4MB';
SELECT lines('SELECT count(*) FROM a JOIN b USING (t)');
RESET work_mem;
SET work_mem = '64kB';
SET hashjoin_ext.partitions = -1;
SET hashjoin_ext.partitions = 1025;
\set VERBOSITY sqlstate
SET hashjoin_ext.debug_table_bytes = -1;
\set VERBOSITY default

-- the table of a join that has ended is freed, before the next begins: ten
-- joins of an Append take hardly more memory than one
CREATE FUNCTION memory_in_use() RETURNS int8 LANGUAGE sql AS
	$$SELECT sum(total_bytes)::int8 FROM pg_backend_memory_contexts WHERE name LIKE 'HashJoinExt%'$$;
SET work_mem = '16MB';
BEGIN;
DECLARE c CURSOR FOR SELECT memory_in_use() FROM a JOIN b USING (t) WHERE v = 3
	UNION ALL SELECT memory_in_use() FROM a JOIN b USING (t) WHERE w > 0 AND v = 3
	UNION ALL SELECT memory_in_use() FROM a JOIN b USING (t) WHERE w > 1 OR v = 3;
MOVE ALL FROM c;
SELECT memory_in_use() < 2000000 AS freed;
ROLLBACK;
