/* autograd.h: gradients in full: all options of torch.autograd.backward and grad, hooks, and
 * access to the graph. (Most programs need only tocha_backward and tocha_gradients of tensor.h.) */
#ifndef TOCHA_AUTOGRAD_H
#define TOCHA_AUTOGRAD_H

#include "tocha/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- running backward ------------------------------------------------------------------------ */

typedef struct tocha_backward_request {
  int root_count;
  tocha_tensor *const *roots;
  tocha_tensor *const *gradients; /* one per root or NULL; an entry may be NULL */
  int input_count;                /* 0: every leaf */
  tocha_tensor *const *inputs;
  bool accumulate; /* add to the inputs' grad; if false, the gradients go to `results` */
  bool retain_graph, create_graph, allow_unused, materialize;
  tocha_tensor **results; /* input_count tensors in the innermost scope, unless `accumulate` */
} tocha_backward_request;

/* Runs torch.autograd.backward or torch.autograd.grad with all of their options. */
TOCHA_API bool tocha_run_backward(tocha_context *cx, const tocha_backward_request *request);
/* Calls function(cx, user, ok) once, after the running backward pass, or the outermost one if passes are nested; ok
 * is false if the pass failed. An error of the function is one of the pass. Fails outside of a pass. */
TOCHA_API bool tocha_after_backward(tocha_context *cx,
                                    bool (*function)(tocha_context *cx, void *user, bool ok),
                                    void *user);
/* Drops the calls with this user that have not been made. */
TOCHA_API void tocha_forget_after_backward(tocha_context *cx, void *user);
/* Returns true if the running backward pass computes the gradient of `tensor`, or has computed it already. For hooks. */
TOCHA_API bool tocha_computes_gradient(const tocha_tensor *tensor);
/* Switches anomaly mode on or off. If a backward pass fails in this mode, it warns with the
 * place of the forward call, and a NaN that it computes is an error that names the operator
 * (unless check_nan is off). Both return the old mode. */
TOCHA_API bool tocha_set_anomaly(tocha_context *cx, bool enabled);
TOCHA_API bool tocha_set_anomaly_check_nan(tocha_context *cx, bool enabled);
/* Sets the function that describes, in anomaly mode, the place where the host's program is: it
 * returns a text of tocha_new_text, or NULL. If `trace` is NULL, places are not described. */
TOCHA_API void tocha_set_forward_trace(tocha_context *cx, char *(*trace)(void *user), void *user);

/* --- tensors --------------------------------------------------------------------------------- */

/* Keeps the gradient of a non-leaf in its grad. */
TOCHA_API bool tocha_retain_grad(tocha_context *cx, tocha_tensor *tensor);
TOCHA_API bool tocha_retains_grad(const tocha_tensor *tensor);
/* Makes `tensor` a leaf (detach_()), and returns it. */
TOCHA_API tocha_tensor *tocha_detach_in_place(tocha_context *cx, tocha_tensor *tensor);
/* Returns a tensor over the same memory without history (tensor.data). Writes to it do not count
 * as changes of `tensor`. */
TOCHA_API tocha_tensor *tocha_untracked(tocha_context *cx, const tocha_tensor *tensor);
/* Returns the tensor that this one is a view of, or NULL. Borrowed. */
TOCHA_API tocha_tensor *tocha_base(const tocha_tensor *tensor);
/* Returns true if the tensor was made in inference mode. */
TOCHA_API bool tocha_is_inference(const tocha_tensor *tensor);

/* --- hooks ----------------------------------------------------------------------------------- */

/* Functions called with a gradient. A tensor hook may put another gradient (of the innermost
 * scope) into *grad; a post-accumulate hook receives the leaf itself. Returning false with an
 * error stops the backward pass. */
typedef struct tocha_hook {
  bool (*call)(tocha_context *cx, void *user, tocha_tensor **grad);
  void (*free)(void *user); /* or NULL */
  void *user;
  const char *name;           /* its name in messages; borrowed from the caller; or NULL */
  void (*shared)(void *user); /* see tocha_hook_is_private; or NULL */
  /* For nodes, in place of `call`: `count` gradients that the hook may replace, and
   * `other_count` that it cannot. */
  bool (*call_node)(tocha_context *cx, void *user, int count, tocha_tensor **grads, int other_count,
                    tocha_tensor *const *others);
} tocha_hook;

/* Adds a hook on the tensor's gradient. If it succeeds, hook.user belongs to the list, and *id
 * identifies the hook; if it fails, hook.user stays the caller's. */
TOCHA_API bool tocha_register_hook(tocha_context *cx, tocha_tensor *tensor, tocha_hook hook,
                                   uint64_t *id);
/* Adds a hook that runs after a leaf's gradient was accumulated. */
TOCHA_API bool tocha_register_post_accumulate_hook(tocha_context *cx, tocha_tensor *tensor,
                                                   tocha_hook hook, uint64_t *id);
/* Adds a hook of a node (call_node). With `before`, it runs before the node, with the gradients
 * of the results of the node's operator (NULL: none). Otherwise it runs after the node, with the
 * gradients that the node computed (one per edge) and those of its results. */
TOCHA_API bool tocha_register_node_hook(tocha_context *cx, tocha_node *node, tocha_hook hook,
                                        bool before, uint64_t *id);
/* Keeps hook.user alive as long as the node. hook.free is called when the node is freed,
 * hook.shared as for hooks, hook.call never. */
TOCHA_API bool tocha_keep_with_node(tocha_context *cx, tocha_node *node, tocha_hook hook,
                                    uint64_t *id);
