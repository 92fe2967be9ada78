-- Keys whose equality is not equality of bytes, and keys at the edges of types.
\set test trap_key_values
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

-- -0.0 and 0.0 are equal and must share a hash, in every mix of float types.
CREATE TABLE f8 (id int, f float8);
INSERT INTO f8 VALUES (1, '-0.0'), (2, '0.0'), (3, 'NaN'), (4, -('NaN'::float8)), (5, 'Infinity'),
	(6, '-Infinity'), (7, 0.1), (8, 0.1::float4), (9, 1e-310), (10, NULL), (11, 16777217);
CREATE TABLE f4 (id int, f float4);
INSERT INTO f4 VALUES (1, '-0.0'), (2, '0.0'), (3, 'NaN'), (4, -('NaN'::float4)), (5, 'Infinity'),
	(6, '-Infinity'), (7, 0.1), (8, NULL), (9, 16777216);
ANALYZE;
-- premise: the two NaNs and the two zeros of the fixture differ in their bits
SELECT count(DISTINCT float8send(f)) FROM f8 WHERE id <= 4;
SELECT a.id, b.id FROM f8 a JOIN f8 b ON a.f = b.f WHERE a.id <= 4 ORDER BY 1, 2;
SELECT compare('SELECT a.id, a.f, b.id, b.f FROM f8 a JOIN f8 b ON a.f = b.f');
SELECT compare('SELECT a.id, a.f, b.id, b.f FROM f4 a JOIN f4 b ON a.f = b.f');
-- NaN = NaN with any sign, 0.1::float4 is not 0.1::float8, -0 crosses the types
SELECT compare('SELECT a.id, a.f, b.id, b.f FROM f4 a JOIN f8 b ON a.f = b.f');
SELECT compare('SELECT a.id, a.f, b.id, b.f FROM f8 a FULL JOIN f4 b ON a.f = b.f');
SELECT compare('SELECT a.id, a.f FROM f8 a WHERE NOT EXISTS (SELECT FROM f4 b WHERE b.f = a.f)');
SELECT compare('SELECT a.id, a.f FROM f4 a WHERE EXISTS (SELECT FROM f8 b WHERE b.f = a.f)');

-- Integers of different widths in one operator family: -1 is -1 in all of them,
-- and values that agree in their low halves only are not equal.
CREATE TABLE s2 (k int2);
INSERT INTO s2 SELECT g FROM generate_series(-40, 40) g;
INSERT INTO s2 VALUES (-32768), (32767), (NULL), (-1);
CREATE TABLE s4 (k int4);
INSERT INTO s4 SELECT g FROM generate_series(-100, 100, 3) g;
INSERT INTO s4 VALUES (-1), (-32768), (32767), (-2147483648), (2147483647), (65535), (NULL);
CREATE TABLE s8 (k int8);
INSERT INTO s8 SELECT g FROM generate_series(-50, 200, 5) g;
INSERT INTO s8 VALUES (-1), (-32768), (32767), (-2147483648), (2147483647), (4294967295), (4294967296), (-4294967297),
	(4294967301), (-4294967296), (9223372036854775807), (-9223372036854775808), (65535), (NULL);
ANALYZE;
SELECT compare('SELECT s2.k, s4.k FROM s2 JOIN s4 ON s2.k = s4.k');
SELECT compare('SELECT s2.k, s8.k FROM s2 JOIN s8 ON s2.k = s8.k');
SELECT compare('SELECT s4.k, s8.k FROM s4 FULL JOIN s8 ON s4.k = s8.k');
SELECT compare('SELECT s8.k, s2.k FROM s8 LEFT JOIN s2 ON s8.k = s2.k');
SELECT compare('SELECT s4.k FROM s4 WHERE NOT EXISTS (SELECT FROM s8 WHERE s8.k = s4.k)');
SELECT compare('SELECT s8.k FROM s8 WHERE s8.k IN (SELECT k FROM s2)');
SELECT compare('SELECT s2.k, pg_typeof(k) FROM s2 JOIN s8 USING (k) JOIN s4 USING (k)');

-- Range of the keys overflows: both ends of int8 on either side, an int4 side
-- against keys that no int4 can have, and nothing but extremes.
CREATE TABLE ends (k int8, id int);
INSERT INTO ends VALUES (9223372036854775807, 1), (-9223372036854775808, 2);
ANALYZE ends;
SELECT compare('SELECT * FROM ends JOIN s8 USING (k)');
SELECT compare('SELECT * FROM ends a JOIN ends b USING (k)');
SELECT compare('SELECT * FROM ends JOIN s4 USING (k)');
SELECT compare('SELECT * FROM ends FULL JOIN s4 USING (k)');
SELECT compare('SELECT * FROM s2 LEFT JOIN ends USING (k)');
SELECT compare('SELECT s4.k FROM s4 JOIN (SELECT k + 4294967296 AS k FROM s8 WHERE k < 1000) s ON s.k = s4.k');

