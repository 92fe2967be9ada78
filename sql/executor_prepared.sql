-- Plans that are kept: generic plans with parameters everywhere, plans that
-- must be thrown away, plans of functions, plans that were copied or written
-- out and read back.
\set test executor_prepared
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE a (k int, v int, t text);
INSERT INTO a SELECT g, g % 20, 't' || g % 7 FROM generate_series(1, 400) g;
CREATE TABLE b (k int, w int);
INSERT INTO b SELECT (g * 3) % 500, g % 30 FROM generate_series(1, 600) g;
ANALYZE;
-- where the server can, every plan is written out and read back before it runs
DO $$
BEGIN
	IF EXISTS (SELECT FROM pg_settings WHERE name = 'debug_write_read_parse_plan_trees') THEN
		SET debug_write_read_parse_plan_trees = on;
	END IF;
	IF EXISTS (SELECT FROM pg_settings WHERE name = 'debug_copy_parse_plan_trees') THEN
		SET debug_copy_parse_plan_trees = on;
	END IF;
END $$;
-- A statement with each of a list of arguments, without and with our node.
CREATE FUNCTION prepared(types text, q text, VARIADIC args text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	arg text;
	mode text;
	want jsonb := '{}';
	got text[];
BEGIN
	PERFORM set_config('plan_cache_mode', 'force_generic_plan', true);
	FOREACH mode IN ARRAY ARRAY['off', 'force'] LOOP
		PERFORM set_config('hashjoin_ext.enable', mode, true);
		EXECUTE format('PREPARE p(%s) AS %s', types, q);
		FOREACH arg IN ARRAY args LOOP
			got := run(format('EXECUTE p(%s)', arg));
			IF mode = 'off' THEN
				want := want || jsonb_build_object(arg, got);
			ELSE
				RETURN NEXT coalesce(difference(ARRAY(SELECT jsonb_array_elements_text(want -> arg)), got),
					'same, ' || cardinality(got) || ' rows') || whose(format('EXECUTE p(%s)', arg));
			END IF;
		END LOOP;
		DEALLOCATE p;
	END LOOP;
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
END $$;
-- parameters in a filter of either side, in ON, in WHERE, in a key, in the target list, in LIMIT
SELECT prepared('int, text', 'SELECT a.*, w FROM a JOIN b USING (k) WHERE a.v < $1 AND a.t = $2', '5, ''t1''', '20, ''t6''', 'NULL, ''t1''', '1, ''none''');
SELECT prepared('int', 'SELECT a.*, b.* FROM a LEFT JOIN b ON a.k = b.k + $1 AND b.w > $1', '0', '7', 'NULL');
SELECT prepared('int', 'SELECT a.*, b.* FROM a LEFT JOIN b ON a.k + $1 = b.k', '0', '-9', 'NULL');
SELECT prepared('int', 'SELECT a.*, b.* FROM a FULL JOIN b ON a.k = b.k AND a.v = $1', '3', '19', '99', 'NULL');
SELECT prepared('int', 'SELECT a.*, b.* FROM a FULL JOIN b ON a.k = b.k WHERE coalesce(a.v, $1) = $1', '3', 'NULL');
SELECT prepared('int', 'SELECT a.k, w, $1 FROM a JOIN b USING (k) ORDER BY a.k DESC, w LIMIT $1', '3', '1', '0', 'NULL');
SELECT prepared('int[]', 'SELECT a.* FROM a WHERE k = ANY ($1) AND EXISTS (SELECT FROM b WHERE b.k = a.k)', '''{3,4,5,6}''', '''{}''', 'NULL');
SELECT prepared('int', 'SELECT a.* FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.k = a.k AND b.w = $1)', '1', '99', 'NULL');
SELECT prepared('int', 'SELECT a.* FROM a WHERE k NOT IN (SELECT k FROM b WHERE w = $1)', '1', '99', 'NULL');
SELECT prepared('text', 'SELECT a.k FROM a JOIN b ON a.t = $1 || b.w', '''t''', '''x''');
SELECT prepared('bool', 'SELECT a.k FROM a JOIN b ON a.k = b.k WHERE $1', 'true', 'false', 'NULL');
SELECT prepared('bool', 'SELECT a.k, b.w FROM a LEFT JOIN b ON a.k = b.k AND $1', 'true', 'false', 'NULL');

-- a plan outlives the setting it was made under, until it is made again
SET plan_cache_mode = force_generic_plan;
CREATE FUNCTION ours(q text) RETURNS bool LANGUAGE sql AS 'SELECT nodes(plan(q)) > 0';
SET hashjoin_ext.enable = force;
PREPARE p(int) AS SELECT count(*), sum(a.k)::numeric FROM a JOIN b USING (k) WHERE a.v <> $1;
EXECUTE p(1);
SELECT ours('EXECUTE p(1)');
SET hashjoin_ext.enable = off;
SELECT ours('EXECUTE p(1)');
EXECUTE p(1);
SET hashjoin_ext.enable = force;
-- thrown away: a column more, an index more, a type changed, a table anew
ALTER TABLE b ADD COLUMN extra int DEFAULT 5;
EXECUTE p(1);
CREATE INDEX ON b (k);
EXECUTE p(1);
ALTER TABLE a ALTER k TYPE int8;
EXECUTE p(1);
ANALYZE a;
EXECUTE p(1);
DROP TABLE b;
\set VERBOSITY sqlstate
EXECUTE p(1);
\set VERBOSITY default
CREATE TABLE b (k int2, w int2);
INSERT INTO b SELECT g, 1 FROM generate_series(1, 10) g;
EXECUTE p(1);
SELECT ours('EXECUTE p(1)');
DISCARD PLANS;
EXECUTE p(2);
-- executed within itself: the same plan twice at one time
CREATE FUNCTION nested(i int) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
	n bigint;
BEGIN
	SELECT sum(CASE WHEN i > 0 THEN nested(i - 1) ELSE 1 END) INTO n FROM a JOIN b USING (k) WHERE b.k < 4;
	RETURN n;
END $$;
SELECT nested(3);
-- the switch from custom to generic plan, in a function called often
RESET plan_cache_mode;
CREATE FUNCTION custom(i int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	SELECT count(*) * 1000 + count(b.k) INTO n FROM a LEFT JOIN b ON a.k = b.k AND b.w = i WHERE a.v <> i;
	RETURN n;
END $$;
SELECT i, custom(i) FROM generate_series(0, 9) i;
-- SQL functions, inlined and not
CREATE FUNCTION inl(i int) RETURNS TABLE (k int8, w int2) LANGUAGE sql STABLE AS 'SELECT a.k, b.w FROM a JOIN b USING (k) WHERE a.v <> i';
CREATE FUNCTION notinl(i int) RETURNS TABLE (k int8, w int2) LANGUAGE sql VOLATILE AS 'SELECT a.k, b.w FROM a JOIN b USING (k) WHERE a.v <> i';
SET hashjoin_ext.enable = off;
SELECT compare('SELECT * FROM inl(3) x JOIN inl(4) y USING (k)');
SELECT compare('SELECT * FROM notinl(3) x JOIN a ON a.k = x.k');
SELECT compare('SELECT * FROM notinl(3) x FULL JOIN notinl(4) y ON y.k = x.k');

DROP SCHEMA executor_prepared CASCADE;
