-- Tables, queries and helpers of test/faults, parallel joins.
SET client_min_messages = warning;

CREATE TABLE a AS SELECT g AS k, 'key ' || g AS t, g AS v FROM generate_series(1, 40000) g;
CREATE TABLE b AS SELECT g * 3 AS k, 'key ' || g * 3 AS t, g AS w FROM generate_series(1, 30000) g;
-- one key of most rows: passes
CREATE TABLE hot AS SELECT CASE WHEN g % 10 = 0 THEN -g ELSE 7 END AS k, 'key ' || CASE WHEN g % 10 = 0 THEN -g ELSE 7 END AS t, g AS w FROM generate_series(1, 30000) g;
CREATE TABLE few AS SELECT g AS k, 'key ' || g AS t, g + 6000 AS v FROM generate_series(-5999, 34000) g;
ANALYZE a, b, hot, few;

-- Said to be immutable, so that joins with it are still parallel and read ahead.
CREATE FUNCTION at(n int, fault_row int, kind text) RETURNS int IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql AS $$
BEGIN
	IF n = fault_row THEN
		CASE kind
			WHEN 'raise' THEN RAISE EXCEPTION 'a fault' USING ERRCODE = 'HJ001';
			WHEN 'cancel worker' THEN PERFORM pg_cancel_backend(pg_backend_pid());
			WHEN 'terminate self' THEN PERFORM pg_terminate_backend(pg_backend_pid());
			ELSE NULL;
		END CASE;
	END IF;
	RETURN 0;
END $$;

-- The n-th query, with the fault at a row of a phase, or stopped after a number of
-- rows.  Nothing hides the scans, so that all processes share both of them.
CREATE FUNCTION query(n int, kind text, phase text, fault_row int, max_rows int DEFAULT 0) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	tabs text[] := CASE WHEN n % 3 = 2 THEN '{few,hot}' ELSE '{a,b}' END;
	k text := CASE WHEN n % 2 = 0 THEN 'k' ELSE 't' END;
	f text := format('%s, %L', fault_row, kind);
	type text := ('{inner,left,right,full,semi,anti}'::text[])[1 + n / 2];
	x text := format('(SELECT * FROM %I%s) x', tabs[1], CASE WHEN phase = 'probe' THEN format(' WHERE at(v, %s) = 0', f) END);
	y text := format('(SELECT * FROM %I%s) y', tabs[2], CASE WHEN phase = 'build' THEN format(' WHERE at(w, %s) = 0', f) END);
	cond text := format('x.%I = y.%I', k, k) || CASE WHEN phase = 'residual' THEN format(' AND at(x.v + 0 * y.w, %s) = 0', f) ELSE '' END;
	join_rows text;
BEGIN
	IF type IN ('semi', 'anti') THEN
		join_rows := format('SELECT NULL::int AS v, w FROM %s WHERE %s EXISTS (SELECT FROM %s WHERE %s)',
			y, CASE WHEN type = 'anti' THEN 'NOT' END, x, cond);
	ELSE
		join_rows := format('SELECT v, w FROM %s %s JOIN %s ON %s', x, type, y, cond);
	END IF;
	IF max_rows > 0 THEN
		RETURN format('SELECT ''ANSWER'', count(*) FROM (%s LIMIT %s) s', join_rows, max_rows);
	END IF;
	RETURN format('SELECT ''ANSWER'', count(*), sum(v), sum(w)%s FROM (%s) s',
		CASE phase WHEN 'output' THEN format(' , sum(at(coalesce(v, w), %s)) + NULL', f)
			WHEN 'unmatched' THEN format(' , sum(at(CASE WHEN v IS NULL THEN w END, %s)) + NULL', f) END, join_rows);
END $$;

CREATE FUNCTION settings(workers int, leader bool, bytes int) RETURNS void LANGUAGE sql AS $$
	SELECT set_config('max_parallel_workers_per_gather', workers::text, false),
		set_config('parallel_leader_participation', leader::text, false),
		set_config('hashjoin_ext.debug_table_bytes', bytes::text, false)
$$;

-- Does the query share a table?
CREATE FUNCTION shares_table(q text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	j jsonb;
BEGIN
	EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) ' || q INTO j;
	RETURN jsonb_path_exists(j, 'strict $.** ? (@."Custom Plan Provider" == "HashJoinExt" && @.Table == "shared")');
END $$;

-- Is the session as good as new?  What is wrong, or nothing.
CREATE FUNCTION wrong(workers int, leader bool, bytes int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	contexts int;
	rows int;
	row_sum int8;
BEGIN
	SELECT count(*) INTO contexts FROM pg_backend_memory_contexts WHERE name LIKE 'HashJoinExt%';
	PERFORM settings(workers, leader, bytes);
	-- by EXECUTE, for SELECT INTO never runs in workers
	EXECUTE 'SELECT count(*), sum(coalesce(w, 0)) FROM a FULL JOIN b USING (t)' INTO rows, row_sum;
	RETURN concat_ws(', ', CASE WHEN contexts > 0 THEN contexts || ' memory contexts' END,
		CASE WHEN rows <> 56667 OR row_sum <> 450015000 THEN format('next join: %s rows, sum %s', rows, row_sum) END);
END $$;

-- Strikes the query that a session is about to begin, some time after it, or after
-- its first worker, was there.  Returns the pid that was struck; 0: too late.
CREATE FUNCTION strike(leader int, kind text, ms float8) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	victim int;
	of_leader bool := kind IN ('cancel', 'terminate leader', 'kill leader');
BEGIN
	FOR i IN 1..3000 LOOP
		PERFORM pg_stat_clear_snapshot();
		SELECT pid INTO victim FROM pg_stat_activity WHERE CASE WHEN of_leader THEN pid = leader AND state = 'active' AND query LIKE '%ANSWER%' ELSE leader_pid = leader END;
		EXIT WHEN FOUND;
		PERFORM pg_sleep(0.001);
		-- the query may have come and gone
		EXIT WHEN i > 100 AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = leader AND state = 'active' AND query LIKE '%ANSWER%');
	END LOOP;
	PERFORM pg_sleep(ms / 1000);
	PERFORM pg_stat_clear_snapshot();
	SELECT pid INTO victim FROM pg_stat_activity
		WHERE CASE WHEN of_leader THEN pid = leader AND state = 'active' AND query LIKE '%ANSWER%' ELSE leader_pid = leader END
		ORDER BY random() LIMIT 1;
	CASE WHEN victim IS NULL THEN RETURN 0;
		WHEN kind = 'cancel' THEN PERFORM pg_cancel_backend(victim);
		WHEN kind IN ('terminate worker', 'terminate leader') THEN PERFORM pg_terminate_backend(victim);
		ELSE NULL;
	END CASE;
	RETURN victim;
END $$;

ALTER DATABASE postgres SET hashjoin_ext.enable = force;
