--
-- Differential test: keys of several columns.
-- What is compared, and how, is told in test/differential/driver.sql.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\set driver :abs_srcdir '/test/differential/driver.sql'
\set ECHO none
\i :driver
\set ECHO all
\pset format unaligned
\pset tuples_only on

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'ecstatic');

CALL key_column('int2', 'int2', '(0),(1),(-1),(32767),(-32768),(2)');
CALL key_column('int4', 'int4', '(0),(1),(-1),(2147483647),(-2147483648),(65536)');
CALL key_column('int8', 'int8', '(0),(4294967297),(-1),(9223372036854775807),(-9223372036854775808),(4294967296)');
CALL key_pair('int2 = int8', 'int2', 'int8', '(0),(1),(-1),(32767),(3),(4)', '(0),(1),(-1),(32767),(4294967299),(-9223372036854775804)');
CALL key_pair('int4 = int2', 'int4', 'int2', '(0),(1),(-1),(32767),(65539),(-65532)', '(0),(1),(-1),(32767),(3),(4)');
CALL key_pair('int4 = int8', 'int4', 'int8', '(0),(1),(-1),(2147483647),(3)', '(0),(1),(-1),(2147483647),(4294967299)');
CALL key_pair('int8 = int4', 'int8', 'int4', '(0),(1),(-1),(2147483647),(4294967299)', '(0),(1),(-1),(2147483647),(3)');
CALL key_column('bool', 'bool', '(true),(false)');
CALL key_column('oid', 'oid', $$('0'),('1'),('4294967295'),('2147483648')$$);
CALL key_column('"char"', '"char"', '(0::"char"),(1::"char"),((-1)::"char"),(127::"char"),((-128)::"char")');
CALL key_column('date', 'date', $$('2000-01-01'),('1999-12-31'),('infinity'),('-infinity')$$);
CALL key_column('time', 'time', $$('00:00'),('24:00'),('12:34:56.789'),('00:00:00.000001')$$);
CALL key_column('timestamp', 'timestamp', $$('2000-01-01'),('1999-12-31 23:59:59.999999'),('infinity'),('-infinity')$$);
CALL key_column('enum', 'mood', $$('sad'),('ok'),('happy'),('ecstatic')$$);
CALL key_column('uuid', 'uuid',
  $$('00000000-0000-0000-0000-000000000000'),('00000000-0000-0000-0000-000000000001'),('00000000-0000-0001-0000-000000000000'),
    ('ffffffff-ffff-ffff-ffff-ffffffffffff')$$);
-- Keys that only a look at the boundary tells apart: ('a', 'bc'), ('ab', 'c').
CALL key_column('text', 'text', $$('a'),('ab'),('abc'),(''),('bc'),('c')$$);
CALL key_column('text COLLATE "C"', 'text COLLATE "C"', $$('bc'),('c'),(''),('abc'),('a')$$);
CALL key_column('name', 'name', $$('a'),('b'),(''),('ab')$$);
CALL key_column('numeric', 'numeric', $$('1.0'),('2'),('0'),('NaN'),('1.00')$$, $$('1.00'),('2.000'),('0.00'),('NaN'),('1')$$);
CALL key_column('float8', 'float8', $$('0'),('1.5'),('NaN'),('0.1'),('-0')$$, $$('-0'),('1.5'),('NaN'),('0.1'),('0')$$);
CALL key_column('int4[]', 'int4[]', $$('{}'),('{1,2}'),('{NULL}'),('{1,NULL}')$$);

SELECT differential('int4, int4', '{int4,int4}');
SELECT differential('int2, int4', '{int2,int4}');
SELECT differential('int4, int2', '{int4,int2}');
SELECT differential('int4 = int8, int8 = int4', '{int4 = int8,int8 = int4}');
SELECT differential('int2 = int8, int4 = int2', '{int2 = int8,int4 = int2}');
SELECT differential('int8, int8', '{int8,int8}');
SELECT differential('bool, "char"', '{bool,"\"char\""}');
SELECT differential('enum, int4', '{enum,int4}');
SELECT differential('date, time', '{date,time}');
SELECT differential('oid, date', '{oid,date}');
SELECT differential('int4, text', '{int4,text}');
SELECT differential('text, int8', '{text,int8}');
SELECT differential('text, text', '{text,"text COLLATE \"C\""}');
SELECT differential('uuid, int8', '{uuid,int8}');
SELECT differential('uuid, uuid', '{uuid,uuid}');
SELECT differential('numeric, float8', '{numeric,float8}');
SELECT differential('int4[], name', '{int4[],name}');
SELECT differential('int2, int2, int2', '{int2,int2,int2}');
SELECT differential('int4, bool, "char"', '{int4,bool,"\"char\""}');
SELECT differential('int4 = int8, text, date', '{int4 = int8,text,date}');
SELECT differential('timestamp, numeric, oid', '{timestamp,numeric,oid}');
SELECT differential('int2, int2, int2, int2', '{int2,int2,int2,int2}');
SELECT differential('int8, int8, int8, int8', '{int8,int8,int8,int8}');
SELECT differential('five columns', '{text,int2 = int8,float8,uuid,bool}');

DROP SCHEMA hj_differential CASCADE;
