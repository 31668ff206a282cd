/* node.c: nodes and the autograd part of tensors: creation, sharing, and release without
 * recursion. */
#include "autograd/node.h"

#include <stdio.h>
#include <string.h>

/* --- AccumulateGrad ------------------------------------------------------------------------------- */

typedef struct accumulator {
  tocha_node node;
  tocha_tensor *leaf;
} accumulator;

static bool accumulator_apply(tocha_context *cx, tocha_node *node, tocha_tensor *const *grads,
                              tocha_tensor **out) {
  (void)out;
  accumulator *a = (accumulator *)node;
  tocha_tensor **grad = (tocha_tensor **)grads; /* the engine passes its own array */
  if (!*grad) return true;
  if (!tocha_accumulate_grad(cx, a->leaf, grad)) return false;
  tocha_autograd_meta *meta = a->leaf->autograd;
  return !meta || tocha_run_post_hooks(cx, meta->hooks, a->leaf);
}

static void accumulator_destroy(tocha_node *node) { tocha_release(((accumulator *)node)->leaf); }

static const tocha_node_class accumulator_class = {
    .name = "AccumulateGrad", .apply = accumulator_apply, .destroy = accumulator_destroy};

tocha_hook_list *tocha_node_hooks(const tocha_node *node) {
  if (node->class != &accumulator_class) return node->hooks;
  const tocha_autograd_meta *meta = ((const accumulator *)node)->leaf->autograd;
  return meta ? meta->hooks : NULL;
}

tocha_hook_list **tocha_node_hooks_place(tocha_node *node) {
  if (node->class != &accumulator_class) return &node->hooks;
  tocha_autograd_meta *meta = tocha_autograd_meta_of(((accumulator *)node)->leaf);
  return meta ? &meta->hooks : NULL;
}

/* --- creation and release --------------------------------------------------------------------- */

tocha_node *tocha_node_new(tocha_context *cx, const tocha_node_class *class, size_t size,
                           int edge_count, int input_count) {
  size = (size + 15) / 16 * 16;
  size_t edges = (size_t)edge_count * sizeof(tocha_edge);
  size_t inputs = (size_t)input_count * sizeof(tocha_gradient_shape);
  tocha_node *node = tocha_allocate(cx, size + edges + inputs);
  if (!node) return NULL;
  memset(node, 0, size + edges);
  tocha_refcount_init(&node->references);
  node->class = class;
  node->context = cx;
  node->sequence = ++cx->next_sequence;
  node->edge_count = edge_count;
  node->input_count = input_count;
  node->edges = (tocha_edge *)(void *)((char *)node + size);
  node->inputs = (tocha_gradient_shape *)(void *)((char *)node + size + edges);
  for (int i = 0; i < input_count; i++) {
    node->inputs[i].dtype = TOCHA_NO_DTYPE;
    node->inputs[i].ndim = 0;
  }
  node->bytes = size + edges + inputs;
  tocha_context_retain(cx);
  if (cx->anomaly && class != &accumulator_class) tocha_note_forward(node);
  return node;
}

void tocha_node_retain(tocha_node *node) {
  if (!node) return;
  tocha_refcount_retain(&node->references);
  if (node->watched) tocha_node_shared(node);
}

static void destroy(tocha_node *node) {
  tocha_context *cx = node->context;
  if (node->class->release_saved) node->class->release_saved(node);
  if (node->class->destroy) node->class->destroy(node);
  if (node->hooks) tocha_hooks_free(cx, node->hooks);
  for (int i = 0; i < node->edge_count; i++)
    if (node->edges[i].node) tocha_node_release(node->edges[i].node);
  for (int i = 0; i < node->input_count; i++) tocha_drop_look(cx, &node->inputs[i]);
  tocha_deallocate(cx, node, node->bytes);
  tocha_context_release(cx);
}

/* Releases a node. Nodes that its destruction releases join a queue, which the outermost call
 * empties. */
void tocha_node_release(tocha_node *node) {
  if (!node) return;
  if (!tocha_refcount_release(&node->references)) return;
  tocha_context *cx = node->context;
  if (node->class == &accumulator_class) { /* the leaf must not lead to the node any more */
    tocha_autograd_meta *meta = ((accumulator *)node)->leaf->autograd;
    if (meta->accumulator == node) meta->accumulator = NULL;
  }
  node->next = cx->dying_nodes;
  cx->dying_nodes = node;
  if (cx->destroying_nodes) return;
  tocha_context_retain(cx);
  cx->destroying_nodes = true;
  while (cx->dying_nodes) {
    node = cx->dying_nodes;
    cx->dying_nodes = node->next;
    destroy(node);
  }
  cx->destroying_nodes = false;
  tocha_context_release(cx);
}

/* Does nothing. Nodes come from the context's allocator, which keeps freed blocks by size. */
void tocha_node_pool_clear(tocha_context *cx) { (void)cx; }

