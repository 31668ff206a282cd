/* signals.h: the signals of the process, and its end while threads of the library still run.
 * Signals belong to the program: the library blocks them in its threads, and installs no
 * handler. */
#ifndef TOCHA_SIGNALS_H
#define TOCHA_SIGNALS_H

#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The set of signals that a thread blocks. */
typedef struct tocha_signal_mask {
  uint64_t bits[16];
} tocha_signal_mask;

/* Blocks signals in the calling thread, and thereby in the threads that it starts until tocha_release_signals. Returns the
 * previous mask. The signals of a thread's own faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT) stay unblocked. */
TOCHA_API tocha_signal_mask tocha_hold_signals(void);
/* Restores the mask `held`; does nothing if `held` is NULL. */
TOCHA_API void tocha_release_signals(const tocha_signal_mask *held);

/* Allows tocha_interrupt to return from a long call of LAPACK, which cannot be stopped and then
 * continues in a thread of its own. A program that allows this must end by _exit while
 * tocha_abandoned_calls() is not 0, because exit would unmap memory that these threads use, and
 * the child of a fork must not call linear algebra meanwhile. Not allowed at first: an interrupt
 * then takes effect when LAPACK has finished. */
TOCHA_API void tocha_allow_abandoned_calls(bool allowed);
/* Returns the number of calls in the process that were left by an interrupt and that still
 * compute. */
TOCHA_API int tocha_abandoned_calls(void);

#ifdef __cplusplus
}
#endif
#endif
