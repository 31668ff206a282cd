/* sequence.h: the values of evenly spaced sequences, for the CPU's loops and for the kernels of devices. */
#ifndef TOCHA_SEQUENCE_H
#define TOCHA_SEQUENCE_H

#include <math.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define TOCHA_SEQUENCE_DEVICE __device__
#else
#define TOCHA_SEQUENCE_DEVICE
#endif

/* Returns value i of `steps` values from start to stop. linspace counts from both ends, so that the last value is exact.
 * float32 and narrower types (single) are computed in single precision, with unrounded products. */
TOCHA_SEQUENCE_DEVICE static inline double
tocha_linspace_value(bool single, double start, double stop, int64_t steps, int64_t i) {
  if (steps == 1) return start;
  if (single) {
    float a = (float)start, b = (float)stop, step = (b - a) / (float)(steps - 1);
    return i < steps / 2 ? fmaf(step, (float)i, a) : fmaf(-step, (float)(steps - 1 - i), b);
  }
  double step = (stop - start) / (double)(steps - 1);
  return i < steps / 2 ? fma(step, (double)i, start) : fma(-step, (double)(steps - 1 - i), stop);
}

#endif
