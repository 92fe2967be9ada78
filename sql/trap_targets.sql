-- What a join is asked to put out: nothing, whole rows, system columns, columns
-- that were dropped or are generated, expressions that turn NULL above an
-- outer join.
\set test trap_targets
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE a (gone int, id int, v text);
ALTER TABLE a DROP COLUMN gone;
INSERT INTO a SELECT g, 'a' || g FROM generate_series(1, 20) g;
INSERT INTO a VALUES (NULL, 'an');
ALTER TABLE a ADD COLUMN late int DEFAULT 7;
ALTER TABLE a ADD COLUMN gen int GENERATED ALWAYS AS (id * 2) STORED;
CREATE TABLE b (id int, x int, w text, y int);
INSERT INTO b SELECT g * 2, g, 'b' || g, NULLIF(g % 3, 0) FROM generate_series(1, 12) g;
ALTER TABLE b DROP COLUMN x;
CREATE TABLE part (id int, w text) PARTITION BY RANGE (id);
CREATE TABLE part1 (x int, w text, id int);
ALTER TABLE part1 DROP COLUMN x;
ALTER TABLE part ATTACH PARTITION part1 FOR VALUES FROM (1) TO (10);
CREATE TABLE part2 PARTITION OF part FOR VALUES FROM (10) TO (100);
INSERT INTO part SELECT g, 'p' || g FROM generate_series(1, 30, 2) g;
ANALYZE;

-- no columns at all, also where rows are null-extended or come from the build side only
SELECT compare('SELECT FROM a JOIN b USING (id)');
SELECT compare('SELECT FROM a LEFT JOIN b USING (id)');
SELECT compare('SELECT FROM a FULL JOIN b ON a.id = b.id AND b.y = 1');
SELECT compare('SELECT FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.id = a.id)');
SELECT compare('SELECT count(*) FROM (SELECT FROM a JOIN b USING (id)) s');
SELECT compare('SELECT 1 FROM a JOIN b USING (id)');
SELECT compare('SELECT EXISTS (SELECT FROM a JOIN b USING (id) WHERE y > 1)');
-- columns of one side only
SELECT compare('SELECT w FROM a RIGHT JOIN b USING (id)');
SELECT compare('SELECT v FROM a RIGHT JOIN b USING (id)');

-- whole rows, of either side, NULL as a whole where there is no partner
SELECT compare('SELECT a, b FROM a JOIN b USING (id)');
SELECT compare('SELECT a.id, b, b IS NULL, b IS NOT DISTINCT FROM NULL FROM a LEFT JOIN b USING (id)');
SELECT compare('SELECT a, b FROM a FULL JOIN b ON a.id = b.id');
SELECT compare('SELECT a, p FROM a JOIN part p USING (id)');
SELECT compare('SELECT a.id, p IS NULL, p FROM a LEFT JOIN part p ON p.id = a.id');
SELECT compare('SELECT to_jsonb(a), row_to_json(p) FROM a FULL JOIN part p ON a.id = p.id');
SELECT compare('SELECT s FROM (SELECT a.id, b.w FROM a JOIN b USING (id)) s');
SELECT compare('SELECT x.id FROM a x JOIN a y ON x = y');
SELECT compare('SELECT x.id, z.id FROM b x LEFT JOIN b z ON x = z AND z.y IS NOT NULL');
SELECT compare('SELECT (r).late FROM (SELECT a.*::a FROM a JOIN b USING (id)) s(r)');
SELECT compare('SELECT a.id FROM a JOIN b ON a.id = b.id WHERE (b.*) IS NOT NULL');
SELECT compare('SELECT a.id, b FROM a LEFT JOIN b ON a.id = b.id WHERE (b.*) IS NULL');
SELECT compare('SELECT coalesce(b, ROW(0, ''none'', 0)::b) FROM a LEFT JOIN b USING (id)');

-- system columns: of heap rows, of partitions, NULL where there is no partner
SELECT compare('SELECT a.ctid, b.ctid, a.tableoid::regclass, b.tableoid::regclass FROM a JOIN b USING (id)');
SELECT compare('SELECT a.ctid, b.ctid, b.tableoid, b.xmin IS NULL, b.cmax FROM a LEFT JOIN b USING (id)');
SELECT compare('SELECT a.xmin, a.xmax, a.cmin, p.tableoid::regclass, p.ctid, p.xmin FROM a JOIN part p USING (id)');
SELECT compare('SELECT x.id, y.id FROM a x JOIN a y ON x.ctid = y.ctid');
SELECT compare('SELECT x.id, y.id FROM a x FULL JOIN b y ON x.ctid = y.ctid');
SELECT compare('SELECT p.id, q.id FROM part p JOIN part q ON p.tableoid = q.tableoid AND p.ctid = q.ctid');

