/*
 * flag_file.h
 *	  One bit for each row of a probe file that is read several times: has the
 *	  row found a match in an earlier pass?
 *
 * The probe file is read in the same batches in each pass, so the bits are read
 * and written in step with it, from one file to another: no memory beyond two
 * buffers, however many rows there are.
 */
#ifndef HJ_FLAG_FILE_H
#define HJ_FLAG_FILE_H

#include "postgres.h"

#include "spill/temp_file.h"

typedef struct HjFlagFile
{
	MemoryContext cxt;
	BufFile    *in;				/* of the previous pass; NULL in the first */
	BufFile    *out;			/* of this one */
	uint64		bytes;			/* written, over all passes */
} HjFlagFile;

extern HjFlagFile *hj_flag_file_create(MemoryContext cxt);

/* The flags of the next n rows; all false in the first pass. */
extern void hj_flag_file_read(HjFlagFile *file, int n, bool *flags);

/* Keep them for the next pass.  Errors as hj_row_file_write. */
extern void hj_flag_file_write(HjFlagFile *file, int n, const bool *flags);

/* All rows have been seen; start over. */
extern void hj_flag_file_next_pass(HjFlagFile *file);

extern void hj_flag_file_close(HjFlagFile *file);

#endif							/* HJ_FLAG_FILE_H */
