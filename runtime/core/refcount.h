/* refcount.h: how many owners an object has. Any thread may retain and release. */
#ifndef TOCHA_REFCOUNT_H
#define TOCHA_REFCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>

typedef atomic_int tocha_refcount;

/* One owner: who made the object. */
static inline void tocha_refcount_init(tocha_refcount *count) { atomic_init(count, 1); }

static inline void tocha_refcount_retain(tocha_refcount *count) {
  atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}

/* True: that was the last owner, and the object can go. */
static inline bool tocha_refcount_release(tocha_refcount *count) {
  return atomic_fetch_sub_explicit(count, 1, memory_order_acq_rel) == 1;
}

#endif
