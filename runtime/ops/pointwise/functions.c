/* functions.c: functions whose formulas need more than the arguments. */
#include <math.h>

#include "device/devices.h"
#include "ops/pointwise/elementwise.h"
#include "pointwise/formulas/logit.h"
#include "pointwise/formulas/polygamma.h"
#include "pointwise/formulas/scale.h"
#include "pointwise/implementations.h"
#include "tocha/ops/cos.h"
#include "tocha/ops/div.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/gt.h"
#include "tocha/ops/logical_or.h"
#include "tocha/ops/lt.h"
#include "tocha/ops/masked_fill.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/rsub.h"
#include "tocha/ops/sin.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/zero_where.h"

tocha_tensor *tocha_op_deg2rad(tocha_context *cx, tocha_tensor *self) {
  tocha_scalar p = tocha_float(0.017453292519943295769);
  return tocha_apply_unary(cx, &tocha_formula_scale, self, 1, &p);
}

tocha_tensor *tocha_op_rad2deg(tocha_context *cx, tocha_tensor *self) {
  tocha_scalar p = tocha_float(57.295779513082320877);
  return tocha_apply_unary(cx, &tocha_formula_scale, self, 1, &p);
}

tocha_tensor *tocha_op_polygamma(tocha_context *cx, int64_t n, tocha_tensor *self) {
  tocha_scalar order = tocha_float((double)n);
  if (n < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "polygamma(n, x) does not support negative n.");
  return tocha_apply_unary(cx, &tocha_formula_polygamma, self, 1, &order);
}

tocha_tensor *tocha_op_logit(tocha_context *cx, tocha_tensor *self, const double *eps) {
  tocha_scalar p = tocha_float(eps ? *eps : -1);
  return tocha_apply_unary(cx, &tocha_formula_logit, self, 1, &p);
}

/* Writes the gradient of logit, grad / (self (1 - self)), or 0 at elements that eps moved. */
bool tocha_grad_logit(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *self = f->args[0].tensor;
  if (!grad) return true;
  tocha_operand x = tocha_operand_of(self);
  tocha_tensor *rest = tocha_rsub_full(cx, self, tocha_number(tocha_int(1)), tocha_int(1));
  tocha_tensor *slope = tocha_mul_full(cx, rest, x);
  f->out[0] = tocha_div(cx, grad, slope);
  if (f->args[1].given) {
    double eps = f->args[1].value.real; /* 0 outside of [eps, 1 - eps]; NaN is not outside */
    tocha_operand low = tocha_number(tocha_float(eps)), high = tocha_number(tocha_float(1 - eps));
    tocha_tensor *outside =
        tocha_logical_or(cx, tocha_lt_full(cx, self, low), tocha_gt_full(cx, self, high));
    f->out[0] = tocha_zero_where(cx, f->out[0], outside);
  } else { /* NaN outside of [0, 1], as the result is */
    tocha_tensor *outside = tocha_lt_full(cx, slope, tocha_number(tocha_int(0)));
    f->out[0] = tocha_masked_fill_full(cx, f->out[0], outside, tocha_number(tocha_float(NAN)));
  }
  return !tocha_failed(cx);
}

/* Returns grad (x cos x - sin x) / (x self) with x = pi self, rounded after every step. At x = 0
 * the result is 0. */
tocha_tensor *tocha_op_sinc_backward(tocha_context *cx, tocha_tensor *grad_output,
                                     tocha_tensor *self) {
  tocha_operand pi = tocha_number(tocha_float(3.14159265358979323846));
  tocha_tensor *x = tocha_mul_full(cx, self, pi);
  tocha_tensor *square = tocha_mul_full(cx, tocha_mul(cx, self, self), pi);
  tocha_tensor *slope = tocha_sub(cx, tocha_mul(cx, x, tocha_cos(cx, x)), tocha_sin(cx, x));
  tocha_tensor *grad = tocha_mul(cx, grad_output, tocha_div(cx, slope, square));
  return tocha_zero_where(cx, grad, tocha_eq_full(cx, square, tocha_number(tocha_int(0))));
}
