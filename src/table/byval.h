/*
 * byval.h
 *	  By-value columns in memory that need not be aligned; fetch_att() and
 *	  store_att_byval() ask that it is.  Where unaligned access is free this is
 *	  the same instruction.
 */
#ifndef HJ_BYVAL_H
#define HJ_BYVAL_H

#include "postgres.h"

static inline void
hj_store_byval(char *to, Datum value, int len)
{
	switch (len)
	{
		case sizeof(int64):
			{
				int64		v = DatumGetInt64(value);

				memcpy(to, &v, sizeof(v));
				break;
			}
		case sizeof(int32):
			{
				int32		v = DatumGetInt32(value);

				memcpy(to, &v, sizeof(v));
				break;
			}
		case sizeof(int16):
			{
				int16		v = DatumGetInt16(value);

				memcpy(to, &v, sizeof(v));
				break;
			}
		default:
			Assert(len == sizeof(char));
			*to = DatumGetChar(value);
			break;
	}
}

static inline Datum
hj_fetch_byval(const char *from, int len)
{
	int64		v64;
	int32		v32;
	int16		v16;

	switch (len)
	{
		case sizeof(int64):
			memcpy(&v64, from, sizeof(v64));
			return Int64GetDatum(v64);
		case sizeof(int32):
			memcpy(&v32, from, sizeof(v32));
			return Int32GetDatum(v32);
		case sizeof(int16):
			memcpy(&v16, from, sizeof(v16));
			return Int16GetDatum(v16);
		default:
			Assert(len == sizeof(char));
			return CharGetDatum(*from);
	}
}

#endif							/* HJ_BYVAL_H */
