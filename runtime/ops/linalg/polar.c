/* polar.c: the polar decomposition, the square root of symmetric matrices, and the Lyapunov equation, which their gradients
 * need. */
#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/rules.h"
#include "tensor/copy.h"
#include "tocha/amp.h"
#include "tocha/ops/private/linalg_eigh.h"
#include "tocha/ops/private/linalg_lyapunov.h"
#include "tocha/ops/private/linalg_svd.h"
#include "tocha/ops/clamp_min.h"
#include "tocha/ops/div.h"
#include "tocha/ops/sqrt.h"
#include "tocha/ops/solve.h"

/* Solves H X + X H = Q in the basis of H's eigenvectors, where X is Q divided by the sums of pairs of eigenvalues. */
tocha_tensor *tocha_op__linalg_lyapunov(tocha_context *cx, tocha_tensor *H, tocha_tensor *Q) {
  tocha_tensor *L, *V;
  if (!tocha_private_linalg_eigh(cx, H, "L", true, "linalg.eigh", &L, &V)) return NULL;
  tocha_tensor *sums = tocha_add(cx, tocha_unsqueeze(cx, L, -1), tocha_unsqueeze(cx, L, -2));
  tocha_tensor *turned = tocha_matmul(cx, tocha_adjoint_times(cx, V, Q), V);
  if (!sums || !turned) return NULL;
  return tocha_matmul(cx, V, tocha_times_adjoint(cx, tocha_div(cx, turned, sums), V));
}

tocha_tensor *tocha_op_matrix_sqrth(tocha_context *cx, tocha_tensor *input) {
  tocha_tensor *L, *V;
  if (!tocha_check_square(cx, input, "linalg.matrix_sqrth", "A") ||
      !tocha_check_real(cx, input, "linalg.matrix_sqrth", NULL) ||
      !tocha_private_linalg_eigh(cx, input, "L", true, "linalg.eigh", &L, &V))
    return NULL;
  tocha_tensor *roots = tocha_sqrt(cx, tocha_clamp_min(cx, L, tocha_int(0)));
  return roots ? tocha_times_adjoint(cx, tocha_scale_columns(cx, V, roots), V) : NULL;
}

/* Decomposes a 16-bit A, which autocast allows, in float32. */
static bool polar_of_half(tocha_context *cx, tocha_tensor *A, tocha_tensor **U, tocha_tensor **H) {
  tocha_tensor *single =
      tocha_copy_as(cx, A, TOCHA_FLOAT32, tocha_its_device(), TOCHA_PRESERVE_FORMAT);
  if (!single || !tocha_op_polar_linalg(cx, single, U, H)) return false;
  *U = tocha_copy_as(cx, *U, (tocha_dtype)A->dtype, tocha_its_device(), TOCHA_PRESERVE_FORMAT);
  *H = tocha_copy_as(cx, *H, (tocha_dtype)A->dtype, tocha_its_device(), TOCHA_PRESERVE_FORMAT);
  return *U && *H;
}

bool tocha_op_polar_linalg(tocha_context *cx, tocha_tensor *A, tocha_tensor **U, tocha_tensor **H) {
  tocha_tensor *W, *S, *Vh;
  const char *name = "linalg.polar";
  if (!tocha_check_matrix(cx, A, name, "A")) return false;
  if (!tocha_dtype_is_floating((tocha_dtype)A->dtype) && !tocha_check_real(cx, A, name, NULL))
    return false;
  long long m = tocha_row_count(A), n = tocha_column_count(A);
  if (m < n) {
    tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "%s: input must have at least as many rows as columns, but got %lld by %lld matrices", name,
        m, n);
    return false;
  }
  if (tocha_dtype_size(A->dtype) == 2 && tocha_autocast_enabled(cx, A->device.type))
    return polar_of_half(cx, A, U, H);
  if (!tocha_private_linalg_svd(cx, A, false, true, NULL, "linalg.svd", &W, &S, &Vh)) return false;
  *U = tocha_matmul(cx, W, Vh);
  *H = *U ? tocha_adjoint_times(cx, Vh, tocha_scale_rows(cx, S, Vh)) : NULL;
  return *H != NULL;
}

/* Computes the gradient from A = U H: d(U'A) = W H + dH, where W = U'dU is antisymmetric and solves H W + W H = U'dA - dA'U.
 * Outside the span of the columns of U, dU = dA H^-1. */
bool tocha_polar_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *U = f->results[0], *H = f->results[1], *gU = f->grads[0], *gH = f->grads[1];
  if (!gU && !gH) return true;
  if (gH) gH = tocha_add(cx, gH, tocha_adjoint_of(cx, gH)); /* twice its symmetric part */
  tocha_tensor *along = tocha_adjoint_times(cx, U, gU);
  tocha_tensor *half = gH ? tocha_mul_full(cx, gH, tocha_number(tocha_float(0.5))) : NULL;
  tocha_tensor *turn = tocha_difference_of(cx, along, half ? tocha_matmul(cx, half, H) : NULL);
  if (!turn) return false;
  turn = tocha_private_linalg_lyapunov(cx, H, tocha_sub(cx, turn, tocha_adjoint_of(cx, turn)));
  f->out[0] = turn ? tocha_matmul(cx, U, tocha_sum_of(cx, turn, half)) : NULL;
  if (f->out[0] && gU && tocha_row_count(U) > tocha_column_count(U)) {
    tocha_tensor *outside = tocha_sub(cx, gU, tocha_matmul(cx, U, along));
    f->out[0] = tocha_add(cx, f->out[0], tocha_solve_full(cx, H, outside, false));
  }
  return !tocha_failed(cx);
}
