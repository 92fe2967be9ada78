-- The counters of this backend: what joins have run, since it began or since
-- they were set to zero.
LOAD 'hashjoin_ext';
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS hashjoin_ext;
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA executor_stats;
SET search_path = executor_stats, public;
CREATE TABLE a AS SELECT g AS k FROM generate_series(1, 100) g;
CREATE TABLE b AS SELECT g * 2 AS k FROM generate_series(1, 100) g;
ANALYZE;
SELECT hashjoin_ext_reset_stats();
SELECT * FROM hashjoin_ext_stats();
-- off: nothing to count
SELECT count(*) FROM a JOIN b USING (k);
SELECT joins FROM hashjoin_ext_stats();
SET hashjoin_ext.enable = force;
SELECT count(*) FROM a JOIN b USING (k);
SELECT joins, array_maps, hash_maps, spilled_partitions, spilled_bytes, filtered_rows FROM hashjoin_ext_stats();
-- two in one statement; planned only, they are not counted
SELECT count(*) FROM a JOIN b USING (k) LEFT JOIN a c USING (k);
EXPLAIN (COSTS OFF) SELECT count(*) FROM a JOIN b USING (k);
SELECT joins FROM hashjoin_ext_stats();
-- counted when it has come to its end: not if it failed, but also in a transaction that is undone
\set VERBOSITY sqlstate
BEGIN;
SELECT count(*) FROM a JOIN b USING (k);
SELECT count(*) FROM a JOIN b ON a.k = b.k AND 1 / (b.k - 50) > -2;
ROLLBACK;
\set VERBOSITY default
SELECT joins FROM hashjoin_ext_stats();
SELECT hashjoin_ext_reset_stats();
SELECT * FROM hashjoin_ext_stats();
-- the functions take no part in a plan that runs in parallel
SELECT proname, proparallel, provolatile FROM pg_proc WHERE proname LIKE 'hashjoin\_ext%' ORDER BY 1;
SET hashjoin_ext.enable = off;
DROP EXTENSION hashjoin_ext;
-- the library needs no object of the extension
SET hashjoin_ext.enable = force;
EXPLAIN (COSTS OFF) SELECT count(*) FROM a JOIN b USING (k);
SELECT count(*) FROM a JOIN b USING (k);
SET hashjoin_ext.enable = off;
CREATE EXTENSION hashjoin_ext;
SELECT joins FROM hashjoin_ext_stats();
DROP EXTENSION hashjoin_ext;
DROP SCHEMA executor_stats CASCADE;
