/*
 * array_map.c
 *	  The decision to use an array map.
 *
 * It is taken once, when the whole build side has been seen: count, minimum
 * and maximum are exact.  An outlier can spoil the density and then costs
 * nothing but the array: the hash map takes over.
 */
#include "postgres.h"

#include "common/int.h"

#include "table/array_map.h"

void
hj_key_range_init(HjKeyRange *range)
{
	range->in_order = true;
	range->has_null = false;
	for (int i = 0; i < HJ_ARRAY_MAX_COLUMNS; i++)
	{
		range->min[i] = PG_INT64_MAX;
		range->max[i] = PG_INT64_MIN;
	}
}

/*
 * Fill in the map's shape.  False if the number of slots does not fit 64 bits:
 * the range of int8 keys can be the whole domain, whose size is 2^64.
 */
static bool
set_shape(HjArrayMap *map, const HjJoinKey *key, const HjKeyRange *range,
		  const HjArrayPolicy *policy)
{
	uint64		nslots = 1;

	map->ncols = key->ncols;
	map->slots = NULL;
	map->has_null = range->has_null;
	map->in_order = key->ncols == 1 && range->in_order &&
		policy->stride_bits == 0;
	for (int i = 0; i < key->ncols; i++)
	{
		/* unsigned, so that min and max of opposite sign do not overflow */
		uint64		width = (uint64) range->max[i] - (uint64) range->min[i];

		map->min[i] = range->min[i];
		map->shift[i] = (i == policy->column) ? policy->stride_bits : 0;
		width >>= map->shift[i];
		map->range[i] = width;
		map->stride[i] = nslots;
		if (width == PG_UINT64_MAX ||
			pg_mul_u64_overflow(nslots, width + 1, &nslots))
			return false;
	}
	if (map->has_null && ++nslots == 0)
		return false;
	map->nslots = nslots;
	return true;
}

bool
hj_array_map_decide(HjArrayMap *map, const HjJoinKey *key,
					const HjKeyRange *range, uint32 nrows,
					const HjArrayPolicy *policy, Size max_bytes,
					char reason[HJ_MAP_REASON_SIZE])
{
	double		density;

	if (!policy->enabled)
		strlcpy(reason, "array maps are off", HJ_MAP_REASON_SIZE);
	else if (!hj_array_map_possible(key))
		strlcpy(reason, "the key is not one word of integers",
				HJ_MAP_REASON_SIZE);
	else if (nrows == 0)
		strlcpy(reason, "no rows", HJ_MAP_REASON_SIZE);
	else if (!set_shape(map, key, range, policy))
		strlcpy(reason, "the keys' range is the whole domain",
				HJ_MAP_REASON_SIZE);
	else
	{
		density = (double) nrows / (double) map->nslots;
		if (map->nslots - 1 >= policy->small_range &&
			density <= policy->min_density)
			snprintf(reason, HJ_MAP_REASON_SIZE,
					 "sparse keys (density %.4f)", density);
		else if (!map->in_order && map->nslots > max_bytes / sizeof(uint32))
			snprintf(reason, HJ_MAP_REASON_SIZE,
					 "an array of " UINT64_FORMAT " slots would exceed the memory limit",
					 map->nslots);
		else
		{
			if (map->nslots - 1 < policy->small_range)
				strlcpy(reason, "small range", HJ_MAP_REASON_SIZE);
			else
				snprintf(reason, HJ_MAP_REASON_SIZE,
						 "dense keys (density %.4f)", density);
			return true;
		}
	}
	return false;
}

Size
hj_array_map_bytes(const HjJoinKey *key, const HjKeyRange *range, uint32 nrows,
				   const HjArrayPolicy *policy)
{
	HjArrayMap	map;
	char		reason[HJ_MAP_REASON_SIZE];

	if (!policy->enabled || !hj_array_map_possible(key) ||
		!hj_array_map_decide(&map, key, range, nrows, policy,
							 SIZE_MAX, reason))
		return SIZE_MAX;
	return map.in_order ? 0 : map.nslots * sizeof(uint32);
}
