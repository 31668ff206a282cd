/* node.h: the graph that the forward pass leaves behind, one node per recorded operator.
 *
 * Who owns whom:
 *   tensor       -> its node (grad_fn), through its autograd meta
 *   node         -> the nodes behind its edges, and the tensors its rule will read
 *   AccumulateGrad -> its leaf; the leaf knows its AccumulateGrad without owning it
 *   view         -> its base (tensor->base), never the other way
 * There is no cycle: what a rule reads is saved as an alias without a graph (the alias of a result
 * would own the node that owns it, and so would that of an input that is changed in place later),
 * and gets its node back when it is read. Only a leaf that requires a gradient is saved itself.
 * One exception, PyTorch's: backward with create_graph makes leaf -> grad -> graph -> leaf.
 *
 * Nothing here recurses: releasing, searching and running a graph use queues and links inside the
 * nodes, so a chain of a million operators is no deeper than one. */
#ifndef TOCHA_NODE_H
#define TOCHA_NODE_H

#include "core/autograd_meta.h"
#include "dispatch/call.h"
#include "tocha/autograd.h"

/* Where a gradient goes: input number `index` of `node` (that is, the forward result number
 * `index` of the operator the node stands for). node NULL: the gradient is not wanted. */
typedef struct tocha_edge {
  tocha_node *node;
  uint32_t index;
} tocha_edge;

/* The sizes, dtype and device of a forward result, which its gradient must have, too. */
typedef struct tocha_gradient_shape {
  tocha_dtype dtype; /* TOCHA_NO_DTYPE: the result takes no gradient, anything may come */
  tocha_device device;
  int ndim;
  int64_t sizes_inline[TOCHA_INLINE_DIMS];
  int64_t *sizes; /* sizes_inline, or a block for more dimensions */
} tocha_gradient_shape;

/* A tensor a gradient rule will read, and the version it had. */
typedef struct tocha_saved {
  union {
    tocha_tensor *tensor;               /* is_leaf: the leaf itself; else an alias without graph */
    struct tocha_packed_tensor *packed; /* is_packed: the result of the pack hook */
  };
  tocha_autograd_meta *origin; /* meta of the tensor that is aliased, for messages; or NULL */
  /* The input's grad_fn, or the AccumulateGrad of a leaf, which knows what the leaf looked like;
   * owned. NULL for results and what needs no gradient. */
  tocha_node *node;
  uint32_t index; /* which result of `node`, or of the saving node */
  uint32_t version;
  int32_t element;   /* its place in a list of tensors */
  int16_t parameter; /* -1: a result of the operator */
  bool is_result, is_packed, is_leaf;
  bool is_view; /* the input was one: what is written to its base makes its grad_fn anew */
} tocha_saved;

typedef struct tocha_node_class {
  const char *name; /* NULL: found by name_of */
  const char *(*name_of)(const tocha_node *node);
  /* Gradients in (one per forward result, NULL: none) to gradients out (one per edge, all NULL at
   * the start; tensors of the innermost scope, or of grads). */
  bool (*apply)(tocha_context *cx, tocha_node *node, tocha_tensor *const *grads,
                tocha_tensor **out);
  void (*release_saved)(tocha_node *node); /* frees what the rule needed; may be called twice */
  void (*destroy)(tocha_node *node);       /* the rest that the class owns; or NULL */
} tocha_node_class;

struct tocha_task; /* engine.c: a node's part in a running pass */

struct tocha_node {
  tocha_refcount references;
  int edge_count, input_count;
  bool freed;      /* its saved tensors are gone */
  bool watched;    /* its next owner is told of (hooks.c) */
  bool frees;      /* its saved tensors are freed when the last reader ends */
  int32_t readers; /* calls that read its saved tensors: tocha_node_begin_reading */
  const tocha_node_class *class;
  tocha_context *context;
  uint64_t sequence; /* later nodes go backward first */
  tocha_node *next;  /* link in the queue of dying nodes */
  tocha_edge *edges;
  tocha_gradient_shape *inputs; /* one per forward result */
  struct tocha_task *task;      /* NULL while no backward pass knows the node */
  tocha_node *within;           /* the CopySlices that runs this node; not owned */
  tocha_hook_list *hooks;       /* on the gradients of its forward results */
  struct tocha_stream *stream;  /* of a device, on which the operator ran; NULL: the CPU, a leaf */
  size_t bytes;                 /* of the block that holds this node and all its arrays */
};

