/* rounding.h: what softmax rounds on its way. */
#ifndef TOCHA_SOFTMAX_ROUNDING_H
#define TOCHA_SOFTMAX_ROUNDING_H

#include "dispatch/rounding.h"
#include "ops/normalization/kernels.h"

/* Returns the dtype that sums and their logarithms are rounded to, or 0: forward, of a logarithm along the last dimension. */
static inline int tocha_softmax_step_dtype(const tocha_context *cx,
                                           const tocha_softmax_args *args) {
  return args->log && args->last && !args->result ? tocha_step_dtype(cx, args->given) : 0;
}

#endif
