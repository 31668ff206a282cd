/* signals.h: threads that leave the program's signals to the threads that wait for them. */
#ifndef TOCHA_SIGNALS_H
#define TOCHA_SIGNALS_H

#include <signal.h>

#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Blocks the signals of the calling thread, so that threads that it starts meanwhile receive none, and returns the mask from
 * before. Signals of a thread's own faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT) still reach the program's
 * handlers. */
TOCHA_API sigset_t tocha_hold_signals(void);
/* Brings the mask back. */
TOCHA_API void tocha_release_signals(const sigset_t *held);

#ifdef __cplusplus
}
#endif
#endif
