/*
 * join_key.c
 *	  Hash and equality of join keys, by kind of key.
 *
 * The generic kind uses the functions that stock's hash join uses: those of
 * get_op_hash_functions()'s search, support function 1, 32 bits.  Not the
 * extended one (64 bits, seeded): nobody but hash partitioning calls it, and
 * it can be wrong.  PostgreSQL 15's hashbpcharextended() hashes the padding
 * under a nondeterministic collation, so equal values get unequal hashes.
 * Thirty-two bits are enough to find candidates; equality decides.
 *
 * Stock's int8 hash folds the two halves by xor; keys built as (n << 32 | n)
 * all share one code there.  Integer kinds therefore never use it.
 */
#include "postgres.h"

#include "access/hash.h"
#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/uuid.h"

#include "table/join_key.h"
#include "table/key_hash.h"

/* A hash operator family entry of an equality operator. */
typedef struct HjOperatorFamily
{
	Oid			family;
	Oid			left_type;		/* as declared in the family */
	Oid			right_type;
	Oid			left_hash;		/* support function 1 */
	Oid			right_hash;
} HjOperatorFamily;

/* Integer-like equality functions and the forms of their two inputs. */
typedef struct HjIntegerOperator
{
	Oid			function;
	HjIntegerForm left;
	HjIntegerForm right;
} HjIntegerOperator;

static const HjIntegerOperator integer_operators[] = {
	{F_INT4EQ, HJ_INT_32, HJ_INT_32},
	{F_INT8EQ, HJ_INT_64, HJ_INT_64},
	{F_INT2EQ, HJ_INT_16, HJ_INT_16},
	{F_INT24EQ, HJ_INT_16, HJ_INT_32},
	{F_INT42EQ, HJ_INT_32, HJ_INT_16},
	{F_INT28EQ, HJ_INT_16, HJ_INT_64},
	{F_INT82EQ, HJ_INT_64, HJ_INT_16},
	{F_INT48EQ, HJ_INT_32, HJ_INT_64},
	{F_INT84EQ, HJ_INT_64, HJ_INT_32},
	{F_OIDEQ, HJ_INT_U32, HJ_INT_U32},
	{F_DATE_EQ, HJ_INT_32, HJ_INT_32},
	{F_TIMESTAMP_EQ, HJ_INT_64, HJ_INT_64},
	{F_TIMESTAMPTZ_EQ, HJ_INT_64, HJ_INT_64},
	{F_TIME_EQ, HJ_INT_64, HJ_INT_64},
	{F_BOOLEQ, HJ_INT_BOOL, HJ_INT_BOOL},
	{F_CHAREQ, HJ_INT_CHAR, HJ_INT_CHAR},
	{F_ENUM_EQ, HJ_INT_U32, HJ_INT_U32},
	{F_XIDEQ, HJ_INT_U32, HJ_INT_U32},
	{F_CIDEQ, HJ_INT_U32, HJ_INT_U32},
	{F_XID8EQ, HJ_INT_64, HJ_INT_64},
	{F_PG_LSN_EQ, HJ_INT_64, HJ_INT_64},
};

/* ----------------------------------------------------------------
 *		Set-up
 * ----------------------------------------------------------------
 */

static uint8
integer_form_bits(HjIntegerForm form)
{
	switch (form)
	{
		case HJ_INT_BOOL:
		case HJ_INT_CHAR:
			return 8;
		case HJ_INT_16:
			return 16;
		case HJ_INT_32:
		case HJ_INT_U32:
			return 32;
		case HJ_INT_64:
			return 64;
	}
	pg_unreachable();
}

static bool
set_integer_kind(HjKeyColumn *col, Oid function)
{
	for (int i = 0; i < (int) lengthof(integer_operators); i++)
	{
		const HjIntegerOperator *op = &integer_operators[i];

		if (op->function != function)
			continue;
		col->kind = HJ_KEY_INTEGER;
		col->probe_form = op->left;
		col->build_form = op->right;
		col->is_signed = op->left != HJ_INT_U32 && op->left != HJ_INT_BOOL;
		col->bits = Max(integer_form_bits(op->left),
						integer_form_bits(op->right));
		return true;
	}
	return false;
}

/* Kinds whose equality is equality of bytes. */
static bool
set_bytes_kind(HjKeyColumn *col, Oid function)
{
	switch (function)
	{
		case F_UUID_EQ:
			col->kind = HJ_KEY_UUID;
			return true;
		case F_BYTEAEQ:
			col->kind = HJ_KEY_BYTES;
			return true;
		case F_TEXTEQ:
		case F_BPCHAREQ:
			/* texteq would complain about a missing collation; leave it to it */
			if (!OidIsValid(col->collation) ||
				!get_collation_isdeterministic(col->collation))
				return false;
			col->kind = (function == F_TEXTEQ) ? HJ_KEY_BYTES : HJ_KEY_PADDED;
			return true;
		default:
			return false;
	}
}

