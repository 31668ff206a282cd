/* weigh.c: the loops of weigh.h. A tap after the other is added to a row, which stays in the cache. */
#include "ops/resampling/cpu/weigh.h"

/* A row of one element each: the taps lie anywhere in the input's row. */
static void along(const T *restrict in, T *restrict out, const int64_t *restrict at,
                  const T *restrict weights, int64_t n, int64_t count) {
  for (int64_t i = 0; i < n; i++) out[i] = in[at[i]] * weights[i];
  for (int64_t k = 1; k < count; k++)
    for (int64_t i = 0; i < n; i++) out[i] += in[at[k * n + i]] * weights[k * n + i];
}

/* A row that is a sum of whole rows. */
static void across(const tocha_weigh_args *a, const T *restrict in, T *restrict out, int64_t i) {
  const T *weights = (const T *)a->weights;
  int64_t inner = a->inner;
  const T *x = in + a->positions[i] * inner;
  for (int64_t j = 0; j < inner; j++) out[j] = x[j] * weights[i];
  for (int64_t k = 1; k < a->count; k++) {
    T weight = weights[k * a->n + i];
    x = in + a->positions[k * a->n + i] * inner;
    for (int64_t j = 0; j < inner; j++) out[j] += x[j] * weight;
  }
}

static void weigh(const tocha_weigh_args *a, int64_t begin, int64_t end) {
  const T *in = (const T *)a->in;
  T *out = (T *)a->out;
  for (int64_t row = begin; row < end; row++) {
    if (a->inner == 1)
      along(in + row * a->from, out + row * a->n, a->positions, (const T *)a->weights, a->n,
            a->count);
    else
      across(a, in + row / a->n * a->from * a->inner, out + row * a->inner, row % a->n);
  }
}

const tocha_weigh_loops TOCHA_LOOPS(weigh) = {weigh};
