-- Joins in odd places: subplans, initplans, recursion, set operations, windows,
-- below LIMIT and DISTINCT ON, on either side of a merge join, above and below
-- stores that are read twice.
\set test executor_places
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE a (k int, v int);
INSERT INTO a SELECT (g * 7) % 101, g % 9 FROM generate_series(1, 300) g;
CREATE TABLE b (k int, w int);
INSERT INTO b SELECT (g * 11) % 121, g % 8 FROM generate_series(1, 260) g;
CREATE TABLE c (k int PRIMARY KEY, z int);
INSERT INTO c SELECT g, g % 6 FROM generate_series(1, 80) g;
CREATE TABLE none (k int, v int);
ANALYZE;

-- subplans and initplans in the conditions and the target list of a join
SELECT compare('SELECT a.*, b.* FROM a JOIN b ON a.k = b.k AND a.v IN (SELECT z FROM c WHERE c.k = b.w + 1)');
SELECT compare('SELECT a.*, b.* FROM a LEFT JOIN b ON a.k = b.k AND a.v = (SELECT z FROM c WHERE c.k = b.w + a.v)');
SELECT compare('SELECT a.*, b.* FROM a FULL JOIN b ON a.k = b.k WHERE coalesce(a.v, 0) + coalesce(b.w, 0) < (SELECT avg(z) FROM c)');
SELECT compare('SELECT a.*, b.* FROM a JOIN b ON a.k = b.k + (SELECT min(z) FROM c)');
SELECT compare('SELECT a.*, b.* FROM a JOIN b ON a.k + (SELECT max(z) FROM c) = b.k');
SELECT compare('SELECT a.k, (SELECT count(*) FROM c WHERE c.z = a.v AND c.k > b.w) FROM a JOIN b USING (k)');
SELECT compare('SELECT a.k, ARRAY(SELECT c.k FROM c WHERE c.z = a.v ORDER BY 1) FROM a LEFT JOIN b ON a.k = b.k AND EXISTS (SELECT FROM c WHERE c.k = a.k)');
-- a subplan in a join key, correlated with its own side
SELECT compare('SELECT a.*, b.* FROM a JOIN b ON (SELECT z FROM c WHERE c.k = a.k) = b.w');
SELECT compare('SELECT a.* FROM a WHERE (SELECT z FROM c WHERE c.k = a.k) IN (SELECT w FROM b WHERE k < 9)');
-- joins inside subplans and initplans
SELECT compare('SELECT c.k, (SELECT count(*) FROM a JOIN b USING (k) WHERE a.v = c.z), (SELECT max(a.k) FROM a JOIN b USING (k)) FROM c WHERE c.k <= 8');
SELECT compare('SELECT c.k FROM c WHERE c.z = ANY (SELECT a.v FROM a JOIN b USING (k) WHERE b.w = c.k % 8) OR c.k < 3');
SELECT compare('SELECT c.k FROM c WHERE c.z NOT IN (SELECT a.v FROM a JOIN b USING (k) WHERE b.w > 5)');
SELECT compare('SELECT c.k FROM c WHERE (c.k, c.z) IN (SELECT a.k, a.v FROM a LEFT JOIN b USING (k)) OR c.k = 1');
SELECT compare('SELECT * FROM a JOIN b USING (k) WHERE a.v > ALL (SELECT x.z FROM c x JOIN c y ON x.k = y.z)');
-- EXISTS, NOT EXISTS and IN over joins, nested
SELECT compare('SELECT c.* FROM c WHERE EXISTS (SELECT FROM a JOIN b USING (k) WHERE a.k = c.k AND b.w = c.z)');
SELECT compare('SELECT c.* FROM c WHERE NOT EXISTS (SELECT FROM a LEFT JOIN b USING (k) WHERE a.k = c.k AND b.w IS NOT NULL)');
SELECT compare('SELECT a.* FROM a WHERE EXISTS (SELECT FROM b WHERE b.k = a.k AND NOT EXISTS (SELECT FROM c WHERE c.k = b.k AND c.z = a.v))');
SELECT compare('SELECT a.* FROM a WHERE k IN (SELECT k FROM b WHERE w IN (SELECT z FROM c)) AND NOT EXISTS (SELECT FROM c WHERE c.k = a.k)');
SELECT compare('SELECT a.* FROM a LEFT JOIN b ON a.k = b.k WHERE EXISTS (SELECT FROM c WHERE c.k = b.k)');
SELECT compare('SELECT a.*, b.* FROM a LEFT JOIN b ON a.k = b.k AND EXISTS (SELECT FROM c WHERE c.k = b.k)');
-- values, functions, CTEs and subqueries as sides
SELECT compare('SELECT * FROM a JOIN (VALUES (1, ''x''), (2, ''y''), (NULL, ''z'')) v(k, t) USING (k)');
SELECT compare('SELECT * FROM generate_series(1, 50) g(k) FULL JOIN (SELECT k, sum(v) FROM a GROUP BY k) s USING (k)');
SELECT compare('WITH w AS MATERIALIZED (SELECT k, v FROM a WHERE v < 5) SELECT * FROM w x JOIN w y ON x.k = y.k AND x.v < y.v JOIN b ON b.k = x.k');
SELECT compare('WITH w AS (SELECT a.k, b.w FROM a JOIN b USING (k)) SELECT * FROM w x JOIN w y ON x.k = y.k AND x.w < y.w WHERE x.k < 5');
SELECT compare('SELECT * FROM (SELECT DISTINCT ON (k) k, v FROM a ORDER BY k, v DESC) s JOIN b USING (k)');
SELECT compare('SELECT * FROM (SELECT k, v FROM a ORDER BY k, v LIMIT 10) s JOIN b USING (k)');
SELECT compare('SELECT * FROM (SELECT k, v FROM a ORDER BY k, v OFFSET 290) s RIGHT JOIN c USING (k)');
SELECT compare('SELECT * FROM (SELECT k, row_number() OVER (ORDER BY k, v) AS r FROM a) s JOIN b ON s.r = b.k');
SELECT compare('SELECT * FROM (SELECT k, count(*) AS n FROM a GROUP BY k HAVING count(*) > 2) s LEFT JOIN b ON b.k = s.n');
SELECT compare('SELECT * FROM (SELECT k FROM a UNION SELECT k FROM b) s JOIN c USING (k)');
SELECT compare('SELECT * FROM (SELECT k FROM a EXCEPT ALL SELECT k FROM b) s FULL JOIN c USING (k)');
-- samples, functions that read documents, rows from several functions
SELECT compare('SELECT * FROM a TABLESAMPLE BERNOULLI (100) JOIN b TABLESAMPLE SYSTEM (100) USING (k)');
SELECT compare('SELECT * FROM a JOIN json_to_recordset(''[{"k": 1, "x": "a"}, {"k": null}, {"k": 7}]'') AS j(k int, x text) USING (k)');
SELECT compare('SELECT * FROM b RIGHT JOIN unnest(ARRAY[1, 2, NULL, 200], ARRAY[''a'', ''b'']) AS u(k, t) USING (k)');
-- no table at all
SELECT compare('SELECT * FROM (SELECT 1 AS k) x JOIN (SELECT 1 AS k) y USING (k)');
SELECT compare('SELECT * FROM (VALUES (1), (2)) x(k) FULL JOIN (VALUES (2), (3)) y(k) USING (k)');