/* Removes a hook of the tensor, or of the node. If `node` is the node that the tensor had before
 * a change in place, also removes a hook that moved to that node. Ignores unknown ids. */
TOCHA_API void tocha_remove_hook(tocha_tensor *tensor, tocha_node *node, uint64_t id);

/* Returns true if the caller's one reference to the tensor is all that keeps the hook alive.
 * While that is so, a binding may leave both to its collector, which sees the hook's references.
 * hook.shared is called when another owner, such as a graph, begins to keep the hook alive. */
TOCHA_API bool tocha_hook_is_private(tocha_tensor *tensor, uint64_t id);

/* --- tensors that are saved for backward (torch.autograd.graph.saved_tensors_hooks) ------------------------------------ */

/* The value that a tensor was packed to. `unpack` returns a tensor of the innermost scope, with
 * the shape, dtype and device of the packed one, or NULL with an error. */
typedef struct tocha_packed {
  tocha_tensor *(*unpack)(tocha_context *cx, void *value);
  void (*free)(void *value);
  void *value;
} tocha_packed;

/* pack: fills *packed, or returns false with an error. It must not change the tensor. */
typedef struct tocha_saving_hooks {
  bool (*pack)(tocha_context *cx, void *user, tocha_tensor *tensor, tocha_packed *packed);
  void *user;
} tocha_saving_hooks;

/* Passes every tensor that is saved for backward from now on through the hooks, which stay the
 * caller's; NULL saves tensors as they are. Returns the hooks that were set before. Neither hook
 * is called while one of them runs. */
TOCHA_API const tocha_saving_hooks *tocha_set_saving_hooks(tocha_context *cx,
                                                           const tocha_saving_hooks *hooks);

/* --- functions of the host's own (torch.autograd.Function) ------------------------------------- */

/* A function whose derivative the host computes.
 * name: such as "ExpBackward"; borrowed, must live as long as the node.
 * backward: computes the gradients of the inputs into `out` (all NULL at first) from those of
 * the results (NULL: none, unless they are materialized). All are tensors of the innermost
 * scope. With create_graph the call is recorded, so gradients computed by operators have
 * gradients themselves.
 * free: may be NULL. */
typedef struct tocha_custom_function {
  const char *name;
  bool (*backward)(tocha_context *cx, tocha_node *node, void *user, tocha_tensor *const *grads,
                   tocha_tensor **out);
  void (*free)(void *user);
} tocha_custom_function;

/* Creates a node, before the forward, whose edges lead to the inputs (a NULL entry: to no node).
 * The caller owns the node and releases it with tocha_node_release once it is finished. If it
 * fails, `user` stays the caller's. */
TOCHA_API tocha_node *tocha_custom_node(tocha_context *cx, const tocha_custom_function *function,
                                        void *user, int input_count, tocha_tensor *const *inputs);
/* Returns the function, or the user data, of such a node, or NULL for any other node. */
TOCHA_API const tocha_custom_function *tocha_custom_function_of(const tocha_node *node);
TOCHA_API void *tocha_custom_user(const tocha_node *node);
/* Chooses if backward receives zeros for results that have no gradient (true at first). */
TOCHA_API void tocha_custom_set_materialize(tocha_node *node, bool materialize);

/* A result of the forward, which runs in no_grad mode. An input that comes back unchanged is
 * replaced by a view of it, and a result that takes no gradient by a detached one. tensor NULL:
 * no tensor. */
typedef struct tocha_custom_result {
  tocha_tensor *tensor;
  bool changed;            /* an input that was changed in place (mark_dirty) */
  bool not_differentiable; /* mark_non_differentiable; implied for dtypes other than floating
                            * point */
} tocha_custom_result;

/* Makes the results those of the node, after the forward. If `node` is NULL, records no
 * operation, and no result requires a gradient. */
TOCHA_API bool tocha_custom_finish(tocha_context *cx, tocha_node *node, int input_count,
                                   tocha_tensor *const *inputs, int result_count,
                                   tocha_custom_result *results);
/* Saves a tensor (or NULL) for backward, after tocha_custom_finish. result: its number among the
 * results, or -1 for any other tensor. */
TOCHA_API bool tocha_custom_save(tocha_context *cx, tocha_node *node, tocha_tensor *tensor,
                                 int result);
/* Returns the number of saved tensors, or -1 with an error if the graph was freed. */
TOCHA_API int tocha_custom_saved_count(tocha_context *cx, const tocha_node *node);
/* Returns saved tensor number i, owned by the innermost scope or the node. Returns NULL if NULL
 * was saved, and with an error if the graph was freed or the value was changed since. */
TOCHA_API tocha_tensor *tocha_custom_saved(tocha_context *cx, tocha_node *node, int i);

/* --- the graph ------------------------------------------------------------------------------- */

TOCHA_API void tocha_node_retain(tocha_node *node);
TOCHA_API void tocha_node_release(tocha_node *node);
/* Returns the name that the node's name() has in PyTorch: "torch::autograd::CopySlices". */
TOCHA_API const char *tocha_node_full_name(const tocha_node *node);
/* Returns the number of gradients that a node receives: one per result of its operator. */
TOCHA_API int tocha_node_result_count(const tocha_node *node);
/* Returns the number of edges of a node, or the node at an edge. The gradient of the edge is
 * added to result number *index of that node; NULL means that the gradient is not needed. */
TOCHA_API int tocha_node_edge_count(const tocha_node *node);
TOCHA_API tocha_node *tocha_node_edge(const tocha_node *node, int edge, uint32_t *index);

#ifdef __cplusplus
}
#endif
#endif
