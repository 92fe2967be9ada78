-- Conditions besides the keys: where they stand decides what they mean, and a
-- key that matches is not yet a match.
\set test trap_residual
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE t (k int, v int);
INSERT INTO t SELECT g % 20, g % 3 FROM generate_series(1, 60) g;
INSERT INTO t VALUES (NULL, 1), (NULL, NULL), (5, NULL);
CREATE TABLE u (k int, v int, w text);
INSERT INTO u SELECT g % 30, g % 4, 'w' || g FROM generate_series(1, 90) g;
INSERT INTO u VALUES (NULL, 1, 'n'), (NULL, NULL, 'nn'), (7, NULL, 'vn');
ANALYZE;

-- The first match fails the residual, a later one passes: a semi join must go
-- on, an anti join must not have decided, duplicates must not be dropped.
CREATE TABLE s1 (id int, k int, v int);
INSERT INTO s1 VALUES (1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 3, 1), (5, NULL, 1);
CREATE TABLE s2 (k int, v int);
INSERT INTO s2 VALUES (1, 1), (1, 1), (1, 2), (2, 1), (2, 1), (4, 1), (NULL, 2);
ANALYZE;
SELECT s1.id FROM s1 WHERE EXISTS (SELECT FROM s2 WHERE s2.k = s1.k AND s2.v <> s1.v) ORDER BY 1;
SELECT compare('SELECT s1.* FROM s1 WHERE EXISTS (SELECT FROM s2 WHERE s2.k = s1.k AND s2.v <> s1.v)');
SELECT compare('SELECT s1.* FROM s1 WHERE NOT EXISTS (SELECT FROM s2 WHERE s2.k = s1.k AND s2.v <> s1.v)');
SELECT compare('SELECT s2.* FROM s2 WHERE EXISTS (SELECT FROM s1 WHERE s2.k = s1.k AND s2.v <> s1.v)');
SELECT compare('SELECT s2.* FROM s2 WHERE NOT EXISTS (SELECT FROM s1 WHERE s2.k = s1.k AND s2.v <> s1.v)');
SELECT compare('SELECT t.* FROM t WHERE EXISTS (SELECT FROM u WHERE u.k = t.k AND u.v <> t.v)');
SELECT compare('SELECT t.* FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.k = t.k AND u.v <> t.v)');
SELECT compare('SELECT t.* FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.k = t.k AND u.v = t.v + 10)');
SELECT compare('SELECT t.* FROM t WHERE EXISTS (SELECT FROM u WHERE u.k = t.k AND (u.v > t.v) IS NULL)');
-- the same with the reduced side built
CREATE TABLE many (k int, v int);
INSERT INTO many SELECT g % 2500, g % 5 FROM generate_series(1, 5000) g;
INSERT INTO many SELECT 3, g % 5 FROM generate_series(1, 30) g;
INSERT INTO many SELECT NULL, g FROM generate_series(1, 5) g;
ANALYZE many;
SELECT join_types('SELECT t.* FROM t WHERE EXISTS (SELECT FROM many m WHERE m.k = t.k AND m.v > t.v + 2)');
SELECT compare('SELECT t.* FROM t WHERE EXISTS (SELECT FROM many m WHERE m.k = t.k AND m.v > t.v + 2)');
SELECT join_types('SELECT t.* FROM t WHERE NOT EXISTS (SELECT FROM many m WHERE m.k = t.k AND m.v > t.v + 2)');
SELECT compare('SELECT t.* FROM t WHERE NOT EXISTS (SELECT FROM many m WHERE m.k = t.k AND m.v > t.v + 2)');
SELECT join_types('SELECT m.* FROM many m WHERE EXISTS (SELECT FROM t WHERE m.k = t.k AND m.v > t.v + 2)');
SELECT compare('SELECT m.* FROM many m WHERE EXISTS (SELECT FROM t WHERE m.k = t.k AND m.v > t.v + 2)');
SELECT join_types('SELECT m.* FROM many m WHERE NOT EXISTS (SELECT FROM t WHERE m.k = t.k AND m.v > t.v + 2)');
SELECT compare('SELECT m.* FROM many m WHERE NOT EXISTS (SELECT FROM t WHERE m.k = t.k AND m.v > t.v + 2)');

