/* entry.h: what the loops over entries (sort_entries.h) read of one. */
#ifndef TOCHA_ENTRY_H
#define TOCHA_ENTRY_H

#include "ops/sorting/cpu/sort_entries.h"
#include "tensor/interruptible.h"

#if defined(TOCHA_LOOPS_int64)
typedef tocha_wide_entry entry;
enum { KEY_BYTES = 8 };
static inline uint64_t key_of(entry e) { return e.key; }
static inline int64_t place_of(entry e) { return e.index; }
#else
typedef tocha_narrow_entry entry;
enum { KEY_BYTES = 4 };
static inline uint64_t key_of(entry e) { return e >> 32; }
static inline int64_t place_of(entry e) { return (int64_t)(e & 0xffffffff); }
#endif

enum { STEP = 1 << 14 }; /* entries between two looks at *stop */

/* Whether step i of a long loop is the one to end at. */
static inline bool is_time(int64_t i, const atomic_int *stop) {
  return i % STEP == 0 && tocha_is_set(stop);
}

#endif
