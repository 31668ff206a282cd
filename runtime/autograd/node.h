/* node.h: the graph that the forward pass records, one node per recorded operator.
 *
 * Ownership:
 *   tensor       -> its node (grad_fn), through its autograd meta
 *   node         -> the nodes behind its edges, and the tensors that its rule will read
 *   AccumulateGrad -> its leaf; the leaf points back without owning it
 *   view         -> its base (tensor->base), never the reverse
 * There is no cycle. A tensor that a rule reads is saved as an alias without a graph, because the
 * alias of a result would own the node that owns it, and so would that of an input that is later
 * changed in place. The alias gets its node back when the rule reads it. Only a leaf that requires
 * a gradient is saved itself. One exception is PyTorch's: backward with create_graph makes leaf ->
 * grad -> graph -> leaf.
 *
 * No function here recurses. Releasing, searching and running a graph use queues and links inside
 * the nodes, so a chain of a million operators needs no more stack than one. */
#ifndef TOCHA_NODE_H
#define TOCHA_NODE_H

#include "core/autograd_meta.h"
#include "dispatch/call.h"
#include "tocha/autograd.h"

/* The destination of a gradient: input number `index` of `node`, which is result number `index` of
 * the node's operator. node is NULL if the gradient is not needed. */
typedef struct tocha_edge {
  tocha_node *node;
  uint32_t index;
} tocha_edge;

/* The sizes, dtype and device of a forward result, which its gradient must have too. */
typedef struct tocha_gradient_shape {
  tocha_dtype dtype; /* TOCHA_NO_DTYPE: the result needs no gradient, so any may come */
  tocha_device device;
  int ndim;
  int64_t sizes_inline[TOCHA_INLINE_DIMS];
  int64_t *sizes; /* sizes_inline, or a block for more dimensions */
} tocha_gradient_shape;

/* A tensor that a gradient rule will read, and its version when saved. */
typedef struct tocha_saved {
  union {
    tocha_tensor *tensor; /* is_leaf: the leaf itself; else an alias without a graph */
    struct tocha_packed_tensor *packed; /* is_packed: the result of the pack hook */
  };
  tocha_autograd_meta *origin; /* the aliased tensor's meta, for messages; or NULL */
  /* The input's grad_fn, or the leaf's AccumulateGrad, which has the leaf's sizes, dtype and
   * device. Owned. NULL for results and for inputs that need no gradient. */
  tocha_node *node;
  uint32_t index; /* the result's number in `node`, or in the saving node */
  uint32_t version;
  int32_t element;   /* index in a list of tensors */
  int16_t parameter; /* -1: a result of the operator */
  bool is_result, is_packed, is_leaf;
  bool is_view; /* the input is a view: writes to its base replace its grad_fn */
} tocha_saved;

typedef struct tocha_node_class {
  const char *name; /* NULL: use name_of */
  const char *(*name_of)(const tocha_node *node);
  /* Turns gradients (one per forward result, NULL for none) into gradients out (one per edge, all
   * NULL at the start). out receives tensors of the innermost scope, or of grads. */
  bool (*apply)(tocha_context *cx, tocha_node *node, tocha_tensor *const *grads,
                tocha_tensor **out);
  void (*release_saved)(tocha_node *node); /* may be called more than once */
  void (*destroy)(tocha_node *node);       /* frees the rest that the class owns; may be NULL */
} tocha_node_class;

struct tocha_task; /* engine.c: a node's part in a running pass */

struct tocha_node {
  tocha_refcount references;
  int edge_count, input_count;
  bool freed;      /* its saved tensors were freed */
  bool watched;    /* its next owner is reported to hooks (hooks.c) */
  bool frees;      /* its saved tensors are freed when the last reader ends */
  int32_t readers; /* calls that now read its saved tensors */
  const tocha_node_class *class;
  tocha_context *context;
  uint64_t sequence; /* nodes with higher numbers run first */
  tocha_node *next;  /* link in the queue of dying nodes */
  tocha_edge *edges;
  tocha_gradient_shape *inputs; /* one per forward result */
  struct tocha_task *task;      /* NULL unless a backward pass includes the node */
  tocha_node *within;           /* the CopySlices that runs this node; not owned */
  tocha_hook_list *hooks;       /* on the gradients of its forward results */
  struct tocha_stream *stream; /* the device's stream of the operator; NULL for the CPU or a leaf */
  size_t bytes;                /* of the block that holds this node and all its arrays */
};

