/*
 * partitions.c
 *	  One split of a join into partitions, some of them in files.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "spill/partitions.h"

HjPartitions *
hj_partitions_create(const HjRouter *router, const HjJoinKey *key,
					 double expected_rows, Size filter_bytes, MemoryContext cxt)
{
	HjPartitions *p = MemoryContextAllocZero(cxt, sizeof(HjPartitions));

	p->router = *router;
	p->key = key;
	p->cxt = cxt;
	p->expected_rows = expected_rows;
	p->filter_bytes = filter_bytes;
	p->n = 1 << router->bits;
	p->parts = MemoryContextAllocZero(cxt, p->n * sizeof(HjPartition));
	return p;
}

void
hj_partitions_share(HjPartitions *p, FileSet *set, int process)
{
	p->set = set;
	p->process = process;
	p->nspilled = p->n;
	for (int i = 0; i < p->n; i++)
		p->parts[i].spilled = true;
}

void
hj_partition_file_name(char name[HJ_FILE_NAME_SIZE], bool build, int partition,
					   int process)
{
	snprintf(name, HJ_FILE_NAME_SIZE, "%s%d.%d", build ? "build" : "probe",
			 partition, process);
}

void
hj_partitions_free(HjPartitions *p)
{
	for (int i = 0; i < p->n; i++)
	{
		if (p->parts[i].build != NULL)
			hj_row_file_close(p->parts[i].build);
		if (p->parts[i].probe != NULL)
			hj_row_file_close(p->parts[i].probe);
	}
	if (p->filter != NULL)
		hj_filter_free(p->filter);
	pfree(p->parts);
	pfree(p);
}

static HjRowFile *
create_file(HjPartitions *p, const HjPartition *part, bool build,
			const HjRowLayout *layout)
{
	char		name[HJ_FILE_NAME_SIZE];

	if (p->set == NULL)
		return hj_row_file_create(layout, !p->key->packed, p->cxt);
	hj_partition_file_name(name, build, part - p->parts, p->process);
	return hj_row_file_create_in_set(layout, !p->key->packed, p->set, name, p->cxt);
}

void
hj_partition_write_build(HjPartitions *p, HjPartition *part,
						 const HjRowLayout *layout, const HjRawRow *raw,
						 uint32 hash)
{
	uint64		word = hj_raw_row_word(p->key, raw);

	if (part->build == NULL)
		part->build = create_file(p, part, true, layout);
	hj_row_file_write(part->build, raw, hash);
	if (p->filter == NULL)
		p->filter = hj_filter_create(p->expected_rows, p->filter_bytes, p->cxt);
	hj_filter_add(p->filter,
				  hj_route_filter_hash(hj_route(&p->router, p->key, word, hash)));
}

void
hj_partition_write_probe(HjPartitions *p, HjPartition *part,
						 const HjRowLayout *layout, const HjRawRow *raw,
						 uint32 hash)
{
	if (part->probe == NULL)
		part->probe = create_file(p, part, false, layout);
	hj_row_file_write(part->probe, raw, hash);
}

/* Partition of a row of the table, which is still filling. */
static HjPartition *
partition_of_row(const HjPartitions *p, const HjBuildTable *table,
				 const HjRowStore *rows, uint32 row)
{
	if (p->key->packed)
		return hj_partition_of(p, hj_row_store_word(rows, row), 0);
	return hj_partition_of(p, 0, *hj_build_table_link(table, row));
}

double
hj_partitions_count(HjPartitions *p, const HjBuildTable *table)
{
	const HjRowStore *rows = &table->rows;
	Size		largest = 0;

	p->resident_bytes = 0;
	for (int i = 0; i < p->n; i++)
		p->parts[i].bytes = 0;
	for (uint32 row = 0; row < rows->nrows; row++)
	{
		HjRawRow	raw;

		if ((row & 0xFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		hj_row_store_raw(rows, row, &raw);
		partition_of_row(p, table, rows, row)->bytes +=
			rows->layout->row_size + raw.tail_bytes;
	}
	for (int i = 0; i < p->n; i++)
	{
		p->resident_bytes += p->parts[i].bytes;
		largest = Max(largest, p->parts[i].bytes);
	}
	return (p->resident_bytes == 0) ? 0 :
		(double) largest / (double) p->resident_bytes;
}

typedef struct EvictContext
{
	HjPartitions *partitions;
	HjBuildTable *table;
} EvictContext;

/* Rows of spilled partitions go to their files. */
static bool
keep_resident(void *arg, const HjRowStore *rows, uint32 row, uint32 to)
{
	EvictContext *context = arg;
	HjPartition *part = partition_of_row(context->partitions, context->table,
										 rows, row);
	HjRawRow	raw;

	if (!part->spilled)
		return true;
	hj_row_store_raw(rows, row, &raw);
	hj_partition_write_build(context->partitions, part, rows->layout, &raw,
							 context->partitions->key->packed ? 0 :
							 *hj_build_table_link(context->table, row));
	return false;
}

/* The resident partition with the most bytes, or NULL. */
static HjPartition *
largest_resident(const HjPartitions *p)
{
	HjPartition *result = NULL;

	for (int i = 0; i < p->n; i++)
	{
		HjPartition *part = &p->parts[i];

		if (!part->spilled && (result == NULL || part->bytes > result->bytes))
			result = part;
	}
	return result;
}

void
hj_partitions_evict(HjPartitions *p, HjBuildTable *table, Size bytes)
{
	EvictContext context = {p, table};

	do
	{
		HjPartition *part = largest_resident(p);

		if (part == NULL)
			break;
		part->spilled = true;
		p->nspilled++;
		p->resident_bytes -= part->bytes;
	} while (p->resident_bytes > bytes);
	hj_build_table_filter(table, keep_resident, &context);
}

uint64
hj_partitions_build_rows(const HjPartitions *p)
{
	uint64		nrows = 0;

	for (int i = 0; p != NULL && i < p->n; i++)
	{
		if (p->parts[i].build != NULL)
			nrows += p->parts[i].build->nrows;
	}
	return nrows;
}
