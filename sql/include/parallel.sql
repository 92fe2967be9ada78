\set ECHO none
-- Helpers for tests of parallel joins: read with \i after include/compare.sql.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;

-- What a node of ours said when q was executed; NULL if no worker ran.
CREATE FUNCTION ran(q text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	j jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, TIMING OFF, COSTS OFF, SUMMARY OFF, FORMAT JSON) ' || q INTO j;
	IF NOT jsonb_path_exists(j, 'strict $.**."Workers Launched" ? (@ > 0)') THEN
		RETURN NULL;
	END IF;
	RETURN jsonb_path_query_first(j, 'strict $.** ? (@."Custom Plan Provider" == "HashJoinExt")');
END $$;

-- Join types of nodes whose table was shared, and whose answer was right.
CREATE TABLE seen (type text);

-- q by stock, alone, against q forced in parallel: with 2 to 4 workers, the
-- leader taking part or not, with one table, in files, and in passes (all hashes
-- collide).  Says what it has seen of workers, of a shared table, of files.
-- "bytes": for a table in files; less than a row's lets no two rows stay together.
CREATE FUNCTION parallel(q text, bytes int DEFAULT 1) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	want text[];
	diff text;
	node jsonb;
	c record;
	tables text[] := '{}';
	files bool := true;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'off', true), set_config('max_parallel_workers_per_gather', '0', true);
	want := aggregated(q);
	FOR c IN SELECT * FROM (VALUES (2, true, 1024, 64, 0), (4, false, 3, 3, 0),
		(2, true, 1024, 64, bytes), (3, false, 2, 0, bytes)) v(workers, leader, batch, bits, bytes)
	LOOP
		PERFORM set_config('hashjoin_ext.enable', 'force', true),
			set_config('max_parallel_workers_per_gather', c.workers::text, true),
			set_config('parallel_leader_participation', c.leader::text, true),
			set_config('hashjoin_ext.batch_size', c.batch::text, true),
			set_config('hashjoin_ext.debug_hash_bits', c.bits::text, true),
			set_config('hashjoin_ext.debug_table_bytes', c.bytes::text, true);
		diff := difference(want, aggregated(q));
		IF diff IS NOT NULL THEN
			diff := format('%s: %s', c, diff);
			EXIT;
		END IF;
		node := ran(q);
		INSERT INTO seen SELECT node ->> 'Join Type' WHERE node ->> 'Table' = 'shared' AND diff IS NULL;
		tables := array_append(tables, coalesce(node ->> 'Table', 'no worker, or no node of ours'));
		IF c.bytes > 0 THEN
			files := files AND (node ->> 'Disk Usage')::int > 0;
		END IF;
	END LOOP;
	PERFORM set_config('hashjoin_ext.enable', 'off', true),
		set_config('max_parallel_workers_per_gather', '0', true),
		set_config('parallel_leader_participation', 'on', true),
		set_config('hashjoin_ext.batch_size', '1024', true),
		set_config('hashjoin_ext.debug_hash_bits', '64', true),
		set_config('hashjoin_ext.debug_table_bytes', '0', true);
	RETURN coalesce(diff, format('same, %s rows, table: %s, files: %s', cardinality(want),
		-- where it is as cheap the planner may do without workers
		CASE WHEN 'shared' = ANY (tables) THEN 'shared' WHEN 'one a process' = ANY (tables) THEN 'one a process' ELSE 'no workers' END, CASE WHEN files THEN 'yes' ELSE 'no' END));
END $$;
\set ECHO all
