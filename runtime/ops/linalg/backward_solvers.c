/* backward_solvers.c: the gradients of solutions, inverses and determinants. */
#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/rules.h"
#include "tocha/ops/triu.h"
#include "tocha/ops/private/linalg_pivots_to_matrix.h"
#include "tocha/ops/private/linalg_svd.h"
#include "tocha/ops/add.h"
#include "tocha/ops/any.h"
#include "tocha/ops/cholesky_solve.h"
#include "tocha/ops/det.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/lu_solve.h"
#include "tocha/ops/pinv.h"
#include "tocha/ops/prod.h"
#include "tocha/ops/solve.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/where.h"
#include "tocha/ops/zeros_like.h"

/* Returns true if the rule itself is being recorded. The rule must not use factors then, because they carry no graph. */
static bool is_recorded(const tocha_backward_frame *f) { return tocha_grad_enabled(f->cx); }

/* Returns A'^-1 b, or b A'^-1 if not left. LU: the factors that the forward call made, of A' if A is row-major. */
static tocha_tensor *solve_transposed(tocha_backward_frame *f, tocha_tensor *A, tocha_tensor *LU,
                                      tocha_tensor *pivots, tocha_tensor *b, bool left) {
  if (is_recorded(f)) return tocha_solve_full(f->cx, tocha_adjoint_of(f->cx, A), b, left);
  return tocha_lu_solve_linalg_full(f->cx, LU, pivots, b, left, !tocha_is_contiguous(A));
}

bool tocha_solve_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *A = f->args[0].tensor, *x = f->results[0], *grad = f->grads[0];
  bool left = f->args[2].value.flag;
  if (!grad) return true;
  bool vectors = x->ndim == A->ndim - 1;
  if (vectors) {
    grad = tocha_unsqueeze(cx, grad, -1);
    x = tocha_unsqueeze(cx, x, -1);
  }
  tocha_tensor *b = solve_transposed(f, A, f->results[1], f->results[2], grad, left);
  if (tocha_wants_grad(f, 0))
    f->out[0] = tocha_neg(cx, left ? tocha_times_adjoint(cx, b, x) : tocha_adjoint_times(cx, x, b));
  if (tocha_wants_grad(f, 1)) f->out[1] = vectors && b ? tocha_squeeze_dim(cx, b, -1) : b;
  return !tocha_failed(cx);
}

/* --- determinants -------------------------------------------------------------------------------------------- */

/* Returns, for each element of s (..., n), the product of all others along the last dimension. */
static tocha_tensor *products_of_others(tocha_context *cx, tocha_tensor *s) {
  int64_t n = s->sizes[s->ndim - 1], sizes[TOCHA_MAX_DIMS];
  for (int d = 0; d < s->ndim; d++) sizes[d] = s->sizes[d];
  sizes[s->ndim] = n;
  tocha_tensor *square = tocha_expand(cx, tocha_unsqueeze(cx, s, -2), s->ndim + 1, sizes);
  tocha_tensor *ones = tocha_diagonal_matrix(cx, tocha_ones_like(cx, s));
  tocha_tensor *others =
      ones ? tocha_where_full(cx, tocha_eq_full(cx, ones, tocha_number(tocha_int(1))),
                              tocha_operand_of(ones), tocha_operand_of(square))
           : NULL;
  return others ? tocha_prod_dim_int_full(cx, others, -1, false, TOCHA_NO_DTYPE) : NULL;
}

/* Returns the matrices of cofactors, which exist for singular matrices, too: det(U V') U diag(products of the others) V'. */
static tocha_tensor *cofactors(tocha_context *cx, tocha_tensor *A) {
  tocha_tensor *U, *S, *Vh;
  if (!tocha_private_linalg_svd(cx, A, false, true, NULL, "linalg.svd", &U, &S, &Vh)) return NULL;
  tocha_tensor *sign = tocha_mul(cx, tocha_det(cx, U), tocha_det(cx, Vh));
  tocha_tensor *scaled = tocha_scale_columns(cx, U, products_of_others(cx, S));
  tocha_tensor *out = scaled ? tocha_matmul(cx, scaled, Vh) : NULL;
  return out ? tocha_mul(cx, tocha_unsqueeze(cx, tocha_unsqueeze(cx, sign, -1), -1), out) : NULL;
}

