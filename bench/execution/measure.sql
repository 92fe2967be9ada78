-- What runs a case.  Wanted: psql's variables scale and rounds.
CREATE SCHEMA bench;

CREATE TABLE config AS SELECT :'scale'::numeric AS scale, :'rounds'::int AS rounds;

-- Tables to make: a query, and perhaps the column of a unique index.
CREATE TABLE relation (name text PRIMARY KEY, definition text NOT NULL, key text);

CREATE TABLE bench_family (name text PRIMARY KEY, what text NOT NULL);

-- What is measured.
CREATE TABLE bench_case (
	id			int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	family		text NOT NULL,
	name		text NOT NULL,
	width		int,			-- bytes of a build row that the query needs, keys included
	floor		text,			-- the query without its join: only the probe side's scan
	query		text NOT NULL,
	memory_mb	numeric,		-- at scale 1: less than the build side takes; NULL: enough
	workers		int NOT NULL DEFAULT 0,	-- parallel workers per gather
	force_judged bool NOT NULL DEFAULT true	-- false: no one would hash here, so only "on" counts
);

-- What was measured.  Modes: floor (the floor query), off (stock's best plan),
-- hash (stock with hash joins only), on, force; alone (force without the workers that
-- the case has).
CREATE TABLE sample (id int, mode text, round int, ms float8);
CREATE TABLE answer (id int, mode text, answer text);
CREATE TABLE plan (id int, mode text, plan jsonb, lines text);
CREATE TABLE trouble (id int, what text);

-- The query, with {100k}, {10M} and the like replaced by as many rows, scaled.
CREATE FUNCTION scaled(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	m text[];
	unit int;
BEGIN
	LOOP
		m := regexp_match(q, '\{(\d+)([kM]?)\}');
		EXIT WHEN m IS NULL;
		unit := CASE m[2] WHEN 'k' THEN 1000 WHEN 'M' THEN 1000000 ELSE 1 END;
		q := replace(q, '{' || m[1] || m[2] || '}',
					 (SELECT greatest(1, round(m[1]::int * unit * scale)) FROM config)::text);
	END LOOP;
	RETURN q;
END $$;

-- For the definitions of tables: any of 1 to n ...
CREATE FUNCTION pick(n int8) RETURNS int4 LANGUAGE sql VOLATILE AS
	'SELECT 1 + floor(random() * n)::int4';

-- ... and each of 1 to n once, in a scattered order, while g counts to n.  The
-- factor is a prime.
CREATE FUNCTION scatter(g int8, n int8) RETURNS int4 LANGUAGE sql IMMUTABLE AS
	'SELECT (1 + g * 7368787 % n)::int4';

-- Whether a case of the family names the relation.
CREATE FUNCTION needs(family text, relation text) RETURNS bool LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM bench_case c WHERE c.family = needs.family
				   AND concat(c.floor, ' ', c.query) ~ ('\m' || relation || '\M'))
$$;

CREATE FUNCTION use_mode(mode text) RETURNS void LANGUAGE sql AS $$
	SELECT set_config('hashjoin_ext.enable', CASE mode WHEN 'on' THEN 'on' WHEN 'force' THEN 'force' WHEN 'alone' THEN 'force' ELSE 'off' END, true),
		set_config('max_parallel_workers_per_gather', CASE mode WHEN 'alone' THEN '0' ELSE current_setting('bench.workers') END, true),
		set_config('enable_mergejoin', (mode <> 'hash')::text, true),
		set_config('enable_nestloop', (mode <> 'hash')::text, true)
$$;

-- Runs a query several times: the mean time and the last answer.
CREATE FUNCTION run(q text, loops int, OUT ms float8, OUT answer text) LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz := clock_timestamp();
	r record;
BEGIN
	FOR i IN 1..loops LOOP
		EXECUTE q INTO r;
	END LOOP;
	ms := extract(epoch FROM clock_timestamp() - began) * 1000 / loops;
	answer := r::text;
END $$;

-- How often a query has to run for a sample long enough to be measured.
CREATE FUNCTION loops(q text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	enough CONSTANT float8 := 30;	-- ms
	once float8;
BEGIN
	PERFORM use_mode('off');
	FOR i IN 1..2 LOOP				-- the first is a warm-up
		once := (run(q, 1)).ms;
		EXIT WHEN once > enough;
	END LOOP;
	RETURN greatest(1, ceil(enough / once));
END $$;

-- The plan of a query, run once: as text without what changes from run to run,
-- and with all that EXPLAIN knows.
CREATE PROCEDURE keep_plan(case_id int, mode text, q text) LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lines text[];
	j json;
BEGIN
	PERFORM use_mode(mode);
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || q LOOP
		lines := lines || line;
	END LOOP;
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' || q INTO j;
	INSERT INTO plan VALUES (case_id, mode, j::jsonb, array_to_string(lines, E'\n'));
END $$;

-- The rounds of a case, all modes in turns; round 0 is the warm-up.
CREATE PROCEDURE keep_times(c bench_case, q text, f text) LANGUAGE plpgsql AS $$
DECLARE
	loops int := loops(q);
	floor_loops int := CASE WHEN f IS NOT NULL THEN loops(f) END;
	rounds int := (SELECT CASE c.family WHEN 'quick' THEN 5 * config.rounds ELSE config.rounds END FROM config);
	mode text;
	r record;
BEGIN
	FOR round IN 0..rounds LOOP
		FOREACH mode IN ARRAY '{floor,off,hash,on,force,alone}'::text[] LOOP
			CONTINUE WHEN mode = 'floor' AND f IS NULL OR mode = 'alone' AND c.workers = 0;
			PERFORM use_mode(mode);
			IF mode = 'floor' THEN
				r := run(f, floor_loops);
			ELSE
				r := run(q, loops);
			END IF;
			INSERT INTO sample VALUES (c.id, mode, round, r.ms);
			IF round = 0 THEN
				INSERT INTO answer VALUES (c.id, mode, r.answer);
			END IF;
		END LOOP;
	END LOOP;
END $$;

-- All of a case.  An error is kept, and the next case goes on.
CREATE PROCEDURE measure(case_id int) LANGUAGE plpgsql AS $$
DECLARE
	c bench_case;
	mode text;
BEGIN
	SELECT * INTO STRICT c FROM bench_case WHERE id = case_id;
	IF c.memory_mb IS NOT NULL THEN
		PERFORM set_config('work_mem', greatest(64, c.memory_mb * 1024 * scale)::int || 'kB', true),
			set_config('hash_mem_multiplier', '1', true) FROM config;
	END IF;
	PERFORM set_config('bench.workers', c.workers::text, true);
	FOREACH mode IN ARRAY '{off,hash,on,force,alone}'::text[] LOOP
		CONTINUE WHEN mode = 'alone' AND c.workers = 0;
		CALL keep_plan(case_id, mode, scaled(c.query));
	END LOOP;
	CALL keep_times(c, scaled(c.query), scaled(c.floor));
EXCEPTION WHEN OTHERS THEN
	INSERT INTO trouble VALUES (case_id, SQLERRM);
END $$;
