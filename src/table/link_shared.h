/*
 * link_shared.h
 *	  Making one map by several processes at once.
 *
 * The rows, their links and the map's slots stand in memory that all of them
 * see.  Each process links other rows, as many as it likes; a slot changes by
 * compare-and-swap, so no row waits for another, and one hot key does not keep
 * the other processes idle, as it would if each had a part of the keys.
 *
 * A chain's order is that in which rows were linked: rows that several workers
 * have read come in no order.
 */
#ifndef HJ_LINK_SHARED_H
#define HJ_LINK_SHARED_H

#include "postgres.h"

#include "port/atomics.h"

#include "table/build_table.h"

/* Not where the processor cannot change a slot at once, and core pretends. */
static inline bool
hj_can_link_shared(void)
{
	return sizeof(pg_atomic_uint64) == sizeof(HjSlot);
}

/*
 * Link rows from..to - 1 into table->hash or table->array, whose slots were
 * zeroed before anyone began.  Rows must have links (zeroed, if the key is
 * packed), but where hj_may_chain() says no.  Returns whether any key
 * was found to have two rows.
 * Equality functions run in table->scratch.  Cost: as hj_make_hash_map, and a
 * locked instruction a row.
 */
extern bool hj_link_shared_rows(HjBuildTable *table, uint32 from, uint32 to);

#endif							/* HJ_LINK_SHARED_H */
