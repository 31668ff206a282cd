/* module.h: the structures behind <tocha/nn.h>, for the files of runtime/nn and the binding.
 *
 * A class is data, generated from its entry in runtime/nn/modules.lua. The constructor's arguments
 * stay in the module as options, one tocha_arg per parameter, under the parameter's name. print,
 * forward and assignment (dropout.p = 0.2) use them. */
#ifndef TOCHA_MODULE_TREE_H
#define TOCHA_MODULE_TREE_H

#include "core/text.h"
#include "dispatch/call.h"
#include "tocha/binding.h"

/* The functions of a class. */
typedef struct tocha_module_code {
  /* Checks the options after they are set, makes the members and calls reset. May be NULL. */
  bool (*init)(tocha_context *cx, tocha_module *module);
  /* Implements reset_parameters: draws the values of the members again. May be NULL. */
  bool (*reset)(tocha_context *cx, tocha_module *module);
  /* Replaces the operator. May be NULL. */
  tocha_tensor *(*forward)(tocha_context *cx, tocha_module *module, int count,
                           tocha_tensor *const *inputs);
  /* The forward of a class with a call signature. Writes results->fixed, which is zeroed. */
  bool (*run)(tocha_context *cx, tocha_module *module, const tocha_arg *args,
              tocha_results *results);
} tocha_module_code;

extern const tocha_module_class tocha_module_classes[]; /* element 0 is "Module" */
extern const int tocha_module_class_count;

typedef struct tocha_member {
  char *name;
  void *value;     /* an owned tocha_tensor or tocha_module; NULL: None */
  bool persistent; /* for buffers: included in the state dict */
} tocha_member;

typedef struct tocha_members {
  tocha_member *items;
  int count, capacity;
} tocha_members;

/* What a forward found under the names of its tensors, so that it need not look for them in every call. */
typedef struct tocha_found_tensors {
  const void *key; /* NULL: nothing */
  uint32_t generation;
  tocha_tensor *tensors[8]; /* NULL for None, and for no member */
} tocha_found_tensors;

/* The maximum length of a path from a module down. Functions that walk a tree of modules recurse,
 * so longer or cyclic paths are refused at registration. */
enum { TOCHA_DEEPEST_MODULE = 400 };

struct tocha_module {
  tocha_refcount references;
  tocha_context *context;
  const tocha_module_class *class;
  char *name; /* NULL for the class's name */
  bool training;
  uint32_t generation;
  int level;     /* at least 1 more than each module that has this one as a member; bounded */
  bool deepened; /* while a new level is tried (members.c): level_before is the old one */
  int level_before;
  tocha_members parameters, buffers, children;
  tocha_found_tensors found;
  tocha_arg *options; /* class->parameter_count of them */
  const tocha_op *op; /* class->op, looked up in the first call */
  tocha_host_object host_object;
  tocha_host_functions host_functions;
};

/* Runs a Linear and the ReLU or GELU (tanh) after it in a single launch, if they are on a device
 * and no gradient is recorded. Returns false, without an error, if that is impossible. Otherwise
 * sets *out, which is NULL on failure (layers.c). */
bool tocha_linear_and_activation(tocha_context *cx, tocha_module *linear, tocha_module *activation,
                                 tocha_tensor *input, tocha_tensor **out);

/* Returns true if the module's class is `class`, or extends it. */
bool tocha_module_is(const tocha_module *module, const tocha_module_class *class);
/* Calls a module of the class, which has a call signature, with complete arguments, as the functions
 * tocha_nn_NAME_forward do. Fails if the module is of another class. */
bool tocha_module_call_class(tocha_context *cx, const tocha_module_class *class,
                             tocha_module *module, const tocha_arg *args, tocha_results *results);

/* Copies a tree of modules into cx, which may be another context than the tree's: then the copy has
 * no host object. `copy_data` returns the data of a copied tensor, in cx. The caller owns the
 * copy. */
tocha_module *tocha_module_copy_with(tocha_context *cx, const tocha_module *module,
                                     tocha_tensor *(*copy_data)(void *user, tocha_tensor *tensor),
                                     void *user);

/* Makes a module of a class from complete constructor arguments (class->parameter_count). The
 * caller owns it. */
tocha_module *tocha_module_construct(tocha_context *cx, const tocha_module_class *class,
                                     const tocha_arg *args);
double tocha_option_real(const tocha_module *module, const char *name);
int64_t tocha_option_int(const tocha_module *module, const char *name);
bool tocha_option_flag(const tocha_module *module, const char *name);
/* Return the options dtype and device, or the context's defaults. */
tocha_dtype tocha_option_dtype(tocha_context *cx, const tocha_module *module);
tocha_device tocha_option_device(tocha_context *cx, const tocha_module *module);

/* Does what forward does if the class has an operator and no function of its own. Returns the first
 * result. */
tocha_tensor *tocha_module_call_operator(tocha_context *cx, tocha_module *module, int count,
                                         tocha_tensor *const *inputs);

/* Returns the tensor that the host language computes in place of a member. Returns NULL if there is
 * none, or on failure. */
tocha_tensor *tocha_module_computed(tocha_context *cx, const tocha_module *module,
                                    const char *name);

tocha_member *tocha_find_member(const tocha_members *members, const char *name);
/* Notes the tensors that a forward found, unless they are more than fit, or the host language may have
 * computed some. key: what they are, the address of their names for example. */
void tocha_note_found(tocha_module *module, const void *key, int count,
                      tocha_tensor *const *tensors);
/* Returns the tensors that were noted last under the key, or NULL if there are none, or a member has
 * changed since, or the host language may compute some. */
static inline tocha_tensor *const *tocha_found_before(const tocha_module *module, const void *key) {
  const tocha_found_tensors *f = &module->found;
  return f->key == key && f->generation == module->generation && !module->host_object.attribute
             ? f->tensors
             : NULL;
}
/* Appends a copy of name to the list. */
bool tocha_named_list_add(tocha_context *cx, tocha_named_list *list, const char *name,
                          tocha_tensor *tensor, tocha_module *module);

/* Appends a pattern such as "p={p}{inplace?}". {x} is the option's value as Python shows it, or
 * tells if there is a member of that name. {x?} is ", x=True" if the option is true. {x!0} is ",
 * x=value" unless the value is 0 (or a list of zeros). */
void tocha_text_template(tocha_text *text, const tocha_module *module, const char *pattern);

#endif
