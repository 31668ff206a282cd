/* norms.c: norms, condition numbers, ranks and pseudoinverses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "dispatch/call.h"
#include "linalg/implementations.h"
#include "ops/reduction/reduce.h"
#include "tensor/copy.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/rules.h"
#include "tocha/ops/div.h"
#include "tocha/ops/detach.h"
#include "tocha/ops/private/linalg_pinv.h"
#include "tocha/ops/abs.h"
#include "tocha/ops/amax.h"
#include "tocha/ops/amin.h"
#include "tocha/ops/eigh.h"
#include "tocha/ops/eigvalsh.h"
#include "tocha/ops/gt.h"
#include "tocha/ops/inv_ex.h"
#include "tocha/ops/masked_fill.h"
#include "tocha/ops/matrix_norm.h"
#include "tocha/ops/maximum.h"
#include "tocha/ops/movedim.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/nan_to_num.h"
#include "tocha/ops/reciprocal.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/svd.h"
#include "tocha/ops/svdvals.h"
#include "tocha/ops/to.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/vector_norm.h"
#include "tocha/ops/where.h"

/* --- norms of matrices --------------------------------------------------------------------------------------- */

static bool check_type(tocha_context *cx, const tocha_tensor *t, bool by_values) {
  if (by_values || !tocha_dtype_is_floating(t->dtype))
    return tocha_check_real(cx, t, "linalg.matrix_norm", NULL);
  return true;
}

/* Checks self and its dims, and writes the dims as two different ones, counted from 0. by_values: the norm needs singular
 * values. */
static bool read_dims(tocha_context *cx, const tocha_tensor *t, bool by_values, int count,
                      const int64_t *dim, int64_t dims[2]) {
  if (!tocha_check_matrix(cx, t, "linalg.matrix_norm", "A") || !check_type(cx, t, by_values))
    return false;
  if (count != 2) {
    tocha_text text = {0};
    for (int i = 0; i < count; i++)
      tocha_text_format(&text, i ? " %lld" : "%lld", (long long)dim[i]);
    char *got = tocha_text_finish(cx, &text);
    if (got)
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "linalg.matrix_norm: dim must be a 2-tuple. Got %s", got);
    free(got);
    return false;
  }
  for (int i = 0; i < 2; i++) {
    dims[i] = dim[i];
    if (!tocha_wrap_dim(cx, &dims[i], t->ndim)) return false;
  }
  if (dims[0] != dims[1]) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "linalg.matrix_norm: dims must be different. Got (%lld, %lld)", (long long)dims[0],
             (long long)dims[1]);
  return false;
}

/* Checks self, dims and dtype, and writes the dims as two different ones, counted from 0. */
static bool check_norm(tocha_context *cx, const tocha_tensor *t, bool by_values, int count,
                       const int64_t *dim, tocha_dtype dtype, int64_t dims[2]) {
  return read_dims(cx, t, by_values, count, dim, dims) &&
         (dtype == TOCHA_NO_DTYPE ||
          tocha_check_norm_dtype(cx, "linalg.matrix_norm", (tocha_dtype)t->dtype, dtype));
}

static tocha_tensor *in_dtype(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype) {
  return dtype == TOCHA_NO_DTYPE || !t ? t : tocha_to_dtype(cx, t, dtype, false, false);
}

/* Returns the singular values of the matrices in dims, along a new last dimension. */
static tocha_tensor *values_of(tocha_context *cx, tocha_tensor *t, const int64_t dims[2]) {
  const int64_t last[2] = {-2, -1};
  return tocha_svdvals_full(cx, tocha_movedim(cx, t, 2, dims, 2, last), NULL);
}

/* Returns t with the reduced dims as dimensions of size 1, if keepdim. */
static tocha_tensor *kept(tocha_context *cx, tocha_tensor *t, const int64_t dims[2], bool keepdim) {
  if (!keepdim) return t;
  bool ordered = dims[0] < dims[1];
  return tocha_unsqueeze(cx, tocha_unsqueeze(cx, t, dims[!ordered]), dims[ordered]);
}

/* Returns the maximum or minimum along dim. The maximum of no elements is 0, a constant. */
static tocha_tensor *extreme(tocha_context *cx, tocha_tensor *t, int64_t dim, bool maximum,
                             bool keepdim) {
  if (!t) return NULL;
  if (!maximum) return tocha_amin(cx, t, 1, &dim, keepdim);
  if (t->sizes[dim < 0 ? dim + t->ndim : dim] > 0) return tocha_amax(cx, t, 1, &dim, keepdim);
  return tocha_detach(cx, tocha_sum_dim_IntList(cx, t, 1, &dim, keepdim));
}

