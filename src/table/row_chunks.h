/*
 * row_chunks.h
 *	  The memory of a row store; for the files that write one.
 */
#ifndef HJ_ROW_CHUNKS_H
#define HJ_ROW_CHUNKS_H

#include "postgres.h"

#include "table/row_store.h"

/*
 * Where the next rows go: up to n of them, one after the other.  Returns for
 * how many there is room there, at least one; the caller counts them in.
 * Errors: 54000 past HJ_MAX_ROWS, 53200 out of memory.
 */
extern int	hj_chunks_reserve_rows(HjRowStore *store, int n, char **to);

/*
 * Room for a tail of `bytes` bytes that starts at an offset of this `phase`
 * modulo MAXALIGN, or anywhere (-1).  Returns in which chunk, and where.
 */
extern uint32 hj_chunks_place_tail(HjRowStore *store, Size bytes, int phase,
								   Size *start);

/* Make the row, reserved or there, refer to its tail. */
extern void hj_chunks_set_tail(HjRowStore *store, uint32 rownum, char *row,
							   uint32 chunk, Size start);

/* Take over another store's chunk of a single tail; returns its number here. */
extern uint32 hj_chunks_adopt_tail(HjRowStore *store, HjTailChunk *chunk);

/*
 * Free tail chunks *from to end - 1 of `old`, the store itself or what it was;
 * leaves *from = end.  Full-size chunks become spare ones of the store.
 */
extern void hj_chunks_release_tails(HjRowStore *store, HjRowStore *old,
									uint32 *from, uint32 end);

/* A full-size chunk of rows or tails becomes a spare one. */
extern void hj_chunks_free(HjRowStore *store, char *chunk, Size size,
						   void **spare);

#endif							/* HJ_ROW_CHUNKS_H */
