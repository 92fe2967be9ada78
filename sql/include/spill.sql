-- Helpers for tests of joins that do not fit in memory; after compare.sql.
\set ECHO none

-- q without our node against q with our node forced, which must have spilled;
-- what it did with the partitions, and whether it kept to its memory: 1.05 times
-- the limit and 1 MB.
CREATE FUNCTION spilled(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	want text[];
	diff text;
	j jsonb;
	n record;
	memory_limit numeric := pg_size_bytes(current_setting('work_mem')) / 1024 * current_setting('hash_mem_multiplier')::numeric;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	want := run(q);
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	diff := difference(want, run(q));
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, SUMMARY OFF, FORMAT JSON) ' || q INTO j;
	SELECT sum((p ->> 'Disk Usage')::int) AS disk, sum((p ->> 'Partitions Split Again')::int) AS split,
		sum((p ->> 'Partitions Joined in Passes')::int) AS passes, max((p ->> 'Memory Usage')::int) AS memory, count(*) AS nodes
	INTO n FROM jsonb_path_query(j, 'strict $.** ? (@."Custom Plan Provider" == "HashJoinExt")') p;
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	IF n.nodes = 0 THEN
		RETURN 'left to stock';
	END IF;
	RETURN coalesce(diff, 'same, ' || cardinality(want) || ' rows')
		|| CASE WHEN n.disk > 0 THEN ', spilled' ELSE ', NOT SPILLED' END
		|| CASE WHEN n.split > 0 THEN ', split again' ELSE '' END
		|| CASE WHEN n.passes > 0 THEN ', in passes' ELSE '' END
		|| CASE WHEN n.memory > 1.05 * memory_limit + 1024 THEN format(', TOO MUCH MEMORY: %s kB of %s kB', n.memory, memory_limit) ELSE '' END;
END $$;
\set ECHO all
