/* rounding.h: tells if an operator of a 16-bit type rounds after every step (`rounds = "steps"` in
 * its entry) or once at the end. */
#ifndef TOCHA_ROUNDING_H
#define TOCHA_ROUNDING_H

#include "core/internal.h"

/* Returns true for float16 and bfloat16 on the CPU if the context has PyTorch's digits, because
 * PyTorch's loops round after every step there. */
static inline bool tocha_rounds_steps(const tocha_context *cx, int dtype, tocha_device device) {
  return (dtype == TOCHA_FLOAT16 || dtype == TOCHA_BFLOAT16) && device.type == TOCHA_CPU &&
         cx->digits == TOCHA_DIGITS_PYTORCH;
}

/* Returns the dtype that a CPU kernel rounds intermediate values to: `given`, the 16-bit dtype of
 * the operator's tensors (or 0), if the context has PyTorch's digits, else 0 for no rounding. */
static inline int tocha_step_dtype(const tocha_context *cx, int given) {
  return cx->digits == TOCHA_DIGITS_PYTORCH ? given : 0;
}

#endif
