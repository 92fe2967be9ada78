-- What the planner believes to be unique: joins that may stop at the first
-- match, sides that are made unique, joins that are taken away.
\set test planner_unique
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE t (k int, v int);
INSERT INTO t SELECT g % 40, g % 6 FROM generate_series(1, 200) g;
INSERT INTO t VALUES (NULL, 1);
CREATE TABLE u (k int PRIMARY KEY, w int, UNIQUE (k, w));
INSERT INTO u SELECT g, g % 5 FROM generate_series(1, 60) g;
CREATE TABLE n (k int UNIQUE, w int);
INSERT INTO n SELECT g, g % 5 FROM generate_series(1, 30) g;
INSERT INTO n VALUES (NULL, 1), (NULL, 2), (NULL, 3);
CREATE TABLE pu (k int, w int);
INSERT INTO pu SELECT g % 20, CASE WHEN g <= 20 THEN 1 ELSE g END FROM generate_series(1, 60) g;
CREATE UNIQUE INDEX ON pu (k) WHERE w = 1;
CREATE TABLE many (k int, w int);
INSERT INTO many SELECT g % 50, g % 7 FROM generate_series(1, 3000) g;
ANALYZE;
-- unique on the join key, with a residual that fails for the only match
SELECT compare('SELECT * FROM t JOIN u ON t.k = u.k AND t.v < u.w');
SELECT compare('SELECT * FROM t LEFT JOIN u ON t.k = u.k AND t.v < u.w');
SELECT compare('SELECT * FROM t RIGHT JOIN u ON t.k = u.k AND t.v < u.w');
SELECT compare('SELECT * FROM t FULL JOIN u ON t.k = u.k AND t.v < u.w');
SELECT compare('SELECT * FROM t WHERE EXISTS (SELECT FROM u WHERE t.k = u.k AND t.v < u.w)');
SELECT compare('SELECT * FROM t WHERE NOT EXISTS (SELECT FROM u WHERE t.k = u.k AND t.v < u.w)');
SELECT compare('SELECT * FROM t LEFT JOIN u ON t.k = u.k WHERE t.v < u.w OR u.k IS NULL');
-- unique only together with a condition that is no key of the join
SELECT compare('SELECT * FROM t JOIN u ON t.v = u.w AND u.k = t.k + 1');
SELECT compare('SELECT * FROM t JOIN pu ON t.k = pu.k AND pu.w = 1');
SELECT compare('SELECT * FROM t JOIN pu ON t.k = pu.k WHERE pu.w > 0');
SELECT compare('SELECT * FROM t LEFT JOIN (SELECT k, count(*) AS c FROM many GROUP BY k) m ON t.k = m.k AND m.c > t.v');
SELECT compare('SELECT * FROM t JOIN (SELECT DISTINCT ON (k) k, w FROM many ORDER BY k, w) m ON t.k = m.k AND m.w <> t.v');
SELECT compare('SELECT * FROM t JOIN (SELECT k FROM many UNION SELECT k FROM u) m USING (k)');
-- unique as far as NULLs are concerned: many of them
SELECT compare('SELECT * FROM n FULL JOIN t ON n.k = t.k');
SELECT compare('SELECT * FROM n LEFT JOIN u ON n.k = u.k AND n.w = u.w');
SELECT compare('SELECT x.*, y.* FROM n x FULL JOIN n y ON x.k = y.k AND x.w > 1');
-- the planner's duplicate removal below a join: one side made unique
SELECT compare('SELECT t.* FROM t, many m WHERE t.k IN (SELECT k FROM many WHERE w > 3) AND m.k = t.k AND m.w = t.v');
SELECT compare('SELECT m.* FROM many m WHERE (k, w) IN (SELECT k, v FROM t)');
SELECT compare('SELECT t.* FROM t WHERE k IN (SELECT m.k FROM many m JOIN u ON u.k = m.k WHERE m.w = u.w)');
SELECT compare('SELECT t.* FROM t WHERE k::int8 IN (SELECT k::int8 + 1 FROM many WHERE w = 2) AND v IN (SELECT w FROM many WHERE k = 3)');
SELECT compare('SELECT u.* FROM u WHERE k IN (SELECT t.k FROM t WHERE v IN (SELECT w FROM many WHERE k < 5))');
SET enable_hashagg = off;
SELECT compare('SELECT m.* FROM many m WHERE (k, w) IN (SELECT k, v FROM t)');
RESET enable_hashagg;
-- such a plan, whoever joins in it: the duplicates are removed under the operator's own equality
SELECT compare('SELECT f.* FROM (VALUES (1.0), (1.00), (2.5)) f(x) WHERE x IN (SELECT w::numeric(9,3) FROM many)');
-- a semi join whose inner side is unique is an inner join; an outer join that is not read is taken away
SELECT compare('SELECT t.* FROM t WHERE k IN (SELECT k FROM u)');
SELECT compare('SELECT t.* FROM t WHERE EXISTS (SELECT FROM u WHERE u.k = t.k AND u.w = 2)');
SELECT compare('SELECT t.*, m.w FROM t LEFT JOIN u ON u.k = t.k JOIN many m ON m.k = t.k AND m.w = 1');
SELECT compare('SELECT t.k FROM t LEFT JOIN u ON u.k = t.k LEFT JOIN n ON n.k = u.k JOIN pu ON pu.k = t.k');
SELECT compare('SELECT DISTINCT t.k FROM t LEFT JOIN many ON many.k = t.k JOIN n ON n.k = t.k');
-- a self join on a unique key may be taken away (18), with conditions on both sides
SELECT compare('SELECT x.*, t.v FROM u x JOIN u y ON x.k = y.k JOIN t ON t.k = x.k WHERE x.w > 1 AND y.w < 4');
SELECT compare('SELECT x.k, y.w, t.v FROM u x JOIN u y ON x.k = y.k LEFT JOIN t ON t.k = y.k AND t.v = x.w');
SELECT compare('SELECT x.*, y.* FROM n x JOIN n y ON x.k = y.k JOIN t ON t.k = x.k');
-- NOT NULL: declared, declared but not valid (18), turned NULL by an outer join
CREATE TABLE nn (k int NOT NULL, w int);
INSERT INTO nn SELECT g % 25, g FROM generate_series(1, 50) g;
CREATE TABLE nv (k int, w int);
INSERT INTO nv SELECT NULLIF(g % 25, 3), g FROM generate_series(1, 50) g;
DO $$
BEGIN
	IF current_setting('server_version_num')::int >= 180000 THEN
		EXECUTE 'ALTER TABLE planner_unique.nv ADD CONSTRAINT nvk NOT NULL k NOT VALID';
	END IF;