-- dropped, added and generated columns
SELECT compare('SELECT * FROM a JOIN b USING (id)');
SELECT compare('SELECT a.gen, a.late, p.* FROM part p JOIN a ON a.gen = p.id + 1');
SELECT compare('SELECT * FROM b x JOIN b y ON x.y = y.y AND x.w <> y.w');
ALTER TABLE b DROP COLUMN y, ADD COLUMN y int DEFAULT 3;
SELECT compare('SELECT * FROM a FULL JOIN b ON a.id = b.id');
SELECT compare('SELECT a, b FROM b LEFT JOIN a ON a.late = b.y + 4 AND a.id = b.id');
ALTER TABLE b DROP COLUMN w, DROP COLUMN y;
SELECT compare('SELECT b.*, a.* FROM b LEFT JOIN a USING (id)');
ALTER TABLE b DROP COLUMN id CASCADE;
SELECT compare('SELECT a.id, b.* FROM a JOIN b ON a.ctid = b.ctid');
DROP TABLE b;

-- expressions of the nullable side, computed below the join, are NULL where
-- there is no partner; computed above it, they are computed
CREATE TABLE b (id int, y int);
INSERT INTO b SELECT g * 2, NULLIF(g % 3, 0) FROM generate_series(1, 5) g;
CREATE TABLE c (id int, z text);
INSERT INTO c VALUES (4, 'c4'), (9, 'c9'), (10, NULL);
ANALYZE;
SELECT a.id, s.one FROM a LEFT JOIN (SELECT 1 AS one, id FROM b) s ON s.id = a.id WHERE a.id < 4 ORDER BY 1;
SET hashjoin_ext.enable = force;
SELECT a.id, s.one FROM a LEFT JOIN (SELECT 1 AS one, id FROM b) s ON s.id = a.id WHERE a.id < 4 ORDER BY 1;
SET hashjoin_ext.enable = off;
SELECT compare('SELECT a.id, s.k, s.y0, s.one FROM a LEFT JOIN (SELECT id AS k, coalesce(y, 0) AS y0, 1 AS one FROM b) s ON s.k = a.id');
SELECT compare('SELECT a.id, s.tag FROM a LEFT JOIN (SELECT b.id, coalesce(c.z, ''none'') AS tag FROM b LEFT JOIN c ON c.id = b.id) s ON s.id = a.id');
SELECT compare('SELECT a.id, s.r IS NULL, s.r FROM a LEFT JOIN (SELECT id, ROW(id, y) AS r FROM b) s USING (id)');
SELECT compare('SELECT s.flag, count(*) FROM a LEFT JOIN (SELECT id, true AS flag FROM c) s USING (id) GROUP BY 1');
SELECT compare('SELECT coalesce(s.one, -1), count(*) FROM (SELECT 1 AS one, id FROM b) s RIGHT JOIN a ON a.id = s.id GROUP BY 1');
SELECT compare('SELECT s.one, t.two, a.id FROM (SELECT 1 AS one, id FROM b) s FULL JOIN a ON a.id = s.id FULL JOIN (SELECT 2 AS two, id FROM c) t ON t.id = s.id');
SELECT compare('SELECT a.id, s.one, t.two FROM a LEFT JOIN (SELECT 1 AS one, id FROM b) s ON s.id = a.id LEFT JOIN (SELECT 2 AS two, id FROM c) t ON t.id = a.id AND s.one = 1');
-- such an expression is itself the key of a join above
SELECT compare('SELECT a.id, s.k, c.id FROM a LEFT JOIN (SELECT id, coalesce(y, 0) + 4 AS k FROM b) s ON s.id = a.id LEFT JOIN c ON c.id = s.k');
SELECT compare('SELECT a.id, s.k, c.id FROM a LEFT JOIN (SELECT id, coalesce(y, 0) + 4 AS k FROM b) s ON s.id = a.id FULL JOIN c ON c.id = s.k');
SELECT compare('SELECT a.id, c.id FROM a LEFT JOIN (SELECT id, 4 AS k FROM b) s ON s.id = a.id JOIN c ON c.id = s.k');

DROP SCHEMA trap_targets CASCADE;
