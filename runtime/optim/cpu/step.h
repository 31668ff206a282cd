/* step.h: the loops of an optimizer's step (step.c), for float32, float64, and float32 that is
 * rounded to half precision. */
#ifndef TOCHA_STEP_LOOPS_H
#define TOCHA_STEP_LOOPS_H

#include "optim/update.h"
#include "tensor/loops.h"

typedef struct tocha_step_loops {
  /* Updates n elements: the parameter, its gradient, and TOCHA_STEP_STATES arrays. These are the
   * class's states that are not numbers, in its order. Unused arrays are not changed, but must be
   * addresses of n elements too. */
  void (*run)(int rule, void *parameter, const void *gradient, void *const *states, int64_t n,
              const tocha_update *update);
} tocha_step_loops;

extern const tocha_step_loops *const tocha_step_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