/* Find a hash operator family that has the operator, with hash functions. */
static bool
find_hash_family(Oid opno, HjOperatorFamily *result)
{
	bool		found = false;
	CatCList   *catlist = SearchSysCacheList1(AMOPOPID, ObjectIdGetDatum(opno));

	for (int i = 0; i < catlist->n_members && !found; i++)
	{
		Form_pg_amop amop = (Form_pg_amop)
			GETSTRUCT(&catlist->members[i]->tuple);

		if (amop->amopmethod != HASH_AM_OID ||
			amop->amopstrategy != HTEqualStrategyNumber)
			continue;
		result->family = amop->amopfamily;
		result->left_type = amop->amoplefttype;
		result->right_type = amop->amoprighttype;
		result->left_hash = get_opfamily_proc(amop->amopfamily,
											  amop->amoplefttype,
											  amop->amoplefttype,
											  HASHSTANDARD_PROC);
		result->right_hash = get_opfamily_proc(amop->amopfamily,
											   amop->amoprighttype,
											   amop->amoprighttype,
											   HASHSTANDARD_PROC);
		found = OidIsValid(result->left_hash) && OidIsValid(result->right_hash);
	}
	ReleaseSysCacheList(catlist);
	return found;
}

/*
 * May build keys be compared with each other, to tell their chains apart?
 * Stock never does that, so an equality function that raises for some pair of
 * build keys, or notices being called, must not find out.  Core's own scalar
 * functions do neither; those of users, and containers of users' types, might.
 */
static bool
may_compare_build_keys(Oid build_op, Oid declared_type)
{
	return OidIsValid(build_op) &&
		get_opcode(build_op) < FirstNormalObjectId &&
		declared_type != RECORDOID && !IsPolymorphicType(declared_type);
}

static void
set_generic_kind(HjKeyColumn *col, HjJoinKey *key, OpExpr *clause)
{
	HjOperatorFamily fam;
	Oid			build_op;

	if (!find_hash_family(clause->opno, &fam))
		elog(ERROR, "could not find hash function for hash operator %u",
			 clause->opno);

	col->kind = HJ_KEY_GENERIC;
	fmgr_info(fam.left_hash, &col->probe_hash);
	fmgr_info(fam.right_hash, &col->build_hash);
	fmgr_info(get_opcode(clause->opno), &col->equal);
	fmgr_info_set_expr((Node *) clause, &col->equal);

	build_op = (fam.left_type == fam.right_type) ? clause->opno :
		get_opfamily_member(fam.family, fam.right_type, fam.right_type,
							HTEqualStrategyNumber);
	if (may_compare_build_keys(build_op, fam.right_type))
	{
		fmgr_info(get_opcode(build_op), &col->build_equal);
		fmgr_info_set_expr((Node *) clause, &col->build_equal);
	}
	else
		key->chains_by_hash = true;
}

/*
 * Can the key be one word?  All columns integers, together no wider than 64
 * bits.
 */
static void
try_to_pack(HjJoinKey *key)
{
	int			total = 0;

	for (int i = 0; i < key->ncols; i++)
	{
		HjKeyColumn *col = &key->cols[i];

		if (col->kind != HJ_KEY_INTEGER ||
			total + col->bits + col->null_matches > 64)
			return;
		col->shift = total;
		total += col->bits + col->null_matches;
	}
	for (int i = 0; i < key->ncols; i++)
	{
		if (key->cols[i].null_matches)
			key->null_flags |= hj_key_null_flag(&key->cols[i]);
	}
	key->packed = true;
	key->packed_bytes = (total <= 32) ? 4 : 8;
}

HjJoinKey *
hj_join_key_create(List *clauses, List *null_matches, int hash_bits)
{
	int			ncols = list_length(clauses);
	HjJoinKey  *key = palloc0(offsetof(HjJoinKey, cols) +
							  ncols * sizeof(HjKeyColumn));

	key->ncols = ncols;
	key->hash_mask = (hash_bits >= 64) ? PG_UINT64_MAX :
		(UINT64CONST(1) << hash_bits) - 1;

	for (int i = 0; i < ncols; i++)
	{
		OpExpr	   *clause = list_nth_node(OpExpr, clauses, i);
		HjKeyColumn *col = &key->cols[i];
		Oid			function = get_opcode(clause->opno);

		col->collation = clause->inputcollid;
		col->null_matches = null_matches != NIL && list_nth_int(null_matches, i);
		col->strict = op_strict(clause->opno);
		if (!set_integer_kind(col, function) && !set_bytes_kind(col, function))
			set_generic_kind(col, key, clause);
		if (!col->strict && !col->null_matches)
			key->chains_by_hash = true; /* its NULL logic is its own */
	}
	try_to_pack(key);
	key->tag_is_key = key->packed && key->packed_bytes == 4 && hash_bits >= 32;
	return key;
}

