/*
 * row_layout.c
 *	  Where the columns of a build row stand; row_store.h draws it.
 *
 * Unlike a MinimalTuple a row holds only the columns that the plan needs, has
 * no header, and is found by its number.
 */
#include "postgres.h"

#include "table/row_store.h"

/* Bytes of null bits and padding that even rows are worth. */
#define HJ_MAX_PADDING 4

static uint8
align_bytes(char typalign)
{
	switch (typalign)
	{
		case TYPALIGN_CHAR:
			return 1;
		case TYPALIGN_SHORT:
			return ALIGNOF_SHORT;
		case TYPALIGN_INT:
			return ALIGNOF_INT;
		default:
			return ALIGNOF_DOUBLE;
	}
}

static HjColumnPlace
column_place(const HjColumnSpec *spec, bool packed_key)
{
	if (packed_key && spec->key_column >= 0)
		return HJ_PLACE_PACKED_KEY;
	if (spec->byval)
		return HJ_PLACE_BYVAL;
	return (spec->len > 0) ? HJ_PLACE_FIXED : HJ_PLACE_TAIL;
}

/* Bytes that a column takes in the fixed part, apart from alignment. */
static int
fixed_size(const HjStoredColumn *col)
{
	return (col->place == HJ_PLACE_BYVAL || col->place == HJ_PLACE_FIXED) ?
		col->len : 0;
}

/*
 * Give every column its place.  `even`: by-value columns are aligned, and rows
 * are multiples of that.  Returns the bytes that no column takes.
 */
static uint32
lay_out(HjRowLayout *layout, const HjColumnSpec *specs, bool even)
{
	uint32		offset = layout->packed_key ? layout->key->packed_bytes : 0;
	uint32		needed = offset;
	uint8		row_align = even ? Max(offset, 1) : 1;

	/* widest alignment first leaves no holes between by-value columns */
	for (uint8 align = ALIGNOF_DOUBLE; align >= 1; align /= 2)
	{
		for (int i = 0; i < layout->ncols; i++)
		{
			HjStoredColumn *col = &layout->cols[i];

			if (fixed_size(col) == 0 || align_bytes(specs[i].align) != align)
				continue;
			col->align = (even || col->place == HJ_PLACE_FIXED) ? align : 1;
			offset = TYPEALIGN(col->align, offset);
			col->offset = offset;
			offset += fixed_size(col);
			needed += fixed_size(col);
			row_align = Max(row_align, col->align);
		}
	}
	if (layout->ntail > 0)
	{
		layout->tail_offset = offset;
		offset += sizeof(uint32);
	}
	layout->null_offset = offset;
	offset += layout->null_bytes;
	layout->row_size = Max(TYPEALIGN(row_align, offset), 1);
	return layout->row_size - needed;
}

HjRowLayout *
hj_row_layout_create(const HjJoinKey *key, bool packed_key,
					 int ncols, const HjColumnSpec *specs)
{
	HjRowLayout *layout = palloc0(offsetof(HjRowLayout, cols) +
								  ncols * sizeof(HjStoredColumn));
	int			null_bits = 0;

	layout->key = key;
	layout->packed_key = packed_key;
	layout->ncols = ncols;
	for (int i = 0; i < ncols; i++)
	{
		HjStoredColumn *col = &layout->cols[i];

		col->place = column_place(&specs[i], packed_key);
		col->len = specs[i].len;
		col->shortenable = specs[i].shortenable;
		col->align = align_bytes(specs[i].align);
		col->key_column = specs[i].key_column;
		col->nullable = specs[i].nullable && col->place != HJ_PLACE_PACKED_KEY;
		col->null_bit = col->nullable ? null_bits++ : -1;
		if (col->place == HJ_PLACE_TAIL)
			layout->ntail++;
	}
	layout->null_bytes = (null_bits + 7) / 8;
	if (!packed_key || layout->ntail > 0 ||
		lay_out(layout, specs, true) > HJ_MAX_PADDING)
		(void) lay_out(layout, specs, false);
	return layout;
}
