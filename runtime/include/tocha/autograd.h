/* autograd.h: gradients in full: what torch.autograd.backward and grad take, hooks, and the graph to look at.
 * (Most programs need no more than tocha_backward and tocha_gradients of tensor.h.) */
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
  bool accumulate; /* into grad; else the gradients are results */
  bool retain_graph, create_graph, allow_unused, materialize;
  tocha_tensor **results; /* input_count, of the innermost scope, where not accumulate */
} tocha_backward_request;

/* torch.autograd.backward and torch.autograd.grad with all they take. */
TOCHA_API bool tocha_run_backward(tocha_context *cx, const tocha_backward_request *request);
/* Returns true if the running backward pass computes the gradient of `tensor`, or has computed it already. For hooks. */
TOCHA_API bool tocha_computes_gradient(const tocha_tensor *tensor);
/* Anomaly mode: a backward that fails warns of where its forward call was, and a NaN it gives is an error that names the operator
 * (unless check_nan is switched off). Both return the old mode. */
TOCHA_API bool tocha_set_anomaly(tocha_context *cx, bool enabled);
TOCHA_API bool tocha_set_anomaly_check_nan(tocha_context *cx, bool enabled);
/* trace says, in that mode, where the host's program stands: a text from malloc, or NULL. trace NULL: nobody says. */
TOCHA_API void tocha_set_forward_trace(tocha_context *cx, char *(*trace)(void *user), void *user);

/* --- tensors --------------------------------------------------------------------------------- */

/* Keeps the gradient of a non-leaf in its grad. */
TOCHA_API bool tocha_retain_grad(tocha_context *cx, tocha_tensor *tensor);
TOCHA_API bool tocha_retains_grad(const tocha_tensor *tensor);
/* detach_(): makes tensor a leaf. Returns it. */
TOCHA_API tocha_tensor *tocha_detach_in_place(tocha_context *cx, tocha_tensor *tensor);
/* tensor.data: the same memory without history, whose writes do not count as changes of tensor. */
TOCHA_API tocha_tensor *tocha_untracked(tocha_context *cx, const tocha_tensor *tensor);
/* The tensor that this one is a view of, or NULL. Borrowed. */
TOCHA_API tocha_tensor *tocha_base(const tocha_tensor *tensor);
/* Whether the tensor was made in inference mode. */
TOCHA_API bool tocha_is_inference(const tocha_tensor *tensor);

/* --- hooks ----------------------------------------------------------------------------------- */

/* Called with a gradient. A tensor hook may put another gradient (of the innermost scope) into
 * *grad; a post-accumulate hook gets the leaf itself. false with an error stops the backward. */
typedef struct tocha_hook {
  bool (*call)(tocha_context *cx, void *user, tocha_tensor **grad);
  void (*free)(void *user); /* or NULL */
  void *user;
  const char *name;           /* what messages call it; borrowed from the caller; or NULL */
  void (*shared)(void *user); /* see tocha_hook_is_private; or NULL */
  /* Of a node, instead of call: count gradients that it may replace, and those it cannot. */
  bool (*call_node)(tocha_context *cx, void *user, int count, tocha_tensor **grads, int other_count,
                    tocha_tensor *const *others);
} tocha_hook;

/* Adds a hook on the tensor's gradient. On success hook.user belongs to the list and *id tells hooks apart;
 * on failure it stays the caller's. */
TOCHA_API bool tocha_register_hook(tocha_context *cx, tocha_tensor *tensor, tocha_hook hook,
                                   uint64_t *id);
/* Adds a hook that runs after a leaf's gradient was accumulated. */
TOCHA_API bool tocha_register_post_accumulate_hook(tocha_context *cx, tocha_tensor *tensor,
                                                   tocha_hook hook, uint64_t *id);
/* Adds a hook of a node (call_node): before it runs, with the gradients that came to it (one per result of its operator, NULL: none); or after
 * it has run, with those it gave (one per edge) and the ones that came to it. */
TOCHA_API bool tocha_register_node_hook(tocha_context *cx, tocha_node *node, tocha_hook hook,
                                        bool before, uint64_t *id);
/* What shall live as long as the node: hook.free is called when it goes, hook.shared as for hooks, hook.call never. */
TOCHA_API bool tocha_keep_with_node(tocha_context *cx, tocha_node *node, tocha_hook hook,
                                    uint64_t *id);
/* Removes a hook of the tensor (also one that went to the node the tensor had before a change in place, when that
 * node is given), or of the node. Unknown ids are ignored. */
TOCHA_API void tocha_remove_hook(tocha_tensor *tensor, tocha_node *node, uint64_t id);

/* Whether the caller's one reference to the tensor is all that keeps the hook. While it is, a binding may leave both to its
 * collector, which sees what the hook refers to; hook.shared is called when somebody else, a graph for one, comes to own them. */
