/* handlers.c: signals that a program handles or sends. */
#define _DEFAULT_SOURCE /* SIGWINCH */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "platform/platform.h"

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void platform_on_interrupt(void (*handler)(int signal_number), bool once) {
  handle(SIGINT, handler ? handler : SIG_DFL, once ? (int)SA_RESETHAND : 0);
}

static void do_nothing(int signal_number) { (void)signal_number; }

void platform_watch_window(bool watched) { handle(SIGWINCH, watched ? do_nothing : SIG_DFL, 0); }

void platform_suspend(void) { raise(SIGTSTP); }

void platform_interrupt_thread(const platform_thread *thread) {
  pthread_t own;
  memcpy(&own, thread->storage, sizeof own);
  pthread_kill(own, SIGINT);
}

bool platform_interrupt_group(void) { return getpgrp() == getpid() && kill(0, SIGINT) == 0; }

/* --- signals as bytes in a pipe ---------------------------------------------------------------- */

static int signal_pipe[2] = {-1, -1};

static void pass_on(int number) {
  int before = errno;
  unsigned char byte = (unsigned char)number;
  if (write(signal_pipe[1], &byte, 1) < 0) errno = before;
  errno = before;
}

int platform_receive_signals(int count, const int *numbers) {
  struct sigaction old;
  if (!platform_open_pipe(signal_pipe)) return -1;
  for (int i = 0; i < 2; i++) platform_never_wait(signal_pipe[i]);
  for (int i = 0; i < count; i++) {
    if (sigaction(numbers[i], NULL, &old) != 0) continue;
    if (old.sa_handler != SIG_IGN) handle(numbers[i], pass_on, SA_RESTART);
  }
  signal(SIGPIPE,
         SIG_IGN); /* the reader of the output may go away before the programs have ended */
  return signal_pipe[0];
}
