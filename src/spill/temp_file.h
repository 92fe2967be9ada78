/*
 * temp_file.h
 *	  Core's BufFiles, with the errors of a join's temporary files.
 *
 * So temp_tablespaces, temp_file_limit and log_temp_files hold, and an error or
 * the end of the transaction removes the files.
 */
#ifndef HJ_TEMP_FILE_H
#define HJ_TEMP_FILE_H

#include "postgres.h"

#include <fcntl.h>

#include "storage/buffile.h"
#include "storage/fileset.h"

/* Bytes of a file's name in a file set. */
#define HJ_FILE_NAME_SIZE 32

/* A new file; its buffer stands in cxt.  Error: whatever the file system says. */
static inline BufFile *
hj_temp_file_create(MemoryContext cxt)
{
	MemoryContext old = MemoryContextSwitchTo(cxt);
	BufFile    *file = BufFileCreateTemp(false);

	MemoryContextSwitchTo(old);
	return file;
}

/* The same in a file set, for others to read when it is exported. */
static inline BufFile *
hj_temp_file_create_in_set(FileSet *set, const char *name, MemoryContext cxt)
{
	MemoryContext old = MemoryContextSwitchTo(cxt);
	BufFile    *file = BufFileCreateFileSet(set, name);

	MemoryContextSwitchTo(old);
	return file;
}

static inline BufFile *
hj_temp_file_open_in_set(FileSet *set, const char *name, MemoryContext cxt)
{
	MemoryContext old = MemoryContextSwitchTo(cxt);
	BufFile    *file = BufFileOpenFileSet(set, name, O_RDONLY, false);

	MemoryContextSwitchTo(old);
	return file;
}

/* Errors: 53100 disk full, 53400 temp_file_limit, and the file system's. */
static inline void
hj_temp_file_write(BufFile *file, const void *data, Size bytes)
{
	/* the cast: until 15 it takes no const, and changes nothing all the same */
	BufFileWrite(file, (void *) data, bytes);
}

/* Exactly so many bytes, or an error. */
static inline void
hj_temp_file_read(BufFile *file, void *data, Size bytes)
{
	Size		got = BufFileRead(file, data, bytes);

	if (got != bytes)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from hash-join temporary file: read only %zu of %zu bytes",
						got, bytes)));
}

/* Back to the first byte, to read. */
static inline void
hj_temp_file_rewind(BufFile *file)
{
	if (BufFileSeek(file, 0, 0, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind hash-join temporary file")));
}

#endif							/* HJ_TEMP_FILE_H */
