/* apart_test.c: a long call of LAPACK that an interrupt leaves: the caller is free at once, the next call is right, so is the child
 * of a fork, and the process ends while the first still computes. */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "core/internal.h"
#include "tensor/pool.h"
#include "tocha/ops/_linalg_svd.h"
#include "tocha/ops/eye.h"
#include "tocha/tocha.h"

enum { LARGE = 1500, SMALL = 300 }; /* rows: of seconds, and of what runs apart, too */

static void sleep_ms(long ms) {
  struct timespec t = {0, ms * 1000000};
  nanosleep(&t, NULL);
}

static void *interrupt_soon(void *cx) {
  sleep_ms(100);
  tocha_interrupt(cx);
  return NULL;
}

static tocha_tensor *values_of(tocha_context *cx, tocha_tensor *a) {
  tocha_tensor *u, *s, *vh;
  return tocha__linalg_svd_full(cx, a, false, true, NULL, "linalg.svd", &u, &s, &vh) ? s : NULL;
}

static void leave_one(tocha_context *cx, int i) {
  tocha_scope scope = tocha_scope_begin(cx);
  int64_t sizes[] = {LARGE, LARGE};
  tocha_tensor *a = tocha_randn(cx, 2, sizes);
  pthread_t other;
  int64_t start = tocha_nanoseconds();
  if (pthread_create(&other, NULL, interrupt_soon, cx)) return;
  CHECK(a && !values_of(cx, a));
  CHECK(tocha_error(cx)->code == TOCHA_INTERRUPTED);
  if (i == 0) EXPECT(tocha_nanoseconds() - start < 1000000000, "the caller is free at once");
  tocha_clear_error(cx);
  pthread_join(other, NULL);
  tocha_scope_end(cx, scope, NULL);
}

/* Of the identity matrix. */
static bool is_right(tocha_context *cx) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *s = values_of(cx, tocha_eye(cx, SMALL, NULL));
  bool right = s != NULL;
  for (int i = 0; right && i < SMALL; i++) right = ((const float *)tocha_data(s))[i] == 1;
  tocha_scope_end(cx, scope, NULL);
  return right;
}

/* Several forks: some come while OpenBLAS's lock is taken. */
static void test_forks(tocha_context *cx) {
  for (int i = 0; i < 20; i++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      _exit(is_right(cx) ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child of a fork computes");
    sleep_ms(3);
  }
}

int main(void) {
  tocha_context *cx = tocha_open(&(tocha_options){.threads = 2});
  CHECK(is_right(cx));
  for (int i = 0; i < 2; i++) leave_one(cx, i);
  EXPECT(is_right(cx), "while others compute");
  test_forks(cx);
  EXPECT(is_right(cx), "after forks");
  tocha_close(cx);
  return finish();
}