/* Puts the meta of a tensor that has a gradient into that list. */
void tocha_note_cycle(tocha_autograd_meta *meta);
/* Every gradient of the list becomes one without a graph. */
void tocha_break_cycles(tocha_context *cx);

/* --- node.c --------------------------------------------------------------------------------------- */

/* A node with room for its edges and inputs (all empty), `extra` zeroed bytes of its class between
 * the header's end and them: size counts the whole structure that begins with tocha_node. One
 * reference, the caller's. NULL where memory lacks. */
tocha_node *tocha_node_new(tocha_context *cx, const tocha_node_class *class, size_t size,
                           int edge_count, int input_count);
void tocha_node_pool_clear(tocha_context *cx);
/* The hooks on the gradients that come to the node: a leaf's are kept with the leaf. */
tocha_hook_list *tocha_node_hooks(const tocha_node *node);
tocha_hook_list **tocha_node_hooks_place(tocha_node *node); /* NULL where memory lacks */
/* "Add" for AddBackward0: how messages about in-place changes name a node. */
const char *tocha_node_short_name(const tocha_node *node, char *text, size_t room);
/* Notes what gradients of forward result `index` look like. */
bool tocha_node_set_input(tocha_node *node, int index, const tocha_tensor *result);
/* Notes the sizes, the dtype and the device of t. Returns false if memory lacks. */
bool tocha_note_look(tocha_context *cx, tocha_gradient_shape *look, const tocha_tensor *t);
void tocha_drop_look(tocha_context *cx, tocha_gradient_shape *look);
/* Returns true if t has the noted sizes, dtype and device, and was not freed. */
bool tocha_looks_like(const tocha_tensor *t, const tocha_gradient_shape *look);
/* The same for a look that t has had; nothing is compared unless its header was changed since it was made. */
static inline bool tocha_keeps_look(const tocha_tensor *t, const tocha_gradient_shape *look) {
  return !(t->flags & TOCHA_FLAG_CHANGED_LOOK) || tocha_looks_like(t, look);
}
/* Frees the node's saved tensors. If a call still reads them (a backward inside a hook of the node), they are freed when that
 * call ends. */
void tocha_node_free_saved(tocha_node *node);
/* Keeps the node's saved tensors until the end of reading, whatever hooks do meanwhile. The caller owns the node. */
static inline void tocha_node_begin_reading(tocha_node *node) { node->readers++; }
static inline void tocha_node_end_reading(tocha_node *node) {
  if (--node->readers == 0 && node->frees) tocha_node_free_saved(node);
}

/* The tensor is going: drops its part, keeps the shell while others name it. */
void tocha_autograd_meta_free(tocha_tensor *t);
/* Makes t result `index` of node (one more owner of node). */
bool tocha_set_history(tocha_tensor *t, tocha_node *node, int index);
/* The edge gradients of t go along: its grad_fn, or its accumulator (made on demand); an empty edge
 * where t needs none. The edge's node is owned by the caller. false: an error. */
bool tocha_gradient_edge(tocha_context *cx, tocha_tensor *t, tocha_edge *edge);
/* Does the same, even if the sizes, dtype or device of t no longer are those that the edge's node knows. */
bool tocha_history_edge(tocha_context *cx, tocha_tensor *t, tocha_edge *edge);

/* --- saved.c -------------------------------------------------------------------------------------- */

/* Whether t may be saved outside inference mode; false, with an error. */
bool tocha_check_saving(tocha_context *cx, const tocha_tensor *t);
/* Saves t for a rule of `node`. `result` is its number among the node's results, or -1 for an input. If hooks pack, the caller
 * calls tocha_pack_saved when all tensors of the call are saved, because a hook may change any of them. */
