/* elementwise_loops.c: the inner loops of elementwise.def. Compiled once per instruction set, with
 * TOCHA_KERNELS naming the table this copy defines. */
#include "ops/pointwise/elementwise.h"
#include "tensor/math/scalar_math.h"

#define OUT_SAME(T) T
#define OUT_BOOL(T) uint8_t

/* Contiguous data goes through a loop the compiler vectorizes; so does a broadcast number on either
 * side of a binary operator; everything else is strided. */
#define LOOP_1(name, type, suffix, output, formula)                                                \
  static void name##_##suffix(char *const *data, const int64_t *strides, int64_t n,                \
                              const void *numbers) {                                               \
    typedef type T;                                                                                \
    typedef type E;                                                                                \
    typedef OUT_##output(type) R;                                                                  \
    const E *p = numbers;                                                                          \
    T t = 0;                                                                                       \
    (void)p, (void)t, (void)sizeof(E);                                                             \
    if (strides[0] == sizeof(R) && strides[1] == sizeof(T)) {                                      \
      R *out = (R *)data[0];                                                                       \
      const T *x = (const T *)data[1];                                                             \
      for (int64_t i = 0; i < n; i++) {                                                            \
        T a = x[i];                                                                                \
        out[i] = (R)(formula);                                                                     \
      }                                                                                            \
    } else {                                                                                       \
      for (int64_t i = 0; i < n; i++) {                                                            \
        T a = *(const T *)(data[1] + i * strides[1]);                                              \
        *(R *)(data[0] + i * strides[0]) = (R)(formula);                                           \
      }                                                                                            \
    }                                                                                              \
  }

#define LOOP_2(name, type, suffix, output, formula)                                                \
  static void name##_##suffix(char *const *data, const int64_t *strides, int64_t n,                \
                              const void *numbers) {                                               \
    typedef type T;                                                                                \
    typedef type E;                                                                                \
    typedef OUT_##output(type) R;                                                                  \
    const E *p = numbers;                                                                          \
    T t = 0;                                                                                       \
    (void)p, (void)t, (void)sizeof(E);                                                             \
    R *out = (R *)data[0];                                                                         \
    const T *x = (const T *)data[1], *y = (const T *)data[2];                                      \
    if (strides[0] == sizeof(R) && strides[1] == sizeof(T) && strides[2] == sizeof(T)) {           \
      for (int64_t i = 0; i < n; i++) {                                                            \
        T a = x[i], b = y[i];                                                                      \
        out[i] = (R)(formula);                                                                     \
      }                                                                                            \
    } else if (strides[0] == sizeof(R) && strides[1] == sizeof(T) && strides[2] == 0) {            \
      T b = y[0];                                                                                  \
      for (int64_t i = 0; i < n; i++) {                                                            \
        T a = x[i];                                                                                \
        out[i] = (R)(formula);                                                                     \
      }                                                                                            \
    } else if (strides[0] == sizeof(R) && strides[1] == 0 && strides[2] == sizeof(T)) {            \
      T a = x[0];                                                                                  \
      for (int64_t i = 0; i < n; i++) {                                                            \
        T b = y[i];                                                                                \
        out[i] = (R)(formula);                                                                     \
      }                                                                                            \
    } else {                                                                                       \
      for (int64_t i = 0; i < n; i++) {                                                            \
        T a = *(const T *)(data[1] + i * strides[1]);                                              \
        T b = *(const T *)(data[2] + i * strides[2]);                                              \
        *(R *)(data[0] + i * strides[0]) = (R)(formula);                                           \
      }                                                                                            \
    }                                                                                              \
  }

#define LOOP_3(name, type, suffix, output, formula)                                                \
  static void name##_##suffix(char *const *data, const int64_t *strides, int64_t n,                \
                              const void *numbers) {                                               \
    typedef type T;                                                                                \
    typedef type E;                                                                                \
    typedef OUT_##output(type) R;                                                                  \
    const E *p = numbers;                                                                          \
    T t = 0;                                                                                       \
    (void)p, (void)t, (void)sizeof(E);                                                             \
    if (strides[0] == sizeof(R) && strides[1] == sizeof(T) && strides[2] == sizeof(T) &&           \
        strides[3] == sizeof(T)) {                                                                 \
      R *out = (R *)data[0];                                                                       \
      const T *x = (const T *)data[1], *y = (const T *)data[2], *z = (const T *)data[3];           \
      for (int64_t i = 0; i < n; i++) {                                                            \
        T a = x[i], b = y[i], c = z[i];                                                            \
        out[i] = (R)(formula);                                                                     \
      }                                                                                            \
    } else {                                                                                       \
      for (int64_t i = 0; i < n; i++) {                                                            \
        T a = *(const T *)(data[1] + i * strides[1]);                                              \
        T b = *(const T *)(data[2] + i * strides[2]);                                              \
        T c = *(const T *)(data[3] + i * strides[3]);                                              \
        *(R *)(data[0] + i * strides[0]) = (R)(formula);                                           \
      }                                                                                            \
    }                                                                                              \
  }

