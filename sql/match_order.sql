--
-- The matches of one probe row come in the order in which the build side
-- delivered them.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\set driver :abs_srcdir '/test/differential/driver.sql'
\set ECHO none
\i :driver
\set ECHO all
\pset format unaligned
\pset tuples_only on

-- The probe side is p, the build side b; b.o is the place of a row in the
-- build side's order.  Key 7 is hot: 1500 build rows, more than a batch holds
-- by default.  Keys 8 to 19 have a handful each, the others one; some are
-- NULL, and some have no partner.  No autovacuum: it would tell the planner
-- the truth about the sizes.
CREATE TABLE p (id int, k int, t text, n numeric, g int) WITH (autovacuum_enabled = off);
INSERT INTO p
  SELECT i, k, 'key ' || k, k::numeric, k % 3
  FROM (SELECT i, CASE WHEN i % 31 = 0 THEN NULL WHEN i % 500 = 1 THEN 7 ELSE 8 + i % 1500 END AS k
        FROM generate_series(1, 2500) i) s;
CREATE TABLE b (o int, k int, t text, n numeric, g int, v int) WITH (autovacuum_enabled = off);
INSERT INTO b
  SELECT i, k, 'key ' || k, (k::text || CASE i % 3 WHEN 0 THEN '' WHEN 1 THEN '.0' ELSE '.00' END)::numeric, k % 3, i % 10
  FROM (SELECT i, CASE WHEN i % 41 = 0 THEN NULL WHEN i % 5 < 3 THEN 7 WHEN i % 5 = 3 THEN 8 + i % 12 ELSE 1000 + i END AS k
        FROM generate_series(1, 2500) i) s
  ORDER BY i;
SELECT believe('p', 20000), believe('b', 1);

