/* view_scatter.c: copies of a tensor with a part replaced (the scatter functions), and narrow_copy. */
#include "shape/implementations.h"
#include "tensor/copy.h"
#include "tensor/output.h"
#include "tensor/overlap.h"
#include "tocha/ops/as_strided.h"
#include "tocha/ops/as_strided_scatter.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/private/slice_backward.h"
#include "tocha/ops/zeros.h"

/* Copies src into `part`, a view of `copy`, and returns copy. */
static tocha_tensor *with_part(tocha_context *cx, tocha_tensor *copy, tocha_tensor *part,
                               tocha_tensor *src, const char *words) {
  char a[256], b[256];
  if (!copy || !part) return NULL;
  if (!tocha_same_sizes(part, src))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "expected src to have a size equal to the %s of self. src size = %s, %s size "
                      "= %s",
                      words, tocha_shape_text(src->ndim, src->sizes, a, sizeof a), words,
                      tocha_shape_text(part->ndim, part->sizes, b, sizeof b));
  return tocha_copy_data(cx, part, src) ? copy : NULL;
}

static tocha_tensor *copied(tocha_context *cx, tocha_tensor *self) {
  return tocha_copy_as(cx, self, TOCHA_NO_DTYPE, tocha_its_device(), TOCHA_PRESERVE_FORMAT);
}

tocha_tensor *tocha_op_select_scatter(tocha_context *cx, tocha_tensor *self, tocha_tensor *src,
                                      int64_t dim, int64_t index) {
  tocha_tensor *copy = copied(cx, self);
  return with_part(cx, copy, copy ? tocha_op_select(cx, copy, dim, index) : NULL, src, "slice");
}

tocha_tensor *tocha_op_slice_scatter(tocha_context *cx, tocha_tensor *self, tocha_tensor *src,
                                     int64_t dim, const int64_t *start, const int64_t *end,
                                     int64_t step) {
  tocha_tensor *copy = copied(cx, self);
  return with_part(cx, copy, copy ? tocha_op_slice(cx, copy, dim, start, end, step) : NULL, src,
                   "slice");
}

tocha_tensor *tocha_op_diagonal_scatter(tocha_context *cx, tocha_tensor *self, tocha_tensor *src,
                                        int64_t offset, int64_t dim1, int64_t dim2) {
  tocha_tensor *copy = copied(cx, self);
  return with_part(cx, copy, copy ? tocha_op_diagonal(cx, copy, offset, dim1, dim2) : NULL, src,
                   "slice");
}

tocha_tensor *tocha_op_as_strided_scatter(tocha_context *cx, tocha_tensor *self, tocha_tensor *src,
                                          int size_count, const int64_t *size, int stride_count,
                                          const int64_t *stride, const int64_t *storage_offset) {
  int64_t offset = storage_offset ? *storage_offset : self->offset, one = 1;
  int64_t elements = (int64_t)(self->storage->bytes / tocha_dtype_size(self->dtype));
  tocha_tensor *copy = tocha_alias(cx, self, 1, &elements, &one, 0); /* all that as_strided reads */
  copy = copy ? tocha_copy_rows(cx, copy) : NULL;
  if (copy) copy = tocha_alias(cx, copy, self->ndim, self->sizes, self->strides, self->offset);
  tocha_tensor *part =
      copy ? tocha_op_as_strided(cx, copy, size_count, size, stride_count, stride, &offset) : NULL;
  if (!part || !tocha_check_no_overlap(cx, part)) return NULL;
  return with_part(cx, copy, part, src, "slice");
}

/* Writes the gradients of as_strided_scatter. The operator's arguments: self, src, size, stride,
 * storage_offset. */
bool tocha_as_strided_scatter_rule(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0];
  const tocha_arg *size = &f->args[2], *stride = &f->args[3];
  int64_t offset = f->args[4].given ? f->args[4].value.integer : 0;
  if (!grad) return true;
  if (!(grad = tocha_contiguous(cx, grad))) return false;
  if (tocha_wants_grad(f, 0)) {
    tocha_tensor *none = tocha_zeros_full(cx, size->count, size->value.ints,
                                          (tocha_dtype)grad->dtype, grad->device, false);
    f->out[0] = none ? tocha_as_strided_scatter(cx, grad, none, size->count, size->value.ints,
                                                stride->count, stride->value.ints, &offset)
                     : NULL;
  }
  if (tocha_wants_grad(f, 1))
    f->out[1] = tocha_clone(cx, tocha_as_strided(cx, grad, size->count, size->value.ints,
                                                 stride->count, stride->value.ints, &offset));
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op_narrow_copy(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                   int64_t start, int64_t length) {
  int64_t size;
  if (self->ndim && dim >= self->ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got "
                      "false.  (Could this error message be improved?  If so, please report an "
                      "enhancement request to PyTorch.)");
  if (length < 0 && self->ndim) {
    if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
    size = self->sizes[dim];
    if (!tocha_narrow(cx, self, dim, start, 0)) return NULL; /* only checks start */
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR, "start (%lld) + length (%lld) exceeds dimension size (%lld).",
        (long long)(start < 0 ? start + size : start), (long long)length, (long long)size);
  }
  tocha_tensor *part = tocha_narrow(cx, self, dim, start, length);
  return part ? tocha_clone(cx, part) : NULL;
}

tocha_tensor *tocha_op__narrow_backward(tocha_context *cx, tocha_tensor *grad, int count,
                                        const int64_t *sizes, int64_t dim, int64_t start) {
  if (!tocha_wrap_dim(cx, &dim, count)) return NULL;
  if (start < 0) start += sizes[dim];
  int64_t stop = start + grad->sizes[dim];
  return tocha_private_slice_backward(cx, grad, count, sizes, dim, &start, &stop, 1);
}
