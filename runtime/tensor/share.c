/* share.c: passes tensors from one context to another, sharing their memory. */
#include "tocha/share.h"

#include <stdlib.h>
#include <string.h>

#include "tensor/share.h"

struct tocha_shared {
  tocha_shared_memory *block;
  tocha_dtype dtype;
  bool uninitialized;
  int ndim;
  int64_t offset;
  int64_t dims[]; /* sizes, then strides */
};

bool tocha_can_share(tocha_context *cx, const tocha_tensor *t) {
  if (t->flags & TOCHA_FLAG_FREED) return tocha_refuse_without_data(cx, t, "");
  if (t->device.type != TOCHA_CPU)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "only tensors on the CPU pass from one thread to another");
  if (tocha_requires_grad(t) && !tocha_is_leaf(t))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Cowardly refusing to serialize non-leaf tensor which requires_grad, since "
                      "autograd does not support crossing process boundaries.  If you just want to "
                      "transfer the data, call detach() on the tensor before serializing (e.g., "
                      "putting it on the queue).");
  return true;
}

tocha_shared *tocha_share(tocha_context *cx, tocha_tensor *tensor) {
  if (!tensor || tocha_failed(cx) || !tocha_can_share(cx, tensor)) return NULL;
  size_t side = tensor->ndim * sizeof *tensor->sizes;
  tocha_shared *shared = malloc(sizeof *shared + 2 * side);
  if (!shared) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "there is no memory to share a tensor");
  shared->block = tocha_storage_share(tensor->storage);
  if (!shared->block) {
    free(shared);
    return NULL;
  }
  shared->dtype = (tocha_dtype)tensor->dtype;
  shared->uninitialized = tocha_is_uninitialized(tensor);
  shared->ndim = tensor->ndim;
  shared->offset = tensor->offset;
  memcpy(shared->dims, tensor->sizes, side);
  memcpy(shared->dims + tensor->ndim, tensor->strides, side);
  return shared;
}

tocha_tensor *tocha_from_shared(tocha_context *cx, const tocha_shared *shared) {
  if (!shared || tocha_failed(cx)) return NULL;
  tocha_tensor *t = tocha_tensor_header(cx, shared->ndim, shared->dtype, tocha_cpu());
  if (!t) return NULL;
  size_t side = t->ndim * sizeof *t->sizes;
  memcpy(t->sizes, shared->dims, side);
  memcpy(t->strides, shared->dims + t->ndim, side);
  t->offset = shared->offset;
  tocha_tensor_finish(t);
  if (shared->uninitialized) t->flags |= TOCHA_FLAG_UNINITIALIZED;
  t->storage = tocha_storage_of_shared(cx, shared->block);
  return t->storage ? t : NULL;
}

void tocha_shared_free(tocha_shared *shared) {
  if (!shared) return;
  tocha_memory_release(shared->block);
  free(shared);
}
