--
-- Differential test: keys that are expressions.
-- What is compared, and how, is told in test/differential/driver.sql.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\set driver :abs_srcdir '/test/differential/driver.sql'
\set ECHO none
\i :driver
\set ECHO all
\pset format unaligned
\pset tuples_only on

CREATE TYPE pair AS (x int, y int);
CREATE FUNCTION key_of(int) RETURNS text IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE WHEN $1 IS NULL THEN 'none' WHEN $1 < 0 THEN NULL ELSE repeat('k', $1 % 100) END;
END
$$;

CALL key_column('int4', 'int4', '(0),(1),(2),(3),(-1),(-2),(-3),(-4)');
CALL key_pair('int4, int8', 'int4', 'int8', '(0),(1),(2),(3),(-1),(-2)', '(0),(1),(2),(3),(4294967295),(-2)');
CALL key_pair('mixed case', 'text', 'text', $$('A'),('b'),('aB'),(''),('AB'),('c')$$, $$('a'),('b'),('ab'),(''),('ab'),('C')$$);
CALL key_column('text', 'text', $$('a'),('b'),('ab'),(''),('abc'),('c')$$);
CALL key_column('composite', 'pair', $$('(1,2)'),('(2,1)'),('(,1)'),('(2,)'),('(1,3)')$$);
CALL key_pair('jsonb, text', 'jsonb', 'text',
  $$('{"k": "1"}'),('{"k": 2}'),('{"k": "x"}'),('{"k": ""}'),('{}'),('{"k": null}')$$, $$('1'),('2'),('x'),(''),('y'),('null')$$);
CALL key_pair('timestamptz, date', 'timestamptz', 'date',
  $$('2024-01-01 00:00'),('2024-01-02 23:59'),('infinity'),('2024-01-03')$$, $$('2024-01-01'),('2024-01-02'),('infinity'),('2024-01-03')$$);

SELECT differential('a.k1 + 1 = b.k1', '{int4}', '{a.k1 + 1}');
SELECT differential('a.k1 = abs(b.k1)', '{int4}', rexpr => '{abs(b.k1)}');
SELECT differential('a.k1 % 3 = b.k1 % 3', '{int4}', '{a.k1 % 3}', '{b.k1 % 3}');
SELECT differential('a.k1::int8 = b.k1', '{"int4, int8"}', '{a.k1::int8}');
SELECT differential('a.k1 = b.k1::int4', '{"int4, int8"}', rexpr => '{(b.k1 % 1000)::int4}');
SELECT differential('lower(a.k1) = b.k1', '{mixed case}', '{lower(a.k1)}');
SELECT differential('a.k1 || ''x'' = b.k1 || ''x''', '{text}', '{a.k1 || ''x''}', '{b.k1 || ''x''}');
SELECT differential('length(a.k1) = length(b.k1)', '{text}', '{length(a.k1)}', '{length(b.k1)}');
SELECT differential('a.k1 = left(b.k1, 1)', '{text}', rexpr => '{"left(b.k1, 1)"}');
SELECT differential('a.k1 ->> ''k'' = b.k1', '{"jsonb, text"}', '{a.k1 ->> ''k''}');
SELECT differential('a.k1::date = b.k1', '{"timestamptz, date"}', '{a.k1::date}');
SELECT differential('(a.k1).y = (b.k1).y', '{composite}', '{(a.k1).y}', '{(b.k1).y}', except_templates => '{anti by left join}');
-- A NULL column does not make these keys NULL, so the anti join by LEFT JOIN
-- stays a left join.
SELECT differential('coalesce(a.k1, 2) = coalesce(b.k1, 2)', '{int4}', '{"coalesce(a.k1, 2)"}', '{"coalesce(b.k1, 2)"}',
                    except_templates => '{anti by left join}', except_shapes => '{all null,all null in b}');
SELECT differential('key_of(a.k1) = key_of(b.k1)', '{int4}', '{key_of(a.k1)}', '{key_of(b.k1)}',
                    except_templates => '{anti by left join}');
SELECT differential('CASE', '{int4}', '{CASE WHEN a.k1 > 0 THEN a.k1 END}', '{CASE WHEN b.k1 > 0 THEN b.k1 WHEN b.k1 < 0 THEN -b.k1 END}',
                    except_templates => '{anti by left join}');
SELECT differential('array of columns', '{int4}', '{"ARRAY[a.k1, a.w]"}', '{"ARRAY[b.k1, b.w]"}', except_templates => '{anti by left join}');
SELECT differential('row of columns', '{int4}', '{"ROW(a.k1, a.w)::pair"}', '{"ROW(b.k1, b.w)::pair"}', except_templates => '{anti by left join,semi by in}');
-- Clauses that share columns.
SELECT differential('a.k1 = b.k1 AND a.k1 = b.k2', '{int4,int4}', '{a.k1,a.k1}', '{b.k1,b.k2}');
SELECT differential('a.k1 = b.k1 AND a.k2 + 1 = b.k1 + 1', '{int4,int4}', '{a.k1,a.k2 + 1}', '{b.k1,b.k1 + 1}');
-- Here c takes part in the equivalence, so nothing is made unique.
SELECT differential('a.k1 = b.k1 AND a.w = b.w', '{int4}', '{a.k1,a.w}', '{b.k1,b.w}', except_templates => '{unique-ified semi}');
SELECT differential('a.k1 = b.k1 AND lower(a.k2) = b.k2', '{int4,mixed case}', '{a.k1,lower(a.k2)}');
-- Subqueries in the key: evaluated once, and once a row.
SELECT differential('a.k1 + (SELECT ...) = b.k1', '{int4}', '{a.k1 + (SELECT min(x) FROM c)}');
SELECT differential('(SELECT ... a.k1) = b.k1', '{int4}', '{(SELECT max(c.x) FROM c WHERE c.x <= a.k1)}',
                    except_templates => '{semi by in,unique-ified semi}');

-- Left out: a key compared with a constant as well (a.k1 = b.k1 AND a.k1 = 1)
-- leaves no clause to join by; a side that takes columns of both tables
-- (a.k1 = b.k1 + a.v) cannot be hashed.
DROP SCHEMA hj_differential CASCADE;
