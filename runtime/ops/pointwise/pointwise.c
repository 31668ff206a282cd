/* pointwise.c: elementwise operators that need more than their row: optional bounds, rounding modes,
 * comparisons with a tolerance, and the gradients that no rule of the list can say. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "device/devices.h"
#include "ops/pointwise/elementwise.h"
#include "tensor/iterator.h"
#include "pointwise/implementations.h"
#include "tocha/ops/add.h"
#include "tocha/ops/all.h"
#include "tocha/ops/clamp_backward.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/div.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/ge.h"
#include "tocha/ops/index_add_.h"
#include "tocha/ops/log.h"
#include "tocha/ops/logical_and.h"
#include "tocha/ops/logical_not.h"
#include "tocha/ops/lt.h"
#include "tocha/ops/maximum_backward.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/multiply.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/polygamma.h"
#include "tocha/ops/pow.h"
#include "tocha/ops/reciprocal.h"
#include "tocha/ops/rsub.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/to.h"
#include "tocha/ops/zero_where.h"
#include "tocha/ops/zeros_like.h"

/* row on one tensor and some numbers, as a new tensor. */
static tocha_tensor *map(tocha_context *cx, tocha_row_id row, tocha_tensor *self, int numbers,
                         const tocha_scalar *p) {
  tocha_operand in = tocha_operand_of(self);
  return tocha_elementwise_row(cx, row, 1, &in, numbers, p, NULL);
}

static tocha_tensor *combine(tocha_context *cx, tocha_row_id row, tocha_tensor *a,
                             tocha_tensor *b) {
  tocha_operand in[2] = {tocha_operand_of(a), tocha_operand_of(b)};
  return tocha_elementwise_row(cx, row, 2, in, 0, NULL, NULL);
}

/* --- other - self -------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_rsub(tocha_context *cx, tocha_tensor *self, tocha_operand other,
                            tocha_scalar alpha) {
  tocha_operand in[2] = {other, tocha_operand_of(self)};
  return tocha_elementwise_row(cx, TOCHA_ROW_sub, 2, in, 1, &alpha, NULL);
}

tocha_tensor *tocha_op_rsub_scalar(tocha_context *cx, tocha_tensor *self, tocha_scalar other,
                                   tocha_scalar alpha) {
  return tocha_op_rsub(cx, self, tocha_number(other), alpha);
}

/* --- division with a rounding mode ------------------------------------------------------------------- */

tocha_tensor *tocha_op_div_mode(tocha_context *cx, tocha_tensor *self, tocha_operand other,
                                const char *rounding_mode) {
  tocha_operand in[2] = {tocha_operand_of(self), other};
  tocha_row_id row = TOCHA_ROW_true_divide;
  if (rounding_mode && strcmp(rounding_mode, "floor") == 0)
    row = TOCHA_ROW_floor_divide;
  else if (rounding_mode && strcmp(rounding_mode, "trunc") == 0)
    row = TOCHA_ROW_trunc_divide;
  else if (rounding_mode)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                      "'%s'",
                      rounding_mode);
  return tocha_elementwise_row(cx, row, 2, in, 0, NULL, NULL);
}

/* An operator of floating point numbers for which PyTorch has no derivative. */
bool tocha_grad_not_implemented(tocha_backward_frame *f) {
  tocha_fail(f->cx, TOCHA_RUNTIME_ERROR, "derivative for aten::floor_divide is not implemented");
  return false;
}

bool tocha_grad_div_mode(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *self = f->args[0].tensor;
  tocha_operand other = tocha_arg_operand(&f->args[1]);
  if (!grad) return true;
  bool rounds = f->args[2].given && f->args[2].value.string;
  if (tocha_wants_grad(f, 0))
    f->out[0] = rounds ? tocha_zeros_like(cx, grad) : tocha_div_full(cx, grad, other);
  if (f->edge_count > 1 && tocha_wants_grad(f, 1)) {
    tocha_tensor *twice = tocha_div_full(cx, tocha_div_full(cx, self, other), other);
    f->out[1] = rounds ? tocha_zeros_like(cx, grad)
                       : tocha_mul_full(cx, tocha_neg(cx, grad), tocha_operand_of(twice));
  }
  return !tocha_failed(cx);
}

/* --- clamp --------------------------------------------------------------------------------------------- */

