/* inplace.c: in-place operators: the forbidden writes, and the history after a write. */
#include <string.h>

#include "autograd/node.h"
#include "tensor/copy.h"
#include "tocha/ops/as_strided.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/copy_.h"
#include "tocha/ops/zeros_like.h"

bool tocha_check_inplace(tocha_context *cx, tocha_tensor *self, bool records) {
  if (!self) return true;
  if (!tocha_grad_enabled(cx) || !(records || tocha_requires_grad(self))) return true;
  if (self->base && !tocha_check_view(cx, self, false)) return false;
  if (tocha_requires_grad(self) && tocha_is_leaf(self) && !self->base) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "a leaf Variable that requires grad is being used in an in-place operation.");
    tocha_hint(cx, "change its values inside torch.no_grad, or compute a new tensor");
    return false;
  }
  if (self->base && tocha_requires_grad(self) && tocha_is_leaf(self->base)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "a view of a leaf Variable that requires grad is being used in an in-place "
               "operation.");
    tocha_hint(cx, "change its values inside torch.no_grad, or compute a new tensor");
    return false;
  }
  return true;
}

/* --- CopySlices ------------------------------------------------------------------------------------- */

/* The history of base after `inner` changed the part of it that a view shows. Edge 0 leads to the
 * base's former history, the others are copies of inner's edges. */
typedef struct copy_slices {
  tocha_node node;
  tocha_node *inner;
  bool self_edge; /* edge 0 of inner is the view's */
  int base_ndim, view_ndim;
  int64_t extent; /* elements from the base's first to its last */
  int64_t offset; /* of the view from the base */
  int64_t *base_sizes, *base_strides, *view_sizes, *view_strides;
} copy_slices;

/* Finds the view's part in the memory of the base's gradient. */
static bool take_part(tocha_context *cx, const copy_slices *n, tocha_tensor *memory,
                      tocha_tensor **part) {
  *part = tocha_as_strided(cx, memory, n->view_ndim, n->view_sizes, n->view_ndim, n->view_strides,
                           &n->offset);
  if (!*part && cx->error.info.code == TOCHA_RUNTIME_ERROR)
    tocha_hint(cx, "a view that was written in place lies beyond the tensor that it is a view of: "
                   "x.data = y, x:free() or as_strided changed one of them");
  return *part != NULL;
}

/* Makes a copy of grad laid out as the base, and the view's part of it. */
static bool lay_out(tocha_context *cx, const copy_slices *n, tocha_tensor *grad,
                    tocha_tensor **whole, tocha_tensor **part) {
  if (tocha_grad_enabled(cx)) { /* by operators, which are recorded */
    tocha_tensor *flat = tocha_new(cx, 1, &n->extent, (tocha_dtype)grad->dtype, grad->device);
    if (!flat) return false;
    *whole = tocha_as_strided(cx, flat, n->base_ndim, n->base_sizes, n->base_ndim, n->base_strides,
                              &(const int64_t){0});
    if (!*whole || !tocha_copy_(cx, *whole, grad, false)) return false;
    return take_part(cx, n, flat, part);
  }
  int64_t count = 1;
  for (int i = 0; i < n->base_ndim; i++) count *= n->base_sizes[i];
  if (count == n->extent) {
    *whole = tocha_new_strided(cx, n->base_ndim, n->base_sizes, n->base_strides,
                               (tocha_dtype)grad->dtype, grad->device);
  } else {
    tocha_tensor *flat = tocha_new(cx, 1, &n->extent, (tocha_dtype)grad->dtype, grad->device);
    *whole = flat ? tocha_alias(cx, flat, n->base_ndim, n->base_sizes, n->base_strides, 0) : NULL;
  }
  if (!*whole || !tocha_copy_data(cx, *whole, grad)) return false;
  return take_part(cx, n, *whole, part);
}

static bool copy_slices_apply(tocha_context *cx, tocha_node *node, tocha_tensor *const *grads,
                              tocha_tensor **out) {
  copy_slices *n = (copy_slices *)node;
  if (node->freed) return tocha_fail_freed(cx);
  if (!grads[0]) return true;
  tocha_tensor *whole, *part, *copy;
  if (!lay_out(cx, n, grads[0], &whole, &part) || !(copy = tocha_clone(cx, part))) return false;
  int first = n->self_edge ? 0 : 1;
  if (!n->inner->class->apply(cx, n->inner, &copy, out + first)) return false;
  if (!tocha_edge_wanted(&node->edges[0])) return true;
  tocha_tensor *gradient = n->self_edge ? out[0] : NULL;
  if (gradient) {
    tocha_edge self = {n->inner, 0}; /* has the view's shape */
    gradient = tocha_fit_gradient(cx, &self, gradient, n->inner, 0);
  } else {
    gradient = tocha_zeros_like(cx, part);
  }
  if (!gradient || !tocha_copy_(cx, part, gradient, false)) return false;
  out[0] = whole;
  return true;
}

