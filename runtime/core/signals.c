/* signals.c: blocks signals in the threads of the library. */
#include "tocha/signals.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

_Static_assert(sizeof(sigset_t) <= sizeof(tocha_signal_mask), "a mask of this system has no room");

tocha_signal_mask tocha_hold_signals(void) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  tocha_signal_mask held = {{0}};
  sigset_t all, before;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  memcpy(&held, &before, sizeof before);
  return held;
}

void tocha_release_signals(const tocha_signal_mask *held) {
  if (!held) return;
  sigset_t before;
  memcpy(&before, held, sizeof before);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}
