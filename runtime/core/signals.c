/* signals.c: which signals the threads of the library receive. */
#include "tocha/signals.h"

#include <pthread.h>

sigset_t tocha_hold_signals(void) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  sigset_t all, before;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  return before;
}

void tocha_release_signals(const sigset_t *held) { pthread_sigmask(SIG_SETMASK, held, NULL); }
