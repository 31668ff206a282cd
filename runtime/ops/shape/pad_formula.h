/* pad_formula.h: the element that a place of a padded dimension shows, for the CPU and for kernels
 * of devices. */
#ifndef TOCHA_PAD_FORMULA_H
#define TOCHA_PAD_FORMULA_H

#include "ops/shape/kernels.h"
#include "tensor/math/scalar_math.h"

/* Returns the index in 0..in of the element at place `i` of the result. */
TOCHA_DEVICE static inline int64_t tocha_pad_source(int64_t mode, const tocha_pad_axis *a,
                                                    int64_t i) {
  int64_t at = i - a->before;
  if (mode == TOCHA_PAD_REFLECT) {
    if (at < 0) at = -at;
    return at >= a->in ? 2 * (a->in - 1) - at : at;
  }
  if (mode == TOCHA_PAD_CIRCULAR)
    return a->first + (((at - a->first) % a->period) + a->period) % a->period;
  return at < 0 ? 0 : at >= a->in ? a->in - 1 : at;
}

#endif
