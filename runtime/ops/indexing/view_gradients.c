/* view_gradients.c: what goes backward through views that show only a part: the gradient in place,
 * zeros elsewhere. All are operators, so that gradients of gradients follow. */
#include <string.h>

#include "tensor/convert.h"
#include "device/devices.h"
#include "tensor/copy.h"
#include "ops/indexing/index_device.h"
#include "shape/implementations.h"
#include "tocha/ops/index_add_.h"

static tocha_tensor *zeros(tocha_context *cx, const tocha_tensor *like, int ndim,
                           const int64_t *sizes) {
  tocha_tensor *t = tocha_new(cx, ndim, sizes, like->dtype, like->device);
  return t && tocha_fill_data(cx, t, tocha_int(0)) ? t : NULL;
}

tocha_tensor *tocha_op_select_backward(tocha_context *cx, tocha_tensor *grad_output,
                                       int sizes_count, const int64_t *sizes, int64_t dim,
                                       int64_t index) {
  tocha_tensor *t = zeros(cx, grad_output, sizes_count, sizes);
  tocha_tensor *part = t ? tocha_op_select(cx, t, dim, index) : NULL;
  return part && tocha_copy_data(cx, part, grad_output) ? t : NULL;
}

tocha_tensor *tocha_op_slice_backward(tocha_context *cx, tocha_tensor *grad_output, int sizes_count,
                                      const int64_t *sizes, int64_t dim, const int64_t *start,
                                      const int64_t *stop, int64_t step) {
  tocha_tensor *t = zeros(cx, grad_output, sizes_count, sizes);
  tocha_tensor *part = t ? tocha_op_slice(cx, t, dim, start, stop, step) : NULL;
  return part && tocha_copy_data(cx, part, grad_output) ? t : NULL;
}

tocha_tensor *tocha_op_diagonal_backward(tocha_context *cx, tocha_tensor *grad_output,
                                         int sizes_count, const int64_t *sizes, int64_t offset,
                                         int64_t dim1, int64_t dim2) {
  tocha_tensor *t = zeros(cx, grad_output, sizes_count, sizes);
  tocha_tensor *part = t ? tocha_op_diagonal(cx, t, offset, dim1, dim2) : NULL;
  return part && tocha_copy_data(cx, part, grad_output) ? t : NULL;
}

/* Adds source to target element by element in order, where target shows a place several times. */
static bool accumulate(tocha_context *cx, tocha_tensor *target, tocha_tensor *source) {
  int64_t at[TOCHA_MAX_DIMS] = {0};
  size_t item = tocha_dtype_size(target->dtype);
  if (target->device.type == TOCHA_META || target->numel == 0) return true;
  if (tocha_is_on_device(target)) {
    int64_t one = 1, count = (int64_t)(target->storage->bytes / item);
    tocha_tensor *memory = tocha_alias(cx, target, 1, &count, &one, 0);
    return memory && tocha_add_at_places(cx, memory, source, target->strides, target->offset);
  }
  char *to = tocha_bytes(target);
  const char *from = tocha_bytes(source);
  for (int64_t k = 0; k < target->numel; k++) {
    double sum = tocha_scalar_real(tocha_load_scalar(to, target->dtype)) +
                 tocha_scalar_real(tocha_load_scalar(from, source->dtype));
    tocha_store_scalar(to, target->dtype, tocha_float(sum));
    for (int d = target->ndim - 1; d >= 0; d--) {
      to += target->strides[d] * (int64_t)item;
      from += source->strides[d] * (int64_t)item;
      if (++at[d] < target->sizes[d]) break;
      to -= target->sizes[d] * target->strides[d] * (int64_t)item;
      from -= target->sizes[d] * source->strides[d] * (int64_t)item;
      at[d] = 0;
    }
    if ((k & 0xfffff) == 0xfffff && tocha_interrupted(cx)) return false;
  }
  return true;
}

tocha_tensor *tocha_op_unfold_backward(tocha_context *cx, tocha_tensor *grad_output,
                                       int sizes_count, const int64_t *sizes, int64_t dimension,
                                       int64_t size, int64_t step) {
  tocha_tensor *t = zeros(cx, grad_output, sizes_count, sizes);
  tocha_tensor *windows = t ? tocha_op_unfold(cx, t, dimension, size, step) : NULL;
  return windows && accumulate(cx, windows, grad_output) ? t : NULL;
}
