/* backward_factors.c: the gradients of factorizations. */
#include <string.h>

#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/rules.h"
#include "tocha/ops/triu.h"
#include "tocha/ops/div.h"
#include "tocha/ops/private/linalg_pivots_to_matrix.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/constant_pad_nd.h"
#include "tocha/ops/zeros_like.h"

static tocha_tensor *joined(tocha_context *cx, tocha_tensor *a, tocha_tensor *b, int64_t dim) {
  tocha_tensor *both[2] = {a, b};
  return a && b ? tocha_cat(cx, 2, both, dim) : NULL;
}

static tocha_tensor *halved(tocha_context *cx, tocha_tensor *x) {
  return x ? tocha_mul_full(cx, x, tocha_number(tocha_float(0.5))) : NULL;
}

/* --- LU ------------------------------------------------------------------------------------------------------ */

/* Returns the gradient of A = L U for square factors: L'^-1 (lower(L' dL) + upper(dU U')) U'^-1. */
static tocha_tensor *square_lu(tocha_context *cx, tocha_tensor *L, tocha_tensor *U,
                               tocha_tensor *gL, tocha_tensor *gU) {
  tocha_tensor *lower = tocha_adjoint_times(cx, L, gL);
  tocha_tensor *upper = tocha_times_adjoint(cx, gU, U);
  if (lower) lower = tocha_tril(cx, lower, -1);
  if (upper) upper = tocha_triu(cx, upper, 0);
  tocha_tensor *phi = tocha_sum_of(cx, lower, upper);
  if (!phi) return NULL;
  phi = tocha_divide_left(cx, tocha_adjoint_of(cx, L), phi, true, true);
  return tocha_divide_right(cx, phi, tocha_adjoint_of(cx, U), false, false);
}

/* Returns the gradient of A = P L U. Outside the square part, U = L^-1 P' A (wide matrices) and L = P' A U^-1 (tall ones). */
static tocha_tensor *grad_of_lu(tocha_context *cx, tocha_tensor *P, tocha_tensor *L,
                                tocha_tensor *U, tocha_tensor *gL, tocha_tensor *gU) {
  int64_t m = tocha_row_count(L), n = tocha_column_count(U), k = m < n ? m : n;
  if (!gL && !gU) return NULL;
  tocha_tensor *out;
  if (m == n) {
    out = square_lu(cx, L, U, gL, gU);
  } else if (m < n) {
    tocha_tensor *U1 = tocha_part(cx, U, -1, 0, k), *U2 = tocha_part(cx, U, -1, k, n - k);
    tocha_tensor *rest = tocha_divide_left(cx, tocha_adjoint_of(cx, L),
                                           tocha_part(cx, gU, -1, k, n - k), true, true);
    gL = tocha_difference_of(cx, gL, tocha_times_adjoint(cx, rest, U2));
    out = square_lu(cx, L, U1, gL, tocha_part(cx, gU, -1, 0, k));
    out = joined(cx, out, rest ? rest : tocha_zeros_like(cx, U2), -1);
  } else {
    tocha_tensor *L1 = tocha_part(cx, L, -2, 0, k), *L2 = tocha_part(cx, L, -2, k, m - k);
    tocha_tensor *rest = tocha_divide_right(cx, tocha_part(cx, gL, -2, k, m - k),
                                            tocha_adjoint_of(cx, U), false, false);
    gU = tocha_difference_of(cx, gU, tocha_adjoint_times(cx, L2, rest));
    out = square_lu(cx, L1, U, tocha_part(cx, gL, -2, 0, k), gU);
    out = joined(cx, out, rest ? rest : tocha_zeros_like(cx, L2), -2);
  }
  return out ? tocha_matmul(cx, P, out) : NULL;
}

bool tocha_lu_backward(tocha_backward_frame *f) {
  f->out[0] =
      grad_of_lu(f->cx, f->results[0], f->results[1], f->results[2], f->grads[1], f->grads[2]);
  return !tocha_failed(f->cx);
}

bool tocha_lu_factor_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *LU = f->results[0], *grad = f->grads[0];
  if (!grad) return true;
  int64_t m = tocha_row_count(LU), n = tocha_column_count(LU), k = m < n ? m : n;
  tocha_tensor *P = tocha_private_linalg_pivots_to_matrix(cx, f->results[1], LU);
  tocha_tensor *L = tocha_unit_lower(cx, tocha_part(cx, LU, -1, 0, k));
  tocha_tensor *top = tocha_part(cx, LU, -2, 0, k);
  tocha_tensor *U = top ? tocha_triu(cx, top, 0) : NULL;
  if (!P || !L || !U) return false;
  tocha_tensor *gL = tocha_tril(cx, tocha_part(cx, grad, -1, 0, k), -1);
  tocha_tensor *gU = tocha_triu(cx, tocha_part(cx, grad, -2, 0, k), 0);
  f->out[0] = grad_of_lu(cx, P, L, U, gL, gU);
  return !tocha_failed(cx);
}

