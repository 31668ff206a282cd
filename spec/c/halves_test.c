/* halves_test.c: half-precision products in two contexts on two threads, contexts that come and go,
 * interrupts, and what happens when memory lacks at any one allocation. */
#include <pthread.h>
#include <string.h>

#include "check.h"
#include "core/internal.h"
#include "tocha/ops/matmul.h"

/* Sizes on both sides of where oneDNN is asked. */
static const int64_t sizes[] = {20, 70, 170, 200};

static tocha_tensor *ones(tocha_context *cx, int64_t n) {
  tocha_tensor *t = tocha_new(cx, 2, (const int64_t[]){n, n}, TOCHA_BFLOAT16, tocha_cpu());
  uint16_t *values = t ? tocha_data(t) : NULL;
  for (int64_t i = 0; values && i < n * n; i++) values[i] = 0x3f80;
  return t;
}

/* How many of the products of ones with ones (n, n) are not n everywhere. */
static int wrong_products(tocha_context *cx, int rounds) {
  int wrong = 0;
  for (int i = 0; i < rounds; i++) {
    tocha_scope s = tocha_scope_begin(cx);
    int64_t n = sizes[i % TOCHA_COUNT(sizes)];
    tocha_tensor *x = ones(cx, n);
    tocha_tensor *y = tocha_matmul(cx, x, x);
    const uint16_t *values = y ? tocha_data(y) : NULL;
    float number = (float)n;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits); /* below 256: exact in bfloat16 */
    bool same = values != NULL;
    for (int64_t k = 0; same && k < n * n; k++) same = values[k] == bits >> 16;
    wrong += !same;
    tocha_scope_end(cx, s, NULL);
  }
  return wrong;
}

static void *run(void *user) {
  int *wrong = user;
  for (int i = 0; i < 5; i++) {
    tocha_context *cx = tocha_open(&(tocha_options){.threads = 1 + i % 2});
    *wrong += cx ? wrong_products(cx, 40) : 1;
    tocha_close(cx);
  }
  return NULL;
}

static void test_threads(void) {
  enum { THREADS = 3 };
  pthread_t threads[THREADS];
  int wrong[THREADS] = {0}, total = 0;
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run, &wrong[i]);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    total += wrong[i];
  }
  EXPECT(total == 0, "contexts on three threads at once");
}

static void test_memory(void) {
  tocha_context *cx = tocha_open(NULL);
  tocha_tensor *x = ones(cx, 64);
  int refused = 0;
  bool clean = true;
  for (int n = 0; n < 200; n++) {
    tocha_empty_cache(cx);
    tocha_scope s = tocha_scope_begin(cx);
    cx->allocator.fail_after = n;
    tocha_tensor *y = tocha_matmul(cx, x, x);
    cx->allocator.fail_after = -1;
    clean = clean && (y != NULL) != tocha_failed(cx);
    refused += !y;
    tocha_clear_error(cx);
    tocha_scope_end(cx, s, NULL);
    if (y) break;
  }
  EXPECT(clean && refused > 0, "a product without memory is an error, and nothing else");
  EXPECT(wrong_products(cx, 4) == 0, "and the context goes on");
  tocha_close(cx);
}

static void test_interrupt(void) {
  tocha_context *cx = tocha_open(NULL);
  bool stopped = true;
  for (int i = 0; i < TOCHA_COUNT(sizes); i++) {
    tocha_tensor *x = ones(cx, sizes[i]);
    tocha_interrupt(cx);
    stopped = stopped && !tocha_matmul(cx, x, x) && tocha_failed(cx);
    tocha_clear_error(cx);
  }
  EXPECT(stopped, "an interrupted product is not seen");
  EXPECT(wrong_products(cx, 4) == 0, "and the next one is whole");
  tocha_close(cx);
}

int main(void) {
  test_threads();
  test_memory();
  test_interrupt();
  return finish();
}
