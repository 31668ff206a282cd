/* typed_math.h: the functions of tocha_vector_math on the type T that a file of loops is compiled for. */
#ifndef TOCHA_TYPED_MATH_H
#define TOCHA_TYPED_MATH_H

#include "tensor/loops.h"
#include "tensor/math/vector_math.h"

#ifdef TOCHA_LOOPS_float32
#define TOCHA_TYPED(name) name##_float32
#else
#define TOCHA_TYPED(name) name##_float64
#endif

static inline void typed_exp(const tocha_vector_math *math, T *target, const T *source, int64_t n) {
  math->TOCHA_TYPED(exp)(target, source, n);
}
static inline void typed_log(const tocha_vector_math *math, T *target, const T *source, int64_t n) {
  math->TOCHA_TYPED(log)(target, source, n);
}
/* exp(source - shift) */
static inline void typed_shifted_exp(const tocha_vector_math *math, T *target, const T *source,
                                     T shift, int64_t n) {
  math->TOCHA_TYPED(shifted_exp)(target, source, shift, n);
}

#undef TOCHA_TYPED
#endif
