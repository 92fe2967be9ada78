/*
 * completion.cpp
 *	  Explores src/parallel/completion.h, compiled from the very same source.
 *
 * N probers share the rows of a probe side.  Each may come late; what else may
 * happen is said by the arguments (miss, stop, tell, flags, rows=number).
 * Checked:
 *
 *	 - if anyone attached, exactly one is last; nobody attaches after, and nobody
 *	   is refused before
 *	 - the last knows the facts of all who attached, and no others
 *	 - it may read what the others wrote (the checker reports a race if the order
 *	   is too weak)
 *	 - if nobody stopped early, all rows were looked up, and it sees all their
 *	   match flags
 */
#include "explore.h"

#include "parallel/claim.h"
#include "parallel/completion.h"

/* What may happen, and how many rows the probe side has: arguments. */
static bool may_miss;			/* a worker never starts */
static bool may_stop;			/* a prober stops early */
static bool may_tell;			/* a fact is told before */
static bool set_flags;			/* match flags, beside plain memory */
static int	nrows;

struct Probers : rl::test_suite<Probers, N>
{
	HjCompletion completion;
	HjAtomic	flags[1];
	rl::var<int> written[N];	/* plain memory, rows or not */

	/* what really happened; no business of the protocol */
	int			rows;
	int			attached;
	int			lasts;
	unsigned	facts;

	void
	before()
	{
		hj_completion_init(&completion);
		hj_atomic_init(&flags[0], 0);
		for (int i = 0; i < N; i++)
			written[i]($) = 0;
		rows = attached = lasts = 0;
		facts = 0;
	}

	/* Rows up to `end` that no other prober has taken. */
	unsigned
	look_up(unsigned me, int end)
	{
		unsigned	fact = 0;

		while (rows < end)
		{
			int			row = rows++;

			if (set_flags)
				(void) hj_match_flag_set(flags, row);
			fact = HJ_SAW_ROW;
		}
		return fact;
	}

	void
	last(unsigned all)
	{
		lasts++;
		RL_ASSERT(all == facts);
		for (int i = 0; i < N; i++)
			(void) (int) written[i]($);
		happened(ABANDONED, (all & HJ_ABANDONED) != 0);
		if (all & HJ_ABANDONED)
			return;
		RL_ASSERT(rows == nrows);
		for (int row = 0; set_flags && row < nrows; row++)
			RL_ASSERT(hj_match_flag_get(flags, row));
	}

	void
	thread(unsigned me)
	{
		unsigned	mine;
		unsigned	all = 0;

		if (may_miss && me == N - 1 && rl::rand(2) == 0)
		{
			happened(MISSED, true);
			return;
		}
		if (!hj_completion_attach(&completion))
		{
			happened(REFUSED, true);
			RL_ASSERT(lasts == 1);
			return;
		}
		RL_ASSERT(lasts == 0);
		attached++;
		written[me]($) = 1;
		mine = look_up(me, rows + (rows < nrows));
		if (me == 0)
		{
			mine |= HJ_SAW_NULL;
			if (may_tell)
				hj_completion_tell(&completion, HJ_SAW_NULL);
		}
		if (may_stop && me <= 1 && rl::rand(2) == 0)
			mine |= HJ_ABANDONED;
		else
			mine |= look_up(me, nrows);
		facts |= mine;
		if (hj_completion_complete(&completion, mine, &all))
			last(all);
	}

	void
	after()
	{
		RL_ASSERT(lasts == (attached > 0));
		happened(ALL_ATTACHED, attached == N);
	}
};

int
main(int argc, char **argv)
{
	(void) argc;
	may_miss = said(argv, "miss");
	may_stop = said(argv, "stop");
	may_tell = said(argv, "tell");
	set_flags = said(argv, "flags");
	nrows = number(argv, "rows", N);
	expect(REFUSED, true);
	expect(ALL_ATTACHED, true);
	expect(MISSED, may_miss);
	expect(ABANDONED, may_stop);
	return explore<Probers>(argv);
}
