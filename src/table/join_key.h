/*
 * join_key.h
 *	  What a join key is: how its columns are read, hashed and compared.
 *
 * The kind of a column is chosen by the operator's function, never by the
 * type: a user's operator class may define another equality for the type.
 *
 * A key is *packed* when all its columns are integers that fit one 64-bit
 * word together; then everything below works on that word.  A column in which
 * NULL equals NULL takes one bit more, that says so; its value is 0 then.
 * Otherwise each column is handled by its kind and the hashes are folded in
 * column order.
 */
#ifndef HJ_JOIN_KEY_H
#define HJ_JOIN_KEY_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/pg_list.h"

#include "table/key_hash.h"

typedef enum HjKeyKind
{
	HJ_KEY_INTEGER,				/* equality of the value widened to int64 */
	HJ_KEY_UUID,				/* equality of 16 bytes */
	HJ_KEY_BYTES,				/* equality of a varlena's bytes */
	HJ_KEY_PADDED,				/* the same, trailing blanks ignored */
	HJ_KEY_GENERIC				/* the type's own hash and equality */
} HjKeyKind;

/* How an integer-like Datum is widened. */
typedef enum HjIntegerForm
{
	HJ_INT_BOOL,
	HJ_INT_CHAR,				/* "char", signed 8 bits */
	HJ_INT_16,
	HJ_INT_32,
	HJ_INT_U32,					/* oid, xid, enum */
	HJ_INT_64
} HjIntegerForm;

/* The narrowest integer takes 8 bits of a packed key's 64. */
#define HJ_MAX_PACKED_COLUMNS 8

typedef struct HjKeyColumn
{
	HjKeyKind	kind;
	bool		null_matches;	/* NULL equals NULL (IS NOT DISTINCT FROM) */
	bool		strict;			/* a NULL input can match nothing (unless
								 * null_matches) */

	/* HJ_KEY_INTEGER */
	HjIntegerForm probe_form;
	HjIntegerForm build_form;
	bool		is_signed;
	uint8		bits;			/* width that holds either side's values */
	uint8		shift;			/* position in the packed word */

	/* HJ_KEY_GENERIC */
	Oid			collation;
	FmgrInfo	probe_hash;
	FmgrInfo	build_hash;
	FmgrInfo	equal;			/* (probe value, build value) */
	FmgrInfo	build_equal;	/* (build value, build value) */
} HjKeyColumn;

typedef struct HjJoinKey
{
	int			ncols;
	bool		packed;			/* the key is one 64-bit word */
	bool		tag_is_key;		/* equal tags are equal keys: no check */
	bool		chains_by_hash; /* build keys are not compared with each
								 * other: a chain holds all rows of a tag */
	uint8		packed_bytes;	/* 4 or 8: width of the word in a build row */
	uint64		null_flags;		/* packed: the bits that say NULL */
	uint64		hash_mask;		/* from hashjoin_ext.debug_hash_bits */
	HjKeyColumn cols[FLEXIBLE_ARRAY_MEMBER];
} HjJoinKey;

/*
 * Keys of up to `capacity` probe rows, by column.  Row i takes part in the
 * look-up only if usable[i].
 */
typedef struct HjKeySet
{
	int			capacity;
	uint64	   *hash;			/* of packed keys: computed by the look-up */
	uint64	   *word;			/* packed keys */
	Datum	  **values;			/* other keys: values[column][row] */
	bool	  **nulls;
	bool	   *usable;
} HjKeySet;

/*
 * Make the key for OpExprs of the form `probe op build`.
 *
 * null_matches: a list of as many integers as clauses, or NIL (all false).
 * hash_bits: how many bits of each hash to keep.
 * Looks up the catalogs; the result lives in the current memory context.
 * Error: XX000 if an operator has no hash functions (the planner offers no
 * such join).
 */
extern HjJoinKey *hj_join_key_create(List *clauses, List *null_matches,
									 int hash_bits);

