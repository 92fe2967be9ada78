-- LATERAL in all places: references that reach over a join of ours, into it,
-- and place-holders that must be computed in it.
\set test executor_lateral
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE i8 (q1 int8, q2 int8);
INSERT INTO i8 VALUES (123, 456), (123, 4567890123456789), (4567890123456789, 123),
	(4567890123456789, 4567890123456789), (4567890123456789, -4567890123456789), (NULL, 123);
CREATE TABLE j (id int, n int);
INSERT INTO j SELECT g, g % 9 FROM generate_series(1, 60) g;
CREATE TABLE p (id int, job int, s int);
INSERT INTO p SELECT g, (g * 7) % 80, g % 5 FROM generate_series(1, 150) g;
CREATE TABLE q (id int PRIMARY KEY, t text);
INSERT INTO q SELECT g, 'q' || g % 6 FROM generate_series(1, 40) g;
ANALYZE;

SELECT compare('SELECT a.*, ss.* FROM i8 a LEFT JOIN LATERAL (SELECT b.q1 AS bq1, c.q1 AS cq1, least(a.q1, b.q1, c.q1) AS l FROM i8 b CROSS JOIN i8 c) ss ON a.q2 = ss.bq1');
SELECT compare('SELECT a.*, ss.* FROM i8 a LEFT JOIN LATERAL (SELECT b.q1 AS bq1, c.q1 AS cq1, least(a.q1, b.q1, c.q1) AS l FROM i8 b JOIN i8 c ON b.q2 = c.q1) ss ON a.q2 = ss.bq1');
SELECT compare('SELECT a.*, ss.* FROM i8 a JOIN LATERAL (SELECT b.q1 AS bq1, coalesce(c.q1, a.q1) AS x FROM i8 b LEFT JOIN i8 c ON b.q2 = c.q1 AND c.q2 <> a.q2) ss ON a.q2 = ss.x');
SELECT compare('SELECT j.id, x.* FROM j LEFT JOIN LATERAL (SELECT p.* FROM p WHERE p.job = j.id) x ON true');
SELECT compare('SELECT j.id, x.* FROM j LEFT JOIN LATERAL (SELECT p.* FROM p JOIN j k ON k.id = p.id WHERE p.job = j.id AND k.n <> j.n ORDER BY p.id LIMIT 1) x ON true');
SELECT compare('SELECT j.id, c FROM j, LATERAL (SELECT count(*) AS c FROM p JOIN j k ON k.id = p.job AND k.n = j.n WHERE p.s = j.n % 5) x WHERE j.id <= 12');
SELECT compare('SELECT j.n, m FROM (SELECT DISTINCT n FROM j) j LEFT JOIN LATERAL (SELECT max(p.id) AS m FROM p JOIN q ON q.id = p.job WHERE j.n = 3 AND p.s > 1) s ON true');
SELECT compare('SELECT j.id, q.* FROM j FULL JOIN (SELECT job, l.v FROM p, LATERAL (SELECT p.id + p.s AS v) l) q ON q.job = j.id');
SELECT compare('SELECT j.id, g, h, p.id FROM j CROSS JOIN LATERAL generate_series(1, j.n) g JOIN LATERAL (SELECT g % 3 AS h) y ON true JOIN p ON p.id = g + j.id');
SELECT compare('SELECT j.id FROM j WHERE EXISTS (SELECT FROM p JOIN LATERAL (SELECT p.s + j.n AS z) q ON q.z > 8 WHERE p.job = j.id)');
SELECT compare('SELECT j.id, x FROM j, LATERAL unnest(ARRAY[j.id, j.n]) x JOIN p ON p.id = x');
SELECT compare('SELECT * FROM j LEFT JOIN p ON p.job = j.id LEFT JOIN LATERAL (SELECT j.n + p.s AS sum, q.t FROM q WHERE q.id = p.id) x ON true');
-- a place-holder with a lateral reference is computed in the join below
SELECT compare('SELECT j.id, s.* FROM j LEFT JOIN LATERAL (SELECT p.id AS pid, coalesce(q.t, j.n::text) AS x FROM p LEFT JOIN q ON q.id = p.job) s ON s.pid = j.id');
SELECT compare('SELECT j.id, s.* FROM j JOIN LATERAL (SELECT p.id AS pid, coalesce(q.t, j.n::text) AS x FROM p LEFT JOIN q ON q.id = p.job WHERE p.s = j.n) s ON s.x > ''q'' WHERE j.id < 10');
SELECT compare('SELECT j.id, s.*, r.* FROM j LEFT JOIN LATERAL (SELECT p.job, j.n + p.s AS y FROM p) s ON s.job = j.id LEFT JOIN LATERAL (SELECT q.id, q.t || s.y AS z FROM q) r ON r.id = s.job');
-- outer joins reach into a lateral side with a residual on the outer value
SELECT compare('SELECT j.id, s.* FROM j LEFT JOIN LATERAL (SELECT p.id, q.t FROM p FULL JOIN q ON q.id = p.job AND q.id > j.id WHERE p.s IS DISTINCT FROM 2) s ON s.id = j.n WHERE j.id < 15');
SELECT compare('SELECT j.id, count(*) FROM j, LATERAL (SELECT FROM p WHERE NOT EXISTS (SELECT FROM q WHERE q.id = p.job AND q.id < j.id)) s GROUP BY j.id');
-- a nested loop whose inner side takes its parameter from our join's output,
-- a column that nobody puts out
SELECT compare('SELECT j.n, x.t FROM j JOIN p ON p.job = j.id JOIN LATERAL (SELECT t FROM q WHERE q.id = p.s + 1 OFFSET 0) x ON true');
SELECT compare('SELECT 1 FROM j JOIN p ON p.job = j.id JOIN LATERAL (SELECT t FROM q WHERE q.id = p.s + j.n LIMIT 1) x ON true');
SELECT compare('SELECT y.one, x.t FROM (SELECT j.id, s.one, s.job FROM j LEFT JOIN (SELECT 1 AS one, job FROM p) s ON s.job = j.id) y LEFT JOIN LATERAL (SELECT t FROM q WHERE q.id = y.one + y.id LIMIT 1) x ON true');
SELECT compare('SELECT j.id, x.w FROM j JOIN p ON p.job = j.id, LATERAL (SELECT j AS w, p AS v, q.t FROM q WHERE q.id = (p).s + 1 OFFSET 0) x');
-- a parameterised index scan below the join, and above it
SET enable_seqscan = off;
CREATE INDEX ON p (job);
SELECT compare('SELECT j.id, s.* FROM j LEFT JOIN LATERAL (SELECT p.id, coalesce(q.t, j.n::text) FROM p LEFT JOIN q ON q.t = ''q'' || p.s WHERE p.job = j.id) s ON true WHERE j.id < 9');
RESET enable_seqscan;

DROP SCHEMA executor_lateral CASCADE;
