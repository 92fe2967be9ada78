-- NOT IN is no anti join: a NULL on either side changes its answer.  It is
-- answered as PostgreSQL answers it, with joins of ours around it and inside.
\set test trap_not_in
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE a (k int, v int);
INSERT INTO a VALUES (1, 10), (2, 20), (NULL, 30), (4, 40);
CREATE TABLE b (k int, v int);
INSERT INTO b VALUES (1, 5), (NULL, 50);
CREATE TABLE c (k int, v int);
INSERT INTO c VALUES (1, 5), (3, 7);
CREATE TABLE none (k int, v int);
ANALYZE;
SET hashjoin_ext.enable = force;
-- a NULL inside: nothing is known not to be in it
SELECT 1 WHERE 1 NOT IN (VALUES (2), (NULL));
SELECT count(*) FROM a WHERE k NOT IN (SELECT k FROM b);
-- a NULL on the left counts only if the inner side is empty
SELECT NULL::int NOT IN (SELECT 1 WHERE false);
SELECT count(*) FROM a WHERE k NOT IN (SELECT k FROM none);
SELECT k FROM a WHERE k NOT IN (SELECT k FROM c) ORDER BY 1;
-- a further condition decides which inner rows, and so which NULLs, count
SELECT k FROM a WHERE k NOT IN (SELECT b.k FROM b WHERE b.v < a.v) ORDER BY 1;
-- several columns: NULL logic per pair
SELECT (3, NULL) NOT IN (VALUES (1, 1), (NULL, 4));
SELECT count(*) FROM a WHERE (k, v) NOT IN (SELECT k, v FROM b);
SET hashjoin_ext.enable = off;
SELECT compare('SELECT * FROM a JOIN c USING (k) WHERE a.v NOT IN (SELECT v FROM b)');
SELECT compare('SELECT * FROM a WHERE v NOT IN (SELECT x.v FROM b x JOIN c USING (k))');
SELECT compare('SELECT * FROM a LEFT JOIN c ON a.k = c.k AND a.v NOT IN (SELECT v FROM b)');
SELECT compare('SELECT * FROM a LEFT JOIN c ON a.k = c.k WHERE c.v NOT IN (SELECT k FROM b) OR c.v IS NULL');
SELECT compare('SELECT * FROM a JOIN c USING (k) WHERE a.v <> ALL (SELECT v FROM b)');
SELECT compare('SELECT * FROM a FULL JOIN c ON a.k = c.k WHERE (a.k, c.k) NOT IN (SELECT k, v FROM b)');
-- IS NOT DISTINCT FROM: NULL meets NULL
SELECT compare('SELECT * FROM a JOIN b ON a.k IS NOT DISTINCT FROM b.k');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k IS NOT DISTINCT FROM b.k AND a.v > b.v');
SELECT compare('SELECT * FROM a JOIN c ON a.k = c.k AND a.v IS NOT DISTINCT FROM c.v * 2');
SELECT compare('SELECT * FROM a JOIN b ON a.k = b.k OR (a.k IS NULL AND b.k IS NULL)');

DROP SCHEMA trap_not_in CASCADE;
