/* signals.h: threads that leave the program's signals to the threads that wait for them. */
#ifndef TOCHA_SIGNALS_H
#define TOCHA_SIGNALS_H

#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The signals that a thread lets wait. */
typedef struct tocha_signal_mask {
  uint64_t bits[16];
} tocha_signal_mask;

/* Blocks the signals of the calling thread, so that threads that it starts meanwhile receive none, and returns the mask from
 * before. Signals of a thread's own faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT) still reach the program's
 * handlers. */
TOCHA_API tocha_signal_mask tocha_hold_signals(void);
/* Brings the mask back; nothing if held is NULL. */
TOCHA_API void tocha_release_signals(const tocha_signal_mask *held);

#ifdef __cplusplus
}
#endif
#endif
