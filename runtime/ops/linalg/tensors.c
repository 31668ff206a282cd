/* tensors.c: tensors as matrices: tensorinv, tensorsolve; Vandermonde matrices. */
#include <math.h>

#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/rules.h"
#include "tensor/copy.h"
#include "tocha/ops/private/linalg_inv_ex.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/cumprod.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/movedim.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/solve.h"

/* --- tensors as matrices ----------------------------------------------------------------------------------------- */

static int64_t product(int count, const int64_t *sizes) {
  int64_t n = 1;
  for (int i = 0; i < count; i++) n *= sizes[i];
  return n;
}

tocha_tensor *tocha_op_tensorinv(tocha_context *cx, tocha_tensor *self, int64_t ind) {
  if (ind <= 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Expected a strictly positive integer for 'ind', but got %lld",
                      (long long)ind);
  if (ind > self->ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "ArrayRef: invalid slice, N = %lld; size = %d",
                      (long long)ind, self->ndim);
  int first = (int)ind, last = self->ndim - first;
  int64_t before = product(first, self->sizes), behind = product(last, self->sizes + first);
  if (before != behind)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
                      "prod(self.shape[:ind]), but got %lld != %lld",
                      (long long)behind, (long long)before);
  int64_t square[2] = {behind, behind}, sizes[TOCHA_MAX_DIMS];
  for (int d = 0; d < self->ndim; d++) sizes[d] = self->sizes[d < last ? first + d : d - last];
  tocha_tensor *matrix = tocha_reshape(cx, self, 2, square), *inverse, *info;
  if (!matrix || !tocha_private_linalg_inv_ex(cx, matrix, true, "inv", &inverse, &info))
    return NULL;
  return tocha_reshape(cx, inverse, self->ndim, sizes);
}

tocha_tensor *tocha_op_tensorsolve(tocha_context *cx, tocha_tensor *self, tocha_tensor *other,
                                   int dims_count, const int64_t *dims) {
  int64_t ends[TOCHA_MAX_DIMS];
  if (dims_count > TOCHA_MAX_DIMS)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "tensorsolve: more dims than a tensor can have");
  if (dims) {
    for (int i = 0; i < dims_count; i++) ends[i] = self->ndim - dims_count + i;
    if (!(self = tocha_movedim(cx, self, dims_count, dims, dims_count, ends))) return NULL;
  }
  if (other->ndim > self->ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "ArrayRef: invalid slice, N = %d; size = %d",
                      other->ndim, self->ndim);
  int n = self->ndim - other->ndim;
  const int64_t *sizes = self->sizes + other->ndim;
  int64_t size = product(n, sizes), square[2] = {size, size};
  if (size != other->numel)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
                      "prod(self.shape[:other.ndim]), but got %lld != %lld",
                      (long long)size, (long long)other->numel);
  tocha_tensor *matrix = tocha_reshape(cx, self, 2, square);
  tocha_tensor *right = tocha_reshape(cx, other, 1, &size);
  tocha_tensor *x = matrix && right ? tocha_solve(cx, matrix, right) : NULL;
  return x ? tocha_reshape(cx, x, n, sizes) : NULL;
}

/* --- Vandermonde matrices ---------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_vander(tocha_context *cx, tocha_tensor *x, const int64_t *N) {
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_dtype t = (tocha_dtype)x->dtype;
  if (!tocha_dtype_is_integer(t) && t != TOCHA_FLOAT32 && t != TOCHA_FLOAT64)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "linalg.vander supports floating point, complex, and integer tensors, but "
                      "got %s",
                      tocha_dtype_scalar_type(t));
  if (x->ndim == 0) x = tocha_unsqueeze(cx, x, -1);
  if (!x) return NULL;
  int64_t n = N ? *N : x->sizes[x->ndim - 1];
  if (n <= 1) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "N must be greater than 1.");
  tocha_tensor *column = tocha_unsqueeze(cx, x, -1);
  if (!column) return NULL;
  for (int d = 0; d < column->ndim; d++) sizes[d] = column->sizes[d];
  sizes[column->ndim - 1] = n - 1;
  tocha_tensor *powers = tocha_cumprod(cx, tocha_expand(cx, column, column->ndim, sizes), -1);
  tocha_tensor *ones = powers ? tocha_ones_like(cx, tocha_narrow(cx, powers, -1, 0, 1)) : NULL;
  return ones ? tocha_cat(cx, 2, (tocha_tensor *[]){ones, powers}, -1) : NULL;
}
