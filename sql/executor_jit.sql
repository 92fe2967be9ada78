-- Expressions compiled to machine code know the slots they read: with
-- everything compiled, the rows are the same.  (Without JIT a plain repeat.)
\set test executor_jit
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE a (k int, v int, t text, n numeric);
INSERT INTO a SELECT g % 20, g, 't' || g % 9, g / 2.0 FROM generate_series(1, 100) g;
INSERT INTO a VALUES (NULL, 1, NULL, NULL);
CREATE TABLE b (k int8, w int, t text, n numeric);
INSERT INTO b SELECT g % 25, g, 't' || g % 7, g / 4.0 FROM generate_series(1, 90) g;
INSERT INTO b VALUES (NULL, 1, NULL, NULL);
ANALYZE;
SET jit = on;
SET jit_above_cost = 0;
SET jit_optimize_above_cost = -1;
SET jit_inline_above_cost = -1;
SELECT compare('SELECT a.*, b.* FROM a JOIN b ON a.k = b.k AND a.v + b.w > 50');
SELECT compare('SELECT a.*, b.* FROM a LEFT JOIN b ON a.t = b.t AND a.v < b.w WHERE coalesce(b.w, 0) % 3 = 0');
SELECT compare('SELECT a, b, a.v * 2 + coalesce(b.w, 1) FROM a FULL JOIN b ON a.k + 1 = b.k AND a.n > b.n');
SELECT compare('SELECT a.* FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.n = a.n AND b.w < a.v)');
SELECT compare('SELECT upper(a.t) || b.w FROM a RIGHT JOIN b ON lower(a.t) = lower(b.t) AND a.k = b.k');
SET jit_optimize_above_cost = 0;
SET jit_inline_above_cost = 0;
SELECT compare('SELECT a.k, sum(a.v * b.w), max(b.t) FROM a JOIN b ON a.k = b.k AND a.v <> b.w GROUP BY 1');

DROP SCHEMA executor_jit CASCADE;
