/* distance.c: the distances of each row to each other row. */
#include "ops/reduction/cpu/distance.h"

#include <math.h>

#include "device/devices.h"
#include "tensor/parallel.h"

static double distance(const tocha_distance_args *d, int64_t a, int64_t b) {
  double sum = 0;
  for (int64_t i = 0; i < d->columns; i++) {
    double x = d->wide ? ((const double *)d->x1)[a + i] - ((const double *)d->x2)[b + i]
                       : (double)(((const float *)d->x1)[a + i] - ((const float *)d->x2)[b + i]);
    x = fabs(x);
    if (d->p == 2)
      sum += x * x;
    else if (d->p == 1)
      sum += x;
    else if (d->p == 0)
      sum += x != 0;
    else if (isinf(d->p))
      sum = x > sum || x != x ? x : sum;
    else
      sum += pow(x, d->p);
  }
  if (d->p == 2) return sqrt(sum);
  return d->p == 0 || d->p == 1 || isinf(d->p) ? sum : pow(sum, 1 / d->p);
}

static void find_distances(void *user, int64_t begin, int64_t end) {
  const tocha_distance_args *d = user;
  for (int64_t i = begin; i < end; i++) {
    int64_t row = i / d->others, other = row / d->rows * d->others + i % d->others;
    double value = distance(d, row * d->columns, other * d->columns);
    if (d->wide)
      ((double *)d->out)[i] = value;
    else
      ((float *)d->out)[i] = (float)value;
  }
}

bool tocha_cpu_distance(tocha_stream *stream, const tocha_distance_args *args) {
  return tocha_parallel_for(tocha_stream_context(stream), args->outputs,
                            TOCHA_GRAIN / (args->columns + 1) + 1, find_distances,
                            (void *)(uintptr_t)args);
}
