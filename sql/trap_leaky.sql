-- Who sees which row: conditions of a security barrier come before conditions
-- that could tell, also among the residual conditions of a join.
\set test trap_leaky
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

-- A function that tells what it was called with; it is not volatile, so that
-- subqueries with it are made joins.
CREATE FUNCTION leak(t text, v int) RETURNS bool LANGUAGE plpgsql STABLE COST 0.0001 AS $$
BEGIN
	PERFORM set_config('hj_test.seen', concat_ws(' ', nullif(current_setting('hj_test.seen', true), ''), t || v), false);
	RETURN true;
END $$;
CREATE FUNCTION leak_no(t text, v int) RETURNS bool LANGUAGE plpgsql STABLE COST 0.0001 AS $$
BEGIN
	PERFORM leak(t, v);
	RETURN false;
END $$;
CREATE FUNCTION seen() RETURNS text[] LANGUAGE sql AS
	$$SELECT string_to_array(nullif(current_setting('hj_test.seen', true), ''), ' ')$$;
CREATE FUNCTION leak_eq(i int) RETURNS int LANGUAGE plpgsql COST 0.0001 IMMUTABLE AS $$
BEGIN
	RAISE NOTICE 'key %', i;
	RETURN i;
END $$;
CREATE TABLE secret (k int, v int, owner text);
INSERT INTO secret SELECT g % 5, g, CASE WHEN g % 2 = 0 THEN 'hj_alice' ELSE 'hj_bob' END FROM generate_series(1, 20) g;
CREATE TABLE pub (k int, w int);
INSERT INTO pub SELECT g, g * 10 FROM generate_series(1, 8) g;
ANALYZE;

-- a security barrier whose condition needs both sides of a join
CREATE VIEW joined WITH (security_barrier) AS
	SELECT s.k, s.v, p.w FROM secret s JOIN pub p ON s.k = p.k WHERE s.v + p.w < 30;
CREATE VIEW even WITH (security_barrier) AS SELECT * FROM secret WHERE v % 2 = 0;
CREATE FUNCTION leaked(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	off text[];
	forced text[];
	who text;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	PERFORM set_config('hj_test.seen', '', false), run(q);
	off := coalesce(seen(), '{}');
	PERFORM set_config('hashjoin_ext.enable', 'force', true);
	PERFORM set_config('hj_test.seen', '', false), run(q);
	forced := coalesce(seen(), '{}');
	who := whose(q);
	PERFORM set_config('hashjoin_ext.enable', 'off', true);
	RETURN coalesce(difference(off, forced), 'same, saw ' || cardinality(forced) || ' values') || who;
END $$;
SELECT leaked('SELECT * FROM joined WHERE leak(''j'', v)');
SELECT leaked('SELECT * FROM even e JOIN pub p USING (k) WHERE leak(''e'', v)');
SELECT leaked('SELECT * FROM pub p LEFT JOIN even e ON p.k = e.k AND leak(''l'', e.v)');
SELECT leaked('SELECT * FROM pub p LEFT JOIN joined j ON p.k = j.k AND leak(''lj'', j.v + p.w * 0)');
SELECT leaked('SELECT * FROM pub p WHERE EXISTS (SELECT FROM even e WHERE e.k = p.k AND leak_no(''s'', e.v + p.w * 0))');
SELECT leaked('SELECT * FROM pub p FULL JOIN even e ON p.k = e.k AND leak(''f'', e.v + p.w * 0)');
SELECT compare('SELECT * FROM joined j JOIN even e ON j.k = e.k AND j.v < e.v');

-- the cheap condition comes first where no barrier says otherwise
CREATE FUNCTION dear(i int) RETURNS bool LANGUAGE plpgsql STABLE COST 100000 AS 'BEGIN RETURN leak(''dear'', i); END';
SELECT leaked('SELECT * FROM secret s JOIN pub p ON s.k = p.k WHERE dear(s.v + p.w) AND s.v + p.w > 45');
SELECT leaked('SELECT * FROM secret s LEFT JOIN pub p ON s.k = p.k AND dear(s.v + p.w) AND s.v + p.w > 45');

-- row level security: the role sees its own rows through every join
CREATE ROLE hj_alice;
CREATE ROLE hj_bob;
GRANT USAGE ON SCHEMA trap_leaky TO hj_alice, hj_bob;
GRANT SELECT ON ALL TABLES IN SCHEMA trap_leaky TO hj_alice, hj_bob;
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON secret USING (owner = current_user);
CREATE POLICY through ON pub USING (EXISTS (SELECT FROM secret s WHERE s.k = pub.k AND s.v < pub.w));
ALTER TABLE pub ENABLE ROW LEVEL SECURITY;
SET ROLE hj_alice;
SELECT compare('SELECT * FROM secret s JOIN pub p USING (k)');
SELECT compare('SELECT * FROM secret s FULL JOIN pub p USING (k)');
SELECT leaked('SELECT * FROM secret s JOIN pub p USING (k) WHERE leak(''r'', s.v) AND s.v + p.w > 0');
SELECT leaked('SELECT * FROM secret s JOIN secret t ON s.k = t.k AND leak(''b'', s.v + t.v)');
SELECT leaked('SELECT * FROM pub p WHERE NOT EXISTS (SELECT FROM secret s WHERE s.k = p.k AND leak_no(''n'', s.v + p.w))');
RESET ROLE;
-- a generic plan made under one role and executed under another
SET plan_cache_mode = force_generic_plan;
SET hashjoin_ext.enable = force;
SET ROLE hj_alice;
PREPARE mine AS SELECT count(*), count(DISTINCT s.owner), min(s.owner) FROM secret s JOIN pub p USING (k);
EXECUTE mine;
SET ROLE hj_bob;
EXECUTE mine;
RESET ROLE;
EXECUTE mine;
SET hashjoin_ext.enable = off;
DEALLOCATE mine;
RESET plan_cache_mode;

-- a key function that tells: it is called once for each row that reaches the join
SET client_min_messages = notice;
SET hashjoin_ext.enable = force;
\set VERBOSITY terse
SELECT count(*) FROM (SELECT k FROM pub WHERE k < 3) p JOIN (SELECT k FROM pub WHERE k < 2) q ON leak_eq(p.k) = q.k;
SET hashjoin_ext.enable = off;
\set VERBOSITY default
SET client_min_messages = warning;
DROP SCHEMA trap_leaky CASCADE;
DROP ROLE hj_alice, hj_bob;