/* Adds the meta of a tensor that has a gradient to the list of possible cycles. */
void tocha_note_cycle(tocha_autograd_meta *meta);
/* Replaces each gradient in the list by one without a graph. */
void tocha_break_cycles(tocha_context *cx);

/* --- node.c --------------------------------------------------------------------------------------- */

/* Makes a node with empty edges and inputs. size: bytes of the structure that begins with
 * tocha_node; the bytes after the header are zeroed. The caller owns the only reference. Returns
 * NULL if memory is short. */
tocha_node *tocha_node_new(tocha_context *cx, const tocha_node_class *class, size_t size,
                           int edge_count, int input_count);
void tocha_node_pool_clear(tocha_context *cx);
/* Returns the hooks on the gradients of the node. A leaf's hooks are stored with the leaf. */
tocha_hook_list *tocha_node_hooks(const tocha_node *node);
tocha_hook_list **tocha_node_hooks_place(tocha_node *node); /* NULL if memory is short */
/* Writes "Add" for AddBackward0 into text and returns it: the name in messages about in-place
 * changes. */
const char *tocha_node_short_name(const tocha_node *node, char *text, size_t capacity);
/* Records the sizes, dtype and device that gradients of forward result `index` must have. */
bool tocha_node_set_input(tocha_node *node, int index, const tocha_tensor *result);
/* Records the sizes, dtype and device of t. Returns false if memory is short. */
bool tocha_note_look(tocha_context *cx, tocha_gradient_shape *look, const tocha_tensor *t);
void tocha_drop_look(tocha_context *cx, tocha_gradient_shape *look);
/* Returns true if t has the recorded sizes, dtype and device, and was not freed. */
bool tocha_looks_like(const tocha_tensor *t, const tocha_gradient_shape *look);
/* Returns the same for a look that was t's own. Compares only if t's header was changed since t was
 * made. */
static inline bool tocha_keeps_look(const tocha_tensor *t, const tocha_gradient_shape *look) {
  return !(t->flags & TOCHA_FLAG_CHANGED_LOOK) || tocha_looks_like(t, look);
}
/* Frees the node's saved tensors. If a call still reads them (a backward in a hook of the node),
 * they are freed when that call ends. */
void tocha_node_free_saved(tocha_node *node);
/* Keeps the node's saved tensors until tocha_node_end_reading, whatever hooks do. The caller owns
 * the node. */
static inline void tocha_node_begin_reading(tocha_node *node) { node->readers++; }
static inline void tocha_node_end_reading(tocha_node *node) {
  if (--node->readers == 0 && node->frees) tocha_node_free_saved(node);
}

/* Frees the autograd part of a tensor that is being freed. Keeps the struct as long as others refer
 * to it. */
void tocha_autograd_meta_free(tocha_tensor *t);
/* Makes t result `index` of node, which gets one more owner. */
bool tocha_set_history(tocha_tensor *t, tocha_node *node, int index);
/* Finds the edge for gradients of t: to its grad_fn, or to its AccumulateGrad, which is made if
 * necessary. The edge is empty if t needs no gradient. The caller owns the edge's node. Returns
 * false on failure. */
bool tocha_gradient_edge(tocha_context *cx, tocha_tensor *t, tocha_edge *edge);
/* Finds the same edge, even if the sizes, dtype or device of t are no longer those that the node
 * expects. */
bool tocha_history_edge(tocha_context *cx, tocha_tensor *t, tocha_edge *edge);

/* --- saved.c -------------------------------------------------------------------------------------- */

/* Fails if t may not be saved, because it is an inference tensor outside inference mode. */
bool tocha_check_saving(tocha_context *cx, const tocha_tensor *t);
/* Saves t for a rule of `node`. `result` is its number among the node's results, or -1 for an
 * input, whose gradient edge is `known`, or is found if that is NULL. `dropped`: a result that nobody else will own.
 * If hooks pack, the caller calls tocha_pack_saved when all tensors of the call are saved,
 * because a hook may change any of them. */
bool tocha_save_tensor(tocha_node *node, tocha_saved *saved, tocha_tensor *t, int result,
                       const tocha_edge *known, bool dropped);
bool tocha_pack_saved(tocha_context *cx, tocha_saved *saved);
/* Returns true if hooks pack saved tensors. */
static inline bool tocha_hooks_pack(const tocha_context *cx) {
  return cx->saving_hooks != cx->paused_hooks;
}
/* Returns the tensor for the rule (borrowed, or of the innermost scope). Returns NULL with an error
 * set if the graph was freed or the value has changed since. */
