-- NOT IN as a join: every kind of inner and outer side, one to three columns,
-- residual clauses, either side built, in memory and in files, batches of several
-- sizes; against the subplan that it is without the extension.
\set test not_in_matrix
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

-- few values, so that rows agree in some columns; v tells the rows apart, and is
-- below 0 where all columns are NULL
CREATE FUNCTION make_table(name text, rows int, nulls text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE %I AS SELECT c1 AS a, c2::int8 AS b, ''t'' || c3 AS c, v FROM
		(SELECT CASE WHEN %2$s THEN NULL ELSE (g * 7) %% 5 END AS c1, CASE WHEN %3$s THEN NULL ELSE (g * 5) %% 4 END AS c2,
			CASE WHEN %4$s THEN NULL ELSE (g * 11) %% 3 END AS c3, CASE WHEN %2$s AND %3$s AND %4$s THEN -g ELSE g END AS v
		 FROM generate_series(1, %5$s) g) s', name,
		split_part(nulls, '/', 1), split_part(nulls, '/', 2), split_part(nulls, '/', 3), rows);
	-- a page at least, for the planner multiplies by the pages there are; never
	-- analyzed, so that it knows nothing of the values
	EXECUTE format('INSERT INTO %1$I DEFAULT VALUES; DELETE FROM %1$I WHERE v IS NULL', name);
END $$;
SELECT make_table('in_empty', 0, 'false/false/false');
SELECT make_table('in_values', 9, 'false/false/false');
SELECT make_table('in_one_null', 9, 'g = 4/g = 4/g = 4');
SELECT make_table('in_nulls', 4, 'true/true/true');
SELECT make_table('in_partial', 14, 'g % 3 = 0/g % 4 = 1/g % 5 = 0');
SELECT make_table('in_second', 7, 'false/g % 4 = 1/false');
SELECT make_table('out_values', 30, 'false/false/false');
SELECT make_table('out_mixed', 40, 'g % 3 = 0/g % 4 = 1/g % 5 > 2');
SELECT make_table('out_nulls', 3, 'true/true/true');
SELECT make_table('out_empty', 0, 'false/false/false');

-- What the planner believes of a table's size: it builds the side that is far
-- smaller.
CREATE FUNCTION believe(name text, rows int) RETURNS void LANGUAGE sql AS
	$$UPDATE pg_class SET reltuples = rows, relpages = 1 WHERE oid = name::regclass$$;

