/* rules.h: the building blocks of the gradient rules of torch.linalg. Each accepts NULL for a tensor and returns NULL for it,
 * unless stated otherwise.
 *
 * The rules are written with the adjoint of a matrix, A', the conjugate of its transpose. All matrices are real so far, so
 * tocha_adjoint_of only transposes. */
#ifndef TOCHA_LINALG_RULES_H
#define TOCHA_LINALG_RULES_H

#include "dispatch/call.h"
#include "tocha/ops/add.h"
#include "tocha/ops/diag_embed.h"
#include "tocha/ops/diagonal.h"
#include "tocha/ops/private/diagonal_backward.h"
#include "tocha/ops/matmul.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/ones_like.h"
#include "tocha/ops/solve_triangular.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/transpose.h"
#include "tocha/ops/tril.h"
#include "tocha/ops/unsqueeze.h"

static inline tocha_tensor *tocha_adjoint_of(tocha_context *cx, tocha_tensor *x) {
  return x ? tocha_transpose(cx, x, -2, -1) : NULL;
}

/* Return a' b, and a b'. */
static inline tocha_tensor *tocha_adjoint_times(tocha_context *cx, tocha_tensor *a,
                                                tocha_tensor *b) {
  return a && b ? tocha_matmul(cx, tocha_adjoint_of(cx, a), b) : NULL;
}
static inline tocha_tensor *tocha_times_adjoint(tocha_context *cx, tocha_tensor *a,
                                                tocha_tensor *b) {
  return a && b ? tocha_matmul(cx, a, tocha_adjoint_of(cx, b)) : NULL;
}

/* Returns a + b; NULL counts as zero. */
static inline tocha_tensor *tocha_sum_of(tocha_context *cx, tocha_tensor *a, tocha_tensor *b) {
  return a && b ? tocha_add(cx, a, b) : a ? a : b;
}
/* Returns a - b; NULL counts as zero. */
static inline tocha_tensor *tocha_difference_of(tocha_context *cx, tocha_tensor *a,
                                                tocha_tensor *b) {
  return !b ? a : a ? tocha_sub(cx, a, b) : tocha_neg(cx, b);
}

static inline tocha_tensor *tocha_diagonal_of(tocha_context *cx, tocha_tensor *x) {
  return x ? tocha_diagonal(cx, x, 0, -2, -1) : NULL;
}
static inline tocha_tensor *tocha_diagonal_matrix(tocha_context *cx, tocha_tensor *x) {
  return x ? tocha_diag_embed(cx, x, 0, -2, -1) : NULL;
}
/* Returns `size` rows (dim -2) or columns (dim -1) of x, from `start` on. */
static inline tocha_tensor *tocha_part(tocha_context *cx, tocha_tensor *x, int64_t dim,
                                       int64_t start, int64_t size) {
  return x ? tocha_narrow(cx, x, dim, start, size) : NULL;
}
/* Return x with its rows, or its columns, scaled by s. */
static inline tocha_tensor *tocha_scale_rows(tocha_context *cx, tocha_tensor *s, tocha_tensor *x) {
  return x ? tocha_mul(cx, tocha_unsqueeze(cx, s, -1), x) : NULL;
}
static inline tocha_tensor *tocha_scale_columns(tocha_context *cx, tocha_tensor *x,
                                                tocha_tensor *s) {
  return x ? tocha_mul(cx, x, tocha_unsqueeze(cx, s, -2)) : NULL;
}
/* Return x a^-1, and a^-1 x, for triangular a. */
static inline tocha_tensor *tocha_divide_right(tocha_context *cx, tocha_tensor *x, tocha_tensor *a,
                                               bool upper, bool unit) {
  return x ? tocha_solve_triangular_full(cx, a, x, upper, false, unit) : NULL;
}
static inline tocha_tensor *tocha_divide_left(tocha_context *cx, tocha_tensor *a, tocha_tensor *x,
                                              bool upper, bool unit) {
  return x ? tocha_solve_triangular_full(cx, a, x, upper, true, unit) : NULL;
}
/* Returns the unit lower triangular factor in LU. */
static inline tocha_tensor *tocha_unit_lower(tocha_context *cx, tocha_tensor *lu) {
  tocha_tensor *ones = lu ? tocha_ones_like(cx, tocha_diagonal_of(cx, lu)) : NULL;
  return ones ? tocha_add(cx, tocha_tril(cx, lu, -1),
                          tocha_private_diagonal_backward(cx, ones, lu->ndim, lu->sizes, 0, -2, -1))
              : NULL;
}

#endif