/* A lower bound above, or an upper one below, all that self's integers can be. */
static bool check_bounds(tocha_context *cx, const tocha_tensor *self, const tocha_scalar *min,
                         const tocha_scalar *max) {
  static const struct {
    int64_t low, high;
  } range[] = {{0, 255}, {-128, 127}, {-32768, 32767}, {INT32_MIN, INT32_MAX}};
  if (self->dtype < TOCHA_UINT8 || self->dtype > TOCHA_INT32) return true;
  int64_t low = range[self->dtype - TOCHA_UINT8].low, high = range[self->dtype - TOCHA_UINT8].high;
  bool min_is_out = min && min->kind == TOCHA_SCALAR_INT && min->value.integer > high;
  bool max_is_out = max && max->kind == TOCHA_SCALAR_INT && max->value.integer < low;
  if (!min_is_out && !max_is_out) return true;
  tocha_fail(
      cx, TOCHA_RUNTIME_ERROR, "Clamp %s value %lld is outside the representable range of %s",
      min_is_out ? "min" : "max", (long long)(min_is_out ? min->value.integer : max->value.integer),
      tocha_dtype_scalar_type(self->dtype));
  return false;
}

static bool is_nan(const tocha_scalar *s) {
  return s && s->kind == TOCHA_SCALAR_FLOAT && isnan(s->value.real);
}

tocha_tensor *tocha_op_clamp(tocha_context *cx, tocha_tensor *self, const tocha_scalar *min,
                             const tocha_scalar *max) {
  if (!min && !max)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (!check_bounds(cx, self, min, max)) return NULL;
  if (is_nan(min) || is_nan(max)) /* nothing lies between: all nan */
    return map(cx, TOCHA_ROW_scale, self, 1, is_nan(min) ? min : max);
  if (!max) return map(cx, TOCHA_ROW_clamp_min, self, 1, min);
  if (!min) return map(cx, TOCHA_ROW_clamp_max, self, 1, max);
  tocha_scalar p[2] = {*min, *max};
  return map(cx, TOCHA_ROW_clamp, self, 2, p);
}

tocha_tensor *tocha_op_clamp_tensor(tocha_context *cx, tocha_tensor *self, tocha_tensor *min,
                                    tocha_tensor *max) {
  if (!min && !max)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (!max) return combine(cx, TOCHA_ROW_maximum, self, min);
  if (!min) return combine(cx, TOCHA_ROW_minimum, self, max);
  tocha_operand in[3] = {tocha_operand_of(self), tocha_operand_of(min), tocha_operand_of(max)};
  return tocha_elementwise_row(cx, TOCHA_ROW_clamp_tensors, 3, in, 0, NULL, NULL);
}

tocha_tensor *tocha_op_clamp_min(tocha_context *cx, tocha_tensor *self, tocha_scalar min) {
  return tocha_op_clamp(cx, self, &min, NULL);
}

tocha_tensor *tocha_op_clamp_max(tocha_context *cx, tocha_tensor *self, tocha_scalar max) {
  return tocha_op_clamp(cx, self, NULL, &max);
}

bool tocha_grad_clamp(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  const tocha_arg *a = f->args;
  double min = a[1].given ? tocha_scalar_real(a[1].value.scalar) : -INFINITY;
  double max = a[2].given ? tocha_scalar_real(a[2].value.scalar) : INFINITY;
  if (f->grads[0]) f->out[0] = tocha_clamp_backward(cx, f->grads[0], a[0].tensor, min, max);
  return !tocha_failed(cx);
}

/* grad where mask is true. */
static tocha_tensor *where_true(tocha_context *cx, tocha_tensor *grad, tocha_tensor *mask) {
  return tocha_zero_where(cx, grad, tocha_logical_not(cx, mask));
}

/* Towards self where it lies between the bounds, towards the bound that was taken elsewhere, half to
 * each where they are equal. */
bool tocha_grad_clamp_tensor(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *self = f->args[0].tensor;
  tocha_tensor *min = f->args[1].tensor, *max = f->args[2].tensor;
  if (!grad) return true;
  tocha_tensor *crossed = min && max ? tocha_lt(cx, max, min) : NULL;
  if (tocha_wants_grad(f, 0)) {
    tocha_tensor *g = grad;
    if (min) g = tocha_maximum_backward(cx, g, self, min);
    if (max) g = tocha_maximum_backward(cx, g, max, self);
    f->out[0] = g;
  }
  if (min && tocha_wants_grad(f, 1)) {
    f->out[1] = tocha_maximum_backward(cx, grad, min, self);
    if (crossed) f->out[1] = tocha_zero_where(cx, f->out[1], crossed);
  }
  if (max && tocha_wants_grad(f, 2)) {
    f->out[2] = tocha_maximum_backward(cx, grad, self, max);
    if (crossed)
      f->out[2] =
          tocha_add(cx, tocha_zero_where(cx, f->out[2], crossed), where_true(cx, grad, crossed));
  }
  return !tocha_failed(cx);
}

/* --- powers -------------------------------------------------------------------------------------------- */