tocha_tensor *tocha_op_matrix_norm(tocha_context *cx, tocha_tensor *self, tocha_scalar ord,
                                   int dim_count, const int64_t *dim, bool keepdim,
                                   tocha_dtype dtype) {
  double p = tocha_scalar_real(ord);
  int64_t dims[2];
  bool by_values = fabs(p) == 2;
  if (!by_values && fabs(p) != 1 && !isinf(p)) {
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "linalg.matrix_norm: Order %g not supported.", p);
  }
  if (!check_norm(cx, self, by_values, dim_count, dim, dtype, dims)) return NULL;
  if (by_values) {
    tocha_tensor *values = values_of(cx, in_dtype(cx, self, dtype), dims);
    return kept(cx, extreme(cx, values, -1, p > 0, false), dims, keepdim);
  }
  int64_t summed = dims[isinf(p) != 0], rest = dims[isinf(p) == 0];
  if (!keepdim && rest > summed) rest--;
  tocha_tensor *sums = tocha_vector_norm_full(cx, self, 1, 1, &summed, keepdim, dtype);
  return extreme(cx, sums, rest, p > 0, keepdim);
}

tocha_tensor *tocha_op_matrix_norm_str_ord(tocha_context *cx, tocha_tensor *self, const char *ord,
                                           int dim_count, const int64_t *dim, bool keepdim,
                                           tocha_dtype dtype) {
  bool nuclear = strcmp(ord, "nuc") == 0;
  int64_t dims[2], last = -1;
  if (!nuclear && strcmp(ord, "fro") != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "linalg.matrix_norm: Order %s not supported.", ord);
  if (!check_norm(cx, self, nuclear, dim_count, dim, dtype, dims)) return NULL;
  if (!nuclear) return tocha_vector_norm_full(cx, self, 2, 2, dims, keepdim, dtype);
  tocha_tensor *values = values_of(cx, in_dtype(cx, self, dtype), dims);
  return kept(cx, tocha_sum_dim_IntList(cx, values, 1, &last, false), dims, keepdim);
}

/* --- condition numbers --------------------------------------------------------------------------------------- */

static const int64_t matrix_dims[2] = {-2, -1};

/* Fails unless self has square matrices, with an error that names the order. */
static bool check_condition(tocha_context *cx, const tocha_tensor *self, const char *order) {
  char name[64];
  snprintf(name, sizeof name, "linalg.cond(ord=%.32s)", order);
  return tocha_check_square(cx, self, name, "A");
}

static bool check_order(tocha_context *cx, double p) {
  if (fabs(p) == 2 || fabs(p) == 1 || isinf(p)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "linalg.cond got an invalid norm type: %g", p);
  return false;
}

tocha_tensor *tocha_op_cond(tocha_context *cx, tocha_tensor *self, const tocha_scalar *p) {
  double ord = p ? tocha_scalar_real(*p) : 2;
  char order[32];
  if (self->ndim < 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "linalg.cond: The input tensor must have at least 2 dimensions.");
  if (!check_order(cx, ord)) return NULL;
  if (self->numel == 0) return tocha_zero_numbers(cx, self, tocha_dtype_real(self->dtype));
  if (!p || fabs(ord) == 2) {
    tocha_tensor *values = tocha_svdvals_full(cx, self, NULL);
    if (!values) return NULL;
    int64_t k = values->sizes[values->ndim - 1];
    if (k == 0) return tocha_sum_dim_IntList(cx, values, 1, matrix_dims + 1, false);
    tocha_tensor *first = tocha_part(cx, values, -1, 0, 1),
                 *last = tocha_part(cx, values, -1, k - 1, 1);
    return tocha_squeeze_dim(cx, ord > 0 ? tocha_div(cx, first, last) : tocha_div(cx, last, first),
                             -1);
  }
  tocha_tensor *inverse, *info;
  snprintf(order, sizeof order, p->kind == TOCHA_SCALAR_FLOAT ? "%f" : "%.0f", ord);
  if (!check_condition(cx, self, order) || !tocha_inv_ex_full(cx, self, false, &inverse, &info))
    return NULL;
  tocha_tensor *singular = tocha_gt_full(cx, tocha_unsqueeze(cx, tocha_unsqueeze(cx, info, -1), -1),
                                         tocha_number(tocha_int(0)));
  inverse = tocha_masked_fill_full(cx, inverse, singular, tocha_number(tocha_float(INFINITY)));
  const double largest = INFINITY, smallest = -INFINITY;
  tocha_tensor *product = tocha_mul(cx, tocha_matrix_norm(cx, self, *p, 2, matrix_dims, false),
                                    tocha_matrix_norm(cx, inverse, *p, 2, matrix_dims, false));
  return tocha_nan_to_num(cx, product, &largest, &largest, &smallest);
}