/* Functions that take long anyway need no special case. */
#define SLOW_LOOP_1(name, type, suffix, output, formula)                                           \
  static void name##_##suffix(char *const *data, const int64_t *strides, int64_t n,                \
                              const void *numbers) {                                               \
    typedef type T;                                                                                \
    typedef type E;                                                                                \
    typedef OUT_##output(type) R;                                                                  \
    const E *p = numbers;                                                                          \
    T t = 0;                                                                                       \
    (void)p, (void)t, (void)sizeof(E);                                                             \
    for (int64_t i = 0; i < n; i++) {                                                              \
      T a = *(const T *)(data[1] + i * strides[1]);                                                \
      *(R *)(data[0] + i * strides[0]) = (R)(formula);                                             \
    }                                                                                              \
  }

#define SLOW_LOOP_2(name, type, suffix, output, formula)                                           \
  static void name##_##suffix(char *const *data, const int64_t *strides, int64_t n,                \
                              const void *numbers) {                                               \
    typedef type T;                                                                                \
    typedef type E;                                                                                \
    typedef OUT_##output(type) R;                                                                  \
    const E *p = numbers;                                                                          \
    T t = 0;                                                                                       \
    (void)p, (void)t, (void)sizeof(E);                                                             \
    for (int64_t i = 0; i < n; i++) {                                                              \
      T a = *(const T *)(data[1] + i * strides[1]);                                                \
      T b = *(const T *)(data[2] + i * strides[2]);                                                \
      *(R *)(data[0] + i * strides[0]) = (R)(formula);                                             \
    }                                                                                              \
  }

#ifdef TOCHA_VECTORS
/* Whole vectors at a time: T is a vector, the output of its type. */
#define VECTOR_LOOP_1(name, V, type, suffix, formula)                                              \
  static void name##_##suffix(char *const *data, const int64_t *strides, int64_t n,                \
                              const void *numbers) {                                               \
    typedef V T;                                                                                   \
    typedef type E;                                                                                \
    const E *p = numbers;                                                                          \
    T t = {0};                                                                                     \
    (void)p, (void)t, (void)sizeof(E);                                                             \
    for (int64_t i = 0; i < n; i += (int64_t)(sizeof(T) / sizeof(E))) {                            \
      T a = V##_load(data[1], strides[1], i, n);                                                   \
      V##_store(data[0], strides[0], i, n, (formula));                                             \
    }                                                                                              \
  }

#define VECTOR_LOOP_2(name, V, type, suffix, formula)                                              \
  static void name##_##suffix(char *const *data, const int64_t *strides, int64_t n,                \
                              const void *numbers) {                                               \
    typedef V T;                                                                                   \
    typedef type E;                                                                                \
    const E *p = numbers;                                                                          \
    T t = {0};                                                                                     \
    (void)p, (void)t, (void)sizeof(E);                                                             \
    for (int64_t i = 0; i < n; i += (int64_t)(sizeof(T) / sizeof(E))) {                            \
      T a = V##_load(data[1], strides[1], i, n);                                                   \
      T b = V##_load(data[2], strides[2], i, n);                                                   \
      V##_store(data[0], strides[0], i, n, (formula));                                             \
    }                                                                                              \
  }

/* Whole pairs of vectors, and the rest one element at a time. */
#define TAILED_LOOP_1(name, V, type, suffix, formula)                                              \
  static void name##_##suffix(char *const *data, const int64_t *strides, int64_t n,                \
                              const void *numbers) {                                               \
    typedef type E;                                                                                \
    enum { PAIR = 2 * sizeof(V) / sizeof(E) };                                                     \
    const E *p = numbers;                                                                          \
    int64_t whole = n / PAIR * PAIR;                                                               \
    (void)p;                                                                                       \
    for (int64_t i = 0; i < whole; i += PAIR / 2) {                                                \
      typedef V T;                                                                                 \
      T t = {0}, a = V##_load(data[1], strides[1], i, whole);                                      \
      (void)t;                                                                                     \
      V##_store(data[0], strides[0], i, whole, (formula));                                         \
    }                                                                                              \
    for (int64_t i = whole; i < n; i++) {                                                          \
      typedef E T;                                                                                 \
      T t = 0, a = *(const E *)(data[1] + i * strides[1]);                                         \
      (void)t;                                                                                     \
      *(E *)(data[0] + i * strides[0]) = (formula);                                                \
    }                                                                                              \
  }

