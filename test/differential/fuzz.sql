--
-- Tables and the comparison for the random-query driver fuzz.pl, on top of
-- driver.sql.  Keys are drawn from few values, so that joins of five tables
-- neither come out empty nor explode; every column has NULLs.
--
CREATE FUNCTION fuzz_table(name text, nrows int, nkeys int, salt int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($q$
    CREATE TABLE %1$I AS
    SELECT i AS id,
           CASE WHEN h %% 11 <> 0 THEN (k - 3)::int2 END AS i2,
           CASE WHEN h %% 13 <> 0 THEN k - 3 END AS i4,
           CASE WHEN h %% 7 <> 0 THEN CASE WHEN h %% 5 = 0 THEN (k - 3) + 4294967296 ELSE (k - 3)::int8 END END AS i8,
           CASE WHEN h %% 17 <> 0 THEN chr(97 + k %% 26) || repeat('x', k %% 3) END AS t,
           CASE WHEN h %% 9 <> 0 THEN chr(97 + k %% 26)::char(5) END AS c,
           CASE WHEN h %% 10 <> 0 THEN CASE h %% 3 WHEN 0 THEN k::numeric WHEN 1 THEN k + 0.0 ELSE k + 0.500 END END AS n,
           CASE WHEN h %% 8 <> 0 THEN CASE WHEN k = 0 AND h %% 2 = 0 THEN '-0' WHEN k = 1 THEN 'NaN' ELSE (k / 2.0)::text END::float4 END AS f4,
           CASE WHEN h %% 12 <> 0 THEN CASE WHEN k = 0 AND h %% 3 = 0 THEN '-0' WHEN k = 1 THEN 'NaN' ELSE (k / 2.0)::text END::float8 END AS f8,
           CASE WHEN h %% 14 <> 0 THEN date '2000-01-01' + k END AS d,
           CASE WHEN h %% 15 <> 0 THEN md5(k::text)::uuid END AS u,
           CASE WHEN h %% 16 <> 0 THEN k %% 2 = 0 END AS b,
           CASE WHEN h %% 18 <> 0 THEN jsonb_build_object('k', CASE h %% 2 WHEN 0 THEN k::numeric ELSE k + 0.0 END) END AS j,
           CASE WHEN h %% 19 <> 0 THEN ARRAY[k, CASE WHEN h %% 4 <> 0 THEN k %% 2 END] END AS ar,
           CASE WHEN h %% 20 <> 0 THEN h %% 6 END AS v
    FROM (SELECT i, abs(hashint4(i + %4$s)) AS h, abs(hashint4extended(i, %4$s)) %% %3$s AS k
          FROM generate_series(1, %2$s) i) s(i, h, k_), LATERAL (SELECT k_::int) l(k)
    ORDER BY i$q$, name, nrows, nkeys, salt);
END
$$;

SELECT fuzz_table('t0', 0, 1, 1), fuzz_table('t1', 1, 4, 2), fuzz_table('t2', 8, 6, 3),
       fuzz_table('t3', 30, 20, 4), fuzz_table('t4', 60, 40, 5), fuzz_table('t5', 120, 90, 6), fuzz_table('t6', 1500, 700, 7);
CREATE UNIQUE INDEX ON t3 (id);
CREATE UNIQUE INDEX ON t5 (id);
CREATE INDEX ON t4 (i4);
CREATE INDEX ON t6 (t);
-- Statistics for some; of the others the planner has none.
ANALYZE t2, t3, t5, t6;
-- A table in partitions, for Append and partitionwise joins.
CREATE TABLE t7 (LIKE t5) PARTITION BY HASH (i4);
CREATE TABLE t7_0 PARTITION OF t7 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE t7_1 PARTITION OF t7 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO t7 SELECT * FROM t5 WHERE id <= 80;

-- Does the plan start workers anew for each of many rows?  That takes minutes where
-- they cost nothing in the planner's eyes.
CREATE FUNCTION rescans_gather(query text) RETURNS boolean LANGUAGE sql AS $$
  SELECT jsonb_path_exists(plan, 'strict $.** ? (@."Node Type" == "Nested Loop").Plans[1].** ? (@."Node Type" starts with "Gather")')
      OR jsonb_path_exists(plan, 'strict $.** ? (@."Parent Relationship" == "SubPlan").** ? (@."Node Type" starts with "Gather")')
  FROM (SELECT explained(query)) e(plan);
$$;

-- One comparison, of off with a mode.  Returns 'ok', 'skipped' (the query fails without us, or is
-- too slow), 'slow' (too slow with us only; 'slow by rescans'), or 'FAILED: ...'; and how many
-- joins of ours the plan had, and of the server's own, and whether processes
-- share a table in it.
CREATE FUNCTION fuzz(query text, mode text, batch_size int, debug_hash_bits int, OUT verdict text, OUT ours int, OUT others int, OUT shared int)
LANGUAGE plpgsql AS $$
DECLARE
  expected text[];
  joins text[];
BEGIN
  ours := 0;
  others := 0;
  shared := 0;
  PERFORM set_mode('off');
  BEGIN
    expected := rows_of(query, true);
  EXCEPTION WHEN OTHERS OR query_canceled THEN
    verdict := 'skipped ' || SQLERRM;
    RETURN;
  END;
  -- little memory for every other query
  PERFORM set_mode(mode, batch_size, debug_hash_bits,
                   ('{0,0,1,3000}'::int[])[1 + (hashtext(query) & 3)]);
  BEGIN
    joins := joins_of(query, true);
    ours := (SELECT count(*) FROM unnest(joins) j WHERE j LIKE '%:%');
    others := cardinality(joins) - ours;
    shared := shares_table(wrapped(query, true))::int;
    verdict := coalesce('FAILED: ' || difference(expected, rows_of(query, true)), 'ok');
  EXCEPTION
    WHEN query_canceled THEN
      verdict := CASE WHEN rescans_gather(wrapped(query, true)) THEN 'slow by rescans' ELSE 'slow' END;
    WHEN OTHERS THEN
      verdict := format('FAILED: %s: %s', SQLSTATE, SQLERRM);
  END;
END
$$;
