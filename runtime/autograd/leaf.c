/* leaf.c: the autograd attributes of tensors: requires_grad, grad, detaching, and accumulation of a
 * leaf's gradient. */
#include <string.h>

#include "autograd/node.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tocha/ops/add.h"
#include "tocha/ops/copy_.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/to_copy.h"

/* --- grad ---------------------------------------------------------------------------------------------- */

tocha_tensor *tocha_grad(const tocha_tensor *tensor) {
  if (!tensor) return NULL;
  return tensor->autograd ? tensor->autograd->grad : NULL;
}

static bool check_grad(tocha_context *cx, const tocha_tensor *t, const tocha_tensor *grad) {
  char a[256], b[256];
  if (grad == t) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "can't assign Variable as its own grad");
  } else if (grad->dtype != t->dtype) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "attempting to assign a gradient with dtype '%s' to a tensor with grad_dtype '%s'. "
               "The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). "
               "You can set the tensor's grad_dtype attribute with a specific dtype, or None to "
               "allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and "
               "its gradient may break downstream systems that assume they match.",
               tocha_dtype_cpp_name((tocha_dtype)grad->dtype),
               tocha_dtype_scalar_type((tocha_dtype)t->dtype));
  } else if (grad->device.type != t->device.type) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "attempting to assign a gradient with device type '%.*s' to a tensor with device "
               "type '%.*s'. Please ensure that the gradient and the tensor are on the same device",
               (int)strcspn(tocha_device_text(grad->device, a), ":"), a,
               (int)strcspn(tocha_device_text(t->device, b), ":"), b);
  } else if (!tocha_same_sizes(t, grad)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "attempting to assign a gradient of size '%s' to a tensor of size '%s'. Please "
               "ensure that the gradient and the tensor are the same size",
               tocha_shape_text(grad->ndim, grad->sizes, a, sizeof a),
               tocha_shape_text(t->ndim, t->sizes, b, sizeof b));
  }
  return !tocha_failed(cx);
}

bool tocha_set_grad(tocha_context *cx, tocha_tensor *tensor, tocha_tensor *grad) {
  if (!tensor) return tocha_refuse_none(cx, "set_grad", "tensor", "Tensor");
  if (tocha_failed(cx) || (grad && !check_grad(cx, tensor, grad))) return false;
  if (!grad && !tensor->autograd) return true;
  tocha_autograd_meta *meta = tocha_autograd_meta_of(tensor);
  if (!meta) return false;
  tocha_tensor *old = meta->grad;
  meta->grad = tocha_retain(grad);
  tocha_note_cycle(meta);
  tocha_release(old);
  return true;
}

bool tocha_clear_grad(tocha_context *cx, tocha_tensor *tensor, bool set_to_none) {
  if (!tensor) return tocha_refuse_none(cx, "clear_grad", "tensor", "Tensor");
  tocha_tensor *grad = tocha_grad(tensor);
  if (!grad) return true;
  if (set_to_none) return tocha_set_grad(cx, tensor, NULL);
  tocha_scope scope = tocha_scope_begin(cx);
  if (!tocha_is_leaf(grad)) { /* made with create_graph: drops the graph */
    grad = tocha_shallow(cx, grad);
    if (grad && !tocha_set_grad(cx, tensor, grad)) grad = NULL;
  }
  bool ok = grad && tocha_fill_data(cx, grad, tocha_int(0));
  if (ok) tocha_bump_version(grad);
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

bool tocha_retains_grad(const tocha_tensor *t) {
  return t && t->autograd && t->autograd->retains_grad;
}

bool tocha_retain_grad(tocha_context *cx, tocha_tensor *t) {
  if (!t) return tocha_refuse_none(cx, "retain_grad", "t", "Tensor");
  if (tocha_failed(cx)) return false;
  if (!tocha_requires_grad(t)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "can't retain_grad on Tensor that has requires_grad=False");
    return false;
  }
  tocha_node *node;
  if (!tocha_current_node(cx, t, &node)) return false;
  if (!node || t->autograd->retains_grad) return true; /* a leaf always keeps its gradient */
  if (!tocha_hooks_retain(node, (int)t->autograd->result, t)) return false;
  t->autograd->retains_grad = true;
  return true;
}

