/* elementwise.h: loops over the elements of one run. The build generates files of formulas, which
 * include this one (build/generated/pointwise/cpu), and compiles them once for each instruction set
 * and compute type.
 *
 * T is the compute type. V is a vector of T if the instruction set has vector functions for T, else
 * T itself. A formula is a function of T, or of V, and of the operator's numbers p. The loops below
 * and the formulas are always inlined, so each use becomes a separate loop. */
#ifndef TOCHA_CPU_ELEMENTWISE_H
#define TOCHA_CPU_ELEMENTWISE_H

#include <string.h>

#include "ops/pointwise/formula.h"
#include "tensor/loops.h"
#include "tensor/math/scalar_math.h"
#include "tensor/math/typed_vector.h"

/* The compute type, for the conditions of generated files. */
#if defined(TOCHA_LOOPS_float32) || defined(TOCHA_LOOPS_float64)
#define FLOATING 1
#define INTEGER 0
#define BOOLEAN 0
#elif defined(TOCHA_LOOPS_int64)
#define FLOATING 0
#define INTEGER 1
#define BOOLEAN 0
#else
#define FLOATING 0
#define INTEGER 0
#define BOOLEAN 1
#endif

/* Formulas shared by several types test unsigned numbers for a sign and integers for NaN. */
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wtautological-compare"

typedef T E; /* the type of an element, even if the formula works on vectors */
#define NEST static inline __attribute__((always_inline)) void

/* A loop's own copy of the numbers, which the loop's stores cannot alias. */
typedef struct numbers {
  T p[TOCHA_FORMULA_NUMBERS];
} numbers;

static inline numbers load_numbers(const void *p) {
  numbers copy;
  memcpy(copy.p, p, sizeof copy.p);
  return copy;
}

static inline T load(const char *data, int64_t stride, int64_t i) {
  return *(const T *)(data + i * stride);
}

/* Includes the loops with results of type T, and those with results of type bool. */
#define R T
#define LOOP(name) name
#include "ops/pointwise/cpu/nests.h"
#undef R
#undef LOOP
#define R uint8_t
#define LOOP(name) name##_to_bool
#include "ops/pointwise/cpu/nests.h"
#undef R
#undef LOOP

#include "ops/pointwise/cpu/vector_nests.h"

#endif
