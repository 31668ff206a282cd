/* autograd_meta.c: the autograd part of a tensor: creation, requires_grad. */
#include "core/autograd_meta.h"

tocha_autograd_meta *tocha_autograd_meta_new(tocha_tensor *t) {
  tocha_autograd_meta *meta = tocha_allocate(t->context, sizeof *meta);
  if (!meta) return NULL;
  *meta = (tocha_autograd_meta){.context = t->context, .tensor = t};
  tocha_refcount_init(&meta->references);
  t->autograd = meta;
  return meta;
}

void tocha_autograd_meta_release(tocha_autograd_meta *meta) {
  if (!tocha_refcount_release(&meta->references)) return;
  tocha_deallocate(meta->context, meta, sizeof *meta);
}

bool tocha_requires_grad(const tocha_tensor *t) {
  if (!t) return false;
  const tocha_autograd_meta *m = t->autograd;
  if (m && (m->requires_grad || m->node)) return true;
  if (!t->base || !(m = t->base->autograd)) return false;
  return (m->requires_grad || m->node) && tocha_is_floating(t->dtype);
}

bool tocha_is_leaf(const tocha_tensor *tensor) {
  if (!tensor) return false;
  return !(tensor->autograd && tensor->autograd->node) && !tocha_is_outdated_view(tensor);
}

tocha_tensor *tocha_set_requires_grad(tocha_context *cx, tocha_tensor *tensor, bool requires_grad) {
  if (!tensor || tocha_failed(cx)) return NULL;
  if ((tensor->flags & TOCHA_FLAG_INFERENCE) && !cx->inference && requires_grad)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Setting requires_grad=True on inference tensor outside InferenceMode is not "
                      "allowed.");
  if (!tocha_is_leaf(tensor)) {
    if (requires_grad) return tensor;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "you can only change requires_grad flags of leaf variables. If you want to use a "
               "computed variable in a subgraph that doesn't require differentiation use "
               "var_no_grad = var.detach().");
    return NULL;
  }
  if (requires_grad && !tocha_dtype_is_floating((tocha_dtype)tensor->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "only Tensors of floating point dtype can require gradients");
  if (!requires_grad && !tensor->autograd) return tensor;
  tocha_autograd_meta *meta = tocha_autograd_meta_of(tensor);
  if (!meta) return NULL;
  meta->requires_grad = requires_grad;
  return tensor;
}
