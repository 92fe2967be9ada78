-- Partitioned tables: joins partition by partition, below Append, with
-- parameters from above, with partitions pruned at plan time and at run time.
\set test executor_partitions
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE p (k int, v int, t text) PARTITION BY RANGE (k);
CREATE TABLE p0 PARTITION OF p FOR VALUES FROM (MINVALUE) TO (50);
CREATE TABLE p1 (t text, gone int, v int, k int);
ALTER TABLE p1 DROP COLUMN gone;
ALTER TABLE p ATTACH PARTITION p1 FOR VALUES FROM (50) TO (100);
CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (100) TO (150);
CREATE TABLE pd PARTITION OF p DEFAULT;
INSERT INTO p SELECT g % 170, g, 'p' || g % 7 FROM generate_series(1, 500) g;
INSERT INTO p VALUES (NULL, 1, 'pn');
CREATE TABLE q (k int, w int, u text) PARTITION BY RANGE (k);
CREATE TABLE q0 PARTITION OF q FOR VALUES FROM (MINVALUE) TO (50);
CREATE TABLE q1 PARTITION OF q FOR VALUES FROM (50) TO (100);
CREATE TABLE q2 (u text, k int, w int);
ALTER TABLE q ATTACH PARTITION q2 FOR VALUES FROM (100) TO (150);
CREATE TABLE qd PARTITION OF q DEFAULT;
INSERT INTO q SELECT (g * 3) % 190, g, 'q' || g % 5 FROM generate_series(1, 300) g;
INSERT INTO q VALUES (NULL, 2, 'qn');
CREATE TABLE r (k int, x int) PARTITION BY RANGE (k);
CREATE TABLE r0 PARTITION OF r FOR VALUES FROM (MINVALUE) TO (50);
CREATE TABLE r1 PARTITION OF r FOR VALUES FROM (50) TO (100);
CREATE TABLE r2 PARTITION OF r FOR VALUES FROM (100) TO (150);
CREATE TABLE rd PARTITION OF r DEFAULT;
INSERT INTO r SELECT g, g % 9 FROM generate_series(1, 180, 2) g;
CREATE TABLE o (i int);
INSERT INTO o SELECT generate_series(0, 4);
ANALYZE;

