/*
 * row_file.h
 *	  Rows of one layout in a temporary file.
 *
 * A row is written as it stands in a row store: its fixed part, and its tail as
 * bytes.
 *
 *	 record:	 [tail bytes << 3 | phase, 8; only with tails][hash 4; only if
 *				 kept][fixed part][tail]
 *
 * phase: the tail's address modulo MAXALIGN, as values inside are aligned.
 *
 * In a parallel join each process writes a file of its own into a file set that
 * all of them see; one process then reads what all have written, as one file in
 * parts.
 */
#ifndef HJ_ROW_FILE_H
#define HJ_ROW_FILE_H

#include "postgres.h"

#include "spill/temp_file.h"
#include "table/row_store.h"

/* Memory that an open file takes: its buffer and a little more. */
#define HJ_ROW_FILE_MEMORY (BLCKSZ + 512)

/* What one process has written, in a file set. */
typedef struct HjRowFilePart
{
	char		name[HJ_FILE_NAME_SIZE];
	uint64		nrows;
} HjRowFilePart;

typedef struct HjRowFile
{
	const HjRowLayout *layout;
	bool		has_hash;
	BufFile    *file;			/* NULL until the first row is written */
	MemoryContext cxt;
	uint64		nrows;			/* written */
	uint64		bytes;
	uint64		next;			/* row that is read next */
	char	   *fixed;			/* the row that was read */
	char	   *tail;			/* room for its tail, MAXALIGNed */
	Size		tail_room;
	FileSet    *set;			/* where it is, if others are to see it */
	char		name[HJ_FILE_NAME_SIZE];	/* of what this process writes there */
	int			nparts;			/* read: parts, one after the other */
	bool		keep_parts;		/* others may still read them */
	HjRowFilePart *parts;
	int			part;			/* the one that is open, + 1 */
	uint64		part_left;		/* rows that are left in it */
} HjRowFile;

/*
 * An empty file; it and what it needs stand in cxt.  has_hash: is a hash kept
 * with each row?
 */
extern HjRowFile *hj_row_file_create(const HjRowLayout *layout, bool has_hash,
									 MemoryContext cxt);

/* The same, in a file set under that name. */
extern HjRowFile *hj_row_file_create_in_set(const HjRowLayout *layout,
											bool has_hash, FileSet *set,
											const char *name, MemoryContext cxt);

/* It is written: others may read it from now on, and this process does not. */
extern void hj_row_file_export(HjRowFile *file);

/*
 * A file to be read whose rows are in parts (which it owns from now on, in cxt).
 * Closing it removes them, unless keep_parts was set.
 */
extern HjRowFile *hj_row_file_open_parts(const HjRowLayout *layout,
										 bool has_hash, FileSet *set,
										 int nparts, HjRowFilePart *parts,
										 MemoryContext cxt);

/*
 * Append a row.  Errors: 53100 disk full, 53400 temp_file_limit, and whatever
 * else the file system says.
 */
extern void hj_row_file_write(HjRowFile *file, const HjRawRow *raw, uint32 hash);

/* Go back to the first row. */
extern void hj_row_file_rewind(HjRowFile *file);

/*
 * The next row and its hash; false at the end.  What raw points to lives until
 * the next call.  The file must have been rewound since it was written.
 */
extern bool hj_row_file_read(HjRowFile *file, HjRawRow *raw, uint32 *hash);

/* Remove the file and free everything. */
extern void hj_row_file_close(HjRowFile *file);

#endif							/* HJ_ROW_FILE_H */
