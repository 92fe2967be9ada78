-- Many rows of one key, hashes that collide, and where a batch ends: a probe
-- row's matches are handed out in portions and must be resumed exactly.
\set test trap_chains
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
SET compare.table_bytes = 20000;

-- One key, 100 000 duplicates, fetched seven at a time, for every batch size.
CREATE TABLE probe (k int, id int);
INSERT INTO probe VALUES (0, 0), (1, 1), (2, 2), (1, 3), (NULL, 4), (3, 5);
CREATE TABLE build (k int, n int);
INSERT INTO build SELECT 1, g FROM generate_series(1, 100000) g;
INSERT INTO build VALUES (2, -1), (2, -2), (9, -9);
ANALYZE;
CREATE FUNCTION by_sevens(q text, batch_size int, hash_bits int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	c refcursor;
	fetches int := 0;
	rows bigint := 0;
	sum bigint := 0;
	r record;
	got int;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'force', true),
		set_config('hashjoin_ext.batch_size', batch_size::text, true),
		set_config('hashjoin_ext.debug_hash_bits', hash_bits::text, true);
	OPEN c FOR EXECUTE q;
	LOOP
		got := 0;
		FOR r IN EXECUTE format('FETCH 7 FROM %I', c) LOOP
			got := got + 1;
			rows := rows + 1;
			sum := sum + coalesce(r.n, 0) * 7 + coalesce(r.id, 3);
		END LOOP;
		EXIT WHEN got = 0;
		fetches := fetches + 1;
	END LOOP;
	CLOSE c;
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	RETURN format('%s rows in %s fetches, checksum %s', rows, fetches, sum);
END $$;
\set q '''SELECT p.id, b.n FROM probe p LEFT JOIN (SELECT * FROM build) b ON b.k = p.k'''
SELECT uses_node(:q);
SELECT count(*), sum(coalesce(n, 0) * 7 + coalesce(id, 3)) FROM (SELECT p.id, b.n FROM probe p LEFT JOIN build b ON b.k = p.k) s;
SELECT by_sevens(:q, 1, 64);
SELECT by_sevens(:q, 2, 64);
SELECT by_sevens(:q, 1024, 64);
SELECT by_sevens(:q, 65536, 64);
\set q '''SELECT p.id, b.n FROM probe p FULL JOIN build b ON b.k = p.k AND b.n % 5 <> 0'''
SELECT count(*), sum(coalesce(n, 0) * 7 + coalesce(id, 3)) FROM (SELECT p.id, b.n FROM probe p FULL JOIN build b ON b.k = p.k AND b.n % 5 <> 0) s;
SELECT by_sevens(:q, 1, 64);
SELECT by_sevens(:q, 2, 3);
SELECT by_sevens(:q, 1024, 8);

