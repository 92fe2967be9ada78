-- Tables, queries and verdicts of test/faults.
SET client_min_messages = warning;

CREATE TABLE a AS SELECT g AS k, 'key ' || g AS t, g AS v FROM generate_series(1, 8000) g;
CREATE TABLE b AS SELECT g * 3 AS k, 'key ' || g * 3 AS t, g AS w FROM generate_series(1, 8000) g;
-- one key of most rows: passes
CREATE TABLE hot AS SELECT CASE WHEN g % 10 = 0 THEN -g ELSE 7 END AS k, 'key ' || CASE WHEN g % 10 = 0 THEN -g ELSE 7 END AS t, g AS w FROM generate_series(1, 8000) g;
CREATE TABLE few AS SELECT g AS k, 'key ' || g AS t, g + 1000 AS v FROM generate_series(-999, 7000) g;
ANALYZE a, b, hot, few;

-- Said to be immutable, so that rows are still read ahead.
CREATE FUNCTION at(v int, fault_row int, kind text) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	IF v = fault_row THEN
		CASE kind
			WHEN 'raise' THEN RAISE EXCEPTION 'a fault' USING ERRCODE = 'HJ001';
			WHEN 'cancel' THEN PERFORM pg_cancel_backend(pg_backend_pid());
			WHEN 'terminate' THEN PERFORM pg_terminate_backend(pg_backend_pid());
			ELSE NULL;
		END CASE;
	END IF;
	RETURN 0;
END $$;

-- A join with the fault at a row of a phase.
CREATE FUNCTION query(n int, kind text, phase text, fault_row int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	tabs text[] := CASE WHEN n % 4 = 3 THEN '{few,hot}' ELSE '{a,b}' END;
	k text := CASE WHEN n % 2 = 0 THEN 'k' ELSE 't' END;
	f text := format('%s, %L', fault_row, kind);
BEGIN
	RETURN format('SELECT count(*), sum(v), sum(w)%s FROM (SELECT * FROM %I%s OFFSET 0) x %s JOIN (SELECT * FROM %I%s OFFSET 0) y ON x.%I = y.%I%s',
		CASE WHEN phase = 'output' THEN format(', sum(at(coalesce(v, w), %s))', f) END,
		tabs[1], CASE WHEN phase = 'probe' THEN format(' WHERE at(v, %s) = 0', f) END,
		CASE n / 2 WHEN 0 THEN '' WHEN 1 THEN 'LEFT' WHEN 2 THEN 'FULL' ELSE 'RIGHT' END,
		tabs[2], CASE WHEN phase = 'build' THEN format(' WHERE at(w, %s) = 0', f) END,
		k, k, CASE WHEN phase = 'residual' THEN format(' AND at(v, %s) = 0', f) END);
END $$;

-- Is everything as if nothing had been?
CREATE FUNCTION judge(kind text, state text, what text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	want text := CASE kind WHEN 'raise' THEN 'HJ001' WHEN 'cancel' THEN '57014' WHEN 'timeout' THEN '57014'
		WHEN 'limit' THEN '53400' WHEN 'disk' THEN '53100' WHEN 'terminate' THEN '57P01' END;
	files int;
	contexts int;
	rows int;
	wrong text;
BEGIN
	-- a backend that was told to go may still be about it
	FOR i IN 1..50 LOOP
		SELECT count(*) INTO files FROM (SELECT pg_ls_tmpdir() UNION ALL SELECT pg_ls_tmpdir(oid) FROM pg_tablespace WHERE spcname = 'small') s;
		EXIT WHEN files = 0 OR kind <> 'terminate';
		PERFORM pg_sleep(0.1);
	END LOOP;
	SELECT count(*) INTO contexts FROM pg_backend_memory_contexts WHERE name LIKE 'HashJoinExt%';
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	SELECT count(*) INTO rows FROM a JOIN b USING (t);
	wrong := concat_ws(', ', CASE WHEN state NOT IN (want, '00000') THEN 'SQLSTATE ' || state END,
		CASE WHEN files > 0 THEN files || ' files' END, CASE WHEN contexts > 0 THEN contexts || ' memory contexts' END,
		CASE WHEN rows <> 2666 THEN rows || ' rows' END);
	RETURN CASE WHEN wrong = '' THEN 'ok - ' ELSE 'not ok - ' END || what || ': ' || kind || ' ' || state ||
		CASE WHEN wrong = '' THEN '' ELSE ' (' || wrong || ')' END;
END $$;

-- every session joins with our node
ALTER DATABASE postgres SET hashjoin_ext.enable = force;
