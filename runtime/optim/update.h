/* update.h: the numbers of one step of an optimizer, as the loops of the CPU and the kernels of a
 * device receive them. Read by C and by C++. */
#ifndef TOCHA_UPDATE_H
#define TOCHA_UPDATE_H

#include <stdbool.h>

/* In float64; a loop rounds each to its own type once. What the members mean is the rule's business
 * (rules.c fills, step_math.h reads). */
typedef struct tocha_update {
  double lr, weight_decay, momentum, one_minus_dampening, beta1, one_minus_beta1, beta2,
      one_minus_beta2, eps, step_size, bias_correction2_sqrt, decay;
  bool maximize, nesterov, amsgrad, first, centered, decoupled;
} tocha_update;

typedef enum tocha_step_rule {
  TOCHA_STEP_SGD,
  TOCHA_STEP_ADAM,
  TOCHA_STEP_ADAGRAD,
  TOCHA_STEP_RMSPROP,
  TOCHA_STEP_ADADELTA,
  TOCHA_STEP_RULES
} tocha_step_rule;

#endif
