/* entry.h: reads keys and places of entries, for the loops over them (sort_entries.h). */
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

enum { STEP = 1 << 14 }; /* entries between two checks of *stop */

/* Returns true if step i of a long loop should end it. Checks *stop once every STEP steps. */
static inline bool is_time(int64_t i, tocha_stop stop) {
  return i % STEP == 0 && tocha_is_set(stop);
}

#endif
