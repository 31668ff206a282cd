/* optimizer.h: the structures behind <tocha/optim.h>.
 *
 * A class is data, which runtime/list/write_optimizers.lua generates from its entry in
 * optimizers.lua. */
#ifndef TOCHA_OPTIMIZER_H
#define TOCHA_OPTIMIZER_H

#include "core/internal.h"
#include "optim/update.h"
#include "tocha/optim.h"

struct tocha_optimizer_class {
  const char *name;
  const tocha_option_declaration *options;
  int option_count;
  const char *const *states; /* NULL-terminated */
  unsigned number_states;    /* bit per state that is a single number ("step") */
  bool states_first;         /* PyTorch's step reads the states before most options */
  bool takes_results;        /* parameters need not be leaves */
  /* Makes PyTorch's checks of the options. Fails with its error. */
  bool (*check)(tocha_context *cx, const tocha_option *options);
  /* needs returns a bit per state that a step with these options needs. initial returns a state's
   * initial value; NULL for 0. */
  unsigned (*needs)(const tocha_option *options);
  double (*initial)(const tocha_option *options, int state);
  /* Counts the step and computes the numbers for its rule. *update initially has zeros, and shrink
   * = 1. */
  void (*prepare)(const tocha_option *options, tocha_step_state *state, tocha_update *update);
  /* Writes the options as numbers, each pair as two, for a device that computes `prepare` itself. */
  void (*values)(const tocha_option *options, double *values);
  int capturable, differentiable; /* the numbers of these options; -1 if there is none */
  const char *captured; /* the tensors that must be on a GPU if capturable is set, for messages */
  int rule;             /* the number of the element's rule in the loops and kernels */
  /* Makes the whole step, instead of prepare and rule. closure: NULL if none was given. */
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
  int owner;  /* the first slot of the group with this parameter, which has the states of all */
  bool fresh; /* a state was created in the present step */
} tocha_optimizer_slot;

/* A number that a group has beside its options. */
typedef struct tocha_group_field {
  char *name;
  tocha_scalar value;
} tocha_group_field;

typedef struct tocha_optimizer_group {
  tocha_optimizer_slot *slots;
  int count;
  tocha_group_field *fields;
  int field_count, field_capacity;
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
  bool is_scheduled; /* a scheduler was created for it */
  bool stepped;      /* since then it has made a step */
};

/* Returns a group, or NULL if there is none. */
tocha_optimizer_group *tocha_optimizer_group_at(const tocha_optimizer *optimizer, int group);
void tocha_group_fields_free(tocha_context *cx, tocha_optimizer_group *group);

/* Reads the numbers of options that are tensors. */
bool tocha_options_read(tocha_context *cx, const tocha_optimizer_class *class_,
                        tocha_option *options);
/* Calls the closure with recording enabled. */
bool tocha_closure_call(tocha_context *cx, const tocha_closure *closure, double *loss);

#endif