-- int8 keys for which the type's own hash function gives one code must still
-- be told apart: hashint8 folds the high half into the low one.
CREATE TABLE fold (k int8);
INSERT INTO fold SELECT (g << 32) | g FROM generate_series(0::int8, 999) g;
ANALYZE fold;
-- premise
SELECT count(DISTINCT hashint8(k)) AS codes, count(DISTINCT k) AS keys FROM fold;
SELECT compare('SELECT a.k, b.k FROM fold a JOIN fold b USING (k)');

-- Keys of two columns whose concatenation or sum agrees.
CREATE TABLE pairs (a int4, b int4);
INSERT INTO pairs SELECT x, y FROM generate_series(-2, 2) x, generate_series(-2, 2) y;
INSERT INTO pairs VALUES (1, NULL), (NULL, 1), (NULL, NULL), (2147483647, -2147483648), (-2147483648, 2147483647);
ANALYZE pairs;
SELECT compare('SELECT * FROM pairs x JOIN pairs y ON x.a = y.a AND x.b = y.b');
SELECT compare('SELECT * FROM pairs x JOIN pairs y ON x.a = y.b AND x.b = y.a');
SELECT compare('SELECT * FROM pairs x FULL JOIN pairs y ON x.a = y.a AND x.b = -(y.b::int8)');

-- Scale of numeric is not part of its value; NaN and infinities are values.
CREATE TABLE num (id int, n numeric);
INSERT INTO num VALUES (1, 1.0), (2, 1.00), (3, 1), (4, 'NaN'), (5, 'NaN'), (6, 'Infinity'), (7, '-Infinity'),
	(8, 0), (9, 0.000), (10, -0.0), (11, 1e30), (12, 1000000000000000000000000000000.000), (13, NULL), (14, 1e-30);
CREATE TABLE num2 (id int, n numeric(12,3));
INSERT INTO num2 VALUES (1, 1), (2, 'NaN'), (3, 0), (4, NULL), (5, 1.001);
ANALYZE;
SELECT compare('SELECT a.id, a.n, b.id, b.n FROM num a JOIN num b USING (n)');
SELECT compare('SELECT a.id, a.n, b.id, b.n FROM num a FULL JOIN num2 b ON a.n = b.n');
-- each side's own value is printed
SELECT a.n, b.n FROM num a JOIN num2 b ON a.n = b.n WHERE a.id = 2;
SET hashjoin_ext.enable = force;
SELECT a.n, b.n FROM num a JOIN num2 b ON a.n = b.n WHERE a.id = 2;
SET hashjoin_ext.enable = off;

-- Padding of char(n) is no part of its value, but it is of text's.
CREATE TABLE c3 (id int, c char(3));
INSERT INTO c3 VALUES (1, 'a'), (2, 'a  '), (3, 'ab'), (4, ''), (5, NULL), (6, ' a');
CREATE TABLE c5 (id int, c char(5), t text, v varchar(5));
INSERT INTO c5 VALUES (1, 'a', 'a', 'a'), (2, 'ab', 'ab   ', 'ab '), (3, '', '', ''), (4, ' a', ' a', ' a'), (5, NULL, NULL, NULL);
ANALYZE;
SELECT compare('SELECT a.id, a.c, b.id, b.c FROM c3 a JOIN c5 b ON a.c = b.c');
SELECT compare('SELECT a.id, a.c, b.id, b.t FROM c3 a JOIN c5 b ON a.c = b.t');
SELECT compare('SELECT a.id, a.c, b.id, b.t FROM c3 a JOIN c5 b ON a.c::text = b.t');
SELECT compare('SELECT a.id, a.c, b.id, b.v FROM c3 a FULL JOIN c5 b ON a.c = b.v::bpchar');
SELECT compare('SELECT a.id, b.id FROM c5 a JOIN c5 b ON a.t = b.v');

-- name and text: one family, two lengths of storage.
CREATE TABLE names (id int, n name);
INSERT INTO names VALUES (1, 'a'), (2, ''), (3, repeat('x', 63)), (4, NULL), (5, 'A');
CREATE TABLE texts (id int, t text);
INSERT INTO texts VALUES (1, 'a'), (2, ''), (3, repeat('x', 63)), (4, repeat('x', 64)), (5, NULL), (6, 'a ');
ANALYZE;
SELECT compare('SELECT a.id, b.id FROM names a JOIN texts b ON a.n = b.t');
SELECT compare('SELECT a.id, b.id FROM texts b LEFT JOIN names a ON a.n = b.t');
SELECT compare('SELECT a.id, b.id FROM names a JOIN names b ON a.n = b.n');
SELECT compare('SELECT a.id, b.id FROM names a FULL JOIN texts b ON a.n::text = b.t');

DROP SCHEMA trap_key_values CASCADE;
