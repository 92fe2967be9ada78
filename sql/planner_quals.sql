-- Conditions without columns, with one side's columns only, contradictions,
-- several conditions of one key: what becomes a key, what a residual, what is
-- tested once.
\set test planner_quals
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE a (k int, v int, l int8);
INSERT INTO a SELECT g % 30, g, g % 30 FROM generate_series(1, 120) g;
INSERT INTO a VALUES (NULL, 0, 0);
CREATE TABLE b (k int, w int, l int8);
INSERT INTO b SELECT g % 40, g, g % 40 FROM generate_series(1, 100) g;
INSERT INTO b VALUES (NULL, 0, 0);
CREATE TABLE c (k int, z int);
INSERT INTO c SELECT g, g % 3 FROM generate_series(1, 20) g;
CREATE FUNCTION yes() RETURNS bool LANGUAGE plpgsql STABLE AS 'BEGIN RETURN true; END';
CREATE FUNCTION no() RETURNS bool LANGUAGE plpgsql STABLE AS 'BEGIN RETURN false; END';
ANALYZE;
-- Conditions without columns: tested once, above or below the join.
SELECT uses_node('SELECT * FROM a JOIN b USING (k) WHERE yes()');
SELECT compare('SELECT a.*, b.* FROM a JOIN b USING (k) WHERE yes()');
SELECT compare('SELECT a.*, b.* FROM a JOIN b USING (k) WHERE no()');
SELECT compare('SELECT a.*, b.* FROM a LEFT JOIN b USING (k) WHERE no()');
SELECT compare('SELECT a.*, b.* FROM a LEFT JOIN b ON a.k = b.k AND no()');
SELECT compare('SELECT a.*, b.* FROM a LEFT JOIN b ON a.k = b.k AND yes()');
SELECT compare('SELECT a.*, b.* FROM a FULL JOIN b ON a.k = b.k AND no()');
SELECT compare('SELECT a.*, b.* FROM a FULL JOIN b ON a.k = b.k AND yes()');
SELECT compare('SELECT a.*, b.* FROM a FULL JOIN b ON a.k = b.k WHERE no()');
SELECT compare('SELECT a.* FROM a WHERE EXISTS (SELECT FROM b WHERE a.k = b.k AND no())');
SELECT compare('SELECT a.* FROM a WHERE NOT EXISTS (SELECT FROM b WHERE a.k = b.k AND no())');
SELECT compare('SELECT a.* FROM a WHERE NOT EXISTS (SELECT FROM b WHERE a.k = b.k AND yes())');
SELECT compare('SELECT a.*, b.*, c.* FROM a LEFT JOIN (b JOIN c ON b.k = c.k AND no()) ON a.k = b.k');
SELECT compare('SELECT a.*, b.*, c.* FROM a LEFT JOIN (b LEFT JOIN c ON b.k = c.k AND yes()) ON a.k = b.k AND now() IS NOT NULL');
SELECT compare('SELECT a.*, b.* FROM a JOIN b USING (k) WHERE (SELECT max(z) FROM c) > 1');
SELECT compare('SELECT a.*, b.* FROM a LEFT JOIN b ON a.k = b.k AND (SELECT max(z) FROM c) > 5');
SELECT compare('SELECT c.k, (SELECT count(*) FROM a LEFT JOIN b ON a.k = b.k AND c.z = 1 WHERE c.k > 3) FROM c');
-- constants that the planner folds
SELECT compare('SELECT a.*, b.* FROM a JOIN b ON a.k = b.k AND true');
SELECT compare('SELECT a.*, b.* FROM a FULL JOIN b ON a.k = b.k AND (true OR a.v > 3)');
SELECT rows_only(compare('SELECT a.*, b.* FROM a LEFT JOIN b ON a.k = b.k AND false'));
SELECT rows_only(compare('SELECT a.*, b.* FROM a FULL JOIN b ON a.k = b.k AND NULL::bool'));
SELECT rows_only(compare('SELECT a.*, b.* FROM a JOIN b ON a.k = b.k WHERE false'));
-- one side's columns only: of the preserved side in ON, of either in WHERE
SELECT compare('SELECT a.*, b.* FROM a LEFT JOIN b ON a.k = b.k AND a.v < 50');
SELECT compare('SELECT a.*, b.* FROM a LEFT JOIN b ON a.k = b.k AND b.w < 50 AND a.v > 10');
SELECT compare('SELECT a.*, b.* FROM a RIGHT JOIN b ON a.k = b.k AND a.v < 50 AND b.w > 20');
SELECT compare('SELECT a.*, b.* FROM a FULL JOIN b ON a.k = b.k AND a.v < 50 AND b.w > 20');
SELECT compare('SELECT a.* FROM a WHERE NOT EXISTS (SELECT FROM b WHERE a.k = b.k AND a.v > 60)');
-- equivalence classes: a key from a third relation, from a constant, across types
SELECT compare('SELECT a.*, b.*, c.* FROM a, b, c WHERE a.k = b.k AND b.k = c.k');
SELECT compare('SELECT a.*, b.* FROM a JOIN b ON a.k = b.k WHERE a.k = 7');
SELECT rows_only(compare('SELECT a.*, b.* FROM a LEFT JOIN b ON a.k = b.k WHERE a.k = 7'));
SELECT rows_only(compare('SELECT a.*, b.* FROM a FULL JOIN b ON a.k = b.k WHERE coalesce(a.k, b.k) = 7'));
SELECT compare('SELECT a.*, b.*, c.* FROM a, b, c WHERE a.l = b.k AND b.k = c.k AND c.k = a.l');
SELECT compare('SELECT a.*, b.* FROM a JOIN b ON a.k = b.k AND a.l = b.k AND a.k = b.l');
-- the same condition twice, both ways round, a self-contradiction
SELECT compare('SELECT a.*, b.* FROM a JOIN b ON a.k = b.k AND b.k = a.k AND a.k = b.k');
SELECT compare('SELECT a.*, b.* FROM a LEFT JOIN b ON a.k = b.k AND b.k = a.k AND a.k <> b.k');
SELECT compare('SELECT x.* FROM a x JOIN a y ON x.k = y.k AND x.v = y.v AND x.l = y.l');
-- keys on columns of one side that depend on two relations
SELECT compare('SELECT a.v, b.w, c.k FROM a JOIN b ON a.k = b.k JOIN c ON c.k = a.k + b.w - b.w');
SELECT compare('SELECT a.v, b.w, c.k FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON c.k = coalesce(b.w, a.v) % 20');
-- OR, NOT, IS DISTINCT, row comparisons, BETWEEN: residuals
SELECT compare('SELECT a.v, b.w FROM a JOIN b ON a.k = b.k AND (a.v < 20 OR b.w > 80)');
SELECT compare('SELECT a.v, b.w FROM a LEFT JOIN b ON a.k = b.k AND NOT (a.v < b.w)');
SELECT compare('SELECT a.v, b.w FROM a LEFT JOIN b ON a.k = b.k AND a.v IS DISTINCT FROM b.w');
SELECT compare('SELECT a.v, b.w FROM a FULL JOIN b ON a.k = b.k AND (a.v, a.k) < (b.w, b.k)');
SELECT compare('SELECT a.v, b.w FROM a JOIN b ON (a.k, a.l) = (b.k, b.l)');
SELECT compare('SELECT a.v, b.w FROM a JOIN b ON a.k = b.k AND b.w BETWEEN a.v - 10 AND a.v + 10');
SELECT compare('SELECT a.v, b.w FROM a JOIN b ON a.k = b.k AND a.v = ANY (ARRAY[b.w, b.w + 1])');
SELECT compare('SELECT a.v, b.w FROM a JOIN b ON ARRAY[a.k, 1] = ARRAY[b.k, 1] AND a.v > b.w');
-- hints and settings: on honours enable_hashjoin, as stock does
SET hashjoin_ext.enable = on;
CREATE FUNCTION ours(q text) RETURNS bool LANGUAGE sql AS 'SELECT nodes(plan(q)) > 0';
CREATE TABLE big AS SELECT g AS k FROM generate_series(1, 20000) g;
ANALYZE big;
SELECT ours('SELECT count(*) FROM big x JOIN big y USING (k)');
SET enable_hashjoin = off;
SELECT ours('SELECT count(*) FROM big x JOIN big y USING (k)');
RESET enable_hashjoin;
-- on: also a join whose build is expected to pass the memory limit
SET work_mem = '64kB';
SELECT ours('SELECT count(*) FROM big x JOIN big y USING (k)');
SET hashjoin_ext.enable = force;
SELECT ours('SELECT count(*) FROM big x JOIN big y USING (k)');
RESET work_mem;
SET hashjoin_ext.enable = off;

DROP SCHEMA planner_quals CASCADE;
