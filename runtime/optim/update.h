/* update.h: the numbers of one optimizer step, for the loops of the CPU and the kernels of a
 * device. C and C++ include this file. */
#ifndef TOCHA_UPDATE_H
#define TOCHA_UPDATE_H

#include <stdbool.h>
#include <stdint.h>

/* The maximum number of a rule's numbers, and of its arrays besides the parameter and its
 * gradient; of an optimizer's states, and of those that are numbers; of the numbers in its options. */
enum {
  TOCHA_STEP_NUMBERS = 10,
  TOCHA_STEP_STATES = 4,
  TOCHA_MAX_STATES = 6,
  TOCHA_NUMBER_STATES = 3,
  TOCHA_OPTION_VALUES = 20
};

/* The number states of a parameter, for one step. */
typedef struct tocha_step_state {
  double values[TOCHA_MAX_STATES]; /* in the class's order */
  bool wide;                       /* stored in float64, not float32 */
  bool first;                      /* a state of the parameter was just created */
} tocha_step_state;

/* The numbers of an update, in float64. A loop rounds each number once to its own type. Before the
 * optimizer's rule runs, the gradient changes its sign (maximize), the parameter is multiplied by
 * `shrink`, and weight_decay * parameter is added to the gradient. The meaning of numbers and flags
 * is known only to the rule; its entry in optimizers.lua generates both sides. */
typedef struct tocha_update {
  double weight_decay, shrink; /* 0 and 1 have no effect */
  double numbers[TOCHA_STEP_NUMBERS];
  uint32_t flags; /* bit per condition of the rule */
  bool maximize;
} tocha_update;

#endif
