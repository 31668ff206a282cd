/* nn.h: modules: trees of named parameters, buffers and children, and the functions that work on
 * them.
 *
 * The creator of a module owns one reference; a parent owns its children, and a module its
 * tensors. Modules are created by the constructors of <tocha/modules.h> (tocha_nn_linear, ...),
 * or empty by tocha_module_new. Names, order, errors and printed forms are PyTorch's. Functions
 * return NULL or false if they fail (context.h); the tensors and modules that they return are
 * borrowed unless stated otherwise. */
#ifndef TOCHA_NN_H
#define TOCHA_NN_H

#include "tocha/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_module tocha_module;
typedef struct tocha_module_class tocha_module_class;
typedef struct tocha_state_dict tocha_state_dict;
struct tocha_arg;     /* <tocha/reflect.h> */
struct tocha_results; /* <tocha/reflect.h> */

/* --- life ------------------------------------------------------------------------------------ */

/* Returns the class of this name in torch.nn ("Linear", "Module"), or NULL. */
TOCHA_API const tocha_module_class *tocha_find_module_class(const char *name);
TOCHA_API const char *tocha_module_class_name(const tocha_module_class *class_);
/* Creates a module without members. `name` is shown by print (NULL: the class's name). */
TOCHA_API tocha_module *tocha_module_new(tocha_context *cx, const tocha_module_class *class_,
                                         const char *name);
/* Copies a module with its children, parameters, buffers, options and mode, as Python's deepcopy
 * does: what occurs twice in it occurs twice in the copy. The caller owns the copy. */
TOCHA_API tocha_module *tocha_module_copy(tocha_context *cx, const tocha_module *module);
TOCHA_API tocha_module *tocha_module_retain(tocha_module *module);
TOCHA_API void tocha_module_release(tocha_module *module); /* NULL is allowed */
TOCHA_API const char *tocha_module_name(const tocha_module *module);
/* Sets the name that print shows; NULL: the class's. */
TOCHA_API bool tocha_module_rename(tocha_module *module, const char *name);
TOCHA_API const tocha_module_class *tocha_module_class_of(const tocha_module *module);
/* Returns a number that counts every change of the module's own members. */
TOCHA_API uint32_t tocha_module_generation(const tocha_module *module);

/* --- parts of a language binding ------------------------------------------------------------- */

/* The part of a module that a language binding adds. `data` is not owned. */
typedef struct tocha_host_object {
  void *data;
  /* Computes the module's result in place of the class's forward; NULL: the class's. The result
   * belongs to the scope. */
  tocha_tensor *(*forward)(tocha_context *cx, void *data, tocha_module *module, int count,
                           tocha_tensor *const *inputs);
  /* Returns the text that print shows between the parentheses, of tocha_new_text. NULL: the
   * class's. */
  char *(*extra_repr)(tocha_context *cx, void *data, tocha_module *module);
  /* Computes a tensor, such as a weight, that the class needs and the module does not have as a
   * member. The result belongs to the scope. Returning NULL without an error means that there is
   * no such tensor. May be NULL. */
  tocha_tensor *(*attribute)(tocha_context *cx, void *data, tocha_module *module, const char *name);
  /* Returns the whole text that print shows for the module, of tocha_new_text. NULL: its name, with
   * extra_repr between parentheses. */
  char *(*repr)(tocha_context *cx, void *data, tocha_module *module);
  /* Computes what `forward` does from the complete arguments of the class's call signature
   * (class->call, <tocha/reflect.h>), and writes all results to results->fixed. NULL: `forward` is
   * called with the tensors among the arguments. Other classes do not need it. */
  bool (*call)(tocha_context *cx, void *data, tocha_module *module, const struct tocha_arg *args,
               struct tocha_results *results);
} tocha_host_object;
TOCHA_API void tocha_module_set_host_object(tocha_module *module,
                                            const tocha_host_object *host_object);
TOCHA_API const tocha_host_object *tocha_module_get_host_object(const tocha_module *module);

/* --- members --------------------------------------------------------------------------------- */

/* Creates a leaf tensor that takes part in training and shares the data of `tensor`. Belongs to
 * the scope. */
TOCHA_API tocha_tensor *tocha_parameter_new(tocha_context *cx, tocha_tensor *tensor,
                                            bool requires_grad);
