/* inplace_views.c: the views that a tensor becomes itself: t_, transpose_, squeeze_, unsqueeze_, as_strided_. */
#include <string.h>

#include "shape/implementations.h"
#include "tensor/geometry.h"
#include "tocha/ops/as_strided_view_.h"

/* The geometry of view becomes self's; autograd/record.c knows that no element changed. */
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

tocha_tensor *tocha_op_squeeze__dim(tocha_context *cx, tocha_tensor *self, int64_t dim) {
  return become(cx, self, tocha_op_squeeze_dim(cx, self, dim));
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
  int64_t strides[TOCHA_MAX_DIMS]; /* self's change */
  memcpy(strides, self->strides, (size_t)self->ndim * sizeof *strides);
  return tocha_as_strided_view_(cx, self, size_count, size, stride_count, stride,
                                storage_offset ? *storage_offset : self->offset, self->ndim,
                                strides, self->offset);
}
