-- Planning time: stock, and with our paths weighed ("on").
--
-- Ten-way joins, planned in turns; medians of 31.  The tables are small: the
-- plans are never executed.
--
-- Core spends its time on the paths that survive, and those depend on what they
-- cost.  In the star of left joins over small tables, merge joins win from five
-- dimensions on; our paths hold out for one more, so core looks at twice as many
-- pairs of paths there, which is half of what that case costs.  The same star
-- over a larger fact table shows our own share alone.
LOAD 'hashjoin_ext';
SET client_min_messages = warning;
CREATE SCHEMA bench_planning;
SET search_path = bench_planning;
SET join_collapse_limit = 12;
SET from_collapse_limit = 12;
SET geqo_threshold = 14;
DO $$
BEGIN
	FOR i IN 1..10 LOOP
		EXECUTE format('CREATE TABLE t%s AS SELECT g AS id, g %% 100 AS f, g %% 7 AS v FROM generate_series(1, 2000) g', i);
		EXECUTE format('CREATE INDEX ON t%s (id)', i);
	END LOOP;
	CREATE TABLE fact AS SELECT g AS id, g % 100 AS f, g % 7 AS v FROM generate_series(1, 50000) g;
END $$;
ANALYZE;
CREATE TABLE query AS
	SELECT 'chain of 10 inner joins' AS name, 1 AS n, 'SELECT count(*) FROM t1 ' || string_agg(format('JOIN t%s ON t%1$s.id = t%s.f', i, i - 1), ' ' ORDER BY i) AS q FROM generate_series(2, 10) i
	UNION ALL
	SELECT 'star of 10 inner joins', 2, 'SELECT count(*) FROM t1 ' || string_agg(format('JOIN t%s ON t%1$s.id = t1.f', i), ' ' ORDER BY i) FROM generate_series(2, 10) i
	UNION ALL
	SELECT 'star of 10 left joins, residual', 3, 'SELECT count(*) FROM t1 ' || string_agg(format('LEFT JOIN t%s ON t%1$s.id = t1.f AND t%1$s.v < t1.v', i), ' ' ORDER BY i) FROM generate_series(2, 10) i
	UNION ALL
	SELECT 'the same, large fact table', 4, 'SELECT count(*) FROM fact ' || string_agg(format('LEFT JOIN t%s ON t%1$s.id = fact.f AND t%1$s.v < fact.v', i), ' ' ORDER BY i) FROM generate_series(2, 10) i
	UNION ALL
	SELECT 'two tables', 5, 'SELECT count(*) FROM t1 JOIN t2 USING (id)';
CREATE TABLE planned (name text, n int, mode text, ms float8);

CREATE FUNCTION plan_ms(q text, mode text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	j json;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', mode, true);
	EXECUTE 'EXPLAIN (SUMMARY ON, FORMAT JSON) ' || q INTO j;
	RETURN (j -> 0 ->> 'Planning Time')::float8;
END $$;

DO $$
DECLARE
	r record;
BEGIN
	FOR r IN SELECT * FROM query ORDER BY n LOOP
		PERFORM plan_ms(r.q, 'off'), plan_ms(r.q, 'on');
		FOR i IN 1..31 LOOP
			INSERT INTO planned SELECT r.name, r.n, 'off', plan_ms(r.q, 'off');
			INSERT INTO planned SELECT r.name, r.n, 'on', plan_ms(r.q, 'on');
			INSERT INTO planned SELECT r.name, r.n, 'off again', plan_ms(r.q, 'off');
		END LOOP;
	END LOOP;
END $$;

WITH medians AS (
	SELECT name, n, mode, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS ms
	FROM planned GROUP BY 1, 2, 3)
SELECT name,
	round(max(ms) FILTER (WHERE mode = 'off')::numeric, 3) AS stock_ms,
	round(max(ms) FILTER (WHERE mode = 'on')::numeric, 3) AS on_ms,
	round((max(ms) FILTER (WHERE mode = 'on') / max(ms) FILTER (WHERE mode = 'off'))::numeric, 3) AS "on / stock",
	round((max(ms) FILTER (WHERE mode = 'off again') / max(ms) FILTER (WHERE mode = 'off'))::numeric, 3) AS "stock / stock (noise)"
FROM medians GROUP BY name, n ORDER BY n;
DROP SCHEMA bench_planning CASCADE;
