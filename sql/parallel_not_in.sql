-- NOT IN in a parallel plan: a NULL that one process has seen counts for all.
\set test parallel_not_in
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
\set helpers :abs_srcdir '/sql/include/parallel.sql'
\i :helpers

CREATE TABLE o (x int, y int, v int);
INSERT INTO o SELECT nullif(g % 900, 7), nullif(g % 11, 3), g FROM generate_series(1, 5000) g;
CREATE TABLE i (x int, y int, v int);
INSERT INTO i SELECT g * 2, g % 11, g FROM generate_series(1, 800) g;
ANALYZE o, i;

-- no NULL within
SELECT parallel('SELECT v FROM o WHERE x NOT IN (SELECT x FROM i)');
SELECT parallel('SELECT v FROM o WHERE x <> ALL (SELECT x FROM i WHERE v < 300)');
-- an empty inner side: every row, NULL or not
SELECT parallel('SELECT v FROM o WHERE x NOT IN (SELECT x FROM i WHERE v < 0)');
-- a NULL in one block, so in one process
INSERT INTO i VALUES (NULL, 1, 10000);
SELECT parallel('SELECT v FROM o WHERE x NOT IN (SELECT x FROM i)');
SELECT parallel('SELECT v FROM o WHERE x NOT IN (SELECT x FROM i WHERE v < 10000)');
-- nothing but NULL
SELECT parallel('SELECT v FROM o WHERE x NOT IN (SELECT x FROM i WHERE v = 10000)');
-- several columns, further conditions: each process has a table of its own
SELECT parallel('SELECT v FROM o WHERE (x, y) NOT IN (SELECT x, y FROM i)');
SELECT parallel('SELECT v FROM o WHERE x NOT IN (SELECT x FROM i WHERE i.v < o.v)');
SELECT parallel('SELECT v FROM o WHERE x NOT IN (SELECT x FROM i WHERE i.y = o.y)');

-- NULL = NULL as a key, alone and beside others
SELECT parallel('SELECT o.v, i.v AS w FROM o JOIN i ON o.x IS NOT DISTINCT FROM i.x');
SELECT parallel('SELECT o.v, i.v AS w FROM o LEFT JOIN i ON o.x IS NOT DISTINCT FROM i.x AND o.y = i.y');
SELECT parallel('SELECT o.v, i.v AS w FROM o FULL JOIN i ON o.x = i.x AND o.y IS NOT DISTINCT FROM i.y');
SELECT parallel('SELECT o.v FROM o WHERE NOT EXISTS (SELECT FROM i WHERE o.x IS NOT DISTINCT FROM i.x)');

SELECT string_agg(DISTINCT type, ', ') FROM seen;

DROP SCHEMA parallel_not_in CASCADE;