/*
 * Prepare one key that is not packed: detoasts where the kind needs plain
 * bytes (in the current memory context) and hashes.  Returns false if the row
 * can match nothing, because a column is NULL where NULL equals nothing.  May
 * call user-defined functions, and so may raise their errors.
 */
extern bool hj_key_prepare(HjJoinKey *key, bool build, Datum *values,
						   const bool *nulls, uint64 *hash);

/* An integer-like Datum, widened. */
static inline int64
hj_key_widen(HjIntegerForm form, Datum value)
{
	switch (form)
	{
		case HJ_INT_BOOL:
			return DatumGetBool(value) ? 1 : 0;
		case HJ_INT_CHAR:
			return (int8) DatumGetChar(value);
		case HJ_INT_16:
			return DatumGetInt16(value);
		case HJ_INT_32:
			return DatumGetInt32(value);
		case HJ_INT_U32:
			return DatumGetUInt32(value);
		case HJ_INT_64:
			return DatumGetInt64(value);
	}
	pg_unreachable();
}

/* A column's bit of a packed word that says NULL; only with null_matches. */
static inline uint64
hj_key_null_flag(const HjKeyColumn *col)
{
	return UINT64CONST(1) << (col->shift + col->bits);
}

/*
 * Pack the columns of a packed key into *word; false if one is NULL that
 * matches nothing, so that the row can match nothing.
 */
static inline bool
hj_key_pack(const HjJoinKey *key, bool build, const Datum *values,
			const bool *nulls, uint64 *word)
{
	uint64		w = 0;

	for (int i = 0; i < key->ncols; i++)
	{
		const HjKeyColumn *col = &key->cols[i];
		uint64		value;

		if (nulls[i])
		{
			if (!col->null_matches)
				return false;
			w |= hj_key_null_flag(col);
			continue;
		}
		value = (uint64) hj_key_widen(build ? col->build_form : col->probe_form,
									  values[i]);
		/* shifting out and back cuts to the column's width */
		w |= (value << (64 - col->bits)) >> (64 - col->bits - col->shift);
	}
	*word = w;
	return true;
}

/* The same for n rows at once: values[column][row], usable[row]. */
extern void hj_key_pack_many(const HjJoinKey *key, bool build, int n,
							 Datum *const *values, bool *const *nulls,
							 uint64 *word, bool *usable);

/* A packed key as a row store keeps it. */
static inline uint64
hj_key_word_at(const HjJoinKey *key, const char *p)
{
	uint32		low;
	uint64		word;

	if (key->packed_bytes == 4)
	{
		memcpy(&low, p, sizeof(low));
		return low;
	}
	memcpy(&word, p, sizeof(word));
	return word;
}

/* Hash of a packed key. */
static inline uint64
hj_key_hash_word(const HjJoinKey *key, uint64 word)
{
	return key->hash_mask & ((key->packed_bytes == 4) ?
							 hj_hash_word32((uint32) word) : hj_hash_word(word));
}

/* Are two values of a column equal?  (probe, build) or (build, build). */
extern bool hj_key_column_equal(HjKeyColumn *col, bool both_build,
								Datum left, bool left_null,
								Datum right, bool right_null);

/* The value of one column of a packed key, widened. */
static inline int64
hj_key_integer(const HjKeyColumn *col, uint64 word)
{
	uint64		high = word << (64 - col->shift - col->bits);

	return col->is_signed ? (int64) high >> (64 - col->bits) :
		(int64) (high >> (64 - col->bits));
}

/* The same as a Datum of the build side's type. */
extern Datum hj_key_unpack(const HjKeyColumn *col, uint64 word);

/* Allocate the arrays for `capacity` rows in the current memory context. */
extern void hj_key_set_init(HjKeySet *set, const HjJoinKey *key, int capacity);

#endif							/* HJ_JOIN_KEY_H */
