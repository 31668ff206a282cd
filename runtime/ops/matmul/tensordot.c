/* tensordot.c: contraction over chosen dimensions. */
#include "matmul/implementations.h"
#include "tocha/ops/dot.h"
#include "tocha/ops/mm.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/permute.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/sum.h"

/* Checks the dimensions of one operand and writes them, non-negative, to `to`. */
static bool wrap_dims(tocha_context *cx, int64_t *to, const int64_t *dims, int count, int ndim) {
  uint64_t seen = 0;
  for (int i = 0; i < count; i++) {
    to[i] = dims[i];
    if (!tocha_wrap_dim(cx, &to[i], ndim)) return false;
    if (seen >> to[i] & 1)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "dim %lld appears multiple times in the list of dims", (long long)to[i]);
    seen |= (uint64_t)1 << to[i];
  }
  return true;
}

/* Returns t as a matrix of its free and its summed dimensions, in this order unless summed_first. Appends the sizes of the free
 * ones to sizes. */
static tocha_tensor *as_matrix(tocha_context *cx, tocha_tensor *t, int count, const int64_t *dims,
                               bool summed_first, int64_t *sizes, int *free_count) {
  int64_t order[TOCHA_MAX_DIMS], rows = 1, sum = 1;
  uint64_t mask = 0;
  int n = 0, free = t->ndim - count;
  for (int i = 0; i < count; i++) {
    mask |= (uint64_t)1 << dims[i];
    sum *= t->sizes[dims[i]];
    order[summed_first ? i : free + i] = dims[i];
  }
  for (int d = 0; d < t->ndim; d++) {
    if (mask >> d & 1) continue;
    rows *= t->sizes[d];
    sizes[(*free_count)++] = t->sizes[d];
    order[summed_first ? count + n : n] = d;
    n++;
  }
  int64_t shape[2] = {summed_first ? sum : rows, summed_first ? rows : sum};
  return tocha_reshape(cx, tocha_permute(cx, t, t->ndim, order), 2, shape);
}

/* Returns true if the matrix made of t shares t's memory and is contiguous. */
static bool is_dense_view(const tocha_tensor *matrix, const tocha_tensor *t) {
  return matrix->storage == t->storage && tocha_is_contiguous(matrix);
}

/* Multiplies a row by a column: by dot, or, if one of them would have to be copied, by adding products. */
static tocha_tensor *one_number(tocha_context *cx, tocha_tensor *row, tocha_tensor *column,
                                bool dense) {
  const int64_t all = -1, first = 0;
  row = tocha_reshape(cx, row, 1, &all);
  column = tocha_reshape(cx, column, 1, &all);
  if (dense) return tocha_dot(cx, row, column);
  tocha_tensor *products = tocha_mul(cx, row, column);
  return products ? tocha_sum_dim_IntList_full(cx, products, 1, &first, false,
                                               (tocha_dtype)products->dtype)
                  : NULL;
}

tocha_tensor *tocha_op__tensordot(tocha_context *cx, tocha_tensor *self, tocha_tensor *other,
                                  int a_count, const int64_t *a_dims, int b_count,
                                  const int64_t *b_dims) {
  int64_t a[TOCHA_MAX_DIMS], b[TOCHA_MAX_DIMS], sizes[2 * TOCHA_MAX_DIMS];
  int n = 0;
  if (a_count != b_count)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "both dimension lists should have same length");
  if (self->dtype != other->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "both inputs should have same dtype");
  if (a_count > TOCHA_MAX_DIMS || !wrap_dims(cx, a, a_dims, a_count, self->ndim) ||
      !wrap_dims(cx, b, b_dims, b_count, other->ndim))
    return NULL;
  for (int i = 0; i < a_count; i++) {
    int64_t m = self->sizes[a[i]], k = other->sizes[b[i]];
    if (m == k) continue;
    if (k == 1)
      self = tocha_sum_dim_IntList_full(cx, self, 1, &a[i], true, self->dtype);
    else if (m == 1)
      other = tocha_sum_dim_IntList_full(cx, other, 1, &b[i], true, other->dtype);
    else
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "contracted dimensions need to match, but first has size %lld in dim %lld "
                        "and second has size %lld in dim %lld",
                        (long long)m, (long long)a_dims[i], (long long)k, (long long)b_dims[i]);
    if (!self || !other) return NULL;
  }
  tocha_tensor *left = as_matrix(cx, self, a_count, a, false, sizes, &n);
  tocha_tensor *right = as_matrix(cx, other, b_count, b, true, sizes, &n);
  if (!left || !right) return NULL;
  bool one = left->sizes[0] == 1 && right->sizes[1] == 1;
  bool dense = is_dense_view(left, self) && is_dense_view(right, other);
  return tocha_reshape(cx, one ? one_number(cx, left, right, dense) : tocha_mm(cx, left, right), n,
                       sizes);
}