TOCHA_API bool tocha_is_parameter(const tocha_tensor *tensor);
/* Creates a parameter (or buffer) whose sizes are not known yet, so that operators refuse it (tocha_is_uninitialized). The
 * result belongs to the scope. */
TOCHA_API tocha_tensor *tocha_uninitialized_new(tocha_context *cx, bool parameter,
                                                bool requires_grad, tocha_dtype dtype,
                                                tocha_device device);
/* Gives an uninitialized tensor the sizes and the memory of `data`, which makes it an ordinary parameter or buffer. */
TOCHA_API bool tocha_materialize(tocha_context *cx, tocha_tensor *tensor, tocha_tensor *data);
/* Creates a tensor that a module registers as a buffer when it is assigned; it shares the data
 * of `tensor`. persistent: it is part of state dicts. Belongs to the scope. */
TOCHA_API tocha_tensor *tocha_buffer_new(tocha_context *cx, tocha_tensor *tensor, bool persistent);
/* Returns true if the tensor is a buffer, and then sets *persistent (`persistent` may be NULL). */
TOCHA_API bool tocha_is_buffer(const tocha_tensor *tensor, bool *persistent);

/* Registers a member under a name; NULL is Python's None: a name without a value. A member of
 * the same kind is replaced in place. A member of another kind is PyTorch's KeyError "attribute
 * 'x' already exists". */
TOCHA_API bool tocha_register_parameter(tocha_context *cx, tocha_module *module, const char *name,
                                        tocha_tensor *parameter);
TOCHA_API bool tocha_register_buffer(tocha_context *cx, tocha_module *module, const char *name,
                                     tocha_tensor *buffer, bool persistent);
TOCHA_API bool tocha_register_module(tocha_context *cx, tocha_module *module, const char *name,
                                     tocha_module *child);

/* Registers a child that the caller owns, and takes over this reference, even if it fails. If `name`
 * is NULL, the child's name is the number of children: "0", "1", ... A child of NULL, such as that of
 * a constructor that failed, fails too. */
TOCHA_API bool tocha_module_add_child(tocha_context *cx, tocha_module *module, const char *name,
                                      tocha_module *child);

typedef enum tocha_member_kind {
  TOCHA_NO_MEMBER,
  TOCHA_MEMBER_PARAMETER,
  TOCHA_MEMBER_BUFFER,
  TOCHA_MEMBER_MODULE
} tocha_member_kind;

/* Returns the kind of the module's own member of this name, and its value in *tensor or *child
 * (either pointer may be NULL). */
TOCHA_API tocha_member_kind tocha_module_member(const tocha_module *module, const char *name,
                                                tocha_tensor **tensor, tocha_module **child);
/* Removes a member; returns false if there is none. */
TOCHA_API bool tocha_module_remove(tocha_module *module, const char *name);
/* Returns the number of own children, or the child or the name at an index, in order. Children
 * that are None are included. */
TOCHA_API int tocha_module_child_count(const tocha_module *module);
TOCHA_API tocha_module *tocha_module_child(const tocha_module *module, int index);
TOCHA_API const char *tocha_module_child_name(const tocha_module *module, int index);
/* Returns the number of own members of a kind, or the name at an index, in order. Members that
 * are None are included. */
TOCHA_API int tocha_module_member_count(const tocha_module *module, tocha_member_kind kind);
TOCHA_API const char *tocha_module_member_name(const tocha_module *module, tocha_member_kind kind,
                                               int index);
/* Returns the parameter or buffer at this index, or NULL for None. */
TOCHA_API tocha_tensor *tocha_module_tensor(const tocha_module *module, tocha_member_kind kind,
                                            int index);
/* Returns true if the buffer of this name is part of the state dict. */
TOCHA_API bool tocha_module_is_persistent(const tocha_module *module, const char *name);
/* Inserts a child before position `index` of a container numbered 0, 1, ...; later children move
 * up. */
TOCHA_API bool tocha_module_insert(tocha_context *cx, tocha_module *module, int index,
                                   tocha_module *child);
/* Removes child number `index` from a container numbered 0, 1, ...; later children move down. */
TOCHA_API bool tocha_module_take(tocha_module *module, int index);

/* Returns a member by its dotted name ("encoder.3.weight"; "" is the module itself), or fails
 * with PyTorch's AttributeError. */
TOCHA_API tocha_module *tocha_get_submodule(tocha_context *cx, tocha_module *module,
                                            const char *target);
