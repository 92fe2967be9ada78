-- The settings: defaults, ranges, who may set them, and that EXPLAIN shows them.
LOAD 'hashjoin_ext';
\pset format unaligned
\pset tuples_only on
SELECT name, setting, coalesce(unit, '-'), context, vartype, coalesce(min_val, '-'), coalesce(max_val, '-'), coalesce(enumvals::text, '-'), boot_val
FROM pg_settings WHERE name IN ('hashjoin_ext.enable', 'hashjoin_ext.batch_size', 'hashjoin_ext.debug_hash_bits') ORDER BY name COLLATE "C";
-- each has a description
SELECT count(*) FROM pg_settings WHERE name LIKE 'hashjoin_ext.%' AND coalesce(short_desc, '') = '';
-- accepted: the four modes, and the usual words for on and off, in any case
SET hashjoin_ext.enable = force;
SHOW hashjoin_ext.enable;
SET hashjoin_ext.enable = CONSIDER;
SHOW hashjoin_ext.enable;
SET hashjoin_ext.enable = true;
SHOW hashjoin_ext.enable;
SET hashjoin_ext.enable = no;
SHOW hashjoin_ext.enable;
SET hashjoin_ext.enable = 1;
SHOW hashjoin_ext.enable;
SET hashjoin_ext.enable = 0;
SHOW hashjoin_ext.enable;
SET hashjoin_ext.enable = yes;
SHOW hashjoin_ext.enable;
SET hashjoin_ext.enable = false;
SHOW hashjoin_ext.enable;
-- refused, and unchanged after it
SET hashjoin_ext.enable = maybe;
SET hashjoin_ext.enable = '';
SET hashjoin_ext.enable = 2;
SHOW hashjoin_ext.enable;
SET hashjoin_ext.batch_size = 1;
SET hashjoin_ext.batch_size = 65536;
SET hashjoin_ext.batch_size = 0;
SET hashjoin_ext.batch_size = -1;
SET hashjoin_ext.batch_size = 65537;
SET hashjoin_ext.batch_size = 'many';
SET hashjoin_ext.batch_size = '1GB';
SHOW hashjoin_ext.batch_size;
RESET hashjoin_ext.batch_size;
SHOW hashjoin_ext.batch_size;
SET hashjoin_ext.debug_hash_bits = 0;
SET hashjoin_ext.debug_hash_bits = 64;
SET hashjoin_ext.debug_hash_bits = -1;
SET hashjoin_ext.debug_hash_bits = 65;
SHOW hashjoin_ext.debug_hash_bits;
-- a misspelt name is refused
\set VERBOSITY terse
SET hashjoin_ext.enabled = on;
\set VERBOSITY default
-- local to a transaction, a function, a savepoint
BEGIN;
SET LOCAL hashjoin_ext.enable = force;
SAVEPOINT s;
SET LOCAL hashjoin_ext.batch_size = 7;
ROLLBACK TO s;
SELECT current_setting('hashjoin_ext.enable'), current_setting('hashjoin_ext.batch_size');
COMMIT;
SELECT current_setting('hashjoin_ext.enable'), current_setting('hashjoin_ext.batch_size');
CREATE FUNCTION settings_inside() RETURNS text LANGUAGE sql SET hashjoin_ext.enable = force SET hashjoin_ext.batch_size = 3 AS
	$$SELECT current_setting('hashjoin_ext.enable') || ' ' || current_setting('hashjoin_ext.batch_size')$$;
SELECT settings_inside(), current_setting('hashjoin_ext.enable');
DROP FUNCTION settings_inside();
-- any user may set them
CREATE ROLE hj_user;
SET ROLE hj_user;
SET hashjoin_ext.enable = on;
SET hashjoin_ext.batch_size = 100;
SET hashjoin_ext.debug_hash_bits = 10;
RESET ROLE;
-- EXPLAIN (SETTINGS) tells which differ from the default
CREATE FUNCTION settings_explained() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	j jsonb;
BEGIN
	EXECUTE 'EXPLAIN (SETTINGS, FORMAT JSON) SELECT 1' INTO j;
	RETURN (SELECT string_agg(key || '=' || value, ' ' ORDER BY key COLLATE "C") FROM jsonb_each_text(j #> '{0,Settings}') WHERE key LIKE 'hashjoin%');
END $$;
SELECT settings_explained();
RESET ALL;
SELECT settings_explained() IS NULL;
DROP FUNCTION settings_explained();
DROP ROLE hj_user;