static tocha_scalar less_one(tocha_scalar s) {
  return s.kind == TOCHA_SCALAR_FLOAT ? tocha_float(s.value.real - 1)
                                      : tocha_int(s.value.integer - 1);
}

/* exponent * self ^ (exponent - 1), nothing for an exponent of 0. */
bool tocha_grad_pow_scalar(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *self = f->args[0].tensor;
  tocha_scalar exponent = f->args[1].value.scalar;
  double e = tocha_scalar_real(exponent);
  if (!grad) return true;
  if (e == 0) {
    f->out[0] = tocha_zeros_like(cx, grad);
  } else {
    tocha_tensor *power = e == 2 ? self : tocha_pow_scalar(cx, self, less_one(exponent));
    tocha_tensor *slope = tocha_mul_full(cx, power, tocha_number(exponent));
    f->out[0] = tocha_mul(cx, grad, slope);
  }
  return !tocha_failed(cx);
}

static tocha_tensor *is_number(tocha_context *cx, tocha_tensor *t, int64_t number) {
  return tocha_eq_full(cx, t, tocha_number(tocha_int(number)));
}

bool tocha_grad_pow(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *self = f->args[0].tensor, *exponent = f->args[1].tensor;
  if (!grad) return true;
  if (tocha_wants_grad(f, 0)) {
    tocha_tensor *less = tocha_sub_full(cx, exponent, tocha_number(tocha_int(1)), tocha_int(1));
    tocha_tensor *slope = tocha_mul(cx, exponent, tocha_pow(cx, self, less));
    f->out[0] = tocha_zero_where(cx, tocha_mul(cx, grad, slope), is_number(cx, exponent, 0));
  }
  if (tocha_wants_grad(f, 1)) {
    tocha_tensor *slope = tocha_mul(cx, f->results[0], tocha_log(cx, self));
    tocha_tensor *flat = tocha_logical_and(cx, is_number(cx, self, 0),
                                           tocha_ge_full(cx, exponent, tocha_number(tocha_int(0))));
    f->out[1] = tocha_zero_where(cx, tocha_mul(cx, grad, slope), flat);
  }
  return !tocha_failed(cx);
}

bool tocha_grad_pow_number(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *exponent = f->args[1].tensor;
  double base = tocha_scalar_real(f->args[0].value.scalar);
  if (!grad) return true;
  tocha_tensor *slope = tocha_mul_full(cx, f->results[0], tocha_number(tocha_float(log(base))));
  f->out[0] = tocha_mul(cx, grad, slope);
  if (base == 0)
    f->out[0] =
        tocha_zero_where(cx, f->out[0], tocha_ge_full(cx, exponent, tocha_number(tocha_int(0))));
  return !tocha_failed(cx);
}

/* As a power: the square of bool is an integer. */
tocha_tensor *tocha_op_square(tocha_context *cx, tocha_tensor *self) {
  tocha_operand in[2] = {tocha_operand_of(self), tocha_number(tocha_int(2))};
  return tocha_elementwise_row(cx, TOCHA_ROW_pow, 2, in, 0, NULL, NULL);
}

tocha_tensor *tocha_op_float_power(tocha_context *cx, tocha_tensor *self, tocha_operand exponent) {
  tocha_tensor *base = tocha_to_dtype(cx, self, TOCHA_FLOAT64, false, false);
  if (!exponent.tensor)
    return tocha_pow_scalar(cx, base, tocha_float(tocha_scalar_real(exponent.scalar)));
  return tocha_pow(cx, base, tocha_to_dtype(cx, exponent.tensor, TOCHA_FLOAT64, false, false));
}

/* --- single operators ---------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_positive(tocha_context *cx, tocha_tensor *self) {
  if (self->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "The `+` operator, on a bool tensor is not supported.");
  return self;
}

/* The largest finite value of a floating type. */
static double largest(tocha_dtype dtype) {
  switch (dtype) {
  case TOCHA_FLOAT16:
    return 65504;
  case TOCHA_BFLOAT16:
    return 0x1.fep127;
  case TOCHA_FLOAT32:
    return FLT_MAX;
  default:
    return DBL_MAX;
  }
}

tocha_tensor *tocha_op_nan_to_num(tocha_context *cx, tocha_tensor *self, const double *nan,
                                  const double *posinf, const double *neginf) {
  if (!tocha_dtype_is_floating(self->dtype)) return tocha_clone(cx, self);
  double most = largest(self->dtype);
  tocha_scalar p[3] = {tocha_float(nan ? *nan : 0), tocha_float(posinf ? *posinf : most),
                       tocha_float(neginf ? *neginf : -most)};
  return map(cx, TOCHA_ROW_nan_to_num, self, 3, p);
}

