/* share_test.c: tensors between contexts and threads: the same memory, which goes with the last of them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tocha/context.h"
#include "tocha/ops/full.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/sum.h"
#include "tocha/share.h"
#include "tocha/tensor.h"

typedef struct errand {
  const tocha_shared *shared;
  double sum;
  void *data;
} errand;

/* Sums in a context of its own, writes, and lets go. */
static void *run(void *user) {
  errand *e = user;
  tocha_context *cx = tocha_open(NULL);
  tocha_tensor *t = tocha_from_shared(cx, e->shared);
  tocha_scalar sum = {0};
  if (t && tocha_item(cx, tocha_sum(cx, t), &sum)) e->sum = tocha_scalar_real(sum);
  e->data = tocha_data(t);
  if (t) ((float *)tocha_data(t))[0] = 100;
  tocha_close(cx);
  return NULL;
}

static void test_threads(int64_t n) {
  enum { THREADS = 4 };
  tocha_context *cx = tocha_open(NULL);
  tocha_tensor *x = tocha_full(cx, 1, &n, tocha_float(2));
  tocha_shared *shared = tocha_share(cx, tocha_narrow(cx, x, 0, 1, n - 1));
  errand errands[THREADS];
  pthread_t threads[THREADS];
  size_t live = tocha_host_bytes(cx).live;
  CHECK(x && shared);
  for (int i = 0; i < THREADS; i++) {
    errands[i] = (errand){shared, 0, NULL};
    pthread_create(&threads[i], NULL, run, &errands[i]);
    pthread_join(threads[i], NULL);
  }
  for (int i = 0; i < THREADS; i++) {
    CHECK(errands[i].sum == 2.0 * (double)(n - 2) + (i ? 100 : 2));
    CHECK(errands[i].data == (float *)tocha_data(x) + 1);
  }
  CHECK(((float *)tocha_data(x))[1] == 100);
  CHECK(tocha_host_bytes(cx).live == live);
  tocha_close(cx); /* the memory stays with what was shared */
  cx = tocha_open(NULL);
  tocha_tensor *y = tocha_from_shared(cx, shared);
  tocha_shared_free(shared);
  CHECK(y && tocha_numel(y) == n - 1 && ((float *)tocha_data(y))[n - 2] == 2);
  tocha_close(cx);
}

static void count_call(void *user, void *data) {
  (void)data;
  ++*(int *)user;
}

/* Memory of the host's is copied: its deleter runs where it did. */
static void test_host_memory(void) {
  float values[3] = {1, 2, 3};
  int64_t n = 3;
  int calls = 0;
  tocha_context *cx = tocha_open(NULL);
  tocha_tensor *x = tocha_from_memory(cx, values, 1, &n, TOCHA_FLOAT32, count_call, &calls);
  tocha_shared *shared = tocha_share(cx, x);
  tocha_close(cx);
  CHECK(shared && calls == 1);
  memset(values, 0, sizeof values);
  cx = tocha_open(NULL);
  tocha_tensor *y = tocha_from_shared(cx, shared);
  CHECK(y && ((float *)tocha_data(y))[2] == 3);
  tocha_shared_free(shared);
  tocha_close(cx);
}

static void test_refusals(void) {
  tocha_context *cx = tocha_open(NULL);
  CHECK(!tocha_share(cx, NULL) && !tocha_from_shared(cx, NULL));
  tocha_shared_free(NULL);
  tocha_clear_error(cx);
  int64_t n = 2;
  tocha_tensor *x = tocha_full(cx, 1, &n, tocha_float(1));
  tocha_set_requires_grad(cx, x, true);
  tocha_shared *leaf = tocha_share(cx, x);
  CHECK(leaf && !tocha_requires_grad(tocha_from_shared(cx, leaf)));
  tocha_shared_free(leaf);
  CHECK(!tocha_share(cx, tocha_mul(cx, x, x)) && tocha_failed(cx));
  CHECK(strncmp(tocha_error(cx)->message, "Cowardly", 8) == 0);
  tocha_clear_error(cx);
  tocha_tensor *gone = tocha_full(cx, 1, &n, tocha_float(1));
  tocha_tensor_forget(gone);
  CHECK(!tocha_share(cx, gone) && tocha_failed(cx));
  tocha_close(cx);
}

int main(void) {
  test_threads(10);
  test_threads(100000);
  test_host_memory();
  test_refusals();
  return finish();
}
