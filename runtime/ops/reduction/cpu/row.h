/* row.h: the building blocks of the loops of a row. The build writes a file for each row
 * (list/write_reductions.lua). That file includes this one, defines the state of an element and how
 * two states are joined, and passes these functions to a loop: a sum to sum.h, anything else to
 * lanes.h.
 *
 * T: the type of elements, which may be a narrow integer for sums of bytes and for joins whose
 * states are elements (`again`). S: the type of states. N: the type of sums, in which integers
 * wrap. */
#ifndef TOCHA_ROW_H
#define TOCHA_ROW_H

#include "ops/reduction/cpu/planes.h"
#include "tensor/loops.h"
#include "tensor/math/scalar_math.h"

#if defined(TOCHA_LOOPS_bool) && defined(TOCHA_SUMS)
typedef int64_t S;
#else
typedef T S;
#endif
#if defined(TOCHA_LOOPS_bool)
#define TOCHA_LOOPS_NARROW
#define LOWEST 0
#define HIGHEST UINT8_MAX
#elif defined(TOCHA_LOOPS_int8)
#define TOCHA_LOOPS_NARROW
#define LOWEST INT8_MIN
#define HIGHEST INT8_MAX
#elif defined(TOCHA_LOOPS_int16)
#define TOCHA_LOOPS_NARROW
#define LOWEST INT16_MIN
#define HIGHEST INT16_MAX
#elif defined(TOCHA_LOOPS_int32)
#define TOCHA_LOOPS_NARROW
#define LOWEST INT32_MIN
#define HIGHEST INT32_MAX
#elif defined(TOCHA_LOOPS_int64)
#define LOWEST INT64_MIN
#define HIGHEST INT64_MAX
#else
#define TOCHA_LOOPS_FLOATING
#define LOWEST (-INFINITY)
#define HIGHEST INFINITY
#endif
#ifdef TOCHA_LOOPS_FLOATING
typedef T N;
#else
typedef uint64_t N;
#endif

#ifdef __GNUC__
#pragma GCC diagnostic ignored                                                                     \
    "-Wtautological-compare" /* integers are compared with themselves, as NaN would be */
#endif

/* Each call becomes a loop of its own, with the functions that it receives inlined. */
#define ROW static inline __attribute__((always_inline, unused))

typedef S mapping(S x, double number);
typedef S joining(S s, S t);

ROW S itself(S x, double number) {
  (void)number;
  return x;
}

#endif
