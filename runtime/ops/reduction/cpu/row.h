/* row.h: what the loops of a row are made of. The build writes a file for each row (list/
 * write_reductions.lua), which includes this one, says what an element counts for and how two states
 * become one, and hands these functions to a loop: a sum to sum.h, anything else to lanes.h.
 *
 * T: the type of elements. S: that of states. N: S, but integers wrap. */
#ifndef TOCHA_ROW_H
#define TOCHA_ROW_H

#include "ops/reduction/cpu/planes.h"
#include "tensor/loops.h"
#include "tensor/math/scalar_math.h"

#ifdef TOCHA_LOOPS_bool
typedef int64_t S;
#else
typedef T S;
#endif
#if defined(TOCHA_LOOPS_int64) || defined(TOCHA_LOOPS_bool)
typedef uint64_t N;
#define LOWEST INT64_MIN
#define HIGHEST INT64_MAX
#else
#define TOCHA_LOOPS_FLOATING
typedef T N;
#define LOWEST (-INFINITY)
#define HIGHEST INFINITY
#endif

#ifdef __GNUC__
#pragma GCC diagnostic ignored                                                                     \
    "-Wtautological-compare" /* integers are asked whether they are NaN */
#endif

/* Loops are compiled anew for the functions that they are given. */
#define ROW static inline __attribute__((always_inline, unused))

typedef S mapping(S x, double number);
typedef S joining(S s, S t);

ROW S itself(S x, double number) {
  (void)number;
  return x;
}

#endif
