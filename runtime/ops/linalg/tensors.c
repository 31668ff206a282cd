/* tensors.c: tensors as matrices: tensorinv, tensorsolve; Vandermonde matrices; the exponential. */
#include <math.h>

#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/rules.h"
#include "tensor/copy.h"
#include "tocha/ops/_linalg_inv_ex.h"
#include "tocha/ops/abs.h"
#include "tocha/ops/amax.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/cumprod.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/eye.h"
#include "tocha/ops/matrix_exp.h"
#include "tocha/ops/movedim.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/solve.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/zeros_like.h"

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
  if (!matrix || !tocha__linalg_inv_ex(cx, matrix, true, "inv", &inverse, &info)) return NULL;
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

/* --- the exponential --------------------------------------------------------------------------------------------- */

/* The powers 0 to 3 of a times the coefficients 1 / k! from k = first on. */
static tocha_tensor *part_of_series(tocha_context *cx, tocha_tensor *const powers[5], int first) {
  tocha_tensor *sum = NULL;
  double factorial = 1;
  for (int k = 2; k <= first; k++) factorial *= k;
  for (int k = 0; k < 4; k++) {
    if (k > 0) factorial *= first + k;
    tocha_tensor *term = tocha_mul_full(cx, powers[k], tocha_number(tocha_float(1 / factorial)));
    sum = sum ? tocha_add(cx, sum, term) : term;
    if (!sum) return NULL;
  }
  return sum;
}

/* The series up to the power 19, by Horner's rule in powers of a^4. */
static tocha_tensor *series(tocha_context *cx, tocha_tensor *a) {
  tocha_tensor *one =
      tocha_eye_full(cx, tocha_row_count(a), NULL, (tocha_dtype)a->dtype, a->device, false);
  tocha_tensor *powers[5] = {one, a};
  for (int k = 2; k < 5; k++)
    if (!(powers[k] = tocha_matmul(cx, powers[k - 1], a))) return NULL;
  tocha_tensor *sum = one ? part_of_series(cx, powers, 16) : NULL;
  for (int first = 12; sum && first >= 0; first -= 4)
    sum = tocha_add(cx, part_of_series(cx, powers, first), tocha_matmul(cx, sum, powers[4]));
  return sum;
}

/* exp(a) = exp(a / 2^s)^(2^s), with s so great that the series is exact. */
static bool exponential(tocha_context *cx, tocha_tensor *matrix, tocha_tensor *out) {
  tocha_scalar norm;
  int64_t rows = 0, times = 0;
  tocha_tensor *sums = tocha_sum_dim_IntList(cx, tocha_abs(cx, matrix), 1, &rows, false);
  tocha_tensor *greatest = sums ? tocha_amax(cx, sums, 0, NULL, false) : NULL;
  if (!greatest || !tocha_item(cx, greatest, &norm)) return false;
  double size = tocha_scalar_real(norm), least = matrix->dtype == TOCHA_FLOAT64 ? 1 : 3;
  if (isfinite(size) && size > least) times = (int64_t)ceil(log2(size / least));
  tocha_tensor *x = tocha_mul_full(cx, matrix, tocha_number(tocha_float(ldexp(1, -(int)times))));
  x = x ? series(cx, x) : NULL;
  for (int64_t i = 0; x && i < times; i++) x = tocha_matmul(cx, x, x);
  return x && tocha_copy_data(cx, out, x);
}

tocha_tensor *tocha_op_matrix_exp(tocha_context *cx, tocha_tensor *self) {
  if (!tocha_check_square(cx, self, "linalg.matrix_exp", "A")) return NULL;
  if (!tocha_dtype_is_floating((tocha_dtype)self->dtype))
    return tocha_check_real(cx, self, "linalg.matrix_exp", NULL) ? self : NULL;
  int64_t n = tocha_row_count(self), batches[3] = {tocha_matrix_count(self), n, n};
  tocha_dtype type = self->dtype == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
  tocha_tensor *a = tocha_as_rows(cx, self, type);
  tocha_tensor *out = a ? tocha_new_like(cx, a, type) : NULL;
  if (!out || !tocha_has_elements(self))
    return out ? tocha_as_dtype(cx, out, (tocha_dtype)self->dtype) : NULL;
  for (int64_t i = 0; i < batches[0]; i++) {
    int64_t strides[2] = {n, 1};
    tocha_tensor *from = tocha_alias(cx, a, 2, batches + 1, strides, a->offset + i * n * n);
    tocha_tensor *to = tocha_alias(cx, out, 2, batches + 1, strides, out->offset + i * n * n);
    if (!from || !to || !exponential(cx, from, to)) return NULL;
  }
  return tocha_as_dtype(cx, out, (tocha_dtype)self->dtype);
}

/* The upper right block of the exponential of [[A', G], [0, A']]. */
bool tocha_matrix_exp_rule(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *A = f->args[0].tensor, *grad = f->grads[0];
  if (!grad) return true;
  if (A->numel == 0) {
    f->out[0] = grad;
    return true;
  }
  int64_t n = tocha_row_count(A);
  tocha_tensor *a = tocha_mT(cx, A), *none = tocha_zeros_like(cx, A);
  if (!a || !none) return false;
  tocha_tensor *top = tocha_cat(cx, 2, (tocha_tensor *[]){a, grad}, -1);
  tocha_tensor *bottom = tocha_cat(cx, 2, (tocha_tensor *[]){none, a}, -1);
  tocha_tensor *whole =
      top && bottom ? tocha_cat(cx, 2, (tocha_tensor *[]){top, bottom}, -2) : NULL;
  tocha_tensor *e = whole ? tocha_matrix_exp(cx, whole) : NULL;
  f->out[0] = tocha_part(cx, tocha_part(cx, e, -2, 0, n), -1, n, n);
  return f->out[0] != NULL;
}
