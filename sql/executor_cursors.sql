-- Cursors over a join: fetched in pieces, backwards, held over a commit, left
-- open while other statements run, closed early.
\set test executor_cursors
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers

CREATE TABLE a (k int, v int);
INSERT INTO a SELECT g % 20, g FROM generate_series(1, 100) g;
CREATE TABLE b (k int, w int);
INSERT INTO b SELECT g % 25, g FROM generate_series(1, 75) g;
ANALYZE;
\set q 'SELECT a.k, v, w FROM a JOIN b USING (k)'
SELECT uses_node('SELECT a.k, v, w FROM a JOIN b USING (k)');
SELECT count(*), sum(v), sum(w) FROM (:q) s;
CREATE FUNCTION drain(c refcursor, direction text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r record;
	n int := 0;
	v bigint := 0;
	w bigint := 0;
BEGIN
	FOR r IN EXECUTE format('FETCH %s FROM %I', direction, c) LOOP
		n := n + 1;
		v := v + r.v;
		w := w + r.w;
	END LOOP;
	RETURN format('%s|%s|%s', n, v, w);
END $$;

CREATE FUNCTION moved(c refcursor, want int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	n int;
BEGIN
	MOVE FORWARD want FROM c;
	GET DIAGNOSTICS n = ROW_COUNT;
	RETURN n;
END $$;

SET hashjoin_ext.enable = force;
BEGIN;
-- forwards, in pieces that end inside a chain; past the end and again
DECLARE c NO SCROLL CURSOR FOR :q;
SELECT moved('c', 7), moved('c', 1), moved('c', 290), moved('c', 1000000), moved('c', 1);
CLOSE c;
-- backwards is refused where it was not asked for, allowed where it was
DECLARE c NO SCROLL CURSOR FOR :q;
SAVEPOINT s;
FETCH BACKWARD 1 FROM c;
ROLLBACK TO s;
CLOSE c;
DECLARE c SCROLL CURSOR FOR :q;
SELECT drain('c', 'FORWARD ALL');
SELECT drain('c', 'BACKWARD ALL');
SELECT drain('c', 'FORWARD ALL');
MOVE ABSOLUTE 10 FROM c;
CREATE TEMP TABLE tenth ON COMMIT DROP AS SELECT drain('c', 'RELATIVE 0') AS r;
MOVE LAST FROM c;
MOVE ABSOLUTE 9 FROM c;
SELECT drain('c', 'NEXT') = r FROM tenth;
MOVE RELATIVE 100 FROM c;
MOVE RELATIVE -100 FROM c;
SELECT drain('c', 'RELATIVE 0') = r FROM tenth;
CLOSE c;
-- two cursors over one query, taken in turn
DECLARE c CURSOR FOR :q;
DECLARE d CURSOR FOR :q;
MOVE 100 FROM c;
MOVE 5 FROM d;
SELECT drain('c', 'ALL') IS NOT NULL, drain('d', 'ALL') IS NOT NULL;
-- data changed after the cursor was opened is not seen, within the build side or without
DECLARE e CURSOR FOR :q;
UPDATE a SET v = v + 1000;
DELETE FROM b;
SELECT drain('e', 'ALL');
ROLLBACK;

-- held over a commit; opened, not read, and held; left open at the end
BEGIN;
DECLARE h CURSOR WITH HOLD FOR :q;
MOVE 3 FROM h;
DECLARE i SCROLL CURSOR WITH HOLD FOR SELECT a.k, v, w FROM a FULL JOIN b ON a.k = b.k;
COMMIT;
SELECT moved('h', 1000000);
SELECT drain('i', 'FORWARD ALL');
SELECT drain('i', 'BACKWARD ALL');
CLOSE h;
CLOSE i;
BEGIN;
DECLARE c CURSOR FOR :q;
MOVE 3 FROM c;
COMMIT;
-- closed before the first row, in the middle, with an error after it
BEGIN;
DECLARE c CURSOR FOR :q;
CLOSE c;
DECLARE c CURSOR FOR :q;
MOVE 1 FROM c;
CLOSE c;
DECLARE c CURSOR FOR SELECT a.k, v, 1 / (w - 40) FROM a JOIN b USING (k);
SAVEPOINT s;
\set VERBOSITY sqlstate
MOVE ALL FROM c;
ROLLBACK TO s;
-- a portal that failed stays failed
MOVE 1 FROM c;
\set VERBOSITY default
ROLLBACK;

-- a cursor opened in a savepoint, read after its release; rolled back with it
BEGIN;
SAVEPOINT s;
DECLARE c CURSOR FOR :q;
MOVE 50 FROM c;
RELEASE s;
SELECT moved('c', 50);
SAVEPOINT t;
MOVE 50 FROM c;
DECLARE d CURSOR FOR :q;
MOVE 50 FROM d;
ROLLBACK TO t;
SELECT moved('c', 1000000);
SELECT count(*) FROM pg_cursors WHERE name = 'd';
COMMIT;

-- positioned update and delete through a cursor over a join
BEGIN;
DECLARE c CURSOR FOR SELECT a.k, v, w FROM a JOIN b USING (k) WHERE v = 7 AND w = 32 FOR UPDATE OF a;
MOVE 1 FROM c;
UPDATE a SET v = -1 WHERE CURRENT OF c;
SELECT k, v FROM a WHERE v < 0;
ROLLBACK;

-- plpgsql: loops, loops in loops over the same query, exit from a loop, COMMIT in a loop
CREATE FUNCTION loops() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r record;
	s record;
	n int := 0;
BEGIN
	FOR r IN SELECT a.k, v, w FROM a JOIN b USING (k) WHERE a.k < 4 LOOP
		FOR s IN SELECT a.k, v, w FROM a LEFT JOIN b ON a.k = b.k AND b.w > r.w WHERE a.k = r.k LOOP
			n := n + 1;
			EXIT WHEN s.w IS NULL;
		END LOOP;
	END LOOP;
	RETURN n;
END $$;
CREATE PROCEDURE commits() LANGUAGE plpgsql AS $$
DECLARE
	r record;
	n int := 0;
BEGIN
	FOR r IN SELECT a.k, v, w FROM a JOIN b USING (k) LOOP
		n := n + 1;
		IF n % 100 = 0 THEN
			COMMIT;
		END IF;
	END LOOP;
	INSERT INTO a VALUES (-1, n);
END $$;
CALL commits();
DELETE FROM a WHERE k = -1 RETURNING v;
SET hashjoin_ext.enable = off;
SELECT loops();
SET hashjoin_ext.enable = force;
DISCARD PLANS;
SELECT loops();
SET hashjoin_ext.enable = off;
SELECT compare('SELECT v FROM a WHERE k < 3 ORDER BY v');

DROP SCHEMA executor_cursors CASCADE;
