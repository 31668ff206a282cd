/* update.h: the numbers of one step of an optimizer, as the loops of the CPU and the kernels of a
 * device receive them. Read by C and by C++. */
#ifndef TOCHA_UPDATE_H
#define TOCHA_UPDATE_H

#include <stdbool.h>
#include <stdint.h>

/* The most numbers of a rule, and arrays beside the parameter and its gradient. */
enum { TOCHA_STEP_NUMBERS = 10, TOCHA_STEP_STATES = 4 };

/* In float64; a loop rounds each number to its own type once. Before the rule of the optimizer
 * sees an element, the gradient changes its sign (maximize), the parameter is multiplied by
 * `shrink`, and weight_decay * parameter is added to the gradient. What numbers and flags mean is
 * the rule's own business (both sides are made from its entry in optimizers.lua). */
typedef struct tocha_update {
  double weight_decay, shrink; /* 0, 1: without effect */
  double numbers[TOCHA_STEP_NUMBERS];
  uint32_t flags; /* a bit for each condition of the rule */
  bool maximize;
} tocha_update;

#endif
