-- Errors in the middle of a join: in the build, in the probe, in a key, in a
-- condition, in what is put out.  The user gets the expression's own error,
-- the next statement finds everything as it was.
\set test executor_errors
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE a (k int, v int, t text);
INSERT INTO a SELECT g % 50, g, 't' || g FROM generate_series(1, 300) g;
CREATE TABLE b (k int, w int, t text);
INSERT INTO b SELECT g % 60, g, 't' || g FROM generate_series(1, 200) g;
ANALYZE;
CREATE FUNCTION breaks(i int, at int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF i = at THEN
		RAISE EXCEPTION 'broken at %', at USING ERRCODE = 'HJ001';
	END IF;
	RETURN i;
END $$;
-- in a scan below the join, either side; in a key, either side; in ON; in WHERE; above
SELECT compare('SELECT * FROM (SELECT breaks(v, 250) AS k FROM a OFFSET 0) a JOIN b USING (k)');
SELECT compare('SELECT * FROM a JOIN (SELECT breaks(w, 150) AS k FROM b OFFSET 0) b USING (k)');
SELECT compare('SELECT * FROM a JOIN b ON breaks(a.v, 250) = b.w');
SELECT compare('SELECT * FROM a JOIN b ON a.v = breaks(b.w, 150)');
SELECT compare('SELECT * FROM a LEFT JOIN b ON breaks(a.v, 250) = b.w');
SELECT compare('SELECT * FROM a RIGHT JOIN b ON breaks(a.v, 250) = b.w');
SELECT compare('SELECT * FROM a FULL JOIN b ON a.v = breaks(b.w, 150)');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k AND breaks(a.v - b.w, 50) > 0');
SELECT compare('SELECT * FROM a LEFT JOIN b ON a.k = b.k WHERE breaks(a.v - coalesce(b.w, 0), 50) > 0');
SELECT compare('SELECT a.k, breaks(a.v - b.w, 50) FROM a JOIN b USING (k)');
SELECT compare('SELECT * FROM a WHERE EXISTS (SELECT FROM b WHERE b.k = a.k AND breaks(a.v - b.w, 50) > 1000)');
SELECT compare('SELECT * FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.k = a.k AND breaks(a.v - b.w, 50) > 1000)');
-- built in: division by zero, overflow, a cast that fails, a subquery of two rows
SELECT compare('SELECT * FROM a JOIN b ON 100 / (a.v - 77) = b.w');
SELECT compare('SELECT * FROM a JOIN b ON a.v = b.w * 100000000');
SELECT compare('SELECT * FROM a JOIN b ON a.t::int = b.k');
SELECT compare('SELECT * FROM a JOIN b ON a.k = b.k AND a.v = (SELECT v FROM a x WHERE x.k = b.w % 50)');
SELECT compare('SELECT * FROM a JOIN b ON a.v = (SELECT w FROM b)');
-- a hash or equality function of a type's own that fails
CREATE FUNCTION eq_bad(int, int) RETURNS bool LANGUAGE plpgsql IMMUTABLE STRICT AS
	$$BEGIN IF $1 = 13 AND $2 = 13 THEN RAISE EXCEPTION 'equality broke' USING ERRCODE = 'HJ002'; END IF; RETURN $1 = $2; END$$;
CREATE FUNCTION hash_bad(int) RETURNS int LANGUAGE plpgsql IMMUTABLE STRICT AS
	$$BEGIN IF $1 = 666 THEN RAISE EXCEPTION 'hash broke' USING ERRCODE = 'HJ003'; END IF; RETURN hashint4($1); END$$;
CREATE FUNCTION hash_bad_ext(int, int8) RETURNS int8 LANGUAGE plpgsql IMMUTABLE STRICT AS
	$$BEGIN IF $1 = 666 THEN RAISE EXCEPTION 'hash broke' USING ERRCODE = 'HJ003'; END IF; RETURN hashint4extended($1, $2); END$$;
CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = eq_bad, COMMUTATOR = ===, HASHES);
CREATE OPERATOR CLASS bad FOR TYPE int USING hash AS OPERATOR 1 ===, FUNCTION 1 hash_bad(int), FUNCTION 2 hash_bad_ext(int, int8);
CREATE TABLE c AS SELECT g AS k FROM generate_series(1, 40) g;
ANALYZE c;
SELECT compare('SELECT a.v, c.k FROM a JOIN c ON a.k === c.k WHERE a.k <> 13');
SELECT compare('SELECT a.v, c.k FROM a JOIN c ON a.k === c.k');
SET hashjoin_ext.enable = force;
\set VERBOSITY terse
SELECT count(*) FROM a JOIN (SELECT 666 AS k FROM c OFFSET 0) c ON a.k === c.k;
SELECT count(*) FROM (SELECT 666 AS k FROM a OFFSET 0) a JOIN c ON a.k === c.k;
SELECT uses_node('SELECT count(*) FROM a JOIN (SELECT 666 AS k FROM c OFFSET 0) c ON a.k === c.k');
-- the same statement again, and one that is whole: nothing was left behind
SELECT count(*) FROM a JOIN (SELECT 666 AS k FROM c OFFSET 0) c ON a.k === c.k;
SELECT count(*) FROM a JOIN b USING (k);
\set VERBOSITY default