-- above a join: order must not be claimed where there is none
SELECT compare('SELECT k, v, w, z FROM a JOIN b USING (k) JOIN c USING (k) ORDER BY k DESC, v, w');
SELECT compare('SELECT k, count(*), sum(w) FROM a LEFT JOIN b USING (k) GROUP BY k');
SELECT compare('SELECT DISTINCT v, w FROM a JOIN b USING (k)');
SELECT compare('SELECT DISTINCT ON (v) v, k, w FROM a JOIN b USING (k) ORDER BY v, k, w');
SELECT compare('SELECT k, v, w, rank() OVER (PARTITION BY v ORDER BY k, w) FROM a JOIN b USING (k)');
SELECT compare('SELECT GROUPING(v, w), v, w, count(*) FROM a JOIN b USING (k) GROUP BY GROUPING SETS ((v, w), (v), ())');
SELECT compare('SELECT k FROM a JOIN b USING (k) UNION ALL SELECT a.k FROM a LEFT JOIN b USING (k) WHERE b.k IS NULL UNION ALL SELECT k FROM c');
SELECT compare('SELECT k, v FROM a JOIN b USING (k) INTERSECT ALL SELECT k, z FROM c JOIN a USING (k)');
SELECT compare('(SELECT k FROM a JOIN b USING (k) ORDER BY k LIMIT 2) UNION ALL (SELECT k FROM a JOIN c USING (k) ORDER BY k DESC LIMIT 2)');
SELECT compare('SELECT count(*) FROM (SELECT a.k FROM a JOIN b USING (k) FETCH FIRST 10 ROWS ONLY) s');
SELECT compare('SELECT count(*) FROM (SELECT a.k FROM a LEFT JOIN b USING (k) LIMIT 0) s');
SELECT compare('SELECT count(*) FROM (SELECT a.k FROM a FULL JOIN b USING (k) OFFSET 700) s');
SELECT compare('SELECT k FROM a JOIN b USING (k) ORDER BY k FETCH FIRST 3 ROWS WITH TIES');

