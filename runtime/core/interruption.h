/* interruption.h: a request to stop the operators of a context: a flag, and a function of the host
 * that is asked now and then. */
#ifndef TOCHA_CORE_INTERRUPTION_H
#define TOCHA_CORE_INTERRUPTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct tocha_interruption {
  atomic_int requested;
  bool (*poll)(void *user); /* tocha_on_poll; NULL: only the flag counts */
  void *user;
  int64_t due;    /* the time in nanoseconds at which the function is asked next */
  unsigned calls; /* of tocha_poll_interruption, most of which do not look at the clock */
} tocha_interruption;

/* Asks the host's function if that is due and this thread may ask it, and notes its request to
 * stop. Returns true if there is one. */
bool tocha_poll_interruption(tocha_interruption *i);
/* Declares that this thread, a helper of the library, never asks a host's function. */
void tocha_never_poll_here(void);

static inline bool tocha_is_requested(const tocha_interruption *i) {
  return atomic_load_explicit(&i->requested, memory_order_relaxed);
}

#endif
