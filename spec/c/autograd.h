/* autograd.h: small tensors for the tests of autograd in C, and the loop that runs them. */
#ifndef TOCHA_TEST_AUTOGRAD_H
#define TOCHA_TEST_AUTOGRAD_H

#include <math.h>
#include <stdatomic.h>

#include "check.h"
#include "autograd/node.h"
#include "tocha/ops/as_strided.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/sum_to_size.h"

static inline float at(const tocha_tensor *t, int64_t i) {
  return t && t->numel > i ? ((float *)tocha_data(t))[i] : NAN;
}

static inline tocha_tensor *vector(tocha_context *cx, float a, float b, float c) {
  const float values[3] = {a, b, c};
  return tocha_from_values(cx, values, 1, (const int64_t[]){3}, TOCHA_FLOAT32);
}

static inline tocha_tensor *leaf(tocha_context *cx, float a, float b, float c) {
  tocha_tensor *t = vector(cx, a, b, c);
  return t ? tocha_set_requires_grad(cx, t, true) : NULL;
}

static inline tocha_tensor *sum(tocha_context *cx, tocha_tensor *t) {
  return t ? tocha_sum_to_size(cx, t, 0, NULL) : NULL;
}

static inline tocha_tensor *times(tocha_context *cx, tocha_tensor *t, double factor) {
  return t ? tocha_mul_full(cx, t, tocha_number(tocha_float(factor))) : NULL;
}

/* x[first : first + count], or x as a column where count is 0. */
static inline tocha_tensor *part(tocha_context *cx, tocha_tensor *x, int64_t first, int64_t count) {
  const int64_t size[2] = {count ? count : x->numel, 1}, stride[2] = {1, 1};
  int ndim = count ? 1 : 2;
  return tocha_as_strided(cx, x, ndim, size, ndim, stride, &first);
}

/* Runs each test in a context of its own, which must end without an error and without a living object. */
static inline void run_tests(size_t count, void (*const *tests)(tocha_context *)) {
  for (size_t i = 0; i < count; i++) {
    tocha_context *cx = tocha_open(NULL);
    tests[i](cx);
    if (tocha_failed(cx)) {
      EXPECT(false, "left an error behind");
      printf("# %s\n", tocha_error(cx)->message);
      tocha_clear_error(cx);
    }
    tocha_scope everything = {0};
    tocha_scope_end(cx, everything, NULL);
    EXPECT(atomic_load(&cx->live) == 1, "everything was released");
    tocha_close(cx);
  }
}

#endif
