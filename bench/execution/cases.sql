-- What is measured.  A new case is a line here, and perhaps a table.
--
-- {10M} and the like are numbers of rows, which --scale multiplies.  Tables that
-- are named in a family's queries are made when it begins.  v is any of 1 to 100.
-- Build sides are in scattered order, as is every probe key.

INSERT INTO relation (name, definition) VALUES
	('fact', 'SELECT pick({1k}) AS k1k, pick({10k}) AS k10k, pick({100k}) AS k100k, pick({1M}) AS k1m, pick({5M}) AS k5m, pick({10M}) AS k10m, pick(100) AS v FROM generate_series(1, {10M})'),
	-- build sides of dense keys, v to be summed
	('dim_1k', 'SELECT scatter(g, {1k}) AS k, pick(100) AS v FROM generate_series(1, {1k}) g'),
	('dim_10k', 'SELECT scatter(g, {10k}) AS k, pick(100) AS v FROM generate_series(1, {10k}) g'),
	('dim_100k', 'SELECT scatter(g, {100k}) AS k, pick(100) AS v FROM generate_series(1, {100k}) g'),
	('dim_1m', 'SELECT scatter(g, {1M}) AS k, pick(100) AS v FROM generate_series(1, {1M}) g'),
	('dim_5m', 'SELECT scatter(g, {5M}) AS k, pick(100) AS v FROM generate_series(1, {5M}) g'),
	('dim_10m', 'SELECT scatter(g, {10M}) AS k, pick(100) AS v FROM generate_series(1, {10M}) g'),
	-- hit rates: dense keys, all of them beyond the probe's; every other one of the probe's
	('dim_beyond', 'SELECT {100k} + scatter(g, {100k}) AS k, pick(100) AS v FROM generate_series(1, {100k}) g'),
	('dim_even', 'SELECT 2 * scatter(g, {100k}) AS k, pick(100) AS v FROM generate_series(1, {100k}) g'),
	-- hit rates: a key in a hundred, too sparse for an array; probes that miss fall between
	('dim_sparse', 'SELECT 100 * scatter(g, {100k}) AS k, pick(100) AS v FROM generate_series(1, {100k}) g'),
	('fact_sparse', 'SELECT 100 * pick({100k}) + 37 AS k0, 100 * pick({100k}) + 37 * (random() >= 0.01)::int AS k1, 100 * pick({100k}) + 37 * (random() >= 0.5)::int AS k50, 100 * pick({100k}) AS k100, pick(100) AS v FROM generate_series(1, {10M})'),
	-- duplicates
	('dim_4_each', 'SELECT scatter(g, {100k}) AS k, pick(100) AS v FROM generate_series(1, 4 * {100k}) g'),
	('dim_100_each', 'SELECT scatter(g, {1k}) AS k, pick(100) AS v FROM generate_series(1, 100 * {1k}) g'),
	('fact_short', 'SELECT pick({1k}) AS k1k, pick(100) AS v FROM generate_series(1, {250k})'),
	-- key types
	('fact_keys_5m', 'SELECT i AS k4, pick(100) AS v, hashint8extended(i, 7) AS k8, ''C'' || lpad(i::text, 9, ''0'') AS kt FROM (SELECT pick({5M}) AS i FROM generate_series(1, {10M})) s'),
	('dim_int8', 'SELECT hashint8extended(scatter(g, {5M}), 7) AS k, pick(100) AS v FROM generate_series(1, {5M}) g'),
	('dim_text', 'SELECT ''C'' || lpad(scatter(g, {5M})::text, 9, ''0'') AS k, pick(100) AS v FROM generate_series(1, {5M}) g'),
	('fact_keys_1m', 'SELECT (i - 1) / 1000 AS a, (i - 1) % 1000 AS b, hashint4(i) AS h, i, md5(i::text)::uuid AS u, pick(100) AS v, i + 0.25 AS n FROM (SELECT pick({1M}) AS i FROM generate_series(1, {10M})) s'),
	('dim_keys_1m', 'SELECT (i - 1) / 1000 AS a, (i - 1) % 1000 AS b, hashint4(i) AS h, i, md5(i::text)::uuid AS u, pick(100) AS v, i + 0.25 AS n FROM (SELECT scatter(g, {1M}) AS i FROM generate_series(1, {1M}) g) s'),
	-- payload
	('dim_wide', 'SELECT scatter(g, {1M}) AS k, pick(100) AS p1, pick(100) AS p2, pick(100) AS p3, pick(100) AS p4, repeat(''x'', 100) AS t FROM generate_series(1, {1M}) g'),
	-- star
	('star', 'SELECT pick({100k}) AS k1, pick({100k}) AS k2, pick({100k}) AS k3, pick({100k}) AS k4, pick({100k}) AS k5, pick({100k}) AS k6, pick(100) AS v FROM generate_series(1, {10M})'),
	('star_1', 'SELECT scatter(g, {100k}) AS k, pick(100) AS v FROM generate_series(1, {100k}) g'),
	('star_2', 'SELECT scatter(g, {100k}) AS k, pick(100) AS v FROM generate_series(1, {100k}) g'),
	('star_3', 'SELECT scatter(g, {100k}) AS k, pick(100) AS v FROM generate_series(1, {100k}) g'),
	('star_4', 'SELECT scatter(g, {100k}) AS k, pick(100) AS v FROM generate_series(1, {100k}) g'),
	('star_5', 'SELECT scatter(g, {100k}) AS k, pick(100) AS v FROM generate_series(1, {100k}) g'),
	('star_6', 'SELECT scatter(g, {100k}) AS k, pick(100) AS v FROM generate_series(1, {100k}) g'),
	-- quick
	('tiny_a', 'SELECT scatter(g, 100) AS k, pick(100) AS v FROM generate_series(1, 100) g'),
	('tiny_b', 'SELECT scatter(g, 100) AS k, pick(100) AS v FROM generate_series(1, 100) g');
