/* vector_math_loops.c: the table of vector_math.h, once per instruction set. */
#include <math.h>

#include "tensor/math/scalar_math.h"

#ifdef TOCHA_VECTORS
#define MAP(name, V, E, suffix, formula)                                                           \
  static void name##_##suffix(E *target, const E *source, int64_t n) {                             \
    enum { LANES = sizeof(V) / sizeof(E) };                                                        \
    for (int64_t i = 0; i < n; i += LANES) {                                                       \
      V a = V##_load((const char *)source, sizeof(E), i, n);                                       \
      V##_store((char *)target, sizeof(E), i, n, (formula));                                       \
    }                                                                                              \
  }
#define SHIFTED_EXP(V, E, suffix)                                                                  \
  static void shifted_exp_##suffix(E *target, const E *source, E shift, int64_t n) {               \
    enum { LANES = sizeof(V) / sizeof(E) };                                                        \
    for (int64_t i = 0; i < n; i += LANES) {                                                       \
      V value = EXP(V##_load((const char *)source, sizeof(E), i, n) - shift);                      \
      V##_store((char *)target, sizeof(E), i, n, value);                                           \
    }                                                                                              \
  }
#else
#define MAP(name, V, E, suffix, formula)                                                           \
  static void name##_##suffix(E *target, const E *source, int64_t n) {                             \
    for (int64_t i = 0; i < n; i++) {                                                              \
      E a = source[i];                                                                             \
      target[i] = (formula);                                                                       \
    }                                                                                              \
  }
#define SHIFTED_EXP(V, E, suffix)                                                                  \
  static void shifted_exp_##suffix(E *target, const E *source, E shift, int64_t n) {               \
    for (int64_t i = 0; i < n; i++) target[i] = EXP(source[i] - shift);                            \
  }
#endif

#define BOTH(name, formula)                                                                        \
  MAP(name, vfloat, float, float32, formula)                                                       \
  MAP(name, vdouble, double, float64, formula)
BOTH(exp, EXP(a))
BOTH(log, LOG(a))
BOTH(tanh, TANH(a))
BOTH(sigmoid, SIGMOID(a))
SHIFTED_EXP(vfloat, float, float32)
SHIFTED_EXP(vdouble, double, float64)

/* Loops of independent lanes, which compilers turn into vectors. */
enum { RUN_LANES = 64 };

#define REDUCTIONS(E, suffix, root)                                                                \
  static void sqrt_##suffix(E *target, const E *source, int64_t n) {                               \
    for (int64_t i = 0; i < n; i++) target[i] = root(source[i]);                                   \
  }                                                                                                \
  static E sum_##suffix(const E *source, int64_t n) {                                              \
    E lanes[RUN_LANES] = {0}, sum = 0;                                                             \
    int64_t i = 0;                                                                                 \
    for (; i + RUN_LANES <= n; i += RUN_LANES)                                                     \
      for (int k = 0; k < RUN_LANES; k++) lanes[k] += source[i + k];                               \
    for (; i < n; i++) sum += source[i];                                                           \
    for (int half = RUN_LANES / 2; half; half /= 2)                                                \
      for (int k = 0; k < half; k++) lanes[k] += lanes[k + half];                                  \
    return sum + lanes[0];                                                                         \
  }                                                                                                \
  static E max_##suffix(const E *source, int64_t n) {                                              \
    E lanes[RUN_LANES], best = (E)-INFINITY;                                                       \
    int64_t i = 0;                                                                                 \
    for (int k = 0; k < RUN_LANES; k++) lanes[k] = best;                                           \
    for (; i + RUN_LANES <= n; i += RUN_LANES)                                                     \
      for (int k = 0; k < RUN_LANES; k++) {                                                        \
        E x = source[i + k];                                                                       \
        lanes[k] = lanes[k] >= x || lanes[k] != lanes[k] ? lanes[k] : x;                           \
      }                                                                                            \
    for (; i < n; i++) best = best >= source[i] || best != best ? best : source[i];                \
    for (int k = 0; k < RUN_LANES; k++) best = best >= lanes[k] || best != best ? best : lanes[k]; \
    return best;                                                                                   \
  }
REDUCTIONS(float, float32, sqrtf)
REDUCTIONS(double, float64, sqrt)

#define THIS_TABLE TOCHA_PASTE(tocha_vector_math_, TOCHA_ISA)
extern const tocha_vector_math THIS_TABLE;
const tocha_vector_math THIS_TABLE = {
    exp_float32, log_float32,  tanh_float32,        sigmoid_float32,     sqrt_float32, exp_float64,
    log_float64, tanh_float64, sigmoid_float64,     sqrt_float64,        sum_float32,  sum_float64,
    max_float32, max_float64,  shifted_exp_float32, shifted_exp_float64,
};
