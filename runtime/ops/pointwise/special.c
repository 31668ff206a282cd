/* special.c: functions of torch.special whose formulas need more than the arguments, and their
 * gradients. */
#include <string.h>

#include "ops/pointwise/elementwise.h"
#include "pointwise/formulas/exponent.h"
#include "pointwise/formulas/ldexp_integer.h"
#include "pointwise/formulas/mantissa.h"
#include "pointwise/formulas/next_bfloat16.h"
#include "pointwise/formulas/next_float16.h"
#include "pointwise/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/add.h"
#include "tocha/ops/arange.h"
#include "tocha/ops/digamma.h"
#include "tocha/ops/div.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/exp.h"
#include "tocha/ops/exp2.h"
#include "tocha/ops/i0.h"
#include "tocha/ops/lgamma.h"
#include "tocha/ops/log.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/where.h"

/* --- modified Bessel functions -------------------------------------------------------------------- */

/* Returns grad (I0(x) - I1(x) / x), and grad / 2, its limit, at x = 0. */
tocha_tensor *tocha_op__i1_backward(tocha_context *cx, tocha_tensor *grad, tocha_tensor *self,
                                    tocha_tensor *result) {
  double epsilon = self->dtype == TOCHA_FLOAT64   ? 2.220446049250313e-16
                   : self->dtype == TOCHA_FLOAT32 ? 1.1920928955078125e-07
                   : self->dtype == TOCHA_FLOAT16 ? 0.0009765625
                                                  : 0.0078125;
  tocha_tensor *small = tocha_eq_full(cx, self, tocha_number(tocha_int(0)));
  if (!small) return NULL;
  tocha_tensor *safe =
      tocha_where_full(cx, small, tocha_number(tocha_float(epsilon)), tocha_operand_of(self));
  tocha_tensor *slope = tocha_sub(cx, tocha_i0(cx, safe), tocha_div(cx, result, safe));
  return slope ? tocha_mul(cx, grad,
                           tocha_where_full(cx, small, tocha_number(tocha_float(0.5)),
                                            tocha_operand_of(slope)))
               : NULL;
}

/* --- gamma functions ------------------------------------------------------------------------------ */

/* Writes the gradient by x, x^(a - 1) exp(-x) / gamma(a), negated for igammac. Fails if the
 * gradient by a is needed. */
bool tocha_igamma_rule(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *a = f->args[0].tensor, *x = f->args[1].tensor, *grad = f->grads[0];
  bool upper =
      strcmp(f->op->node_name, "IgammacBackward0") == 0; /* whatever name it was called by */
  if (tocha_wants_grad(f, 0))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "the derivative for '%s: input' is not implemented.",
                      upper ? "igammac" : "igamma");
  if (!grad || !tocha_wants_grad(f, 1)) return true;
  tocha_tensor *less = tocha_sub_full(cx, a, tocha_number(tocha_int(1)), tocha_int(1));
  tocha_tensor *power = tocha_sub(cx, tocha_mul(cx, less, tocha_log(cx, x)), x);
  tocha_tensor *slope = tocha_exp(cx, tocha_sub(cx, power, tocha_lgamma(cx, a)));
  f->out[1] = tocha_mul(cx, grad, slope);
  if (f->out[1] && upper) f->out[1] = tocha_neg(cx, f->out[1]);
  return f->out[1] != NULL;
}

/* Returns self + (1 - p) / 2, ..., self + 0, in steps of 1/2 along a new last dimension. */
static tocha_tensor *steps_down(tocha_context *cx, tocha_tensor *self, int64_t p) {
  tocha_tensor *steps =
      tocha_arange_start_full(cx, tocha_float(0.5 - 0.5 * (double)p), tocha_float(0.5),
                              tocha_float(0.5), (tocha_dtype)self->dtype, self->device, false);
  return steps ? tocha_add(cx, tocha_unsqueeze(cx, self, -1), steps) : NULL;
}

tocha_tensor *tocha_op_mvlgamma(tocha_context *cx, tocha_tensor *self, int64_t p) {
  if (self->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "The input tensor may not be a boolean tensor.");
  if (p < 1) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "p has to be greater than or equal to 1");
  if (!tocha_dtype_is_floating(self->dtype)) self = tocha_as_dtype(cx, self, cx->default_dtype);
  int64_t last = -1;
  double add = (double)p * (double)(p - 1) * 1.1447298858494001741434 * 0.25;
  tocha_tensor *terms = self ? tocha_lgamma(cx, steps_down(cx, self, p)) : NULL;
  tocha_tensor *sum = tocha_sum_dim_IntList(cx, terms, 1, &last, false);
  return tocha_add_full(cx, sum, tocha_number(tocha_float(add)), tocha_int(1));
}

tocha_tensor *tocha_op_mvlgamma_inplace(tocha_context *cx, tocha_tensor *self, int64_t p) {
  if (self->dtype != TOCHA_BOOL && p > 0 && !tocha_dtype_is_floating(self->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "mvlgamma: result type %s can't be cast to the desired output type %s",
                      tocha_dtype_scalar_type((tocha_dtype)self->dtype),
                      tocha_dtype_scalar_type(cx->default_dtype));
  return tocha_op_mvlgamma(cx, self, p);
}

tocha_tensor *tocha_op__mvlgamma_backward(tocha_context *cx, tocha_tensor *grad, tocha_tensor *self,
                                          int64_t p) {
  int64_t last = -1;
  tocha_tensor *terms = tocha_digamma(cx, steps_down(cx, self, p));
  return tocha_mul(cx, grad, tocha_sum_dim_IntList(cx, terms, 1, &last, false));
}

/* --- parts of floating-point numbers -------------------------------------------------------------- */

bool tocha_prepare_nextafter(tocha_context *cx, tocha_formula_use *use) {
  (void)cx;
  if (use->type == TOCHA_BFLOAT16) use->formula = &tocha_formula_next_bfloat16;
  if (use->type == TOCHA_FLOAT16) use->formula = &tocha_formula_next_float16;
  return true;
}

tocha_tensor *tocha_op_ldexp(tocha_context *cx, tocha_tensor *self, tocha_tensor *other) {
  if (other->dtype == TOCHA_BOOL && tocha_dtype_is_floating(self->dtype))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "\"ldexp_cpu_exp\" not implemented for 'Bool'");
  if (!tocha_dtype_is_floating(other->dtype))
    return tocha_apply_binary(cx, &tocha_formula_ldexp_integer, self, other);
  return tocha_mul(cx, self, tocha_exp2(cx, other));
}

tocha_tensor *tocha_op_ldexp_inplace(tocha_context *cx, tocha_tensor *self, tocha_tensor *other) {
  if (!tocha_dtype_is_floating(self->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "ldexp can't be cast to the desired output type %s",
                      tocha_dtype_scalar_type((tocha_dtype)self->dtype));
  return tocha_op_ldexp(cx, self, other);
}

bool tocha_op_frexp(tocha_context *cx, tocha_tensor *self, tocha_tensor **mantissa,
                    tocha_tensor **exponent) {
  if (!tocha_dtype_is_floating(self->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "torch.frexp() only supports floating-point dtypes");
  *mantissa = tocha_apply_unary(cx, &tocha_formula_mantissa, self, 0, NULL);
  *exponent = tocha_apply_unary(cx, &tocha_formula_exponent, self, 0, NULL);
  if (*exponent) *exponent = tocha_as_dtype(cx, *exponent, TOCHA_INT32);
  return *mantissa && *exponent;
}