TOCHA_API bool tocha_hook_is_private(tocha_tensor *tensor, uint64_t id);

/* --- tensors that are saved for backward (torch.autograd.graph.saved_tensors_hooks) ------------------------------------ */

/* What a tensor was packed to. unpack: a tensor of the innermost scope, of the packed one's shape, dtype and device; NULL with an error. */
typedef struct tocha_packed {
  tocha_tensor *(*unpack)(tocha_context *cx, void *value);
  void (*free)(void *value);
  void *value;
} tocha_packed;

/* pack: fills *packed; false with an error. The tensor must not be changed. */
typedef struct tocha_saving_hooks {
  bool (*pack)(tocha_context *cx, void *user, tocha_tensor *tensor, tocha_packed *packed);
  void *user;
} tocha_saving_hooks;

/* From now on, what is saved for backward goes through the hooks (NULL: it is kept as it is), which stay the caller's. Returns those from
 * before. Neither hook is called while one of them runs. */
TOCHA_API const tocha_saving_hooks *tocha_set_saving_hooks(tocha_context *cx,
                                                           const tocha_saving_hooks *hooks);

/* --- functions of the host's own (torch.autograd.Function) ------------------------------------- */

/* A function whose derivative the host computes. name: "ExpBackward"; borrowed, lives as long as the node. backward: gradients
 * of the results (NULL: none, where they are not materialized) to those of the inputs, in out, all NULL at first; tensors of the
 * innermost scope. With create_graph it is recorded, so what is made of operators has gradients itself. free may be NULL. */
typedef struct tocha_custom_function {
  const char *name;
  bool (*backward)(tocha_context *cx, tocha_node *node, void *user, tocha_tensor *const *grads,
                   tocha_tensor **out);
  void (*free)(void *user);
} tocha_custom_function;

/* Before the forward: a node whose edges lead to the inputs (NULL entries: to nothing). Whoever calls owns it, and lets it go with
 * tocha_node_release once it is finished. On failure user stays the caller's. */
TOCHA_API tocha_node *tocha_custom_node(tocha_context *cx, const tocha_custom_function *function,
                                        void *user, int input_count, tocha_tensor *const *inputs);
/* The function and the user's part of such a node; NULL of another one. */
TOCHA_API const tocha_custom_function *tocha_custom_function_of(const tocha_node *node);
TOCHA_API void *tocha_custom_user(const tocha_node *node);
/* Whether backward gets zeros for results that have no gradient; true to begin with. */
TOCHA_API void tocha_custom_set_materialize(tocha_node *node, bool materialize);

/* What the forward, run in no_grad mode, returned. A tensor that was given and comes back unchanged is replaced by a view of it, one that
 * takes no gradient by a detached one. NULL: no tensor. */
typedef struct tocha_custom_result {
  tocha_tensor *tensor;
  bool changed;            /* an input that was changed in place (mark_dirty) */
  bool not_differentiable; /* mark_non_differentiable; all but floating point is so, too */
} tocha_custom_result;

/* After the forward: makes the results the node's. node NULL: nothing is recorded, and none of the results requires a gradient. */
TOCHA_API bool tocha_custom_finish(tocha_context *cx, tocha_node *node, int input_count,
                                   tocha_tensor *const *inputs, int result_count,
                                   tocha_custom_result *results);
/* Saves a tensor (or NULL) for backward, after tocha_custom_finish. result: its number among the results; -1: any other. */
TOCHA_API bool tocha_custom_save(tocha_context *cx, tocha_node *node, tocha_tensor *tensor,
                                 int result);
/* How many were saved; -1 with an error where the graph was freed. */
TOCHA_API int tocha_custom_saved_count(tocha_context *cx, const tocha_node *node);
/* Saved tensor number i, of the innermost scope or the node's; NULL where NULL was saved, or with the error of a graph that was freed or
 * of a value that was changed since. */
TOCHA_API tocha_tensor *tocha_custom_saved(tocha_context *cx, tocha_node *node, int i);

/* --- the graph ------------------------------------------------------------------------------- */

TOCHA_API void tocha_node_retain(tocha_node *node);
TOCHA_API void tocha_node_release(tocha_node *node);
/* "torch::autograd::CopySlices", as the node's name() answers. */
TOCHA_API const char *tocha_node_full_name(const tocha_node *node);
/* How many gradients come to a node: one per result of its operator. */
TOCHA_API int tocha_node_result_count(const tocha_node *node);
/* Where the gradients of a node go: to result number *index of another node; NULL: not wanted. */
TOCHA_API int tocha_node_edge_count(const tocha_node *node);
TOCHA_API tocha_node *tocha_node_edge(const tocha_node *node, int edge, uint32_t *index);

#ifdef __cplusplus
}
#endif
#endif
