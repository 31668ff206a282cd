/* bounds.c: operators that keep elements between bounds, which may be omitted. */
#include <float.h>
#include <math.h>

#include "ops/pointwise/elementwise.h"
#include "pointwise/formulas/clamp.h"
#include "pointwise/formulas/clamp_max.h"
#include "pointwise/formulas/clamp_min.h"
#include "pointwise/formulas/clamp_tensors.h"
#include "pointwise/formulas/maximum.h"
#include "pointwise/formulas/minimum.h"
#include "pointwise/formulas/nan_to_num.h"
#include "pointwise/formulas/scale.h"
#include "pointwise/implementations.h"
#include "tocha/ops/private/clamp_backward.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/gt.h"
#include "tocha/ops/le.h"
#include "tocha/ops/logical_and.h"
#include "tocha/ops/logical_not.h"
#include "tocha/ops/logical_or.h"
#include "tocha/ops/lt.h"
#include "tocha/ops/private/maximum_backward.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/where.h"
#include "tocha/ops/zero_where.h"

/* --- clamp --------------------------------------------------------------------------------------------- */

/* Fails if the lower bound is above, or the upper bound below, the range of self's integer
 * dtype. */
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
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Clamp %s value %g is outside the representable range of %s",
             min_is_out ? "min" : "max",
             (double)(min_is_out ? min->value.integer : max->value.integer),
             tocha_dtype_scalar_type(self->dtype));
  return false;
}

/* Fails if the result of an in-place call does not fit into self. The bounds take part in the
 * result's dtype. */
static bool check_result(tocha_context *cx, tocha_tensor *self, const tocha_scalar *min,
                         const tocha_scalar *max) {
  tocha_operand all[3] = {tocha_operand_of(self)};
  int count = 1;
  if (min) all[count++] = tocha_number(*min);
  if (max) all[count++] = tocha_number(*max);
  tocha_dtype type = tocha_result_type(cx, count, all);
  if (tocha_dtype_category(type) <= tocha_dtype_category(self->dtype)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "result type %s can't be cast to the desired output type %s",
             tocha_dtype_scalar_type(type), tocha_dtype_cpp_name(self->dtype));
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
  if (is_nan(min) || is_nan(max)) /* every result is nan */
    return tocha_apply_unary(cx, &tocha_formula_scale, self, 1, is_nan(min) ? min : max);
  if (!max) return tocha_apply_unary(cx, &tocha_formula_clamp_min, self, 1, min);
  if (!min) return tocha_apply_unary(cx, &tocha_formula_clamp_max, self, 1, max);
  tocha_scalar p[2] = {*min, *max};
  return tocha_apply_unary(cx, &tocha_formula_clamp, self, 2, p);
}

tocha_tensor *tocha_op_clamp_inplace(tocha_context *cx, tocha_tensor *self, const tocha_scalar *min,
                                     const tocha_scalar *max) {
  return check_result(cx, self, min, max) ? tocha_op_clamp(cx, self, min, max) : NULL;
}

tocha_tensor *tocha_op_clamp_tensor(tocha_context *cx, tocha_tensor *self, tocha_tensor *min,
                                    tocha_tensor *max) {
  if (!min && !max)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (!max) return tocha_apply_binary(cx, &tocha_formula_maximum, self, min);
  if (!min) return tocha_apply_binary(cx, &tocha_formula_minimum, self, max);
  tocha_operand in[3] = {tocha_operand_of(self), tocha_operand_of(min), tocha_operand_of(max)};
  return tocha_apply_formula(cx, &tocha_formula_clamp_tensors, 3, in, 0, NULL, NULL);
}

bool tocha_grad_clamp(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  const tocha_arg *a = f->args;
  double min = a[1].given ? tocha_scalar_real(a[1].value.scalar) : -INFINITY;
  double max = a[2].given ? tocha_scalar_real(a[2].value.scalar) : INFINITY;
  if (f->grads[0]) f->out[0] = tocha_private_clamp_backward(cx, f->grads[0], a[0].tensor, min, max);
  return !tocha_failed(cx);
}