static tocha_tensor *diagonal_with(tocha_context *cx, tocha_tensor *values, tocha_tensor *A) {
  int64_t sizes[TOCHA_MAX_DIMS];
  for (int d = 0; d < A->ndim - 1; d++) sizes[d] = A->sizes[d];
  return tocha_diagonal_matrix(
      cx, tocha_expand(cx, tocha_unsqueeze(cx, values, -1), A->ndim - 1, sizes));
}

/* Returns LU with ten times the machine epsilon in place of each zero on the diagonal. */
static tocha_tensor *without_zeros(tocha_context *cx, tocha_tensor *LU) {
  double small = 10 * tocha_epsilon((tocha_dtype)LU->dtype);
  tocha_tensor *diagonal = tocha_diagonal_of(cx, LU);
  tocha_tensor *zero = diagonal ? tocha_eq_full(cx, diagonal, tocha_number(tocha_int(0))) : NULL;
  if (!zero) return NULL;
  tocha_tensor *more =
      tocha_where_full(cx, zero, tocha_number(tocha_float(small)), tocha_number(tocha_float(0)));
  more = more ? tocha_mul(cx, tocha_ones_like(cx, diagonal), more) : NULL;
  return more ? tocha_add(cx, LU, tocha_diagonal_matrix(cx, more)) : NULL;
}

bool tocha_det_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *A = f->args[0].tensor, *result = f->results[0], *grad = f->grads[0];
  if (!grad) return true;
  if (A->numel == 0) return (f->out[0] = tocha_zeros_like(cx, A)) != NULL;
  if (!is_recorded(f)) {
    tocha_tensor *d = diagonal_with(cx, tocha_mul(cx, grad, result), A);
    tocha_tensor *LU = without_zeros(cx, f->results[1]);
    f->out[0] = d && LU ? solve_transposed(f, A, LU, f->results[2], d, true) : NULL;
    return !tocha_failed(cx);
  }
  tocha_tensor *outer = tocha_unsqueeze(cx, tocha_unsqueeze(cx, grad, -1), -1);
  tocha_tensor *singular = tocha_eq_full(cx, result, tocha_number(tocha_int(0))), *any;
  tocha_scalar found = {0};
  if (!outer || !singular || !(any = tocha_any(cx, singular, 0, NULL, false))) return false;
  if (any->device.type != TOCHA_META && !tocha_item(cx, any, &found)) return false;
  if (tocha_scalar_real(found) != 0)
    f->out[0] = tocha_mul(cx, outer, cofactors(cx, A));
  else
    f->out[0] = tocha_solve_full(cx, tocha_adjoint_of(cx, A),
                                 diagonal_with(cx, tocha_mul(cx, grad, tocha_det(cx, A)), A), true);
  return !tocha_failed(cx);
}

bool tocha_slogdet_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *A = f->args[0].tensor, *grad = f->grads[1];
  if (!grad) return true;
  if (A->numel == 0) return (f->out[0] = tocha_zeros_like(cx, A)) != NULL;
  tocha_tensor *d = diagonal_with(cx, grad, A);
  f->out[0] = d ? solve_transposed(f, A, f->results[2], f->results[3], d, true) : NULL;
  return !tocha_failed(cx);
}

/* --- by factors ---------------------------------------------------------------------------------------------- */

/* Returns the gradient of A in A X = B (A' X = B if transposed, X A = B unless left), from that of B and from X. */
static tocha_tensor *grad_of_matrix(tocha_context *cx, tocha_tensor *grad_b, tocha_tensor *x,
                                    bool left, bool transposed) {
  tocha_tensor *out;
  if (left)
    out = transposed ? tocha_times_adjoint(cx, x, grad_b) : tocha_times_adjoint(cx, grad_b, x);
  else
    out = transposed ? tocha_adjoint_times(cx, grad_b, x) : tocha_adjoint_times(cx, x, grad_b);
  return out ? tocha_neg(cx, out) : NULL;
}