tocha_tensor *tocha_unsave_tensor(tocha_context *cx, tocha_node *node, const tocha_saved *saved);
/* Returns true if the tensor was written after it was saved. */
bool tocha_saved_changed(const tocha_saved *saved);
/* Fails if t, which was unsaved before hooks ran, no longer has the saved sizes, dtype and
 * device. */
bool tocha_check_unsaved(tocha_context *cx, const tocha_saved *saved, const tocha_tensor *t);
void tocha_saved_release(tocha_context *cx, tocha_saved *saved);
/* Fails with "Trying to backward through the graph a second time ...". Returns false. */
bool tocha_fail_freed(tocha_context *cx);

/* --- record.c ------------------------------------------------------------------------------------- */

tocha_node *tocha_frame_node(const tocha_backward_frame *frame);

/* --- view.c --------------------------------------------------------------------------------------- */

/* Marks the results of a view operator that share the first argument's memory as views of it, or of
 * its base, and records their origin. */
void tocha_set_bases(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                     const tocha_results *results);
/* Sets the origin of a view, one of TOCHA_FLAG_VIEW_*. Has no effect on other tensors. */
void tocha_set_view_origin(tocha_tensor *view, int flag);
/* Remakes the grad_fn of t, a view whose base was changed in place, and returns it in *node. Returns false on failure. */
bool tocha_remake_node(tocha_context *cx, tocha_tensor *t, tocha_node **node);
/* Returns the grad_fn of t in *node, which is remade if t is such a view. Returns false on failure. */
static inline bool tocha_current_node(tocha_context *cx, tocha_tensor *t, tocha_node **node) {
  *node = t->autograd ? t->autograd->node : NULL;
  return !tocha_is_outdated_view(t) || !tocha_is_floating(t->dtype) ||
         tocha_remake_node(cx, t, node);
}
/* Makes the next tocha_current_node of t, a view whose base has a new history, remake its
 * grad_fn. */
void tocha_view_expire(tocha_tensor *t);
/* Makes an AsStridedBackward0 node: view, which shares base's memory, as a function of base. The
 * new node takes over the edge's node. */
tocha_node *tocha_as_strided_node(tocha_context *cx, const tocha_tensor *base,
                                  const tocha_tensor *view, tocha_edge edge);
/* Fails if a view of a special origin must not be changed in place. indirect: its base, or another
 * view of it, was changed. */
bool tocha_check_view(tocha_context *cx, tocha_tensor *view, bool indirect);

/* --- inplace.c ------------------------------------------------------------------------------------ */

/* Makes node the history of self, which node's operator changed in place; for a view, through
 * CopySlices. The caller still owns node. self_edge: edge 0 of node is self's, which for a view
 * leads to the base. */
bool tocha_rebase_history(tocha_context *cx, tocha_tensor *self, tocha_node *node, bool self_edge);
/* Makes the history of a view that an operator changed: AsStridedBackward0 after `slices`. The
 * caller owns the node. Returns NULL if memory is short. */
tocha_node *tocha_slices_view_node(tocha_context *cx, tocha_node *slices);

/* --- leaf.c --------------------------------------------------------------------------------------- */

/* Adds *grad to the leaf's grad. Takes the tensor itself if it has no other owner, and sets *grad
 * to NULL. */
bool tocha_accumulate_grad(tocha_context *cx, tocha_tensor *leaf, tocha_tensor **grad);
/* Returns true if only the holder of t's single reference can see its memory. */
bool tocha_is_sole_owner(const tocha_tensor *t);

/* --- pass_end.c ----------------------------------------------------------------------------------- */

/* Makes the calls that wait for the end of the outermost pass. Returns false if the pass or a call failed. */
bool tocha_run_pass_ends(tocha_context *cx, bool ok);
/* Frees the list of such calls, which is empty outside of a pass. */
void tocha_pass_ends_close(tocha_context *cx);

/* --- hooks.c -------------------------------------------------------------------------------------- */

/* Runs the hooks of node's input `index` on *grad, an owned reference, which hooks may replace. */
bool tocha_run_hooks(tocha_context *cx, tocha_hook_list *list, int index, tocha_tensor **grad);
bool tocha_run_post_hooks(tocha_context *cx, tocha_hook_list *list, tocha_tensor *leaf);
/* Runs the hooks before a node on its gradients, or those after it on its results (`count` grads,
 * borrowed or of the innermost scope; `others` are the gradients). Replaces grads that a hook
 * changes. */