/* Returns grad at the elements whose mask is true, and 0 at the others. */
static tocha_tensor *where_true(tocha_context *cx, tocha_tensor *grad, tocha_tensor *mask) {
  return tocha_zero_where(cx, grad, tocha_logical_not(cx, mask));
}

/* Writes the gradients of a clamp by one tensor bound: the larger (or smaller) of self and the
 * bound gets the gradient, and each gets half if they are equal. */
static bool grad_one_bound(tocha_backward_frame *f, int bound) {
  tocha_context *cx = f->cx;
  tocha_tensor *self = f->args[0].tensor, *other = f->args[bound].tensor;
  tocha_tensor *larger = bound == 1 ? self : other, *smaller = bound == 1 ? other : self;
  if (tocha_wants_grad(f, 0))
    f->out[0] = tocha_private_maximum_backward(cx, f->grads[0], larger, smaller);
  if (tocha_wants_grad(f, bound))
    f->out[bound] = bound == 1 ? tocha_private_maximum_backward(cx, f->grads[0], other, self)
                               : tocha_private_maximum_backward(cx, f->grads[0], self, other);
  return !tocha_failed(cx);
}

/* Gives half of the gradient each to self and to a bound that equals self. ordered: true for
 * elements whose min < max. */
static void halve_ties(tocha_backward_frame *f, tocha_tensor *ordered) {
  tocha_context *cx = f->cx;
  tocha_tensor *self = f->args[0].tensor;
  tocha_tensor *half = tocha_mul_full(cx, f->grads[0], tocha_number(tocha_float(0.5)));
  for (int bound = 1; bound <= 2; bound++) {
    tocha_tensor *ties = tocha_eq(cx, self, f->args[bound].tensor);
    ties = tocha_logical_and(cx, ties, ordered);
    if (f->out[0]) f->out[0] = tocha_where(cx, ties, half, f->out[0]);
    if (f->out[bound]) f->out[bound] = tocha_where(cx, ties, half, f->out[bound]);
  }
}

/* Writes the gradients of a clamp by two tensor bounds. An element's gradient belongs to self if
 * self is within both bounds, else to the bound that self exceeds, and to max if min > max. */
bool tocha_grad_clamp_tensor(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *self = f->args[0].tensor;
  tocha_tensor *min = f->args[1].tensor, *max = f->args[2].tensor;
  if (!grad) return true;
  if (!min || !max) return grad_one_bound(f, min ? 1 : 2);
  tocha_tensor *below = tocha_lt(cx, self, min), *above = tocha_gt(cx, self, max);
  tocha_tensor *crossed = tocha_lt(cx, max, min),
               *apart = tocha_le(cx, min, max); /* NaN: neither */
  if (tocha_wants_grad(f, 0))
    f->out[0] = tocha_zero_where(cx, tocha_zero_where(cx, grad, below), above);
  if (tocha_wants_grad(f, 1)) f->out[1] = where_true(cx, grad, tocha_logical_and(cx, below, apart));
  if (tocha_wants_grad(f, 2))
    f->out[2] =
        where_true(cx, grad, tocha_logical_or(cx, tocha_logical_and(cx, above, apart), crossed));
  halve_ties(f, tocha_lt(cx, min, max));
  return !tocha_failed(cx);
}

/* --- nan and infinities -------------------------------------------------------------------------------- */

/* Returns the largest finite value of a floating type. */
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
  double maximum = largest(self->dtype);
  tocha_scalar p[3] = {tocha_float(nan ? *nan : 0), tocha_float(posinf ? *posinf : maximum),
                       tocha_float(neginf ? *neginf : -maximum)};
  return tocha_apply_unary(cx, &tocha_formula_nan_to_num, self, 3, p);
}
