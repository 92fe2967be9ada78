--
-- Differential test: keys that are strings.
-- What is compared, and how, is told in test/differential/driver.sql.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\set driver :abs_srcdir '/test/differential/driver.sql'
\set ECHO none
\i :driver
\set ECHO all
\pset format unaligned
\pset tuples_only on

CREATE DOMAIN word AS text CHECK (VALUE <> 'forbidden');

CALL key_column('text', 'text', $$('a'),('b'),(''),('ab'),('a '),('A'),('ä'),('aa'),('b')$$);
CALL key_column('text COLLATE "C"', 'text COLLATE "C"', $$('a'),('b'),(''),('ab'),('a '),('A'),('ä')$$);
CALL key_column('text COLLATE "POSIX"', 'text COLLATE "POSIX"', $$('a'),('b'),(''),('ab'),('a '),('A'),('ä')$$);
-- Equal up to the last byte; compressed in place, and toasted out of line.
CALL key_column('text, long', 'text',
  $$(repeat('x', 3000) || '1'),(repeat('x', 3000) || '2'),
    ((SELECT string_agg(md5(g::text), '') FROM generate_series(1, 400) g)),
    ((SELECT string_agg(md5(g::text), '') FROM generate_series(1, 400) g) || '.'),
    (repeat('x', 126)),(repeat('x', 127)),(repeat('x', 128)),('x')$$);
CALL key_column('varchar', 'varchar(5)', $$('a'),('b'),(''),('abcde'),('abcd '),('abcd')$$);
CALL key_pair('varchar = text', 'varchar', 'text', $$('a'),('b'),(''),('ab'),('a '),('x')$$, $$('a'),('b'),(''),('ab'),('a '),('y')$$);
CALL key_column('bpchar(3)', 'char(3)', $$('a'),('b'),(''),('ab'),('abc'),('abd'),('a  ')$$);
CALL key_pair('bpchar(3) = bpchar(5)', 'char(3)', 'char(5)',
  $$('a'),('b'),(''),('ab'),('abc'),('abc')$$, $$('a'),('b'),(''),('ab'),('abc'),('abcd')$$);
CALL key_pair('bpchar = bpchar(7)', 'bpchar', 'char(7)', $$('a '),('b  '),(' '),('ab'),('a')$$, $$('a'),('b'),(''),('ab'),('a')$$);
CALL key_pair('bpchar(4) = text', 'char(4)', 'text', $$('a'),('b'),(''),('ab'),('x')$$, $$('a'),('b'),(''),('ab'),('x ')$$);
CALL key_column('bytea', 'bytea', $$('\x00'),('\x0000'),(''),('\xff00ff'),('\xff00fe'),('\xff'),('\x00')$$);
CALL key_column('name', 'name', $$('a'),('b'),(''),('ab'),(repeat('n', 63)),(repeat('n', 62))$$);
CALL key_pair('name = text', 'name', 'text COLLATE "C"',
  $$('a'),('b'),(''),('ab'),(repeat('n', 63)),('a')$$, $$('a'),('b'),(''),('ab'),(repeat('n', 63)),('a ')$$);
CALL key_pair('text = name', 'text COLLATE "C"', 'name',
  $$('a'),('b'),(''),('ab'),(repeat('n', 64)),('x'),('a ')$$, $$('a'),('b'),(''),('ab'),(repeat('n', 63)),('x'),('a')$$);
CALL key_column('domain over text', 'word', $$('a'),('b'),(''),('ab'),('a ')$$);
CALL key_pair('domain over text = varchar', 'word', 'varchar', $$('a'),('b'),(''),('ab'),('a ')$$, $$('a'),('b'),(''),('ab'),('a')$$);

SELECT differential('text');
SELECT differential('text COLLATE "C"');
SELECT differential('text COLLATE "POSIX"');
-- Too long for an index entry.
SELECT differential('text, long', except_shapes => '{unique}');
SELECT differential('varchar');
SELECT differential('varchar = text');
SELECT differential('bpchar(3)');
SELECT differential('bpchar(3) = bpchar(5)');
SELECT differential('bpchar = bpchar(7)');
-- Compared as text: the planner casts the bpchar.
SELECT differential('bpchar(4) = text');
SELECT differential('bytea');
SELECT differential('name');
SELECT differential('name = text');
SELECT differential('text = name');
SELECT differential('domain over text');
SELECT differential('domain over text = varchar');
-- The clause's collation is not the columns'.
SELECT differential('text, "C" asked for', '{text}', ARRAY['a.k1 COLLATE "C"']);
SELECT differential('text, default asked for', '{"text COLLATE \"C\""}', rexpr => ARRAY['b.k1 COLLATE "default"']);

-- Left out, for no hash operator class compares them: bit and varbit,
-- tsvector, json, xml.  citext need not be installed; an odd equality over
-- strings is in differential_collations.
DROP SCHEMA hj_differential CASCADE;
