/* norm_sums.c: the loops of norm_sums.h, in PyTorch's orders. Squares are added in eight lanes
 * (float64: four), then the lanes, then the remaining elements. The others are added one after the
 * other. */
#include "ops/reduction/cpu/norm_sums.h"

#include <math.h>
#include <string.h>

#include "tensor/loops.h"

typedef T V __attribute__((vector_size(32)));
enum { W = sizeof(V) / sizeof(T) };

static double squares(const void *data, int64_t n, tocha_stop stop) {
  const T *in = data;
  V acc = {0}, x;
  int64_t i = 0;
  for (; i + W <= n && !tocha_ends_at(i, stop); i += W) {
    memcpy(&x, in + i, sizeof x);
    acc += x * x;
  }
  T total = acc[0];
  for (int k = 1; k < W; k++) total += acc[k];
  for (; i < n && n - i < W; i++) total += in[i] * in[i];
  return total;
}

static double sizes(const void *data, int64_t n, tocha_stop stop) {
  const T *in = data;
  T total = 0;
  for (int64_t i = 0; i < n && !tocha_ends_at(i, stop); i++) total += (T)fabs((double)in[i]);
  return total;
}

static T power(T x, T p) {
#ifdef TOCHA_LOOPS_float32
  return powf(fabsf(x), p);
#else
  return pow(fabs(x), p);
#endif
}

static double powers(const void *data, int64_t n, double p, tocha_stop stop) {
  const T *in = data;
  T total = 0;
  for (int64_t i = 0; i < n && !tocha_ends_at(i, stop); i++) total += power(in[i], (T)p);
  return total;
}

const tocha_norm_sums_loops TOCHA_LOOPS(norm_sums) = {squares, sizes, powers};