-- Portions that end exactly at, just before and just after the end of a chain.
CREATE TABLE runs (k int, n int);
INSERT INTO runs SELECT k, n FROM generate_series(1, 9) k, generate_series(1, 9) n WHERE n <= k;
CREATE TABLE keys (k int, id int);
INSERT INTO keys SELECT g % 11, g FROM generate_series(1, 40) g;
ANALYZE;
CREATE FUNCTION every_size(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	want text[];
	diff text;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	want := run(q);
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	FOR b IN 1..20 LOOP
		PERFORM set_config('hashjoin_ext.batch_size', b::text, true);
		diff := difference(want, run(q));
		IF diff IS NOT NULL THEN
			RETURN format('batch_size %s: %s', b, diff);
		END IF;
	END LOOP;
	RETURN 'same, ' || cardinality(want) || ' rows' || whose(q);
END $$;
SELECT every_size('SELECT * FROM keys JOIN runs USING (k)');
SELECT every_size('SELECT * FROM keys LEFT JOIN runs USING (k)');
SELECT every_size('SELECT * FROM keys RIGHT JOIN runs USING (k)');
SELECT every_size('SELECT * FROM keys FULL JOIN runs ON keys.k = runs.k AND runs.n <> 2');
SELECT every_size('SELECT * FROM keys FULL JOIN runs ON keys.k = runs.k WHERE runs.n IS DISTINCT FROM 3');
SELECT every_size('SELECT * FROM keys WHERE EXISTS (SELECT FROM runs WHERE runs.k = keys.k AND runs.n > 4)');
SELECT every_size('SELECT * FROM keys WHERE NOT EXISTS (SELECT FROM runs WHERE runs.k = keys.k AND runs.n > 4)');
SELECT every_size('SELECT * FROM runs WHERE NOT EXISTS (SELECT FROM keys WHERE runs.k = keys.k AND keys.id > runs.n * 4)');

-- Every hash the same, few bits, all bits: the keys decide, not the hashes.
CREATE TABLE l (i int, t text, u uuid, n numeric, a int, b int);
INSERT INTO l SELECT g, 't' || g, md5(g::text)::uuid, g / 4.0, g % 17, g % 19 FROM generate_series(1, 400) g;
CREATE TABLE r (i int8, t text, u uuid, n numeric, a int, b int);
INSERT INTO r SELECT g * 2, 't' || g * 3, md5((g * 5)::text)::uuid, g / 8.0, g % 19, g % 17 FROM generate_series(1, 300) g;
INSERT INTO l VALUES (NULL, NULL, NULL, NULL, NULL, 1);
INSERT INTO r VALUES (NULL, NULL, NULL, NULL, 1, NULL);
ANALYZE;
CREATE FUNCTION every_hash(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	want text[];
	diff text;
	bits int;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	want := run(q);
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	FOREACH bits IN ARRAY '{0,1,3,8,31,32,33,63,64}'::int[] LOOP
		PERFORM set_config('hashjoin_ext.debug_hash_bits', bits::text, true);
		diff := difference(want, run(q));
		IF diff IS NOT NULL THEN
			RETURN format('debug_hash_bits %s: %s', bits, diff);
		END IF;
	END LOOP;
	RETURN 'same, ' || cardinality(want) || ' rows' || whose(q);
END $$;
SELECT every_hash('SELECT l.i, r.i FROM l JOIN r ON l.i = r.i');
SELECT every_hash('SELECT l.i, r.i FROM l FULL JOIN r ON l.t = r.t');
SELECT every_hash('SELECT l.i, r.i FROM l JOIN r ON l.u = r.u');
SELECT every_hash('SELECT l.i, r.i FROM l LEFT JOIN r ON l.n = r.n');
SELECT every_hash('SELECT l.i, r.i FROM l JOIN r ON l.a = r.a AND l.b = r.b');
SELECT every_hash('SELECT l.i, r.i FROM l FULL JOIN r ON l.a = r.b AND l.b = r.a AND l.i > r.i');
SELECT every_hash('SELECT l.i FROM l WHERE NOT EXISTS (SELECT FROM r WHERE r.a = l.a AND r.t = l.t)');
SELECT every_hash('SELECT l.i FROM l WHERE EXISTS (SELECT FROM r WHERE r.u = l.u AND r.n < l.n)');

-- Pairs of int8 keys whose 64-bit hashes (splitmix64 over the seeded key) agree in
-- the 32 bits that the directory keeps, and nearly in those that choose the slot.
CREATE TABLE twins (a int8, b int8);
INSERT INTO twins VALUES (1, -7027521040014271754), (2, 4287534956995117473), (3, -6697174224109746684), (4, 7790147074847791377),
	(5, 7083112091135170762), (6, 4067661244041155716), (7, 3803407576627364027), (8, -160740730486126319);
ANALYZE twins;
SELECT every_hash('SELECT x.a, y.b FROM twins x JOIN twins y ON x.a = y.b');
SELECT every_hash('SELECT x.a, y.b FROM twins x FULL JOIN twins y ON x.a = y.b');
SELECT every_hash('SELECT * FROM twins x JOIN (SELECT a AS k FROM twins UNION ALL SELECT b FROM twins) y ON y.k = x.b');

-- With a unique key there is nothing to walk, with one duplicate there is.
SELECT node_props('SELECT count(*) FROM l JOIN (SELECT i * 2 AS i FROM l) m USING (i)', 'Map');
SELECT node_props('SELECT count(*) FROM l JOIN (SELECT i / 2 AS i FROM l) m ON l.i = m.i AND l.i + m.i < 0', 'Probe Rows', 'Rows Removed by Join Filter');
SELECT node_props('SELECT count(*) FROM l JOIN (SELECT 7 * i AS i FROM l WHERE i < 0) m USING (i)', 'Map');

DROP SCHEMA trap_chains CASCADE;