#define TAILED_LOOP_2(name, V, type, suffix, formula)                                              \
  static void name##_##suffix(char *const *data, const int64_t *strides, int64_t n,                \
                              const void *numbers) {                                               \
    typedef type E;                                                                                \
    enum { PAIR = 2 * sizeof(V) / sizeof(E) };                                                     \
    const E *p = numbers;                                                                          \
    int64_t whole = n / PAIR * PAIR;                                                               \
    (void)p;                                                                                       \
    for (int64_t i = 0; i < whole; i += PAIR / 2) {                                                \
      typedef V T;                                                                                 \
      T t = {0}, a = V##_load(data[1], strides[1], i, whole);                                      \
      T b = V##_load(data[2], strides[2], i, whole);                                               \
      (void)t;                                                                                     \
      V##_store(data[0], strides[0], i, whole, (formula));                                         \
    }                                                                                              \
    for (int64_t i = whole; i < n; i++) {                                                          \
      typedef E T;                                                                                 \
      T t = 0, a = *(const E *)(data[1] + i * strides[1]);                                         \
      T b = *(const E *)(data[2] + i * strides[2]);                                                \
      (void)t;                                                                                     \
      *(E *)(data[0] + i * strides[0]) = (formula);                                                \
    }                                                                                              \
  }

#define TAILED(inputs, name, output, formula)                                                      \
  TAILED_LOOP_##inputs(name, vfloat, float, float32, formula)                                      \
      TAILED_LOOP_##inputs(name, vdouble, double, float64, formula)
#define VECTORS(inputs, name, output, formula)                                                     \
  VECTOR_LOOP_##inputs(name, vfloat, float, float32, formula)                                      \
      VECTOR_LOOP_##inputs(name, vdouble, double, float64, formula)
#else
#define VECTORS SLOW
#define TAILED SLOW
#endif

#define FLOATS(inputs, name, output, formula)                                                      \
  LOOP_##inputs(name, float, float32, output, formula)                                             \
      LOOP_##inputs(name, double, float64, output, formula)
#define SLOW(inputs, name, output, formula)                                                        \
  SLOW_LOOP_##inputs(name, float, float32, output, formula)                                        \
      SLOW_LOOP_##inputs(name, double, float64, output, formula)
#define SLOW_REALS(inputs, name, output, formula)                                                  \
  SLOW(inputs, name, output, formula)                                                              \
  SLOW_LOOP_##inputs(name, int64_t, int64, output, formula)
#define POWERS(inputs, name, output, formula)                                                      \
  TAILED(inputs, name, output, formula)                                                            \
  SLOW_LOOP_##inputs(name, int64_t, int64, output, formula)
#define NUMBERS(inputs, name, output, formula)                                                     \
  FLOATS(inputs, name, output, formula)                                                            \
  LOOP_##inputs(name, int64_t, int64, output, formula)
#define REALS NUMBERS
#define INTS(inputs, name, output, formula)                                                        \
  LOOP_##inputs(name, int64_t, int64, output, formula)                                             \
      LOOP_##inputs(name, uint8_t, bool, output, formula)
#define ALL(inputs, name, output, formula)                                                         \
  FLOATS(inputs, name, output, formula)                                                            \
  INTS(inputs, name, output, formula)

#define ROW(name, inputs, policy, output, types, formula) types(inputs, name, output, formula)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtype-limits"
#include "ops/pointwise/elementwise.def"
#pragma GCC diagnostic pop
#undef ROW

#undef FLOATS
#undef SLOW
#undef VECTORS
#undef TAILED
#undef NUMBERS
#undef REALS
#undef SLOW_REALS
#undef POWERS
#undef INTS
#undef ALL
#define FLOATS(name)                                                                               \
  { name##_float32, name##_float64 }
#define SLOW FLOATS
#define VECTORS FLOATS
#define TAILED FLOATS
#define NUMBERS(name)                                                                              \
  { name##_float32, name##_float64, name##_int64 }
#define REALS NUMBERS
#define SLOW_REALS NUMBERS
#define POWERS NUMBERS
#define INTS(name)                                                                                 \
  { NULL, NULL, name##_int64, name##_bool }
#define ALL(name)                                                                                  \
  { name##_float32, name##_float64, name##_int64, name##_bool }

#define NAME_OF(table) #table
#define NAME(table) NAME_OF(table)
extern const tocha_vector_math TOCHA_PASTE(tocha_vector_math_, TOCHA_ISA);
extern const tocha_cpu_loops TOCHA_KERNELS;
const tocha_cpu_loops TOCHA_KERNELS = {NAME(TOCHA_KERNELS),
                                       &TOCHA_PASTE(tocha_vector_math_, TOCHA_ISA),
                                       {
#define ROW(name, inputs, policy, output, types, formula) types(name),
#include "ops/pointwise/elementwise.def"
#undef ROW
                                       }};
