/* rounding.h: the rounding of softmax's intermediate results. */
#ifndef TOCHA_SOFTMAX_ROUNDING_H
#define TOCHA_SOFTMAX_ROUNDING_H

#include "dispatch/rounding.h"
#include "ops/normalization/kernels.h"

/* Returns the dtype that sums and their logarithms are rounded to, or 0. Only the forward log_softmax along the last dimension
 * rounds them. */
static inline int tocha_softmax_step_dtype(const tocha_context *cx,
                                           const tocha_softmax_args *args) {
  return args->log && args->last && !args->result ? tocha_step_dtype(cx, args->given) : 0;
}

#endif
