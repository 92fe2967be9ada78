-- A join that is started again: with the same parameters, with parameters that
-- concern the probe side, the build side, a key, or a condition only.  The
-- table is built again exactly when the build side can have changed.
\set test executor_rescan
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE o (i int);
INSERT INTO o SELECT generate_series(0, 5);
INSERT INTO o VALUES (NULL);
-- a is large, b and c are small: b and c are built
CREATE TABLE a (k int, v int);
INSERT INTO a SELECT g % 700, g % 7 FROM generate_series(1, 3000) g;
INSERT INTO a VALUES (NULL, 1), (NULL, NULL);
CREATE TABLE b (k int, w int);
INSERT INTO b SELECT g * 3, g % 5 FROM generate_series(1, 100) g;
INSERT INTO b VALUES (NULL, 2), (3, 4), (9999, 1);
CREATE TABLE c (k int, z int);
INSERT INTO c SELECT g * 2, g % 4 FROM generate_series(1, 120) g;
ANALYZE;
-- keep the node itself below the nested loop
SET enable_material = off;
SET enable_memoize = off;
CREATE FUNCTION again(q text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT compare(q);
	RETURN QUERY SELECT node_props(q, 'Join Type', 'Table Builds');
END $$;

-- A parameter that concerns nothing below the join: one build for all.
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k + b.w) + o.i FROM a JOIN b USING (k)) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), count(b.k) FROM a LEFT JOIN b USING (k) OFFSET o.i * 0) s');
-- A one-time condition: started again or not at all.
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), count(b.k) FROM a LEFT JOIN b USING (k) WHERE o.i <> 3) s');
-- A parameter in the probe side only.
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k) FROM (SELECT * FROM a WHERE v = o.i) a JOIN b USING (k)) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), count(b.k) FROM (SELECT * FROM a WHERE v = o.i) a LEFT JOIN b USING (k)) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k) FROM a WHERE v = o.i AND EXISTS (SELECT FROM b WHERE b.k = a.k)) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k) FROM a WHERE v = o.i AND NOT EXISTS (SELECT FROM b WHERE b.k = a.k)) s');
-- in the key of the probe side only
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(b.k) FROM a JOIN b ON a.k + o.i = b.k) s');
-- in a condition besides the keys, ON and WHERE
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(b.k) FROM a JOIN b ON a.k = b.k AND a.v + b.w < o.i) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), count(b.k) FROM a LEFT JOIN b ON a.k = b.k AND a.v + b.w < o.i) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), count(b.k) FROM a LEFT JOIN b ON a.k = b.k WHERE coalesce(b.w, 0) + a.v < o.i) s');
-- in the target list
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT sum(a.k * o.i), max(b.w + o.i) FROM a JOIN b USING (k)) s');

-- A parameter in the build side: built each time.
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k) FROM a JOIN (SELECT * FROM b WHERE w = o.i) b USING (k)) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), count(b.k) FROM a LEFT JOIN (SELECT * FROM b WHERE w < o.i) b ON a.k = b.k AND a.v >= o.i WHERE a.v <> o.i) s');
SELECT again('SELECT o.i, (SELECT count(*) FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.k = a.k AND b.w > o.i)) FROM o');
SELECT again('SELECT o.i, (SELECT count(*) FROM a WHERE EXISTS (SELECT FROM b WHERE b.k = a.k AND b.w = o.i)) FROM o');
-- in nothing of the build side but the key expression
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k), sum(b.k) FROM a JOIN b ON a.k = b.k + o.i) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k), sum(b.k) FROM a JOIN b ON a.k = b.k * o.i AND a.v = b.w) s');
-- in a column of the build side that is only put out
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(b.x) FROM a JOIN (SELECT k, w * o.i AS x FROM b OFFSET 0) b USING (k)) s');
-- in an initplan that is read by the key, by a condition, by nothing but the target list
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k) FROM a JOIN b ON a.k = b.k + (SELECT max(z) FROM c WHERE z <= o.i)) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k) FROM a JOIN b ON a.k = b.k AND a.v > (SELECT max(z) FROM c WHERE z <= o.i)) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k + (SELECT max(z) FROM c WHERE z <= o.i)) FROM a JOIN b USING (k)) s');
-- in a subplan of the key
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k) FROM a JOIN b ON a.k = (SELECT max(c.k) FROM c WHERE c.z = b.w AND c.z <> o.i)) s');
-- in both sides
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k) FROM (SELECT * FROM a WHERE v = o.i) a JOIN (SELECT * FROM b WHERE w >= o.i) b USING (k)) s');

