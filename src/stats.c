/*
 * stats.c
 *	  SQL access to this backend's counters.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"

#include "stats.h"

HjStats		hj_stats;

extern PGDLLEXPORT Datum hashjoin_ext_stats(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum hashjoin_ext_reset_stats(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(hashjoin_ext_stats);
PG_FUNCTION_INFO_V1(hashjoin_ext_reset_stats);

/* One row: the counters since the backend started or they were reset. */
Datum
hashjoin_ext_stats(PG_FUNCTION_ARGS)
{
	TupleDesc	desc;
	Datum		values[6];
	bool		nulls[6] = {0};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE ||
		desc->natts != lengthof(values))
		elog(ERROR, "hashjoin_ext_stats: SQL definition does not fit the library");
	values[0] = Int64GetDatum(hj_stats.joins);
	values[1] = Int64GetDatum(hj_stats.array_maps);
	values[2] = Int64GetDatum(hj_stats.hash_maps);
	values[3] = Int64GetDatum(hj_stats.spilled_partitions);
	values[4] = Int64GetDatum(hj_stats.spilled_bytes);
	values[5] = Int64GetDatum(hj_stats.filtered_rows);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc),
													  values, nulls)));
}

/* Set all counters to zero. */
Datum
hashjoin_ext_reset_stats(PG_FUNCTION_ARGS)
{
	memset(&hj_stats, 0, sizeof(hj_stats));
	PG_RETURN_VOID();
}
