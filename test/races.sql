-- Tiny joins in parallel, again and again: the session of test/races.
SET client_min_messages = warning;

-- Few rows, so that a worker comes when all is done, or all come at once.
CREATE TABLE tiny (k int, t text, v int);
CREATE TABLE small (k int, t text, v int);
CREATE TABLE more (k int, t text, v int);
INSERT INTO tiny SELECT CASE WHEN g % 4 > 0 THEN g END, 'k' || g, g FROM generate_series(1, 7) g;
INSERT INTO small SELECT CASE WHEN g % 13 > 0 THEN g % 40 END, 'k' || g % 40, g FROM generate_series(1, 150) g;
INSERT INTO more SELECT CASE WHEN g % 17 > 0 THEN g % 900 END, 'k' || g % 900, g FROM generate_series(1, 2500) g;
CREATE TABLE none (LIKE tiny);
-- known to be unique: nothing is chained
CREATE TABLE proven (k int UNIQUE, t text, v int);
INSERT INTO proven SELECT CASE WHEN g % 19 > 0 THEN g END, 'k' || g, g FROM generate_series(1, 900) g;
-- not by their size: as many as may be
ALTER TABLE tiny SET (parallel_workers = 8);
ALTER TABLE small SET (parallel_workers = 8);
ALTER TABLE more SET (parallel_workers = 8);
ALTER TABLE none SET (parallel_workers = 8);
ALTER TABLE proven SET (parallel_workers = 8);
ANALYZE tiny, small, more, none, proven;

-- What may be asked: the last prober puts out rows, or a process does for its partition.
CREATE TABLE shape (n int GENERATED ALWAYS AS IDENTITY, name text, sql text);
INSERT INTO shape (name, sql) VALUES
	('right', 'SELECT x.v, y.v AS w FROM X x RIGHT JOIN Y y USING ({k})'),
	('full', 'SELECT x.v, y.v AS w FROM X x FULL JOIN Y y USING ({k})'),
	('full, residual', 'SELECT x.v, y.v AS w FROM X x FULL JOIN Y y ON x.{k} = y.{k} AND x.v % 3 < y.v % 4'),
	('anti', 'SELECT NULL::int AS v, y.v AS w FROM Y y WHERE NOT EXISTS (SELECT FROM X x WHERE x.{k} = y.{k})'),
	('semi', 'SELECT NULL::int AS v, y.v AS w FROM Y y WHERE EXISTS (SELECT FROM X x WHERE x.{k} = y.{k})'),
	('semi, residual', 'SELECT NULL::int AS v, y.v AS w FROM Y y WHERE EXISTS (SELECT FROM X x WHERE x.{k} = y.{k} AND x.v % 3 < y.v % 4)'),
	('left', 'SELECT x.v, y.v AS w FROM X x LEFT JOIN Y y USING ({k})'),
	('inner', 'SELECT x.v, y.v AS w FROM X x JOIN Y y USING ({k})'),
	('full of full', 'SELECT x.v, y.v + z.v AS w FROM X x FULL JOIN Y y USING ({k}) FULL JOIN small z ON z.v = x.v');

CREATE TABLE tally (runs int8, launched int8, rescans int8, in_files int8, wrong int8, types text[]);
INSERT INTO tally VALUES (0, 0, 0, 0, 0, '{}');

-- The question itself, and the same asked several times by a Gather that is rescanned.
CREATE FUNCTION question(sql text, rescanned bool) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN rescanned THEN
		format('SELECT count(*), sum(n), sum(s), sum(i * l) FROM generate_series(1, 3) i, LATERAL (SELECT count(*) AS n, sum(coalesce(v, 0) * 3 - coalesce(w, 0)) AS s, count(v) AS l FROM (%s) q WHERE coalesce(w, 0) %% 3 < i OFFSET 0) s', sql)
		ELSE format('SELECT count(*), sum(coalesce(v, 0) * 3 - coalesce(w, 0)), count(v), count(w) FROM (%s) q', sql) END
