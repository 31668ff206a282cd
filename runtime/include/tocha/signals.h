/* signals.h: blocks signals, so that the library's threads leave the program's signals to the program's own threads. */
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

#ifdef __cplusplus
}
#endif
#endif
