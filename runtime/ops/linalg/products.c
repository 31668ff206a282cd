/* products.c: products of vectors and matrices that are composed of other operators. */
#include "linalg/implementations.h"
#include "tensor/iterator.h"
#include "ops/linalg/matrices.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/copy_.h"
#include "tocha/ops/cross.h"
#include "tocha/ops/diagonal.h"
#include "tocha/ops/private/diagonal_backward.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/eye.h"
#include "tocha/ops/inv.h"
#include "tocha/ops/matmul.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/roll.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/unsafe_view.h"
#include "tocha/ops/vdot.h"
#include "tocha/ops/vector_norm.h"

/* --- vectors ------------------------------------------------------------------------------------------------- */

static tocha_tensor *rolled(tocha_context *cx, tocha_tensor *t, int64_t by, int64_t dim) {
  return tocha_roll(cx, t, 1, &by, 1, &dim);
}

tocha_tensor *tocha_op_cross_linalg(tocha_context *cx, tocha_tensor *self, tocha_tensor *other,
                                    int64_t dim) {
  if (self->ndim != other->ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "linalg.cross: inputs must have the same number of dimensions.");
  int64_t d = dim, length, other_length, sizes[TOCHA_MAX_DIMS];
  int ndim;
  tocha_tensor *both[] = {self, other};
  if (!tocha_size_of(cx, self, (int)dim, &length) ||
      !tocha_size_of(cx, other, (int)dim, &other_length) || !tocha_wrap_dim(cx, &d, self->ndim))
    return NULL;
  if (length != 3 || other_length != 3)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "linalg.cross: inputs dimension %lld must have length 3. Got %lld and %lld",
                      (long long)dim, (long long)length, (long long)other_length);
  if (!tocha_broadcast_sizes(cx, 2, both, &ndim, sizes)) return NULL;
  if (self->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"cross\" not implemented for 'Bool'");
  if (self->dtype != other->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected scalar type %s but found %s",
                      tocha_dtype_scalar_type((tocha_dtype)self->dtype),
                      tocha_dtype_scalar_type((tocha_dtype)other->dtype));
  return tocha_sub(cx, tocha_mul(cx, rolled(cx, self, -1, d), rolled(cx, other, -2, d)),
                   tocha_mul(cx, rolled(cx, self, -2, d), rolled(cx, other, -1, d)));
}

tocha_tensor *tocha_op_cross(tocha_context *cx, tocha_tensor *self, tocha_tensor *other,
                             const int64_t *dim) {
  if (dim) return tocha_cross_linalg_full(cx, self, other, *dim);
  for (int d = 0; d < self->ndim; d++)
    if (self->sizes[d] == 3) return tocha_cross_linalg_full(cx, self, other, d);
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "no dimension of size 3 in input");
}

tocha_tensor *tocha_op_vecdot(tocha_context *cx, tocha_tensor *x, tocha_tensor *y, int64_t dim) {
  if (!tocha_dtype_is_floating(x->dtype))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "linalg.vecdot: Expected a floating point or complex tensor as input. Got %s",
                      tocha_dtype_scalar_type((tocha_dtype)x->dtype));
  if (x->dtype != y->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "linalg.vecdot: Expected x and y to have the same dtype, but found x of "
                      "type %s and y of type %s instead",
                      tocha_dtype_scalar_type((tocha_dtype)x->dtype),
                      tocha_dtype_scalar_type((tocha_dtype)y->dtype));
  if (x->ndim == 1 && y->ndim == 1) return tocha_vdot(cx, x, y);
  return tocha_sum_dim_IntList(cx, tocha_mul(cx, x, y), 1, &dim, false);
}

tocha_tensor *tocha_op_dist(tocha_context *cx, tocha_tensor *self, tocha_tensor *other,
                            tocha_scalar p) {
  tocha_tensor *difference = tocha_sub(cx, self, other);
  if (difference && !tocha_dtype_is_floating((tocha_dtype)difference->dtype))
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "norm(): input dtype should be either floating point or complex. Got %s instead.",
        tocha_dtype_scalar_type((tocha_dtype)difference->dtype));
  return tocha_vector_norm(cx, difference, tocha_scalar_real(p), 0, NULL, false);
}

/* --- matrices ------------------------------------------------------------------------------------------------ */

tocha_tensor *tocha_op_trace(tocha_context *cx, tocha_tensor *self) {
  if (self->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"trace\" not implemented for 'Bool'");
  if (self->ndim != 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "trace: expected a matrix, but got tensor with dim %d", self->ndim);
  return tocha_sum(cx, tocha_diagonal(cx, self, 0, 0, 1));
}

tocha_tensor *tocha_op__trace_backward(tocha_context *cx, tocha_tensor *grad, int size_count,
                                       const int64_t *sizes) {
  if (size_count != 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "trace: expected a matrix, but got tensor with dim %d", size_count);
  int64_t n = sizes[0] < sizes[1] ? sizes[0] : sizes[1];
  return tocha_private_diagonal_backward(cx, tocha_expand(cx, grad, 1, &n), size_count, sizes, 0, 0,
                                         1);
}

/* Returns t with a dimension of size 1 after each of its dimensions (first) or before each. Missing dimensions are added in
 * front. */
static tocha_tensor *spread(tocha_context *cx, tocha_tensor *t, int ndim, bool first) {
  int64_t sizes[TOCHA_MAX_DIMS];
  for (int d = 0; d < ndim; d++) {
    int own = d - (ndim - t->ndim);
    sizes[2 * d + !first] = own < 0 ? 1 : t->sizes[own];
    sizes[2 * d + first] = 1;
  }
  return tocha_reshape(cx, t, 2 * ndim, sizes);
}

tocha_tensor *tocha_op_kron(tocha_context *cx, tocha_tensor *self, tocha_tensor *other) {
  int ndim = self->ndim > other->ndim ? self->ndim : other->ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  if (2 * ndim > TOCHA_MAX_DIMS)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "kron: tensors of %d dimensions are too many", ndim);
  tocha_tensor *out = tocha_mul(cx, spread(cx, self, ndim, true), spread(cx, other, ndim, false));
  for (int d = 0; out && d < ndim; d++) sizes[d] = out->sizes[2 * d] * out->sizes[2 * d + 1];
  return out ? tocha_unsafe_view(cx, out, ndim, sizes) : NULL;
}

static tocha_tensor *unit_like(tocha_context *cx, tocha_tensor *t) {
  tocha_tensor *one =
      tocha_eye_full(cx, tocha_row_count(t), NULL, (tocha_dtype)t->dtype, t->device, false);
  tocha_tensor *copy = tocha_clone(cx, t);
  return one && copy ? tocha_copy_(cx, copy, one, false) : NULL;
}

tocha_tensor *tocha_op_matrix_power(tocha_context *cx, tocha_tensor *self, int64_t n) {
  tocha_tensor *power = NULL, *square = self;
  if (!tocha_check_square(cx, self, "linalg.matrix_power", "A")) return NULL;
  if (n == 0) return unit_like(cx, self);
  uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
  if (n < 0) square = tocha_inv(cx, self);
  if (left == 1) return n < 0 ? square : tocha_clone(cx, square);
  if (left == 3) return tocha_matmul(cx, tocha_matmul(cx, square, square), square);
  for (; left > 0 && square; left /= 2) {
    if (left % 2) power = power ? tocha_matmul(cx, power, square) : square;
    if (left > 1) square = tocha_matmul(cx, square, square);
  }
  return square ? power : NULL;
}
