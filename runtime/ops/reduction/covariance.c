/* covariance.c: covariances and correlations of the rows of a matrix, and integrals by the
 * trapezoidal rule. */
#include "reduction/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/private/div_number.h"
#include "tocha/ops/private/mul_number.h"
#include "tocha/ops/add.h"
#include "tocha/ops/clamp.h"
#include "tocha/ops/cumsum.h"
#include "tocha/ops/diagonal.h"
#include "tocha/ops/div.h"
#include "tocha/ops/min.h"
#include "tocha/ops/mm.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/new_zeros.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/select.h"
#include "tocha/ops/slice.h"
#include "tocha/ops/sqrt.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/t.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/view.h"

static tocha_tensor *times(tocha_context *cx, tocha_tensor *t, double factor) {
  return tocha_mul_full(cx, t, tocha_number(tocha_float(factor)));
}

/* --- cov ----------------------------------------------------------------------------------------- */

/* Fails unless w (count) holds weights of this kind: counts (integers), or else floating-point numbers. */
static bool check_weights(tocha_context *cx, const char *name, tocha_tensor *w, bool counts,
                          int64_t count) {
  tocha_dtype dtype = (tocha_dtype)w->dtype;
  if (w->ndim > 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "cov(): expected %s to have one or fewer dimensions but got %s with %d "
                      "dimensions",
                      name, name, w->ndim);
  if (counts ? !tocha_dtype_is_integer(dtype) : !tocha_dtype_is_floating(dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "cov(): expected %s to have %s dtype but got %s with %s dtype", name,
                      counts ? "integral" : "floating point", name, tocha_dtype_scalar_type(dtype));
  if (w->numel != count)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "cov(): expected %s to have the same numel as there are observations in the "
                      "input but got %lld != %lld",
                      name, (long long)w->numel, (long long)count);
  tocha_scalar minimum;
  if (count == 0 || w->device.type == TOCHA_META) return true;
  if (!tocha_item(cx, tocha_min(cx, w), &minimum)) return false;
  if (tocha_scalar_real(minimum) < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "cov(): %s cannot be negative", name);
  return true;
}

static bool weighs_something(tocha_context *cx, tocha_tensor *total) {
  tocha_scalar sum;
  if (total->device.type == TOCHA_META) return true;
  if (!tocha_item(cx, total, &sum)) return false;
  return tocha_scalar_real(sum) != 0 ||
         tocha_fail(cx, TOCHA_RUNTIME_ERROR, "cov(): weights sum to zero, can't be normalized");
}

/* Returns the divisor of the sums of products: a tensor if there are weights, else a number. */
static tocha_operand divisor(tocha_context *cx, tocha_tensor *w, tocha_tensor *total,
                             tocha_tensor *aweights, int64_t count, int64_t correction) {
  int64_t plain = count - correction > 0 ? count - correction : 0;
  if (!w) return tocha_number(tocha_int(plain));
  tocha_tensor *less = NULL;
  if (aweights && correction != 0)
    less = tocha_div(cx, times(cx, tocha_sum(cx, tocha_mul(cx, w, aweights)), (double)correction),
                     total);
  tocha_tensor *norm =
      less ? tocha_sub(cx, total, less)
           : tocha_sub_full(cx, total, tocha_number(tocha_int(correction)), tocha_int(1));
  tocha_scalar minimum = tocha_int(0);
  return tocha_operand_of(norm ? tocha_clamp(cx, norm, &minimum, NULL) : NULL);
}

