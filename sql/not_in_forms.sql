-- Which forms of NOT IN become a join, and which keep stock's own plan.
\set test not_in_forms
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE o (a int, b int8, t text, v int);
INSERT INTO o SELECT nullif(g % 7, 3), g % 5, 'x' || g % 4, g FROM generate_series(1, 60) g;
CREATE TABLE i (a int, b int8, t text, w int);
INSERT INTO i SELECT nullif(g % 4, 2), nullif(g % 3, 1), 'x' || g % 3, g FROM generate_series(1, 30) g;
CREATE TABLE n (a int NOT NULL, b int8 NOT NULL, w int);
INSERT INTO n SELECT g % 4, g % 3, g FROM generate_series(1, 30) g;
CREATE VIEW inner_view AS SELECT a, b FROM i WHERE w > 3;
CREATE VIEW outer_view AS SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE a > 1);
CREATE FUNCTION wobbly(int) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT $1';
CREATE OPERATOR =~ (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq);
ANALYZE;

CREATE FUNCTION accepted(q text) RETURNS text LANGUAGE sql AS
	$$SELECT coalesce(join_types(q), 'NO JOIN') || ': ' || compare(q)$$;
-- The plan is the one without the extension: not only is there no join of ours.
CREATE FUNCTION refused(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	without jsonb := plan(q);
	forced jsonb;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	forced := plan(q);
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	RETURN CASE WHEN forced = without THEN 'unchanged' ELSE 'CHANGED ' || forced::text END ||
		CASE WHEN q LIKE 'SELECT%' THEN ': ' || rows_only(compare(q)) ELSE '' END;
END $$;

-- the forms
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE a > 1)');
SELECT accepted('SELECT * FROM o WHERE NOT a IN (SELECT a FROM i WHERE a > 1)');
SELECT accepted('SELECT * FROM o WHERE NOT (a = ANY (SELECT a FROM i WHERE a > 1))');
SELECT accepted('SELECT * FROM o WHERE a <> ALL (SELECT a FROM i WHERE a > 1)');
SELECT accepted('SELECT * FROM o WHERE (a, b) NOT IN (SELECT a, b FROM i WHERE a = 3)');
SELECT accepted('SELECT * FROM o WHERE (a, b) <> ALL (SELECT a, b FROM i WHERE b = 2)');
SELECT accepted('SELECT * FROM o WHERE (a, 2) NOT IN (SELECT a, b FROM i WHERE a < 2)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (VALUES (1), (2), (5))');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT w / 3 FROM i WHERE w > 9)');
SELECT accepted('SELECT * FROM o WHERE a + 1 NOT IN (SELECT w / 3 FROM i WHERE w > 9)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT b FROM i WHERE b > 0)');
SELECT accepted('SELECT * FROM o WHERE a::numeric NOT IN (SELECT a + 0.00 FROM i WHERE a > 0)');
SELECT accepted('SELECT * FROM o WHERE t NOT IN (SELECT t FROM i WHERE w > 20)');
SELECT accepted('SELECT * FROM o WHERE t::char(3) NOT IN (SELECT t::char(5) FROM i WHERE w = 21)');
-- several of them, beside other conditions, and nested
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT a FROM n WHERE w < 3) AND b NOT IN (SELECT b FROM i WHERE b = 2) AND v > 5');
SELECT accepted('SELECT * FROM o WHERE v > 5 AND (v < 50 AND a NOT IN (SELECT a FROM n WHERE a < 2))');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE a NOT IN (SELECT a FROM n WHERE w < 3))');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE EXISTS (SELECT FROM n WHERE n.a = i.a AND n.b = 1))');
SELECT accepted('SELECT * FROM o WHERE EXISTS (SELECT FROM i WHERE i.a = o.a AND i.w NOT IN (SELECT w FROM n WHERE w > 4))');
-- subqueries whose rows are not simply those of FROM and WHERE
SELECT accepted('SELECT * FROM o WHERE v NOT IN (SELECT count(*) FROM i GROUP BY a)');
SELECT accepted('SELECT * FROM o WHERE v NOT IN (SELECT count(*) FROM i)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT DISTINCT a FROM i WHERE a > 0)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT DISTINCT ON (b) a FROM i WHERE a > 0 ORDER BY b, w DESC)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i ORDER BY w LIMIT 1)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i ORDER BY w OFFSET 29)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT a FROM n WHERE w < 2 UNION ALL SELECT w FROM n WHERE w = 5)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT a FROM n EXCEPT SELECT a FROM i)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT generate_series(a, a + 1) FROM i WHERE a = 4 OR a = 0)');
SELECT accepted('SELECT * FROM o WHERE v NOT IN (SELECT row_number() OVER (ORDER BY w) FROM i)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (WITH c AS MATERIALIZED (SELECT a FROM n WHERE w < 3) SELECT a FROM c)');
SELECT accepted('WITH c AS MATERIALIZED (SELECT a FROM n WHERE w < 3) SELECT * FROM o WHERE a NOT IN (SELECT a FROM c)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT g FROM generate_series(2, 4) g)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT n.a FROM n JOIN i USING (w) WHERE i.a > 0)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT i.a FROM n LEFT JOIN i ON i.w = n.w + 28)');
-- correlated
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE i.w < o.v)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE i.b = o.b)');
-- views, CTEs, subqueries, joins
SELECT accepted('SELECT * FROM o WHERE (a, b) NOT IN (SELECT a, b FROM inner_view)');
SELECT accepted('SELECT * FROM outer_view WHERE v > 3');
SELECT accepted('WITH c AS (SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE a > 1)) SELECT * FROM c x JOIN c y USING (v)');
SELECT accepted('SELECT * FROM (SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE a > 1) OFFSET 0) s WHERE v > 3');
SELECT accepted('SELECT o.v, n.w FROM o JOIN n ON o.v = n.w AND o.a NOT IN (SELECT a FROM i WHERE a > 1)');
SELECT accepted('SELECT o.v, n.w FROM o JOIN n ON o.v = n.w WHERE (o.a, n.b) NOT IN (SELECT a, b FROM i WHERE w > 20)');
SELECT accepted('SELECT o.v, n.w FROM o LEFT JOIN n ON o.v = n.w WHERE n.a NOT IN (SELECT a FROM i WHERE a > 1)');
SELECT accepted('SELECT o.v, n.w FROM o LEFT JOIN n ON o.v = n.w AND n.w NOT IN (SELECT w FROM i WHERE w < 9 OR w > 20)');
SELECT accepted('SELECT o.v, n.w FROM n RIGHT JOIN o ON o.v = n.w AND n.w NOT IN (SELECT w FROM i WHERE w < 9 OR w > 20)');
SELECT accepted('SELECT count(*) FROM o WHERE a NOT IN (SELECT a FROM i WHERE a > 1) UNION ALL SELECT count(*) FROM o WHERE b NOT IN (SELECT b FROM n WHERE b > 0)');
SELECT accepted('SELECT v, (SELECT count(*) FROM i WHERE i.w NOT IN (SELECT w FROM n WHERE w > o.v)) FROM o WHERE v < 5');
-- both sides known not to be NULL: an anti join like any other
SELECT accepted('SELECT * FROM n x WHERE a NOT IN (SELECT a FROM n WHERE w < 3)');
SELECT accepted('SELECT * FROM o WHERE v > 0 AND v NOT IN (SELECT w FROM i WHERE w > 4)');
SELECT accepted('SELECT * FROM o WHERE v IS NOT NULL AND v NOT IN (SELECT w FROM i WHERE w IS NOT NULL)');
SELECT accepted('SELECT * FROM n x WHERE (a, b) NOT IN (SELECT a, b FROM n WHERE w < 3)');
-- one of two columns
SELECT accepted('SELECT * FROM n x WHERE (a, w) NOT IN (SELECT a, w FROM n WHERE w < 3)');
-- not so where an outer join can have made the column NULL
SELECT accepted('SELECT o.v, x.w FROM o LEFT JOIN n x ON o.v = x.w WHERE x.a NOT IN (SELECT a FROM n WHERE w < 3)');
SELECT accepted('SELECT x.w FROM n x WHERE a NOT IN (SELECT y.a FROM o LEFT JOIN n y ON o.v = y.w WHERE o.v < 3)');
SELECT accepted('SELECT x.w FROM n x WHERE a NOT IN (SELECT y.a FROM o LEFT JOIN n y ON o.v = y.w)');
SELECT accepted('SELECT x.w FROM n x WHERE a NOT IN (SELECT y.a FROM o FULL JOIN n y ON o.v = y.w)');
-- nor of a parent table, whose children need not have the constraint
CREATE TABLE parent (a int);
CREATE TABLE child () INHERITS (parent);
INSERT INTO child VALUES (1), (NULL);
ALTER TABLE ONLY parent ADD CHECK (true) NO INHERIT;
SELECT accepted('SELECT x.w FROM n x WHERE a NOT IN (SELECT a FROM parent)');
-- whoever wrote it
SELECT accepted('SELECT * FROM o WHERE NOT EXISTS (SELECT FROM i WHERE (o.a = i.a) IS NOT FALSE AND i.a > 1)');
SELECT accepted('SELECT * FROM o WHERE NOT EXISTS (SELECT FROM i WHERE (o.a = i.a AND i.b = o.b) IS NOT FALSE)');
-- statements that change rows
SELECT compare_dml('DELETE FROM o WHERE a NOT IN (SELECT a FROM i WHERE a > 1)', 'SELECT * FROM o'), join_types('DELETE FROM o WHERE a NOT IN (SELECT a FROM i WHERE a > 1)');
SELECT compare_dml('DELETE FROM o USING n WHERE o.v = n.w AND o.a NOT IN (SELECT a FROM i WHERE a > 1)', 'SELECT * FROM o'), join_types('DELETE FROM o USING n WHERE o.v = n.w AND o.a NOT IN (SELECT a FROM i WHERE a > 1)');
SELECT compare_dml('UPDATE o SET v = -v WHERE (a, b) NOT IN (SELECT a, b FROM i WHERE a = 3)', 'SELECT * FROM o'), join_types('UPDATE o SET v = -v WHERE (a, b) NOT IN (SELECT a, b FROM i WHERE a = 3)');
SELECT compare_dml('UPDATE o SET v = n.b FROM n WHERE o.v = n.w AND n.a NOT IN (SELECT a FROM i WHERE a > 1)', 'SELECT * FROM o'), join_types('UPDATE o SET v = n.b FROM n WHERE o.v = n.w AND n.a NOT IN (SELECT a FROM i WHERE a > 1)');
SELECT compare_dml('INSERT INTO o (v) SELECT w FROM n WHERE w NOT IN (SELECT v FROM o WHERE v < 20)', 'SELECT * FROM o'), join_types('INSERT INTO o (v) SELECT w FROM n WHERE w NOT IN (SELECT v FROM o WHERE v < 20)');
SELECT join_types('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE a > 1) FOR UPDATE');
SELECT compare('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE a > 1) FOR UPDATE');