TOCHA_API tocha_tensor *tocha_get_parameter(tocha_context *cx, tocha_module *module,
                                            const char *target);
TOCHA_API tocha_tensor *tocha_get_buffer(tocha_context *cx, tocha_module *module,
                                         const char *target);

/* --- walking the tree ------------------------------------------------------------------------ */

/* One name of a walk. Exactly one of tensor and module is set; both are borrowed. */
typedef struct tocha_named {
  char *name; /* dotted */
  tocha_tensor *tensor;
  tocha_module *module;
} tocha_named;

/* Names found by a walk. Zero-initialize; a walk fills the list, tocha_named_list_free empties
 * it. */
typedef struct tocha_named_list {
  tocha_context *context;
  tocha_named *items;
  int count, capacity;
} tocha_named_list;

TOCHA_API void tocha_named_list_free(tocha_named_list *list);
/* Appends names in PyTorch's order: a module's own before its children's. `prefix` precedes
 * every name; remove_duplicate leaves out tensors that were already visited. */
TOCHA_API bool tocha_named_parameters(tocha_context *cx, tocha_module *module, const char *prefix,
                                      bool recurse, bool remove_duplicate, tocha_named_list *list);
/* Lists all parameters of the tree, each tensor once, in that order, as tocha_optimizer_add_group and
 * tocha_clip_grad_norm take them. The module keeps the tensors; tocha_tensors_free frees the list. */
TOCHA_API bool tocha_module_parameters(tocha_context *cx, tocha_module *module,
                                       tocha_tensors *list);
TOCHA_API bool tocha_named_buffers(tocha_context *cx, tocha_module *module, const char *prefix,
                                   bool recurse, bool remove_duplicate, tocha_named_list *list);
/* Appends the own children, each once, without None. */
TOCHA_API bool tocha_named_children(tocha_context *cx, tocha_module *module,
                                    tocha_named_list *list);
/* Appends the module itself (named `prefix`) and all modules below it. */
TOCHA_API bool tocha_named_modules(tocha_context *cx, tocha_module *module, const char *prefix,
                                   bool remove_duplicate, tocha_named_list *list);
/* Returns the number of elements of all parameters, each tensor counted once. */
TOCHA_API int64_t tocha_parameter_count(tocha_context *cx, tocha_module *module);

/* --- the whole tree at once ------------------------------------------------------------------ */

TOCHA_API bool tocha_module_training(const tocha_module *module);
/* Sets the training flag of this module alone; tocha_module_train sets it for the whole tree
 * (false: eval). */
TOCHA_API void tocha_module_set_training(tocha_module *module, bool training);
TOCHA_API bool tocha_module_train(tocha_module *module, bool training);
TOCHA_API bool tocha_module_requires_grad(tocha_context *cx, tocha_module *module,
                                          bool requires_grad);
/* Drops the gradients, or fills them with zeros. */
TOCHA_API bool tocha_module_zero_grad(tocha_context *cx, tocha_module *module, bool set_to_none);
/* Moves parameters (which stay the same tensors) and buffers to `device` (type TOCHA_NO_DEVICE:
 * they stay), and converts those of floating point to `dtype` (TOCHA_NO_DTYPE: they keep
 * theirs). */
TOCHA_API bool tocha_module_to(tocha_context *cx, tocha_module *module, tocha_device device,
                               tocha_dtype dtype);
/* Lays out parameters and buffers of four or five dimensions with their channels last, or
 * row-major. Fails if one to have its channels last has five dimensions (_3d: four), as PyTorch
 * does. */
TOCHA_API bool tocha_module_to_format(tocha_context *cx, tocha_module *module, bool channels_last);
TOCHA_API bool tocha_module_to_channels_last_3d(tocha_context *cx, tocha_module *module);
/* Calls `function` for every module, children before their parent. Stops if it returns false. */
TOCHA_API bool tocha_module_apply(tocha_module *module,
                                  bool (*function)(void *user, tocha_module *module), void *user);
/* Draws the parameters of this module again, as its constructor did. */
TOCHA_API bool tocha_module_reset_parameters(tocha_context *cx, tocha_module *module);

/* Returns PyTorch's repr. The caller frees the text with tocha_free. */
TOCHA_API char *tocha_module_to_string(tocha_context *cx, tocha_module *module);
/* Returns the text between the parentheses of a module without children. The caller
 * frees it with tocha_free. */
