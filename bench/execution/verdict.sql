-- What the measurements say, as views.

-- The nodes of a plan as EXPLAIN (FORMAT JSON) gives it.
CREATE FUNCTION nodes(plan jsonb) RETURNS SETOF jsonb LANGUAGE sql IMMUTABLE AS $$
	SELECT jsonb_path_query(plan, 'strict $.** ? (exists (@."Node Type"))')
$$;

-- All nodes of all plans; kind is that of a join, NULL for others.
CREATE VIEW node AS
SELECT p.id, p.mode, n,
	CASE
		WHEN n ->> 'Custom Plan Provider' = 'HashJoinExt' THEN 'ours'
		WHEN n ->> 'Node Type' = 'Hash Join' THEN 'Hash'
		WHEN n ->> 'Node Type' = 'Merge Join' THEN 'Merge'
		WHEN n ->> 'Node Type' = 'Nested Loop' THEN 'Nested Loop'
	END AS kind
FROM plan p, nodes(p.plan) n;

-- The joins of a plan in a few words, like "ours x 2, Hash".
CREATE VIEW joins AS
SELECT id, mode, string_agg(kind || CASE WHEN count > 1 THEN ' x ' || count ELSE '' END, ', ' ORDER BY count DESC, kind) AS joins
FROM (SELECT id, mode, kind, count(*) FROM node WHERE kind IS NOT NULL GROUP BY id, mode, kind) k
GROUP BY id, mode;

-- Our tables of the forced plan: rows and bytes, all joins together.
CREATE VIEW build AS
SELECT id, string_agg(DISTINCT n ->> 'Map', ', ') AS map,
	sum((n ->> 'Build Rows')::int8) AS rows,
	sum((n ->> 'Memory Usage')::int8 * 1024) AS bytes
FROM node
WHERE mode = 'force' AND kind = 'ours'
GROUP BY id;

-- Medians of the counted rounds.
CREATE VIEW median AS
SELECT id, mode, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS ms
FROM sample
WHERE round > 0
GROUP BY id, mode;

-- Cases whose best stock plan is the plan with hash joins only: stock was then
-- measured twice, which shows the noise.
CREATE VIEW same_plan AS
SELECT id FROM plan WHERE mode IN ('off', 'hash') GROUP BY id HAVING min(lines) = max(lines);

-- A line for each case.  Stock's time is that of its better plan.
CREATE VIEW verdict AS
SELECT c.id, c.family, c.name, c.width, c.force_judged,
	least(o.ms, h.ms) AS stock_ms,
	CASE
		WHEN o.ms <= h.ms OR c.id IN (SELECT id FROM same_plan) THEN oj.joins
		ELSE hj.joins || ' (not chosen)'
	END AS stock_joins,
	fl.ms AS floor_ms, f.ms AS force_ms, n.ms AS on_ms,
	least(o.ms, h.ms) / f.ms AS force_gain,
	least(o.ms, h.ms) / n.ms AS on_gain,
	nj.joins AS on_joins,
	(SELECT min(lines) = max(lines) FROM plan WHERE plan.id = c.id AND mode IN ('off', 'on')) AS on_as_stock,
	b.map,
	CASE WHEN b.rows >= 100000 THEN (b.bytes - b.rows * c.width) / b.rows END AS overhead
FROM bench_case c
	JOIN median o ON o.id = c.id AND o.mode = 'off'
	JOIN median h ON h.id = c.id AND h.mode = 'hash'
	JOIN median n ON n.id = c.id AND n.mode = 'on'
	JOIN median f ON f.id = c.id AND f.mode = 'force'
	LEFT JOIN median fl ON fl.id = c.id AND fl.mode = 'floor'
	LEFT JOIN joins oj ON oj.id = c.id AND oj.mode = 'off'
	LEFT JOIN joins hj ON hj.id = c.id AND hj.mode = 'hash'
	LEFT JOIN joins nj ON nj.id = c.id AND nj.mode = 'on'
	LEFT JOIN build b ON b.id = c.id;

-- What workers are worth: our time without them, over that with them.
CREATE VIEW company AS
SELECT c.id, c.family, c.name, a.ms AS alone_ms, f.ms AS force_ms, a.ms / f.ms AS gain
FROM bench_case c JOIN median a ON a.id = c.id AND a.mode = 'alone' JOIN median f ON f.id = c.id AND f.mode = 'force';

