/* arithmetic.c: arithmetic that needs more than a formula: rounding modes, powers, and gradients
 * that no rule of an entry can express. */
#include <math.h>
#include <string.h>

#include "device/devices.h"
#include "ops/pointwise/addr.h"
#include "pointwise/formulas/div.h"
#include "pointwise/formulas/floor_divide.h"
#include "pointwise/formulas/pow.h"
#include "pointwise/formulas/sub.h"
#include "pointwise/formulas/trunc_divide.h"
#include "pointwise/formulas/addr.h"
#include "pointwise/implementations.h"
#include "tensor/geometry.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/copy_.h"
#include "tocha/ops/div.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/ge.h"
#include "tocha/ops/log.h"
#include "tocha/ops/logical_and.h"
#include "tocha/ops/logical_xor.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/pow.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/to.h"
#include "tocha/ops/zero_where.h"
#include "tocha/ops/zeros_like.h"

/* --- other - self -------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_scaled(tocha_context *cx, tocha_tensor *grad_output, tocha_scalar factor) {
  if (tocha_scalar_real(factor) == 1) return grad_output;
  return tocha_mul_full(cx, grad_output, tocha_number(factor));
}

tocha_tensor *tocha_op_negated(tocha_context *cx, tocha_tensor *grad_output, tocha_scalar factor) {
  return tocha_op_scaled(cx, tocha_neg(cx, grad_output), factor);
}

tocha_tensor *tocha_op_rsub(tocha_context *cx, tocha_tensor *self, tocha_operand other,
                            tocha_scalar alpha) {
  tocha_operand in[2] = {other, tocha_operand_of(self)};
  return tocha_apply_formula(cx, &tocha_formula_sub, 2, in, 1, &alpha, NULL);
}

/* --- division with a rounding mode ------------------------------------------------------------------- */

tocha_tensor *tocha_op_div_mode(tocha_context *cx, tocha_tensor *self, tocha_operand other,
                                const char *rounding_mode) {
  tocha_operand in[2] = {tocha_operand_of(self), other};
  const tocha_formula *formula = &tocha_formula_div;
  if (rounding_mode && strcmp(rounding_mode, "floor") == 0)
    formula = &tocha_formula_floor_divide;
  else if (rounding_mode && strcmp(rounding_mode, "trunc") == 0)
    formula = &tocha_formula_trunc_divide;
  else if (rounding_mode)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                      "'%s'",
                      rounding_mode);
  return tocha_apply_formula(cx, formula, 2, in, 0, NULL, NULL);
}

/* Returns the number as a 0-dim tensor, of the dtype that the number and `other` promote to. */
static tocha_tensor *number_beside(tocha_context *cx, tocha_scalar number, tocha_operand other) {
  tocha_operand both[2] = {tocha_number(number), other};
  tocha_dtype type = tocha_result_type(cx, 2, both);
  tocha_tensor *t = tocha_new(cx, 0, NULL, type, tocha_cpu());
  if (t) tocha_store_scalar(tocha_bytes(t), type, number);
  return t;
}

tocha_tensor *tocha_op_div_mode_number(tocha_context *cx, tocha_scalar self, tocha_operand other,
                                       const char *rounding_mode) {
  return tocha_div_mode_full(cx, number_beside(cx, self, other), other, rounding_mode);
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

/* --- powers -------------------------------------------------------------------------------------------- */

static tocha_scalar less_one(tocha_scalar s) {
  return s.kind == TOCHA_SCALAR_FLOAT ? tocha_float(s.value.real - 1)
                                      : tocha_int(s.value.integer - 1);
}

/* Writes the gradient by self, grad * exponent * self ^ (exponent - 1), or zeros for an exponent of
 * 0. */
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

/* Computes the power self ^ 2, so that the square of bool is an integer. */
tocha_tensor *tocha_op_square(tocha_context *cx, tocha_tensor *self) {
  tocha_operand in[2] = {tocha_operand_of(self), tocha_number(tocha_int(2))};
  return tocha_apply_formula(cx, &tocha_formula_pow, 2, in, 0, NULL, NULL);
}

tocha_tensor *tocha_op_float_power(tocha_context *cx, tocha_tensor *self, tocha_operand exponent) {
  tocha_tensor *base = tocha_to_dtype(cx, self, TOCHA_FLOAT64, false, false);
  if (!exponent.tensor)
    return tocha_pow_scalar(cx, base, tocha_float(tocha_scalar_real(exponent.scalar)));
  return tocha_pow(cx, base, tocha_to_dtype(cx, exponent.tensor, TOCHA_FLOAT64, false, false));
}

tocha_tensor *tocha_op_float_power_inplace(tocha_context *cx, tocha_tensor *self,
                                           tocha_operand exponent) {
  if (self->dtype != TOCHA_FLOAT64)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "the base given to float_power_ has dtype %s but the operation's result "
                      "requires dtype Double",
                      tocha_dtype_scalar_type(self->dtype));
  if (!exponent.tensor)
    return tocha_pow_scalar_(cx, self, tocha_float(tocha_scalar_real(exponent.scalar)));
  return tocha_pow_(cx, self, tocha_to_dtype(cx, exponent.tensor, TOCHA_FLOAT64, false, false));
}

tocha_tensor *tocha_op_float_power_number(tocha_context *cx, tocha_scalar self,
                                          tocha_tensor *exponent) {
  tocha_tensor *wide = tocha_to_dtype(cx, exponent, TOCHA_FLOAT64, false, false);
  return tocha_pow_number(cx, tocha_float(tocha_scalar_real(self)), wide);
}