TOCHA_API char *tocha_module_extra_repr(tocha_context *cx, tocha_module *module);

/* --- calling --------------------------------------------------------------------------------- */

/* Returns the module's result for its inputs, in the innermost scope. If it fails, the error's
 * path names the module from the outermost call down: "Net.encoder.3 (Linear)". */
TOCHA_API tocha_tensor *tocha_module_forward(tocha_context *cx, tocha_module *module, int count,
                                             tocha_tensor *const *inputs);
TOCHA_API tocha_tensor *tocha_module_call(tocha_context *cx, tocha_module *module,
                                          tocha_tensor *input);
/* Calls a module with several tensors and returns all of its results in *results, which
 * tocha_tensors_free frees. `inputs` are the tensors among forward's arguments in order: NULL for
 * one that is omitted; a list, such as an LSTM's states h and c, takes all that remain. An LSTM
 * gives output, h and c; a result that was not asked for, such as the weights of an attention, is
 * left out at the end. (tocha_nn_lstm_forward and the like of <tocha/modules.h> take arguments
 * that are no tensors, too; tocha_module_forward returns the first result of any module.) */
TOCHA_API bool tocha_module_call_many(tocha_context *cx, tocha_module *module, int count,
                                      tocha_tensor *const *inputs, tocha_tensors *results);
/* Records the calls of bindings that run a forward of their own. enter marks the module as being
 * called, and keeps it alive until the matching leave, which also ends the calls inside it.
 * unwind ends all but the outermost `depth` calls. path writes the path of the calls in progress
 * to `text` ("" outside of any), with `root` (or the class's name) for the outermost module, and
 * returns `text`. */
TOCHA_API bool tocha_module_enter(tocha_context *cx, tocha_module *module);
TOCHA_API void tocha_module_leave(tocha_context *cx, const tocha_module *module);
TOCHA_API void tocha_module_unwind(tocha_context *cx, int depth);
TOCHA_API int tocha_module_depth(const tocha_context *cx);
TOCHA_API const char *tocha_module_path(tocha_context *cx, const char *root, char *text,
                                        size_t capacity);

/* Return the logarithms of the probabilities of all classes (N, n_classes), or the most probable class
 * of each row, for a module AdaptiveLogSoftmaxWithLoss and an input (N, in_features). */
TOCHA_API tocha_tensor *tocha_adaptive_log_prob(tocha_context *cx, tocha_module *module,
                                                tocha_tensor *input);
TOCHA_API tocha_tensor *tocha_adaptive_predict(tocha_context *cx, tocha_module *module,
                                               tocha_tensor *input);
/* Returns the mask (size, size) that hides later positions from each position: -inf above the
 * diagonal, 0 elsewhere (torch.nn.Transformer.generate_square_subsequent_mask). */
TOCHA_API tocha_tensor *tocha_nn_generate_square_subsequent_mask(tocha_context *cx, int64_t size,
                                                                 tocha_device device,
                                                                 tocha_dtype dtype);

/* --- state dicts ----------------------------------------------------------------------------- */

/* Creates an ordered list of named tensors, with one reference to each. */
TOCHA_API tocha_state_dict *tocha_state_dict_new(tocha_context *cx);
TOCHA_API tocha_state_dict *tocha_state_dict_retain(tocha_state_dict *dict);
TOCHA_API void tocha_state_dict_release(tocha_state_dict *dict);
TOCHA_API int tocha_state_dict_count(const tocha_state_dict *dict);
TOCHA_API const char *tocha_state_dict_name(const tocha_state_dict *dict, int index);
/* Returns NULL for an entry that is not a tensor. */
TOCHA_API tocha_tensor *tocha_state_dict_tensor(const tocha_state_dict *dict, int index);
TOCHA_API int tocha_state_dict_find(const tocha_state_dict *dict, const char *name); /* -1: none */
/* Adds or replaces an entry. If `tensor` is NULL, the entry is a value of the Python type
 * `other` ("int"). */
TOCHA_API bool tocha_state_dict_set(tocha_context *cx, tocha_state_dict *dict, const char *name,
                                    tocha_tensor *tensor, const char *other);
/* Returns the Python type of an entry that is not a tensor. */
TOCHA_API const char *tocha_state_dict_other(const tocha_state_dict *dict, int index);
TOCHA_API bool tocha_state_dict_remove(tocha_state_dict *dict, const char *name);
/* Adds a module whose state the dict contains ("": the outermost; "encoder.0"), with the version
 * of its class: PyTorch's _metadata. */
