/*
 * partitions.h
 *	  One split of a join into partitions, some of them in files.
 *
 * A partition is resident until it is spilled: then it has a file for its build
 * rows, and later one for its probe rows.  Resident rows stand in the build
 * table, all partitions' together.
 */
#ifndef HJ_PARTITIONS_H
#define HJ_PARTITIONS_H

#include "postgres.h"

#include "spill/filter.h"
#include "spill/router.h"
#include "spill/row_file.h"
#include "table/build_table.h"

typedef struct HjPartition
{
	bool		spilled;
	Size		bytes;			/* resident rows, when last counted */
	HjRowFile  *build;			/* NULL until a row is written */
	HjRowFile  *probe;
} HjPartition;

typedef struct HjPartitions
{
	HjRouter	router;
	const HjJoinKey *key;
	MemoryContext cxt;			/* owns the files */
	int			n;				/* a power of two */
	int			nspilled;
	Size		resident_bytes; /* when last counted */
	HjPartition *parts;
	HjFilter   *filter;			/* of the build rows in files; NULL: none is */
	double		expected_rows;	/* for the filter's size */
	Size		filter_bytes;	/* what it may take */
	FileSet    *set;			/* where files are that others read; or NULL */
	int			process;		/* then: who writes */
	bool		unfiltered;		/* no probe row is sure to find nothing there */
} HjPartitions;

/*
 * All partitions of a split, resident; in cxt, as their files will be.  The
 * filter of what will be in files is sized for expected_rows.
 */
extern HjPartitions *hj_partitions_create(const HjRouter *router,
										  const HjJoinKey *key,
										  double expected_rows,
										  Size filter_bytes, MemoryContext cxt);

/*
 * All partitions are in files, which go to a file set, written by this process.
 */
extern void hj_partitions_share(HjPartitions *partitions, FileSet *set,
								int process);

/* The name there of a process's file of one side. */
extern void hj_partition_file_name(char name[HJ_FILE_NAME_SIZE], bool build,
								   int partition, int process);

/* Close all files that are still there, and free. */
extern void hj_partitions_free(HjPartitions *partitions);

/* Partition of a key; hash: of a key that is not packed. */
static inline HjPartition *
hj_partition_of(const HjPartitions *p, uint64 word, uint32 hash)
{
	return &p->parts[hj_route_partition(&p->router,
										hj_route(&p->router, p->key, word, hash))];
}

/* Write a build row of a spilled partition; its key is added to the filter. */
extern void hj_partition_write_build(HjPartitions *partitions,
									 HjPartition *part,
									 const HjRowLayout *layout,
									 const HjRawRow *raw, uint32 hash);

/* The same for a probe row, of the probe side's layout. */
extern void hj_partition_write_probe(HjPartitions *partitions,
									 HjPartition *part,
									 const HjRowLayout *layout,
									 const HjRawRow *raw, uint32 hash);

/*
 * The partition in files that a probe row of this key has to go to; NULL if its
 * partition is resident, or if the filter knows that no build row in files has
 * the key.  Asked when all build rows are written.
 */
static inline HjPartition *
hj_partition_in_files(const HjPartitions *p, uint64 word, uint32 hash)
{
	uint64		route = hj_route(&p->router, p->key, word, hash);
	HjPartition *part = &p->parts[hj_route_partition(&p->router, route)];

	return (part->spilled &&
			(p->unfiltered ||
			 (p->filter != NULL &&
			  hj_filter_may_contain(p->filter, hj_route_filter_hash(route))))) ?
		part : NULL;
}

/*
 * Count the bytes of the table's rows by partition.  Returns the part of them
 * that the largest one has, 0 to 1.
 */
extern double hj_partitions_count(HjPartitions *partitions,
								  const HjBuildTable *table);

/*
 * Spill the largest resident partitions, as counted, until the others have no
 * more than `bytes`; at least one, if any is resident.  Rows of spilled partitions
 * leave the table.
 */
extern void hj_partitions_evict(HjPartitions *partitions, HjBuildTable *table,
								Size bytes);

/* Build rows in files; p may be NULL. */
extern uint64 hj_partitions_build_rows(const HjPartitions *partitions);

#endif							/* HJ_PARTITIONS_H */