void tocha_node_free_saved(tocha_node *node) {
  node->frees = node->readers > 0;
  if (!node->frees && node->class->release_saved) node->class->release_saved(node);
}

/* --- looks ---------------------------------------------------------------------------------------- */

void tocha_drop_look(tocha_context *cx, tocha_gradient_shape *look) {
  if (look->ndim > TOCHA_INLINE_DIMS)
    tocha_deallocate(cx, look->sizes, (uint64_t)look->ndim * sizeof *look->sizes);
  look->ndim = 0;
}

bool tocha_note_look(tocha_context *cx, tocha_gradient_shape *look, const tocha_tensor *t) {
  tocha_drop_look(cx, look);
  look->sizes = look->sizes_inline;
  if (t->ndim <= TOCHA_INLINE_DIMS) {
    memcpy(look->sizes_inline, t->dims, sizeof look->sizes_inline); /* as a whole: no loop */
  } else {
    look->sizes = tocha_allocate(cx, (uint64_t)t->ndim * sizeof *look->sizes);
    if (!look->sizes) return false;
    memcpy(look->sizes, t->sizes, (size_t)t->ndim * sizeof *look->sizes);
  }
  look->dtype = (tocha_dtype)t->dtype;
  look->device = t->device;
  look->ndim = t->ndim;
  return true;
}

bool tocha_looks_like(const tocha_tensor *t, const tocha_gradient_shape *look) {
  if (t->dtype != look->dtype || t->ndim != look->ndim || t->flags & TOCHA_FLAG_FREED ||
      !tocha_device_equal(t->device, look->device))
    return false;
  for (int i = 0; i < t->ndim; i++)
    if (t->sizes[i] != look->sizes[i]) return false;
  return true;
}

bool tocha_node_set_input(tocha_node *node, int index, const tocha_tensor *result) {
  return tocha_note_look(node->context, &node->inputs[index], result);
}

/* --- names ---------------------------------------------------------------------------------------- */

const char *tocha_node_name(const tocha_node *node) {
  if (!node) return NULL;
  return node->class->name ? node->class->name : node->class->name_of(node);
}

const char *tocha_node_full_name(const tocha_node *node) {
  if (!node) return NULL;
  static const char *const full[] = {"torch::autograd::AccumulateGrad",
                                     "torch::autograd::CopySlices",
                                     "torch::autograd::NotImplemented",
                                     "torch::autograd::CopyBackwards", "torch::autograd::Error"};
  const char *name = tocha_node_name(node);
  for (int i = 0; i < TOCHA_COUNT(full); i++)
    if (strcmp(full[i] + strlen("torch::autograd::"), name) == 0) return full[i];
  return name;
}

const char *tocha_node_short_name(const tocha_node *node, char *text, size_t capacity) {
  snprintf(text, capacity, "%s", tocha_node_full_name(node));
  size_t end = strlen(text), suffix = strlen("Backward");
  while (end && text[end - 1] >= '0' && text[end - 1] <= '9') end--;
  if (end > suffix && strncmp(text + end - suffix, "Backward", suffix) == 0) { /* "Fmod1", "Add" */
    const char *number = strcmp(text + end, "0") == 0 ? "" : text + end;
    memmove(text + end - suffix, number, strlen(number) + 1);
  }
  return text;
}

/* --- autograd part of tensors ----------------------------------------------------------------- */

void tocha_note_cycle(tocha_autograd_meta *meta) {
  if (meta->link_cyclic || !meta->grad) return;
  tocha_autograd_meta **first = &meta->context->cyclic_leaves;
  meta->next_cyclic = *first;
  if (*first) (*first)->link_cyclic = &meta->next_cyclic;
  meta->link_cyclic = first;
  *first = meta;
}

static void forget_cycle(tocha_autograd_meta *meta) {
  if (!meta->link_cyclic) return;
  *meta->link_cyclic = meta->next_cyclic;
  if (meta->next_cyclic) meta->next_cyclic->link_cyclic = meta->link_cyclic;
  meta->link_cyclic = NULL;
}

void tocha_break_cycles(tocha_context *cx) {
  while (cx->cyclic_leaves) {
    tocha_autograd_meta *meta = cx->cyclic_leaves;
    forget_cycle(meta);
    tocha_tensor *grad = meta->grad;
    tocha_autograd_meta *graph = grad ? grad->autograd : NULL;
    tocha_node *node = graph ? graph->node : NULL;
    if (node) {
      if (graph->retains_grad) tocha_hooks_forget(node, grad);
      graph->retains_grad = false;
      graph->node = NULL;
    }
    if (grad && grad->base) { /* may be a view of the same tensor */
      meta->grad = NULL;
      tocha_release(grad);
    }
    if (node) tocha_node_release(node);
  }
}