$$;

CREATE FUNCTION pick(choices anyarray) RETURNS anyelement LANGUAGE sql VOLATILE AS $$
	SELECT choices[1 + floor(random() * cardinality(choices))::int]
$$;

-- A question, asked `repeat` times under settings of its own.  EXECUTE ... INTO is
-- what runs in workers: a cursor, or SELECT INTO, never does.
CREATE PROCEDURE one_case(repeat int) LANGUAGE plpgsql AS $$
DECLARE
	s shape := (SELECT row(shape.*)::shape FROM shape ORDER BY random() LIMIT 1);
	rescanned bool := random() < 0.2;
	x text := pick('{none,tiny,tiny,small,more,proven}'::text[]);
	y text := pick('{none,tiny,tiny,small,more,proven}'::text[]);
	k text := pick('{k,k,t}'::text[]);
	sql text := replace(replace(replace(s.sql, 'X x', x || ' x'), 'Y y', y || ' y'), '{k}', k);
	q text := question(sql, rescanned);
	want text;
	got text;
	workers int := pick('{1,2,4,4,8,8}'::int[]);
	leader bool := random() < 0.5;
	bytes int := pick('{0,0,0,1,600}'::int[]);
	free int := pick('{1,2,3,16,16,16,16,16}'::int[]);
	j jsonb;
	ours jsonb;
BEGIN
	PERFORM set_config('hashjoin_ext.enable', 'off', true), set_config('max_parallel_workers_per_gather', '0', true);
	EXECUTE 'SELECT r::text FROM (' || q || ') r' INTO want;
	PERFORM set_config('hashjoin_ext.enable', 'force', true),
		set_config('max_parallel_workers_per_gather', workers::text, true),
		set_config('max_parallel_workers', free::text, true),
		set_config('parallel_leader_participation', leader::text, true),
		set_config('hashjoin_ext.debug_table_bytes', bytes::text, true),
		set_config('hashjoin_ext.batch_size', pick('{1,2,1024}'::text[]), true),
		set_config('hashjoin_ext.debug_hash_bits', pick('{0,3,64,64,64}'::text[]), true);
	FOR i IN 1 .. repeat LOOP
		EXECUTE 'SELECT r::text FROM (' || q || ') r' INTO got;
		UPDATE tally SET runs = runs + 1, rescans = rescans + rescanned::int;
		IF got IS DISTINCT FROM want THEN
			UPDATE tally SET wrong = wrong + 1;
			RAISE WARNING 'wrong answer % instead of %: % workers, % free, leader %, % bytes, batch_size %, debug_hash_bits %: %',
				got, want, workers, free, leader, bytes, current_setting('hashjoin_ext.batch_size'), current_setting('hashjoin_ext.debug_hash_bits'), q;
		END IF;
	END LOOP;
	-- once more, to see how it runs
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, TIMING OFF, FORMAT JSON) ' || q INTO j;
	ours := jsonb_path_query_first(j, 'strict $.** ? (@."Custom Plan Provider" == "HashJoinExt" && @.Table == "shared")');
	UPDATE tally SET launched = launched + CASE WHEN ours IS NOT NULL AND jsonb_path_exists(j, 'strict $.**."Workers Launched" ? (@ > 0)') THEN repeat ELSE 0 END,
		in_files = in_files + CASE WHEN (ours ->> 'Disk Usage')::int8 > 0 THEN repeat ELSE 0 END,
		types = CASE WHEN ours ->> 'Join Type' = ANY (types) OR ours IS NULL THEN types ELSE types || (ours ->> 'Join Type') END;
END $$;

-- Until so many runs are done.  Each case is a transaction, as settings end with it.
CREATE PROCEDURE races(most int, repeat int, seed float8) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM setseed(seed);
	WHILE (SELECT runs FROM tally) < most LOOP
		CALL one_case(repeat);
		COMMIT;
	END LOOP;
END $$;