TOCHA_API bool tocha_state_dict_add_module(tocha_context *cx, tocha_state_dict *dict,
                                           const char *path, int64_t version);
/* Returns the number of these modules, or the path at an index and its version (`version` may be
 * NULL). */
TOCHA_API int tocha_state_dict_module_count(const tocha_state_dict *dict);
TOCHA_API const char *tocha_state_dict_module(const tocha_state_dict *dict, int index,
                                              int64_t *version);
/* Returns the version of the module at `path`, or -1 if it is not known. */
TOCHA_API int64_t tocha_state_dict_version(const tocha_state_dict *dict, const char *path);
TOCHA_API void tocha_state_dict_clear_modules(tocha_state_dict *dict);
/* Returns "OrderedDict([('weight', tensor(...)), ...])". The caller frees the text with
 * tocha_free. */
TOCHA_API char *tocha_state_dict_to_string(tocha_context *cx, const tocha_state_dict *dict);

/* Returns the parameters and persistent buffers of the tree, sharing their memory, detached
 * unless keep_vars. The caller owns the result. */
TOCHA_API tocha_state_dict *tocha_module_state_dict(tocha_context *cx, tocha_module *module,
                                                    const char *prefix, bool keep_vars);
/* Copies the dict's tensors into the module (assign: puts the tensors themselves there). strict:
 * missing and unexpected names are errors; otherwise they are listed in `missing` and
 * `unexpected` (either may be NULL). */
TOCHA_API bool tocha_module_load_state_dict(tocha_context *cx, tocha_module *module,
                                            const tocha_state_dict *dict, bool strict, bool assign,
                                            tocha_named_list *missing,
                                            tocha_named_list *unexpected);

/* Saves, or loads, one module's own part of the state dict, without its children's. */
TOCHA_API bool tocha_module_save_own_state(tocha_context *cx, const tocha_module *module,
                                           const char *prefix, bool keep_vars,
                                           tocha_state_dict *out);
typedef struct tocha_own_state {
  const tocha_state_dict *dict;
  const char *prefix;
  int64_t version; /* the version that wrote the state; -1: not known */
  bool assign;
  bool extra_state; /* an entry "_extra_state" is left to the caller */
} tocha_own_state;
/* Appends to the lists; the names of the items are the missing names, the unexpected names and
 * the messages. */
TOCHA_API bool tocha_module_load_own_state(tocha_context *cx, tocha_module *module,
                                           const tocha_own_state *state, tocha_named_list *missing,
                                           tocha_named_list *unexpected,
                                           tocha_named_list *messages);

/* Computes PyTorch's gain of a nonlinearity ("relu", "tanh", ...). parameter: the slope of
 * leaky_relu. */
TOCHA_API bool tocha_calculate_gain(tocha_context *cx, const char *nonlinearity, double parameter,
                                    double *gain);

/* --- gradients ------------------------------------------------------------------------------- */

/* Scales the gradients of the tensors so that their joint norm is at most max_norm. Returns the
 * norm before, a 0-dim tensor. */
TOCHA_API tocha_tensor *tocha_clip_grad_norm(tocha_context *cx, int count,
                                             tocha_tensor *const *tensors, double max_norm,
                                             double norm_type, bool error_if_nonfinite);
/* Returns the norm of all tensors together, a 0-dim tensor on the device of the first. norm_type
 * may be infinite. */
TOCHA_API tocha_tensor *tocha_total_norm(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                         double norm_type, bool error_if_nonfinite);
/* Scales the gradients of the tensors by min(max_norm / (total_norm + 1e-6), 1). */
TOCHA_API bool tocha_clip_grads_with_norm(tocha_context *cx, int count,
                                          tocha_tensor *const *tensors, double max_norm,
                                          tocha_tensor *total_norm);
/* Clamps every gradient to [-clip_value, clip_value]. */
TOCHA_API bool tocha_clip_grad_value(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                     double clip_value);
/* Gives `tensor` the data of another (with its sizes, dtype and device), keeping its identity
 * and its place in the graph, as an assignment to .data does. */
TOCHA_API bool tocha_set_data(tocha_context *cx, tocha_tensor *tensor, tocha_tensor *data);

#ifdef __cplusplus
}
#endif
#endif