-- as input of a merge join, outer and inner: with a Sort above, which can be
-- marked and restored, and of a nested loop, with a Material above
CREATE FUNCTION with_stock(q text, VARIADIC expect text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	p jsonb;
	want text[];
	got text[];
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	want := run(q);
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	p := plan(q);
	got := run(q);
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	RETURN coalesce(difference(want, got), 'same, ' || cardinality(got) || ' rows')
		|| CASE WHEN nodes(p) = 0 THEN ', not our node' ELSE '' END
		|| coalesce((SELECT ', no ' || string_agg(e, ', ') FROM unnest(expect) e
			WHERE NOT jsonb_path_exists(p, 'strict $.** ? (@."Node Type" == $t)', jsonb_build_object('t', e))), '');
END $$;
-- money has no hash function, so the join above must merge
CREATE TABLE m (mo money, n int);
INSERT INTO m SELECT (g % 13)::money, g FROM generate_series(1, 40) g;
ANALYZE m;
SELECT with_stock('SELECT s.*, m.* FROM (SELECT a.k, b.w::int::money AS mo FROM a JOIN b USING (k) OFFSET 0) s FULL JOIN m USING (mo)', 'Merge Join', 'Sort');
SELECT with_stock('SELECT s.*, m.* FROM m FULL JOIN (SELECT a.k, b.w::int::money AS mo FROM a JOIN b USING (k) OFFSET 0) s USING (mo)', 'Merge Join', 'Sort');
SELECT with_stock('SELECT s.*, t.* FROM (SELECT a.k, a.v::money AS mo FROM a JOIN b USING (k) OFFSET 0) s FULL JOIN (SELECT a.k, b.w::money AS mo FROM a LEFT JOIN b USING (k) OFFSET 0) t USING (mo)', 'Merge Join', 'Sort');
SELECT with_stock('SELECT count(*), sum(s.w) FROM c LEFT JOIN (SELECT a.k, b.w FROM a JOIN b USING (k) OFFSET 0) s ON s.k > c.k + 60', 'Nested Loop', 'Materialize');
-- memoize above a parameterised join
SELECT compare('SELECT b.k, s.n FROM b, LATERAL (SELECT count(*) AS n FROM a JOIN c USING (k) WHERE a.v = b.w) s');

-- recursion: the working table as probe side, as build side, inside an outer join
SELECT compare('WITH RECURSIVE r(k, d) AS (SELECT k, 0 FROM c WHERE k < 4 UNION SELECT b.w * 10 + a.v, d + 1 FROM r JOIN a ON a.k = r.k JOIN b ON b.k = a.k WHERE d < 4) SELECT * FROM r');
SELECT compare('WITH RECURSIVE r(k, d) AS (SELECT k, 0 FROM c WHERE k < 4 UNION ALL SELECT c.k, d + 1 FROM c JOIN r ON c.z = r.k % 6 WHERE d < 2) SELECT d, count(*), sum(k) FROM r GROUP BY d');
SELECT compare('WITH RECURSIVE r(k, d) AS (SELECT 1, 0 UNION SELECT coalesce(b.w, c.k), d + 1 FROM r JOIN c ON c.k > r.k AND c.k < r.k + 3 LEFT JOIN b ON b.k = c.k AND b.w > 3 WHERE d < 6) SELECT * FROM r');
SELECT compare('WITH RECURSIVE r(k, d) AS (SELECT k, 0 FROM c WHERE k < 6 UNION ALL SELECT r.k + 20, d + 1 FROM r WHERE d < 4 AND EXISTS (SELECT FROM a WHERE a.k = r.k)) SELECT * FROM r');
SELECT compare('WITH RECURSIVE r(k, d) AS (SELECT k, 0 FROM none UNION ALL SELECT a.k, d + 1 FROM r JOIN a USING (k)) SELECT * FROM r');

-- a join whose result is read by a trigger, a view, COPY, CTAS and a matview
CREATE VIEW ab AS SELECT a.k, a.v, b.w FROM a JOIN b USING (k);
SELECT compare('SELECT * FROM ab JOIN c USING (k) WHERE v < 3');
SET hashjoin_ext.enable = force;
CREATE TABLE ctas AS SELECT k, count(*) AS n FROM a FULL JOIN b USING (k) GROUP BY k;
CREATE MATERIALIZED VIEW mv AS SELECT c.k, count(b.w) AS n FROM c LEFT JOIN b ON b.k = c.k GROUP BY 1;
CREATE UNIQUE INDEX ON mv (k);
INSERT INTO b VALUES (1, 1), (79, 79);
REFRESH MATERIALIZED VIEW CONCURRENTLY mv;
COPY (SELECT a.k, c.z FROM a JOIN c USING (k) WHERE a.k < 5 ORDER BY 1, 2) TO STDOUT;
SET hashjoin_ext.enable = off;
SELECT count(*), sum(n) FROM (SELECT * FROM mv EXCEPT ALL SELECT c.k, count(b.w) FROM c LEFT JOIN b ON b.k = c.k GROUP BY 1) s;
DELETE FROM b WHERE (k, w) IN ((1, 1), (79, 79));
SELECT count(*) FROM (SELECT * FROM ctas EXCEPT ALL SELECT k, count(*) FROM a FULL JOIN b USING (k) GROUP BY k) s;

DROP SCHEMA executor_places CASCADE;
