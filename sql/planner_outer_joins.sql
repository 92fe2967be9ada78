-- Nested outer joins: which expressions of which side are NULL above which
-- join.  From PostgreSQL 16 on every column says so, and says it exactly.
\set test planner_outer_joins
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE a (k int, v int);
INSERT INTO a SELECT g, g % 4 FROM generate_series(1, 24) g;
INSERT INTO a VALUES (NULL, 1), (3, NULL);
CREATE TABLE b (k int, w int);
INSERT INTO b SELECT g * 2, g % 3 FROM generate_series(1, 14) g;
INSERT INTO b VALUES (NULL, 2), (4, NULL);
CREATE TABLE c (k int, z int);
INSERT INTO c SELECT g * 3, g % 5 FROM generate_series(1, 9) g;
INSERT INTO c VALUES (NULL, 1), (6, NULL);
CREATE TABLE d (k int, y text);
INSERT INTO d SELECT g * 4, 'd' || g FROM generate_series(1, 7) g;
INSERT INTO d VALUES (NULL, 'dn'), (8, NULL);
CREATE TABLE one (i int PRIMARY KEY, j int);
INSERT INTO one VALUES (1, 1), (2, 2);
ANALYZE;

-- chains and nests
SELECT compare('SELECT * FROM a LEFT JOIN b USING (k) LEFT JOIN c USING (k) LEFT JOIN d USING (k)');
SELECT compare('SELECT * FROM a LEFT JOIN (b LEFT JOIN c ON b.k = c.k) ON a.k = b.k');
SELECT compare('SELECT * FROM a LEFT JOIN (b LEFT JOIN (c LEFT JOIN d ON c.k = d.k) ON b.k = c.k) ON a.k = b.k');
SELECT compare('SELECT * FROM a LEFT JOIN (b JOIN c ON b.k = c.k) ON a.k = b.k');
SELECT compare('SELECT * FROM a LEFT JOIN (b FULL JOIN c ON b.k = c.k) ON a.k = b.k');
SELECT compare('SELECT * FROM a LEFT JOIN (b FULL JOIN c ON b.k = c.k) ON a.k = coalesce(b.k, c.k)');
SELECT compare('SELECT * FROM a FULL JOIN (b LEFT JOIN c ON b.k = c.k) ON a.k = c.k');
SELECT compare('SELECT * FROM (a FULL JOIN b ON a.k = b.k) LEFT JOIN c ON c.k = b.k AND a.v = 1');
SELECT compare('SELECT * FROM (a FULL JOIN b ON a.k = b.k) FULL JOIN (c FULL JOIN d ON c.k = d.k) ON a.k = c.k');
SELECT compare('SELECT * FROM (a RIGHT JOIN b ON a.k = b.k) RIGHT JOIN (c RIGHT JOIN d ON c.k = d.k) ON a.k = c.k');
SELECT compare('SELECT k, v, w, z, y FROM a FULL JOIN b USING (k) FULL JOIN c USING (k) FULL JOIN d USING (k)');
-- conditions that reach to a lower nullable side, strict and not: the outer
-- joins may be exchanged, and clones of a clause differ in what they null
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON b.k = c.k');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON b.w = c.z');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON b.k = c.k LEFT JOIN d ON c.k = d.k AND b.w = 1');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON coalesce(b.k, 3) = c.k');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON b.k = c.k AND a.v = c.z');
SELECT compare('SELECT * FROM a LEFT JOIN (b LEFT JOIN c ON b.k = c.k) ON a.k = b.k AND c.z IS NULL');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k JOIN c ON b.k = c.k');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k JOIN c ON coalesce(b.w, 1) = c.z');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON a.k = c.k JOIN d ON d.k = coalesce(b.k, c.k)');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k, c LEFT JOIN d ON c.k = d.k WHERE a.v = c.z AND coalesce(d.k, 4) = coalesce(b.k, 4)');
-- WHERE above them, on one, on several sides
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON b.k = c.k WHERE c.z IS NULL');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON a.k = c.k WHERE coalesce(b.w, c.z, -1) <> 1');
SELECT compare('SELECT * FROM a FULL JOIN b ON a.k = b.k LEFT JOIN c ON c.k = b.k WHERE coalesce(a.v, 0) + coalesce(b.w, 0) + coalesce(c.z, 0) < 4');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k WHERE b.w = 1');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k WHERE b.k IS NULL');
SELECT compare('SELECT * FROM a FULL JOIN b ON a.k = b.k WHERE a.k > 3 AND b.k < 20');
SELECT compare('SELECT * FROM a FULL JOIN b ON a.k = b.k WHERE a.v = 1');
-- place-holders: constants, coalesce, subqueries, in ON, in WHERE, put out, as keys, twice nulled
SELECT compare('SELECT a.k, s.one, t.two, u.three FROM a LEFT JOIN (SELECT k, 1 AS one FROM b) s ON a.k = s.k LEFT JOIN (SELECT k, 2 AS two FROM c) t ON s.k = t.k LEFT JOIN (SELECT k, 3 AS three FROM d) u ON u.k = a.k');
SELECT compare('SELECT a.k, s.* FROM a LEFT JOIN (SELECT b.k, coalesce(c.z, 9) AS x, 1 AS one FROM b LEFT JOIN c ON b.k = c.k) s ON a.k = s.k');
SELECT compare('SELECT a.k, s.* FROM a LEFT JOIN (SELECT b.k, coalesce(c.z, 9) AS x, 1 AS one FROM b LEFT JOIN c ON b.k = c.k) s ON a.k = s.k AND s.x > 1 WHERE coalesce(s.x, 2) < 8');
SELECT compare('SELECT a.k, s.* FROM a LEFT JOIN (SELECT b.k, coalesce(c.z, 9) AS x FROM b FULL JOIN c ON b.k = c.k) s ON a.v = s.x');
SELECT compare('SELECT a.k, s.*, d.* FROM a LEFT JOIN (SELECT b.k, coalesce(c.k, b.k) AS x FROM b LEFT JOIN c ON b.k = c.k) s ON a.k = s.k LEFT JOIN d ON d.k = s.x');
SELECT compare('SELECT a.k, s.*, d.* FROM d FULL JOIN (a LEFT JOIN (SELECT b.k AS bk, coalesce(c.k, b.k) AS x FROM b LEFT JOIN c ON b.k = c.k) s ON a.k = s.bk) ON d.k = s.x');
SELECT compare('SELECT q.* FROM (SELECT a.k, s.x + 1 AS x FROM a LEFT JOIN (SELECT k, coalesce(w, 0) AS x FROM b) s ON a.k = s.k) q LEFT JOIN (SELECT k, coalesce(z, 0) AS zz FROM c) t ON q.x = t.zz RIGHT JOIN d ON d.k = q.k');
SELECT compare('SELECT q.r, q.r IS NULL, (q.r).f1 FROM a LEFT JOIN (SELECT b.k, ROW(b.w, c.z) AS r FROM b LEFT JOIN c ON b.k = c.k) q ON a.k = q.k');
SELECT compare('SELECT q.*, count(*) FROM a LEFT JOIN (SELECT b.k, CASE WHEN c.k IS NULL THEN ''none'' ELSE ''some'' END AS t FROM b LEFT JOIN c ON b.k = c.k) q ON a.k = q.k GROUP BY 1, 2');
SELECT compare('SELECT s.x, s.y FROM (SELECT a.k, coalesce(b.w, 0) AS x, upper(''c'' || b.k) AS y FROM a LEFT JOIN b ON a.k = b.k) s FULL JOIN c ON c.z = s.x WHERE s.y IS DISTINCT FROM ''C4''');
-- the constant of one side stands in the condition of an outer join above
SELECT compare('SELECT a.k, s.one, c.k FROM a LEFT JOIN (SELECT k, 1 AS one FROM b) s ON a.k = s.k LEFT JOIN c ON c.k = a.k AND s.one = 1');
SELECT compare('SELECT a.k, s.one, c.k FROM a LEFT JOIN (SELECT k, 1 AS one FROM b) s ON a.k = s.k LEFT JOIN c ON c.z = s.one');
SELECT compare('SELECT a.k, s.one, c.k FROM a LEFT JOIN (SELECT k, 1 AS one FROM b) s ON a.k = s.k FULL JOIN c ON c.z = s.one AND c.k = a.k');
SELECT compare('SELECT a.k, s.i, c.k FROM a LEFT JOIN (SELECT b.k, x.i FROM b, LATERAL (SELECT 5 AS i) x) s ON a.k = s.k JOIN c ON coalesce(s.i, 3) + c.z = 6');
-- an expression computed above the join that is NULL because of it
SELECT compare('SELECT a.k, b.w + 1, b.w IS NULL, coalesce(b.w, -1), b IS NULL FROM a LEFT JOIN b ON a.k = b.k ORDER BY b.w + 1, a.k');
SELECT compare('SELECT b.w + 1, sum(coalesce(b.w, 0)) FROM a LEFT JOIN b ON a.k = b.k GROUP BY b.w + 1');
SELECT compare('SELECT DISTINCT coalesce(b.w, c.z), b.w * 2 FROM a LEFT JOIN b ON a.k = b.k FULL JOIN c ON c.k = a.k');
SELECT compare('SELECT GROUPING(b.w, c.z), b.w, c.z, count(*) FROM a LEFT JOIN b ON a.k = b.k LEFT JOIN c ON c.k = b.k GROUP BY CUBE (b.w, c.z)');
SELECT compare('SELECT lag(b.w) OVER (ORDER BY a.k, b.k, b.w), coalesce(b.w, 0) FROM a LEFT JOIN b ON a.k = b.k');
-- semi and anti joins within and above outer joins
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k AND EXISTS (SELECT FROM c WHERE c.k = b.k) WHERE NOT EXISTS (SELECT FROM d WHERE d.k = b.k)');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k WHERE coalesce(b.w, 0) IN (SELECT z FROM c)');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k WHERE EXISTS (SELECT FROM c LEFT JOIN d ON c.k = d.k WHERE c.k = a.k AND coalesce(d.y, ''x'') > coalesce(b.w::text, ''''))');
SELECT compare('SELECT * FROM a WHERE EXISTS (SELECT FROM (SELECT b.k, coalesce(c.z, 7) AS zz FROM b LEFT JOIN c ON b.k = c.k) s WHERE s.k = a.k AND s.zz <> a.v)');
SELECT compare('SELECT * FROM a WHERE NOT EXISTS (SELECT FROM (SELECT b.k, 1 AS one FROM b FULL JOIN c ON b.k = c.k) s WHERE s.k = a.k AND s.one = a.v)');
-- with constants that pull up to nothing, with single rows, with a join that is removed
SELECT compare('SELECT * FROM (SELECT 1 AS x) s LEFT JOIN b ON b.k = s.x + 1 LEFT JOIN c ON c.k = b.k + 1');
SELECT compare('SELECT a.k, t.y FROM one LEFT JOIN a ON a.v = one.i LEFT JOIN LATERAL (SELECT one.j + 1 AS y) t ON true LEFT JOIN b ON b.k = a.k AND b.w = t.y');
SELECT compare('SELECT a.* FROM a LEFT JOIN one ON one.i = a.v JOIN b ON b.k = a.k');
SELECT compare('SELECT a.k, x.j FROM a LEFT JOIN one x ON x.i = a.v LEFT JOIN one y ON y.i = x.j LEFT JOIN b ON b.w = y.j');
SELECT compare('SELECT x.i, y.j FROM one x JOIN one y ON x.i = y.i LEFT JOIN a ON a.v = y.j');
-- the same table on both sides, self joins by several columns
SELECT compare('SELECT x, y FROM a x LEFT JOIN a y ON x.k = y.k AND x.v = y.v LEFT JOIN a z ON z.k = y.k');
SELECT compare('SELECT * FROM a x FULL JOIN a y ON x.k = y.v FULL JOIN a z ON y.k = z.v AND x.v = z.k');

DROP SCHEMA planner_outer_joins CASCADE;