bool tocha_save_tensor(tocha_node *node, tocha_saved *saved, tocha_tensor *t, int result);
bool tocha_pack_saved(tocha_context *cx, tocha_saved *saved);
/* Returns true if hooks pack what is saved. */
static inline bool tocha_hooks_pack(const tocha_context *cx) {
  return cx->saving_hooks != cx->paused_hooks;
}
/* The tensor as the rule should see it (borrowed, or of the innermost scope), or NULL with the
 * error of a graph that was freed or a value that was changed since. */
tocha_tensor *tocha_unsave_tensor(tocha_context *cx, tocha_node *node, const tocha_saved *saved);
/* Returns true if the tensor was written after it had been saved. */
bool tocha_saved_changed(const tocha_saved *saved);
/* Fails if t, which was unsaved before hooks ran, no longer looks like what was saved. */
bool tocha_check_unsaved(tocha_context *cx, const tocha_saved *saved, const tocha_tensor *t);
void tocha_saved_release(tocha_context *cx, tocha_saved *saved);
/* "Trying to backward through the graph a second time ..."; returns false. */
bool tocha_fail_freed(tocha_context *cx);

/* --- record.c ------------------------------------------------------------------------------------- */

tocha_node *tocha_frame_node(const tocha_backward_frame *frame);

/* --- view.c --------------------------------------------------------------------------------------- */

/* Marks the results of a view operator that share the first argument's memory as views of it (or
 * of what that is a view of), and how they came to be. */
void tocha_set_bases(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                     const tocha_results *results);
/* How a view came to be: one of TOCHA_FLAG_VIEW_*, in the place of what it was. Nothing for another tensor. */
void tocha_set_view_origin(tocha_tensor *view, int flag);
/* The grad_fn of t, remade for a view whose base was changed in place. false: an error. */
bool tocha_current_node(tocha_context *cx, tocha_tensor *t, tocha_node **node);
/* The next question for t's grad_fn makes it anew (t is a view whose base has a new history). */
void tocha_view_expire(tocha_tensor *t);
/* AsStridedBackward0: view, whose memory is base's, as a function of base. The edge's node passes
 * to the node. */
tocha_node *tocha_as_strided_node(tocha_context *cx, const tocha_tensor *base,
                                  const tocha_tensor *view, tocha_edge edge);
/* An error (and false) where a view that came to be in a special way must not be changed in
 * place. indirect: its base, or another view of it, was changed. */
bool tocha_check_view(tocha_context *cx, tocha_tensor *view, bool indirect);

/* --- inplace.c ------------------------------------------------------------------------------------ */

/* self was changed in place by what node (owned by the caller still) stands for: makes it the
 * history of self, through CopySlices where self is a view. self_edge: edge 0 of node is self's;
 * where self is a view it leads to the base. */
bool tocha_rebase_history(tocha_context *cx, tocha_tensor *self, tocha_node *node, bool self_edge);
/* The history of what an operator made of a view: AsStridedBackward0 behind `slices`. Owned by the
 * caller; NULL where memory lacks. */
tocha_node *tocha_slices_view_node(tocha_context *cx, tocha_node *slices);

/* --- leaf.c --------------------------------------------------------------------------------------- */

/* AccumulateGrad: adds *grad to the leaf's grad, taking the tensor itself where nobody else has it
 * (then *grad becomes NULL). */
bool tocha_accumulate_grad(tocha_context *cx, tocha_tensor *leaf, tocha_tensor **grad);
/* Whether nobody but the holder of t's one reference can see its memory. */
bool tocha_is_sole_owner(const tocha_tensor *t);

/* --- hooks.c -------------------------------------------------------------------------------------- */

/* Runs the hooks of node's input `index` on *grad (one owned reference, exchanged). */
bool tocha_run_hooks(tocha_context *cx, tocha_hook_list *list, int index, tocha_tensor **grad);
bool tocha_run_post_hooks(tocha_context *cx, tocha_hook_list *list, tocha_tensor *leaf);
/* Runs the hooks before a node, on the gradients that came to it; or after it, on what it gave (count, borrowed or of the innermost scope) for
 * those (others). What they change takes the places. */
bool tocha_run_node_hooks(tocha_context *cx, tocha_hook_list *list, bool before, int count,
                          tocha_tensor **grads, int other_count, tocha_tensor *const *others);
