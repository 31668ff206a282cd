/* rounding.h: whether an operator of a 16-bit type rounds after every step or once at the end: `rounds = "steps"` in its entry. */
#ifndef TOCHA_ROUNDING_H
#define TOCHA_ROUNDING_H

#include "core/internal.h"

/* Returns true for float16 and bfloat16 on the CPU if the context has PyTorch's digits: its loops round there after every step. */
static inline bool tocha_rounds_steps(const tocha_context *cx, int dtype, tocha_device device) {
  return (dtype == TOCHA_FLOAT16 || dtype == TOCHA_BFLOAT16) && device.type == TOCHA_CPU &&
         cx->digits == TOCHA_DIGITS_PYTORCH;
}

/* Returns what a kernel of the CPU rounds to on its way: `given`, the 16-bit dtype of the operator's tensors (or 0), if the context
 * has PyTorch's digits, else 0 for nothing. */
static inline int tocha_step_dtype(const tocha_context *cx, int given) {
  return cx->digits == TOCHA_DIGITS_PYTORCH ? given : 0;
}

#endif