bool tocha_run_node_hooks(tocha_context *cx, tocha_hook_list *list, bool before, int count,
                          tocha_tensor **grads, int other_count, tocha_tensor *const *others);
/* Returns the user pointer that was kept with the node under this `free` function, or NULL. */
void *tocha_kept_with_node(const tocha_node *node, void (*free)(void *user));
bool tocha_has_hooks_after(const tocha_hook_list *list);
/* Makes the node fill t->grad with the gradient of its input (retain_grad). The hook follows t to a
 * new node. */
bool tocha_hooks_retain(tocha_node *node, int index, tocha_tensor *t);
void tocha_hooks_forget(tocha_node *node, const tocha_tensor *t);
/* Report a new owner of a watched tensor or node to its hooks. */
void tocha_hooks_shared(tocha_tensor *t);
void tocha_node_shared(tocha_node *node);
void tocha_hooks_free(tocha_context *cx, tocha_hook_list *list);

/* --- engine.c, backward.c ---------------------------------------------------------------------------- */

/* A gradient to start from, or to capture. */
typedef struct tocha_endpoint {
  tocha_edge edge;
  tocha_tensor *gradient; /* owned: the given gradient, or the captured one or NULL */
} tocha_endpoint;

/* Runs the graph from the starts. captures: edges whose gradients are requested. If there are any,
 * only nodes that lead to them run. accumulate: the nodes of captured leaves run too. */
bool tocha_engine_run(tocha_context *cx, int start_count, tocha_endpoint *starts, int capture_count,
                      tocha_endpoint *captures, bool accumulate, bool keep_graph,
                      bool create_graph);
/* Returns true if the running pass needs the gradient of edge. */
bool tocha_edge_wanted(const tocha_edge *edge);
/* Fails if one of a node's gradients was changed in place to other sizes, dtype or device than the
 * node expects. Rules trust the sizes of their gradients, and hooks may have access to these
 * tensors. */
bool tocha_check_gradients(tocha_context *cx, const tocha_node *node, tocha_tensor *const *grads);
/* Returns grad with the sizes and dtype that input `index` of the edge's node expects: summed if it
 * was broadcast, and cast. Fails with PyTorch's message if that is impossible. from: the node that
 * computed grad, or NULL for a start. */
tocha_tensor *tocha_fit_gradient(tocha_context *cx, const tocha_edge *edge, tocha_tensor *grad,
                                 const tocha_node *from, int output);

/* --- anomaly.c ------------------------------------------------------------------------------------ */

/* Records the place of a new node's forward call. */
void tocha_note_forward(tocha_node *node);
/* Fails if a gradient is NaN. */
bool tocha_check_nan(tocha_context *cx, const tocha_node *node, tocha_tensor *const *out);
/* Warns that the node's backward failed, with the place of its forward call. */
void tocha_report_anomaly(tocha_context *cx, const tocha_node *node);

/* --- streams.c ------------------------------------------------------------------------------------ */

/* The streams of one backward pass. All members are zero at its start. */
typedef struct tocha_pass_streams {
  struct tocha_stream *callers[16]; /* by device: the current stream when the pass first left it */
  struct tocha_stream *used[64];    /* the other streams */
  int count;
} tocha_pass_streams;

/* Sets the node's stream to the current one of the result's device. */
void tocha_node_set_stream(tocha_node *node, const tocha_tensor *result);
/* Makes the node's stream the current one of its device. */
bool tocha_pass_enter(tocha_context *cx, tocha_pass_streams *streams, const tocha_node *node);
/* Notes that the caller's stream uses a gradient that outlives the pass. */
void tocha_pass_keeps(const tocha_pass_streams *streams, const tocha_tensor *grad);
/* Makes the caller's streams current again, and makes them wait for the pass. */
bool tocha_pass_leave(tocha_context *cx, tocha_pass_streams *streams);

/* record.c and inplace.c: the functions before and after a call (tocha_call_hooks,
 * dispatch/call.h). */
bool tocha_begin_record(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                        tocha_recording *recording);
bool tocha_end_record(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                      tocha_results *results, const tocha_recording *recording);
void tocha_fail_record(tocha_context *cx, const tocha_op *op, const tocha_arg *args);
bool tocha_check_inplace(tocha_context *cx, tocha_tensor *self, bool records);

/* --- tied.c --------------------------------------------------------------------------------------- */

/* Connects those gradients of `out`, one per edge of the node, that have no graph to the inputs of
 * the node's operator. */
bool tocha_tie_gradients(tocha_context *cx, const tocha_node *node, tocha_tensor **out);

#endif
