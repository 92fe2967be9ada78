/*
 * completion.h
 *	  Who of several probers is the last, and what all of them have seen.
 *
 * Build rows without a match can be put out only when the last probe row has
 * been looked up, by whichever prober finds that there is no other left.  How
 * many probers there will be is not known: planned workers may never start, or
 * come late, and the leader may not take part.  So they come and go:
 *
 *	 attach		before a prober asks for its first probe row.  Refused once
 *				the side is closed: nothing is left to do.  Either its rows
 *				have all been looked up, or all who came stopped early, which
 *				they do only where nobody wants more rows from anyone.
 *	 complete	once, by everyone who attached, when it will look up no more.
 *				A prober that stops before its end (LIMIT, shutdown) says so
 *				with HJ_ABANDONED.  If the last one finds that among the
 *				facts, nobody puts out unmatched rows: match bits are
 *				incomplete.  It is core's skip_unmatched.
 *
 * Everything is in one word: how many probers are attached, the facts, and
 * whether the side is closed.
 *
 *	 attach		add 1; refused if CLOSED was set before.  What a refused
 *				prober added stays, and nobody looks at it.
 *	 complete	or in the facts; subtract 1; if that leaves nobody, set CLOSED
 *				by compare-and-swap with the word just seen.  If the word is
 *				another by now, somebody attached in between, and one of those
 *				who came will be the last instead.
 *
 * That is the sticky counter of Anderson, Blelloch and Wei ("Turning manual
 * concurrent memory reclamation into automatic reference counting", PLDI 2022),
 * with facts beside the count.  With a plain counter somebody could attach
 * between the last subtraction and the unmatched rows.  Core's nodeHashjoin.c
 * asks BarrierArriveAndDetachExceptLast (16 and later), which takes a spinlock.
 *
 * What follows:
 *
 * - Of those who attached exactly one is last.  After the last subtraction
 *	 nothing changes the word but a swap that closes it, so one swap succeeds;
 *	 and none can succeed once CLOSED is set.
 * - The last sees every fact that anyone recorded, and all that others wrote
 *	 elsewhere before they completed (match bits).  Facts are in the word that
 *	 was swapped; others' subtractions release, and the swap acquires.
 * - Facts can be had only by completing.  Anything earlier is a hint, and is
 *	 named so.
 * - Nobody waits: a call is at most three atomic operations, without a loop.  A
 *	 prober that is not last goes on to its end, and the last, when it puts out
 *	 rows, is attached to nothing.  So no process ever depends on one that is
 *	 blocked on a full tuple queue, and there is nothing to deadlock.
 *
 * The checker in test/model compiles this very file, explores its
 * interleavings, and must notice each HJ_MUTANT_... below.
 */
#ifndef HJ_COMPLETION_H
#define HJ_COMPLETION_H

#include "parallel/atomics.h"

/* In shared memory, one for each probe side. */
typedef struct HjCompletion
{
	HjAtomic	word;
} HjCompletion;

/* What a prober may have seen; facts are or'ed together. */
#define HJ_SAW_ROW		0x01000000U /* any probe row */
#define HJ_SAW_NULL		0x02000000U /* a NULL key */
#define HJ_ABANDONED	0x04000000U /* stopped before its end */

/* The word: probers attached (more than there can be backends), facts, closed. */
#define HJ_PROBERS		0x00FFFFFFU
#define HJ_FACTS		(HJ_SAW_ROW | HJ_SAW_NULL | HJ_ABANDONED)
#define HJ_CLOSED		0x80000000U

/* Before any prober can attach; again before a rescan, when all have gone. */
static inline void
hj_completion_init(HjCompletion *c)
{
	hj_atomic_init(&c->word, 0);
}

/*
 * False if the side is closed: then the prober must not look up anything, and
 * does not complete.  Orders nothing: what the prober is about to read was made
 * visible to it by whatever told it that the table is ready.
 */
