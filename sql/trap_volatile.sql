-- Volatile and set-returning expressions: evaluated as often as without the
-- node, in the same order where that can be seen, and never in a key that is
-- hashed twice.
\set test trap_volatile
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE a (k int, v int);
INSERT INTO a SELECT g % 10, g FROM generate_series(1, 50) g;
CREATE TABLE b (k int, w int);
INSERT INTO b SELECT g % 14, g FROM generate_series(1, 40) g;
ANALYZE;
CREATE SEQUENCE s;

-- how often a function is called, whatever the order of the rows
SELECT compare('SELECT count(nextval(''s'')), (SELECT last_value FROM s) FROM a JOIN b USING (k)', 'SELECT setval(''s'', 1, false)');
CREATE FUNCTION calls(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	off bigint;
	forced bigint;
	who text;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'off', true), setval('s', 1, false);
	PERFORM run(q);
	off := nextval('s');
	PERFORM set_config('hashjoin_ext.enable', 'force', true), setval('s', 1, false);
	PERFORM run(q);
	forced := nextval('s');
	who := whose(q);
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	RETURN CASE WHEN off = forced THEN 'same, ' || off - 1 || ' calls' ELSE format('DIFFERENT: %s calls, not %s', forced - 1, off - 1) END || who;
END $$;
-- in the target list
SELECT calls('SELECT a.v, nextval(''s'') FROM a JOIN b USING (k)');
SELECT calls('SELECT a.v, b.w, nextval(''s'') FROM a FULL JOIN b ON a.k = b.k AND b.w > 20');
-- below the join, on either side; in a side that must not be read ahead
SELECT calls('SELECT * FROM (SELECT k, nextval(''s'') AS n FROM a) a JOIN b USING (k)');
SELECT calls('SELECT * FROM a JOIN (SELECT k, nextval(''s'') AS n FROM b) b USING (k)');
SELECT calls('SELECT * FROM (SELECT k, nextval(''s'') AS n FROM a) a LEFT JOIN (SELECT k, nextval(''s'') AS n FROM b) b USING (k)');
-- in a WHERE above an outer join
SELECT calls('SELECT * FROM a LEFT JOIN b USING (k) WHERE nextval(''s'') > 0');
-- in a condition of ON: only pairs whose keys match are tested
SELECT calls('SELECT * FROM a LEFT JOIN b ON a.k = b.k AND nextval(''s'') > 0');
SELECT calls('SELECT * FROM a FULL JOIN b ON a.k = b.k AND nextval(''s'') > 0');
-- a key that a volatile expression below the join computed is a key as any other
SELECT calls('SELECT * FROM (SELECT v, nextval(''s'') AS n FROM a) a JOIN b ON a.n = b.w');
SELECT calls('SELECT * FROM a JOIN (SELECT nextval(''s'') AS n FROM b) b ON a.v = b.n');
-- random() beside keys, and in them: a clause that is volatile is no hash clause
SELECT compare('SELECT a.*, b.* FROM a JOIN b ON a.k = b.k WHERE random() >= 0');
SELECT compare('SELECT a.*, b.* FROM a LEFT JOIN b ON a.k = b.k AND random() < 0');
SELECT compare('SELECT a.*, b.* FROM a JOIN b ON a.k + (random() * 0)::int = b.k');
SELECT compare('SELECT a.*, b.* FROM a JOIN b ON a.k = b.k + (random() * 0)::int');
SELECT compare('SELECT a.*, b.* FROM a JOIN b ON a.k + (random() * 0)::int = b.k + (random() * 0)::int');
SELECT compare('SELECT a.*, b.* FROM a LEFT JOIN b ON a.k + (random() * 0)::int = b.k');
SELECT compare('SELECT a.* FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.k = a.k + (random() * 0)::int)');
SELECT compare('SELECT a.* FROM a WHERE a.k + (random() * 0)::int IN (SELECT k FROM b)');
-- a stable function reads the same snapshot throughout
CREATE FUNCTION stab(i int) RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN i + (SELECT count(*) FROM a WHERE false); END';
SELECT compare('SELECT * FROM a JOIN b ON stab(a.k) = stab(b.k)');
-- a function that writes a table which the join reads
CREATE TABLE log (k int);
CREATE FUNCTION writes(i int) RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN INSERT INTO a VALUES (i, -1); RETURN i; END';
SELECT compare_dml('SELECT writes(b.k) FROM a JOIN b USING (k)', 'SELECT * FROM a');

-- set-returning functions in the target list, above and below the join
SELECT compare('SELECT a.v, generate_series(1, b.w % 3) FROM a JOIN b USING (k)');
SELECT compare('SELECT a.v, unnest(ARRAY[a.k, b.w]), generate_series(1, 3) FROM a LEFT JOIN b USING (k)');
SELECT compare('SELECT * FROM (SELECT k, generate_series(1, v % 3) AS g FROM a) a JOIN b USING (k)');
SELECT compare('SELECT * FROM b LEFT JOIN (SELECT k, generate_series(1, v % 3) AS g FROM a) a USING (k)');
SELECT compare('SELECT * FROM b JOIN (SELECT generate_series(1, k) AS k FROM a) a USING (k)');
SELECT compare('SELECT * FROM b JOIN generate_series(3, 8) WITH ORDINALITY g(k, o) USING (k)');
SELECT compare('SELECT * FROM b FULL JOIN ROWS FROM (generate_series(1, 3), unnest(ARRAY[4, 5, 6, 7])) g(x, k) USING (k)');
SELECT compare('SELECT * FROM a JOIN LATERAL generate_series(1, a.k) g ON true JOIN b ON b.k = g');

-- The outer side is not read further than it has to be: a LIMIT above leaves
-- the sequence where it stood.  (The rows' number decides, not their order.)
CREATE FUNCTION consumed(q text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'force', true), setval('s', 1, false);
	PERFORM run(q);
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	RETURN nextval('s') - 1;
END $$;
CREATE TABLE probe AS SELECT g AS k FROM generate_series(1, 5000) g;
CREATE TABLE one AS SELECT g AS k FROM generate_series(1, 5) g;
ANALYZE;
\set q '''SELECT * FROM (SELECT k, nextval(''''s'''') AS n FROM probe OFFSET 0) p JOIN one USING (k) LIMIT 2'''
SELECT uses_node(:q);
SELECT consumed(:q);
\set q '''SELECT * FROM (SELECT k, nextval(''''s'''') AS n FROM probe OFFSET 0) p LEFT JOIN one USING (k) LIMIT 3'''
SELECT consumed(:q);
\set q '''SELECT * FROM (SELECT k, nextval(''''s'''') AS n FROM probe OFFSET 0) p WHERE EXISTS (SELECT FROM one WHERE one.k = p.k) LIMIT 5'''
SELECT consumed(:q);

DROP SCHEMA trap_volatile CASCADE;