tocha_tensor *tocha_op_cond_p_str(tocha_context *cx, tocha_tensor *self, const char *p) {
  tocha_tensor *inverse, *info;
  bool nuclear = strcmp(p, "nuc") == 0;
  if (!check_condition(cx, self, p)) return NULL;
  if (!nuclear && strcmp(p, "fro") != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "linalg.cond got an invalid norm type: %s", p);
  if (self->numel == 0) return tocha_zero_numbers(cx, self, tocha_dtype_real(self->dtype));
  if (nuclear) {
    tocha_tensor *values = tocha_svdvals_full(cx, self, NULL);
    return tocha_mul(
        cx, tocha_sum_dim_IntList(cx, values, 1, matrix_dims + 1, false),
        tocha_sum_dim_IntList(cx, tocha_reciprocal(cx, values), 1, matrix_dims + 1, false));
  }
  if (!tocha_inv_ex_full(cx, self, false, &inverse, &info)) return NULL;
  const double largest = INFINITY, smallest = -INFINITY;
  tocha_tensor *product =
      tocha_mul(cx, tocha_matrix_norm_str_ord(cx, self, p, 2, matrix_dims, false),
                tocha_matrix_norm_str_ord(cx, inverse, p, 2, matrix_dims, false));
  return tocha_nan_to_num(cx, product, &largest, &largest, &smallest);
}

/* --- tolerances ---------------------------------------------------------------------------------------------- */

/* Returns one number for each matrix (...) in a shape that broadcasts with values (..., k). */
static tocha_tensor *beside(tocha_context *cx, tocha_tensor *t) {
  return t && t->ndim ? tocha_unsqueeze(cx, t, -1) : t;
}

static tocha_tensor *number(tocha_context *cx, double value) {
  tocha_tensor *t = tocha_new(cx, 0, NULL, TOCHA_FLOAT64, tocha_cpu());
  if (t) *(double *)(void *)tocha_bytes(t) = value;
  return t;
}

/* Returns max(atol, rtol * the largest value) for each matrix. If atol is not given, it is 0. If rtol is not given, it is the
 * machine epsilon times the larger size, or 0 if atol is positive. */
static tocha_tensor *tolerance(tocha_context *cx, const tocha_tensor *A, tocha_tensor *values,
                               tocha_tensor *atol, tocha_tensor *rtol) {
  int64_t m = tocha_row_count(A), n = tocha_column_count(A), last = -1;
  double precision = tocha_epsilon((tocha_dtype)A->dtype) * (double)(m > n ? m : n);
  tocha_tensor *largest = tocha_amax(cx, values, 1, &last, true), *relative;
  if (!largest) return NULL;
  if (rtol) {
    relative = tocha_mul(cx, beside(cx, rtol), largest);
  } else {
    relative = tocha_mul_full(cx, largest, tocha_number(tocha_float(precision)));
    if (atol && relative) {
      tocha_tensor *positive = tocha_gt_full(cx, beside(cx, atol), tocha_number(tocha_int(0)));
      relative =
          tocha_where_full(cx, positive, tocha_number(tocha_float(0)), tocha_operand_of(relative));
    }
  }
  return atol && relative ? tocha_maximum(cx, beside(cx, atol), relative) : relative;
}

static tocha_tensor *optional(tocha_context *cx, const double *value) {
  return value ? number(cx, *value) : NULL;
}

/* --- ranks --------------------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_matrix_rank_atol_rtol_tensor(tocha_context *cx, tocha_tensor *A,
                                                    tocha_tensor *atol, tocha_tensor *rtol,
                                                    bool hermitian) {
  const int64_t last = -1;
  if (!tocha_check_matrix(cx, A, "torch.linalg.matrix_rank", "input")) return NULL;
  if (!rtol && !tocha_linalg_takes((tocha_dtype)A->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "This function doesn't handle types other than float and double");
  if (A->numel == 0) return tocha_zero_numbers(cx, A, TOCHA_INT64);
  tocha_tensor *values =
      hermitian ? tocha_abs(cx, tocha_eigvalsh(cx, A, "L")) : tocha_svdvals_full(cx, A, NULL);
  if (!values) return NULL;
  tocha_tensor *above = tocha_gt(cx, values, tolerance(cx, A, values, atol, rtol));
  return tocha_sum_dim_IntList(cx, above, 1, &last, false);
}

tocha_tensor *tocha_op_matrix_rank(tocha_context *cx, tocha_tensor *self, const double *atol,
                                   const double *rtol, bool hermitian) {
  return tocha_op_matrix_rank_atol_rtol_tensor(cx, self, optional(cx, atol), optional(cx, rtol),
                                               hermitian);
}

tocha_tensor *tocha_op_matrix_rank_tol(tocha_context *cx, tocha_tensor *self, double tol,
                                       bool hermitian) {
  return tocha_op_matrix_rank_atol_rtol_tensor(cx, self, number(cx, tol), number(cx, 0), hermitian);
}

tocha_tensor *tocha_op_matrix_rank_tol_tensor(tocha_context *cx, tocha_tensor *input,
                                              tocha_tensor *tol, bool hermitian) {
  return tocha_op_matrix_rank_atol_rtol_tensor(cx, input, tol, number(cx, 0), hermitian);
}

/* --- pseudoinverses ------------------------------------------------------------------------------------------ */

