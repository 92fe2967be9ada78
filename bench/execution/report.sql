-- benchmarks.md.  Wanted: psql's variables scale, rounds, families, settings,
-- machine, today.
\set head '| case | stock ms | stock\'s join | floor ms | force ms | stock / force | on ms | stock / on | on chose | force / floor | map | overhead, bytes a row |\n|---|--:|---|--:|--:|--:|--:|--:|---|--:|---|--:|\n'

SELECT '# Benchmarks' || CASE WHEN :scale = 1 THEN '' ELSE ' at scale ' || :'scale' || ' (NOT the full size)' END
	|| CASE :'families' WHEN '' THEN '' ELSE ', only the families ' || :'families' END;

SELECT format(E'\nWritten by `make bench`; what each number is, stands [at the end](#how-to-read-it).\n\n'
	'- %s: %s\n- machine: %s\n- server: %s\n- settings: `%s`, `shared_buffers=%s`\n- rounds: %s counted, after one of warm-up (family `quick`: %s)\n'
	'- noise: %s\n',
	'date', :'today', :'machine', version(), replace(:'settings', ' ', '`, `'), current_setting('shared_buffers'), :rounds, 5 * :rounds,
	(SELECT coalesce(format('stock against itself, where its best plan and its plan with hash joins only are one: median %s %%, at most %s %%',
			round(100 * percentile_cont(0.5) WITHIN GROUP (ORDER BY d)::numeric, 1), round(100 * max(d)::numeric, 1)), 'not known')
	 FROM (SELECT greatest(o.ms, h.ms) / least(o.ms, h.ms) - 1 AS d
		   FROM same_plan JOIN median o USING (id) JOIN median h USING (id)
		   WHERE o.mode = 'off' AND h.mode = 'hash') s HAVING count(*) > 0));

SELECT E'## Errors\n\nThese void the case, or the comparison.\n\n' || string_agg('- ' || message, E'\n') || E'\n'
FROM problem HAVING count(*) > 0;

SELECT E'## Slower than stock\n\nForced below 1, or `on` below 0.97; the worst first.\n';
SELECT coalesce(string_agg(format('- %s, %s: %s (stock: %s; `on` chose: %s%s)', family, name,
		concat_ws(', ', 'forced ' || round(force_gain::numeric, 2), 'on ' || round(on_gain::numeric, 2)), stock_joins, on_joins,
		CASE WHEN on_as_stock THEN ', the plan that stock chooses' END),
	E'\n' ORDER BY worst), 'None.')
FROM slower;
SELECT E'\nForced, EXISTS and LIMIT 1 read the whole build side to find one row, where a nested loop stops at the first: the profile of those cases is our build and nothing else. It is what stock''s own hash join does there, in several times the time. With `on` the planner takes the nested loop.'
FROM slower WHERE family = 'quick' HAVING count(*) > 0;
SELECT E'\n![stock time / our time of every case](benchmarks.svg)' FROM verdict HAVING count(*) > 0;

SELECT format(E'\n## %s\n\n%s\n\n', family, f.what) || :'head'
	|| string_agg(format('| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |', v.name, ms(stock_ms), stock_joins,
		ms(floor_ms), ms(force_ms), round(force_gain::numeric, 2), ms(on_ms), round(on_gain::numeric, 2), on_joins,
		round((force_ms / floor_ms)::numeric, 2), map, round(overhead, 1)), E'\n' ORDER BY id)
FROM verdict v JOIN bench_family f ON f.name = v.family
GROUP BY family, f.what
ORDER BY min(id);

SELECT E'\nOn disk, in MB, stock (with hash joins only) and we:\n\n' || string_agg(format('- %s: %s and %s', c.name, round(s.mb), round(f.mb)), E'\n' ORDER BY c.id)
FROM bench_case c JOIN spilled s ON s.id = c.id AND s.mode = 'hash' JOIN spilled f ON f.id = c.id AND f.mode = 'force'
WHERE c.memory_mb IS NOT NULL
HAVING count(*) > 0;

SELECT E'\nForced without workers, and how many times longer that takes than with them:\n\n' || string_agg(format('- %s: %s ms, %s', name, ms(alone_ms), round(gain::numeric, 2)), E'\n' ORDER BY id)
FROM company
HAVING count(*) > 0;

SELECT $$
## How to read it

Each query joins and aggregates, so that hardly a row is sent; the answers of all modes are compared. A case's modes run in turns in one backend, without JIT and, except in the family `parallel`, without parallel workers: the first round is a warm-up, and of the others each time is the median. Tables are vacuumed, frozen, analysed and in the buffers. Planning is part of every time; a query that takes less than 30 ms is run in a loop that long, and the time is that of one.

- **stock ms**: PostgreSQL's own joins. Two plans are measured, the one it chooses and the one with hash joins only, and the faster counts, **stock's join** being its kind; "(not chosen)" says that it was not what PostgreSQL chooses. Its hash tables are in one batch, or the case is an error, except in the family `spill`, where both must write files.
- **floor ms**: the aggregate over the probe side alone, without the join. A join in which every probe row finds a partner cannot be faster; one that drops rows can, for those are not aggregated.
- **force ms**: with `hashjoin_ext.enable = force`, so that every join is ours.
- **on ms**: with `hashjoin_ext.enable = on`, where the planner chooses; **on chose** says what.
- **stock / force**, **stock / on**: how many times faster than stock. Above 1 is a gain. In the family `quick`, where the build side has an index, no one would hash, and the forced ratio is not counted as slower.
- **force / floor**: how many times longer than without the join.
- **map**: the layout of our table ([EXPLAIN's line](explain.md#with-analyze)).
- **overhead**: the memory of our table beyond the columns that the query needs of the build side (keys included), in bytes for each build row; where there are at least 100 k of them. The node's batches, some 0.2 MB however many rows there are, are in it. Negative is possible: an array need not store its keys.

Times belong to the machine and the hour. The ratios are what to compare.
$$;

SELECT E'## Plans\n';
SELECT format(E'<details>\n<summary>%s</summary>\n', family)
	|| string_agg(format(E'\n%s: `%s`\n\n```\n%s\n```\n', c.name, scaled(query),
		(SELECT string_agg(modes || E':\n' || lines, E'\n\n' ORDER BY first)
		 FROM (SELECT string_agg(mode, ' = ' ORDER BY place) AS modes, min(place) AS first, lines
			   FROM (SELECT lines, array_position('{off,hash,on,force,alone}', mode) AS place,
						CASE mode WHEN 'off' THEN 'stock' WHEN 'hash' THEN 'stock with hash joins only' WHEN 'alone' THEN 'force without workers' ELSE mode END AS mode
					 FROM plan WHERE plan.id = c.id) p
			   GROUP BY lines) q)), '' ORDER BY id)
	|| E'\n</details>\n'
FROM bench_case c
WHERE id IN (SELECT id FROM plan)
GROUP BY family
ORDER BY min(id);
