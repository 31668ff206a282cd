/* optim.h: optimizers: groups of parameters with options, state for each parameter, steps.
 *
 * An optimizer owns one reference to each of its parameters and states. Names, defaults, checks
 * and arithmetic are PyTorch's; each step rounds as PyTorch's CPU implementation does. */
#ifndef TOCHA_OPTIM_H
#define TOCHA_OPTIM_H

#include "tocha/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_optimizer tocha_optimizer;
typedef struct tocha_optimizer_class tocha_optimizer_class;

/* The maximum number of options of a class. */
enum { TOCHA_MAX_OPTIONS = 16 };

/* The kind of an option's value. */
typedef enum tocha_option_kind {
  TOCHA_OPTION_NUMBER, /* a scalar whose kind is kept */
  TOCHA_OPTION_BOOL,
  TOCHA_OPTION_MAYBE, /* bool or None; checked, kept and shown, but ignored by steps */
  TOCHA_OPTION_PAIR   /* two numbers: betas */
} tocha_option_kind;

typedef struct tocha_option {
  bool given;                 /* MAYBE: false is None */
  tocha_scalar first, second; /* second: of a PAIR only */
  /* Tensors of one element from which each step reads first and second; NULL: first or second is a plain number. Optimizers
   * own a reference to each tensor. */
  tocha_tensor *tensors[2];
} tocha_option;

typedef struct tocha_option_declaration {
  const char *name;
  tocha_option_kind kind;
  bool keyword_only;
  tocha_option default_value;
} tocha_option_declaration;

/* Returns the optimizer of PyTorch's name ("SGD"; runtime/optim/optimizers.lua lists them), or
 * NULL if there is none. */
TOCHA_API const tocha_optimizer_class *tocha_find_optimizer_class(const char *name);
TOCHA_API const tocha_optimizer_class *tocha_optimizer_class_at(int index); /* NULL past the end */
/* Returns the class of optimizers whose step the host program makes: their groups have no
 * options, their parameters no states, and tocha_optimizer_step fails. takes_results: parameters
 * may be results of operators. */
TOCHA_API const tocha_optimizer_class *tocha_optimizer_base(bool takes_results);
TOCHA_API const char *tocha_optimizer_class_name(const tocha_optimizer_class *class_);
/* Returns the options in the order of the constructor; *count of them. */
TOCHA_API const tocha_option_declaration *
tocha_optimizer_options(const tocha_optimizer_class *class_, int *count);

/* Creates an optimizer without groups, which the caller owns. <tocha/optimizers.h> is easier to
 * write. defaults: one option per declaration (as many as tocha_optimizer_options says when the
 * program runs, because a later library may have more), or NULL for the class's. They are checked ("Invalid learning rate: -1"). */
TOCHA_API tocha_optimizer *tocha_optimizer_new(tocha_context *cx,
                                               const tocha_optimizer_class *class_,
                                               const tocha_option *defaults);
TOCHA_API tocha_optimizer *tocha_optimizer_retain(tocha_optimizer *optimizer);
TOCHA_API void tocha_optimizer_release(tocha_optimizer *optimizer); /* NULL is allowed */
TOCHA_API const tocha_optimizer_class *tocha_optimizer_class_of(const tocha_optimizer *optimizer);
/* Returns the options of groups that state none: one per declaration. */
TOCHA_API const tocha_option *tocha_optimizer_defaults(const tocha_optimizer *optimizer);

/* Adds a group; options as in tocha_optimizer_new (NULL: the optimizer's defaults). Parameters must
 * be leaves and in no other group. */
TOCHA_API bool tocha_optimizer_add_group(tocha_context *cx, tocha_optimizer *optimizer, int count,
                                         tocha_tensor *const *parameters,
                                         const tocha_option *options);
TOCHA_API int tocha_optimizer_group_count(const tocha_optimizer *optimizer);
TOCHA_API int tocha_optimizer_parameter_count(const tocha_optimizer *optimizer, int group);
TOCHA_API tocha_tensor *tocha_optimizer_parameter(const tocha_optimizer *optimizer, int group,
                                                  int index);