-- Megabytes of temporary files, by the plan's own account.
CREATE VIEW spilled AS
SELECT id, mode, (plan #>> '{0,Plan,Temp Written Blocks}')::numeric * current_setting('block_size')::int / 1048576 AS mb
FROM plan;

-- Where ours is slower.  "On" is allowed some noise, for it may choose stock's plan.
CREATE VIEW slower AS
SELECT *, least(force_gain, on_gain) AS worst
FROM (SELECT id, family, name, stock_joins, on_joins, on_as_stock,
		CASE WHEN force_judged AND force_gain < 1 THEN force_gain END AS force_gain,
		CASE WHEN on_gain < 0.97 THEN on_gain END AS on_gain
	FROM verdict) v
WHERE force_gain IS NOT NULL OR on_gain IS NOT NULL;

-- What must not be, in words.
CREATE VIEW wrong AS
SELECT id, what FROM trouble
UNION ALL
SELECT id, 'answers differ: ' || string_agg(format('%s %s', mode, answer), '; ')
FROM answer WHERE mode <> 'floor' GROUP BY id HAVING count(DISTINCT answer) > 1
UNION ALL
SELECT id, format('stock hashes in %s batches (mode %s)', n ->> 'Hash Batches', mode)
FROM node JOIN bench_case USING (id)
WHERE mode IN ('off', 'hash') AND n ->> 'Node Type' = 'Hash' AND (n ->> 'Hash Batches')::int > 1 AND memory_mb IS NULL
UNION ALL
SELECT id, format('nothing was spilled (mode %s)', mode)
FROM bench_case JOIN spilled USING (id)
WHERE memory_mb IS NOT NULL AND mode IN ('hash', 'force') AND mb = 0
UNION ALL
SELECT id, 'stock has no hash join to compare with: ' || coalesce(joins, 'no join')
FROM plan LEFT JOIN joins USING (id, mode) WHERE mode = 'hash' AND coalesce(joins !~ '^Hash( x \d+)?$', true)
UNION ALL
SELECT id, 'not every join of the forced plan is ours: ' || coalesce(joins, 'no join')
FROM plan LEFT JOIN joins USING (id, mode) WHERE mode IN ('force', 'alone') AND coalesce(joins !~ '^ours( x \d+)?$', true)
UNION ALL
SELECT id, format('our table takes %s kB, more than it may', n ->> 'Memory Usage')
FROM node JOIN bench_case USING (id), config
WHERE mode = 'force' AND kind = 'ours' AND (n ->> 'Memory Usage')::int8 * 1024
	> coalesce(memory_mb * 1048576 * scale * 1.05 + 1048576,
			   pg_size_bytes(current_setting('work_mem')) * current_setting('hash_mem_multiplier')::numeric) * (workers + 1)
UNION ALL
SELECT id, format('no worker was launched (mode %s)', mode)
FROM plan JOIN bench_case USING (id)
WHERE workers > 0 AND mode IN ('hash', 'force') AND NOT jsonb_path_exists(plan, 'strict $.**."Workers Launched" ? (@ > 0)');

CREATE VIEW problem AS
SELECT coalesce(c.family || ', ' || c.name || ': ', '') || what AS message
FROM wrong LEFT JOIN bench_case c USING (id)
ORDER BY id;

-- Times are written with three digits or all before the point.
CREATE FUNCTION ms(t float8) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT round(t::numeric, CASE WHEN t >= 100 THEN 0 WHEN t >= 10 THEN 1 WHEN t >= 1 THEN 2 ELSE 3 END)::text
$$;

CREATE VIEW progress AS
SELECT id, format('%-40s stock %8s ms   force %8s ms (%s)   on %8s ms (%s)', name, ms(stock_ms),
				  ms(force_ms), round(force_gain::numeric, 2), ms(on_ms), round(on_gain::numeric, 2)) AS line
FROM verdict
UNION ALL
SELECT id, format('%-40s FAILED: %s', name, what) FROM trouble JOIN bench_case USING (id);

-- For the plot: place, family's number, family, name, both ratios.
CREATE VIEW plot AS
SELECT row_number() OVER (ORDER BY id), dense_rank() OVER (ORDER BY family_id), family, name, force_gain, on_gain
FROM verdict JOIN (SELECT family, min(id) AS family_id FROM bench_case GROUP BY family) f USING (family)
ORDER BY id;
