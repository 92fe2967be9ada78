-- Collations under which different strings are equal, and a unique index that
-- proves less than the planner thinks.  Needs a server with ICU and UTF8.
\set test trap_collation_icu
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir '/sql/include/compare.sql'
\i :helpers
SELECT getdatabaseencoding() <> 'UTF8' OR NOT EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i') AS skip \gset
\if :skip
SELECT 'skipped: no ICU here';
DROP SCHEMA trap_collation_icu CASCADE;
\quit
\endif

CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE COLLATION ai (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
CREATE COLLATION de (provider = icu, locale = 'de');
CREATE TABLE l (id int, t text COLLATE ci);
CREATE TABLE r (id int, t text COLLATE ci);
INSERT INTO l VALUES (1, 'Alice'), (2, 'Bob'), (3, 'Ömer'), (4, 'straße'), (5, E'e\u0301t'), (6, NULL), (7, ''), (8, 'alice');
INSERT INTO r VALUES (1, 'alice'), (2, 'BOB'), (3, 'omer'), (4, 'STRASSE'), (5, E'\u00E9T'), (6, NULL), (7, ''), (8, 'ALICE');
INSERT INTO l SELECT g, 'Key' || g FROM generate_series(100, 250) g;
INSERT INTO r SELECT g, 'kEY' || g * 2 FROM generate_series(50, 130) g;
ANALYZE;
-- 'A' and 'a' are one key: hashed and compared under the clause's collation
SELECT compare('SELECT l.id, l.t, r.id, r.t FROM l JOIN r ON l.t = r.t');
SELECT compare('SELECT l.id, r.id FROM l FULL JOIN r ON l.t = r.t');
SELECT compare('SELECT l.id, r.id FROM l LEFT JOIN r ON l.t = r.t AND r.id = 8');
SELECT compare('SELECT l.id FROM l WHERE t IN (SELECT t FROM r)');
SELECT compare('SELECT r.id FROM r WHERE NOT EXISTS (SELECT FROM l WHERE l.t = r.t)');
SELECT compare('SELECT t, count(*) FROM l JOIN r USING (t) GROUP BY t');
-- the collation of the clause, not of the column
SELECT compare('SELECT l.id, r.id FROM l JOIN r ON l.t COLLATE ai = r.t COLLATE ai');
SELECT compare('SELECT l.id, r.id FROM l JOIN r ON l.t COLLATE "C" = r.t COLLATE "C"');
SELECT compare('SELECT l.id, r.id FROM l JOIN r ON l.t COLLATE de = r.t COLLATE de');
SELECT compare('SELECT l.id, r.id FROM l JOIN r ON l.t COLLATE ai = r.t COLLATE ai AND l.t COLLATE "C" <> r.t COLLATE "C"');
-- the text of a residual condition keeps its own collation too
SELECT compare('SELECT l.id, r.id FROM l JOIN r ON l.id = r.id AND l.t = r.t');
SELECT compare('SELECT l.id, r.id FROM l JOIN r ON l.id = r.id AND l.t COLLATE "C" = r.t COLLATE "C"');
-- other types of that family
SELECT compare('SELECT l.id, r.id FROM l JOIN r ON l.t::varchar(20) = r.t');
SELECT compare('SELECT l.id, r.id FROM l JOIN r ON l.t::char(10) COLLATE ci = r.t::char(12) COLLATE ci');
SELECT compare('SELECT l.id, r.id FROM (SELECT id, ARRAY[t::char(10)] COLLATE ci AS a FROM l) l JOIN (SELECT id, ARRAY[t::char(12)] COLLATE ci AS a FROM r) r ON l.a = r.a');
CREATE DOMAIN dci AS text COLLATE ci;
SELECT compare('SELECT l.id, r.id FROM l JOIN r ON l.t::dci = r.t::dci');
SELECT compare('SELECT l.id, r.id FROM (SELECT id, ARRAY[t] AS a FROM l) l JOIN (SELECT id, ARRAY[t] AS a FROM r) r ON l.a = r.a');
SELECT compare('SELECT l.id, r.id FROM l JOIN r ON ROW(l.t, 1)::text = ROW(r.t, 1)::text');
-- no collation can be derived: the error is PostgreSQL's
CREATE TABLE other (id int, t text COLLATE ai);
INSERT INTO other VALUES (1, 'Alice');
SET hashjoin_ext.enable = force;
\set VERBOSITY sqlstate
SELECT count(*) FROM l JOIN other o ON l.t = o.t;
\set VERBOSITY default
SET hashjoin_ext.enable = off;

-- A unique index under one collation does not make a join under another one
-- unique: each of the two rows matches both, whatever the planner proved.
CREATE TABLE t (a text, n int);
INSERT INTO t VALUES ('A', 1), ('a', 2);
CREATE UNIQUE INDEX ON t (a);
ANALYZE t;
SET hashjoin_ext.enable = force;
SELECT count(*) FROM t x JOIN t y ON x.a = y.a COLLATE ci;
SELECT count(*) FROM t x LEFT JOIN t y ON x.a = y.a COLLATE ci;
SELECT count(*) FROM t x RIGHT JOIN t y ON x.a = y.a COLLATE ci;
SELECT count(*) FROM t x FULL JOIN t y ON x.a = y.a COLLATE ci;
SELECT count(*) FROM t x WHERE EXISTS (SELECT FROM t y WHERE x.a = y.a COLLATE ci AND y.a = 'a');
SELECT count(*) FROM t x JOIN t y ON x.a = y.a;
SET hashjoin_ext.enable = off;
SELECT uses_node('SELECT count(*) FROM t x JOIN t y ON x.a = y.a COLLATE ci');
-- and the other way round: unique under the collation of the join
CREATE TABLE u (a text COLLATE ci, n int);
INSERT INTO u VALUES ('A', 1), ('b', 2);
CREATE UNIQUE INDEX ON u (a);
ANALYZE u;
SELECT compare('SELECT t.*, u.* FROM t JOIN u ON t.a = u.a COLLATE ci');
SELECT compare('SELECT t.*, u.* FROM t LEFT JOIN u ON t.a = u.a COLLATE ci');

DROP SCHEMA trap_collation_icu CASCADE;
