/* sequence.c: the loops of sequence.h. */
#include "ops/creation/cpu/sequence.h"

#include <math.h>

#include "ops/creation/sequence.h"
#include "tensor/cpu/element.h"

#if defined(TOCHA_LOOPS_float32)
/* PyTorch computes values in vectors: the first value of each as start + index * step, rounded, and the others from the first.
 * VECTOR is the width of the vectors that PyTorch is built for. */
enum { VECTOR = 8 };
static inline T range_value(const tocha_sequence_args *a, int64_t i) {
  int64_t first = i < a->count / (2 * VECTOR) * (2 * VECTOR) ? i / VECTOR * VECTOR : i;
  float base = (float)(a->start + a->step * (double)first);
  return (float)((double)base + a->step * (double)(i - first));
}
#elif defined(TOCHA_LOOPS_float64) || defined(TOCHA_LOOPS_float16) || defined(TOCHA_LOOPS_bfloat16)
static inline T range_value(const tocha_sequence_args *a, int64_t i) {
  return element_of_double(a->start + a->step * (double)i);
}
#else
static inline T range_value(const tocha_sequence_args *a, int64_t i) {
  uint64_t steps = (uint64_t)i * (uint64_t)a->integer_step;
  return element_of_integer((int64_t)((uint64_t)a->integer_start + steps));
}
#endif

#if defined(TOCHA_LOOPS_float32) || defined(TOCHA_LOOPS_float16) || defined(TOCHA_LOOPS_bfloat16)
enum { SINGLE = 1 };
#else
enum { SINGLE = 0 };
#endif

static void range(const tocha_sequence_args *a, int64_t begin, int64_t end) {
  T *out = a->out;
  for (int64_t i = begin; i < end; i++) out[i] = range_value(a, i);
}

static void linear(const tocha_sequence_args *a, int64_t begin, int64_t end) {
  T *out = a->out;
  for (int64_t i = begin; i < end; i++)
    out[i] = element_of_double(tocha_linspace_value(SINGLE, a->start, a->stop, a->count, i));
}

static void logarithmic(const tocha_sequence_args *a, int64_t begin, int64_t end) {
  T *out = a->out;
  for (int64_t i = begin; i < end; i++) {
    double power = tocha_linspace_value(SINGLE, a->start, a->stop, a->count, i);
    out[i] = element_of_double(pow(a->base, power));
  }
}

const tocha_sequence_loops TOCHA_LOOPS(sequence) = {{
    [TOCHA_SEQUENCE_RANGE] = range,
    [TOCHA_SEQUENCE_LINEAR] = linear,
    [TOCHA_SEQUENCE_LOGARITHMIC] = logarithmic,
}};