CREATE FUNCTION check_case(side text, q text, in_table text, out_table text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	verdict text;
	types text;
BEGIN
	PERFORM believe(in_table, CASE side WHEN 'inner' THEN 100 ELSE 10000000 END),
		believe(out_table, CASE side WHEN 'inner' THEN 10000000 ELSE 100 END);
	types := join_types(q);
	verdict := compare(q);
	-- only what is wrong needs to be seen in full
	RETURN coalesce(types, 'none') || ': ' || CASE WHEN verdict LIKE 'same, % rows' THEN 'same' ELSE q || ': ' || verdict END;
END $$;

CREATE FUNCTION matrix(columns int) RETURNS TABLE (built text, residual text, verdict text, cases bigint) LANGUAGE sql AS $$
	SELECT side, r.name, check_case(side, q, i, o), count(*)
	FROM unnest(ARRAY['in_empty', 'in_values', 'in_one_null', 'in_nulls', 'in_partial', 'in_second']) i,
		unnest(ARRAY['out_values', 'out_mixed', 'out_nulls', 'out_empty']) o,
		unnest(ARRAY['inner', 'outer']) side,
		(VALUES (1, 'none', 'true'), (2, 'passing', 'i.v + o.v > -1000'), (3, 'excluding NULL', 'i.v + o.v * 0 > 0'),
			(4, 'correlated', 'i.v < abs(o.v)')) r(n, name, clause),
		format('SELECT v FROM %I o WHERE (%s) NOT IN (SELECT %s FROM %I i WHERE %s)', o,
			array_to_string((ARRAY['o.b', 'o.a', 'o.c'])[:columns], ', '), array_to_string((ARRAY['i.b', 'i.a', 'i.c'])[:columns], ', '), i, r.clause) q
	GROUP BY 1, 2, 3, r.n
	ORDER BY 1, r.n, 3
$$;
SELECT * FROM matrix(1);
SELECT * FROM matrix(2);
SELECT * FROM matrix(3);
-- two narrow columns, which are packed into a word; the same column twice
SELECT side, check_case(side, 'SELECT v FROM out_mixed o WHERE (a, a::int2) NOT IN (SELECT a, b::int2 FROM in_partial)', 'in_partial', 'out_mixed')
	FROM unnest(ARRAY['inner', 'outer']) side;
SELECT side, check_case(side, 'SELECT v FROM out_mixed o WHERE (a::int2, b::int2, v::int2) NOT IN (SELECT a::int2, b::int2, v::int2 FROM in_partial i)', 'in_partial', 'out_mixed')
	FROM unnest(ARRAY['inner', 'outer']) side;
SELECT side, check_case(side, 'SELECT v FROM out_mixed o WHERE (a, a) NOT IN (SELECT a, b FROM in_partial)', 'in_partial', 'out_mixed')
	FROM unnest(ARRAY['inner', 'outer']) side;
-- an ordinary equality beside the test: its NULL matches nothing
SELECT side, check_case(side, 'SELECT v FROM out_mixed o WHERE a NOT IN (SELECT a FROM in_partial i WHERE i.b = o.b)', 'in_partial', 'out_mixed')
	FROM unnest(ARRAY['inner', 'outer']) side;
SELECT side, check_case(side, 'SELECT v FROM out_mixed o WHERE a NOT IN (SELECT a FROM in_partial i WHERE i.c = o.c AND i.v < o.v)', 'in_partial', 'out_mixed')
	FROM unnest(ARRAY['inner', 'outer']) side;
SELECT side, check_case(side, 'SELECT v FROM out_mixed o WHERE (a, b) NOT IN (SELECT a, b FROM in_partial i WHERE i.c = o.c)', 'in_partial', 'out_mixed')
	FROM unnest(ARRAY['inner', 'outer']) side;
-- and one in which NULL equals NULL
SELECT side, check_case(side, 'SELECT v FROM out_mixed o WHERE a NOT IN (SELECT a FROM in_partial i WHERE i.b IS NOT DISTINCT FROM o.b)', 'in_partial', 'out_mixed')
	FROM unnest(ARRAY['inner', 'outer']) side;
SELECT side, check_case(side, 'SELECT v FROM out_mixed o WHERE a NOT IN (SELECT a FROM in_partial i WHERE i.c IS NOT DISTINCT FROM o.c)', 'in_partial', 'out_mixed')
	FROM unnest(ARRAY['inner', 'outer']) side;
-- types whose keys are compared by their operator, and collide
SELECT side, check_case(side, format('SELECT v FROM out_mixed o WHERE %1$s NOT IN (SELECT %1$s FROM in_partial i WHERE i.v < o.v)', k), 'in_partial', 'out_mixed')
	FROM unnest(ARRAY['inner', 'outer']) side, unnest(ARRAY['b::numeric', 'CASE WHEN a > 0 THEN ARRAY[a] END', 'c::char(4)']) k;
SELECT side, check_case(side, 'SELECT v FROM out_mixed o WHERE (CASE WHEN a > 0 THEN ARRAY[a] END, b::numeric) NOT IN (SELECT CASE WHEN a > 0 THEN ARRAY[a] END, b::numeric FROM in_partial i)', 'in_partial', 'out_mixed')
	FROM unnest(ARRAY['inner', 'outer']) side;

-- the premise: rows do go to files, in passes where NULL belongs to all partitions
SET hashjoin_ext.debug_table_bytes = 1;
SELECT node_props('SELECT v FROM out_mixed WHERE b NOT IN (SELECT b FROM in_values)', 'Join Type', 'Partitions Spilled', 'Partitions Joined in Passes');
SELECT node_props('SELECT v FROM out_mixed o WHERE b NOT IN (SELECT b FROM in_values i WHERE i.v < o.v)', 'Join Type', 'Partitions Spilled', 'Partitions Joined in Passes');
SELECT node_props('SELECT v FROM out_mixed o WHERE (a, b) NOT IN (SELECT a, b FROM in_values i)', 'Join Type', 'Partitions Spilled', 'Partitions Joined in Passes');
RESET hashjoin_ext.debug_table_bytes;

-- without room for the map of a pattern: all rows are looked at
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
CREATE TABLE in_many AS SELECT nullif(g % 50, 0) AS a, nullif(g % 40, 0) AS b, g AS v FROM generate_series(1, 3000) g WHERE g % 50 <> g % 40;
CREATE TABLE out_many AS SELECT nullif(g % 50, 0) AS a, nullif(g % 67, 0) AS b, g AS v FROM generate_series(1, 1500) g;
ANALYZE in_many, out_many;
SET compare.table_bytes = 5000;
SELECT compare('SELECT v FROM out_many o WHERE (a, b) NOT IN (SELECT a, b FROM in_many WHERE v < 2000)');
SELECT compare('SELECT v FROM out_many o WHERE (a, b) NOT IN (SELECT a, b FROM in_many i WHERE (i.v + o.v) % 5 = 0)');
SELECT compare('SELECT v FROM in_many o WHERE (a, b) NOT IN (SELECT a, b FROM out_many i WHERE b > 30)');
SELECT compare('SELECT v FROM out_many o WHERE a NOT IN (SELECT a FROM in_many i WHERE i.v = o.v + 3)');

DROP SCHEMA not_in_matrix CASCADE;