static inline bool
hj_completion_attach(HjCompletion *c)
{
	uint32		before = hj_atomic_fetch_add(&c->word, 1, HJ_RELAXED);

#ifdef HJ_MUTANT_ATTACH_AFTER_CLOSURE
	(void) before;
	return true;
#else
	return (before & HJ_CLOSED) == 0;
#endif
}

/*
 * Has anyone recorded this fact so far?  Only ever a reason to stop early;
 * nothing that is put out may depend on it.
 */
static inline bool
hj_completion_saw_hint(HjCompletion *c, uint32 fact)
{
	return (hj_atomic_load_relaxed(&c->word) & fact) != 0;
}

/*
 * Lets others know early, while attached.  Complete with the same fact all the
 * same.  May be called for every row: it writes only what is not known yet.
 */
static inline void
hj_completion_tell(HjCompletion *c, uint32 fact)
{
	if (!hj_completion_saw_hint(c, fact))
		(void) hj_atomic_fetch_or(&c->word, fact, HJ_RELAXED);
}

/*
 * Part of complete: one prober less.  Returns the word as that leaves it.
 */
static inline uint32
hj_completion_leave(HjCompletion *c)
{
#if defined(HJ_MUTANT_DECREMENT_SPLIT)
	uint32		word = hj_atomic_load_acquire(&c->word) - 1;

	hj_atomic_store_release(&c->word, word);
	return word;
#elif defined(HJ_MUTANT_DECREMENT_RELAXED)
	return hj_atomic_fetch_sub(&c->word, 1, HJ_RELAXED) - 1;
#else
	return hj_atomic_fetch_sub(&c->word, 1, HJ_ACQ_REL) - 1;
#endif
}

/*
 * Part of complete: closes the side, if the word is still what leave returned.
 *
 * It can be the same word and yet somebody came and went in between.  Then both
 * try, with the same word, and it does not matter who succeeds, as long as it
 * acquires what the other wrote: hence an order of its own.
 */
static inline bool
hj_completion_close(HjCompletion *c, uint32 word)
{
#if defined(HJ_MUTANT_CLOSE_BLINDLY)
	(void) word;
	return (hj_atomic_fetch_or(&c->word, HJ_CLOSED, HJ_ACQ_REL) & HJ_CLOSED) == 0;
#elif defined(HJ_MUTANT_CLOSE_RELAXED)
	return hj_atomic_compare_exchange(&c->word, &word, word | HJ_CLOSED, HJ_RELAXED);
#else
	return hj_atomic_compare_exchange(&c->word, &word, word | HJ_CLOSED, HJ_ACQ_REL);
#endif
}

/*
 * The prober will look up no more; `facts` are its own.  True if it is the last,
 * and then *all is what all probers together have seen; else *all is not set.
 * Nobody sees what it writes to shared memory afterwards, unless it is the last.
 */
static inline bool
hj_completion_complete(HjCompletion *c, uint32 facts, uint32 *all)
{
	uint32		word;
#if defined(HJ_MUTANT_FACTS_BEFORE) || defined(HJ_MUTANT_FACTS_FROM_HINT)
	uint32		early = facts;
#endif

#ifdef HJ_MUTANT_ABANDONED_IGNORED
	facts &= ~HJ_ABANDONED;
#endif
	if (facts != 0)
		(void) hj_atomic_fetch_or(&c->word, facts, HJ_RELAXED);
#if defined(HJ_MUTANT_FACTS_BEFORE)
	early |= hj_atomic_fetch_or(&c->word, 0, HJ_ACQ_REL);
#elif defined(HJ_MUTANT_FACTS_FROM_HINT)
	for (uint32 fact = HJ_SAW_ROW; fact <= HJ_ABANDONED; fact <<= 1)
		early |= hj_completion_saw_hint(c, fact) ? fact : 0;
#endif
	word = hj_completion_leave(c);
	if ((word & HJ_PROBERS) != 0 || !hj_completion_close(c, word))
		return false;
#if defined(HJ_MUTANT_FACTS_BEFORE) || defined(HJ_MUTANT_FACTS_FROM_HINT)
	word = early;
#endif
	*all = word & HJ_FACTS;
	return true;
}

#endif							/* HJ_COMPLETION_H */