/* --- accumulation ---------------------------------------------------------------------------------------- */

bool tocha_is_sole_owner(const tocha_tensor *t) {
  if (atomic_load(&t->references) != 1) return false;
  int owners = atomic_load(&t->storage->references);
  return owners == 1 || (owners == 2 && t->base && t->base->storage == t->storage &&
                         atomic_load(&t->base->references) == 1);
}

/* Returns true if grad has the strides of the leaf, or is row-major if the leaf is not dense. */
static bool has_layout_of(const tocha_tensor *grad, const tocha_tensor *leaf) {
  if (!tocha_is_dense(leaf)) return tocha_is_contiguous(grad);
  for (int i = 0; i < leaf->ndim; i++) /* stride 0 never fits */
    if (grad->sizes[i] == 1 ? grad->strides[i] == 0 : grad->strides[i] != leaf->strides[i])
      return false;
  return true;
}

/* Returns a copy of grad laid out as the leaf. The copy is recorded if gradients are. */
static tocha_tensor *copy_like(tocha_context *cx, tocha_tensor *grad, const tocha_tensor *leaf) {
  tocha_tensor *copy = tocha_is_dense(leaf)
                           ? tocha_new_strided(cx, leaf->ndim, leaf->sizes, leaf->strides,
                                               (tocha_dtype)grad->dtype, grad->device)
                           : tocha_new_like(cx, leaf, (tocha_dtype)grad->dtype);
  if (!copy) return NULL;
  if (!tocha_grad_enabled(cx)) return tocha_copy_data(cx, copy, grad) ? copy : NULL;
  return tocha_copy_(cx, copy, grad, false);
}

static bool first_gradient(tocha_context *cx, tocha_tensor *leaf, tocha_tensor **grad) {
  tocha_autograd_meta *meta = leaf->autograd;
  tocha_tensor *g = *grad;
  if (!tocha_grad_enabled(cx) && tocha_is_sole_owner(g) && !(g->autograd && g->autograd->node) &&
      has_layout_of(g, leaf) && !(g->flags & TOCHA_FLAG_INFERENCE)) {
    tocha_release(g->base); /* no other user can see it */
    g->base = NULL;
    meta->grad = g;
    *grad = NULL;
    return true;
  }
  bool fresh = tocha_is_sole_owner(g) && !tocha_requires_grad(g); /* as good as a copy */
  tocha_tensor *copy =
      fresh && has_layout_of(g, leaf) && g->offset == 0 ? g : copy_like(cx, g, leaf);
  meta->grad = tocha_retain(copy);
  return copy != NULL;
}

/* Converts *grad as an addition to the leaf would, if the leaf has been given other data since it
 * was used. */
static bool fit_to_leaf(tocha_context *cx, const tocha_tensor *leaf, tocha_tensor **grad) {
  int64_t sizes[TOCHA_MAX_DIMS];
  int ndim;
  char a[256], b[256];
  tocha_tensor *both[] = {(tocha_tensor *)leaf, *grad};
  bool fits = tocha_broadcast_sizes(cx, 2, both, &ndim, sizes);
  if (fits && !(ndim == leaf->ndim && !memcmp(sizes, leaf->sizes, ndim * sizeof *sizes)))
    fits = tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "output with shape %s doesn't match the broadcast shape %s",
                      tocha_shape_text(leaf->ndim, leaf->sizes, a, sizeof a),
                      tocha_shape_text(ndim, sizes, b, sizeof b)) != NULL;
  if (!fits) {
    cx->error.hint[0] = '\0';
    tocha_hint(cx,
               "the tensor was given another shape (x.data = y) after the loss was computed; its "
               "gradient has the shape from before");
    return false;
  }
  tocha_tensor *fit = tocha_to_copy_full(cx, tocha_expand(cx, *grad, ndim, sizes),
                                         (tocha_dtype)leaf->dtype, leaf->device, false);
  if (!fit) return false;
  tocha_release(*grad);
  *grad = tocha_retain(fit);
  return true;
}

