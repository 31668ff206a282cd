/* signals.c: the signals that a thread blocks. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <string.h>

#include "platform/platform.h"

_Static_assert(sizeof(sigset_t) <= PLATFORM_SIGNAL_WORDS * sizeof(uint64_t),
               "a mask of this system has no room");

void platform_block_signals(uint64_t before[PLATFORM_SIGNAL_WORDS]) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  sigset_t all, blocked;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_BLOCK, &all, &blocked);
  memset(before, 0, PLATFORM_SIGNAL_WORDS * sizeof *before);
  memcpy(before, &blocked, sizeof blocked);
}

void platform_restore_signals(const uint64_t before[PLATFORM_SIGNAL_WORDS]) {
  sigset_t blocked;
  memcpy(&blocked, before, sizeof blocked);
  pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

static sigset_t broken_pipe(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

bool platform_hold_broken_pipes(void) {
  sigset_t set = broken_pipe(), before;
  pthread_sigmask(SIG_BLOCK, &set, &before);
  return !sigismember(&before, SIGPIPE);
}

void platform_release_broken_pipes(void) {
  sigset_t set = broken_pipe(), pending;
  int signal_number;
  sigpending(&pending);
  if (sigismember(&pending, SIGPIPE)) sigwait(&set, &signal_number);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
