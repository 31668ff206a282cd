/* poll_test.c: tocha_set_poll: a program without signals and other threads is asked while an operator works, and stops it. */
#include "check.h"
#include "core/internal.h"
#include "tensor/parallel.h"
#include "tocha/ops/exp.h"

typedef struct asker {
  tocha_context *cx;
  int calls, stop_at;
} asker;

static void ask(void *user) {
  asker *a = user;
  if (++a->calls == a->stop_at) tocha_interrupt(a->cx);
}

static void count_part(void *user, int64_t begin, int64_t end) { *(int64_t *)user += end - begin; }

static void test_chunks(tocha_context *cx, asker *a) {
  int64_t done = 0;
  CHECK(tocha_parallel_for(cx, 1 << 22, 1 << 10, count_part, &done) && done == 1 << 22);
  CHECK(a->calls > 10);
  *a = (asker){cx, 0, 5};
  done = 0;
  CHECK(!tocha_parallel_for(cx, 1 << 22, 1 << 10, count_part, &done));
  CHECK(done > 0 && done < 1 << 21);
  CHECK(tocha_error(cx)->code == TOCHA_INTERRUPTED);
  tocha_clear_error(cx);
}

static void test_operator(tocha_context *cx, asker *a) {
  tocha_tensor *x = tocha_new(cx, 1, (const int64_t[]){3}, TOCHA_FLOAT32, tocha_cpu());
  for (int i = 0; i < 3; i++) ((float *)tocha_data(x))[i] = 0;
  *a = (asker){cx, 0, 1};
  CHECK(!tocha_exp(cx, x) && tocha_error(cx)->code == TOCHA_INTERRUPTED);
  tocha_clear_error(cx);
  CHECK(tocha_exp(cx, x) != NULL);
  tocha_set_poll(cx, NULL, NULL);
  *a = (asker){cx, 0, 1};
  CHECK(tocha_exp(cx, x) != NULL && a->calls == 0);
}

int main(void) {
  tocha_context *cx = tocha_open(&(tocha_options){.threads = 1});
  asker a = {cx, 0, 0};
  tocha_set_poll(cx, ask, &a);
  test_chunks(cx, &a);
  test_operator(cx, &a);
  tocha_close(cx);
  return finish();
}