/* Computes the gradients from A = P L U: dL is the strictly lower triangle of P' dA U', and dU the upper one of L' P' dA. */
bool tocha_lu_solve_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *LU = f->args[0].tensor, *pivots = f->args[1].tensor, *x = f->results[0];
  bool left = f->args[3].value.flag, adjoint = f->args[4].value.flag;
  if (!f->grads[0]) return true;
  tocha_tensor *b = tocha_lu_solve_linalg_full(cx, LU, pivots, f->grads[0], left, !adjoint);
  if (tocha_wants_grad(f, 0)) {
    tocha_tensor *P = tocha_private_linalg_pivots_to_matrix(cx, pivots, LU);
    tocha_tensor *g = tocha_adjoint_times(cx, P, grad_of_matrix(cx, b, x, left, adjoint));
    tocha_tensor *lower = tocha_times_adjoint(cx, g, tocha_triu(cx, LU, 0));
    tocha_tensor *upper = tocha_adjoint_times(cx, tocha_unit_lower(cx, LU), g);
    if (lower && upper)
      f->out[0] = tocha_add(cx, tocha_tril(cx, lower, -1), tocha_triu(cx, upper, 0));
  }
  if (tocha_wants_grad(f, 1)) f->out[1] = b;
  return !tocha_failed(cx);
}

static tocha_tensor *triangle(tocha_context *cx, tocha_tensor *x, bool upper, bool unit) {
  if (!x) return NULL;
  return upper ? tocha_triu(cx, x, unit ? 1 : 0) : tocha_tril(cx, x, unit ? -1 : 0);
}

bool tocha_solve_triangular_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  bool upper = f->args[2].value.flag, left = f->args[3].value.flag, unit = f->args[4].value.flag;
  tocha_tensor *A = f->args[0].tensor, *x = f->results[0];
  if (!f->grads[0]) return true;
  tocha_tensor *b =
      tocha_solve_triangular_full(cx, tocha_adjoint_of(cx, A), f->grads[0], !upper, left, unit);
  if (tocha_wants_grad(f, 0))
    f->out[0] = triangle(cx, grad_of_matrix(cx, b, x, left, false), upper, unit);
  if (tocha_wants_grad(f, 1)) f->out[1] = b;
  return !tocha_failed(cx);
}

bool tocha_triangular_solve_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  bool upper = f->args[2].value.flag, transposed = f->args[3].value.flag,
       unit = f->args[4].value.flag;
  tocha_tensor *A = f->args[1].tensor, *x = f->results[0], *b = NULL;
  if (f->grads[0])
    b = tocha_solve_triangular_full(cx, transposed ? A : tocha_adjoint_of(cx, A), f->grads[0],
                                    transposed == upper, true, unit);
  if (tocha_wants_grad(f, 0)) f->out[0] = b;
  if (tocha_wants_grad(f, 1))
    f->out[1] = tocha_sum_of(
        cx, b ? triangle(cx, grad_of_matrix(cx, b, x, true, transposed), upper, unit) : NULL,
        f->grads[1]);
  return !tocha_failed(cx);
}

bool tocha_cholesky_solve_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *L = f->args[1].tensor, *x = f->results[0];
  bool upper = f->args[2].value.flag;
  if (!f->grads[0]) return true;
  tocha_tensor *b = tocha_cholesky_solve(cx, f->grads[0], L, upper);
  if (tocha_wants_grad(f, 0)) f->out[0] = b;
  if (!tocha_wants_grad(f, 1) || !b) return !tocha_failed(cx);
  tocha_tensor *outer = tocha_times_adjoint(cx, b, x);
  outer = outer ? tocha_add(cx, outer, tocha_adjoint_of(cx, outer)) : NULL;
  if (outer)
    f->out[1] = tocha_neg(cx, upper ? tocha_matmul(cx, L, outer) : tocha_matmul(cx, outer, L));
  return !tocha_failed(cx);
}

bool tocha_cholesky_inverse_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *L = f->args[0].tensor, *inverse = f->results[0], *grad = f->grads[0];
  if (!grad) return true;
  grad = tocha_add(cx, grad, tocha_adjoint_of(cx, grad));
  grad = grad ? tocha_matmul(cx, inverse, tocha_matmul(cx, grad, inverse)) : NULL;
  if (!grad) return false;
  f->out[0] =
      tocha_neg(cx, f->args[1].value.flag ? tocha_matmul(cx, L, grad) : tocha_matmul(cx, grad, L));
  return !tocha_failed(cx);
}