static void copy_slices_release_saved(tocha_node *node) {
  copy_slices *n = (copy_slices *)node;
  if (n->inner->class->release_saved) n->inner->class->release_saved(n->inner);
  node->freed = true;
}

static void copy_slices_destroy(tocha_node *node) {
  copy_slices *n = (copy_slices *)node;
  n->inner->within = NULL;
  tocha_node_release(n->inner);
}

static const tocha_node_class copy_slices_class = {.name = "CopySlices",
                                                   .apply = copy_slices_apply,
                                                   .release_saved = copy_slices_release_saved,
                                                   .destroy = copy_slices_destroy};

static void fill_geometry(copy_slices *n, const tocha_tensor *base, const tocha_tensor *view) {
  n->base_ndim = base->ndim;
  n->view_ndim = view->ndim;
  n->base_sizes = (int64_t *)(void *)(n + 1);
  n->base_strides = n->base_sizes + base->ndim;
  n->view_sizes = n->base_strides + base->ndim;
  n->view_strides = n->view_sizes + view->ndim;
  memcpy(n->base_sizes, base->sizes, base->ndim * sizeof(int64_t));
  memcpy(n->base_strides, base->strides, base->ndim * sizeof(int64_t));
  memcpy(n->view_sizes, view->sizes, view->ndim * sizeof(int64_t));
  memcpy(n->view_strides, view->strides, view->ndim * sizeof(int64_t));
  n->offset = view->offset - base->offset;
  n->extent = base->numel ? 1 : 0;
  for (int i = 0; i < base->ndim && base->numel; i++)
    n->extent += (base->sizes[i] - 1) * base->strides[i];
}

static tocha_node *new_copy_slices(tocha_context *cx, tocha_tensor *base, const tocha_tensor *view,
                                   tocha_node *inner, bool self_edge) {
  size_t bytes = 2 * (size_t)(base->ndim + view->ndim) * sizeof(int64_t);
  int shift = self_edge ? 0 : 1;
  copy_slices *n = (copy_slices *)tocha_node_new(
      cx, &copy_slices_class, sizeof(copy_slices) + bytes, inner->edge_count + shift, 1);
  if (!n) return NULL;
  tocha_node_retain(inner);
  n->inner = inner;
  inner->within = &n->node;
  n->self_edge = self_edge;
  fill_geometry(n, base, view);
  if (!self_edge && !tocha_gradient_edge(cx, base, &n->node.edges[0])) {
    tocha_node_release(&n->node);
    return NULL;
  }
  for (int i = 0; i < inner->edge_count; i++) {
    n->node.edges[i + shift] = inner->edges[i];
    if (inner->edges[i].node) tocha_node_retain(inner->edges[i].node);
  }
  return &n->node;
}

tocha_node *tocha_slices_view_node(tocha_context *cx, tocha_node *slices) {
  const copy_slices *n = (const copy_slices *)slices;
  tocha_tensor base = {.ndim = (uint8_t)n->base_ndim}, view = {.ndim = (uint8_t)n->view_ndim};
  base.sizes = n->base_sizes;
  base.strides = n->base_strides;
  view.sizes = n->view_sizes;
  view.strides = n->view_strides;
  view.offset = n->offset;
  tocha_node_retain(slices);
  return tocha_as_strided_node(cx, &base, &view, (tocha_edge){slices, 0});
}

bool tocha_rebase_history(tocha_context *cx, tocha_tensor *self, tocha_node *node, bool self_edge) {
  tocha_tensor *base = self->base;
  if (!base) return tocha_set_history(self, node, 0);
  if (!tocha_node_set_input(node, 0, self)) return false;
  tocha_node *slices = new_copy_slices(cx, base, self, node, self_edge);
  if (!slices) return false;
  bool ok = tocha_set_history(base, slices, 0);
  tocha_node_release(slices);
  tocha_view_expire(self);
  tocha_node *remade;
  if (ok && tocha_retains_grad(self)) ok = tocha_current_node(cx, self, &remade);
  return ok;
}
