/*
 * explore.h
 *	  What the models have in common: the search, and proof that it went where it
 *	  was meant to go.
 *
 * A model is built for N processes.  Its arguments are words for what may happen,
 * and numbers as name=number.  The search is Relacy's full one: every
 * interleaving, and at each relaxed load the newest value or the one before,
 * where C11 allows both.  With random=number it is so many random executions
 * instead, where a load may also return a value that is older still.
 *
 * A model says what it expects to happen in some execution, and tells when it
 * happens; a search without it proves nothing, and fails.
 */
#ifndef HJ_EXPLORE_H
#define HJ_EXPLORE_H

#include <relacy/relacy.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define HJ_MODEL 1

#ifndef N
#define N 2
#endif

enum Event
{
	MISSED,						/* a worker never started */
	REFUSED,					/* a prober was refused */
	ABANDONED,					/* the last one learnt that one stopped early */
	ALL_ATTACHED,				/* nobody was refused or missing */
	SHARED_OUT,					/* more than one process got work */
	EVENTS
};

static const char *const event_names[EVENTS] = {
	"a worker that never starts",
	"a prober refused",
	"a prober that stops early",
	"all probers attached",
	"work shared out",
};

static bool expected[EVENTS];
static bool seen[EVENTS];

static inline void
expect(Event event, bool wanted)
{
	expected[event] = wanted;
}

static inline void
happened(Event event, bool really)
{
	seen[event] |= really;
}

/* Was this word among the arguments? */
static inline bool
said(char **argv, const char *word)
{
	while (*++argv)
		if (strcmp(*argv, word) == 0)
			return true;
	return false;
}

/* The number of name=number, or what it is otherwise. */
static inline long
number(char **argv, const char *name, long otherwise)
{
	size_t		length = strlen(name);

	while (*++argv)
		if (strncmp(*argv, name, length) == 0 && (*argv)[length] == '=')
			return atol(*argv + length + 1);
	return otherwise;
}

/* The exit status: 0 if everything held, and everything expected happened. */
template<typename Model>
int
explore(char **argv)
{
	rl::test_params params;
	int			status = 0;

	params.iteration_count = number(argv, "random", 0);
	params.search_type = (params.iteration_count > 0) ?
		rl::random_scheduler_type : rl::fair_full_search_scheduler_type;
	if (!rl::simulate<Model>(params))
		return 1;
	for (int i = 0; i < EVENTS; i++)
		if (expected[i] && !seen[i])
		{
			printf("never happened: %s\n", event_names[i]);
			status = 2;
		}
	return status;
}

#endif							/* HJ_EXPLORE_H */