INSERT INTO relation (name, definition, key) VALUES
	('dim_indexed', 'SELECT scatter(g, {100k}) AS k, pick(100) AS v FROM generate_series(1, {100k}) g', 'k'),
	('dim_5m_indexed', 'SELECT scatter(g, {5M}) AS k, pick(100) AS v FROM generate_series(1, {5M}) g', 'k');

INSERT INTO bench_family (name, what) VALUES
	('build', 'The size of the build side. 10 M probe rows, dense `int4` keys, every probe row has one partner.'),
	('hits', 'How many of 10 M probe rows find a partner among 100 k build rows. Dense keys suit an array. Of sparse keys one in a hundred is there, too few for an array, and the probe rows that miss fall between them.'),
	('duplicates', 'Build rows of an equal key; every probe row finds all of them. 1 and 4: 100 k keys, 10 M probe rows. 100: 1 k keys, 250 k probe rows, which makes 25 M joined rows.'),
	('keys', 'The type of the key. 10 M probe rows; 5 M build rows with one `int4`, `int8` or `text` (10 characters) key, 1 M with the others.'),
	('payload', 'What the query needs of 1 M build rows besides the key. 10 M probe rows.'),
	('types', 'The type of join. 10 M probe rows, 100 k build rows; half of either side finds a partner. The residual is an inequality that half of the pairs pass. A full join can have none.'),
	('star', '10 M rows joined with 2 to 6 tables of 100 k rows.'),
	('spill', 'Build sides larger than their memory: 1.1, 4 and 20 times what they would take. 10 M probe rows, 5 M build rows. "Fits" is the same query with enough memory.'),
	('parallel', 'Two workers and the leader, stock''s parallel hash join against ours. 10 M probe rows, 5 M build rows unless told otherwise; the last two with a fourth of the memory that one table takes.'),
	('quick', 'Queries that are done soon, planning included. The probe side is the table of 10 M rows, or has 100 rows.');