void
hj_key_set_init(HjKeySet *set, const HjJoinKey *key, int capacity)
{
	set->capacity = capacity;
	set->hash = palloc(capacity * sizeof(uint64));
	set->usable = palloc(capacity * sizeof(bool));
	set->word = NULL;
	set->values = NULL;
	set->nulls = NULL;
	if (key->packed)
	{
		set->word = palloc(capacity * sizeof(uint64));
		return;
	}
	set->values = palloc(key->ncols * sizeof(Datum *));
	set->nulls = palloc(key->ncols * sizeof(bool *));
	for (int i = 0; i < key->ncols; i++)
	{
		set->values[i] = palloc(capacity * sizeof(Datum));
		set->nulls[i] = palloc(capacity * sizeof(bool));
	}
}

/* ----------------------------------------------------------------
 *		Hash
 * ----------------------------------------------------------------
 */

static inline Datum
narrow(HjIntegerForm form, int64 value)
{
	switch (form)
	{
		case HJ_INT_BOOL:
			return BoolGetDatum(value != 0);
		case HJ_INT_CHAR:
			return CharGetDatum((char) value);
		case HJ_INT_16:
			return Int16GetDatum((int16) value);
		case HJ_INT_32:
			return Int32GetDatum((int32) value);
		case HJ_INT_U32:
			return UInt32GetDatum((uint32) value);
		case HJ_INT_64:
			return Int64GetDatum(value);
	}
	pg_unreachable();
}

/* Add one column's values, cut and shifted into place, to n words. */
#define PACK_COLUMN(widened) \
	for (int i = 0; i < n; i++) \
		word[i] |= ((uint64) (int64) (widened) << cut) >> (cut - col->shift)

static void
pack_column(const HjKeyColumn *col, HjIntegerForm form, int n,
			const Datum *values, const bool *nulls, uint64 *word)
{
	/* shifting out and back cuts to the column's width */
	int			cut = 64 - col->bits;

	switch (form)
	{
		case HJ_INT_BOOL:
			PACK_COLUMN(DatumGetBool(values[i]) ? 1 : 0);
			break;
		case HJ_INT_CHAR:
			PACK_COLUMN((int8) DatumGetChar(values[i]));
			break;
		case HJ_INT_16:
			PACK_COLUMN(DatumGetInt16(values[i]));
			break;
		case HJ_INT_32:
			PACK_COLUMN(DatumGetInt32(values[i]));
			break;
		case HJ_INT_U32:
			PACK_COLUMN(DatumGetUInt32(values[i]));
			break;
		case HJ_INT_64:
			/* a pointer, where a Datum has 32 bits */
			PACK_COLUMN(nulls[i] ? 0 : DatumGetInt64(values[i]));
			break;
	}
}

/* The same where a NULL is a value, too. */
static void
pack_nullable_column(const HjKeyColumn *col, HjIntegerForm form, int n,
					 const Datum *values, const bool *nulls, uint64 *word)
{
	int			cut = 64 - col->bits;

	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			word[i] |= hj_key_null_flag(col);
		else
			word[i] |= ((uint64) hj_key_widen(form, values[i]) << cut) >>
				(cut - col->shift);
	}
}

void
hj_key_pack_many(const HjJoinKey *key, bool build, int n,
				 Datum *const *values, bool *const *nulls,
				 uint64 *word, bool *usable)
{
	memset(word, 0, n * sizeof(uint64));
	memset(usable, true, n * sizeof(bool));
	for (int k = 0; k < key->ncols; k++)
	{
		const HjKeyColumn *col = &key->cols[k];
		HjIntegerForm form = build ? col->build_form : col->probe_form;

		if (col->null_matches)
		{
			pack_nullable_column(col, form, n, values[k], nulls[k], word);
			continue;
		}
		pack_column(col, form, n, values[k], nulls[k], word);
		for (int i = 0; i < n; i++)
			usable[i] &= !nulls[k][i];
	}
}

Datum
hj_key_unpack(const HjKeyColumn *col, uint64 word)
{
	return narrow(col->build_form, hj_key_integer(col, word));
}