-- ON decides what matches, WHERE what is shown: the same predicate in both places.
SELECT compare('SELECT * FROM t LEFT JOIN u ON t.k = u.k AND t.v < u.v');
SELECT compare('SELECT * FROM t LEFT JOIN u ON t.k = u.k WHERE t.v < u.v OR u.k IS NULL');
SELECT compare('SELECT * FROM t LEFT JOIN u ON t.k = u.k AND t.v = 1');
SELECT compare('SELECT * FROM t LEFT JOIN u ON t.k = u.k WHERE t.v = 1');
SELECT compare('SELECT * FROM t LEFT JOIN u ON t.k = u.k AND u.v = 1');
SELECT compare('SELECT * FROM t LEFT JOIN u ON t.k = u.k AND u.v IS NULL');
SELECT compare('SELECT * FROM t LEFT JOIN u ON t.k = u.k WHERE u.v IS NULL');
SELECT compare('SELECT * FROM t LEFT JOIN u ON t.k = u.k WHERE coalesce(u.v, 2) <> coalesce(t.v, 1)');
SELECT compare('SELECT * FROM t RIGHT JOIN u ON t.k = u.k AND t.v > u.v');
SELECT compare('SELECT * FROM t RIGHT JOIN u ON t.k = u.k WHERE coalesce(t.v, 5) > u.v');
SELECT compare('SELECT * FROM t FULL JOIN u ON t.k = u.k AND t.v = u.v - 1');
SELECT compare('SELECT * FROM t FULL JOIN u ON t.k = u.k AND t.v > u.v');
SELECT compare('SELECT * FROM t FULL JOIN u ON t.k = u.k WHERE coalesce(t.v, 0) > coalesce(u.v, 0)');
SELECT compare('SELECT * FROM t FULL JOIN u ON t.k = u.k AND t.v > u.v WHERE coalesce(t.v, 0) + coalesce(u.v, 0) = 1');
SELECT compare('SELECT * FROM t FULL JOIN u ON t.k = u.k AND t.v = 2 AND u.v = 1');
SELECT compare('SELECT * FROM t FULL JOIN u ON t.k = u.k WHERE t.k IS NULL');
SELECT compare('SELECT * FROM t FULL JOIN u ON t.k = u.k WHERE t.k IS NULL OR u.w IS NULL');
-- a match that WHERE rejects is still a match: nothing may be null-extended for it
SELECT compare('SELECT * FROM s1 LEFT JOIN s2 ON s1.k = s2.k WHERE s2.v IS DISTINCT FROM 1');
SELECT compare('SELECT * FROM s1 FULL JOIN s2 ON s1.k = s2.k WHERE s2.v IS DISTINCT FROM 1 AND s1.v IS DISTINCT FROM 2');
-- an ON condition that is true for nothing, for everything, and NULL
SELECT compare('SELECT * FROM t LEFT JOIN u ON t.k = u.k AND t.v > 99');
SELECT compare('SELECT * FROM t FULL JOIN u ON t.k = u.k AND t.v > u.v + 99');
SELECT compare('SELECT * FROM t FULL JOIN u ON t.k = u.k AND t.v * u.v IS NOT NULL');
SELECT compare('SELECT * FROM t FULL JOIN u ON t.k = u.k AND NULLIF(t.v, u.v) > 0');
SELECT compare('SELECT t.* FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.k = t.k AND NULLIF(u.v, t.v) > 0)');