-- refused: places where core pulls nothing up
SELECT refused('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE a > 1) OR v = 3');
SELECT refused('SELECT * FROM o WHERE (a NOT IN (SELECT a FROM i WHERE a > 1)) IS NOT TRUE');
SELECT refused('SELECT a NOT IN (SELECT a FROM i WHERE a > 1) FROM o');
SELECT refused('SELECT * FROM o WHERE CASE WHEN v > 3 THEN a NOT IN (SELECT a FROM i WHERE a > 1) ELSE true END');
SELECT refused('SELECT a, count(*) FROM o GROUP BY a HAVING a NOT IN (SELECT a FROM i WHERE a > 1)');
-- (with another join, which is ours: compared only)
SELECT compare('SELECT o.v, n.w FROM o LEFT JOIN n ON o.v = n.w AND o.a NOT IN (SELECT a FROM i WHERE a > 1)');
SELECT compare('SELECT o.v, n.w FROM n RIGHT JOIN o ON o.v = n.w AND o.a NOT IN (SELECT a FROM i WHERE a > 1)');
SELECT compare('SELECT o.v, n.w FROM o FULL JOIN n ON o.v = n.w AND o.a NOT IN (SELECT a FROM i WHERE a > 1)');
-- other tests
SELECT refused('SELECT * FROM o WHERE a > ALL (SELECT a FROM i WHERE a = 1)');
SELECT join_types('SELECT * FROM o WHERE a <> ANY (SELECT a FROM i)'), compare('SELECT * FROM o WHERE a <> ANY (SELECT a FROM i)');
SELECT refused('SELECT * FROM o WHERE 3 NOT IN (SELECT a FROM i WHERE a = 1)');
SELECT refused('SELECT * FROM o WHERE a NOT IN (1, 2, 5)');
-- nothing to look up
SELECT refused('SELECT * FROM o WHERE a NOT IN (SELECT 1)');
SELECT refused('SELECT * FROM o WHERE a NOT IN (SELECT 1 FROM i)');
SELECT refused('SELECT * FROM o WHERE a NOT IN (SELECT i.a + o.v FROM i WHERE i.a > 1)');
-- volatile functions
SELECT refused('SELECT * FROM o WHERE wobbly(a) NOT IN (SELECT a FROM i WHERE a > 1)');
SELECT refused('SELECT * FROM o WHERE a NOT IN (SELECT wobbly(a) FROM i WHERE a > 1)');
SELECT refused('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE wobbly(a) > 1)');
-- operators without hash support
SELECT refused('SELECT * FROM o WHERE NOT (a OPERATOR(not_in_forms.=~) ANY (SELECT a FROM i WHERE a > 1))');
SELECT refused('SELECT * FROM o WHERE v::money NOT IN (SELECT w::money FROM i)');
-- correlated, and more than FROM and WHERE
SELECT refused('SELECT * FROM o WHERE a NOT IN (SELECT max(a) FROM i WHERE i.w < o.v GROUP BY b)');
SELECT refused('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE i.w < o.v ORDER BY w LIMIT 2)');
-- a subquery that locks
SELECT refused('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE a > 1 FOR SHARE)');
-- the target is a parent of others
SELECT refused('DELETE FROM parent WHERE a NOT IN (SELECT a FROM i WHERE a > 1)');
CREATE TABLE parted (a int, v int) PARTITION BY LIST (a);
CREATE TABLE parted1 PARTITION OF parted FOR VALUES IN (1, 2);
CREATE TABLE parted2 PARTITION OF parted DEFAULT;
INSERT INTO parted SELECT a, v FROM o;
SELECT refused('UPDATE parted SET v = 0 WHERE a NOT IN (SELECT a FROM i WHERE a > 1)');
-- (the table itself is no obstacle, nor are partitions that are only read)
SELECT accepted('SELECT * FROM parted WHERE a NOT IN (SELECT a FROM i WHERE a > 1)');
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT a FROM parted WHERE a > 4)');
SELECT compare_dml('DELETE FROM parted1 WHERE a NOT IN (SELECT a FROM i WHERE a > 1)', 'SELECT * FROM parted');
-- MERGE
SELECT compare_dml(q, 'SELECT * FROM n'), join_types(q)
	FROM (VALUES ('MERGE INTO n USING o ON n.w = o.v AND o.a NOT IN (SELECT a FROM i WHERE a > 1) WHEN MATCHED THEN DELETE')) v(q);
