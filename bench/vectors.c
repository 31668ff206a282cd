/* vectors.c: nanoseconds per element of the elementary functions on vectors (tensor/math/vector_math.h), our
 * own or SLEEF's, on arrays that fit the cache. Prints "name<TAB>float32<TAB>float64" lines; an argument
 * chooses one function. From the top folder:
 *
 *   flags="-O3 -fno-math-errno -fno-trapping-math -Iruntime -Iruntime/include"
 *   cc $flags -mavx2 -mfma -DTOCHA_ISA=avx2 bench/vectors.c -o own -lm
 *   cc $flags -mavx2 -mfma -DTOCHA_ISA=avx2 -DTOCHA_HAVE_SLEEF bench/vectors.c -o sleef -lsleef -lm
 *   emcc $flags -msimd128 -DTOCHA_ISA=baseline bench/vectors.c -o own.js
 *   node --no-wasm-tier-up --no-liftoff own.js exp     (optimized from the start, as a page is after some calls)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef float E; /* of scalar_math.h's constants */
#include "tensor/math/scalar_math.h"

enum { COUNT = 32768, REPEATS = 300 };
float float_x[COUNT], float_y[COUNT],
    float_result[COUNT]; /* external, so that no loop is left out */
double double_x[COUNT], double_y[COUNT], double_result[COUNT];

/* Define two loops that compute `value` of vectors x (in -5 ... 5) and y (in 0 ... 10). */
#define LOOP(name, vector, type, value)                                                            \
  static __attribute__((noinline)) void name(void) {                                               \
    for (int i = 0; i < COUNT; i += (int)(sizeof(vector) / sizeof(type))) {                        \
      vector x, y, result;                                                                         \
      memcpy(&x, type##_x + i, sizeof x);                                                          \
      memcpy(&y, type##_y + i, sizeof y);                                                          \
      (void)y;                                                                                     \
      result = value;                                                                              \
      memcpy(type##_result + i, &result, sizeof result);                                           \
    }                                                                                              \
  }
#define FUNCTION(name, value)                                                                      \
  LOOP(float_##name, vfloat, float, value) LOOP(double_##name, vdouble, double, value)
#define ROW(name)                                                                                  \
  { #name, float_##name, double_##name }

FUNCTION(exp, EXP(x))
FUNCTION(rounded_exp, ROUNDED_EXP(x))
FUNCTION(exp2, EXP2(x))
FUNCTION(expm1, EXPM1(x))
FUNCTION(tanh, TANH(x))
FUNCTION(rounded_tanh, ROUNDED_TANH(x))
FUNCTION(log, LOG(y))
FUNCTION(rounded_log, ROUNDED_LOG(y))
FUNCTION(log2, LOG2(y))
FUNCTION(log10, LOG10(y))
FUNCTION(log1p, LOG1P(y))
FUNCTION(atanh, ATANH(x *K(0.125)))
FUNCTION(sin, SIN(x))
FUNCTION(cos, COS(x))
FUNCTION(tan, TAN(x))
FUNCTION(asin, ASIN(x *K(0.125)))
FUNCTION(acos, ACOS(x *K(0.125)))
FUNCTION(atan, ATAN(x))
FUNCTION(atan2, ATAN2(x, y))
FUNCTION(erf, ROUNDED_ERF(x))
FUNCTION(erfc, ERFC(x))
FUNCTION(lgamma, LGAMMA(y))
FUNCTION(pow, POW(y, x))
FUNCTION(hypot, HYPOT(x, y))

static const struct {
  const char *name;
  void (*floats)(void), (*doubles)(void);
} functions[] = {
    ROW(exp),   ROW(rounded_exp), ROW(exp2), ROW(expm1),  ROW(tanh),  ROW(rounded_tanh),
    ROW(log),   ROW(rounded_log), ROW(log2), ROW(log10),  ROW(log1p), ROW(atanh),
    ROW(sin),   ROW(cos),         ROW(tan),  ROW(asin),   ROW(acos),  ROW(atan),
    ROW(atan2), ROW(erf),         ROW(erfc), ROW(lgamma), ROW(pow),   ROW(hypot),
};

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Returns the nanoseconds per element of the fastest of many calls: others have the processor, too. */
static double fastest(void (*loop)(void)) {
  double best = 1e18;
  for (int i = 0; i < REPEATS; i++) {
    double start = now_ns();
    loop();
    double time = now_ns() - start;
    if (time < best) best = time;
  }
  return best / COUNT;
}

int main(int count, char **arguments) {
  for (int i = 0; i < COUNT; i++) {
    double_x[i] = (rand() + 0.5) / (RAND_MAX + 1.0) * 10 - 5;
    double_y[i] = (rand() + 0.5) / (RAND_MAX + 1.0) * 10;
    float_x[i] = (float)double_x[i];
    float_y[i] = (float)double_y[i];
  }
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (count < 2 || strcmp(arguments[1], functions[i].name) == 0)
      printf("%s\t%.3f\t%.3f\n", functions[i].name, fastest(functions[i].floats),
             fastest(functions[i].doubles));
  return 0;
}
