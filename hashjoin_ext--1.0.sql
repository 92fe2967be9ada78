/* hashjoin_ext--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION hashjoin_ext" to load this file. \quit

-- What the join nodes of this backend have done since it began, or since the
-- last reset. One row. Volatile: a second look sees more.
CREATE FUNCTION hashjoin_ext_stats(
	OUT joins bigint,
	OUT array_maps bigint,
	OUT hash_maps bigint,
	OUT spilled_partitions bigint,
	OUT spilled_bytes bigint,
	OUT filtered_rows bigint)
RETURNS record
AS 'MODULE_PATHNAME', 'hashjoin_ext_stats'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION hashjoin_ext_stats() IS
	'what the hash joins of hashjoin_ext have done in this session';

CREATE FUNCTION hashjoin_ext_reset_stats()
RETURNS void
AS 'MODULE_PATHNAME', 'hashjoin_ext_reset_stats'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION hashjoin_ext_reset_stats() IS
	'set the counters of hashjoin_ext_stats() to zero';