-- more columns than can be told apart
SELECT refused('SELECT * FROM o WHERE (a, b, t, v, a, b, v) NOT IN (SELECT a, b, t, w, a, b, w FROM i)');
-- more NOT INs than are worth their planning
SELECT cardinality(string_to_array(join_types(q), ', ')) AS joins, compare(q)
	FROM (SELECT 'SELECT * FROM o WHERE ' || string_agg(format('v NOT IN (SELECT w FROM i WHERE w = %s)', g), ' AND ') FROM generate_series(1, 25) g) s(q);
-- one of several that cannot be a join
SELECT accepted('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE a > 1) AND b NOT IN (SELECT 3 FROM i) AND v NOT IN (SELECT w FROM i WHERE w > 9)');

-- a cursor over one table, which can be updated by its position
SET hashjoin_ext.enable = force;
BEGIN;
DECLARE one CURSOR FOR SELECT * FROM o WHERE v NOT IN (SELECT w FROM i WHERE w > 1);
FETCH one;
UPDATE o SET v = 1000 WHERE CURRENT OF one;
DECLARE another CURSOR FOR SELECT * FROM o WHERE v NOT IN (SELECT w FROM i WHERE w > 1) AND v < 1000 ORDER BY v FOR UPDATE;
FETCH another;
UPDATE o SET v = 1001 WHERE CURRENT OF another;
SELECT * FROM o WHERE v >= 1000 ORDER BY v;
SELECT nodes(plan('DECLARE one CURSOR FOR SELECT * FROM o WHERE v NOT IN (SELECT w FROM i WHERE w > 1)'));
SELECT nodes(plan('DECLARE one CURSOR FOR SELECT * FROM o WHERE v NOT IN (SELECT w FROM i WHERE w > 1) FOR UPDATE'));
SELECT nodes(plan('DECLARE one CURSOR FOR SELECT count(*) FROM o WHERE v NOT IN (SELECT w FROM i WHERE w > 1)'));
ROLLBACK;
SET hashjoin_ext.enable = off;

