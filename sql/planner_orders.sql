-- Many relations: the join order is searched by the standard planner and by
-- the genetic one (which plans in memory that it throws away), with limits
-- that keep the user's order; costs stand in order.
\set test planner_orders
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

DO $$
BEGIN
	FOR i IN 0..11 LOOP
		EXECUTE format('CREATE TABLE c%s AS SELECT g AS id, NULLIF((g * 3) %% 50, 7) AS nxt, g %% 7 AS v FROM generate_series(1, %s) g', i, 30 + i * 5);
	END LOOP;
END $$;
CREATE TABLE f AS SELECT g AS id, g % 30 + 1 AS k0, g % 29 + 1 AS k1, g % 28 + 1 AS k2, g % 27 + 1 AS k3, g % 26 + 1 AS k4, g % 25 + 1 AS k5 FROM generate_series(1, 300) g;
ANALYZE;
\set chain 'SELECT c0.id, c1.v, c2.v, c3.v, c4.v, c5.v, c6.v, c7.v, c8.v FROM c0 JOIN c1 ON c1.id = c0.nxt JOIN c2 ON c2.id = c1.nxt JOIN c3 ON c3.id = c2.nxt JOIN c4 ON c4.id = c3.nxt JOIN c5 ON c5.id = c4.nxt JOIN c6 ON c6.id = c5.nxt JOIN c7 ON c7.id = c6.nxt JOIN c8 ON c8.id = c7.nxt'
\set star 'SELECT f.*, c0.v, c5.v FROM f, c0, c1, c2, c3, c4, c5 WHERE c0.id = k0 AND c1.id = k1 AND c2.id = k2 AND c3.id = k3 AND c4.id = k4 AND c5.id = k5 AND c1.v <> c2.v'
\set outer 'SELECT c0.id, c1.id, c2.id, c3.id, c4.id, c5.id FROM c0 LEFT JOIN (c1 JOIN c2 ON c1.id = c2.nxt) ON c0.id = c1.nxt FULL JOIN (c3 LEFT JOIN c4 ON c3.id = c4.nxt AND c4.v > 2) ON c3.id = c2.v LEFT JOIN c5 ON c5.id = coalesce(c4.id, c0.id)'
\set semi 'SELECT c0.* FROM c0 WHERE EXISTS (SELECT FROM c1 JOIN c2 ON c1.id = c2.nxt WHERE c1.nxt = c0.id) AND NOT EXISTS (SELECT FROM c3 LEFT JOIN c4 ON c3.id = c4.nxt WHERE c3.nxt = c0.id AND c4.v = 3) AND c0.nxt IN (SELECT nxt FROM c5)'
SELECT compare(:'chain');
SELECT compare(:'star');
SELECT compare(:'outer');
SELECT compare(:'semi');
SET geqo_threshold = 2;
SELECT compare(:'chain');
SELECT compare(:'star');
SELECT compare(:'outer');
SELECT compare(:'semi');
SET geqo_seed = 0.7;
SET geqo_pool_size = 5;
SET geqo_generations = 10;
SELECT compare(:'star');
SELECT compare(:'semi');
RESET geqo_threshold;
SET join_collapse_limit = 1;
SET from_collapse_limit = 1;
SELECT compare(:'chain');
SELECT compare(:'star');
SELECT compare(:'outer');
SELECT compare(:'semi');
SET join_collapse_limit = 12;
SET from_collapse_limit = 12;
SET geqo = off;
SELECT compare('SELECT count(*), sum(c11.v) FROM c0 JOIN c1 ON c1.id = c0.nxt JOIN c2 ON c2.id = c1.nxt JOIN c3 ON c3.id = c2.nxt JOIN c4 ON c4.id = c3.nxt JOIN c5 ON c5.id = c4.nxt JOIN c6 ON c6.id = c5.nxt JOIN c7 ON c7.id = c6.nxt JOIN c8 ON c8.id = c7.nxt JOIN c9 ON c9.id = c8.nxt JOIN c10 ON c10.id = c9.nxt JOIN c11 ON c11.id = c10.nxt');
SELECT compare(:'outer');
-- every relation with every other
SELECT compare('SELECT count(*) FROM c0, c1, c2, c3, c4 WHERE c0.id = c1.id AND c1.id = c2.id AND c2.id = c3.id AND c3.id = c4.id AND c0.v + c2.v = c3.v + c4.v');
RESET geqo;
RESET join_collapse_limit;
RESET from_collapse_limit;

-- Costs: a node costs at least what its children do; it cannot start before
-- the build side is read; the estimate of rows is the join's, whoever joins.
CREATE FUNCTION costs(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	j jsonb;
	k jsonb;
	result text;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || q INTO k;
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || q INTO j;
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	SELECT format('%s node(s), total %s, startup %s', count(*),
		bool_and((n ->> 'Total Cost')::numeric >= (n #>> '{Plans,0,Total Cost}')::numeric + (n #>> '{Plans,1,Total Cost}')::numeric),
		bool_and((n ->> 'Startup Cost')::numeric >= (n #>> '{Plans,1,Total Cost}')::numeric))
	INTO result
	FROM jsonb_path_query(j, 'strict $.** ? (@."Custom Plan Provider" == "HashJoinExt")') n;
	RETURN result || ', rows ' || (j #>> '{0,Plan,Plan Rows}' = k #>> '{0,Plan,Plan Rows}');
END $$;
SELECT costs('SELECT * FROM c0 JOIN c1 ON c1.id = c0.nxt');
SELECT costs('SELECT * FROM c0 LEFT JOIN c1 ON c1.id = c0.nxt AND c1.v > c0.v');
SELECT costs('SELECT * FROM c0 FULL JOIN c1 ON c1.id = c0.nxt AND c1.v > c0.v');
SELECT costs('SELECT * FROM c0 WHERE EXISTS (SELECT FROM c1 WHERE c1.id = c0.nxt)');
SELECT costs('SELECT * FROM c0 WHERE NOT EXISTS (SELECT FROM c1 WHERE c1.id = c0.nxt AND c1.v = c0.v)');
SELECT costs('SELECT * FROM c0 JOIN c1 ON c1.id = c0.nxt JOIN c2 ON c2.id = c1.nxt JOIN c3 ON c3.id = c2.nxt');
-- no cost is ever negative, infinite or not a number
SELECT costs('SELECT * FROM c0 LEFT JOIN c1 ON c1.id = c0.nxt WHERE c0.id < 0');
CREATE TABLE nothing (id int, nxt int);
SELECT costs('SELECT * FROM nothing x JOIN nothing y ON x.id = y.nxt');

DROP SCHEMA planner_orders CASCADE;