-- Rows whose key is NULL match nothing, yet a preserved side keeps them; an
-- empty map is not an empty input.
CREATE TABLE nulls (k int, id int);
INSERT INTO nulls SELECT NULL, g FROM generate_series(1, 7) g;
CREATE TABLE none (k int, id int);
ANALYZE;
SELECT compare('SELECT * FROM t FULL JOIN nulls ON t.k = nulls.k');
SELECT compare('SELECT * FROM nulls FULL JOIN t ON t.k = nulls.k');
SELECT compare('SELECT * FROM nulls a FULL JOIN nulls b ON a.k = b.k');
SELECT compare('SELECT * FROM many LEFT JOIN nulls USING (k)');
SELECT compare('SELECT * FROM nulls LEFT JOIN many ON many.k = nulls.k');
SELECT compare('SELECT * FROM many RIGHT JOIN nulls ON many.k = nulls.k');
SELECT compare('SELECT * FROM nulls RIGHT JOIN many ON many.k = nulls.k');
SELECT compare('SELECT * FROM nulls WHERE NOT EXISTS (SELECT FROM many m WHERE m.k = nulls.k)');
SELECT compare('SELECT * FROM many WHERE NOT EXISTS (SELECT FROM nulls n WHERE n.k = many.k)');
SELECT compare('SELECT * FROM nulls WHERE EXISTS (SELECT FROM many m WHERE m.k = nulls.k)');
SELECT compare('SELECT * FROM t FULL JOIN none ON t.k = none.k');
SELECT compare('SELECT * FROM none FULL JOIN t ON t.k = none.k');
SELECT compare('SELECT * FROM none a FULL JOIN none b ON a.k = b.k');
SELECT compare('SELECT * FROM none FULL JOIN nulls USING (k)');
SELECT compare('SELECT * FROM t LEFT JOIN none USING (k)');
SELECT compare('SELECT * FROM none LEFT JOIN t USING (k)');
SELECT compare('SELECT * FROM t JOIN none USING (k)');
SELECT compare('SELECT * FROM t WHERE NOT EXISTS (SELECT FROM none WHERE none.k = t.k)');
SELECT compare('SELECT * FROM none WHERE NOT EXISTS (SELECT FROM t WHERE none.k = t.k)');
SELECT compare('SELECT * FROM t WHERE EXISTS (SELECT FROM none WHERE none.k = t.k)');
-- some of the key's columns NULL
CREATE TABLE two (a int, b int, id int);
INSERT INTO two VALUES (1, 1, 1), (1, NULL, 2), (NULL, 1, 3), (NULL, NULL, 4), (1, 2, 5), (1, 1, 6);
ANALYZE two;
SELECT compare('SELECT * FROM two x FULL JOIN two y ON x.a = y.a AND x.b = y.b');
SELECT compare('SELECT * FROM two x LEFT JOIN two y ON x.a = y.b AND x.b = y.a');
SELECT compare('SELECT * FROM two x WHERE NOT EXISTS (SELECT FROM two y WHERE x.a = y.a AND x.b = y.b AND x.id <> y.id)');

-- FULL JOIN in its odd forms: no key, a constant condition, chains, USING.
SELECT compare('SELECT * FROM s1 FULL JOIN s2 ON false');
SELECT compare('SELECT * FROM s1 FULL JOIN s2 ON true');
SELECT compare('SELECT k, s1.v, s2.v FROM s1 FULL JOIN s2 USING (k)');
SELECT compare('SELECT k, count(*) FROM s1 FULL JOIN s2 USING (k) FULL JOIN two ON two.a = k GROUP BY k');
SELECT compare('SELECT * FROM s1 FULL JOIN s2 ON s1.k = s2.k FULL JOIN none n ON n.k = s1.k FULL JOIN two ON two.id = coalesce(s2.v, s1.id)');
SELECT compare('SELECT * FROM s1 FULL JOIN s2 ON s1.k = s2.k AND s1.v = 99');

-- Outer joins whose condition has no usable equality are left alone.
CREATE TABLE flags (c bool);
INSERT INTO flags VALUES (true), (false), (false), (NULL);
CREATE TABLE yes (c bool);
INSERT INTO yes VALUES (true);
ANALYZE;
SELECT compare('SELECT * FROM yes RIGHT JOIN flags ON flags.c');
SELECT compare('SELECT * FROM flags LEFT JOIN none ON flags.c');
SELECT compare('SELECT * FROM flags LEFT JOIN yes ON yes.c = flags.c AND flags.c');
SELECT compare('SELECT a.c, b.c FROM flags a LEFT JOIN flags b ON a.c = b.c AND random() < 2');
SELECT compare('SELECT a.c, b.c FROM flags a FULL JOIN flags b ON a.c = b.c AND b.c');

DROP SCHEMA trap_residual CASCADE;