tocha_tensor *tocha_op_cov(tocha_context *cx, tocha_tensor *self, int64_t correction,
                           tocha_tensor *fweights, tocha_tensor *aweights) {
  const int64_t one = 1;
  if (self->ndim > 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "cov(): expected input to have two or fewer dimensions but got an input with "
                      "%d dimensions",
                      self->ndim);
  if (self->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "cov(): bool dtype is not supported for input");
  tocha_tensor *in =
      self->ndim < 2 ? tocha_reshape(cx, self, 2, (const int64_t[]){1, self->numel}) : self;
  if (!in) return NULL;
  int64_t count = in->sizes[1];
  if ((fweights && !check_weights(cx, "fweights", fweights, true, count)) ||
      (aweights && !check_weights(cx, "aweights", aweights, false, count)))
    return NULL;
  tocha_tensor *w = fweights && aweights ? tocha_mul(cx, fweights, aweights)
                    : fweights           ? fweights
                                         : aweights;
  tocha_tensor *total = w ? tocha_sum(cx, w) : NULL;
  if (total && !weighs_something(cx, total)) return NULL;
  tocha_operand whole = w ? tocha_operand_of(total) : tocha_number(tocha_int(count));
  tocha_tensor *sum = tocha_sum_dim_IntList(cx, w ? tocha_mul(cx, in, w) : in, 1, &one, false);
  if (tocha_failed(cx)) return NULL;
  in = tocha_sub(cx, in, tocha_unsqueeze(cx, tocha_div_full(cx, sum, whole), 1));
  tocha_tensor *products = tocha_mm(cx, in, tocha_t(cx, w ? tocha_mul(cx, in, w) : in));
  tocha_operand norm = divisor(cx, w, total, aweights, count, correction);
  return tocha_failed(cx) ? NULL : tocha_squeeze(cx, tocha_div_full(cx, products, norm));
}

tocha_tensor *tocha_op_corrcoef(tocha_context *cx, tocha_tensor *self) {
  tocha_scalar minimum = tocha_int(-1), maximum = tocha_int(1);
  if (self->ndim > 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "corrcoef(): expected input to have two or fewer dimensions but got an input "
                      "with %d dimensions",
                      self->ndim);
  tocha_tensor *c = tocha_op_cov(cx, self, 1, NULL, NULL);
  if (!c || c->ndim == 0) return tocha_div(cx, c, c);
  tocha_tensor *deviations = tocha_sqrt(cx, tocha_diagonal(cx, c, 0, 0, 1));
  c = tocha_div(cx, c, tocha_unsqueeze(cx, deviations, 1));
  c = tocha_div(cx, c, tocha_unsqueeze(cx, deviations, 0));
  return c ? tocha_clamp(cx, c, &minimum, &maximum) : NULL;
}

/* --- the trapezoidal rule -------------------------------------------------------------------------- */

/* Returns the sums of neighbours along dim, or their differences if `adds` is false. */
static tocha_tensor *neighbours(tocha_context *cx, tocha_tensor *t, int64_t dim, bool adds) {
  int64_t first = 0, second = 1, end = -1;
  tocha_tensor *left = tocha_slice(cx, t, dim, &first, &end, 1);
  tocha_tensor *right = tocha_slice(cx, t, dim, &second, NULL, 1);
  return adds ? tocha_add(cx, left, right) : tocha_sub(cx, right, left);
}

/* Returns x, the sample points of y, with as many dimensions as y. Fails unless x has one value for
 * each sample. */
static tocha_tensor *beside(tocha_context *cx, const char *name, tocha_tensor *y, tocha_tensor *x,
                            int64_t dim) {
  int64_t sizes[TOCHA_MAX_DIMS], samples;
  if (x->ndim == 1) {
    if (!tocha_size_of(cx, y, (int)dim, &samples)) return NULL;
    if (x->sizes[0] != samples)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "%s: There must be one `x` value for each sample point", name);
    for (int d = 0; d < y->ndim; d++) sizes[d] = d == dim ? x->sizes[0] : 1;
  } else if (x->ndim < y->ndim) {
    for (int d = 0; d < y->ndim; d++)
      sizes[d] = d < y->ndim - x->ndim ? 1 : x->sizes[d - (y->ndim - x->ndim)];
  } else {
    return x;
  }
  return tocha_view(cx, x, y->ndim, sizes);
}

