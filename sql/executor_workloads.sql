-- Whole queries as users write them, each with several joins of several kinds:
-- star schemas, reports over many lookups, orders and items, funnels, graphs,
-- keys that were kept as text.
\set test executor_workloads
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
SET compare.table_bytes = 20000;

CREATE FUNCTION rnd(g int, salt int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
	'SELECT (hashint8(g::int8 * 1000003 + salt) & 2147483647) % n';
-- a star: facts, four dimensions
CREATE TABLE day AS SELECT g AS d, 2000 + g / 100 AS y, g % 12 AS m FROM generate_series(0, 499) g;
CREATE TABLE cust AS SELECT g AS c, 'R' || g % 5 AS region, 'N' || g % 25 AS nation FROM generate_series(1, 600) g;
CREATE TABLE supp AS SELECT g AS s, 'R' || g % 5 AS region, 'N' || g % 25 AS nation FROM generate_series(1, 80) g;
CREATE TABLE part AS SELECT g AS p, 'M' || g % 5 AS mfgr, 'B' || g % 40 AS brand, g % 50 AS size FROM generate_series(1, 900) g;
CREATE TABLE fact AS SELECT g AS id, rnd(g, 1, 620) + 1 AS c, rnd(g, 2, 900) + 1 AS p, rnd(g, 3, 80) + 1 AS s, NULLIF(rnd(g, 4, 500), 7) AS d,
	g % 50 AS qty, g % 11 AS disc, rnd(g, 5, 9000) AS price FROM generate_series(1, 8000) g;
ANALYZE;
SELECT compare('SELECT sum(price * disc) FROM fact JOIN day USING (d) WHERE y = 2003 AND disc BETWEEN 1 AND 3 AND qty < 25');
SELECT compare('SELECT y, brand, sum(price) FROM fact JOIN day USING (d) JOIN part USING (p) JOIN supp USING (s) WHERE mfgr = ''M2'' AND region = ''R1'' GROUP BY 1, 2');
SELECT compare('SELECT cust.nation, supp.nation, y, sum(price) FROM cust, fact, supp, day WHERE fact.c = cust.c AND fact.s = supp.s AND fact.d = day.d AND cust.region = ''R2'' AND supp.region = ''R2'' GROUP BY 1, 2, 3');
SELECT compare('SELECT y, cust.nation, sum(price - qty) FROM day, cust, supp, part, fact WHERE fact.c = cust.c AND fact.s = supp.s AND fact.p = part.p AND fact.d = day.d AND cust.region = supp.region AND mfgr IN (''M1'', ''M2'') GROUP BY 1, 2');
SELECT compare('SELECT region, nation, count(*), sum(price), rank() OVER (PARTITION BY region ORDER BY sum(price) DESC) FROM fact, cust WHERE fact.c = cust.c GROUP BY 1, 2');
SELECT compare('SELECT count(*), count(cust.c), count(day.d), count(part.p), count(supp.s) FROM fact LEFT JOIN cust USING (c) LEFT JOIN day USING (d) LEFT JOIN part ON part.p = fact.p AND size > 25 LEFT JOIN supp ON supp.s = fact.s AND supp.region = cust.region');
SELECT compare('SELECT count(*), sum(price) FROM fact LEFT JOIN cust USING (c) LEFT JOIN day USING (d) WHERE coalesce(cust.region, day.m::text, ''x'') IN (''R1'', ''3'', ''x'')');

-- a report that left-joins ten lookup tables
DO $$
BEGIN
	FOR i IN 1..10 LOOP
		EXECUTE format('CREATE TABLE d%s (id int PRIMARY KEY, name text)', i);
		EXECUTE format('INSERT INTO d%s SELECT g, ''d%s-'' || g FROM generate_series(1, %s) g', i, i, i * 7);
	END LOOP;
END $$;
CREATE TABLE wide AS SELECT g AS id, g % 7 + 1 AS k1, g % 15 AS k2, g % 22 AS k3, NULLIF(g % 29, 3) AS k4, g % 36 AS k5,
	g % 42 + 1 AS k6, g % 50 AS k7, g % 57 AS k8, g % 64 AS k9, g % 80 AS k10, g % 97 AS amt FROM generate_series(1, 3000) g;
ANALYZE;
SET join_collapse_limit = 4;
SELECT compare('SELECT f.id, d1.name, d2.name, d3.name, d4.name, d5.name, d6.name, d7.name, d8.name, d9.name, d10.name FROM wide f
	LEFT JOIN d1 ON d1.id = k1 LEFT JOIN d2 ON d2.id = k2 LEFT JOIN d3 ON d3.id = k3 LEFT JOIN d4 ON d4.id = k4 LEFT JOIN d5 ON d5.id = k5
	LEFT JOIN d6 ON d6.id = k6 LEFT JOIN d7 ON d7.id = k7 LEFT JOIN d8 ON d8.id = k8 LEFT JOIN d9 ON d9.id = k9 LEFT JOIN d10 ON d10.id = k10');
RESET join_collapse_limit;
SELECT compare('SELECT d1.name, count(*), sum(amt) FROM wide f JOIN d1 ON d1.id = k1 JOIN d2 ON d2.id = k2 JOIN d3 ON d3.id = k3 JOIN d5 ON d5.id = k5 JOIN d7 ON d7.id = k7 WHERE d5.name LIKE ''d5-1%'' GROUP BY 1');
-- lookups that nobody reads may be left out, and the count is the same
SELECT compare('SELECT count(*) FROM wide f LEFT JOIN d1 ON d1.id = k1 LEFT JOIN d2 ON d2.id = k2 JOIN d3 ON d3.id = k3');
-- a chain
SELECT compare('SELECT count(*), sum(d10.id) FROM d10 JOIN d9 ON d9.id = d10.id - 1 JOIN d8 ON d8.id = d9.id - 1 JOIN d7 ON d7.id = d8.id - 1 JOIN d6 ON d6.id = d7.id - 1 JOIN d5 ON d5.id = d6.id - 1 JOIN d4 ON d4.id = d5.id - 1');

-- orders and items: EXISTS, NOT EXISTS, IN, aggregates below joins
CREATE TABLE orders AS SELECT g AS o, rnd(g, 7, 640) + 1 AS c, rnd(g, 8, 500) AS d, (ARRAY['F', 'O', 'P'])[g % 3 + 1] AS st FROM generate_series(1, 2000) g;
CREATE TABLE item AS SELECT o, n, rnd(o * 10 + n, 9, 900) + 1 AS p, rnd(o * 10 + n, 10, 80) + 1 AS s, (o * n) % 50 + 1 AS qty,
	rnd(o * 10 + n, 11, 100) AS due, rnd(o * 10 + n, 12, 100) AS got FROM generate_series(1, 2000) o, generate_series(1, 4) n WHERE n <= o % 5;
ANALYZE;
SELECT compare('SELECT st, count(*) FROM orders WHERE d > 100 AND EXISTS (SELECT FROM item WHERE item.o = orders.o AND due < got) GROUP BY 1');
SELECT compare('SELECT n, count(*) FROM (SELECT cust.c, count(o) AS n FROM cust LEFT JOIN orders ON orders.c = cust.c AND st <> ''P'' GROUP BY cust.c) x GROUP BY 1');
SELECT compare('SELECT brand, count(DISTINCT item.s) FROM item JOIN part USING (p) WHERE size < 20 AND item.s NOT IN (SELECT s FROM supp WHERE nation = ''N3'') GROUP BY 1');
SELECT compare('SELECT sum(i.qty) FROM item i JOIN part USING (p) JOIN (SELECT p, 0.4 * avg(qty) AS a FROM item GROUP BY 1) t ON t.p = i.p WHERE brand < ''B3'' AND i.qty < t.a');
SELECT compare('SELECT cust.c, orders.o, sum(qty) FROM cust, orders, item WHERE orders.o IN (SELECT o FROM item GROUP BY o HAVING sum(qty) > 100) AND cust.c = orders.c AND orders.o = item.o GROUP BY 1, 2');
SELECT compare('SELECT s FROM supp WHERE s IN (SELECT i.s FROM item i JOIN (SELECT p, s, 0.5 * sum(qty) AS h FROM item GROUP BY 1, 2) x USING (p, s) WHERE p IN (SELECT p FROM part WHERE brand LIKE ''B1%'') AND qty > h)');
SELECT compare('SELECT supp.s, count(*) FROM supp, item i1, orders WHERE supp.s = i1.s AND orders.o = i1.o AND st = ''F'' AND i1.got > i1.due
	AND EXISTS (SELECT FROM item i2 WHERE i2.o = i1.o AND i2.s <> i1.s)
	AND NOT EXISTS (SELECT FROM item i3 WHERE i3.o = i1.o AND i3.s <> i1.s AND i3.got > i3.due) GROUP BY 1');
SELECT compare('SELECT nation, count(*) FROM cust WHERE c > (SELECT avg(c) FROM cust) AND NOT EXISTS (SELECT FROM orders WHERE orders.c = cust.c) GROUP BY 1');

-- a funnel: the same events joined with themselves
CREATE TABLE ev AS SELECT rnd(g, 13, 300) AS usr, CASE WHEN g % 10 < 6 THEN 'view' WHEN g % 10 < 9 THEN 'cart' ELSE 'buy' END AS kind, g AS at FROM generate_series(1, 3000) g;
ANALYZE ev;
SELECT compare('WITH v AS (SELECT usr, min(at) AS at FROM ev WHERE kind = ''view'' GROUP BY usr), c AS (SELECT usr, min(at) AS at FROM ev WHERE kind = ''cart'' GROUP BY usr), b AS (SELECT usr, min(at) AS at FROM ev WHERE kind = ''buy'' GROUP BY usr)
	SELECT count(*), count(c.usr), count(b.usr), count(*) FILTER (WHERE c.at > v.at AND b.at > c.at) FROM v LEFT JOIN c USING (usr) LEFT JOIN b USING (usr)');
SELECT compare('SELECT count(DISTINCT a.usr) FROM ev a JOIN ev b ON b.usr = a.usr AND b.at > a.at AND b.at <= a.at + 900 WHERE a.kind = ''view'' AND b.kind = ''buy''');
SELECT compare('SELECT usr FROM (SELECT DISTINCT usr FROM ev WHERE kind = ''cart'') c WHERE NOT EXISTS (SELECT FROM ev b WHERE b.usr = c.usr AND b.kind = ''buy'')');
SELECT compare('SELECT d, count(*), count(r.usr) FROM (SELECT usr, min(at) / 300 AS d FROM ev GROUP BY usr) f LEFT JOIN (SELECT DISTINCT usr, at / 300 AS e FROM ev) r ON r.usr = f.usr AND r.e = f.d + 1 GROUP BY d');

-- a graph: triangles, the third edge by a key of two columns
CREATE TABLE knows AS SELECT DISTINCT a, b FROM (SELECT rnd(g, 14, 120) AS a, rnd(g, 15, 120) AS b FROM generate_series(1, 900) g) s WHERE a <> b;
ANALYZE knows;
SELECT compare('SELECT x.a, x.b, y.b FROM knows x JOIN knows y ON y.a = x.b JOIN knows z ON z.a = y.b AND z.b = x.a');
SELECT compare('SELECT count(*) FROM knows x JOIN knows y ON x.b = y.a AND y.b = x.a');
SELECT compare('SELECT count(*) FROM knows x JOIN knows y ON y.a = x.b WHERE y.b <> x.a AND NOT EXISTS (SELECT FROM knows z WHERE z.a = x.a AND z.b = y.b)');

-- identifiers kept as text, joined as text, as uuid, as numbers
CREATE TABLE sess AS SELECT g AS id, md5(g::text)::uuid::text AS sid, g % 13 AS ch FROM generate_series(1, 900) g;
CREATE TABLE hits AS SELECT g AS id, md5((g * 7 % 1200)::text)::uuid::text AS sid, (g * 7 % 1200)::text AS legacy FROM generate_series(1, 2500) g;
ANALYZE;
SELECT compare('SELECT ch, count(*), count(DISTINCT s.sid) FROM hits JOIN sess s USING (sid) GROUP BY ch');
SELECT compare('SELECT h.id, s.id FROM hits h JOIN sess s ON s.sid::uuid = h.sid::uuid');
SELECT compare('SELECT h.id, s.id FROM hits h JOIN sess s ON h.legacy::int = s.id');
SELECT compare('SELECT h.id, s.id FROM hits h LEFT JOIN sess s ON h.legacy = s.id::text');
SELECT compare('SELECT h.id FROM hits h WHERE NOT EXISTS (SELECT FROM sess s WHERE s.sid = h.sid)');
-- expressions on both sides, times cut to the hour, shifted keys
CREATE TABLE ts1 AS SELECT '2024-08-01 00:00+00'::timestamptz + g * interval '1 hour' AS ts, 'Row' || g AS n FROM generate_series(0, 23) g;
CREATE TABLE ts2 AS SELECT '2024-08-01 00:00+00'::timestamptz + g * interval '30 min' AS ts, 'ROW' || g / 2 AS n FROM generate_series(0, 47) g;
ANALYZE;
SELECT compare('SELECT a.ts, b.ts FROM ts1 a JOIN ts2 b ON date_trunc(''hour'', a.ts) = date_trunc(''hour'', b.ts)');
SELECT compare('SELECT a.ts, b.ts FROM ts1 a LEFT JOIN ts2 b ON floor(extract(epoch FROM a.ts) / 300) * 300 = extract(epoch FROM b.ts)');
SELECT compare('SELECT a.n, b.n FROM ts1 a FULL JOIN ts2 b ON lower(a.n) = lower(b.n) AND a.ts = b.ts');
SELECT compare('SELECT x.a, y.a FROM knows x JOIN knows y ON x.a + 1 = y.a - 1 AND x.b = y.b - y.b + x.a * 0 + y.b');
SELECT compare('SELECT x.* FROM knows x WHERE x.a * 31 + x.b IN (SELECT y.a * 31 + y.b FROM knows y WHERE y.b < 4)');
-- one key for the whole build side; statistics from before the data; correlated columns
CREATE TABLE hot (k int, pad text);
INSERT INTO hot SELECT 7, repeat('p', 60) || g FROM generate_series(1, 5000) g;
CREATE TABLE few (k int, v int);
INSERT INTO few SELECT CASE WHEN g % 100 = 0 THEN 7 ELSE -g END, g FROM generate_series(1, 400) g;
ANALYZE few;
ALTER TABLE few SET (autovacuum_enabled = off);
ALTER TABLE hot SET (autovacuum_enabled = off);
SELECT compare('SELECT count(*), sum(v) FROM few WHERE NOT EXISTS (SELECT FROM hot WHERE hot.k = few.k AND length(pad) < v % 2)');
SELECT compare('SELECT count(*), sum(v) FROM few WHERE EXISTS (SELECT FROM hot WHERE hot.k = few.k AND length(pad) > v % 3)');
SELECT compare('SELECT count(*), sum(length(pad)) FROM few JOIN hot ON hot.k = few.k AND v % 200 = 0');
CREATE TABLE stale (k int, w int);
INSERT INTO stale SELECT g, g FROM generate_series(1, 3) g;
ANALYZE stale;
INSERT INTO stale SELECT g, g % 50 FROM generate_series(4, 3000) g;
SELECT compare('SELECT count(*), sum(w) FROM fact LEFT JOIN stale ON stale.k = fact.price');
SELECT compare('SELECT count(*) FROM stale x FULL JOIN stale y ON x.k = y.w AND x.w > 3');

-- correlated filters, keys of three columns, skew on one side
CREATE TABLE people AS SELECT g AS id, g % 17 AS occ, g % 34 < 17 AS woman FROM generate_series(1, 2000) g;
CREATE TABLE addr AS SELECT g AS id, g % 23 AS region, repeat('a', 200) AS payload FROM generate_series(1, 3000) g;
CREATE TABLE x3 AS SELECT g % 50 AS x, (g / 40) % 30 AS y, g % 7 AS z, g AS v FROM generate_series(1, 1500) g;
CREATE TABLE y3 AS SELECT (g * 3) % 50 AS x, (g / 40) % 30 AS y, g % 7 AS z, g AS w FROM generate_series(1, 1200) g;
CREATE TABLE skew AS SELECT CASE WHEN g % 3 = 0 THEN 1 ELSE g END AS k, g AS s FROM generate_series(1, 300) g;
ANALYZE;
SELECT compare('SELECT count(*), sum(p.id) FROM people p JOIN addr a USING (id) WHERE occ = 13 AND woman AND region = 7');
SELECT compare('SELECT count(*), sum(p.id) FROM people p JOIN addr a USING (id) WHERE occ = 13 AND NOT woman');
SELECT compare('SELECT * FROM x3 JOIN y3 USING (x, y, z)');
SELECT compare('SELECT * FROM x3 LEFT JOIN y3 ON x3.x = y3.x AND x3.y = y3.y AND x3.z = y3.z AND v < w');
SELECT compare('SELECT count(*), sum(s), sum(length(payload)) FROM addr JOIN skew ON addr.id = skew.k');
-- the smaller side is built, skewed or not; only the columns that are needed are asked for
CREATE FUNCTION sides(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	j jsonb;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) ' || q INTO j;
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	j := jsonb_path_query_first(j, 'strict $.** ? (@."Custom Plan Provider" == "HashJoinExt")');
	RETURN format('probe %s %s, build %s %s', j #>> '{Plans,0,Relation Name}', j #>> '{Plans,0,Output}', j #>> '{Plans,1,Relation Name}', j #>> '{Plans,1,Output}');
END $$;
SELECT sides('SELECT count(*), sum(s) FROM addr JOIN skew ON addr.id = skew.k');
SELECT sides('SELECT count(*) FROM addr LEFT JOIN skew ON addr.id = skew.k');
SELECT sides('SELECT count(*) FROM skew LEFT JOIN addr ON addr.id = skew.k');
SELECT sides('SELECT count(*) FROM skew WHERE NOT EXISTS (SELECT FROM addr WHERE addr.id = skew.k AND length(payload) > s)');

DROP SCHEMA executor_workloads CASCADE;