CREATE FUNCTION twice(q text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('enable_partitionwise_join', 'off', true);
	RETURN NEXT compare(q);
	PERFORM set_config('enable_partitionwise_join', 'on', true);
	RETURN NEXT compare(q);
	PERFORM set_config('enable_partitionwise_join', 'off', true);
END $$;
-- more than one node of ours, each below an Append
CREATE FUNCTION wise(q text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	result bool;
BEGIN
	PERFORM set_config('enable_partitionwise_join', 'on', true);
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	SELECT coalesce(bool_or(nodes(a) > 1), false) INTO result
	FROM jsonb_path_query(plan(q), 'strict $.** ? (@."Node Type" == "Append" || @."Node Type" == "Merge Append")') a;
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	RETURN result;
END $$;
-- premise: each join type is one node for each pair of partitions
SELECT wise('SELECT p.*, q.* FROM p JOIN q USING (k)'), wise('SELECT p.*, q.* FROM p LEFT JOIN q USING (k)'),
	wise('SELECT p.*, q.* FROM p FULL JOIN q ON p.k = q.k'), wise('SELECT p.* FROM p WHERE EXISTS (SELECT FROM q WHERE q.k = p.k AND q.w > p.v)'),
	wise('SELECT p.* FROM p WHERE NOT EXISTS (SELECT FROM q WHERE q.k = p.k AND q.w > p.v)'),
	wise('SELECT o.i, s.* FROM o LEFT JOIN LATERAL (SELECT p.k, coalesce(q.w, o.i) AS w FROM p LEFT JOIN q USING (k)) s ON s.w = o.i + 1');
SELECT twice('SELECT p.*, q.* FROM p JOIN q USING (k)');
SELECT twice('SELECT p.*, q.* FROM p LEFT JOIN q USING (k)');
SELECT twice('SELECT p.*, q.* FROM p RIGHT JOIN q ON p.k = q.k AND p.v > q.w');
SELECT twice('SELECT p.*, q.* FROM p FULL JOIN q ON p.k = q.k');
SELECT twice('SELECT p.* FROM p WHERE EXISTS (SELECT FROM q WHERE q.k = p.k AND q.w > p.v)');
SELECT twice('SELECT p.* FROM p WHERE NOT EXISTS (SELECT FROM q WHERE q.k = p.k AND q.w > p.v)');
SELECT twice('SELECT q.* FROM q WHERE k IN (SELECT k FROM p)');
SELECT twice('SELECT p.*, q.*, r.* FROM p JOIN q USING (k) LEFT JOIN r USING (k)');
SELECT twice('SELECT p.v, q.w, r.x FROM p FULL JOIN q USING (k) FULL JOIN r USING (k) WHERE k < 120 OR k IS NULL');
SELECT twice('SELECT p.*, q.* FROM p JOIN q ON p.k = q.k AND p.t = ''p'' || (q.w % 7)');
-- whole rows, system columns and place-holders of partitions with other layouts
SELECT twice('SELECT p, q FROM p JOIN q USING (k)');
SELECT twice('SELECT p.tableoid::regclass, q, q IS NULL FROM p LEFT JOIN q USING (k)');
SELECT twice('SELECT p.v, s.one, s.ww FROM p LEFT JOIN (SELECT k, 1 AS one, coalesce(w, 0) AS ww FROM q) s USING (k)');
SELECT twice('SELECT count(*) FROM (SELECT FROM p JOIN q USING (k)) s');
-- pruned when planned, pruned when run, all pruned
SELECT twice('SELECT p.*, q.* FROM p JOIN q USING (k) WHERE p.k BETWEEN 60 AND 120');
SELECT twice('SELECT p.*, q.* FROM p LEFT JOIN q USING (k) WHERE p.k < (SELECT 40)');
SELECT twice('SELECT p.*, q.* FROM p LEFT JOIN q USING (k) WHERE p.k = 70 OR p.k = 3');
SELECT twice('SELECT p.*, q.* FROM p LEFT JOIN (SELECT * FROM q WHERE k > 1000 AND k < 1001) q USING (k)');
-- with a parameter from above: such a join is fitted to each partition
SELECT twice('SELECT o.i, s.* FROM o LEFT JOIN LATERAL (SELECT p.k, coalesce(q.w, o.i) AS w FROM p LEFT JOIN q USING (k)) s ON s.w = o.i + 1');
SELECT twice('SELECT o.i, s.* FROM o JOIN LATERAL (SELECT p.k, q.w + o.i AS x FROM p JOIN q USING (k) WHERE p.v % 5 = o.i) s ON s.x > 290');
SELECT twice('SELECT o.i, (SELECT count(*) FROM p JOIN q USING (k) WHERE p.v % 5 = o.i AND q.w % 3 = o.i % 3) FROM o');
SET enable_material = off;
SET enable_memoize = off;
SELECT twice('SELECT o.i, s.* FROM o LEFT JOIN LATERAL (SELECT p.k, least(o.i, p.v, q.w) AS l FROM p JOIN q ON p.k = q.k) s ON s.l < 2 AND o.i = s.l');
CREATE INDEX ON p (v);
ANALYZE p;
SELECT twice('SELECT o.i, s.* FROM o JOIN LATERAL (SELECT p.k, q.w, p.v + o.i AS y FROM p JOIN q USING (k) WHERE p.v = o.i * 7) s ON true');
SELECT twice('SELECT o.i, s.* FROM o LEFT JOIN (SELECT p.k, p.v, q.w FROM p FULL JOIN q ON p.k = q.k) s ON s.v < o.i');
RESET enable_material;
RESET enable_memoize;

-- below Append without partitions: UNION ALL, inheritance
CREATE TABLE pa (k int, v int);
CREATE TABLE ch (x int) INHERITS (pa);
INSERT INTO pa SELECT g, g FROM generate_series(1, 30) g;
INSERT INTO ch SELECT g, g, g FROM generate_series(20, 60) g;
ANALYZE;
SELECT compare('SELECT pa.*, r.* FROM pa JOIN r USING (k)');
SELECT compare('SELECT pa.tableoid::regclass, r.* FROM r LEFT JOIN pa USING (k)');
SELECT compare('SELECT * FROM (SELECT k, v FROM p UNION ALL SELECT k, w FROM q) s JOIN r USING (k)');
SELECT compare('SELECT * FROM r LEFT JOIN (SELECT k, v FROM pa JOIN o ON o.i = pa.v % 9 UNION ALL SELECT k, w FROM q JOIN o ON o.i = q.w % 50) s USING (k)');
-- joined aggregates, partition by partition
SET enable_partitionwise_aggregate = on;
SELECT twice('SELECT k, count(*), sum(v + w) FROM p JOIN q USING (k) GROUP BY k');
SELECT twice('SELECT p.t, count(q.w) FROM p LEFT JOIN q USING (k) GROUP BY p.t');
RESET enable_partitionwise_aggregate;
-- lists, hashes and sub-partitions
CREATE TABLE l (k text, v int) PARTITION BY LIST (k);
CREATE TABLE l0 PARTITION OF l FOR VALUES IN ('a', 'b');
CREATE TABLE l1 PARTITION OF l FOR VALUES IN ('c', NULL) PARTITION BY RANGE (v);
CREATE TABLE l1a PARTITION OF l1 FOR VALUES FROM (0) TO (50);
CREATE TABLE l1b PARTITION OF l1 FOR VALUES FROM (50) TO (100);
INSERT INTO l SELECT (ARRAY['a', 'b', 'c', NULL])[1 + g % 4], g FROM generate_series(1, 99) g;
CREATE TABLE h (a int, b int) PARTITION BY HASH (a, b);
CREATE TABLE h0 PARTITION OF h FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE h1 PARTITION OF h FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE h2 PARTITION OF h FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO h SELECT g % 10, g % 7 FROM generate_series(1, 100) g;
ANALYZE;
SELECT twice('SELECT x.*, y.* FROM l x JOIN l y ON x.k = y.k AND x.v < y.v');
SELECT twice('SELECT x.*, y.* FROM l x FULL JOIN l y ON x.k = y.k AND x.v = y.v + 4');
SELECT twice('SELECT x.*, y.* FROM h x JOIN h y ON x.a = y.a AND x.b = y.b');
SELECT twice('SELECT x.* FROM h x WHERE NOT EXISTS (SELECT FROM h y WHERE x.a = y.a AND x.b = y.b AND y.a > 4)');

DROP SCHEMA executor_partitions CASCADE;