/* --- pseudoinverses and least squares ------------------------------------------------------------------------ */

/* Returns the gradient of A from that of its pseudoinverse (Golub, Pereyra: The differentiation of pseudo-inverses, 1973). */
static tocha_tensor *grad_of_pinv(tocha_context *cx, tocha_tensor *grad, tocha_tensor *pinv,
                                  tocha_tensor *A) {
  tocha_tensor *pinv_t = tocha_adjoint_of(cx, pinv), *grad_t = tocha_adjoint_of(cx, grad), *K,
               *rest;
  if (!grad_t || !pinv_t) return NULL;
  if (tocha_row_count(A) <= tocha_column_count(A)) {
    K = tocha_matmul(cx, grad_t, pinv);
    tocha_tensor *Kp = tocha_matmul(cx, K, pinv_t);
    rest = tocha_sub(cx, Kp, tocha_matmul(cx, tocha_matmul(cx, A, pinv), Kp));
    rest = tocha_add(cx, rest,
                     tocha_matmul(cx, tocha_matmul(cx, pinv_t, pinv),
                                  tocha_sub(cx, grad_t, tocha_matmul(cx, K, A))));
    return tocha_sub(cx, rest, tocha_adjoint_of(cx, tocha_matmul(cx, pinv, K)));
  }
  K = tocha_matmul(cx, pinv, grad_t);
  tocha_tensor *pK = tocha_matmul(cx, pinv_t, K);
  rest = tocha_matmul(cx, tocha_matmul(cx, tocha_sub(cx, grad_t, tocha_matmul(cx, A, K)), pinv),
                      pinv_t);
  rest = tocha_add(cx, rest, tocha_sub(cx, pK, tocha_matmul(cx, tocha_matmul(cx, pK, pinv), A)));
  return tocha_sub(cx, rest, tocha_adjoint_of(cx, tocha_matmul(cx, K, pinv)));
}

bool tocha_pinv_backward(tocha_backward_frame *f) {
  if (f->grads[0]) f->out[0] = grad_of_pinv(f->cx, f->grads[0], f->results[0], f->args[0].tensor);
  return !tocha_failed(f->cx);
}

bool tocha_lstsq_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *A = f->args[0].tensor, *b = f->args[1].tensor, *x = f->results[0],
               *grad = f->grads[0], *residuals = f->grads[1], *a_grad = NULL, *b_grad = NULL;
  bool vectors = A->ndim == b->ndim + 1;
  if (vectors) {
    b = tocha_unsqueeze(cx, b, -1);
    x = tocha_unsqueeze(cx, x, -1);
    grad = grad ? tocha_unsqueeze(cx, grad, -1) : NULL;
    residuals = residuals ? tocha_unsqueeze(cx, residuals, -1) : NULL;
  }
  if (grad) {
    tocha_tensor *pinv = tocha_pinv_full(cx, A, NULL, NULL, false);
    if (tocha_wants_grad(f, 0))
      a_grad = grad_of_pinv(cx, tocha_times_adjoint(cx, grad, b), pinv, A);
    if (tocha_wants_grad(f, 1)) b_grad = tocha_adjoint_times(cx, pinv, grad);
  }
  if (residuals && residuals->numel) { /* residuals: |A x - b|^2 for each column */
    tocha_tensor *r = tocha_sub(cx, tocha_matmul(cx, A, x), b);
    r = tocha_mul_full(cx, tocha_scale_columns(cx, r, residuals), tocha_number(tocha_int(2)));
    if (tocha_wants_grad(f, 0)) a_grad = tocha_sum_of(cx, a_grad, tocha_times_adjoint(cx, r, x));
    if (tocha_wants_grad(f, 1)) b_grad = tocha_difference_of(cx, b_grad, r);
  }
  if (tocha_wants_grad(f, 0)) f->out[0] = a_grad;
  if (tocha_wants_grad(f, 1))
    f->out[1] = b_grad && vectors ? tocha_squeeze_dim(cx, b_grad, -1) : b_grad;
  return !tocha_failed(cx);
}