/* The user's part of what is kept with the node and let go by a function; NULL: nothing is. */
void *tocha_kept_with_node(const tocha_node *node, void (*free)(void *user));
bool tocha_has_hooks_after(const tocha_hook_list *list);
/* retain_grad: the node fills t->grad with the gradient of its input; follows t to a new node. */
bool tocha_hooks_retain(tocha_node *node, int index, tocha_tensor *t);
void tocha_hooks_forget(tocha_node *node, const tocha_tensor *t);
/* Another owner of a tensor, or of a node, that was watched: its hooks are told. */
void tocha_hooks_shared(tocha_tensor *t);
void tocha_node_shared(tocha_node *node);
void tocha_hooks_free(tocha_context *cx, tocha_hook_list *list);

/* --- engine.c, backward.c ---------------------------------------------------------------------------- */

/* One gradient to start from, or to capture. */
typedef struct tocha_endpoint {
  tocha_edge edge;
  tocha_tensor *gradient; /* owned; where to start: given; where to capture: the result, or NULL */
} tocha_endpoint;

/* Runs the graph from the starts. captures: edges whose gradients are wanted; with any, only what
 * leads to them runs. accumulate: their nodes run as well. */
bool tocha_engine_run(tocha_context *cx, int start_count, tocha_endpoint *starts, int capture_count,
                      tocha_endpoint *captures, bool accumulate, bool keep_graph,
                      bool create_graph);
/* Whether the running pass wants what goes along edge. */
bool tocha_edge_wanted(const tocha_edge *edge);
/* Fails if one of a node's gradients was changed in place to other sizes, dtype or device than the node expects. Rules trust
 * the sizes of their gradients, and hooks may have access to these tensors. */
bool tocha_check_gradients(tocha_context *cx, const tocha_node *node, tocha_tensor *const *grads);
/* grad made to look as input `index` of node expects: summed where it was broadcast, cast. NULL
 * with PyTorch's message where it cannot. from: the node it comes from, NULL for a start. */
tocha_tensor *tocha_fit_gradient(tocha_context *cx, const tocha_edge *edge, tocha_tensor *grad,
                                 const tocha_node *from, int output);

/* --- anomaly.c ------------------------------------------------------------------------------------ */

/* Notes where the forward call of a new node is. */
void tocha_note_forward(tocha_node *node);
/* An error where a gradient is NaN. */
bool tocha_check_nan(tocha_context *cx, const tocha_node *node, tocha_tensor *const *out);
/* The warning that the node's backward failed, with that place. */
void tocha_report_anomaly(tocha_context *cx, const tocha_node *node);

/* --- streams.c ------------------------------------------------------------------------------------ */

/* The streams of one backward pass; all zero at its start. */
typedef struct tocha_pass_streams {
  struct tocha_stream *callers[16]; /* by device: current when the pass first left it */
  struct tocha_stream *used[64];    /* the others */
  int count;
} tocha_pass_streams;

/* The node's stream is the one that is current on the device of its operator's result. */
void tocha_node_set_stream(tocha_node *node, const tocha_tensor *result);
/* Makes the node's stream the current one of its device. */
bool tocha_pass_enter(tocha_context *cx, tocha_pass_streams *streams, const tocha_node *node);
/* A gradient that outlives the pass is used on the caller's stream, too. */
void tocha_pass_keeps(const tocha_pass_streams *streams, const tocha_tensor *grad);
/* The caller's streams are current again, and wait for the pass. */
bool tocha_pass_leave(tocha_context *cx, tocha_pass_streams *streams);

/* record.c and inplace.c: tocha_call_hooks, before and after a call (dispatch/call.h). */
bool tocha_begin_record(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                        tocha_recording *recording);
bool tocha_end_record(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                      tocha_results *results, const tocha_recording *recording);
void tocha_fail_record(tocha_context *cx, const tocha_op *op, const tocha_arg *args);
bool tocha_check_inplace(tocha_context *cx, tocha_tensor *self, bool records);

/* --- tied.c --------------------------------------------------------------------------------------- */

/* Ties those gradients of `out`, one per edge of the node, that have no graph to the inputs of the node's operator. */
bool tocha_tie_gradients(tocha_context *cx, const tocha_node *node, tocha_tensor **out);

#endif