END $$;
ANALYZE;
SELECT compare('SELECT nn.*, nv.* FROM nn FULL JOIN nv ON nn.k = nv.k');
SELECT compare('SELECT nv.* FROM nv WHERE NOT EXISTS (SELECT FROM nn WHERE nn.k = nv.k)');
SELECT compare('SELECT nv.* FROM nv WHERE k IS NULL');
SELECT compare('SELECT nn.*, nv.* FROM nv LEFT JOIN nn ON nn.k = nv.k WHERE nv.k IS NULL');
SELECT compare('SELECT x.*, y.* FROM nv x FULL JOIN nv y ON x.k = y.k AND x.w < y.w');
SELECT compare('SELECT t.k, s.k, nv.k FROM t LEFT JOIN nn s ON s.k = t.v + 20 LEFT JOIN nv ON nv.k = s.k WHERE s.k IS NULL OR nv.w > 20');
SELECT compare('SELECT t.k, s.k FROM t LEFT JOIN nn s ON s.k = t.v + 20 FULL JOIN nv ON nv.k = s.k');
SELECT compare('SELECT t.k FROM t LEFT JOIN nn s ON s.k = t.k WHERE NOT EXISTS (SELECT FROM nv WHERE nv.k = s.k)');

DROP SCHEMA planner_unique CASCADE;
