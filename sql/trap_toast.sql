-- Values that live elsewhere than in their row: compressed, out of line,
-- expanded by a function.  They must outlive the slot they came in.
\set test trap_toast
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

-- A text of n characters that does not compress.
CREATE FUNCTION noise(seed int, n int) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$SELECT left(string_agg(md5(seed || '/' || i), '' ORDER BY i), n) FROM generate_series(1, n / 32 + 1) i$$;

CREATE TABLE big (id int, t text, b bytea, j jsonb, z text);
ALTER TABLE big ALTER t SET STORAGE EXTERNAL;
INSERT INTO big SELECT g, noise(g, 9000 + g), decode(noise(g, 20000), 'hex'), jsonb_build_object('k', noise(g, 10000)),
	repeat('z' || g, 6000) FROM generate_series(1, 12) g;
INSERT INTO big VALUES (13, 'short', '\x', '1', 'z'), (14, NULL, NULL, NULL, NULL);
CREATE TABLE other (id int, t text, b bytea, j jsonb, z text);
INSERT INTO other SELECT id * 10, t, b, j, z FROM big WHERE id % 2 = 0;
-- prefixes of keys, longer than any block
INSERT INTO other SELECT id * 100, left(t, 8999), substr(b, 1, 9999), j, left(z, -1) FROM big WHERE id < 5;
-- the same key in line, compressed and out of line
CREATE TABLE inline (id int, z text);
ALTER TABLE inline ALTER z SET STORAGE PLAIN;
INSERT INTO inline SELECT id, left(z, 4000) FROM big;
CREATE TABLE squeezed (id int, z text);
INSERT INTO squeezed SELECT id, left(z, 4000) FROM big;
CREATE TABLE outside (id int, z text);
ALTER TABLE outside ALTER z SET STORAGE EXTERNAL;
INSERT INTO outside SELECT id, left(z, 4000) FROM big;
ANALYZE;
-- premise: the fixtures are stored in the ways they claim
SELECT pg_relation_size(reltoastrelid) > 100000 FROM pg_class WHERE oid = 'big'::regclass;
SELECT max(pg_column_size(i.z)) > 3990, max(pg_column_size(s.z)) < 200, max(pg_column_size(o.z)) > 3990
FROM inline i, squeezed s, outside o WHERE i.id = s.id AND s.id = o.id AND i.id < 13;

-- as keys
SELECT compare('SELECT a.id, o.id FROM big a JOIN other o ON a.t = o.t');
SELECT compare('SELECT a.id, o.id FROM big a FULL JOIN other o ON a.b = o.b');
SELECT compare('SELECT a.id, o.id FROM big a LEFT JOIN other o ON a.j = o.j');
SELECT compare('SELECT a.id, o.id FROM big a JOIN other o ON a.z = o.z AND a.t = o.t');
SELECT compare('SELECT a.id FROM big a WHERE NOT EXISTS (SELECT FROM other o WHERE o.t = a.t)');
SELECT compare('SELECT a.id, b.id FROM inline a JOIN squeezed b USING (z)');
SELECT compare('SELECT a.id, b.id FROM outside a FULL JOIN squeezed b USING (z)');
SELECT compare('SELECT a.id, b.id FROM inline a LEFT JOIN outside b USING (z)');
-- as what is carried along, both sides, more than a block wide
SELECT compare('SELECT a.*, md5(o.t), o.b FROM big a JOIN other o ON a.id * 10 = o.id');
SELECT compare('SELECT a, o FROM big a FULL JOIN other o ON a.id * 10 = o.id');
SELECT compare('SELECT a.t || o.z FROM big a LEFT JOIN other o ON a.id * 100 = o.id');
SELECT compare('SELECT a.id, o.id FROM big a JOIN other o ON a.id % 2 = o.id % 2 AND left(a.t, 50) = left(o.t, 50)');
SELECT compare('SELECT a.id, o.id FROM big a JOIN other o ON md5(a.t) = md5(o.t) AND length(a.z) > length(o.z)');
-- kept through a sort, an aggregate and a cursor above the join
SELECT compare('SELECT o.t, count(*), max(a.z) FROM big a JOIN other o ON a.id % 3 = o.id % 3 GROUP BY o.t ORDER BY o.t');
SELECT compare('SELECT string_agg(a.t, o.z ORDER BY a.id, o.id, length(o.t)) FROM big a JOIN other o ON a.id % 3 = o.id % 3');