-- Match bits of the last run must not show in the next.
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), count(a.k), count(b.k), sum(v + w) FROM (SELECT * FROM a WHERE v = o.i) a FULL JOIN b ON a.k = b.k) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), count(a.k), count(b.k) FROM a FULL JOIN b ON a.k = b.k AND a.v = o.i) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), count(a.k), count(b.k) FROM (SELECT * FROM a WHERE v = o.i) a RIGHT JOIN b USING (k)) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(k) FROM b WHERE EXISTS (SELECT FROM a WHERE a.k = b.k AND a.v = o.i)) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(k) FROM b WHERE NOT EXISTS (SELECT FROM a WHERE a.k = b.k AND a.v = o.i)) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), count(a.k), count(b.k) FROM (SELECT * FROM a WHERE v = o.i) a FULL JOIN (SELECT * FROM b WHERE w = o.i + 1) b ON a.k = b.k) s');
-- The probe side is empty in one run and not in the next.
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), count(a.k), count(b.k) FROM (SELECT * FROM a WHERE v = o.i AND o.i % 2 = 0) a RIGHT JOIN b USING (k)) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), count(a.k) FROM (SELECT * FROM a WHERE o.i = 2 OFFSET 0) a JOIN b USING (k)) s');
-- So is the build side.
SELECT compare('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), count(a.k), count(b.k) FROM a LEFT JOIN (SELECT * FROM b WHERE o.i > 3 OFFSET 0) b USING (k)) s');
SELECT compare('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*) FROM a WHERE NOT EXISTS (SELECT FROM (SELECT * FROM b WHERE o.i = 1 OFFSET 0) b WHERE a.k = b.k)) s');
-- Stopped in the middle of a chain, then started again.
SELECT compare('SELECT o.i, s.n FROM o, LATERAL (SELECT count(*) AS n FROM (SELECT FROM a JOIN b USING (k) LIMIT o.i + 2) x) s');
SELECT compare('SELECT o.i, EXISTS (SELECT FROM a JOIN b USING (k) WHERE a.v = o.i) FROM o');
SELECT compare('SELECT o.i FROM o WHERE EXISTS (SELECT FROM a RIGHT JOIN b USING (k) WHERE coalesce(v, 5) > o.i + w)');

-- Joins over joins: the parameter goes to one of three sides.
SELECT compare('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k + z) FROM a JOIN b USING (k) JOIN c USING (k) WHERE a.v = o.i) s');
SELECT compare('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k + z) FROM a JOIN b USING (k) JOIN (SELECT * FROM c WHERE z = o.i % 4) c USING (k)) s');
SELECT compare('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(a.k), count(z) FROM a JOIN (SELECT b.k, c.z FROM b LEFT JOIN c ON b.k = c.k AND c.z > o.i) bc USING (k)) s');
SELECT compare('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), count(a.k), count(z) FROM a FULL JOIN (SELECT b.k, c.z FROM b FULL JOIN c ON b.k = c.k WHERE b.w = o.i OR c.z = o.i) bc USING (k)) s');
-- Two levels of parameters.
SELECT compare('SELECT o.i, s.* FROM o, LATERAL (SELECT p.i AS pi, x.* FROM o p, LATERAL (SELECT count(*), sum(b.k) FROM a JOIN b USING (k) WHERE a.v = o.i AND b.w = p.i) x) s');
SELECT compare('SELECT o.i, s.* FROM o, LATERAL (SELECT p.i AS pi, x.* FROM o p, LATERAL (SELECT count(*), count(b.k) FROM a LEFT JOIN b ON a.k = b.k + p.i AND a.v = o.i) x WHERE p.i < 3) s');

-- The inner side of an ordinary nested loop, no parameter at all.
SELECT compare('SELECT o.i, x.* FROM o LEFT JOIN (SELECT a.v, b.w FROM a JOIN b USING (k)) x ON x.v + x.w > o.i + 8');
SELECT compare('SELECT count(*), count(v), count(w) FROM o LEFT JOIN (SELECT a.v, b.w FROM a FULL JOIN b USING (k)) x ON coalesce(x.v, 0) + coalesce(x.w, 0) > o.i');
SELECT compare('SELECT count(*), sum(o.i + x.w) FROM o, (SELECT a.v, b.w FROM a RIGHT JOIN b USING (k) OFFSET 0) x WHERE coalesce(x.v, 0) <> o.i');
RESET enable_material;
SELECT compare('SELECT count(*), sum(o.i + x.w) FROM o, (SELECT a.v, b.w FROM a RIGHT JOIN b USING (k) OFFSET 0) x WHERE coalesce(x.v, 0) <> o.i');
RESET enable_memoize;
SELECT compare('SELECT o.i, s.n FROM o JOIN o p ON true, LATERAL (SELECT count(*) AS n FROM a JOIN b USING (k) WHERE a.v = o.i) s');

DROP SCHEMA executor_rescan CASCADE;
