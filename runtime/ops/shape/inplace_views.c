/* inplace_views.c: views that replace the tensor's own geometry: t_, transpose_, squeeze_,
 * unsqueeze_, as_strided_. */
#include <string.h>

#include "dispatch/call.h"
#include "ops/creation/factory.h"
#include "shape/implementations.h"
#include "tensor/copy.h"
#include "tensor/geometry.h"
#include "tocha/ops/as_strided_view_.h"

/* Gives self the geometry of view. No element changes, which autograd/record.c takes into
 * account. */
static tocha_tensor *become(tocha_context *cx, tocha_tensor *self, tocha_tensor *view) {
  if (!view) return NULL;
  return tocha_set_geometry(cx, self, view->ndim, view->sizes, view->strides, view->offset) ? self
                                                                                            : NULL;
}

tocha_tensor *tocha_op_t_(tocha_context *cx, tocha_tensor *self) {
  if (self->ndim > 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "t_() expects a tensor with <= 2 dimensions, but self is %dD", self->ndim);
  return become(cx, self, tocha_op_t(cx, self));
}

tocha_tensor *tocha_op_transpose_(tocha_context *cx, tocha_tensor *self, int64_t dim0,
                                  int64_t dim1) {
  return become(cx, self, tocha_op_transpose(cx, self, dim0, dim1));
}

tocha_tensor *tocha_op_squeeze_(tocha_context *cx, tocha_tensor *self) {
  return become(cx, self, tocha_op_squeeze(cx, self));
}

tocha_tensor *tocha_op_squeeze__dims(tocha_context *cx, tocha_tensor *self, int dim_count,
                                     const int64_t *dim) {
  return become(cx, self, tocha_op_squeeze_dims(cx, self, dim_count, dim));
}

tocha_tensor *tocha_op_unsqueeze_(tocha_context *cx, tocha_tensor *self, int64_t dim) {
  return become(cx, self, tocha_op_unsqueeze(cx, self, dim));
}

tocha_tensor *tocha_op_as_strided_view_(tocha_context *cx, tocha_tensor *self, int size_count,
                                        const int64_t *size, int stride_count,
                                        const int64_t *stride, int64_t offset,
                                        int input_stride_count, const int64_t *input_stride,
                                        int64_t input_offset) {
  return become(cx, self,
                tocha_op_as_strided_view(cx, self, size_count, size, stride_count, stride, offset,
                                         input_stride_count, input_stride, input_offset));
}

tocha_tensor *tocha_op_as_strided_(tocha_context *cx, tocha_tensor *self, int size_count,
                                   const int64_t *size, int stride_count, const int64_t *stride,
                                   const int64_t *storage_offset) {
  int64_t strides[TOCHA_MAX_DIMS]; /* copied, because self's strides change */
  memcpy(strides, self->strides, (size_t)self->ndim * sizeof *strides);
  return tocha_as_strided_view_(cx, self, size_count, size, stride_count, stride,
                                storage_offset ? *storage_offset : self->offset, self->ndim,
                                strides, self->offset);
}

/* --- other sizes ------------------------------------------------------------------------------------ */

/* Writes the strides of new sizes in a memory format. NULL means row-major. */
static bool read_strides(tocha_context *cx, int ndim, const int64_t *sizes, const char *format,
                         int64_t *strides) {
  int64_t numel = 1;
  bool overflow = ndim > TOCHA_MAX_DIMS;
  for (int i = 0; i < ndim; i++)
    overflow |= sizes[i] < 0 || __builtin_mul_overflow(numel, sizes[i], &numel);
  if (overflow || numel > INT64_MAX / 8)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "numel: integer multiplication overflow");
  tocha_named_format named = TOCHA_FORMAT_CONTIGUOUS;
  if (format && !tocha_read_memory_format(cx, "resize_", format, &named)) return false;
  if (named == TOCHA_FORMAT_PRESERVE)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Unsupported memory formatPreserve");
  if (tocha_format_is_channels_last(named))
    return tocha_check_channels_last(cx, named, ndim, sizes, strides);
  tocha_row_major_strides(ndim, sizes, strides);
  return true;
}

/* Resizes self. Elements that its memory can hold keep their places. */
tocha_tensor *tocha_op_resize_(tocha_context *cx, tocha_tensor *self, int ndim,
                               const int64_t *sizes, const char *format) {
  int64_t strides[TOCHA_MAX_DIMS];
  if (tocha_requires_grad(self))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "cannot resize variables that require grad");
  if (!read_strides(cx, ndim, sizes, format, strides)) return NULL;
  if (!format && ndim == self->ndim &&
      (ndim == 0 || memcmp(sizes, self->sizes, (size_t)ndim * sizeof *sizes) == 0))
    return self;
  if (!tocha_resize(cx, self, ndim, sizes)) return NULL;
  return tocha_set_geometry(cx, self, ndim, sizes, strides, self->offset) ? self : NULL;
}
