/*
 * claim.cpp
 *	  Explores src/parallel/claim.h, compiled from the very same source.
 *
 * N processes claim parts until there are none.  For each part that a process
 * gets it sets a match flag of that part and one that all of them set, in one
 * word.  The arguments say what is done (claim, flags, parts=number): without
 * claiming a process has the part of its own number.  Checked:
 *
 *	 - each part is claimed by exactly one process
 *	 - of those that set a flag exactly one is told that it was the one
 *	 - no flag is lost
 */
#include "explore.h"

#include "parallel/claim.h"

#define MAX_PARTS 4

/* Rows whose flags are set: one of each part, and one of all. */
#define ROW_OF_PART(part) (part)
#define ROW_OF_ALL 31

/* Arguments. */
static bool do_claim;
static bool do_flags;
static int	nparts;

struct Claimers : rl::test_suite<Claimers, N>
{
	HjClaim		claim;
	HjAtomic	flags[1];

	/* what really happened */
	int			claimed[MAX_PARTS];
	int			flipped;		/* times that the flag of all was flipped */
	int			working;		/* processes that got a part */

	void
	before()
	{
		hj_claim_init(&claim);
		hj_atomic_init(&flags[0], 0);
		for (int i = 0; i < nparts; i++)
			claimed[i] = 0;
		flipped = working = 0;
	}

	void
	work(unsigned part)
	{
		claimed[part]++;
		if (!do_flags)
			return;
		RL_ASSERT(hj_match_flag_set(flags, ROW_OF_PART(part)));
		flipped += hj_match_flag_set(flags, ROW_OF_ALL);
	}

	void
	thread(unsigned me)
	{
		unsigned	part;
		int			parts = 0;

		if (!do_claim)
		{
			work(me);
			return;
		}
		for (; (part = hj_claim_next(&claim, nparts)) < nparts; parts++)
			work(part);
		RL_ASSERT(part == nparts);
		working += (parts > 0);
	}

	void
	after()
	{
		for (int i = 0; i < nparts; i++)
		{
			RL_ASSERT(claimed[i] == 1);
			RL_ASSERT(!do_flags || hj_match_flag_get(flags, ROW_OF_PART(i)));
		}
		RL_ASSERT(!do_flags || (flipped == 1 && hj_match_flag_get(flags, ROW_OF_ALL)));
		happened(SHARED_OUT, working > 1);
	}
};

int
main(int argc, char **argv)
{
	(void) argc;
	do_claim = said(argv, "claim");
	do_flags = said(argv, "flags");
	nparts = number(argv, "parts", N);
	expect(SHARED_OUT, do_claim && nparts > 1);
	return explore<Claimers>(argv);
}