-- the setting; and what is only considered
SET hashjoin_ext.null_aware_anti_join = off;
SELECT refused('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE a > 1)');
SELECT join_types('SELECT * FROM o WHERE NOT EXISTS (SELECT FROM i WHERE (o.a = i.a) IS NOT FALSE)');
RESET hashjoin_ext.null_aware_anti_join;
SET hashjoin_ext.enable = consider;
SELECT nodes(plan('SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE a > 1)'));

-- weighed: a hash table of a subplan that fits, and is small, is left alone
SET hashjoin_ext.enable = on;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
CREATE TABLE large AS SELECT g AS a FROM generate_series(1, 5000) g;
ANALYZE large;
SELECT nodes(plan('SELECT * FROM large WHERE a NOT IN (SELECT a FROM i WHERE a > 1)'));
SELECT nodes(plan('SELECT * FROM large WHERE a NOT IN (SELECT a FROM large)'));
SET work_mem = '4MB';
SELECT nodes(plan('SELECT * FROM large WHERE a NOT IN (SELECT a FROM large)'));
SET enable_hashjoin = off;
SELECT nodes(plan('SELECT * FROM large WHERE a NOT IN (SELECT a FROM large)'));
RESET enable_hashjoin;
RESET work_mem;
RESET hash_mem_multiplier;

-- what EXPLAIN shows
SET hashjoin_ext.enable = force;
EXPLAIN (COSTS OFF) SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE i.w < o.v);
EXPLAIN (COSTS OFF) SELECT * FROM o WHERE (a, b) NOT IN (SELECT a, b FROM i);
EXPLAIN (COSTS OFF) SELECT * FROM o WHERE a NOT IN (SELECT a FROM i WHERE i.b = o.b AND i.t IS NOT DISTINCT FROM o.t);
EXPLAIN (COSTS OFF) SELECT * FROM o WHERE v NOT IN (SELECT count(*) FROM i GROUP BY a);
SET hashjoin_ext.enable = off;

DROP SCHEMA not_in_forms CASCADE;
