-- The memory limit holds whatever the data looks like: unique keys, one key, a
-- skew, NULLs, wide rows; little and less little memory; wrong estimates.
\set test spill_memory
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
\set spill_helpers :abs_srcdir '/sql/include/spill.sql'
\i :spill_helpers

CREATE TABLE probe AS SELECT g AS k, 'k' || g AS t, g AS v FROM generate_series(1, 6000) g;
CREATE TABLE uniq AS SELECT g * 5 AS k, 'k' || g * 5 AS t, g AS w FROM generate_series(1, 20000) g;
CREATE TABLE one AS SELECT 77 AS k, 'k77' AS t, g AS w FROM generate_series(1, 20000) g;
CREATE TABLE zipf AS SELECT (8000 / g)::int AS k, 'k' || (8000 / g)::int AS t, g AS w FROM generate_series(1, 20000) g;
CREATE TABLE nulls AS SELECT CASE WHEN g % 10 = 0 THEN g END AS k, CASE WHEN g % 10 = 0 THEN 'k' || g END AS t, g AS w FROM generate_series(1, 20000) g;
-- 20 kB a row, in the row: no compression, and a column that is not toasted
CREATE TABLE wide (k int, t text, w int, pad text);
ALTER TABLE wide ALTER pad SET STORAGE EXTERNAL;
INSERT INTO wide SELECT g * 20, 'k' || g * 20, g, repeat(md5(g::text), 625) FROM generate_series(1, 300) g;
ANALYZE probe, uniq, one, zipf, nulls, wide;
-- the other side is believed to be large, so that these are built
CREATE FUNCTION believed(tab regclass, nrows float4) RETURNS void LANGUAGE sql AS
	$$UPDATE pg_class SET reltuples = nrows, relpages = pg_relation_size(oid) / current_setting('block_size')::int WHERE oid = tab$$;
SELECT believed('probe', 1e8);
SET hash_mem_multiplier = 1;

CREATE FUNCTION shapes(tab text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	k text;
	wm text;
BEGIN
	FOREACH wm IN ARRAY '{64kB,200kB}'::text[] LOOP
		PERFORM set_config('work_mem', wm, true);
		FOREACH k IN ARRAY '{k,t}'::text[] LOOP
			RETURN NEXT format('%s, %s, %s: %s; %s; %s', tab, wm, k,
				spilled(format('SELECT v, w FROM probe p JOIN %s b ON p.%2$I = b.%2$I', tab, k)),
				spilled(format('SELECT v, w FROM probe p FULL JOIN %s b ON p.%2$I = b.%2$I', tab, k)),
				spilled(format('SELECT v FROM probe p WHERE NOT EXISTS (SELECT FROM %s b WHERE p.%2$I = b.%2$I AND w > v)', tab, k)));
		END LOOP;
	END LOOP;
END $$;
SELECT shapes('uniq');
SELECT shapes('one');
SELECT shapes('zipf');
SELECT shapes('nulls');
-- wide rows: from a subquery, so that the values are no toast pointers
SET work_mem = '64kB';
SELECT spilled('SELECT v, w, md5(pad) FROM probe p JOIN (SELECT k, w, pad || w AS pad FROM wide OFFSET 0) b USING (k)');
SELECT spilled('SELECT v, w, md5(pad) FROM probe p LEFT JOIN (SELECT t, w, pad || w AS pad FROM wide OFFSET 0) b USING (t)');
SELECT spilled('SELECT v, w, md5(pad) FROM probe p FULL JOIN (SELECT NULLIF(k, w * 20) AS k, w, pad || w AS pad FROM wide OFFSET 0) b USING (k)');
-- wide probe rows
SELECT spilled('SELECT w, v, md5(pad) FROM (SELECT k, w AS v, pad || w AS pad FROM wide, generate_series(1, 1000000) g WHERE g = 1 OFFSET 0) p JOIN uniq USING (k)');
-- toasted values stay toasted, on both sides, in files as well
SELECT spilled('SELECT v, w, length(pad) FROM probe p JOIN wide b USING (k)');
-- estimates a thousand times too low and too high
SELECT believed('uniq', 20);
SELECT spilled('SELECT v, w FROM probe p JOIN uniq b USING (k)');
SELECT believed('uniq', 2e7), believed('probe', 1e9);
SELECT spilled('SELECT v, w FROM probe p JOIN uniq b USING (k)');
-- too high, and it fits: nothing is written
SET work_mem = '4MB';
SELECT node_props('SELECT v, w FROM probe p JOIN uniq b USING (k)', 'Partitions', 'Disk Usage');
