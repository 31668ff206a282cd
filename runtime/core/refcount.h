/* refcount.h: the number of owners of an object. Any thread may retain and release. */
#ifndef TOCHA_REFCOUNT_H
#define TOCHA_REFCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>

typedef atomic_int tocha_refcount;

/* Sets the count to one owner: the creator of the object. */
static inline void tocha_refcount_init(tocha_refcount *count) { atomic_init(count, 1); }

static inline void tocha_refcount_retain(tocha_refcount *count) {
  atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}

/* Returns true if that was the last owner, so that the object can be freed. */
static inline bool tocha_refcount_release(tocha_refcount *count) {
  return atomic_fetch_sub_explicit(count, 1, memory_order_acq_rel) == 1;
}

#endif
