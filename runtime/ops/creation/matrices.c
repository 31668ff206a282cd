/* matrices.c: eye, tril, triu, diag_embed and diag: matrices made from sizes, and parts of matrices. */
#include <string.h>

#include "creation/implementations.h"
#include "device/devices.h"
#include "ops/creation/factory.h"
#include "ops/creation/kernels.h"
#include "tensor/copy.h"
#include "tocha/ops/diag_embed.h"
#include "tocha/ops/diagonal_copy.h"

tocha_tensor *tocha_op_eye(tocha_context *cx, int64_t n, const int64_t *m, tocha_dtype dtype,
                           tocha_device device, bool requires_grad) {
  int64_t size[2] = {n, m ? *m : n};
  for (int i = 0; i < 2; i++)
    if (size[i] < 0)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must be greater or equal to 0, got %lld",
                        i ? "m" : "n", (long long)size[i]);
  tocha_tensor *t = tocha_op_zeros(cx, 2, size, dtype, device, false);
  if (!t) return NULL;
  int64_t count = size[0] < size[1] ? size[0] : size[1], stride = count ? size[1] + 1 : 1;
  tocha_tensor *diagonal = tocha_alias(cx, t, 1, &count, &stride, 0);
  if (!diagonal || !tocha_fill_data(cx, diagonal, tocha_int(1))) return NULL;
  return tocha_factory_finish(cx, t, requires_grad);
}

/* Sets *stride to the distance between consecutive matrices. Returns false if the distances differ. */
static bool one_batch_stride(const tocha_tensor *t, int64_t *stride) {
  *stride = 0;
  bool any = false;
  int64_t expected = 0;
  for (int d = t->ndim - 3; d >= 0; d--) {
    if (t->sizes[d] == 1) continue;
    if (any && t->strides[d] != expected) return false;
    if (!any) *stride = t->strides[d];
    any = true;
    expected = t->strides[d] * t->sizes[d];
  }
  return true;
}

tocha_tensor *tocha_op_triangle(tocha_context *cx, tocha_tensor *self, int64_t diagonal,
                                bool upper) {
  int64_t batch_stride;
  if (self->ndim < 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s: input tensor must have at least 2 dimensions",
                      upper ? "triu" : "tril");
  tocha_tensor *out = tocha_new_like(cx, self, self->dtype);
  if (!out || !tocha_has_elements(out)) return out;
  if (!one_batch_stride(self, &batch_stride)) {
    self = tocha_as_rows(cx, self, TOCHA_NO_DTYPE);
    if (!self || !one_batch_stride(self, &batch_stride)) return NULL;
  }
  int n = self->ndim;
  int64_t columns = self->sizes[n - 1], rows = self->sizes[n - 2];
  if (diagonal < -rows - 1) diagonal = -rows - 1; /* diagonals beyond the corners are all alike */
  if (diagonal > columns + 1) diagonal = columns + 1;
  tocha_triangle_args args = {.out = tocha_bytes(out),
                              .in = tocha_bytes(self),
                              .numel = out->numel,
                              .rows = rows,
                              .columns = columns,
                              .diagonal = diagonal,
                              .batch_stride = batch_stride,
                              .row_stride = self->strides[n - 2],
                              .column_stride = self->strides[n - 1],
                              .item = (int32_t)tocha_dtype_size(out->dtype),
                              .upper = upper};
  tocha_stream *s = tocha_stream_of(cx, out->device);
  return s && tocha_launched(cx, s->kernels->creation->triangle(s, &args)) ? out : NULL;
}

