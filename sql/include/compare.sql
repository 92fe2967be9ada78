\set ECHO none
-- Helpers for the regression tests: read with \i after "\set test NAME".
--
-- They live in a schema named as the test, so that no two tests meet.  The
-- verdicts are texts that hold nothing but what a test is about: whether the
-- rows are those of PostgreSQL without the node, how many they are (so that a
-- comparison of nothing with nothing is seen), and whether the node took part.
LOAD 'hashjoin_ext';
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS :"test" CASCADE;
CREATE SCHEMA :"test";
SET search_path = :"test", public;
\pset format unaligned
\pset tuples_only on
\pset null NULL
SET jit = off;
SET max_parallel_workers_per_gather = 0;

-- With "compare.workers" set (for the whole run: test/workers) our node is
-- compared in so many parallel workers.  Cursors are never parallel, so the rows
-- are then taken by an aggregate, where q has a target list that allows it.
CREATE FUNCTION aggregated(q text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	result text[];
BEGIN
	EXECUTE 'SELECT array_agg(whole_row::text) FROM (' || q || ') whole_row' INTO result;
	RETURN coalesce(result, '{}');
END $$;

CREATE FUNCTION run_in_workers(q text) RETURNS text[] LANGUAGE plpgsql AS $$
BEGIN
	RETURN aggregated(q);
EXCEPTION WHEN syntax_error OR duplicate_column OR feature_not_supported OR datatype_mismatch OR undefined_object OR duplicate_alias OR ambiguous_column OR undefined_column THEN
	RETURN NULL;
END $$;

CREATE FUNCTION workers() RETURNS int LANGUAGE sql AS
	$$SELECT coalesce(nullif(current_setting('compare.workers', true), ''), '0')::int$$;

-- The rows of q as texts, in the order in which they came; an error is one row.
-- Texts, because equal values may print differently (1.0, 1.00) and because
-- not every type can be compared; through a cursor, because q then keeps its
-- own target list, even an empty one.
CREATE FUNCTION run(q text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	r record;
	result text[] := '{}';
BEGIN
	IF workers() > 0 AND current_setting('hashjoin_ext.enable') = 'force' THEN
		PERFORM set_config('max_parallel_workers_per_gather', workers()::text, true);
		result := run_in_workers(q);
		PERFORM set_config('max_parallel_workers_per_gather', '0', true);
		IF result IS NOT NULL THEN
			RETURN result;
		END IF;
		result := '{}';
	END IF;
	FOR r IN EXECUTE q LOOP
		result := array_append(result, r::text);
	END LOOP;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN ARRAY['ERROR ' || SQLSTATE || ' ' || SQLERRM];
END $$;

CREATE FUNCTION plan(q text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	result jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON, COSTS OFF) ' || q INTO result;
	RETURN result;
END $$;

-- How many of our nodes a plan has.
CREATE FUNCTION nodes(plan jsonb) RETURNS int LANGUAGE sql AS $$
	SELECT count(*)::int FROM jsonb_path_query(plan,
		'strict $.** ? (@."Custom Plan Provider" == "HashJoinExt")')
$$;

-- Does our node take part when it is forced?
CREATE FUNCTION uses_node(q text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	result bool;
	before text := current_setting('hashjoin_ext.enable');
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	result := nodes(plan(q)) > 0;
	PERFORM set_config('hashjoin_ext.enable', before, true);
	RETURN result;
END $$;

-- The join types of our nodes when forced, sorted.
CREATE FUNCTION join_types(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	SELECT string_agg(t #>> '{}', ', ' ORDER BY t #>> '{}' COLLATE "C") INTO result
	FROM jsonb_path_query(plan(q), 'strict $.** ? (@."Custom Plan Provider" == "HashJoinExt")."Join Type"') t;
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	RETURN result;
END $$;

-- Executes q with our node forced and returns what its nodes said about
-- themselves: one row per node, "name=value" for each property asked for.
CREATE FUNCTION node_props(q text, VARIADIC props text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	j jsonb;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, SUMMARY OFF, FORMAT JSON) ' || q INTO j;
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	RETURN QUERY
		SELECT (SELECT string_agg(p || '=' || coalesce(n ->> p, 'none'), ' ' ORDER BY o)
				FROM unnest(props) WITH ORDINALITY u(p, o))
		FROM jsonb_path_query(j, 'strict $.** ? (@."Custom Plan Provider" == "HashJoinExt")') n;
END $$;

-- What two multisets of rows differ in.
CREATE FUNCTION difference(want text[], got text[]) RETURNS text LANGUAGE sql AS $$
	WITH missing AS (SELECT unnest(want) AS r EXCEPT ALL SELECT unnest(got)),
		extra AS (SELECT unnest(got) AS r EXCEPT ALL SELECT unnest(want))
	SELECT CASE WHEN m.n + e.n > 0 THEN
		format('DIFFERENT: %s missing (%s), %s extra (%s)', m.n, left(m.first, 200), e.n, left(e.first, 200)) END
	FROM (SELECT count(*) AS n, min(r) AS first FROM missing) m,
		(SELECT count(*) AS n, min(r) AS first FROM extra) e
$$;

-- How the forced plan of q looks from far: ours, not ours, or mixed.
CREATE FUNCTION whose(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	p jsonb;
	stock int;
BEGIN
	p := plan(q);
	SELECT count(*) INTO stock FROM jsonb_path_query(p,
		'strict $.** ? (@."Node Type" == "Hash Join" || @."Node Type" == "Merge Join")');
	RETURN CASE WHEN nodes(p) = 0 THEN ', left to stock'
		WHEN stock > 0 THEN ', partly left to stock' ELSE '' END;
EXCEPTION WHEN OTHERS THEN
	RETURN ', not planned: ' || SQLERRM;
END $$;

-- q without our node against q with our node forced: as it comes, with tiny
-- batches and hashes that collide, and with tables that hold a few rows at most
-- (1 byte: each row is too many), so that everything goes to files, is split
-- again or, where hashes collide, joined in passes.  A test with large tables
-- says "SET compare.table_bytes" to something larger.  "before" is executed
-- before every run.
CREATE FUNCTION compare(q text, before text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	want text[];
	got text[];
	diff text;
	c record;
	who text;
	table_bytes int := coalesce(current_setting('compare.table_bytes', true), '1');
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	IF before IS NOT NULL THEN EXECUTE before; END IF;
	want := run(q);
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	FOR c IN SELECT * FROM (VALUES (1024, 64, 0), (1, 0, 0), (2, 3, table_bytes), (1024, 64, table_bytes)) AS v(batch_size, hash_bits, table_bytes) LOOP
		PERFORM set_config('hashjoin_ext.batch_size', c.batch_size::text, true),
			set_config('hashjoin_ext.debug_hash_bits', c.hash_bits::text, true),
			set_config('hashjoin_ext.debug_table_bytes', c.table_bytes::text, true);
		IF before IS NOT NULL THEN EXECUTE before; END IF;
		got := run(q);
		diff := difference(want, got);
		IF diff IS NOT NULL THEN
			diff := format('batch_size %s, debug_hash_bits %s, debug_table_bytes %s: %s', c.batch_size, c.hash_bits, c.table_bytes, diff);
			EXIT;
		END IF;
	END LOOP;
	who := whose(q);
	PERFORM set_config('hashjoin_ext.enable', 'off', true),
		set_config('hashjoin_ext.batch_size', '1024', true),
		set_config('hashjoin_ext.debug_hash_bits', '64', true),
		set_config('hashjoin_ext.debug_table_bytes', '0', true);
	IF diff IS NOT NULL THEN
		RETURN diff || who;
	END IF;
	RETURN 'same, ' || CASE WHEN want[1] LIKE 'ERROR%' THEN want[1] ELSE cardinality(want) || ' rows' END || who;
END $$;

-- A verdict without who joined: for plans that differ between major versions.
CREATE FUNCTION rows_only(verdict text) RETURNS text LANGUAGE sql AS
	$$SELECT regexp_replace(verdict, ' rows, .*', ' rows')$$;

-- As compare(), for a statement that changes data: its row count and the rows
-- of "look" after it.  All changes are undone.
CREATE FUNCTION changed(dml text, look text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
	result text[];
BEGIN
	BEGIN
		EXECUTE dml;
		GET DIAGNOSTICS n = ROW_COUNT;
		result := array_append(run(look), n || ' rows changed');
		RAISE EXCEPTION 'undo' USING ERRCODE = 'HJ000';
	EXCEPTION
		WHEN SQLSTATE 'HJ000' THEN
			NULL;
		WHEN OTHERS THEN
			result := ARRAY['ERROR ' || SQLSTATE || ' ' || SQLERRM];
	END;
	RETURN result;
END $$;

CREATE FUNCTION compare_dml(dml text, look text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	want text[];
	got text[];
	who text;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	want := changed(dml, look);
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	got := changed(dml, look);
	who := whose(dml);
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	RETURN coalesce(difference(want, got), 'same, ' || want[cardinality(want)]) || who;
END $$;
\set ECHO all
