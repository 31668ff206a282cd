/* module.h: the structures behind <tocha/nn.h>, for the files of runtime/nn and the binding.
 *
 * A class is data, generated from its entry in runtime/nn/modules.lua. What its constructor was
 * given stays with the module as options, one tocha_arg per parameter, under the parameter's
 * name: print, forward and assignment (dropout.p = 0.2) all work on them. */
#ifndef TOCHA_MODULE_TREE_H
#define TOCHA_MODULE_TREE_H

#include "core/text.h"
#include "dispatch/call.h"
#include "tocha/nn.h"

/* What a class does. */
typedef struct tocha_module_code {
  /* After the options are set: checks them, makes the members, calls reset. May be NULL. */
  bool (*init)(tocha_context *cx, tocha_module *module);
  /* reset_parameters: draws the values of the members anew. May be NULL. */
  bool (*reset)(tocha_context *cx, tocha_module *module);
  /* Instead of op. */
  tocha_tensor *(*forward)(tocha_context *cx, tocha_module *module, int count,
                           tocha_tensor *const *inputs);
} tocha_module_code;

extern const tocha_module_class tocha_module_classes[]; /* number 0 is "Module" */
extern const int tocha_module_class_count;

typedef struct tocha_member {
  char *name;
  void *value;     /* a tocha_tensor or tocha_module, owned; NULL: None */
  bool persistent; /* buffers: part of the state dict */
} tocha_member;

typedef struct tocha_members {
  tocha_member *items;
  int count, capacity;
} tocha_members;

/* Whatever walks a tree of modules recurses: no path from a module down is longer than this, nor
 * endless, for what would make it so is not registered. */
enum { TOCHA_DEEPEST_MODULE = 400 };

struct tocha_module {
  tocha_refcount references;
  tocha_context *context;
  const tocha_module_class *class;
  char *name; /* NULL: the class's */
  bool training;
  uint32_t generation;
  int level;     /* at least 1 more than that of any module this is a member of; bounded */
  bool deepened; /* while a new level is tried (module.c): level_before is what it was */
  int level_before;
  tocha_members parameters, buffers, children;
  tocha_arg *options; /* class->parameter_count of them */
  const tocha_op *op; /* class->op, found at the first call */
  tocha_host_object host_object;
};

/* A Linear and the ReLU or GELU (tanh) after it in one launch, on a device and where no gradient
 * is recorded. false, without an error, where that is not so; else *out, NULL on failure
 * (layers.c). */
bool tocha_linear_and_activation(tocha_context *cx, tocha_module *linear, tocha_module *activation,
                                 tocha_tensor *input, tocha_tensor **out);

/* Makes a module of a class from complete constructor arguments (class->parameter_count). The
 * caller owns it. */
tocha_module *tocha_module_construct(tocha_context *cx, const tocha_module_class *class,
                                     const tocha_arg *args);
double tocha_option_real(const tocha_module *module, const char *name);
int64_t tocha_option_int(const tocha_module *module, const char *name);
bool tocha_option_flag(const tocha_module *module, const char *name);
/* dtype and device options, with the context's defaults filled in. */
tocha_dtype tocha_option_dtype(tocha_context *cx, const tocha_module *module);
tocha_device tocha_option_device(tocha_context *cx, const tocha_module *module);

/* Does what forward does if the class has an operator and no function of its own. Returns the first result. */
tocha_tensor *tocha_module_call_operator(tocha_context *cx, tocha_module *module, int count,
                                         tocha_tensor *const *inputs);

/* A tensor that the host language computes in a member's place; NULL: there is none, or an error. */
tocha_tensor *tocha_module_computed(tocha_context *cx, const tocha_module *module,
                                    const char *name);

tocha_member *tocha_find_member(const tocha_members *members, const char *name);
/* Appends a copy of name to the list. */
bool tocha_named_list_add(tocha_context *cx, tocha_named_list *list, const char *name,
                          tocha_tensor *tensor, tocha_module *module);

/* Appends a pattern, "p={p}{inplace?}": {x} is the option (or whether there is a member) of that
 * name as Python shows it, {x?} ", x=True" where it is true, {x!0} ", x=value" unless that is 0 (or
 * a list of zeros). */
void tocha_text_template(tocha_text *text, const tocha_module *module, const char *pattern);

#endif
