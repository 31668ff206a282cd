/* optimizer.h: the structures behind <tocha/optim.h>.
 *
 * A class is data: its options, its states and one function that updates one parameter. That
 * function sees contiguous arrays of float32 or float64 (others are converted around it). */
#ifndef TOCHA_OPTIMIZER_H
#define TOCHA_OPTIMIZER_H

#include "core/internal.h"
#include "optim/update.h"
#include "tocha/optim.h"

enum { TOCHA_MAX_STATES = 5 };

/* One pass over n elements: the parameter, its gradient, its states in the class's order (NULL: not
 * in use), float (single) or double. */
typedef void (*tocha_step_loop)(void *parameter, const void *gradient, void *const *states,
                                int64_t n, const tocha_update *update);

struct tocha_optimizer_class {
  const char *name;
  const tocha_option_declaration *options;
  int option_count;
  const char *const *states; /* NULL-terminated */
  int step_state;            /* which of them counts steps; -1: none */
  /* PyTorch's checks of the options; false with its error. */
  bool (*check)(tocha_context *cx, const tocha_optimizer_class *class_,
                const tocha_option *options);
  /* Which states an update with these options needs, a bit each; and what they start as. */
  unsigned (*needs)(const tocha_option *options);
  double (*initial)(const tocha_option *options, int state);
  /* The numbers of step number `step` (from 1). */
  void (*prepare)(const tocha_option *options, double step, tocha_update *update);
  int rule; /* tocha_step_rule */
};

/* The loops of one instruction set: [rule][0 float32, 1 float64]. */
typedef struct tocha_step_loops {
  tocha_step_loop loops[TOCHA_STEP_RULES][2];
} tocha_step_loops;

extern const tocha_optimizer_class tocha_optimizer_classes[];
extern const int tocha_optimizer_class_count;

typedef struct tocha_optimizer_slot {
  tocha_tensor *parameter;
  tocha_tensor *states[TOCHA_MAX_STATES];
} tocha_optimizer_slot;

typedef struct tocha_optimizer_group {
  tocha_optimizer_slot *slots;
  int count;
  tocha_option options[TOCHA_MAX_OPTIONS];
} tocha_optimizer_group;

struct tocha_optimizer {
  tocha_refcount references;
  tocha_context *context;
  const tocha_optimizer_class *class;
  tocha_option defaults[TOCHA_MAX_OPTIONS];
  tocha_optimizer_group **groups;
  int group_count, group_capacity;
};

#endif
