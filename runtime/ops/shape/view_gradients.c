/* view_gradients.c: the gradients of views that show only a part of a tensor: the gradient in its
 * place, zeros elsewhere. They are operators, so they have gradients themselves. */
#include "ops/indexing/index.h"
#include "shape/implementations.h"
#include "tensor/copy.h"

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

/* Adds source to target, a view that shows some places several times. */
static bool accumulate(tocha_context *cx, tocha_tensor *target, tocha_tensor *source) {
  if (!tocha_has_elements(target)) return true;
  int64_t one = 1;
  int64_t count = (int64_t)(target->storage->bytes / tocha_dtype_size(target->dtype));
  tocha_tensor *memory = tocha_alias(cx, target, 1, &count, &one, 0);
  return memory && tocha_add_at_places(cx, memory, source, target->strides, target->offset);
}

tocha_tensor *tocha_op_unfold_backward(tocha_context *cx, tocha_tensor *grad_output,
                                       int sizes_count, const int64_t *sizes, int64_t dimension,
                                       int64_t size, int64_t step) {
  tocha_tensor *t = zeros(cx, grad_output, sizes_count, sizes);
  tocha_tensor *windows = t ? tocha_op_unfold(cx, t, dimension, size, step) : NULL;
  return windows && accumulate(cx, windows, grad_output) ? t : NULL;
}
