-- NOT IN as a join, in every way that rows can reach it and leave it: in blocks,
-- in batches, one by one; started again; below other joins, LIMIT and cursors;
-- with more rows than memory.
\set test not_in_life
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
\set spill_helpers :abs_srcdir '/sql/include/spill.sql'
\i :spill_helpers

CREATE TABLE o (i int);
INSERT INTO o SELECT generate_series(0, 5);
INSERT INTO o VALUES (NULL);
CREATE TABLE a (k int, v int, t text);
INSERT INTO a SELECT nullif(g % 700, 3), g % 7, 'key ' || nullif(g % 700, 3) FROM generate_series(1, 3000) g;
CREATE TABLE b (k int, w int, t text);
INSERT INTO b SELECT g * 3, g % 5, 'key ' || g * 3 FROM generate_series(1, 100) g;
INSERT INTO b VALUES (NULL, 9, NULL), (3, 4, 'key 3'), (9999, 1, 'key 9999');
CREATE TABLE c (k int, z int);
INSERT INTO c SELECT g * 2, g % 4 FROM generate_series(1, 120) g;
ANALYZE;

-- Ways of the rows: blocks of a page, rows one by one (an expression over a small
-- table), batches (an expression that is no integer); with a NULL inside and
-- without, and nothing inside.  Either side built.
CREATE FUNCTION ways(inside text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT format('%s, %s: %s', key, CASE WHEN swap THEN 'outer built' ELSE 'inner built' END,
		join_types(q) || ', ' || compare(q))
	FROM unnest(ARRAY['k', 'k + 0', 't', 't || ''''']) key, unnest(ARRAY[false, true]) swap,
		format(CASE WHEN swap THEN 'SELECT count(*), sum(w) FROM b x WHERE %1$s NOT IN (SELECT %1$s FROM a WHERE %2$s)'
			ELSE 'SELECT count(*), sum(v) FROM a x WHERE %1$s NOT IN (SELECT %1$s FROM b WHERE %2$s)' END,
			key, replace(inside, 'number', CASE WHEN swap THEN 'v' ELSE 'w' END)) q
$$;
SELECT ways('number < 3 AND k IS NOT NULL');
SELECT ways('true');
SELECT ways('number + 0 > 99');

-- Started again.
SET enable_material = off;
SET enable_memoize = off;
CREATE FUNCTION again(q text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT compare(q);
	RETURN QUERY SELECT node_props(q, 'Join Type', 'Table Builds');
END $$;
-- nothing changes below; the outer side does; a condition; the inner side
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*) + o.i FROM a WHERE k NOT IN (SELECT k FROM b WHERE w < 3)) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(k) FROM (SELECT * FROM a WHERE v = o.i) a WHERE k NOT IN (SELECT k FROM b WHERE w < 3)) s');
SELECT again('SELECT o.i, s.* FROM o, LATERAL (SELECT count(*), sum(k) FROM (SELECT * FROM a WHERE v = o.i) a WHERE (k, v) NOT IN (SELECT k, w FROM b)) s');
SELECT again('SELECT o.i, (SELECT count(*) FROM a WHERE k NOT IN (SELECT k FROM b WHERE b.w + a.v > o.i)) FROM o');
SELECT again('SELECT o.i, (SELECT count(*) FROM a WHERE k NOT IN (SELECT k FROM b WHERE b.w > o.i)) FROM o');
SELECT again('SELECT o.i, (SELECT count(*) FROM a WHERE k + o.i NOT IN (SELECT k FROM b WHERE w < 3)) FROM o');
SELECT again('SELECT o.i, (SELECT count(*) FROM a WHERE k NOT IN (SELECT k + o.i FROM b WHERE w < 3)) FROM o');
-- the outer side is built: NULLs and emptiness of the inner one are seen anew
SELECT again('SELECT o.i, (SELECT count(*) FROM b WHERE k NOT IN (SELECT k FROM a WHERE a.v = o.i AND (a.k > 2 OR o.i = 3))) FROM o');
SELECT again('SELECT o.i, (SELECT count(*) FROM b WHERE k NOT IN (SELECT k FROM a WHERE a.v = o.i + b.w)) FROM o');
SELECT again('SELECT o.i, (SELECT count(*) FROM b WHERE (k, w) NOT IN (SELECT k, v FROM a WHERE a.v <> o.i)) FROM o');
SELECT again('SELECT o.i, (SELECT count(*) FROM b WHERE (k, w) NOT IN (SELECT nullif(k, 3), nullif(v, 2) FROM a WHERE a.v = o.i)) FROM o');
RESET enable_material;
RESET enable_memoize;

-- Above and below other nodes.
SELECT compare('SELECT s.k, c.z FROM (SELECT * FROM a WHERE k NOT IN (SELECT k FROM b WHERE w < 3)) s JOIN c USING (k)');
SELECT compare('SELECT s.k, c.z FROM c LEFT JOIN (SELECT * FROM a WHERE k NOT IN (SELECT k FROM b WHERE w < 3) OFFSET 0) s USING (k)');
SELECT compare('SELECT a.k, c.z FROM a JOIN c USING (k) WHERE a.v NOT IN (SELECT w FROM b WHERE w < 3) AND c.z NOT IN (SELECT v FROM a WHERE v > 2)');
SELECT compare('SELECT * FROM (SELECT k FROM a WHERE k NOT IN (SELECT k FROM b WHERE w < 3) ORDER BY k LIMIT 5) s JOIN c ON c.k >= s.k AND c.z = s.k % 4');
SELECT compare('SELECT count(*) FROM a WHERE EXISTS (SELECT FROM c WHERE c.k = a.k AND c.z NOT IN (SELECT w FROM b WHERE b.k = a.k + 1))');
SELECT compare('WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 40 AND n NOT IN (SELECT k FROM b WHERE k > 30)) SELECT * FROM r');
SET hashjoin_ext.enable = force;
BEGIN;
DECLARE cur CURSOR FOR SELECT DISTINCT a.k FROM a WHERE (k, v) NOT IN (SELECT k, w FROM b WHERE k IS NOT NULL) ORDER BY k;
FETCH 3 cur;
MOVE 100 cur;
FETCH 2 cur;
ROLLBACK;
PREPARE p(int) AS SELECT count(*) FROM a WHERE k NOT IN (SELECT k FROM b WHERE w < $1);
EXECUTE p(3);
EXECUTE p(10);
EXECUTE p(0);
DEALLOCATE p;
-- in a parallel plan, and in its workers: what one has seen of NULLs counts for all
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT jsonb_path_exists(plan, 'strict $.** ? (@."Node Type" == "Gather")') AS parallel, nodes(plan),
	jsonb_path_exists(plan, 'strict $.** ? (@."Node Type" == "Gather").** ? (@."Custom Plan Provider" == "HashJoinExt")') AS in_workers
FROM plan('SELECT count(*) FROM a WHERE k NOT IN (SELECT k FROM b)');
SELECT compare('SELECT count(*), sum(v) FROM a WHERE k NOT IN (SELECT k FROM b WHERE w < 3)');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
SET hashjoin_ext.enable = off;

-- Rules by rows: what one may see does not leak, and the answer is theirs.
CREATE ROLE not_in_life_user;
GRANT USAGE ON SCHEMA not_in_life TO not_in_life_user;
GRANT SELECT ON a, b TO not_in_life_user;
ALTER TABLE b ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON b USING (w < 3);
SET ROLE not_in_life_user;
SET hashjoin_ext.enable = force;
SELECT count(*) FROM not_in_life.a WHERE k NOT IN (SELECT k FROM not_in_life.b);
EXPLAIN (COSTS OFF) SELECT count(*) FROM not_in_life.a WHERE k NOT IN (SELECT k FROM not_in_life.b);
SET hashjoin_ext.enable = off;
SELECT count(*) FROM not_in_life.a WHERE k NOT IN (SELECT k FROM not_in_life.b);
RESET ROLE;
ALTER TABLE b DISABLE ROW LEVEL SECURITY;
DROP OWNED BY not_in_life_user;
DROP ROLE not_in_life_user;

-- More rows than memory.
CREATE TABLE big_out AS SELECT hashint4(g) AS h, g AS d, 'key ' || g AS t, g % 300 AS x, nullif(g % 200, 0) AS y, g AS v FROM generate_series(1, 3000) g
	UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, -g FROM generate_series(1, 40) g;
CREATE TABLE big_in AS SELECT hashint4(g) AS h, g AS d, 'key ' || g AS t, g % 300 AS x, nullif(g % 200, 0) AS y, g AS w FROM generate_series(1000, 3200) g;
ANALYZE big_out, big_in;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT k, spilled(format('SELECT v FROM big_out WHERE %1$s NOT IN (SELECT %2$s FROM big_in)', k, replace(trim(k, '()'), 'v', 'w'))) FROM unnest(ARRAY['h', 'd', 't', 't || ''''', '(x, v)', '(y, v)', '(v, t)']) k;
SELECT k, spilled(format('SELECT v FROM big_out o WHERE %1$s NOT IN (SELECT %2$s FROM big_in i WHERE i.w <> o.v + 1)', k, trim(k, '()'))) FROM unnest(ARRAY['h', 't', '(y, d)']) k;
-- with NULLs inside
INSERT INTO big_in SELECT NULL, NULL, NULL, NULL, NULL, 3 FROM generate_series(1, 3);
SELECT k, spilled(format('SELECT v FROM big_out WHERE %1$s NOT IN (SELECT %1$s FROM big_in)', k)) FROM unnest(ARRAY['h', 't']) k;
SELECT k, spilled(format('SELECT v FROM big_out WHERE %1$s NOT IN (SELECT %2$s FROM big_in)', k, replace(trim(k, '()'), 'v', 'w'))) FROM unnest(ARRAY['(x, v)', '(v, x, y)']) k;
SELECT spilled('SELECT v FROM big_out o WHERE h NOT IN (SELECT h FROM big_in i WHERE i.w <> o.v + 1 AND (i.w > 3 OR o.v % 2 = 0))');
RESET work_mem;
RESET hash_mem_multiplier;
DROP SCHEMA not_in_life CASCADE;
