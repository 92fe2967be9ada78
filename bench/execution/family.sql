-- One family of cases.  Wanted: psql's variable family.
\echo -- :family
\o /dev/null
-- Tables that an earlier family left are used again.  The scan brings a table
-- into the buffers: what writes and vacuums it goes through a small ring of them.
SELECT 'SELECT setseed(0.5)',
	format('CREATE UNLOGGED TABLE %I AS %s', name, scaled(definition)),
	CASE WHEN key IS NOT NULL THEN format('CREATE UNIQUE INDEX ON %I (%I)', name, key) END,
	format('VACUUM (FREEZE, ANALYZE) %I', name),
	format('SELECT count(*) FROM %I', name)
FROM relation
WHERE needs(:'family', name) AND to_regclass(name) IS NULL
ORDER BY name
\gexec
\o

SELECT format('CALL measure(%s)', id), format('SELECT line FROM progress WHERE id = %s', id)
FROM bench_case
WHERE family = :'family'
ORDER BY id
\gexec

-- What no later family needs goes.
SELECT format('DROP TABLE %I', name)
FROM relation
WHERE to_regclass(name) IS NOT NULL AND NOT EXISTS (
	SELECT FROM bench_case c
	WHERE c.id > (SELECT max(id) FROM bench_case WHERE family = :'family') AND needs(c.family, name))
\gexec