/* --- +self ---------------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_positive(tocha_context *cx, tocha_tensor *self) {
  if (self->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "The `+` operator, on a bool tensor is not supported.");
  return self;
}

/* --- differences of neighbours -------------------------------------------------------------------------- */

/* Fails if `other` does not fit before or after self along dim. */
static bool extends(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *other,
                    int64_t dim) {
  if (!other) return true;
  if (other->ndim != self->ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "diff expects prepend or append to be the same dimension as input");
  for (int i = 0; i < self->ndim; i++) {
    if (i != dim && other->sizes[i] != self->sizes[i])
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "diff expects the shape of tensor to prepend or append to match that of "
                        "input except along the differencing dimension; input.size(%d) = %lld, but "
                        "got tensor.size(%d) = %lld",
                        i, (long long)self->sizes[i], i, (long long)other->sizes[i]);
  }
  return true;
}

tocha_tensor *tocha_op_diff(tocha_context *cx, tocha_tensor *self, int64_t n, int64_t dim,
                            tocha_tensor *prepend, tocha_tensor *append) {
  tocha_tensor *parts[3];
  int count = 0;
  if (self->ndim == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "diff expects input to be at least one-dimensional");
  if (n < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "order must be non-negative but got %lld",
                      (long long)n);
  bool looks = n != 0 || prepend || append;
  if (looks && (!tocha_wrap_dim(cx, &dim, self->ndim) || !extends(cx, self, prepend, dim) ||
                !extends(cx, self, append, dim)))
    return NULL;
  if (n == 0) return tocha_copy_(cx, tocha_zeros_like(cx, self), self, false);
  if (prepend) parts[count++] = prepend;
  parts[count++] = self;
  if (append) parts[count++] = append;
  tocha_tensor *out = count > 1 ? tocha_cat(cx, count, parts, dim) : self;
  for (int64_t i = 0; i < n && out && out->sizes[dim] > 0; i++) {
    int64_t left = out->sizes[dim] - 1;
    tocha_tensor *next = tocha_narrow(cx, out, dim, 1, left);
    tocha_tensor *here = tocha_narrow(cx, out, dim, 0, left);
    out = out->dtype == TOCHA_BOOL ? tocha_logical_xor(cx, next, here) : tocha_sub(cx, next, here);
  }
  return out;
}

bool tocha_read_addr(tocha_context *cx, tocha_addr_call *c, tocha_tensor *self, tocha_tensor *vec1,
                     tocha_tensor *vec2, tocha_scalar beta, tocha_scalar alpha) {
  if (vec1->ndim != 1 || vec2->ndim != 1) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "addr: Expected 1-D argument vec%d, but got %d-D",
               vec1->ndim != 1 ? 1 : 2, vec1->ndim != 1 ? vec1->ndim : vec2->ndim);
    return false;
  }
  int64_t sizes[2] = {vec1->sizes[0], vec2->sizes[0]}, ones[2] = {vec1->strides[0], 0};
  if (!tocha_check_expand(cx, self, 2, sizes)) return false;
  tocha_tensor *column =
      tocha_alias(cx, vec1, 2, (const int64_t[]){sizes[0], 1}, ones, vec1->offset);
  if (!column) return false;
  *c = (tocha_addr_call){
      .operands = {tocha_operand_of(self), tocha_operand_of(column), tocha_operand_of(vec2)},
      .numbers = {beta, alpha}};
  c->type = tocha_result_type(cx, 3, c->operands);
  if (!tocha_check_factor(cx, c->type, beta, "beta") ||
      !tocha_check_factor(cx, c->type, alpha, "alpha"))
    return false;
  for (int i = 0; i < 2 && c->type == TOCHA_BOOL; i++)
    c->numbers[i] = tocha_boolean(tocha_scalar_real(c->numbers[i]) != 0);
  bool half = tocha_dtype_is_floating(c->type) && tocha_dtype_size(c->type) == 2;
  return !half || (tocha_check_fits(cx, beta, c->type) && tocha_check_fits(cx, alpha, c->type));
}

tocha_tensor *tocha_op_addr(tocha_context *cx, tocha_tensor *self, tocha_tensor *vec1,
                            tocha_tensor *vec2, tocha_scalar beta, tocha_scalar alpha) {
  tocha_addr_call c;
  if (!tocha_read_addr(cx, &c, self, vec1, vec2, beta, alpha)) return NULL;
  return tocha_apply_formula(cx, &tocha_formula_addr, 3, c.operands, 2, c.numbers, NULL);
}

bool tocha_check_addr_inplace(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *vec1,
                              const tocha_tensor *vec2) {
  char text[256];
  if (vec1->ndim != 1 || vec2->ndim != 1) return true; /* tocha_read_addr reports the error */
  if (self->ndim != 2)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "2D tensor expected, got %dD tensor for input", self->ndim);
  else if (self->sizes[0] != vec1->sizes[0] || self->sizes[1] != vec2->sizes[0])
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "size mismatch, input: %s, v1: [%lld], v2: [%lld]",
               tocha_shape_text(2, self->sizes, text, sizeof text), (long long)vec1->sizes[0],
               (long long)vec2->sizes[0]);
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op_addr_inplace(tocha_context *cx, tocha_tensor *self, tocha_tensor *vec1,
                                    tocha_tensor *vec2, tocha_scalar beta, tocha_scalar alpha) {
  if (!tocha_check_addr_inplace(cx, self, vec1, vec2)) return NULL;
  return tocha_op_addr(cx, self, vec1, vec2, beta, alpha);
}