/* Returns the option `name` of a group, or NULL if there is no such option. It may be written if it is not a tensor. */
TOCHA_API tocha_option *tocha_optimizer_option(const tocha_optimizer *optimizer, int group,
                                               const char *name);
/* Replaces an option of a group by `value`, which may contain tensors. */
TOCHA_API bool tocha_optimizer_set_option(tocha_context *cx, tocha_optimizer *optimizer, int group,
                                          const char *name, const tocha_option *value);
/* Reads, or writes, a group's learning rate. If the option is a tensor, its element is read or
 * written. */
TOCHA_API double tocha_optimizer_learning_rate(const tocha_optimizer *optimizer, int group);
TOCHA_API void tocha_optimizer_set_learning_rate(tocha_optimizer *optimizer, int group, double lr);

/* Reads, or writes, a number of a group: an option that is one number ("weight_decay"), or a field, which a group
 * has beside its options, as PyTorch's dictionaries do: schedulers note numbers there ("initial_lr"), and a state
 * dict may have more. Reading fails if there is neither; writing adds a field. */
TOCHA_API bool tocha_optimizer_number(tocha_context *cx, const tocha_optimizer *optimizer,
                                      int group, const char *name, tocha_scalar *value);
TOCHA_API bool tocha_optimizer_set_number(tocha_context *cx, tocha_optimizer *optimizer, int group,
                                          const char *name, tocha_scalar value);
/* Returns true if a group has a field of that name. */
TOCHA_API bool tocha_optimizer_has_field(const tocha_optimizer *optimizer, int group,
                                         const char *name);
/* Returns the number of a group's fields, or the name of one, NULL past the last. */
TOCHA_API int tocha_optimizer_field_count(const tocha_optimizer *optimizer, int group);
TOCHA_API const char *tocha_optimizer_field_name(const tocha_optimizer *optimizer, int group,
                                                 int index);
/* Removes a field. Returns false if there is none of that name. */
TOCHA_API bool tocha_optimizer_remove_field(tocha_optimizer *optimizer, int group,
                                            const char *name);

/* Computes the loss and the gradients again. `call` returns false with an error if it fails; its
 * `loss` is NULL if the loss is not needed. */
typedef struct tocha_closure {
  bool (*call)(tocha_context *cx, void *user, double *loss);
  void *user;
} tocha_closure;

/* Updates every parameter that has a gradient. */
TOCHA_API bool tocha_optimizer_step(tocha_context *cx, tocha_optimizer *optimizer);
/* Does the same after a call of the closure, in which operations are recorded. Some optimizers
 * call it several times. */
TOCHA_API bool tocha_optimizer_step_closure(tocha_context *cx, tocha_optimizer *optimizer,
                                            const tocha_closure *closure);
TOCHA_API bool tocha_optimizer_zero_grad(tocha_context *cx, tocha_optimizer *optimizer,
                                         bool set_to_none);

/* Returns the names of a class's states ("exp_avg"), ended by NULL, or a parameter's state of
 * that number (NULL: none yet). */
TOCHA_API const char *const *tocha_optimizer_state_names(const tocha_optimizer_class *class_);
TOCHA_API tocha_tensor *tocha_optimizer_state(const tocha_optimizer *optimizer, int group,
                                              int index, int state);
/* Returns true if every step of the class needs state number `state`, whatever the options are. */
TOCHA_API bool tocha_optimizer_needs_state(const tocha_optimizer_class *class_, int state);
/* Returns true if PyTorch's step reads the states before the options that only this class has. */
TOCHA_API bool tocha_optimizer_reads_states_first(const tocha_optimizer_class *class_);
/* Replaces a state by a copy of `value`, in the parameter's dtype and device, or removes it if
 * `value` is NULL. Numbers ("step") stay float32 on the CPU. */
TOCHA_API bool tocha_optimizer_set_state(tocha_context *cx, tocha_optimizer *optimizer, int group,
                                         int index, int state, tocha_tensor *value);

/* Returns PyTorch's repr, with the fields. The caller frees the text with tocha_free. */
TOCHA_API char *tocha_optimizer_to_string(tocha_context *cx, const tocha_optimizer *optimizer);

#ifdef __cplusplus
}
#endif
#endif
