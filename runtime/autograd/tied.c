/* tied.c: gradients that depend on an operator's inputs in PyTorch's graph although their
 * derivatives by these inputs are 0, such as those of average pooling or of a convolution's bias.
 * With create_graph such a gradient gets a node that leads to the inputs, so that a second backward
 * finds them. */
#include <stdio.h>
#include <string.h>

#include "autograd/node.h"
#include "tensor/copy.h"
#include "tocha/ops/zeros.h"

typedef struct tied_node {
  tocha_node node;
  char name[64];
} tied_node;

static const char *tied_name(const tocha_node *node) { return ((const tied_node *)node)->name; }

/* Returns zeros as the gradient of each input. */
static bool tied_apply(tocha_context *cx, tocha_node *node, tocha_tensor *const *grads,
                       tocha_tensor **out) {
  if (!grads[0]) return true;
  for (int i = 0; i < node->edge_count; i++) {
    const tocha_edge *e = &node->edges[i];
    if (!tocha_edge_wanted(e)) continue;
    const tocha_gradient_shape *s = &e->node->inputs[e->index];
    if (s->dtype == TOCHA_NO_DTYPE) continue;
    out[i] = tocha_zeros_full(cx, s->ndim, s->sizes, s->dtype, s->device, false);
    if (!out[i]) return false;
  }
  return true;
}

static void nothing_saved(tocha_node *node) { node->freed = true; }

static const tocha_node_class tied_class = {
    .name_of = tied_name, .apply = tied_apply, .release_saved = nothing_saved};

/* Creates a node with the edges of `node`. Its name is NameBackwardBackward0 for NameBackward0. */
static tocha_node *new_tied_node(tocha_context *cx, const tocha_node *node) {
  tied_node *n = (tied_node *)tocha_node_new(cx, &tied_class, sizeof *n, node->edge_count, 1);
  if (!n) return NULL;
  const char *name = node->class->name ? node->class->name : node->class->name_of(node);
  snprintf(n->name, sizeof n->name, "%.*sBackward0", (int)strcspn(name, "0123456789"), name);
  for (int i = 0; i < node->edge_count; i++) {
    n->node.edges[i] = node->edges[i];
    if (node->edges[i].node) tocha_node_retain(node->edges[i].node);
  }
  n->node.sequence = ++cx->next_sequence;
  return &n->node;
}

bool tocha_tie_gradients(tocha_context *cx, const tocha_node *node, tocha_tensor **out) {
  for (int i = 0; i < node->edge_count; i++) {
    tocha_tensor *t = out[i];
    if (!t || tocha_requires_grad(t) || !tocha_dtype_is_floating((tocha_dtype)t->dtype)) continue;
    t = tocha_alias(cx, t, t->ndim, t->sizes, t->strides, t->offset);
    tocha_node *tied = t ? new_tied_node(cx, node) : NULL;
    if (!tied) return false;
    tocha_node_set_stream(tied, t);
    bool ok = tocha_set_history(t, tied, 0);
    tocha_node_release(tied);
    if (!ok) return false;
    out[i] = t;
  }
  return true;
}