tocha_tensor *tocha_op_round_decimals(tocha_context *cx, tocha_tensor *self, int64_t decimals) {
  tocha_scalar p = tocha_float(pow(10, fabs((double)decimals)));
  if (decimals == 0 && !tocha_dtype_is_floating(self->dtype))
    return tocha_row_not_implemented(cx, TOCHA_ROW_round, self->dtype);
  return map(cx, decimals < 0 ? TOCHA_ROW_round_tens : TOCHA_ROW_round_decimals, self, 1, &p);
}

tocha_tensor *tocha_op_polygamma(tocha_context *cx, int64_t n, tocha_tensor *self) {
  tocha_scalar order = tocha_float((double)n);
  if (n < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "polygamma(n, x) does not support negative n.");
  return map(cx, TOCHA_ROW_polygamma, self, 1, &order);
}

tocha_tensor *tocha_op_polygamma_method(tocha_context *cx, tocha_tensor *self, int64_t n) {
  return tocha_polygamma(cx, n, self);
}

tocha_tensor *tocha_op_deg2rad(tocha_context *cx, tocha_tensor *self) {
  tocha_scalar p = tocha_float(0.017453292519943295769);
  return map(cx, TOCHA_ROW_scale, self, 1, &p);
}

tocha_tensor *tocha_op_rad2deg(tocha_context *cx, tocha_tensor *self) {
  tocha_scalar p = tocha_float(57.295779513082320877);
  return map(cx, TOCHA_ROW_scale, self, 1, &p);
}

tocha_tensor *tocha_op_logit(tocha_context *cx, tocha_tensor *self, const double *eps) {
  tocha_scalar p = tocha_float(eps ? *eps : -1);
  return map(cx, TOCHA_ROW_logit, self, 1, &p);
}

/* 1 / (self (1 - self)), nothing where eps moved self. */
bool tocha_grad_logit(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *self = f->args[0].tensor;
  if (!grad) return true;
  tocha_operand x = tocha_operand_of(self);
  tocha_tensor *rest = tocha_rsub_full(cx, self, tocha_number(tocha_int(1)), tocha_int(1));
  f->out[0] = tocha_div(cx, grad, tocha_mul_full(cx, rest, x));
  if (f->args[1].given) {
    double eps = f->args[1].value.real;
    f->out[0] = tocha_clamp_backward(cx, f->out[0], self, eps, 1 - eps);
  }
  return !tocha_failed(cx);
}

/* --- comparisons with an answer -------------------------------------------------------------------------- */

static bool check_close(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *other,
                        double rtol, double atol) {
  if (self->dtype != other->dtype)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s did not match %s", tocha_dtype_scalar_type(self->dtype),
               tocha_dtype_scalar_type(other->dtype));
  else if (rtol < 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "rtol must be greater than or equal to zero, but got %g",
               rtol);
  else if (atol < 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "atol must be greater than or equal to zero, but got %g",
               atol);
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op_isclose(tocha_context *cx, tocha_tensor *self, tocha_tensor *other,
                               double rtol, double atol, bool equal_nan) {
  if (!check_close(cx, self, other, rtol, atol)) return NULL;
  tocha_operand in[2] = {tocha_operand_of(self), tocha_operand_of(other)};
  tocha_scalar p[3] = {tocha_float(rtol), tocha_float(atol), tocha_boolean(equal_nan)};
  return tocha_elementwise_row(cx, TOCHA_ROW_isclose, 2, in, 3, p, NULL);
}

static bool answer(tocha_context *cx, tocha_results *results, bool value) {
  results->value.value.flag = value;
  results->value.given = true;
  results->value_kind = TOCHA_KIND_BOOL;
  return !tocha_failed(cx);
}

/* truth is a new, dense tensor of bool. */
static bool all_true(tocha_context *cx, tocha_tensor *truth) {
  tocha_scalar all;
  if (tocha_is_on_device(truth))
    return tocha_item(cx, tocha_all(cx, truth, 0, NULL, false), &all) && all.value.integer;
  return !truth->numel || !memchr(truth->storage->data, 0, (size_t)truth->numel);
}

bool tocha_op_allclose(tocha_context *cx, tocha_tensor *self, tocha_tensor *other, double rtol,
                       double atol, bool equal_nan, tocha_results *results) {
  tocha_tensor *close = tocha_op_isclose(cx, self, other, rtol, atol, equal_nan);
  return close && answer(cx, results, all_true(cx, close));
}

tocha_tensor *tocha_op__rdiv(tocha_context *cx, tocha_tensor *self, tocha_scalar other) {
  tocha_tensor *inverse = tocha_reciprocal(cx, self);
  return inverse ? tocha_mul_full(cx, inverse, tocha_number(other)) : NULL;
}
