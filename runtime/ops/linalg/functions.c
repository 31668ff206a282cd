/* functions.c: the functions of torch.linalg that call the operators of factors.lua and solvers.lua. */
#include <math.h>
#include <string.h>

#include "dispatch/call.h"
#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/rules.h"
#include "tensor/copy.h"
#include "tocha/ops/private/linalg_eigh.h"
#include "tocha/ops/private/linalg_lu_factor_ex.h"
#include "tocha/ops/private/linalg_pivots_to_matrix.h"
#include "tocha/ops/private/linalg_slogdet.h"
#include "tocha/ops/private/linalg_svd.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/transpose.h"
#include "tocha/ops/triu.h"
#include "tocha/ops/where.h"

/* --- LU ------------------------------------------------------------------------------------------------------ */

/* Copies LU factors into *L, the lower triangle with ones on its diagonal, and *U, the upper one. */
static bool unpack(tocha_context *cx, tocha_tensor *LU, tocha_tensor **L, tocha_tensor **U) {
  int64_t m = tocha_row_count(LU), n = tocha_column_count(LU), k = m < n ? m : n;
  *L = tocha_copy_matrices(cx, tocha_unit_lower(cx, tocha_part(cx, LU, -1, 0, k)), false);
  tocha_tensor *top = tocha_part(cx, LU, -2, 0, k);
  *U = top ? tocha_copy_matrices(cx, tocha_triu(cx, top, 0), false) : NULL;
  return *L && *U;
}

bool tocha_op_lu(tocha_context *cx, tocha_tensor *A, bool pivot, tocha_tensor **P, tocha_tensor **L,
                 tocha_tensor **U) {
  tocha_tensor *LU, *pivots, *info;
  if (!tocha_check_has_rows(cx, A, "linalg.lu") ||
      !tocha_private_linalg_lu_factor_ex(cx, A, pivot, false, "linalg.lu", &LU, &pivots, &info))
    return false;
  *P = tocha_private_linalg_pivots_to_matrix(cx, pivots, LU);
  return *P && unpack(cx, LU, L, U);
}

static tocha_tensor *nothing(tocha_context *cx, const tocha_tensor *like) {
  return tocha_new_nothing(cx, like, (tocha_dtype)like->dtype);
}

static bool pivots_fit(tocha_context *cx, const tocha_tensor *LU, const tocha_tensor *pivots) {
  int64_t sizes[TOCHA_MAX_DIMS], rows = tocha_row_count(LU), columns = tocha_column_count(LU);
  int ndim = LU->ndim - 1;
  memcpy(sizes, LU->sizes, sizeof *sizes * (size_t)ndim);
  sizes[ndim - 1] = rows < columns ? rows : columns;
  if (pivots->ndim == ndim && memcmp(pivots->sizes, sizes, sizeof *sizes * (size_t)ndim) == 0)
    return true;
  char expected[256], got[256];
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expected LU_pivots to have shape %s but got %s instead.",
             tocha_shape_text(ndim, sizes, expected, sizeof expected),
             tocha_shape_text(pivots->ndim, pivots->sizes, got, sizeof got));
  return false;
}

bool tocha_op_lu_unpack(tocha_context *cx, tocha_tensor *LU_data, tocha_tensor *LU_pivots,
                        bool unpack_data, bool unpack_pivots, tocha_tensor **P, tocha_tensor **L,
                        tocha_tensor **U) {
  if (!tocha_check_size_read(cx, LU_data, -1) || !tocha_check_size_read(cx, LU_data, -2) ||
      !tocha_check_has_rows(cx, LU_data, "torch.lu_unpack"))
    return false;
  if (unpack_pivots && LU_pivots->dtype != TOCHA_INT32) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
               "dtype.\nNote: this function is intended to be used with the output produced by "
               "torch.linalg.lu_factor");
    return false;
  }
  if (unpack_pivots && !pivots_fit(cx, LU_data, LU_pivots)) return false;
  *P = unpack_pivots ? tocha_private_linalg_pivots_to_matrix(cx, LU_pivots, LU_data)
                     : nothing(cx, LU_data);
  if (unpack_data) return *P && unpack(cx, LU_data, L, U);
  *L = nothing(cx, LU_data);
  *U = nothing(cx, LU_data);
  return *P && *L && *U;
}

/* --- determinants -------------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_logdet(tocha_context *cx, tocha_tensor *self) {
  tocha_tensor *sign, *logabsdet;
  if (!tocha_check_square(cx, self, "logdet", "A") || !tocha_check_real(cx, self, "logdet", NULL))
    return NULL;
  if (!tocha_private_linalg_slogdet(cx, self, &sign, &logabsdet, NULL, NULL)) return NULL;
  tocha_tensor *negative = tocha_eq_full(cx, sign, tocha_number(tocha_int(-1)));
  return negative ? tocha_where_full(cx, negative, tocha_number(tocha_float(NAN)),
                                     tocha_operand_of(logabsdet))
                  : NULL;
}

/* --- Cholesky, singular values, eigenvalues ------------------------------------------------------------------- */

static bool wants_gradient(tocha_context *cx, const tocha_tensor *t) {
  return tocha_grad_enabled(cx) && tocha_requires_grad(t);
}

tocha_tensor *tocha_op_svdvals(tocha_context *cx, tocha_tensor *A, const char *driver) {
  tocha_tensor *U, *S, *Vh;
  return tocha_private_linalg_svd(cx, A, false, wants_gradient(cx, A), driver, "linalg.svd", &U, &S,
                                  &Vh)
             ? S
             : NULL;
}

bool tocha_op_svd(tocha_context *cx, tocha_tensor *self, bool some, bool compute_uv,
                  tocha_tensor **U, tocha_tensor **S, tocha_tensor **V) {
  tocha_tensor *Vh;
  if (self->ndim < 2) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "linalg.svd: input should have at least 2 dimensions, but has %d dimensions instead",
               self->ndim);
    return false;
  }
  if (compute_uv) {
    if (!tocha_private_linalg_svd(cx, self, !some, true, NULL, "linalg.svd", U, S, &Vh))
      return false;
    *V = tocha_transpose(cx, Vh, -2, -1);
    return *V != NULL;
  }
  *S = tocha_op_svdvals(cx, self, NULL);
  int64_t m = tocha_row_count(self), n = tocha_column_count(self); /* also with `some` */
  *U = tocha_new_matrices(cx, self, m, m, false);
  *V = tocha_new_matrices(cx, self, n, n, true);
  return *S && *U && *V &&
         (self->device.type == TOCHA_META ||
          (tocha_fill_data(cx, *U, tocha_int(0)) && tocha_fill_data(cx, *V, tocha_int(0))));
}

tocha_tensor *tocha_op_eigvalsh(tocha_context *cx, tocha_tensor *self, const char *UPLO) {
  tocha_tensor *L, *V;
  return tocha_private_linalg_eigh(cx, self, UPLO, wants_gradient(cx, self), "linalg.eigh", &L, &V)
             ? L
             : NULL;
}
