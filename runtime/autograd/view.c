/* view.c: views and their bases, and the grad_fn of a view after its base was changed in place. */
#include <stdio.h>
#include <string.h>

#include "autograd/node.h"
#include "tocha/ops/private/as_strided_scatter.h"

enum {
  CREATION = TOCHA_FLAG_VIEW_NO_GRAD | TOCHA_FLAG_VIEW_INFERENCE | TOCHA_FLAG_VIEW_MULTIPLE |
             TOCHA_FLAG_VIEW_CUSTOM
};

void tocha_set_bases(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                     const tocha_results *results) {
  tocha_tensor *self = args[0].tensor;
  if (!self || (self->flags & TOCHA_FLAG_INFERENCE)) return;
  if (!tocha_operator_of(op)->backward) return; /* a view without a gradient, like detach */
  uint16_t creation = 0;
  if (cx->inference)
    creation = TOCHA_FLAG_VIEW_INFERENCE;
  else if (!cx->grad_enabled)
    creation = TOCHA_FLAG_VIEW_NO_GRAD;
  else if (op->flags & TOCHA_OP_LIST)
    creation = TOCHA_FLAG_VIEW_MULTIPLE;
  else
    creation = self->flags & CREATION;
  for (int i = 0; i < results->count; i++) {
    tocha_tensor *r = results->tensors[i];
    if (!r || r == self || r->storage != self->storage || r->base) continue;
    r->base = tocha_retain(self->base ? self->base : self);
    r->view_version = tocha_write_count(self);
    r->flags |= creation;
  }
}

void tocha_set_view_origin(tocha_tensor *view, int flag) {
  if (view->base) view->flags = (uint16_t)((view->flags & ~CREATION) | flag);
}

void tocha_view_expire(tocha_tensor *t) { t->view_version = tocha_write_count(t) - 1; }

/* Returns the end of the message about a view of a special origin. */
static const char *view_advice(uint16_t creation) {
  if (creation & TOCHA_FLAG_VIEW_MULTIPLE)
    return " This view is the output of a function that returns multiple views. Such functions do "
           "not allow the output views to be modified inplace. You should replace the inplace "
           "operation by an out-of-place one.%.0s";
  if (creation & TOCHA_FLAG_VIEW_CUSTOM)
    return " This view was created inside a custom Function (or because an input was returned "
           "as-is) and the autograd logic to handle view+inplace would override the custom "
           "backward associated with the custom Function, leading to incorrect gradients. This "
           "behavior is forbidden. You can fix this by cloning the output of the custom "
           "Function.%.0s";
  return " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify "
         "your code by moving both the view and the inplace either both inside the %s block (if "
         "you don't want the inplace to be tracked) or both outside (if you want the inplace to be "
         "tracked).";
}

bool tocha_check_view(tocha_context *cx, tocha_tensor *view, bool indirect) {
  const char *what = indirect ? "its base or another view of its base has been" : "is being";
  uint16_t creation = view->flags & CREATION;
  bool direct = creation & (TOCHA_FLAG_VIEW_MULTIPLE | TOCHA_FLAG_VIEW_CUSTOM);
  const tocha_node *node = view->autograd ? view->autograd->node : NULL;
  char text[512], name[128], prefix[192] = "A view was created in";
  if (!creation) return true;
  snprintf(text, sizeof text, view_advice(creation),
           creation & TOCHA_FLAG_VIEW_INFERENCE ? "inference_mode" : "no_grad");
  if (node)
    snprintf(prefix, sizeof prefix, "Output %u of %s is a view%s", view->autograd->result,
             tocha_node_short_name(node, name, sizeof name),
             direct ? "" : " of a view which was created in");
  if (node && direct)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s and %s modified inplace.%s", prefix, what, text);
  else if (creation & TOCHA_FLAG_VIEW_INFERENCE)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "%s inference mode and %s modified inplace in normal mode.%s", prefix, what, text);
  else
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "%s no_grad mode and %s modified inplace with grad mode enabled.%s", prefix, what,
               text);
  return false;
}

/* --- AsStridedBackward0 ------------------------------------------------------------------------------- */

typedef struct geometry {
  int ndim;
  int64_t offset;
  int64_t *sizes, *strides;
} geometry;

typedef struct as_strided_node {
  tocha_node node;
  geometry input, output;
} as_strided_node;

static bool as_strided_apply(tocha_context *cx, tocha_node *node, tocha_tensor *const *grads,
                             tocha_tensor **out) {
  const as_strided_node *n = (const as_strided_node *)node;
  if (!grads[0] || !tocha_edge_wanted(&node->edges[0])) return true;
  out[0] = tocha_private_as_strided_scatter(
      cx, grads[0], n->input.ndim, n->input.sizes, n->input.ndim, n->input.strides, n->input.offset,
      n->output.ndim, n->output.sizes, n->output.ndim, n->output.strides, n->output.offset);
  return out[0] != NULL;
}

static const tocha_node_class as_strided_class = {.name = "AsStridedBackward0",
                                                  .apply = as_strided_apply};

static int64_t *place(geometry *g, const tocha_tensor *t, int64_t *memory) {
  g->ndim = t->ndim;
  g->offset = t->offset;
  g->sizes = memory;
  g->strides = memory + t->ndim;
  memcpy(g->sizes, t->sizes, t->ndim * sizeof *memory);
  memcpy(g->strides, t->strides, t->ndim * sizeof *memory);
  return memory + 2 * t->ndim;
}

tocha_node *tocha_as_strided_node(tocha_context *cx, const tocha_tensor *base,
                                  const tocha_tensor *view, tocha_edge edge) {
  size_t bytes = 2 * (size_t)(base->ndim + view->ndim) * sizeof(int64_t);
  as_strided_node *n = (as_strided_node *)tocha_node_new(cx, &as_strided_class,
                                                         sizeof(as_strided_node) + bytes, 1, 1);
  if (!n) {
    if (edge.node) tocha_node_release(edge.node);
    return NULL;
  }
  place(&n->output, view, place(&n->input, base, (int64_t *)(void *)(n + 1)));
  n->node.edges[0] = edge;
  return &n->node;
}

/* --- the grad_fn of any tensor -------------------------------------------------------------------------- */

bool tocha_remake_node(tocha_context *cx, tocha_tensor *t, tocha_node **node) {
  *node = NULL;
  tocha_edge edge;
  if (!tocha_check_view(cx, t, true) || !tocha_gradient_edge(cx, t->base, &edge)) return false;
  tocha_node *made = tocha_as_strided_node(cx, t->base, t, edge);
  if (!made) return false;
  bool ok = tocha_set_history(t, made, 0);
  tocha_node_release(made);
  if (!ok) return false;
  t->view_version = tocha_write_count(t);
  *node = t->autograd->node;
  return true;
}

tocha_node *tocha_grad_fn(tocha_context *cx, tocha_tensor *tensor) {
  if (!tensor) return tocha_refuse_none(cx, "grad_fn", "tensor", "Tensor");
  tocha_node *node;
  return tocha_current_node(cx, tensor, &node) ? node : NULL;
}