/* Bytes of a varlena, without trailing blanks if the kind ignores them. */
static inline const char *
varlena_bytes(HjKeyKind kind, Datum value, int *len)
{
	const char *data = VARDATA_ANY(DatumGetPointer(value));

	*len = VARSIZE_ANY_EXHDR(DatumGetPointer(value));
	if (kind == HJ_KEY_PADDED)
		*len = bpchartruelen(unconstify(char *, data), *len);
	return data;
}

static uint64
generic_hash(HjKeyColumn *col, FmgrInfo *function, Datum value, bool isnull)
{
	/* a NULL reaches this point only if something may match it */
	if (isnull)
		return HJ_HASH_OF_NULL;
	return DatumGetUInt32(FunctionCall1Coll(function, col->collation, value));
}

/*
 * Hash of one column.  Where the kind compares plain bytes, *value is replaced
 * by its detoasted form, so that comparisons need not do it again.
 */
static uint64
column_hash(HjKeyColumn *col, bool build, Datum *value, bool isnull)
{
	const char *data;
	int			len;

	if (isnull)
		return HJ_HASH_OF_NULL;
	switch (col->kind)
	{
		case HJ_KEY_INTEGER:
			return (uint64) hj_key_widen(build ? col->build_form : col->probe_form,
								  *value);
		case HJ_KEY_UUID:
			{
				uint64		part[2];

				memcpy(part, DatumGetUUIDP(*value)->data, UUID_LEN);
				return hj_hash_fold(part[0], part[1]);
			}
		case HJ_KEY_BYTES:
		case HJ_KEY_PADDED:
			*value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(*value));
			data = varlena_bytes(col->kind, *value, &len);
			return hash_bytes_extended((const unsigned char *) data, len,
									   HJ_SEED_DIRECTORY);
		case HJ_KEY_GENERIC:
			return generic_hash(col, build ? &col->build_hash : &col->probe_hash,
								*value, isnull);
	}
	pg_unreachable();
}

bool
hj_key_prepare(HjJoinKey *key, bool build, Datum *values, const bool *nulls,
			   uint64 *hash)
{
	uint64		h = 0;

	Assert(!key->packed);
	for (int i = 0; i < key->ncols; i++)
	{
		if (nulls[i] && key->cols[i].strict && !key->cols[i].null_matches)
			return false;
	}
	for (int i = 0; i < key->ncols; i++)
		h = hj_hash_fold(h, column_hash(&key->cols[i], build, &values[i],
										nulls[i]));
	*hash = hj_hash_spread((uint32) ((h ^ (h >> 32)) & key->hash_mask));
	return true;
}

/* ----------------------------------------------------------------
 *		Equality
 * ----------------------------------------------------------------
 */

static bool
generic_equal(HjKeyColumn *col, bool both_build,
			  Datum left, bool left_null, Datum right, bool right_null)
{
	LOCAL_FCINFO(fcinfo, 2);
	Datum		result;

	InitFunctionCallInfoData(*fcinfo,
							 both_build ? &col->build_equal : &col->equal,
							 2, col->collation, NULL, NULL);
	fcinfo->args[0].value = left;
	fcinfo->args[0].isnull = left_null;
	fcinfo->args[1].value = right;
	fcinfo->args[1].isnull = right_null;
	result = FunctionCallInvoke(fcinfo);

	/* as in a qual, NULL is not true */
	return !fcinfo->isnull && DatumGetBool(result);
}

bool
hj_key_column_equal(HjKeyColumn *col, bool both_build,
					Datum left, bool left_null, Datum right, bool right_null)
{
	if (left_null || right_null)
	{
		if (col->null_matches)
			return left_null && right_null;
		if (col->strict)
			return false;
	}
	switch (col->kind)
	{
		case HJ_KEY_INTEGER:
			return hj_key_widen(both_build ? col->build_form : col->probe_form, left) ==
				hj_key_widen(col->build_form, right);
		case HJ_KEY_UUID:
			return memcmp(DatumGetUUIDP(left)->data, DatumGetUUIDP(right)->data,
						  UUID_LEN) == 0;
		case HJ_KEY_BYTES:
		case HJ_KEY_PADDED:
			{
				Datum		l = PointerGetDatum(PG_DETOAST_DATUM_PACKED(left));
				Datum		r = PointerGetDatum(PG_DETOAST_DATUM_PACKED(right));
				int			llen;
				int			rlen;
				const char *ldata = varlena_bytes(col->kind, l, &llen);
				const char *rdata = varlena_bytes(col->kind, r, &rlen);

				return llen == rlen && memcmp(ldata, rdata, llen) == 0;
			}
		case HJ_KEY_GENERIC:
			return generic_equal(col, both_build, left, left_null,
								 right, right_null);
	}
	pg_unreachable();
}