/* Returns x with zeros below (dim -2) or to its right (dim -1), up to `size` rows or columns. */
static tocha_tensor *padded(tocha_context *cx, tocha_tensor *x, int64_t dim, int64_t size) {
  int64_t more[4] = {0};
  more[dim == -2 ? 3 : 1] = size - (dim == -2 ? tocha_row_count(x) : tocha_column_count(x));
  return tocha_constant_pad_nd(cx, x, 4, more, tocha_int(0));
}

bool tocha_lu_unpack_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *gL = f->grads[1], *gU = f->grads[2];
  const int64_t *sizes = tocha_edge_shape(f, 0).sizes;
  int ndim = tocha_edge_shape(f, 0).ndim;
  if (gL && gL->ndim > 1) gL = padded(cx, tocha_tril(cx, gL, -1), -1, sizes[ndim - 1]);
  if (gU && gU->ndim > 1) gU = padded(cx, tocha_triu(cx, gU, 0), -2, sizes[ndim - 2]);
  f->out[0] = tocha_sum_of(cx, gL, gU);
  return !tocha_failed(cx);
}

/* --- Cholesky ------------------------------------------------------------------------------------------------ */

bool tocha_cholesky_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  bool upper = f->args[1].value.flag;
  tocha_tensor *L = f->results[0], *grad = f->grads[0];
  if (!grad) return true;
  if (upper) {
    L = tocha_adjoint_of(cx, L);
    grad = tocha_adjoint_of(cx, grad);
  }
  tocha_tensor *phi = tocha_adjoint_times(cx, L, grad);
  if (!phi) return false;
  phi = halved(
      cx, tocha_add(cx, tocha_tril(cx, phi, 0), tocha_adjoint_of(cx, tocha_tril(cx, phi, -1))));
  phi = tocha_divide_left(cx, tocha_adjoint_of(cx, L), phi, true, false);
  f->out[0] = tocha_divide_right(cx, phi, L, false, false);
  return !tocha_failed(cx);
}

/* --- QR ------------------------------------------------------------------------------------------------------ */

/* Returns the gradient of a square or tall A = Q R: (dQ + Q sym(upper(dR R' - Q' dQ))) R'^-1, where sym mirrors the upper
 * triangle. */
static tocha_tensor *tall_qr(tocha_context *cx, tocha_tensor *Q, tocha_tensor *R, tocha_tensor *gQ,
                             tocha_tensor *gR) {
  tocha_tensor *inner =
      tocha_difference_of(cx, tocha_times_adjoint(cx, gR, R), tocha_adjoint_times(cx, Q, gQ));
  if (!inner) return NULL;
  inner = tocha_triu(cx, inner, 0);
  tocha_tensor *strict = inner ? tocha_triu(cx, inner, 1) : NULL;
  inner = strict ? tocha_add(cx, inner, tocha_adjoint_of(cx, strict)) : NULL;
  tocha_tensor *out = inner ? tocha_sum_of(cx, tocha_matmul(cx, Q, inner), gQ) : NULL;
  return tocha_divide_right(cx, out, tocha_adjoint_of(cx, R), false, false);
}

bool tocha_qr_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *Q = f->results[0], *R = f->results[1], *gQ = f->grads[0], *gR = f->grads[1];
  const char *mode = f->args[1].value.string;
  if (!gQ && !gR) return true;
  if (strcmp(mode, "r") == 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "
               "Please use linalg.qr(A, mode='reduced') if you are going to require gradients");
    return false;
  }
  int64_t m = tocha_row_count(Q), n = tocha_column_count(R);
  if (strcmp(mode, "complete") == 0 && m > n) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "The QR decomposition is not differentiable when mode='complete' and nrows > "
               "ncols");
    return false;
  }
  if (m >= n) {
    f->out[0] = tall_qr(cx, Q, R, gQ, gR);
    return !tocha_failed(cx);
  }
  /* The columns right of the square part, A2, have R2 = Q' A2. */
  tocha_tensor *R1 = tocha_part(cx, R, -1, 0, m), *R2 = tocha_part(cx, R, -1, m, n - m);
  tocha_tensor *g2 = tocha_part(cx, gR, -1, m, n - m);
  tocha_tensor *through = g2 ? tocha_times_adjoint(cx, tocha_matmul(cx, Q, R2), g2) : NULL;
  tocha_tensor *first =
      tall_qr(cx, Q, R1, tocha_sum_of(cx, gQ, through), tocha_part(cx, gR, -1, 0, m));
  f->out[0] = joined(cx, first, g2 ? tocha_matmul(cx, Q, g2) : tocha_zeros_like(cx, R2), -1);
  return !tocha_failed(cx);
}

