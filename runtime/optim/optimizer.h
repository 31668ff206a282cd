/* optimizer.h: the structures behind <tocha/optim.h>.
 *
 * A class is data, written by runtime/list/write_optimizers.lua from its entry in optimizers.lua. */
#ifndef TOCHA_OPTIMIZER_H
#define TOCHA_OPTIMIZER_H

#include "core/internal.h"
#include "optim/update.h"
#include "tocha/optim.h"

enum { TOCHA_MAX_STATES = 6 };

/* The states of a parameter that are numbers, for one step. */
typedef struct tocha_step_state {
  double values[TOCHA_MAX_STATES]; /* in the class's order */
  bool wide;                       /* kept in float64, not float32 */
  bool first;                      /* a state of the parameter was just made */
} tocha_step_state;

struct tocha_optimizer_class {
  const char *name;
  const tocha_option_declaration *options;
  int option_count;
  const char *const *states; /* NULL-terminated */
  unsigned number_states;    /* which of them are one number each ("step"), a bit each */
  bool states_first;         /* PyTorch's step reads the states before most options */
  bool takes_results;        /* parameters need not be leaves */
  /* PyTorch's checks of the options; false with its error. */
  bool (*check)(tocha_context *cx, const tocha_option *options);
  /* Which states a step with these options needs, a bit each; and what they start as (NULL: 0). */
  unsigned (*needs)(const tocha_option *options);
  double (*initial)(const tocha_option *options, int state);
  /* Counts the step and computes what its rule needs. *update comes with zeros but for shrink, 1. */
  void (*prepare)(const tocha_option *options, tocha_step_state *state, tocha_update *update);
  int capturable, differentiable; /* the numbers of these options; -1: there is none */
  const char *captured; /* what PyTorch's message says must be on a GPU if capturable is set */
  int rule;             /* what happens to an element: its number in the loops and kernels */
  /* Does the whole step, instead of prepare and rule. closure: NULL if none was given. */
  bool (*run)(tocha_context *cx, tocha_optimizer *optimizer, const tocha_closure *closure);
};

static inline bool tocha_is_number_state(const tocha_optimizer_class *class_, int state) {
  return class_->number_states >> state & 1;
}

extern const tocha_optimizer_class tocha_optimizer_classes[];
extern const int tocha_optimizer_class_count;

typedef struct tocha_optimizer_slot {
  tocha_tensor *parameter;
  tocha_tensor *states[TOCHA_MAX_STATES];
  int owner;  /* the first slot of the group with this parameter: its states are those of all */
  bool fresh; /* a state was made in the step that is being made */
} tocha_optimizer_slot;

typedef struct tocha_optimizer_group {
  tocha_optimizer_slot *slots;
  int count;
  bool has_tensors; /* among the options */
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

/* Reads the numbers of the options that are tensors. */
bool tocha_options_read(tocha_context *cx, const tocha_optimizer_class *class_,
                        tocha_option *options);
/* Calls the closure with recording on. */
bool tocha_closure_call(tocha_context *cx, const tocha_closure *closure, double *loss);

#endif
