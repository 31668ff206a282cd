/* deviations.c: the loops of deviations.h, in parallel lanes. */
#include "ops/reduction/cpu/deviations.h"

#include "tensor/loops.h"

enum { LANES = 32 };

static inline double deviation(T x, double center, bool squared) {
  double d = (double)x - center;
  return squared ? d * d : d;
}

static inline __attribute__((always_inline)) double sum_of(const T *in, int64_t n, double center,
                                                           bool squared) {
  double lanes[LANES] = {0}, total = 0;
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int k = 0; k < LANES; k++) lanes[k] += deviation(in[i + k], center, squared);
  for (; i < n; i++) total += deviation(in[i], center, squared);
  for (int k = 0; k < LANES; k++) total += lanes[k];
  return total;
}

static double sum(const void *in, int64_t n, double center, bool squared) {
  return squared ? sum_of(in, n, center, true) : sum_of(in, n, center, false);
}

const tocha_deviations_loops TOCHA_LOOPS(deviations) = {sum};