-- Runs a query for pairs (probe row, place of the build row) under every
-- setting and counts the pairs that come after one of the same probe row with
-- a higher place.  The row numbers are given in the order of the join's
-- output, for nothing sorts between it and them.
CREATE FUNCTION match_order(title text, query text, wanted text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  batch int;
  bits int;
  pairs bigint;
  disorder bigint;
  expected_pairs bigint;
  all_pairs bigint := 0;
  all_disorder bigint := 0;
  lost bigint := 0;
BEGIN
  query := format($q$SELECT count(*), count(*) FILTER (WHERE o <= before)
    FROM (SELECT o, lag(o) OVER (PARTITION BY id ORDER BY n) AS before
          FROM (SELECT row_number() OVER () AS n, q.* FROM (%s) q(id, o)) numbered
          WHERE id IS NOT NULL AND o IS NOT NULL) s$q$, query);
  PERFORM set_mode('off');
  EXECUTE query INTO expected_pairs, disorder;
  PERFORM set_mode('force');
  IF NOT EXISTS (SELECT 1 FROM unnest(joins_of(query)) j WHERE j LIKE wanted || '%') THEN
    RAISE WARNING '%: wanted %, planned %', title, wanted, joins_of(query);
  END IF;
  FOREACH batch IN ARRAY '{1,2,3,1024,65536}'::int[] LOOP
    FOREACH bits IN ARRAY '{0,3,64}'::int[] LOOP
      PERFORM set_mode('force', batch, bits);
      EXECUTE query INTO pairs, disorder;
      all_pairs := all_pairs + pairs;
      all_disorder := all_disorder + disorder;
      lost := lost + abs(pairs - expected_pairs);
    END LOOP;
  END LOOP;
  PERFORM set_mode('off');
  RETURN format('%s: %s pairs, %s out of order, %s missing or too many', title, all_pairs, all_disorder, lost);
END
$$;

-- A table's own order.
SELECT match_order('inner, int4', 'SELECT p.id, b.o FROM p JOIN b ON p.k = b.k', 'Inner:b');
SELECT match_order('left, int4', 'SELECT p.id, b.o FROM p LEFT JOIN b ON p.k = b.k', 'Left:b');
SELECT match_order('right, int4', 'SELECT p.id, b.o FROM p RIGHT JOIN b ON p.k = b.k', 'Right:b');
SELECT match_order('full, int4', 'SELECT p.id, b.o FROM p FULL JOIN b ON p.k = b.k', 'Full:b');
SELECT match_order('inner, text', 'SELECT p.id, b.o FROM p JOIN b ON p.t = b.t', 'Inner:b');
SELECT match_order('full, numeric', 'SELECT p.id, b.o FROM p FULL JOIN b ON p.n = b.n', 'Full:b');
SELECT match_order('left, two int4', 'SELECT p.id, b.o FROM p LEFT JOIN b ON p.k = b.k AND p.g = b.g', 'Left:b');
SELECT match_order('right, int4 and text', 'SELECT p.id, b.o FROM p RIGHT JOIN b ON p.k = b.k AND p.t = b.t', 'Right:b');
SELECT match_order('inner, expression', 'SELECT p.id, b.o FROM p JOIN b ON p.k + 1 = b.k + 1', 'Inner:b');

-- A residual clause leaves gaps, but the order stays.
SELECT match_order('inner, residual', 'SELECT p.id, b.o FROM p JOIN b ON p.k = b.k AND b.v <> p.id % 10', 'Inner:b');
SELECT match_order('full, residual', 'SELECT p.id, b.o FROM p FULL JOIN b ON p.k = b.k AND b.v <> p.id % 10', 'Full:b');
SELECT match_order('left, residual above', 'SELECT p.id, b.o FROM p LEFT JOIN b ON p.k = b.k WHERE b.v IS DISTINCT FROM p.id % 10', 'Left:b');

-- An order that the build side was given: backwards, and in another
-- column's.
SELECT match_order('inner, backwards',
  'SELECT p.id, -b.o FROM p JOIN (SELECT * FROM b ORDER BY o DESC OFFSET 0) b ON p.k = b.k', 'Inner:b');
SELECT match_order('full, backwards',
  'SELECT p.id, -b.o FROM p FULL JOIN (SELECT * FROM b ORDER BY o DESC OFFSET 0) b ON p.k = b.k', 'Full:b');
SELECT match_order('left, by v and o',
  'SELECT p.id, b.v * 10000 + b.o FROM p LEFT JOIN (SELECT * FROM b ORDER BY v, o OFFSET 0) b ON p.k = b.k', 'Left:b');

-- The probe rows of one key follow one another in a batch; each begins its
-- chain anew.
SELECT match_order('right, probe side sorted by key',
  'SELECT p.id, b.o FROM (SELECT * FROM p ORDER BY k, id OFFSET 0) p RIGHT JOIN b ON p.k = b.k', 'Right:b');

-- One key with 100 000 duplicates, taken 7 rows at a time: every FETCH stops
-- and resumes in the middle of the chain.  Rows must come as 1, 2, 3, ... for
-- the first probe row and again for the second.
CREATE TABLE many (o int, k int) WITH (autovacuum_enabled = off);
INSERT INTO many SELECT i, 7 FROM generate_series(1, 100000) i ORDER BY i;
CREATE TABLE few (id int, k int) WITH (autovacuum_enabled = off);
INSERT INTO few VALUES (1, 7), (2, 8), (3, 7);
SELECT believe('few', 20000000);

CREATE FUNCTION fetch_sevens(query text, batch int, bits int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r record;
  n int;
  total int := 0;
  last_id int := 0;
  last_o int := 0;
  wrong int := 0;
  fetches int := 0;
BEGIN
  PERFORM set_mode('force', batch, bits);
  IF joins_of(query)::text NOT LIKE '%:many%' THEN
    RAISE WARNING 'planned %: %', joins_of(query), query;
  END IF;
  EXECUTE 'DECLARE sevens NO SCROLL CURSOR FOR ' || query;
  LOOP
    n := 0;
    FOR r IN EXECUTE 'FETCH 7 FROM sevens' LOOP
      n := n + 1;
      CONTINUE WHEN r.id IS NULL OR r.o IS NULL;
      IF r.o <> (CASE WHEN r.id = last_id THEN last_o + 1 ELSE 1 END) THEN
        wrong := wrong + 1;
      END IF;
      last_id := r.id;
      last_o := r.o;
      total := total + 1;
    END LOOP;
    EXIT WHEN n = 0;
    fetches := fetches + 1;
  END LOOP;
  EXECUTE 'CLOSE sevens';
  PERFORM set_mode('off');
  RETURN format('%s pairs in %s fetches, %s out of order', total, fetches, wrong);
END
$$;

SELECT fetch_sevens('SELECT few.id, many.o FROM few JOIN many ON few.k = many.k', 1024, 64);
SELECT fetch_sevens('SELECT few.id, many.o FROM few JOIN many ON few.k = many.k', 1, 64);
SELECT fetch_sevens('SELECT few.id, many.o FROM few LEFT JOIN many ON few.k = many.k', 2, 3);
SELECT fetch_sevens('SELECT few.id, many.o FROM few RIGHT JOIN many ON few.k = many.k', 3, 0);
SELECT fetch_sevens('SELECT few.id, many.o FROM few FULL JOIN many ON few.k = many.k', 1024, 0);

DROP SCHEMA hj_differential CASCADE;
