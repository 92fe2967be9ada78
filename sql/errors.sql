-- What the extension refuses or declines: never by an error or a warning of its
-- own; why a join is not its own can be asked for (DEBUG1).
\set test errors
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE a (k int, v int, mo money, t text, j json);
INSERT INTO a SELECT g, g % 10, g, 't' || g, '1' FROM generate_series(1, 50) g;
CREATE TABLE b (k int, w int, mo money, t text, j json);
INSERT INTO b SELECT g * 2, g % 5, g, 't' || g, '1' FROM generate_series(1, 40) g;
ANALYZE;
SET hashjoin_ext.enable = force;
-- PostgreSQL's own errors
\set VERBOSITY terse
SELECT count(*) FROM a FULL JOIN b ON a.k < b.k;
SELECT count(*) FROM a FULL JOIN b ON a.mo <> b.mo;
SELECT count(*) FROM a JOIN b ON a.j = b.j;
SELECT count(*) FROM a JOIN b ON a.t COLLATE "C" = b.t COLLATE "POSIX";
SELECT * FROM a JOIN b USING (nope);
SELECT k FROM a JOIN b ON a.k = b.k;
SELECT a.k FROM a LEFT JOIN b ON a.k = b.k FOR UPDATE OF b;
SELECT a.k FROM a LEFT JOIN b ON a.k = b.k FOR UPDATE;
SELECT count(*) FROM a JOIN b USING (k) FOR UPDATE;
\set VERBOSITY default
-- declined without a word
SET client_min_messages = notice;
SELECT count(*) FROM a JOIN b ON a.k < b.k;
SELECT count(*) FROM a JOIN b USING (mo);
SELECT count(*) FROM a CROSS JOIN b;
SELECT count(*) FROM a LEFT JOIN b ON a.v = 3 AND b.w = 2;
-- the reason, for who asks: once for each side that could be built
SELECT count(*) FROM a JOIN b USING (mo);
SET client_min_messages = debug1;
SELECT count(*) FROM a JOIN b USING (mo);
SET client_min_messages = warning;
SET hashjoin_ext.enable = on;
SET work_mem = '64kB';
CREATE TABLE big AS SELECT g AS k FROM generate_series(1, 50000) g;
ANALYZE big;
SELECT count(*) FROM big x JOIN big y USING (k);
SET client_min_messages = debug1;
SELECT count(*) FROM big x JOIN big y USING (k);
SET client_min_messages = warning;
RESET work_mem;
-- the node does not come where it was not asked for
SET hashjoin_ext.enable = off;
SELECT nodes(plan('SELECT * FROM a JOIN b USING (k)'));
SET hashjoin_ext.enable = consider;
SELECT nodes(plan('SELECT * FROM a JOIN b USING (k)'));
SET hashjoin_ext.enable = off;
-- loaded twice, it is there once
LOAD 'hashjoin_ext';
SELECT compare('SELECT a.*, b.* FROM a JOIN b USING (k)');

DROP SCHEMA errors CASCADE;
