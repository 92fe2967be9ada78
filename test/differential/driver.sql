--
-- The driver of the differential tests (sql/differential_*.sql) and of the
-- random-query driver (fuzz.pl).  Each test includes it with \i, so that
-- every test stands alone and runs on any server that has the library.
--
-- The oracle is the server itself.  A query is run with hashjoin_ext.enable
-- off, and again with force under each setting of batch_size,
-- debug_hash_bits and debug_table_bytes (little memory: everything goes to
-- files); the two results must be the same multiset of rows.  Rows
-- are compared in their text form, which is stricter than their equality:
-- 1.0 must stay 1.0 and 1.00 must stay 1.00.
--
-- A comparison that the node took no part in proves nothing.  So each plan
-- is checked as well: it holds our node and no join node of the server's,
-- and the join type and the build side are those that the case asks for.
--
-- The planner is led to a build side by the size it believes the tables to
-- have: both are tiny, but pg_class says that one of them is large.
--
-- With "driver.workers" set (test/workers) the node runs in so many parallel
-- workers; that takes longer, so there are fewer settings, and only the shapes
-- of the list "driver.shapes".  "driver.part" = 'K/N' takes every N-th query, picked
-- by its hash: the N parts together are all.
--
LOAD 'hashjoin_ext';

SET client_min_messages = warning;
DROP SCHEMA IF EXISTS hj_differential CASCADE;
CREATE SCHEMA hj_differential;
SET search_path = hj_differential, public, pg_catalog;
-- Compiling takes longer than these queries do.
SET jit = off;

-- The result of a query as an array: its rows as text, sorted by their bytes,
-- so that no collation can hide a difference; or, where there are too many
-- rows for that, their number and the sum of their hash codes.
CREATE FUNCTION wrapped(query text, digest boolean DEFAULT false) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'SELECT '
    || CASE WHEN digest THEN 'ARRAY[count(*)::text, sum(hashtextextended(t, 0))::text]'
            ELSE 'coalesce(array_agg(t ORDER BY t COLLATE "C"), ''{}'')' END
    || ' FROM (SELECT q::text AS t FROM (' || query || ') q) s';
$$;

CREATE FUNCTION rows_of(query text, digest boolean DEFAULT false) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  result text[];
BEGIN
  EXECUTE wrapped(query, digest) INTO result;
  RETURN result;
END
$$;

-- NULL if the results are the same, otherwise what distinguishes them.  The
-- arrays are sorted, so that equal arrays are equal multisets; EXCEPT ALL
-- both ways then says which rows differ.
CREATE FUNCTION difference(expected text[], got text[]) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
  IF expected = got THEN
    RETURN NULL;
  END IF;
  RETURN format('expected %s, got %s elements; missing: %s; extra: %s',
    cardinality(expected), cardinality(got),
    (SELECT array_agg(t)
       FROM (SELECT unnest(expected) EXCEPT ALL SELECT unnest(got) LIMIT 5) m(t)),
    (SELECT array_agg(t)
       FROM (SELECT unnest(got) EXCEPT ALL SELECT unnest(expected) LIMIT 5) m(t)));
END
$$;

-- What EXPLAIN says of a statement.
CREATE FUNCTION explained(statement text, option text DEFAULT 'VERBOSE off') RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE format('EXPLAIN (COSTS OFF, FORMAT JSON, %s) %s', option, statement) INTO plan;
  RETURN plan;
END
$$;

