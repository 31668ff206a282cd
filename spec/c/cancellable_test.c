/* cancellable_test.c: an interrupt during a long call of LAPACK. The library alone answers when the call has finished. A host that lets calls be
 * abandoned is free at once, its next call is right, and its process ends by _exit while the first still computes. No signal gets a
 * handler in either case. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "core/internal.h"
#include "platform/platform.h"
#include "tocha/context.h"
#include "tocha/ops/private/linalg_svd.h"
#include "tocha/ops/eye.h"
#include "tocha/ops/randn.h"
#include "tocha/signals.h"
#include "tocha/tensor.h"

enum { LARGE = 1500, SMALL = 300 }; /* rows: of seconds; of what runs in a thread, too */

static void sleep_ms(long ms) {
  struct timespec t = {0, ms * 1000000};
  nanosleep(&t, NULL);
}

static long wait_ms = 100; /* before an interrupt */

static void *interrupt_soon(void *cx) {
  sleep_ms(wait_ms);
  tocha_interrupt(cx);
  return NULL;
}

static tocha_tensor *values_of(tocha_context *cx, tocha_tensor *a) {
  tocha_tensor *u, *s, *vh;
  return tocha_private_linalg_svd_full(cx, a, false, true, NULL, "linalg.svd", &u, &s, &vh) ? s
                                                                                            : NULL;
}

/* Returns the nanoseconds that a call with an interrupt took. */
static int64_t interrupt_one(tocha_context *cx, int64_t rows) {
  tocha_scope scope = tocha_scope_begin(cx);
  int64_t sizes[] = {rows, rows};
  tocha_tensor *a = tocha_randn(cx, 2, sizes);
  pthread_t other;
  int64_t start = platform_nanoseconds();
  CHECK(a && !pthread_create(&other, NULL, interrupt_soon, cx));
  CHECK(!values_of(cx, a));
  int64_t end = platform_nanoseconds();
  CHECK(tocha_error(cx)->code == TOCHA_INTERRUPTED);
  tocha_clear_error(cx);
  pthread_join(other, NULL);
  tocha_scope_end(cx, scope, NULL);
  return end - start;
}

/* Returns true if the singular values of the identity matrix are ones. */
static bool is_right(tocha_context *cx) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *s = values_of(cx, tocha_eye(cx, SMALL, NULL));
  bool right = s != NULL;
  for (int i = 0; right && i < SMALL; i++) right = ((const float *)tocha_data(s))[i] == 1;
  tocha_scope_end(cx, scope, NULL);
  return right;
}

static bool child_computes(tocha_context *cx) {
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(is_right(cx) ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool no_handlers(void) {
  for (int i = 1; i < 32; i++) {
    struct sigaction action;
    if (sigaction(i, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
        action.sa_handler != SIG_IGN)
      return false;
  }
  return true;
}

int main(void) {
  bool none = no_handlers(); /* a sanitizer has some */
  tocha_context *cx = tocha_open(&(tocha_options){.threads = 2});
  CHECK(is_right(cx));
  interrupt_one(cx, LARGE);
  EXPECT(tocha_abandoned_calls() == 0, "no call is left that the host did not allow");
  EXPECT(child_computes(cx), "the child of a fork computes");
  tocha_close(cx);

  tocha_allow_abandoned_calls(true);
  cx = tocha_open(&(tocha_options){.threads = 2});
  EXPECT(interrupt_one(cx, LARGE) < 1000000000, "the caller is free at once");
  for (; wait_ms < 10000 && tocha_abandoned_calls() < 2; wait_ms += wait_ms / 4)
    interrupt_one(cx, LARGE); /* on a busy machine it may come before LAPACK begins */
  EXPECT(tocha_abandoned_calls() == 2, "both compute");
  EXPECT(is_right(cx), "while others compute");
  EXPECT(!none || no_handlers(), "signals are the host's");
  tocha_close(cx);
  int status = finish();
  fflush(NULL);
  _exit(status);
}