void tocha_autograd_meta_free(tocha_tensor *t) {
  tocha_autograd_meta *meta = t->autograd;
  t->autograd = NULL;
  forget_cycle(meta);
  if (meta->node) {
    if (meta->retains_grad) tocha_hooks_forget(meta->node, t);
    tocha_node_release(meta->node);
  }
  tocha_release(meta->grad);
  if (meta->hooks) tocha_hooks_free(t->context, meta->hooks);
  meta->node = NULL;
  meta->grad = NULL;
  meta->hooks = NULL;
  meta->tensor = NULL;
  tocha_autograd_meta_release(meta);
}

bool tocha_set_history(tocha_tensor *t, tocha_node *node, int index) {
  tocha_autograd_meta *meta = tocha_autograd_meta_of(t);
  if (!meta || !tocha_node_set_input(node, index, t)) return false;
  tocha_node *old = meta->node;
  if (meta->retains_grad && old) tocha_hooks_forget(old, t);
  tocha_node_retain(node);
  meta->node = node;
  meta->result = (uint32_t)index;
  meta->requires_grad = false;
  bool ok = !meta->retains_grad || tocha_hooks_retain(node, index, t);
  if (old) tocha_node_release(old);
  return ok;
}

/* Returns a new reference to the leaf's AccumulateGrad. If the leaf has been given other sizes,
 * another dtype or device, it gets a new AccumulateGrad. Older graphs keep the one with the former
 * sizes, dtype and device. */
static tocha_node *accumulator_of(tocha_context *cx, tocha_tensor *t) {
  tocha_autograd_meta *meta = tocha_autograd_meta_of(t);
  if (!meta) return NULL;
  tocha_node *known = meta->accumulator;
  if (known && tocha_keeps_look(t, &known->inputs[0])) {
    tocha_node_retain(known);
    return known;
  }
  tocha_node *node = tocha_node_new(cx, &accumulator_class, sizeof(accumulator), 0, 1);
  if (!node) return NULL;
  if (!tocha_node_set_input(node, 0, t)) {
    tocha_deallocate(cx, node, node->bytes);
    tocha_context_release(cx);
    return NULL;
  }
  node->sequence = UINT64_MAX; /* PyTorch runs these nodes first */
  ((accumulator *)node)->leaf = tocha_retain(t);
  meta->accumulator = node;
  return node;
}

/* Passes the gradient on to the node's only edge. The engine then converts it to the sizes that the
 * edge expects. */
static bool passage_apply(tocha_context *cx, tocha_node *node, tocha_tensor *const *grads,
                          tocha_tensor **out) {
  (void)cx, (void)node;
  out[0] = grads[0];
  return true;
}

static const char *passage_name(const tocha_node *node) {
  return tocha_node_name(node->edges[0].node);
}

static const tocha_node_class passage_class = {.name_of = passage_name, .apply = passage_apply};

/* Inserts a node between t and its history if t has other sizes, dtype or device than when it was
 * computed (x.data = y), because rules take the sizes of t from its edge. */
static bool fit_edge(tocha_context *cx, const tocha_tensor *t, tocha_edge *edge) {
  const tocha_gradient_shape *look = &edge->node->inputs[edge->index];
  if (look->dtype == TOCHA_NO_DTYPE || tocha_looks_like(t, look)) return true;
  tocha_node *passage = tocha_node_new(cx, &passage_class, sizeof(tocha_node), 1, 1);
  if (passage)
    passage->edges[0] = *edge;
  else
    tocha_node_release(edge->node);
  *edge = (tocha_edge){passage, 0};
  return passage && tocha_node_set_input(passage, 0, t);
}

static inline bool find_edge(tocha_context *cx, tocha_tensor *t, tocha_edge *edge) {
  edge->node = NULL;
  edge->index = 0;
  if (!tocha_is_floating(t->dtype) || !tocha_requires_grad(t)) return true;
  tocha_node *node;
  if (!tocha_current_node(cx, t, &node)) return false;
  if (node) {
    tocha_node_retain(node);
    edge->node = node;
    edge->index = t->autograd->result;
    return true;
  }
  if (!t->autograd || !t->autograd->requires_grad) return true; /* only its base requires grad */
  edge->node = accumulator_of(cx, t);
  return edge->node != NULL;
}

bool tocha_gradient_edge(tocha_context *cx, tocha_tensor *t, tocha_edge *edge) {
  if (!find_edge(cx, t, edge)) return false;
  if (!(t->flags & TOCHA_FLAG_CHANGED_LOOK) || !edge->node) return true;
  return t->autograd->accumulator == edge->node || fit_edge(cx, t, edge);
}

bool tocha_history_edge(tocha_context *cx, tocha_tensor *t, tocha_edge *edge) {
  return find_edge(cx, t, edge);
}

int tocha_node_result_count(const tocha_node *node) { return node ? node->input_count : 0; }

int tocha_node_edge_count(const tocha_node *node) { return node ? node->edge_count : 0; }

tocha_node *tocha_node_edge(const tocha_node *node, int edge, uint32_t *index) {
  if (!node) return NULL;
  *index = node->edges[edge].index;
  return node->edges[edge].node;
}
