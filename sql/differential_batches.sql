--
-- Differential test: tables and chains that are longer than a batch.
-- What is compared, and how, is told in test/differential/driver.sql.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\set driver :abs_srcdir '/test/differential/driver.sql'
\set ECHO none
\i :driver
\set ECHO all
\pset format unaligned
\pset tuples_only on

-- The join of key number x on one side with key number x on the other: a
-- chain of 1100 rows, more than a batch of the default size; many rows of one
-- key on the probe side, too; keys of one row, of none; NULLs.
CREATE TABLE a_number AS
  SELECT i AS id, i % 5 AS v, i / 2 % 3 AS w,
         CASE WHEN i % 61 = 0 THEN NULL WHEN i % 600 = 1 THEN 7 WHEN i % 3 = 0 THEN i % 20 + 10 ELSE i END AS x
  FROM generate_series(1, 1500) i ORDER BY i;
CREATE TABLE b_number AS
  SELECT i AS id, i * 3 % 5 AS v, i / 2 % 3 AS w,
         CASE WHEN i % 47 = 0 THEN NULL WHEN i % 4 > 0 THEN 7 WHEN i % 3 = 0 THEN i % 20 + 10 ELSE i + 300 END AS x
  FROM generate_series(1, 1500) i ORDER BY i;

TRUNCATE setting;
INSERT INTO setting VALUES (1, 64), (2, 3), (1024, 3), (1024, 64), (65536, 64);
INSERT INTO setting VALUES (1, 64, 5000), (1024, 3, 20000), (1024, 64, 20000);

CREATE FUNCTION batches(title text, a_keys text, b_keys text, cols int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  chain text;
  side text;
  small text;
  lexpr text[] := (SELECT array_agg('a.k' || j ORDER BY j) FROM generate_series(1, cols) j);
  rexpr text[] := (SELECT array_agg('b.k' || j ORDER BY j) FROM generate_series(1, cols) j);
BEGIN
  PERFORM start_tally(), set_mode('off');
  -- The long chain is built, and it is probed.
  FOREACH chain IN ARRAY '{a,b}'::text[] LOOP
    DROP TABLE IF EXISTS a, b, c;
    EXECUTE format('CREATE TABLE a AS SELECT id, v, w, %s FROM %s_number ORDER BY id', a_keys, CASE chain WHEN 'a' THEN 'b' ELSE 'a' END);
    EXECUTE format('CREATE TABLE b AS SELECT id, v, w, %s FROM %s_number ORDER BY id', b_keys, chain);
    CREATE TABLE c AS SELECT i % 4 AS w, i AS x FROM generate_series(1, 9) i;
    FOREACH small IN ARRAY '{a,b}'::text[] LOOP
      FOREACH side IN ARRAY '{a,b}'::text[] LOOP
        PERFORM believe(side, CASE WHEN side = small THEN 1 ELSE 200000 END);
      END LOOP;
      PERFORM compare_templates(format('%s, chain in %s, small %s', title, chain, small), small, lexpr, rexpr, '{}', '{}', digest => true);
    END LOOP;
  END LOOP;
  RETURN summary(title);
END
$$;

SELECT batches('int4', 'x AS k1', 'x AS k1', 1);
SELECT batches('text', '''key '' || x AS k1', '''key '' || x AS k1', 1);
SELECT batches('int4, text', 'x % 10 AS k1, ''key '' || x AS k2', 'x % 10 AS k1, ''key '' || x AS k2', 2);

-- Everything in one chain.
UPDATE setting SET debug_hash_bits = 0 WHERE debug_hash_bits = 3;
DELETE FROM setting WHERE debug_hash_bits <> 0;
SELECT batches('int4, no hash bits', 'x AS k1', 'x AS k1', 1);

DROP SCHEMA hj_differential CASCADE;
