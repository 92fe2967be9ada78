--
-- Differential test: keys that are numbers, times and addresses, where equality is not bitwise.
-- What is compared, and how, is told in test/differential/driver.sql.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\set driver :abs_srcdir '/test/differential/driver.sql'
\set ECHO none
\i :driver
\set ECHO all
\pset format unaligned
\pset tuples_only on

SET timezone = 'UTC';

-- Equal values look different on the two sides, and within one.
CALL key_column('numeric', 'numeric',
  $$('1.0'),('2'),('0'),('NaN'),('1.00'),('Infinity'),('-5.50'),('-Infinity'),('0.000'),('100000000000000000000')$$,
  $$('1.00'),('2.000'),('0.00'),('NaN'),('1'),('Infinity'),('-5.5'),('-Infinity'),('-0'),('1e20')$$);
CALL key_pair('numeric(10,2) = numeric', 'numeric(10,2)', 'numeric',
  $$('1'),('2.5'),('0'),('NaN'),('3.14'),('3.14')$$, $$('1.0000'),('2.5'),('-0.0'),('NaN'),('3.14'),('3.141')$$);
CALL key_pair('int4 = numeric', 'int4', 'numeric', $$(1),(2),(0),(-3),(7)$$, $$('1.0'),('2.00'),('0'),('-3'),('7.1')$$);
-- Infinity - Infinity is a NaN with other bits than those of 'NaN'.
CALL key_column('float4', 'float4',
  $$('0'),('1.5'),('NaN'),('-1.5'),('Infinity'),('1e-45'),('-0'),('-Infinity')$$,
  $$('-0'),('1.5'),('Infinity'::float4 - 'Infinity'::float4),('-1.5'),('Infinity'),('1e-45'),('0'),('-Infinity')$$);
CALL key_column('float8', 'float8',
  $$('0'),('1.5'),('NaN'),('0.1'),('Infinity'),('5e-324'),('-0'),('-Infinity')$$,
  $$('-0'),('1.5'),('Infinity'::float8 - 'Infinity'::float8),('0.1'),('Infinity'),('5e-324'),('0'),('-Infinity')$$);
-- 0.1 as a float4 is not 0.1 as a float8.
CALL key_pair('float4 = float8', 'float4', 'float8',
  $$('0'),('1.5'),('NaN'),('-2'),('Infinity'),('0.1'),('-0')$$,
  $$('-0'),('1.5'),('Infinity'::float8 - 'Infinity'::float8),('-2'),('Infinity'),('0.1'),('0')$$);
CALL key_pair('float8 = float4', 'float8', 'float4',
  $$('0'),('1.5'),('Infinity'::float8 - 'Infinity'::float8),('-2'),('Infinity'),('0.1'),('-0')$$,
  $$('-0'),('1.5'),('NaN'),('-2'),('Infinity'),('0.1'),('0')$$);
CALL key_column('interval', 'interval',
  $$('1 mon'),('24:00'),('0'),('1 year'),('30 days'),('1 day')$$, $$('30 days'),('1 day'),('0'),('360 days'),('720:00'),('24:00')$$);
CALL key_column('timetz', 'timetz',
  $$('00:00+00'),('12:00+02'),('12:00+00'),('23:59:59.999999-08'),('24:00+00')$$);
CALL key_column('inet', 'inet',
  $$('10.0.0.1'),('10.0.0.1/8'),('::1'),('192.168.1.0/24'),('192.168.1.0')$$, $$('10.0.0.1/32'),('10.0.0.1/8'),('0:0::1'),('192.168.1.0/24'),('192.168.1.0/32')$$);
CALL key_pair('cidr = inet', 'cidr', 'inet',
  $$('10.0.0.0/8'),('10.0.0.1'),('::1'),('192.168.1.0/24'),('192.168.1.0/24')$$, $$('10.0.0.0/8'),('10.0.0.1/32'),('0:0::1'),('192.168.1.0/24'),('192.168.1.1/24')$$);
CALL key_column('macaddr', 'macaddr', $$('08:00:2b:01:02:03'),('00:00:00:00:00:00'),('ff:ff:ff:ff:ff:ff'),('08:00:2b:01:02:04')$$);
CALL key_column('macaddr8', 'macaddr8', $$('08:00:2b:01:02:03:04:05'),('00:00:00:00:00:00:00:00'),('ff:ff:ff:ff:ff:ff:ff:ff'),('08:00:2b:01:02:03')$$);
CALL key_column('uuid', 'uuid',
  $$('00000000-0000-0000-0000-000000000000'),('00000000-0000-0000-0000-000000000001'),('00000000-0000-0001-0000-000000000000'),
    ('ffffffff-ffff-ffff-ffff-ffffffffffff'),('01000000-0000-0000-0000-000000000000')$$);

SELECT differential('numeric');
SELECT differential('numeric(10,2) = numeric');
SELECT differential('int4 = numeric');
SELECT differential('float4');
SELECT differential('float8');
SELECT differential('float4 = float8');
SELECT differential('float8 = float4');
SELECT differential('interval');
SELECT differential('timetz');
SELECT differential('inet');
SELECT differential('cidr = inet');
SELECT differential('macaddr');
SELECT differential('macaddr8');
SELECT differential('uuid');

-- Left out, for no hash operator class compares them: money, point and the
-- other geometric types.
DROP SCHEMA hj_differential CASCADE;