-- The toasted value is deleted after the snapshot was taken, and read later.
BEGIN;
SET LOCAL hashjoin_ext.enable = force;
DECLARE c CURSOR FOR SELECT a.id, length(a.t), md5(a.t) = md5(o.t) FROM big a JOIN other o ON a.t = o.t ORDER BY a.id;
FETCH 2 FROM c;
DELETE FROM big;
DELETE FROM other;
FETCH ALL FROM c;
ROLLBACK;

-- Values far above one chunk of any store.
CREATE TABLE huge (id int, t text);
INSERT INTO huge SELECT g, noise(g, 300000) FROM generate_series(1, 3) g;
INSERT INTO huge SELECT g, repeat('long ' || g % 2, 200000) FROM generate_series(4, 7) g;
ANALYZE huge;
SELECT compare('SELECT x.id, y.id, length(x.t || y.t) FROM huge x JOIN huge y USING (t)');
SELECT compare('SELECT x.id, md5(x.t || y.t) FROM huge x JOIN huge y ON x.id = y.id % 4');

-- Arrays that plpgsql made and holds expanded.
CREATE FUNCTION arr(i int) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE
	a int[] := '{}';
BEGIN
	FOR j IN 1..i % 7 LOOP
		a[j] := j * 2;
	END LOOP;
	RETURN a;
END $$;
CREATE FUNCTION grown(a int[], i int) RETURNS int[] LANGUAGE plpgsql AS $$
BEGIN
	a[cardinality(a) + 1] := i;
	RETURN a;
END $$;
CREATE TABLE n AS SELECT g AS id FROM generate_series(1, 30) g;
ANALYZE n;
SELECT compare('SELECT x.id, y.id, x.a FROM (SELECT id, arr(id) AS a FROM n OFFSET 0) x JOIN (SELECT id, arr(id + 1) AS a FROM n OFFSET 0) y USING (a)');
SELECT compare('SELECT x.id, y.a FROM n x LEFT JOIN (SELECT id, arr(id) AS a FROM n OFFSET 0) y ON x.id = y.id - 3');
SELECT compare('SELECT x.id, grown(x.a, y.id), grown(y.a, 1) FROM (SELECT id, arr(id) AS a FROM n OFFSET 0) x JOIN (SELECT id, arr(id) AS a FROM n OFFSET 0) y ON x.a = y.a AND x.id <> y.id');
SELECT compare('SELECT string_agg((x.a || y.a)::text, ''/'' ORDER BY x.id, y.id) FROM (SELECT id, arr(id) AS a FROM n OFFSET 0) x FULL JOIN (SELECT id, arr(id) AS a FROM n OFFSET 0) y ON x.a = y.a');
CREATE FUNCTION loops(OUT total bigint) LANGUAGE plpgsql AS $$
DECLARE
	mine int[] := arr(6);
	r record;
BEGIN
	total := 0;
	FOR r IN SELECT x.id, y.a, mine AS m FROM n x JOIN (SELECT id, arr(id) AS a FROM n OFFSET 0) y ON y.a = mine AND x.id = y.id LOOP
		mine[1] := r.id;
		total := total + r.m[1] * 1000 + r.a[2];
	END LOOP;
END $$;
SELECT compare('SELECT loops()');
-- records that a function returned
CREATE FUNCTION rec(i int) RETURNS record LANGUAGE plpgsql AS 'BEGIN RETURN ROW(i % 3, repeat(''r'', i)); END';
SELECT compare('SELECT x.id, y.id FROM (SELECT id, rec(id) AS r FROM n OFFSET 0) x JOIN (SELECT id, rec(id) AS r FROM n OFFSET 0) y USING (r)');
SELECT compare('SELECT x.id, y.r FROM n x LEFT JOIN (SELECT id, rec(id) AS r FROM n OFFSET 0) y ON x.id = y.id + 1');
-- short and empty varlenas, fixed-length by reference, cstring
CREATE TABLE small (id int, t text, n name, i interval, tz timetz, u uuid, p point);
INSERT INTO small SELECT g, repeat('s', g % 5), 'n' || g % 4, make_interval(days => g % 6), '12:00+00'::timetz + make_interval(mins => g % 3), md5((g % 8)::text)::uuid, point(g, -g) FROM generate_series(1, 24) g;
ANALYZE small;
SELECT compare('SELECT x, y FROM small x JOIN small y ON x.t = y.t AND x.id < y.id');
SELECT compare('SELECT x.id, y.p, y.i FROM small x LEFT JOIN small y ON x.n = y.n AND x.i = y.i AND x.id > y.id');
SELECT compare('SELECT x.tz, y.u, y.p FROM small x JOIN small y ON x.tz = y.tz AND x.u = y.u');

DROP SCHEMA trap_toast CASCADE;
