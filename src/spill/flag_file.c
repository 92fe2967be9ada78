/*
 * flag_file.c
 *	  One bit for each row of a probe file that is read several times.
 */
#include "postgres.h"

#include "spill/flag_file.h"

HjFlagFile *
hj_flag_file_create(MemoryContext cxt)
{
	HjFlagFile *file = MemoryContextAllocZero(cxt, sizeof(HjFlagFile));

	file->cxt = cxt;
	return file;
}

void
hj_flag_file_read(HjFlagFile *file, int n, bool *flags)
{
	uint8		byte = 0;

	if (file->in == NULL)
	{
		memset(flags, 0, n * sizeof(bool));
		return;
	}
	for (int i = 0; i < n; i++)
	{
		if (i % 8 == 0)
			hj_temp_file_read(file->in, &byte, 1);
		flags[i] = (byte >> (i % 8)) & 1;
	}
}

void
hj_flag_file_write(HjFlagFile *file, int n, const bool *flags)
{
	if (file->out == NULL)
		file->out = hj_temp_file_create(file->cxt);
	for (int from = 0; from < n; from += 8)
	{
		uint8		byte = 0;

		for (int i = from; i < Min(n, from + 8); i++)
			byte |= flags[i] << (i - from);
		hj_temp_file_write(file->out, &byte, 1);
		file->bytes++;
	}
}

void
hj_flag_file_next_pass(HjFlagFile *file)
{
	if (file->in != NULL)
		BufFileClose(file->in);
	file->in = file->out;
	file->out = NULL;
	if (file->in != NULL)
		hj_temp_file_rewind(file->in);
}

void
hj_flag_file_close(HjFlagFile *file)
{
	if (file->in != NULL)
		BufFileClose(file->in);
	if (file->out != NULL)
		BufFileClose(file->out);
	pfree(file);
}
