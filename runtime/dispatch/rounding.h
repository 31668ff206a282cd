/* rounding.h: whether an operator of a 16-bit type rounds after every step or once at the end: `rounds = "steps"` in its entry. */
#ifndef TOCHA_ROUNDING_H
#define TOCHA_ROUNDING_H

#include "core/internal.h"

/* Returns true for float16 and bfloat16 on the CPU if the context has PyTorch's digits: its loops round there after every step. */
static inline bool tocha_rounds_steps(const tocha_context *cx, int dtype, tocha_device device) {
  return (dtype == TOCHA_FLOAT16 || dtype == TOCHA_BFLOAT16) && device.type == TOCHA_CPU &&
         cx->digits == TOCHA_DIGITS_PYTORCH;
}

#endif