/* Returns 1 / value for values whose size is above the tolerance, and 0 for the others. */
static tocha_tensor *inverted(tocha_context *cx, const tocha_tensor *A, tocha_tensor *values,
                              tocha_tensor *sizes, tocha_tensor *atol, tocha_tensor *rtol) {
  tocha_tensor *above = tocha_gt(cx, sizes, tolerance(cx, A, sizes, atol, rtol));
  return tocha_where_full(cx, above, tocha_operand_of(tocha_reciprocal(cx, values)),
                          tocha_number(tocha_float(0)));
}

static bool check_pinv(tocha_context *cx, const tocha_tensor *t) {
  char text[256];
  if (t->ndim >= 2 && tocha_linalg_takes((tocha_dtype)t->dtype)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "linalg.pinv(%s{%s}): expected a tensor with 2 or more dimensions of float, double, "
             "cfloat or cdouble types",
             tocha_dtype_scalar_type((tocha_dtype)t->dtype),
             tocha_shape_text(t->ndim, t->sizes, text, sizeof text));
  return false;
}

/* Returns a b', a product inside an operator's own code that autocast casts nevertheless. */
static tocha_tensor *cast_product(tocha_context *cx, tocha_tensor *a, tocha_tensor *b) {
  int below = cx->below_autograd;
  if (a->device.type == TOCHA_CPU)
    cx->below_autograd = 0; /* records nothing, because neither requires a gradient */
  tocha_tensor *product = tocha_times_adjoint(cx, a, b);
  cx->below_autograd = below;
  return product;
}

tocha_tensor *tocha_op__linalg_pinv(tocha_context *cx, tocha_tensor *self, tocha_tensor *atol,
                                    tocha_tensor *rtol, bool hermitian) {
  tocha_tensor *U, *S, *Vh;
  if (!check_pinv(cx, self)) return NULL;
  if (self->numel == 0)
    return tocha_new_matrices(cx, self, tocha_column_count(self), tocha_row_count(self), false);
  if (hermitian) {
    if (!tocha_eigh(cx, self, "L", &S, &U)) return NULL;
    S = inverted(cx, self, S, tocha_abs(cx, S), atol, rtol);
    return cast_product(cx, tocha_scale_columns(cx, U, S), U);
  }
  if (!tocha_svd_linalg_full(cx, self, false, NULL, &U, &S, &Vh)) return NULL;
  S = inverted(cx, self, S, S, atol, rtol);
  return S ? cast_product(cx, tocha_scale_columns(cx, tocha_adjoint_of(cx, Vh), S), U) : NULL;
}

tocha_tensor *tocha_op_pinv(tocha_context *cx, tocha_tensor *self, const double *atol,
                            const double *rtol, bool hermitian) {
  int64_t rows;
  if (atol && !tocha_size_of(cx, self, -2, &rows)) return NULL;
  /* PyTorch asks for the dtype's epsilon here */
  if (atol && !rtol && !tocha_dtype_is_floating(self->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "This function doesn't handle types other than float and double");
  return tocha_private_linalg_pinv(cx, self, optional(cx, atol), optional(cx, rtol), hermitian);
}

tocha_tensor *tocha_op_pinv_rcond(tocha_context *cx, tocha_tensor *self, double rcond,
                                  bool hermitian) {
  return tocha_private_linalg_pinv(cx, self, number(cx, 0), number(cx, rcond), hermitian);
}

tocha_tensor *tocha_op_pinv_rcond_tensor(tocha_context *cx, tocha_tensor *self, tocha_tensor *rcond,
                                         bool hermitian) {
  return tocha_private_linalg_pinv(cx, self, number(cx, 0), rcond, hermitian);
}
