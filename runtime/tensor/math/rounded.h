/* rounded.h: rounds a number to a dtype that may be narrower than the type of the computation. */
#ifndef TOCHA_ROUNDED_H
#define TOCHA_ROUNDED_H

#include "tensor/math/half.h"
#include "tocha/types.h"

static inline double tocha_rounded(double x, int dtype) {
  if (dtype == TOCHA_FLOAT16) return tocha_half_to_float(tocha_float_to_half((float)x));
  if (dtype == TOCHA_BFLOAT16) return tocha_bfloat16_to_float(tocha_float_to_bfloat16((float)x));
  return dtype == TOCHA_FLOAT32 ? (double)(float)x : x;
}

#endif
