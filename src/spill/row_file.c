/*
 * row_file.c
 *	  Rows of one layout in a temporary file.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "spill/row_file.h"

/* Bits of the header word that hold the phase. */
#define HJ_PHASE_BITS 3
#define HJ_PHASE_MASK ((1 << HJ_PHASE_BITS) - 1)

StaticAssertDecl(MAXIMUM_ALIGNOF <= 1 << HJ_PHASE_BITS,
				 "a phase must fit its bits");

HjRowFile *
hj_row_file_create(const HjRowLayout *layout, bool has_hash, MemoryContext cxt)
{
	HjRowFile  *file = MemoryContextAllocZero(cxt, sizeof(HjRowFile));

	file->layout = layout;
	file->has_hash = has_hash;
	file->cxt = cxt;
	file->fixed = MemoryContextAlloc(cxt, layout->row_size);
	return file;
}

HjRowFile *
hj_row_file_create_in_set(const HjRowLayout *layout, bool has_hash,
						  FileSet *set, const char *name, MemoryContext cxt)
{
	HjRowFile  *file = hj_row_file_create(layout, has_hash, cxt);

	file->set = set;
	strlcpy(file->name, name, HJ_FILE_NAME_SIZE);
	return file;
}

HjRowFile *
hj_row_file_open_parts(const HjRowLayout *layout, bool has_hash, FileSet *set,
					   int nparts, HjRowFilePart *parts, MemoryContext cxt)
{
	HjRowFile  *file = hj_row_file_create(layout, has_hash, cxt);

	file->set = set;
	file->nparts = nparts;
	file->parts = parts;
	for (int i = 0; i < nparts; i++)
		file->nrows += parts[i].nrows;
	return file;
}

void
hj_row_file_export(HjRowFile *file)
{
	if (file->file == NULL)
		return;
	BufFileExportFileSet(file->file);
	BufFileClose(file->file);
	file->file = NULL;
}

static void
write_bytes(HjRowFile *file, const void *data, Size bytes)
{
	hj_temp_file_write(file->file, data, bytes);
	file->bytes += bytes;
}

void
hj_row_file_write(HjRowFile *file, const HjRawRow *raw, uint32 hash)
{
	if (file->file == NULL)
		file->file = (file->set == NULL) ? hj_temp_file_create(file->cxt) :
			hj_temp_file_create_in_set(file->set, file->name, file->cxt);
	if (file->layout->ntail > 0)
	{
		uint64		header = (uint64) raw->tail_bytes << HJ_PHASE_BITS |
			((uintptr_t) raw->tail & HJ_PHASE_MASK);

		write_bytes(file, &header, sizeof(header));
	}
	if (file->has_hash)
		write_bytes(file, &hash, sizeof(hash));
	write_bytes(file, raw->fixed, file->layout->row_size);
	if (raw->tail_bytes > 0)
		write_bytes(file, raw->tail, raw->tail_bytes);
	file->nrows++;
}

/* Of a file in parts: close the one that is open. */
static void
close_part(HjRowFile *file)
{
	if (file->file != NULL)
		BufFileClose(file->file);
	file->file = NULL;
}

/* See to it that a part is open in which rows are left. */
static void
open_part(HjRowFile *file)
{
	while (file->part_left == 0)
	{
		HjRowFilePart *part = &file->parts[file->part++];

		close_part(file);
		file->part_left = part->nrows;
		if (part->nrows > 0)
			file->file = hj_temp_file_open_in_set(file->set, part->name, file->cxt);
	}
	file->part_left--;
}

void
hj_row_file_rewind(HjRowFile *file)
{
	file->next = 0;
	if (file->nparts > 0)
	{
		close_part(file);
		file->part = 0;
		file->part_left = 0;
		return;
	}
	if (file->file != NULL)
		hj_temp_file_rewind(file->file);
}

static char *
tail_buffer(HjRowFile *file, Size bytes)
{
	if (bytes > file->tail_room)
	{
		if (file->tail != NULL)
			pfree(file->tail);
		file->tail_room = Max(bytes, file->tail_room * 2);
		file->tail = MemoryContextAllocHuge(file->cxt, file->tail_room);
	}
	return file->tail;
}

bool
hj_row_file_read(HjRowFile *file, HjRawRow *raw, uint32 *hash)
{
	uint64		header = 0;

	if (file->next >= file->nrows)
		return false;
	file->next++;
	if (file->nparts > 0)
		open_part(file);
	if (file->layout->ntail > 0)
		hj_temp_file_read(file->file, &header, sizeof(header));
	*hash = 0;
	if (file->has_hash)
		hj_temp_file_read(file->file, hash, sizeof(*hash));
	hj_temp_file_read(file->file, file->fixed, file->layout->row_size);
	raw->fixed = file->fixed;
	raw->tail = NULL;
	raw->tail_bytes = header >> HJ_PHASE_BITS;
	if (raw->tail_bytes > 0)
	{
		Size		phase = header & HJ_PHASE_MASK;
		char	   *tail = tail_buffer(file, raw->tail_bytes + phase) + phase;

		hj_temp_file_read(file->file, tail, raw->tail_bytes);
		raw->tail = tail;
	}
	return true;
}

void
hj_row_file_close(HjRowFile *file)
{
	if (file->file != NULL)
		BufFileClose(file->file);
	for (int i = 0; i < file->nparts && !file->keep_parts; i++)
		BufFileDeleteFileSet(file->set, file->parts[i].name, true);
	if (file->parts != NULL)
		pfree(file->parts);
	if (file->tail != NULL)
		pfree(file->tail);
	pfree(file->fixed);
	pfree(file);
}
