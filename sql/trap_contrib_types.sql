-- Types of extensions: their own operators decide, never the type they are
-- stored as.  Needs the server's contrib modules.
\set test trap_contrib_types
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
SELECT count(*) < 4 AS skip FROM pg_available_extensions WHERE name IN ('citext', 'hstore', 'ltree', 'isn') \gset
\if :skip
SELECT 'skipped: no contrib modules here';
DROP SCHEMA trap_contrib_types CASCADE;
\quit
\endif
CREATE EXTENSION citext;
CREATE EXTENSION hstore;
CREATE EXTENSION ltree;
CREATE EXTENSION isn;

CREATE TABLE a (id int, c citext, h hstore, l ltree, i isbn);
INSERT INTO a SELECT g, 'User' || g || '@Example.org', hstore('k', g::text), text2ltree('top.n' || g), NULL FROM generate_series(1, 50) g;
INSERT INTO a VALUES (0, NULL, NULL, NULL, '0-306-40615-2'), (51, '', '', '', NULL), (52, 'ÄB', NULL, NULL, NULL);
CREATE TABLE b (id int, c citext, t text, h hstore, l ltree, i isbn13);
INSERT INTO b SELECT g, 'USER' || g * 3 || '@example.ORG', 'User' || g * 2 || '@Example.org', hstore('k', (g * 4)::text), text2ltree('top.n' || g * 5), NULL FROM generate_series(1, 30) g;
INSERT INTO b VALUES (0, NULL, NULL, NULL, NULL, '978-0-306-40615-7'), (31, '', '', '', '', NULL), (32, 'Äb', 'x', NULL, NULL, NULL);
ANALYZE;
SELECT compare('SELECT a.id, a.c, b.id, b.c FROM a JOIN b ON a.c = b.c');
SELECT compare('SELECT a.id, b.id FROM a FULL JOIN b ON a.c = b.c');
SELECT compare('SELECT a.id FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.c = a.c)');
-- citext against text: which operator it is decides whether case counts
SELECT compare('SELECT a.id, b.id FROM a JOIN b ON a.c = b.t');
SELECT compare('SELECT a.id, b.id FROM a JOIN b ON a.c = b.t::citext');
SELECT compare('SELECT a.id, b.id FROM a JOIN b ON a.c::text = b.t');
SELECT compare('SELECT a.id, b.id FROM a LEFT JOIN b ON a.h = b.h');
-- a residual of another type beside the key
SELECT compare('SELECT a.id, b.id FROM a JOIN b ON a.c = b.c AND a.l <> b.l');
SELECT compare('SELECT a.id, b.id FROM a JOIN b ON a.id = b.id AND a.i = b.i');
SELECT compare('SELECT a.id, b.id FROM a JOIN b ON a.i = b.i');

-- ltree got its hash function in PostgreSQL 17 only: whoever joins it, the rows are these
SELECT rows_only(compare('SELECT a.id, b.id FROM a JOIN b ON a.l = b.l'));

-- with everything that auto_explain can log, at the end of each statement
LOAD 'auto_explain';
SET auto_explain.log_min_duration = 0;
SET auto_explain.log_analyze = on;
SET auto_explain.log_buffers = on;
SET auto_explain.log_verbose = on;
SET auto_explain.log_nested_statements = on;
SET auto_explain.log_settings = on;
SET hashjoin_ext.enable = force;
SELECT count(*), count(a.c), count(b.c) FROM a FULL JOIN b ON a.c = b.c AND a.id < b.id + (SELECT max(id) FROM a);
SELECT compare('SELECT a.id, (SELECT count(*) FROM b x JOIN b y ON x.c = y.c WHERE x.id < a.id) FROM a JOIN b ON a.c = b.c');
SET auto_explain.log_format = json;
SELECT count(*) FROM a LEFT JOIN b ON a.c = b.c AND a.l <> b.l;
SET auto_explain.log_min_duration = -1;
SET hashjoin_ext.enable = off;

DROP EXTENSION citext, hstore, ltree, isn CASCADE;
DROP SCHEMA trap_contrib_types CASCADE;