static bool accumulate(tocha_context *cx, tocha_autograd_meta *meta, tocha_tensor *leaf,
                       tocha_tensor **grad) {
  if (leaf->flags & TOCHA_FLAGS_WITHOUT_DATA)
    return tocha_refuse_without_data(cx, leaf, "backward");
  bool fits = tocha_same_sizes(leaf, *grad) && leaf->dtype == (*grad)->dtype &&
              tocha_device_equal(leaf->device, (*grad)->device);
  if (!fits && !fit_to_leaf(cx, leaf, grad)) return false;
  if (!meta->grad) return first_gradient(cx, leaf, grad);
  if (!tocha_grad_enabled(cx)) return tocha_add_(cx, meta->grad, *grad) != NULL;
  tocha_tensor *sum = tocha_add(cx, meta->grad, *grad);
  if (!sum) return false;
  tocha_tensor *old = meta->grad;
  meta->grad = tocha_retain(sum);
  tocha_release(old);
  return true;
}

bool tocha_accumulate_grad(tocha_context *cx, tocha_tensor *leaf, tocha_tensor **grad) {
  tocha_autograd_meta *meta = tocha_autograd_meta_of(leaf);
  bool ok = meta && accumulate(cx, meta, leaf, grad);
  if (ok) tocha_note_cycle(meta);
  return ok;
}

/* --- detaching -------------------------------------------------------------------------------------------- */

tocha_tensor *tocha_detach_in_place(tocha_context *cx, tocha_tensor *t) {
  if (!t || tocha_failed(cx)) return NULL;
  if (t->base)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "Can't detach views in-place. Use detach() instead. If you are using "
        "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, "
        "gradients are views of DDP buckets, and hence detach_() cannot be called on these "
        "gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
        "torch/optim/optimizer.py as the solution.");
  tocha_autograd_meta *meta = t->autograd;
  if (!meta) return t;
  tocha_node *old = meta->node;
  if (old && meta->retains_grad) tocha_hooks_forget(old, t);
  meta->node = NULL;
  meta->result = 0;
  meta->requires_grad = meta->retains_grad = false;
  if (old) tocha_node_release(old);
  return t;
}

bool tocha_set_data(tocha_context *cx, tocha_tensor *t, tocha_tensor *data) {
  if (!t || !data || tocha_failed(cx)) return false;
  if (tocha_requires_grad(t) && !tocha_is_floating(data->dtype)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "data set to a tensor that requires gradients must be floating point or complex "
               "dtype");
    return false;
  }
  if (data == t) return true;
  int64_t *sizes = t->dims, *old = t->sizes;
  int old_ndim = t->ndim;
  if (data->ndim > TOCHA_INLINE_DIMS) {
    sizes = tocha_allocate(cx, 2 * (uint64_t)data->ndim * sizeof *sizes);
    if (!sizes) return false;
  }
  tocha_storage_retain(data->storage);
  int64_t *strides = sizes + (data->ndim > TOCHA_INLINE_DIMS ? data->ndim : TOCHA_INLINE_DIMS);
  memcpy(sizes, data->sizes, data->ndim * sizeof *sizes);
  memcpy(strides, data->strides, data->ndim * sizeof *sizes);
  if (old_ndim > TOCHA_INLINE_DIMS) tocha_deallocate(cx, old, 2 * (uint64_t)old_ndim * sizeof *old);
  t->sizes = sizes;
  t->strides = strides;
  t->ndim = data->ndim;
  t->dtype = data->dtype;
  t->device = data->device;
  t->offset = data->offset;
  tocha_tensor_set_storage(t, data->storage);
  tocha_tensor_finish(t);
  return true;
}

tocha_tensor *tocha_untracked(tocha_context *cx, const tocha_tensor *tensor) {
  if (!tensor) return tocha_refuse_none(cx, "untracked", "tensor", "Tensor");
  tocha_tensor *data = tocha_shallow(cx, tensor);
  if (data) data->flags |= TOCHA_FLAG_UNTRACKED;
  return data;
}

tocha_tensor *tocha_base(const tocha_tensor *tensor) { return tensor ? tensor->base : NULL; }
bool tocha_is_inference(const tocha_tensor *tensor) {
  return tensor && tensor->flags & TOCHA_FLAG_INFERENCE;
}
