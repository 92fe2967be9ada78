-- Joins that are left to stock, and the reason that is given at DEBUG1: the
-- table of docs/limitations.md.
\set test planner_declined
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
\set VERBOSITY terse
CREATE TABLE a (k int, v int, p point, r circle);
INSERT INTO a SELECT g, g % 5, point(g, g), circle(point(g, g), 1) FROM generate_series(1, 50) g;
CREATE TABLE b (k int, w int, p point);
INSERT INTO b SELECT g * 2, g % 7, point(g * 2, g * 2) FROM generate_series(1, 50) g;
-- a range over a type that has a btree but no hash operator class
CREATE TYPE money_range AS RANGE (subtype = money);
CREATE TABLE mr1 (r money_range);
INSERT INTO mr1 SELECT money_range(g::money, (g + 2)::money) FROM generate_series(1, 20) g;
CREATE TABLE mr2 AS SELECT r FROM mr1 WHERE lower(r) > 5::money;
CREATE FUNCTION yes() RETURNS bool LANGUAGE plpgsql STABLE AS 'BEGIN RETURN true; END';
ANALYZE;
CREATE FUNCTION is_left_to_stock(q text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN CASE WHEN uses_node(q) THEN 'OFFERED' ELSE 'left to stock' END || ', ' || rows_only(compare(q));
END $$;

-- no equality between the sides
SELECT is_left_to_stock('SELECT a.k, b.k FROM a JOIN b ON a.k < b.k');
SELECT is_left_to_stock('SELECT a.k, b.k FROM a LEFT JOIN b ON a.k + b.k = 7');
SELECT is_left_to_stock('SELECT a.k, b.k FROM a CROSS JOIN b');
-- an equality that cannot be hashed
SELECT is_left_to_stock('SELECT a.k, b.k FROM a JOIN b ON a.p ~= b.p');
SELECT is_left_to_stock('SELECT a.k, b.k FROM a JOIN b ON random() * 0 + a.k = b.k');
-- (stock's own hash join of such ranges fails when it runs, so no comparison)
SELECT uses_node('SELECT mr1.r, mr2.r FROM mr1 JOIN mr2 USING (r)');
SELECT uses_node('SELECT mr1.r, mr2.r FROM mr1 JOIN mr2 ON array[mr1.r] = array[mr2.r]');
SELECT is_left_to_stock('SELECT a.k, b.k FROM a LEFT JOIN b ON a.k + b.k IS NOT DISTINCT FROM 7');
SELECT is_left_to_stock('SELECT a.k, b.k FROM a JOIN b ON a.k IS DISTINCT FROM b.k');
-- FULL JOIN that stock refuses
SELECT run('SELECT a.k, b.k FROM a FULL JOIN b ON a.k < b.k');
SET hashjoin_ext.enable = force;
SELECT run('SELECT a.k, b.k FROM a FULL JOIN b ON a.k < b.k');
SET hashjoin_ext.enable = off;
-- one side computed from the other
SELECT is_left_to_stock('SELECT a.k, l.k FROM a, LATERAL (SELECT b.k FROM b WHERE b.w = a.v OFFSET 0) l WHERE a.k = l.k');
-- a qual without variables at the join is no obstacle
SELECT compare('SELECT a.k, b.k FROM a JOIN b ON a.k = b.k AND yes()');
SELECT compare('SELECT a.k, b.k FROM a JOIN b ON a.k = b.k AND NOT yes()');
-- unless a foreign table takes part, before PostgreSQL 17 (file_fdw, where it
-- is installed; program is never run)
CREATE FUNCTION foreign_is_left_alone() RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	result bool;
BEGIN
	IF NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'file_fdw') THEN
		RETURN true;
	END IF;
	CREATE EXTENSION file_fdw;
	CREATE SERVER planner_declined_server FOREIGN DATA WRAPPER file_fdw;
	CREATE FOREIGN TABLE far (k int) SERVER planner_declined_server OPTIONS (program 'echo 1');
	result := uses_node('SELECT count(*) FROM a JOIN far USING (k) WHERE yes()') =
		(current_setting('server_version_num')::int >= 170000);
	DROP EXTENSION file_fdw CASCADE;
	RETURN result;
END $$;
SELECT foreign_is_left_alone();
-- the inherited target of UPDATE, DELETE, MERGE; other joins of the statement,
-- and partitionwise ones, are offered
CREATE TABLE part (k int, v int) PARTITION BY LIST (k);
CREATE TABLE part1 PARTITION OF part FOR VALUES IN (1);
CREATE TABLE part2 PARTITION OF part FOR VALUES IN (2);
INSERT INTO part SELECT 1 + g % 2, g FROM generate_series(1, 40) g;
CREATE TABLE other (k int, v int) PARTITION BY LIST (k);
CREATE TABLE other1 PARTITION OF other FOR VALUES IN (1);
CREATE TABLE other2 PARTITION OF other FOR VALUES IN (2);
INSERT INTO other SELECT 1 + g % 2, g FROM generate_series(1, 40) g;
SELECT uses_node('DELETE FROM part USING b WHERE part.v = b.k');
SELECT uses_node('UPDATE part SET v = 0 FROM b WHERE part.v = b.k');
SELECT uses_node('DELETE FROM part USING b JOIN (SELECT k, v FROM a OFFSET 0) a USING (k) WHERE part.v < b.k');
SET enable_partitionwise_join = on;
SELECT uses_node('DELETE FROM part USING other WHERE part.k = other.k AND part.v = other.v');
RESET enable_partitionwise_join;
SELECT run('DELETE FROM part USING b WHERE part.v = b.k AND b.w < 3 RETURNING part.v');
SET hashjoin_ext.enable = force;
SELECT run('DELETE FROM part USING b WHERE part.v = b.k AND b.w > 3 RETURNING part.v');
SET hashjoin_ext.enable = off;

-- a build side that is estimated not to fit is weighed as any other
CREATE TABLE big AS SELECT g AS k, repeat('x', 100) AS pad FROM generate_series(1, 20000) g;
ANALYZE big;
SET work_mem = '256kB';
SET hash_mem_multiplier = 1;
SET enable_mergejoin = off;
SET enable_nestloop = off;
SET hashjoin_ext.enable = on;
SELECT nodes(plan('SELECT x.pad, y.pad FROM big x JOIN big y USING (k)')) AS on_too_large;
SET work_mem = '64MB';
SELECT nodes(plan('SELECT x.pad, y.pad FROM big x JOIN big y USING (k)')) AS on_fits;
SET hashjoin_ext.enable = off;

-- the reasons
CREATE FUNCTION reasons(q text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'on', true);
	PERFORM set_config('client_min_messages', 'debug1', true);
	PERFORM plan(q);
	PERFORM set_config('client_min_messages', 'warning', true);
END $$;
SELECT reasons('SELECT a.k, b.k FROM a JOIN b ON a.k < b.k');
SELECT reasons('SELECT a.k, l.k FROM a, LATERAL (SELECT b.k FROM b WHERE b.w = a.v OFFSET 0) l WHERE a.k = l.k');
SET work_mem = '64kB';
SELECT reasons('SELECT a.pad, b.pad FROM big a JOIN big b USING (k)');
SET work_mem = '64MB';
SELECT reasons('DELETE FROM part USING b WHERE part.v = b.k');

DROP SCHEMA planner_declined CASCADE;