/* Returns twice the areas between neighbouring samples. */
static tocha_tensor *areas(tocha_context *cx, const char *name, tocha_tensor *y, tocha_tensor *x,
                           int64_t dim) {
  if (y->dtype == TOCHA_BOOL || x->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "%s: received a bool input for `x` or `y`, but bool is not supported", name);
  x = beside(cx, name, y, x, dim);
  if (!x) return NULL;
  tocha_tensor *widths = neighbours(cx, x, dim, false);
  return widths ? tocha_mul(cx, neighbours(cx, y, dim, true), widths) : NULL;
}

static bool no_bool(tocha_context *cx, const char *name, const tocha_tensor *y) {
  if (y->dtype != TOCHA_BOOL) return true;
  tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
             "%s: received a bool input for `y`, but bool is not supported", name);
  return false;
}

/* Returns the integral of no samples: zeros of y's dtype. */
static tocha_tensor *nothing(tocha_context *cx, tocha_tensor *y, int64_t dim) {
  int64_t sizes[TOCHA_MAX_DIMS];
  int n = 0;
  for (int d = 0; d < y->ndim; d++)
    if (d != dim) sizes[n++] = y->sizes[d];
  return tocha_new_zeros(cx, y, n, sizes);
}

static tocha_tensor *halved(tocha_context *cx, tocha_tensor *t) {
  return tocha_private_div_number(cx, t, tocha_float(2));
}

static bool is_real(tocha_context *cx, const char *name, tocha_scalar dx) {
  if (dx.kind != TOCHA_SCALAR_BOOL) return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s: Currently, we only support dx as a real number.",
                    name);
}

tocha_tensor *tocha_op_trapezoid(tocha_context *cx, tocha_tensor *y, tocha_scalar dx, int64_t dim) {
  int64_t samples;
  if (!tocha_size_of(cx, y, (int)dim, &samples) || !tocha_wrap_dim(cx, &dim, y->ndim)) return NULL;
  if (samples == 0) return nothing(cx, y, dim);
  if (!no_bool(cx, "trapezoid", y) || !is_real(cx, "trapezoid", dx)) return NULL;
  tocha_tensor *all = tocha_sum_dim_IntList(cx, y, 1, &dim, false);
  tocha_tensor *ends = tocha_add(cx, tocha_select(cx, y, dim, 0), tocha_select(cx, y, dim, -1));
  all = tocha_sub(cx, all, tocha_private_mul_number(cx, ends, tocha_float(0.5)));
  return tocha_private_mul_number(cx, all, tocha_float(tocha_scalar_real(dx)));
}

tocha_tensor *tocha_op_trapezoid_x(tocha_context *cx, tocha_tensor *y, tocha_tensor *x,
                                   int64_t dim) {
  int64_t samples;
  if (!tocha_size_of(cx, y, (int)dim, &samples) || !tocha_wrap_dim(cx, &dim, y->ndim)) return NULL;
  if (samples == 0) return nothing(cx, y, dim);
  tocha_tensor *t = areas(cx, "trapezoid", y, x, dim);
  return halved(cx, t ? tocha_sum_dim_IntList(cx, t, 1, &dim, false) : NULL);
}

tocha_tensor *tocha_op_cumulative_trapezoid(tocha_context *cx, tocha_tensor *y, tocha_scalar dx,
                                            int64_t dim) {
  if (!no_bool(cx, "cumulative_trapezoid", y) || !is_real(cx, "cumulative_trapezoid", dx) ||
      !tocha_wrap_dim(cx, &dim, y->ndim))
    return NULL;
  tocha_tensor *sums = neighbours(cx, y, dim, true);
  return tocha_cumsum(
      cx, tocha_private_mul_number(cx, sums, tocha_float(tocha_scalar_real(dx) / 2)), dim);
}

tocha_tensor *tocha_op_cumulative_trapezoid_x(tocha_context *cx, tocha_tensor *y, tocha_tensor *x,
                                              int64_t dim) {
  if (!tocha_wrap_dim(cx, &dim, y->ndim)) return NULL;
  tocha_tensor *t = areas(cx, "cumulative_trapezoid", y, x, dim);
  return halved(cx, t ? tocha_cumsum(cx, t, dim) : NULL);
}