static int64_t clamped(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

/* Returns the number of elements of the triangle (an estimate if there are too many for memory), and fills args with it and
 * with the rows that have elements. */
static double count_triangle(int64_t rows, int64_t columns, int64_t offset, bool upper,
                             tocha_triangle_indices_args *args) {
  /* Rows begin..end have elements, and rows from..to have all columns. In the other rows the number of elements changes by one
   * from row to row. */
  int64_t begin = upper ? 0 : clamped(-offset, 0, rows);
  int64_t end = upper ? clamped(columns - offset, 0, rows) : rows;
  int64_t from = upper ? begin : clamped(columns - offset - 1, begin, end);
  int64_t to = upper ? clamped(-offset, begin, end) : end;
  int64_t sloped = end - begin - (to - from);
  int64_t narrowest = upper ? columns - (end - 1) - offset : begin + offset + 1;
  double estimate = (double)(to - from) * (double)columns + (double)sloped * (double)columns;
  if (estimate > 1e15) return estimate;
  args->rows = rows;
  args->columns = columns;
  args->offset = offset;
  args->first_row = begin;
  args->last_row = end;
  args->upper = upper;
  args->count = (to - from) * columns + sloped * narrowest + sloped * (sloped - 1) / 2;
  return (double)args->count;
}

static tocha_tensor *triangle_indices(tocha_context *cx, int64_t rows, int64_t columns,
                                      int64_t offset, bool upper, tocha_dtype dtype,
                                      tocha_device device) {
  tocha_triangle_indices_args args;
  int64_t size[2] = {2, INT64_MAX / 32}; /* too many, which is refused below */
  if (rows < 0 || columns < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must be non-negative, got%lld",
                      rows < 0 ? "row" : "col", (long long)(rows < 0 ? rows : columns));
  if (dtype != TOCHA_NO_DTYPE && dtype != TOCHA_INT64 && dtype != TOCHA_INT32)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s_indices\" not implemented for '%s'",
                      upper ? "triu" : "tril", tocha_dtype_scalar_type(dtype));
  if (rows > INT64_MAX / 4 || columns > INT64_MAX / 4)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "numel: integer multiplication overflow");
  offset = clamped(offset, -rows - 1, columns + 1);
  if (count_triangle(rows, columns, offset, upper, &args) <= 1e15) size[1] = args.count;
  tocha_tensor *t = tocha_factory_new(cx, 2, size, TOCHA_INT64, TOCHA_INT64, device);
  if (!t || !tocha_has_elements(t))
    return t && dtype != TOCHA_NO_DTYPE ? tocha_as_dtype(cx, t, dtype) : t;
  tocha_stream *s = tocha_stream_of(cx, t->device);
  args.out = (int64_t *)(void *)tocha_bytes(t);
  if (!s || !tocha_launched(cx, s->kernels->creation->triangle_indices(s, &args))) return NULL;
  return dtype == TOCHA_NO_DTYPE ? t : tocha_as_dtype(cx, t, dtype);
}

tocha_tensor *tocha_op_triangle_indices(tocha_context *cx, int64_t row, int64_t col, int64_t offset,
                                        tocha_dtype dtype, tocha_device device, bool requires_grad,
                                        bool upper) {
  return tocha_factory_finish(cx, triangle_indices(cx, row, col, offset, upper, dtype, device),
                              requires_grad);
}

/* Returns new matrices with the last dimension of self along a diagonal. */
tocha_tensor *tocha_op_diag_embed(tocha_context *cx, tocha_tensor *self, int64_t offset,
                                  int64_t dim1, int64_t dim2) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  int n = self->ndim + 1;
  const long long said[2] = {dim1, dim2};
  if (!tocha_wrap_dim(cx, &dim1, n) || !tocha_wrap_dim(cx, &dim2, n)) return NULL;
  if (dim1 == dim2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "diagonal dimensions cannot be identical %lld, %lld",
                      said[0], said[1]);
  if (self->ndim == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "diag_embed(): expected at least one dimension");
  int64_t width;
  if (offset == INT64_MIN ||
      __builtin_add_overflow(self->sizes[self->ndim - 1], offset < 0 ? -offset : offset, &width))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "diag_embed(): offset %lld is out of range",
                      (long long)offset);
  for (int i = 0, from = 0; i < n; i++)
    sizes[i] = i == dim1 || i == dim2 ? width : self->sizes[from++];
  tocha_tensor *out = tocha_new(cx, n, sizes, self->dtype, self->device);
  if (!out || !tocha_fill_data(cx, out, tocha_int(0))) return NULL;
  int at = 0;
  for (int i = 0; i < n; i++)
    if (i != dim1 && i != dim2) strides[at++] = out->strides[i];
  strides[at] = out->strides[dim1] + out->strides[dim2];
  int64_t first = offset < 0 ? -offset * out->strides[dim1] : offset * out->strides[dim2];
  tocha_tensor *diagonal = tocha_alias(cx, out, self->ndim, self->sizes, strides, first);
  return diagonal && tocha_copy_data(cx, diagonal, self) ? out : NULL;
}

tocha_tensor *tocha_op_diag(tocha_context *cx, tocha_tensor *self, int64_t diagonal) {
  if (self->ndim == 1) return tocha_diag_embed(cx, self, diagonal, 0, 1);
  if (self->ndim == 2) return tocha_diagonal_copy(cx, self, diagonal, 0, 1);
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "diag(): Supports 1D or 2D tensors. Got %dD",
                    self->ndim);
}
