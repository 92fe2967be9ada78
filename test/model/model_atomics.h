/*
 * model_atomics.h
 *	  What src/parallel/atomics.h is for the model checker: Relacy's atomics,
 *	  which grant exactly the order that was asked for.
 */
#ifndef HJ_MODEL_ATOMICS_H
#define HJ_MODEL_ATOMICS_H

typedef unsigned uint32;
typedef rl::atomic<unsigned> HjAtomic;

#define HJ_RELAXED rl::mo_relaxed
#define HJ_ACQ_REL rl::mo_acq_rel

#define hj_atomic_init(a, value) ((a)->store((value), rl::mo_relaxed, $))
#define hj_atomic_load_relaxed(a) ((a)->load(rl::mo_relaxed, $))
#define hj_atomic_fetch_add(a, n, order) ((a)->fetch_add((n), (order), $))
#define hj_atomic_fetch_sub(a, n, order) ((a)->fetch_sub((n), (order), $))
#define hj_atomic_fetch_or(a, bits, order) ((a)->fetch_or((bits), (order), $))

/* For mutants; the protocols themselves never store. */
#define hj_atomic_load_acquire(a) ((a)->load(rl::mo_acquire, $))
#define hj_atomic_store_relaxed(a, value) ((a)->store((value), rl::mo_relaxed, $))
#define hj_atomic_store_release(a, value) ((a)->store((value), rl::mo_release, $))

#ifdef HJ_MUTANT_SWAP_WEAK
#define HJ_SWAP compare_exchange_weak	/* may fail for no reason */
#else
#define HJ_SWAP compare_exchange_strong
#endif
#define hj_atomic_compare_exchange(a, expected, desired, order) \
	((a)->HJ_SWAP(*(expected), (desired), (order), $, rl::mo_relaxed, $))

#endif							/* HJ_MODEL_ATOMICS_H */