-- width: bytes of a build row that the query needs, the key included.
INSERT INTO bench_case (family, name, width, floor, query) VALUES
	('build', '1 k', 4, 'SELECT count(k1k), sum(v) FROM fact', 'SELECT count(*), sum(f.v) FROM fact f JOIN dim_1k d ON d.k = f.k1k'),
	('build', '10 k', 4, 'SELECT count(k10k), sum(v) FROM fact', 'SELECT count(*), sum(f.v) FROM fact f JOIN dim_10k d ON d.k = f.k10k'),
	('build', '100 k', 4, 'SELECT count(k100k), sum(v) FROM fact', 'SELECT count(*), sum(f.v) FROM fact f JOIN dim_100k d ON d.k = f.k100k'),
	('build', '1 M', 4, 'SELECT count(k1m), sum(v) FROM fact', 'SELECT count(*), sum(f.v) FROM fact f JOIN dim_1m d ON d.k = f.k1m'),
	('build', '5 M', 4, 'SELECT count(k5m), sum(v) FROM fact', 'SELECT count(*), sum(f.v) FROM fact f JOIN dim_5m d ON d.k = f.k5m'),
	('build', '10 M', 4, 'SELECT count(k10m), sum(v) FROM fact', 'SELECT count(*), sum(f.v) FROM fact f JOIN dim_10m d ON d.k = f.k10m'),

	('hits', 'dense, 0 %', 4, 'SELECT count(k100k), sum(v) FROM fact', 'SELECT count(*), sum(f.v) FROM fact f JOIN dim_beyond d ON d.k = f.k100k'),
	('hits', 'dense, 1 %', 4, 'SELECT count(k10m), sum(v) FROM fact', 'SELECT count(*), sum(f.v) FROM fact f JOIN dim_100k d ON d.k = f.k10m'),
	('hits', 'dense, 50 %', 4, 'SELECT count(k100k), sum(v) FROM fact', 'SELECT count(*), sum(f.v) FROM fact f JOIN dim_even d ON d.k = f.k100k'),
	('hits', 'dense, 100 %', 4, 'SELECT count(k100k), sum(v) FROM fact', 'SELECT count(*), sum(f.v) FROM fact f JOIN dim_100k d ON d.k = f.k100k'),
	('hits', 'sparse, 0 %', 4, 'SELECT count(k0), sum(v) FROM fact_sparse', 'SELECT count(*), sum(f.v) FROM fact_sparse f JOIN dim_sparse d ON d.k = f.k0'),
	('hits', 'sparse, 1 %', 4, 'SELECT count(k1), sum(v) FROM fact_sparse', 'SELECT count(*), sum(f.v) FROM fact_sparse f JOIN dim_sparse d ON d.k = f.k1'),
	('hits', 'sparse, 50 %', 4, 'SELECT count(k50), sum(v) FROM fact_sparse', 'SELECT count(*), sum(f.v) FROM fact_sparse f JOIN dim_sparse d ON d.k = f.k50'),
	('hits', 'sparse, 100 %', 4, 'SELECT count(k100), sum(v) FROM fact_sparse', 'SELECT count(*), sum(f.v) FROM fact_sparse f JOIN dim_sparse d ON d.k = f.k100'),

	('duplicates', '1 a key', 8, 'SELECT count(k100k), sum(v) FROM fact', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact f JOIN dim_100k d ON d.k = f.k100k'),
	('duplicates', '4 a key', 8, 'SELECT count(k100k), sum(v) FROM fact', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact f JOIN dim_4_each d ON d.k = f.k100k'),
	('duplicates', '100 a key', 8, 'SELECT count(k1k), sum(v) FROM fact_short', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_short f JOIN dim_100_each d ON d.k = f.k1k'),

	('keys', 'int4, dense', 8, 'SELECT count(k4), sum(v) FROM fact_keys_5m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_5m f JOIN dim_5m d ON d.k = f.k4'),
	('keys', 'int8, sparse', 12, 'SELECT count(k8), sum(v) FROM fact_keys_5m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_5m f JOIN dim_int8 d ON d.k = f.k8'),
	('keys', 'text', 15, 'SELECT count(kt), sum(v) FROM fact_keys_5m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_5m f JOIN dim_text d ON d.k = f.kt'),
	('keys', 'two int4, dense', 12, 'SELECT count(a), count(b), sum(v) FROM fact_keys_1m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_1m f JOIN dim_keys_1m d ON d.a = f.a AND d.b = f.b'),
	('keys', 'two int4, sparse', 12, 'SELECT count(h), count(i), sum(v) FROM fact_keys_1m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_1m f JOIN dim_keys_1m d ON d.h = f.h AND d.i = f.i'),
	('keys', 'uuid', 20, 'SELECT count(u), sum(v) FROM fact_keys_1m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_1m f JOIN dim_keys_1m d ON d.u = f.u'),
	('keys', 'numeric', 13, 'SELECT count(n), sum(v) FROM fact_keys_1m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_1m f JOIN dim_keys_1m d ON d.n = f.n'),

	('payload', 'none', 4, 'SELECT count(k1m) FROM fact', 'SELECT count(*) FROM fact f JOIN dim_wide d ON d.k = f.k1m'),
	('payload', '1 int4', 8, 'SELECT count(k1m), sum(v) FROM fact', 'SELECT count(*), sum(f.v), sum(d.p1) FROM fact f JOIN dim_wide d ON d.k = f.k1m'),
	('payload', '4 int4', 20, 'SELECT count(k1m), sum(v) FROM fact', 'SELECT count(*), sum(f.v), sum(d.p1), sum(d.p2), sum(d.p3), sum(d.p4) FROM fact f JOIN dim_wide d ON d.k = f.k1m'),
	('payload', 'text of 100 bytes', 105, 'SELECT count(k1m), sum(v) FROM fact', 'SELECT count(*), sum(f.v), sum(octet_length(d.t)) FROM fact f JOIN dim_wide d ON d.k = f.k1m');

-- Semi and anti joins need no column of the build row but the key and what the
-- residual looks at.
INSERT INTO bench_case (family, name, width, floor, query)
SELECT 'types', j || CASE r WHEN '' THEN '' ELSE ', residual' END, CASE WHEN j IN ('semi', 'anti') AND r = '' THEN 4 ELSE 8 END,
	'SELECT count(k100k), sum(v) FROM fact',
	CASE
		WHEN j IN ('semi', 'anti') THEN
			format('SELECT count(*), sum(f.v) FROM fact f WHERE %s (SELECT FROM dim_even d WHERE d.k = f.k100k%s)',
				   CASE j WHEN 'semi' THEN 'EXISTS' ELSE 'NOT EXISTS' END, r)
		ELSE format('SELECT count(*), sum(f.v), sum(d.v) FROM fact f %s JOIN dim_even d ON d.k = f.k100k%s', upper(j), r)
	END
FROM unnest('{inner,left,right,full,semi,anti}'::text[]) WITH ORDINALITY AS t(j, jn), unnest(ARRAY['', ' AND d.v < f.v']) AS r
WHERE NOT (j = 'full' AND r <> '')
ORDER BY jn, r;

INSERT INTO bench_case (family, name, width, floor, query)
SELECT 'star', n || ' dimensions', 8,
	'SELECT sum(v), ' || string_agg(format('count(k%s)', i), ', ' ORDER BY i) || ' FROM star',
	'SELECT count(*), sum(star.v), ' || string_agg(format('sum(star_%s.v)', i), ', ' ORDER BY i) || ' FROM star'
		|| string_agg(format(' JOIN star_%s ON star_%1$s.k = star.k%1$s', i), '' ORDER BY i)
FROM generate_series(2, 6) n, generate_series(1, n) i
GROUP BY n
ORDER BY n;

-- Megabytes that our table would take: dense 59, sparse 157, text 185.
INSERT INTO bench_case (family, name, width, memory_mb, floor, query)
SELECT 'spill', k.name || ', ' || m.name, k.width, round(k.mb / m.times, 1), k.floor, k.query
FROM (VALUES
		(1, 'int4, dense', 8, 59.0, 'SELECT count(k4), sum(v) FROM fact_keys_5m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_5m f JOIN dim_5m d ON d.k = f.k4'),
		(2, 'int8, sparse', 12, 157.0, 'SELECT count(k8), sum(v) FROM fact_keys_5m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_5m f JOIN dim_int8 d ON d.k = f.k8'),
		(3, 'text', 15, 185.0, 'SELECT count(kt), sum(v) FROM fact_keys_5m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_5m f JOIN dim_text d ON d.k = f.kt'))
		AS k(kn, name, width, mb, floor, query),
	(VALUES (1, 'fits', NULL), (2, '1.1 times', 1.1), (3, '4 times', 4), (4, '20 times', 20)) AS m(mn, name, times)
ORDER BY kn, mn;

INSERT INTO bench_case (family, name, width, workers, memory_mb, floor, query) VALUES
	('parallel', '100 k build rows', 4, 2, NULL, 'SELECT count(k100k), sum(v) FROM fact', 'SELECT count(*), sum(f.v) FROM fact f JOIN dim_100k d ON d.k = f.k100k'),
	('parallel', 'int4, dense', 8, 2, NULL, 'SELECT count(k4), sum(v) FROM fact_keys_5m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_5m f JOIN dim_5m d ON d.k = f.k4'),
	('parallel', 'int4, dense, unique index', 8, 2, NULL, 'SELECT count(k4), sum(v) FROM fact_keys_5m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_5m f JOIN dim_5m_indexed d ON d.k = f.k4'),
	('parallel', 'int8, sparse', 12, 2, NULL, 'SELECT count(k8), sum(v) FROM fact_keys_5m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_5m f JOIN dim_int8 d ON d.k = f.k8'),
	('parallel', 'text', 15, 2, NULL, 'SELECT count(kt), sum(v) FROM fact_keys_5m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_5m f JOIN dim_text d ON d.k = f.kt'),
	('parallel', 'full join, 100 k build rows', 8, 2, NULL, 'SELECT count(k100k), sum(v) FROM fact', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact f FULL JOIN dim_even d ON d.k = f.k100k'),
	('parallel', 'int4, dense, on disk', 8, 2, 59.0 / 3 / 4, 'SELECT count(k4), sum(v) FROM fact_keys_5m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_5m f JOIN dim_5m d ON d.k = f.k4'),
	('parallel', 'int8, sparse, on disk', 12, 2, 157.0 / 3 / 4, 'SELECT count(k8), sum(v) FROM fact_keys_5m', 'SELECT count(*), sum(f.v), sum(d.v) FROM fact_keys_5m f JOIN dim_int8 d ON d.k = f.k8');

-- No floor: these stop early, or spend their time elsewhere.
INSERT INTO bench_case (family, name, query, force_judged) VALUES
	('quick', 'EXISTS, 1 k build rows', 'SELECT EXISTS (SELECT FROM fact f JOIN dim_1k d ON d.k = f.k1k)', true),
	('quick', 'EXISTS, 100 k build rows', 'SELECT EXISTS (SELECT FROM fact f JOIN dim_100k d ON d.k = f.k100k)', true),
	('quick', 'EXISTS, 100 k build rows, index', 'SELECT EXISTS (SELECT FROM fact f JOIN dim_indexed d ON d.k = f.k100k)', false),
	('quick', 'LIMIT 1, 1 k build rows', 'SELECT count(*) FROM (SELECT FROM fact f JOIN dim_1k d ON d.k = f.k1k LIMIT 1) s', true),
	('quick', 'LIMIT 1, 100 k build rows', 'SELECT count(*) FROM (SELECT FROM fact f JOIN dim_100k d ON d.k = f.k100k LIMIT 1) s', true),
	('quick', 'LIMIT 1, 100 k build rows, index', 'SELECT count(*) FROM (SELECT FROM fact f JOIN dim_indexed d ON d.k = f.k100k LIMIT 1) s', false),
	('quick', '100 x 100 rows', 'SELECT count(*), sum(a.v), sum(b.v) FROM tiny_a a JOIN tiny_b b ON b.k = a.k', true);
