--
-- Differential test: operators of the user's own.
-- What is compared, and how, is told in test/differential/driver.sql.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\set driver :abs_srcdir '/test/differential/driver.sql'
\set ECHO none
\i :driver
\set ECHO all
\pset format unaligned
\pset tuples_only on

-- The equality functions are in PL/pgSQL, for the planner would put the body of
-- an SQL function in the place of the operator.
--
-- int4 modulo 10, with the hash function of old and with the extended one.
CREATE FUNCTION eq10(int, int) RETURNS bool IMMUTABLE PARALLEL SAFE STRICT LANGUAGE plpgsql AS 'BEGIN RETURN $1 % 10 = $2 % 10; END';
CREATE FUNCTION hash10(int) RETURNS int IMMUTABLE PARALLEL SAFE STRICT LANGUAGE sql AS 'SELECT hashint4($1 % 10)';
CREATE FUNCTION hash10(int, int8) RETURNS int8 IMMUTABLE PARALLEL SAFE STRICT LANGUAGE sql AS 'SELECT hashint4extended($1 % 10, $2)';
CREATE OPERATOR %%= (LEFTARG = int, RIGHTARG = int, FUNCTION = eq10, COMMUTATOR = %%=, HASHES, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR CLASS int10 FOR TYPE int USING hash AS OPERATOR 1 %%=, FUNCTION 1 hash10(int);
CREATE OPERATOR %%== (LEFTARG = int, RIGHTARG = int, FUNCTION = eq10, COMMUTATOR = %%==, HASHES, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR CLASS int10e FOR TYPE int USING hash AS OPERATOR 1 %%==, FUNCTION 1 hash10(int), FUNCTION 2 hash10(int, int8);
CALL key_column('int4 modulo 10', 'int4', '(0),(1),(2),(3),(10),(21),(32),(43)', '(10),(1),(22),(3),(0),(31),(2),(53)');

-- The server's own equality under another name and with a poor hash function.
CREATE FUNCTION hash_poor(int) RETURNS int IMMUTABLE PARALLEL SAFE STRICT LANGUAGE sql AS 'SELECT $1 & 1';
CREATE OPERATOR ### (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq, COMMUTATOR = ###, HASHES, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR CLASS int_poor FOR TYPE int USING hash AS OPERATOR 1 ###, FUNCTION 1 hash_poor(int);
CALL key_column('int4', 'int4', '(0),(1),(-1),(2147483647),(-2147483648),(65536)');

-- A family that compares int4 with text, and text, but not int4.
CREATE FUNCTION eq_int_text(int, text) RETURNS bool IMMUTABLE PARALLEL SAFE STRICT LANGUAGE plpgsql AS 'BEGIN RETURN $1 = $2::int; END';
CREATE FUNCTION eq_text_int(text, int) RETURNS bool IMMUTABLE PARALLEL SAFE STRICT LANGUAGE plpgsql AS 'BEGIN RETURN $1::int = $2; END';
CREATE FUNCTION eq_text_text(text, text) RETURNS bool IMMUTABLE PARALLEL SAFE STRICT LANGUAGE plpgsql AS 'BEGIN RETURN $1::int = $2::int; END';
CREATE FUNCTION hash_number(text) RETURNS int IMMUTABLE PARALLEL SAFE STRICT LANGUAGE sql AS 'SELECT hashint4($1::int)';
CREATE OPERATOR =~~ (LEFTARG = int, RIGHTARG = text, FUNCTION = eq_int_text, COMMUTATOR = =~~, HASHES, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR =~~ (LEFTARG = text, RIGHTARG = int, FUNCTION = eq_text_int, COMMUTATOR = =~~, HASHES, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR =~~ (LEFTARG = text, RIGHTARG = text, FUNCTION = eq_text_text, COMMUTATOR = =~~, HASHES, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR FAMILY numbers USING hash;
ALTER OPERATOR FAMILY numbers USING hash ADD
  OPERATOR 1 =~~ (int, text), OPERATOR 1 =~~ (text, int), OPERATOR 1 =~~ (text, text),
  FUNCTION 1 (int, int) hashint4(int), FUNCTION 1 (text, text) hash_number(text);
CALL key_pair('int4 = text', 'int4', 'text', $$(0),(1),(-2),(30),(1)$$, $$('0'),('+1'),('-2'),('030'),('01')$$);
CALL key_pair('text = int4', 'text', 'int4', $$('0'),('+1'),('-2'),('030'),('01')$$, $$(0),(1),(-2),(30),(1)$$);

-- An operator that is not strict: NULL equals NULL, and nothing else.
CREATE FUNCTION same(int, int) RETURNS bool IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql AS 'BEGIN RETURN $1 IS NOT DISTINCT FROM $2; END';
CREATE OPERATOR =!= (LEFTARG = int, RIGHTARG = int, FUNCTION = same, COMMUTATOR = =!=, HASHES, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR CLASS int_same FOR TYPE int USING hash AS OPERATOR 1 =!=, FUNCTION 1 hashint4(int);

-- A type of the size of int4 whose default equality is that of a clock, and
-- one of the shape of text that does not care for case.
CREATE TYPE hour;
CREATE FUNCTION hour_in(cstring) RETURNS hour IMMUTABLE PARALLEL SAFE STRICT LANGUAGE internal AS 'int4in';
CREATE FUNCTION hour_out(hour) RETURNS cstring IMMUTABLE PARALLEL SAFE STRICT LANGUAGE internal AS 'int4out';
CREATE TYPE hour (INPUT = hour_in, OUTPUT = hour_out, LIKE = int4);
CREATE CAST (hour AS int4) WITHOUT FUNCTION;
CREATE FUNCTION hour_cmp(hour, hour) RETURNS int IMMUTABLE PARALLEL SAFE STRICT LANGUAGE sql AS 'SELECT sign($1::int % 12 - $2::int % 12)::int';
CREATE FUNCTION hour_lt(hour, hour) RETURNS bool IMMUTABLE PARALLEL SAFE STRICT LANGUAGE sql AS 'SELECT hour_cmp($1, $2) < 0';
CREATE FUNCTION hour_le(hour, hour) RETURNS bool IMMUTABLE PARALLEL SAFE STRICT LANGUAGE sql AS 'SELECT hour_cmp($1, $2) <= 0';
CREATE FUNCTION hour_eq(hour, hour) RETURNS bool IMMUTABLE PARALLEL SAFE STRICT LANGUAGE plpgsql AS 'BEGIN RETURN hour_cmp($1, $2) = 0; END';
CREATE FUNCTION hour_ge(hour, hour) RETURNS bool IMMUTABLE PARALLEL SAFE STRICT LANGUAGE sql AS 'SELECT hour_cmp($1, $2) >= 0';
CREATE FUNCTION hour_gt(hour, hour) RETURNS bool IMMUTABLE PARALLEL SAFE STRICT LANGUAGE sql AS 'SELECT hour_cmp($1, $2) > 0';
CREATE FUNCTION hour_hash(hour) RETURNS int IMMUTABLE PARALLEL SAFE STRICT LANGUAGE sql AS 'SELECT hashint4($1::int % 12)';
CREATE OPERATOR < (LEFTARG = hour, RIGHTARG = hour, FUNCTION = hour_lt, COMMUTATOR = >);
CREATE OPERATOR <= (LEFTARG = hour, RIGHTARG = hour, FUNCTION = hour_le, COMMUTATOR = >=);
CREATE OPERATOR = (LEFTARG = hour, RIGHTARG = hour, FUNCTION = hour_eq, COMMUTATOR = =, HASHES, MERGES, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR >= (LEFTARG = hour, RIGHTARG = hour, FUNCTION = hour_ge, COMMUTATOR = <=);
CREATE OPERATOR > (LEFTARG = hour, RIGHTARG = hour, FUNCTION = hour_gt, COMMUTATOR = <);
CREATE OPERATOR CLASS hour_btree DEFAULT FOR TYPE hour USING btree AS
  OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 hour_cmp(hour, hour);
CREATE OPERATOR CLASS hour_hash DEFAULT FOR TYPE hour USING hash AS OPERATOR 1 =, FUNCTION 1 hour_hash(hour);
CALL key_column('hour', 'hour', $$('1'),('2'),('3'),('4'),('13'),('14')$$, $$('13'),('26'),('3'),('16'),('1'),('2')$$);
CALL key_column('array of hours', 'hour[]', $$('{1}'),('{2,3}'),('{}'),('{NULL}'),('{13}')$$, $$('{13}'),('{2,15}'),('{}'),('{NULL}'),('{1}')$$);

CREATE TYPE label;
CREATE FUNCTION label_in(cstring) RETURNS label IMMUTABLE PARALLEL SAFE STRICT LANGUAGE internal AS 'textin';
CREATE FUNCTION label_out(label) RETURNS cstring IMMUTABLE PARALLEL SAFE STRICT LANGUAGE internal AS 'textout';
CREATE TYPE label (INPUT = label_in, OUTPUT = label_out, LIKE = text);
CREATE CAST (label AS text) WITHOUT FUNCTION;
CREATE FUNCTION label_eq(label, label) RETURNS bool IMMUTABLE PARALLEL SAFE STRICT LANGUAGE plpgsql AS 'BEGIN RETURN lower($1::text COLLATE "C") = lower($2::text COLLATE "C"); END';
CREATE FUNCTION label_hash(label) RETURNS int IMMUTABLE PARALLEL SAFE STRICT LANGUAGE sql AS 'SELECT hashtext(lower($1::text COLLATE "C"))';
CREATE OPERATOR = (LEFTARG = label, RIGHTARG = label, FUNCTION = label_eq, COMMUTATOR = =, HASHES, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR CLASS label_hash DEFAULT FOR TYPE label USING hash AS OPERATOR 1 =, FUNCTION 1 label_hash(label);
CALL key_column('label', 'label', $$('a'),('B'),('Cc'),(''),('A'),('b')$$, $$('A'),('B'),('cC'),(''),('a'),('B')$$);

-- In the shape with a unique index, the index is unique by another equality
-- than that of the operator, and proves nothing.
SELECT differential('int4 modulo 10, old hash function', '{int4 modulo 10}', op => '{%%=}');
SELECT differential('int4 modulo 10, extended hash function', '{int4 modulo 10}', op => '{%%==}');
SELECT differential('int4eq, poor hash function', '{int4}', op => '{###}');
SELECT differential('int4 %%=, int4 =', '{int4 modulo 10,int4}', op => '{%%=}');
SELECT differential('int4 = text', op => '{=~~}');
-- For a semi join the server asks how to make b unique, and fails: could not
-- find compatible hash operator.
SELECT differential('text = int4', op => '{=~~}', except_templates => '{semi,"semi, on","semi, where",unique-ified semi}');
-- The anti join by LEFT JOIN needs a strict operator.
SELECT differential('not strict', '{int4}', op => '{=!=}', except_templates => '{anti by left join}');
SELECT differential('hour');
SELECT differential('array of hours');
SELECT differential('label', except_shapes => '{unique}');

DROP SCHEMA hj_differential CASCADE;