/* --- singular values and eigenvalues ------------------------------------------------------------------------- */

/* Returns the differences s_j - s_i of the elements of a vector, with ones on the diagonal. */
static tocha_tensor *differences(tocha_context *cx, tocha_tensor *s) {
  tocha_tensor *ones = tocha_ones_like(cx, s);
  tocha_tensor *all = tocha_sub(cx, tocha_unsqueeze(cx, s, -2), tocha_unsqueeze(cx, s, -1));
  return all && ones ? tocha_add(cx, all, tocha_diagonal_matrix(cx, ones)) : NULL;
}

/* Returns (X' G - G' X) / E. */
static tocha_tensor *rotation(tocha_context *cx, tocha_tensor *X, tocha_tensor *G,
                              tocha_tensor *E) {
  tocha_tensor *product = tocha_adjoint_times(cx, X, G);
  return product && E ? tocha_div(cx, tocha_sub(cx, product, tocha_adjoint_of(cx, product)), E)
                      : NULL;
}

/* Returns the part of G outside the span of X's columns: G - X X' G. */
static tocha_tensor *outside(tocha_context *cx, tocha_tensor *X, tocha_tensor *G) {
  return tocha_difference_of(cx, G, G ? tocha_matmul(cx, X, tocha_adjoint_times(cx, X, G)) : NULL);
}

static tocha_tensor *grad_of_svd(tocha_context *cx, tocha_tensor *U, tocha_tensor *S,
                                 tocha_tensor *Vh, tocha_tensor *gU, tocha_tensor *gS,
                                 tocha_tensor *gVh) {
  int64_t m = tocha_row_count(U), n = tocha_column_count(Vh), k = S->sizes[S->ndim - 1];
  tocha_tensor *V = tocha_adjoint_of(cx, Vh), *gV = tocha_adjoint_of(cx, gVh);
  if (!gU && !gV) /* the cheaper product first */
    return m >= n ? tocha_matmul(cx, U, tocha_scale_rows(cx, gS, Vh))
                  : tocha_matmul(cx, tocha_scale_columns(cx, U, gS), Vh);
  tocha_tensor *E = differences(cx, tocha_mul(cx, S, S));
  tocha_tensor *inner = tocha_scale_columns(cx, rotation(cx, U, gU, E), S);
  inner = tocha_sum_of(cx, inner, tocha_scale_rows(cx, S, rotation(cx, V, gV, E)));
  inner = tocha_sum_of(cx, inner, tocha_diagonal_matrix(cx, gS));
  if (!inner) return NULL;
  tocha_tensor *out = tocha_matmul(cx, U, tocha_matmul(cx, inner, Vh));
  if (m > k && gU) {
    tocha_tensor *scaled = tocha_div(cx, gU, tocha_unsqueeze(cx, S, -2));
    out = tocha_add(cx, out, tocha_matmul(cx, outside(cx, U, scaled), Vh));
  }
  if (n > k && gV) {
    tocha_tensor *scaled = tocha_div(cx, gV, tocha_unsqueeze(cx, S, -2));
    out = tocha_add(cx, out, tocha_times_adjoint(cx, U, outside(cx, V, scaled)));
  }
  return out;
}

bool tocha_svd_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *U = f->results[0], *S = f->results[1], *Vh = f->results[2], *gU = f->grads[0],
               *gVh = f->grads[2];
  int64_t k = S->sizes[S->ndim - 1];
  if (!gU && !gVh && !f->grads[1]) return true;
  f->out[0] = grad_of_svd(cx, tocha_part(cx, U, -1, 0, k), S, tocha_part(cx, Vh, -2, 0, k),
                          tocha_part(cx, gU, -1, 0, k), f->grads[1], tocha_part(cx, gVh, -2, 0, k));
  return !tocha_failed(cx);
}

bool tocha_eigh_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *L = f->results[0], *V = f->results[1], *gL = f->grads[0], *gV = f->grads[1];
  if (!gL && !gV) return true;
  if (!gV) {
    f->out[0] = tocha_times_adjoint(cx, tocha_scale_columns(cx, V, gL), V);
    return !tocha_failed(cx);
  }
  tocha_tensor *inner = halved(cx, rotation(cx, V, gV, differences(cx, L)));
  inner = tocha_sum_of(cx, inner, tocha_diagonal_matrix(cx, gL));
  if (inner) f->out[0] = tocha_matmul(cx, V, tocha_times_adjoint(cx, inner, V));
  return !tocha_failed(cx);
}