-- The joins of a statement's plan, sorted: for our nodes 'Join Type:build side',
-- the latter as the aliases below the second child; for the server's own
-- join nodes their names.
CREATE FUNCTION joins_in(statement text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  plan jsonb := explained(statement);
BEGIN
  RETURN (
    SELECT coalesce(array_agg(j ORDER BY j COLLATE "C"), '{}')
    FROM (
      SELECT (node ->> 'Join Type') || ':' || (
               SELECT coalesce(string_agg(alias #>> '{}', ',' ORDER BY alias #>> '{}' COLLATE "C"), '')
               FROM jsonb_path_query(node -> 'Plans' -> 1,
                      'strict $.** ? (exists(@.Alias)).Alias', '{}', true) AS alias) AS j
      FROM jsonb_path_query(plan,
             'strict $.** ? (@."Custom Plan Provider" == "HashJoinExt")', '{}', true) AS node
      UNION ALL
      SELECT node ->> 'Node Type'
      FROM jsonb_path_query(plan,
             'strict $.** ? (@."Node Type" == "Hash Join" || @."Node Type" == "Merge Join" || @."Node Type" == "Nested Loop")',
             '{}', true) AS node
    ) joins);
END
$$;

CREATE FUNCTION joins_of(query text, digest boolean DEFAULT false) RETURNS text[] LANGUAGE sql AS $$
  SELECT joins_in(wrapped(query, digest));
$$;

-- Workers that our node runs in: 0 if it is to run without.
CREATE FUNCTION planned_workers() RETURNS int LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('driver.workers', true), '')::int, 0);
$$;

-- The settings that every query is repeated under.
CREATE TABLE setting (batch_size int, debug_hash_bits int, table_bytes int DEFAULT 0);
INSERT INTO setting
  SELECT b, h, 0 FROM unnest('{1,2,1024}'::int[]) b, unnest('{0,3,64}'::int[]) h
  UNION ALL VALUES (2, 3, 3000), (1024, 64, 3000);
DELETE FROM setting
  WHERE planned_workers() > 0
    AND (batch_size, debug_hash_bits, table_bytes) NOT IN ((1024, 64, 0), (2, 3, 3000));

-- The library's counters, whether or not the extension is there.
CREATE FUNCTION counters(OUT joins int8, OUT array_maps int8, OUT hash_maps int8,
                         OUT spilled_partitions int8, OUT spilled_bytes int8, OUT filtered_rows int8)
AS 'hashjoin_ext', 'hashjoin_ext_stats' LANGUAGE C STRICT;

-- Small ranges of integers get an array instead of a hash map.  Both must be
-- seen, the hash map with few hash bits and with all: the array is allowed
-- with all bits, except in batches of 2.
CREATE FUNCTION set_mode(mode text, batch_size int DEFAULT 1024, debug_hash_bits int DEFAULT 64,
                         table_bytes int DEFAULT 0)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('hashjoin_ext.enable', mode, true),
          set_config('hashjoin_ext.batch_size', batch_size::text, true),
          set_config('hashjoin_ext.debug_hash_bits', debug_hash_bits::text, true),
          set_config('hashjoin_ext.debug_table_bytes', table_bytes::text, true),
          set_config('hashjoin_ext.array_map', (debug_hash_bits = 64 AND batch_size <> 2)::text, true),
          set_config('max_parallel_workers_per_gather',
                     CASE WHEN mode <> 'off' THEN planned_workers() ELSE 0 END::text, true);
END
$$;

--
-- Key columns.  A column of a key is described by its type on either side
-- and by its values, each list as the rows of a VALUES clause.  The n-th
-- value of one side equals the n-th of the other, whatever it looks like;
-- the first four are distinct.
--
CREATE TABLE key_column (
  name text PRIMARY KEY,
  ltype text NOT NULL,
  rtype text NOT NULL,
  lvalues text NOT NULL,
  rvalues text NOT NULL
);

CREATE PROCEDURE key_pair(name text, ltype text, rtype text, lvalues text, rvalues text)
LANGUAGE sql AS $$
  INSERT INTO key_column VALUES (name, ltype, rtype, lvalues, rvalues);
$$;

CREATE PROCEDURE key_column(name text, type text, lvalues text, rvalues text DEFAULT NULL)
LANGUAGE sql AS $$
  INSERT INTO key_column VALUES (name, type, type, lvalues, coalesce(rvalues, lvalues));
$$;

-- How the keys of row i of a side are chosen from the values: an expression
-- over i (row number, from 0), j (key column, from 1), c (number of values
-- in this column), m (the smallest c of all columns); it yields a position
-- from 1 on, or NULL for a NULL key.  The last column of a key may be chosen
-- otherwise than the rest (a_last, b_last).
CREATE TABLE shape (
  ord int PRIMARY KEY,
  name text NOT NULL,
  a_position text NOT NULL,
  b_position text NOT NULL,
  a_last text,
  b_last text,
  has_matches boolean NOT NULL
);
INSERT INTO shape VALUES
  -- Keys of several columns agree in all but the last.
  (1, 'no match', '1 + i % c', '1 + i % c', '1 + 2 * (i % (c / 2))', '2 + 2 * (i % (c / 2))', false),
  (2, 'all match', '1 + i % m', '1 + i % m', NULL, NULL, true),
  -- Duplicates on both sides, and on both sides keys without a partner.
  (3, 'duplicates', 'CASE WHEN i % 5 = 4 THEN c ELSE 1 + i / (2 * j) % 2 END', '1 + i / (2 * j) % least(3, c)', NULL, NULL, true),
  (4, 'some null', 'CASE WHEN (i + 2 * j) % 11 < 2 THEN NULL ELSE 1 + i % m END',
                   'CASE WHEN (i + 2 * j) % 13 < 2 THEN NULL ELSE 1 + i % m END', NULL, NULL, true),
  (5, 'all null', 'NULL', 'NULL', NULL, NULL, false),
  (6, 'a empty', '1 + i % m', '1 + i % m', NULL, NULL, false),
  (7, 'b empty', '1 + i % m', '1 + i % m', NULL, NULL, false),
  -- One side is unique, and the planner can prove it.
  (8, 'unique', '1 + (i / j) % c', '1 + (i / j) % c', NULL, NULL, true),
  (9, 'all null in b', '1 + i % m', 'NULL', NULL, NULL, false);
DELETE FROM shape
  WHERE current_setting('driver.shapes', true) <> ''
    AND name <> ALL (string_to_array(current_setting('driver.shapes', true), ', '));

-- The queries.  {J} stands for the join condition, {IN} for the key of a in
-- the key of b by IN.  With b the smaller side the plan must be b_small, with
-- a the smaller side a_small (join type and build side as joins_of says, or
-- the join types alone).
-- The select lists differ on purpose: all columns, some, none, whole rows,
-- system columns.
CREATE TABLE template (
  ord int PRIMARY KEY,
  name text NOT NULL,
  sql text NOT NULL,
  b_small text[] NOT NULL,
  a_small text[] NOT NULL
);
INSERT INTO template VALUES
  (1, 'inner', 'SELECT a.*, b.* FROM a JOIN b ON {J}', '{Inner:b}', '{Inner:a}'),
  (2, 'inner, no columns', 'SELECT count(*) FROM a JOIN b ON {J}', '{Inner:b}', '{Inner:a}'),
  (3, 'inner, on', 'SELECT a.id, b.id FROM a JOIN b ON {J} AND a.v < b.v', '{Inner:b}', '{Inner:a}'),
  (4, 'left', 'SELECT a, b FROM a LEFT JOIN b ON {J}', '{Left:b}', '{Right:a}'),
  (5, 'left, on', 'SELECT a.id, b.* FROM a LEFT JOIN b ON {J} AND a.v < b.v AND a.w <> 1', '{Left:b}', '{Right:a}'),
  (6, 'left, where', 'SELECT a.*, b.ctid FROM a LEFT JOIN b ON {J} WHERE coalesce(b.v, 1) <> coalesce(a.v, 2)', '{Left:b}', '{Right:a}'),
  (7, 'right', 'SELECT a.*, b.ctid FROM a RIGHT JOIN b ON {J}', '{Right:b}', '{Left:a}'),
  (8, 'right, on', 'SELECT a, b FROM a RIGHT JOIN b ON {J} AND a.v <= b.v AND b.w <> 2', '{Right:b}', '{Left:a}'),
  (9, 'right, where', 'SELECT a.id, b.id FROM a RIGHT JOIN b ON {J} WHERE coalesce(a.v, 3) < coalesce(b.v, 3)', '{Right:b}', '{Left:a}'),
  (10, 'full', 'SELECT a.ctid, a.*, b.ctid, b.* FROM a FULL JOIN b ON {J}', '{Full:b}', '{Full:a}'),
  (11, 'full, on', 'SELECT a.id, b.id FROM a FULL JOIN b ON {J} AND a.v < b.v', '{Full:b}', '{Full:a}'),
  (12, 'full, where', 'SELECT a, b FROM a FULL JOIN b ON {J} AND a.w <= b.w WHERE coalesce(a.v, 1) <> coalesce(b.v, 1)', '{Full:b}', '{Full:a}'),
  (13, 'semi', 'SELECT a.* FROM a WHERE EXISTS (SELECT 1 FROM b WHERE {J})', '{Semi:b}', '{"Right Semi:a"}'),
  (14, 'semi, on', 'SELECT a.id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE {J} AND a.v < b.v)', '{Semi:b}', '{"Right Semi:a"}'),
  (15, 'semi, where', 'SELECT a FROM a WHERE a.v <> 2 AND EXISTS (SELECT 1 FROM b WHERE {J} AND b.w <> 1 AND a.v <> b.v)', '{Semi:b}', '{"Right Semi:a"}'),
  (16, 'semi by in', 'SELECT a.*, a.ctid FROM a WHERE {IN}', '{Semi:b}', '{"Right Semi:a"}'),
  (17, 'anti', 'SELECT a.* FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE {J})', '{Anti:b}', '{"Right Anti:a"}'),
  (18, 'anti, on', 'SELECT a.id FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE {J} AND a.v < b.v)', '{Anti:b}', '{"Right Anti:a"}'),
  (19, 'anti, where', 'SELECT a FROM a WHERE a.v <> 2 AND NOT EXISTS (SELECT 1 FROM b WHERE {J} AND b.w <> 1 AND a.v <> b.v)', '{Anti:b}', '{"Right Anti:a"}'),
  (20, 'anti by left join', 'SELECT a.id, b.v FROM a LEFT JOIN b ON {J} WHERE b.k1 IS NULL', '{Anti:b}', '{"Right Anti:a"}'),
  -- The semi join's left side is a and c, which no clause connects; the only
  -- sane plan makes b unique and joins it to each (JOIN_UNIQUE_OUTER and
  -- JOIN_UNIQUE_INNER).
  (21, 'unique-ified semi', 'SELECT a.*, c.* FROM a, c WHERE EXISTS (SELECT 1 FROM b WHERE {J} AND b.w = c.w)', '{Inner,Inner}', '{Inner,Inner}');

-- Creates a, b and c for a key.
CREATE FUNCTION create_tables(cols text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  k key_column;
  j int := 0;
  a_cols text := 'id int, v int, w int';
  b_cols text := 'id int, v int, w int';
BEGIN
  DROP TABLE IF EXISTS a, b, c;
  FOR k IN SELECT (kc).* FROM unnest(cols) WITH ORDINALITY u(col, n) JOIN key_column kc ON kc.name = col ORDER BY n
  LOOP
    j := j + 1;
    a_cols := a_cols || format(', k%s %s', j, k.ltype);
    b_cols := b_cols || format(', k%s %s', j, k.rtype);
    EXECUTE format('DROP TABLE IF EXISTS a_value%s, b_value%s', j, j);
    EXECUTE format('CREATE TABLE a_value%s (pos int, x %s)', j, k.ltype);
    EXECUTE format('CREATE TABLE b_value%s (pos int, x %s)', j, k.rtype);
    EXECUTE format('INSERT INTO a_value%s SELECT row_number() OVER (), x::%s FROM (VALUES %s) u(x)',
                   j, split_part(k.ltype, ' COLLATE ', 1), k.lvalues);
    EXECUTE format('INSERT INTO b_value%s SELECT row_number() OVER (), x::%s FROM (VALUES %s) u(x)',
                   j, split_part(k.rtype, ' COLLATE ', 1), k.rvalues);
  END LOOP;
  EXECUTE format('CREATE TABLE a (%s)', a_cols);
  EXECUTE format('CREATE TABLE b (%s)', b_cols);
  CREATE TABLE c (w int, x int);
  INSERT INTO c SELECT i % 4, i FROM generate_series(1, 9) i;
END
$$;

-- Makes the planner believe that a table has so many rows.
CREATE FUNCTION believe(tab text, nrows float4) RETURNS void LANGUAGE sql AS $$
  UPDATE pg_class SET relpages = pg_relation_size(oid) / current_setting('block_size')::int, reltuples = nrows WHERE oid = tab::regclass;
$$;

-- Fills one of the tables a and b with n rows.
CREATE FUNCTION fill(tab text, cols int, n int, positions text, last_positions text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  list text := '';
  joins text := '';
  m int;
  c int;
BEGIN
  EXECUTE (SELECT 'SELECT least(' || string_agg(format('(SELECT count(*) FROM %s_value%s)', tab, j), ', ') || ')'
           FROM generate_series(1, cols) j) INTO m;
  FOR j IN 1 .. cols LOOP
    EXECUTE format('SELECT count(*) FROM %s_value%s', tab, j) INTO c;
    list := list || format(', v%s.x', j);
    -- The placeholders are single letters: \m and \M are the word's edges.
    joins := joins || format(' LEFT JOIN %s_value%s v%s ON v%s.pos = (%s)', tab, j, j, j,
      regexp_replace(regexp_replace(regexp_replace(
        CASE WHEN j = cols THEN coalesce(last_positions, positions) ELSE positions END,
        '\mj\M', j::text, 'g'), '\mc\M', c::text, 'g'), '\mm\M', m::text, 'g'));
  END LOOP;
  EXECUTE format('TRUNCATE %s', tab);
  EXECUTE format($q$INSERT INTO %s
      SELECT i, CASE WHEN i %% 7 <> 6 THEN (i * %s) %% 5 END, (i / 2) %% 3%s
      FROM generate_series(0, %s) i%s ORDER BY i$q$,
    tab, CASE tab WHEN 'a' THEN 1 ELSE 3 END, list, n - 1, joins);
END
$$;

-- Fills both tables for a shape.
CREATE FUNCTION fill_tables(sh shape, small text, cols int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  side text;
  is_unique boolean;
  workers int := planned_workers();
BEGIN
  DROP INDEX IF EXISTS key_is_unique;
  FOREACH side IN ARRAY '{a,b}'::text[] LOOP
    is_unique := sh.name = 'unique' AND side = small;
    PERFORM fill(side, cols,
      CASE WHEN is_unique THEN 4 WHEN side = small THEN 9 ELSE 24 END,
      CASE WHEN is_unique THEN '1 + i' WHEN side = 'a' THEN sh.a_position ELSE sh.b_position END,
      CASE side WHEN 'a' THEN sh.a_last ELSE sh.b_last END);
    IF is_unique THEN
      EXECUTE format('CREATE UNIQUE INDEX key_is_unique ON %s (%s)', side,
                     (SELECT string_agg('k' || j, ', ' ORDER BY j) FROM generate_series(1, cols) j));
    END IF;
    -- The rows go, the pages and the planner's belief stay.
    IF sh.name = side || ' empty' THEN
      EXECUTE 'DELETE FROM ' || side;
    END IF;
    -- With one row there is nothing to share among workers.
    PERFORM believe(side, CASE WHEN side <> small THEN 20000 WHEN workers > 0 THEN 5 ELSE 1 END);
    IF workers > 0 THEN
      EXECUTE format('ALTER TABLE %s SET (parallel_workers = %s)', side, workers);
    END IF;
  END LOOP;
END
$$;

-- What a run has counted: comparisons made, those that differed, queries
-- planned without our node, queries planned with another join type or build
-- side than asked for.
CREATE TABLE tally (compared int, differing int, without int, otherwise int, accepted text[], shared int);

-- Do processes share a table in this statement?
CREATE FUNCTION shares_table(statement text) RETURNS boolean LANGUAGE sql AS $$
  SELECT jsonb_path_exists(explained(statement), 'strict $.** ? (@."Custom Plan Provider" == "HashJoinExt" && @."Table" == "shared")');
$$;

-- Did workers run it?
CREATE FUNCTION runs_in_workers(statement text) RETURNS boolean LANGUAGE sql AS $$
  SELECT jsonb_path_exists(explained(statement, 'ANALYZE'), 'strict $.**."Workers Launched" ? (@ > 0)');
$$;

-- Is it in the part that is asked for?
CREATE FUNCTION in_part(query text) RETURNS boolean LANGUAGE sql AS $$
  SELECT abs(hashtext(query)::int8) % n = k % n
  FROM (SELECT coalesce(nullif(current_setting('driver.part', true), ''), '0/1')) s(part),
       LATERAL (SELECT split_part(part, '/', 1)::int8, split_part(part, '/', 2)::int8) p(k, n);
$$;

-- Compares one query under every setting; wanted is its plan.  The query is
-- planned once, for the two settings are read when a node starts; so it is
-- also seen that a plan serves more than one execution.
CREATE FUNCTION compare(title text, query text, wanted text[], digest boolean DEFAULT false) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  n tally;
  s setting;
  expected text[];
  got text[];
  joins text[];
  diff text;
BEGIN
  IF NOT in_part(title || query) THEN
    RETURN;
  END IF;
  SELECT * INTO STRICT n FROM tally;
  PERFORM set_mode('off');
  expected := rows_of(query, digest);
  -- The oracle must not be ourselves.
  IF n.compared = 0 AND joins_of(query, digest)::text LIKE '%:%' THEN
    RAISE WARNING '%: planned % with hashjoin_ext off: %', title, joins_of(query, digest), query;
  END IF;
  PERFORM set_mode('force');
  BEGIN
    EXECUTE 'PREPARE compared AS ' || wrapped(query, digest);
    joins := joins_in('EXECUTE compared');
    IF shares_table('EXECUTE compared') THEN
      n.shared := n.shared + 1;
      IF n.shared = 1 AND NOT runs_in_workers('EXECUTE compared') THEN
        RAISE WARNING '%: no worker ran', title;
      END IF;
    END IF;
  EXCEPTION WHEN OTHERS THEN
    joins := ARRAY['error ' || SQLSTATE || ' ' || SQLERRM];
  END;
  IF NOT EXISTS (SELECT 1 FROM unnest(joins) j WHERE j ~ '^[A-Z][A-Za-z ]*:') THEN
    n.without := n.without + 1;
    IF n.without <= 3 THEN
      RAISE WARNING '%: no node of ours, but %: %', title, joins, query;
    END IF;
  ELSIF joins <> wanted AND ARRAY(SELECT split_part(j, ':', 1) FROM unnest(joins) j) <> wanted
        AND (cardinality(joins) = 1 AND joins[1] = ANY (n.accepted)) IS NOT TRUE
        -- With b unique the planner may have made the semi join an inner one.
        AND NOT (wanted = '{Semi:b}' AND joins = '{Inner:b}'
                 AND EXISTS (SELECT 1 FROM pg_index WHERE indrelid = to_regclass('b'))) THEN
    n.otherwise := n.otherwise + 1;
    -- Costs are others in workers.
    IF n.otherwise <= 3 AND planned_workers() = 0 THEN
      RAISE WARNING '%: wanted %, planned %: %', title, wanted, joins, query;
    END IF;
  END IF;
  FOR s IN SELECT * FROM setting ORDER BY batch_size, debug_hash_bits, table_bytes LOOP
    PERFORM set_mode('force', s.batch_size, s.debug_hash_bits, s.table_bytes);
    n.compared := n.compared + 1;
    BEGIN
      EXECUTE 'EXECUTE compared' INTO got;
      diff := difference(expected, got);
    EXCEPTION WHEN OTHERS THEN
      diff := 'error ' || SQLSTATE || ': ' || SQLERRM;
    END;
    IF diff IS NOT NULL THEN
      n.differing := n.differing + 1;
      IF n.differing <= 5 THEN
        RAISE WARNING '%, %: %: %', title, s, query, diff;
      END IF;
    END IF;
  END LOOP;
  DEALLOCATE ALL;
  PERFORM set_mode('off');
  UPDATE tally SET (compared, differing, without, otherwise, shared) = (n.compared, n.differing, n.without, n.otherwise, n.shared);
END
$$;

CREATE FUNCTION start_tally(accepted text[] DEFAULT NULL) RETURNS void LANGUAGE sql AS $$
  DELETE FROM tally;
  INSERT INTO tally VALUES (0, 0, 0, 0, accepted, 0);
$$;

CREATE FUNCTION summary(title text) RETURNS text LANGUAGE sql AS $$
  SELECT format('%s | %s comparisons | %s differing | %s without our node | %s planned otherwise',
                title, compared, differing, without, otherwise) ||
         CASE WHEN shared > 0 THEN ' | ' || shared || ' plans share a table' ELSE '' END ||
         CASE WHEN (SELECT spilled_partitions > 0 AND spilled_bytes > 0 FROM counters()) THEN ''
              ELSE ' | NOTHING SPILLED' END
  FROM tally;
$$;

-- The join condition of a key: what {J} stands for.
CREATE FUNCTION join_condition(lexpr text[], rexpr text[], op text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(format('%s %s %s', l, coalesce(o, '='), r), ' AND ') FROM unnest(lexpr, rexpr, op) u(l, r, o);
$$;

-- The templates' queries for a key.
CREATE FUNCTION queries_for(lexpr text[], rexpr text[], op text[], except_templates text[])
RETURNS TABLE (ord int, query text, b_small text[], a_small text[]) LANGUAGE sql AS $$
  SELECT t.ord,
         replace(replace(t.sql, '{J}', join_condition(lexpr, rexpr, op)),
                 '{IN}', format('(%s) IN (SELECT %s FROM b)', array_to_string(lexpr, ', '), array_to_string(rexpr, ', '))),
         t.b_small, t.a_small
  FROM template t
  WHERE t.name <> ALL (except_templates);
$$;

-- Compares every template over the tables as they are, the side named small
-- being the one that the planner takes for the smaller.
CREATE FUNCTION compare_templates(title text, small text, lexpr text[], rexpr text[], op text[], except_templates text[],
                                  digest boolean DEFAULT false)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  q record;
BEGIN
  FOR q IN SELECT * FROM queries_for(lexpr, rexpr, op, except_templates) ORDER BY ord LOOP
    PERFORM compare(title, q.query, CASE small WHEN 'b' THEN q.b_small ELSE q.a_small END, digest);
  END LOOP;
END
$$;

-- All comparisons for one key of the columns named (by default one column,
-- named as the title).  lexpr and rexpr are the two sides of each clause, op
-- their operators; the default compares the columns, and by =.  The exceptions name
-- what the key cannot have; accepted are joins as
-- good as the one wanted.
CREATE FUNCTION differential(title text, cols text[] DEFAULT NULL,
                             lexpr text[] DEFAULT NULL, rexpr text[] DEFAULT NULL, op text[] DEFAULT '{}',
                             except_templates text[] DEFAULT '{}', except_shapes text[] DEFAULT '{}',
                             accepted text[] DEFAULT NULL)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  plain boolean := lexpr IS NULL AND rexpr IS NULL AND op = '{}';
  ncols int;
  sh shape;
  small text;
  full_title text;
  matches int;
BEGIN
  PERFORM start_tally(accepted), set_mode('off');
  cols := coalesce(cols, ARRAY[title]);
  ncols := cardinality(cols);
  PERFORM create_tables(cols);
  lexpr := coalesce(lexpr, (SELECT array_agg('a.k' || j ORDER BY j) FROM generate_series(1, ncols) j));
  rexpr := coalesce(rexpr, (SELECT array_agg('b.k' || j ORDER BY j) FROM generate_series(1, ncols) j));
  -- IN means the operator named =.
  IF op <> '{}' THEN
    except_templates := except_templates || '{semi by in}'::text[];
  END IF;

  FOR sh IN SELECT * FROM shape WHERE name <> ALL (except_shapes) ORDER BY ord LOOP
    FOREACH small IN ARRAY '{b,a}'::text[] LOOP
      full_title := format('%s, %s, small %s', title, sh.name, small);
      -- Filling takes longer than a few queries.
      CONTINUE WHEN NOT EXISTS (SELECT FROM queries_for(lexpr, rexpr, op, except_templates) WHERE in_part(full_title || query));
      PERFORM fill_tables(sh, small, ncols);
      -- The fixture is what it claims to be.
      EXECUTE 'SELECT count(*) FROM a, b WHERE ' || join_condition(lexpr, rexpr, op) INTO matches;
      IF (plain OR sh.has_matches) AND sh.has_matches <> (matches > 0) THEN
        RAISE WARNING '%, %: % matches', title, sh.name, matches;
      END IF;
      PERFORM compare_templates(full_title, small, lexpr, rexpr, op, except_templates);
    END LOOP;
  END LOOP;
  RETURN summary(title);
END
$$;