-- Subtransactions: an error in one, caught, with the outer query still running.
CREATE FUNCTION caught(at int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r record;
	good int := 0;
	bad int := 0;
	n int;
BEGIN
	FOR r IN SELECT a.k, a.v, b.w FROM executor_errors.a JOIN executor_errors.b USING (k) WHERE a.k < 6 LOOP
		BEGIN
			SELECT count(*) INTO n FROM executor_errors.a x LEFT JOIN executor_errors.b y
				ON x.k = y.k AND executor_errors.breaks(x.v - y.w, r.v - r.w) > -1000 WHERE x.k = at;
			good := good + 1;
		EXCEPTION WHEN SQLSTATE 'HJ001' THEN
			bad := bad + 1;
		END;
	END LOOP;
	RETURN format('%s good, %s bad', good, bad);
END $$;
SET hashjoin_ext.enable = off;
SELECT caught(2);
SET hashjoin_ext.enable = force;
DISCARD PLANS;
SELECT caught(2);
-- savepoints: an error, another error, then what was open before goes on
BEGIN;
DECLARE c CURSOR FOR SELECT a.k FROM a JOIN b USING (k);
MOVE 10 FROM c;
SAVEPOINT s1;
\set VERBOSITY sqlstate
SELECT count(breaks(a.v, 70)) FROM a JOIN b USING (k);
ROLLBACK TO s1;
SAVEPOINT s2;
DECLARE d CURSOR FOR SELECT breaks(a.v - b.w, 49) FROM a JOIN b USING (k);
MOVE ALL FROM d;
ROLLBACK TO s2;
\set VERBOSITY default
SELECT count(*) FROM a JOIN b USING (k);
MOVE 10 FROM c;
COMMIT;
-- an error when a portal of ours is open at the end of the transaction
BEGIN;
DECLARE c CURSOR FOR SELECT a.k FROM a FULL JOIN b USING (k);
MOVE 10 FROM c;
\set VERBOSITY sqlstate
SELECT 1 / 0;
\set VERBOSITY default
ROLLBACK;

-- Cancel: by statement_timeout in the build, in the probe, in one long chain,
-- among the unmatched rows; promptly, and nothing is left behind.
CREATE TABLE one (k int, v int);
INSERT INTO one SELECT 1, g FROM generate_series(1, 40000) g;
CREATE TABLE big (k int);
INSERT INTO big SELECT g FROM generate_series(1, 100000) g;
ANALYZE;
CREATE FUNCTION cut(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	t timestamptz := clock_timestamp();
	n bigint;
	r text := 'finished';
BEGIN
	BEGIN
		EXECUTE q INTO n;
	EXCEPTION WHEN query_canceled THEN
		r := SQLSTATE;
	END;
	RETURN r || CASE WHEN clock_timestamp() - t > interval '5 s' THEN ', late' ELSE '' END || whose(q);
END $$;
SET statement_timeout = '150ms';
-- in the probe, one chain, matches that go up
SELECT cut('SELECT count(*) FROM one a JOIN one b USING (k)');
-- matches that a condition throws away, so that nothing ever goes up
SELECT cut('SELECT count(*) FROM one a JOIN one b ON a.k = b.k AND a.v + b.v < 0');
SELECT cut('SELECT count(*) FROM one a WHERE NOT EXISTS (SELECT FROM one b WHERE a.k = b.k AND a.v + b.v < 0)');
SELECT cut('SELECT count(*) FROM one a FULL JOIN one b ON a.k = b.k AND a.v > b.v + 100000');
SELECT cut('SELECT count(*) FROM one a LEFT JOIN one b ON a.k = b.k WHERE a.v + b.v < 0');
-- in the build
SELECT cut('SELECT count(*) FROM big a JOIN (SELECT k, pg_sleep(0.01) FROM big) b USING (k)');
SELECT cut('SELECT count(*) FROM big a RIGHT JOIN (SELECT k, pg_sleep(0.01) FROM big) b USING (k)');
-- in many runs, each of them short
SELECT cut('SELECT count(*) FROM big a, LATERAL (SELECT count(*) FROM big b JOIN big c USING (k) WHERE a.k > -b.k) s');
-- the probe side never matches
SELECT cut('SELECT count(*) FROM (SELECT -k AS k FROM big a, generate_series(1, 100000) OFFSET 0) a JOIN big b USING (k)');
-- at the end, a condition on unmatched rows that takes long
SELECT cut('SELECT count(*) FROM big a RIGHT JOIN (SELECT -k AS k FROM big) b USING (k) WHERE pg_sleep(0.01) IS NULL OR a.k = 1');
SET statement_timeout = 0;
SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '%';
SELECT count(*) FROM big a JOIN big b USING (k);
-- with all hashes alike the chain is long and every step compares
SET hashjoin_ext.debug_hash_bits = 0;
SET statement_timeout = '150ms';
SELECT cut('SELECT count(*) FROM big a JOIN big b USING (k)');
SET statement_timeout = 0;
RESET hashjoin_ext.debug_hash_bits;
SET hashjoin_ext.enable = off;

DROP SCHEMA executor_errors CASCADE;
