/* activation.c: the functions of torch.nn.functional that are not a single formula. */
#include <string.h>

#include "ops/pointwise/elementwise.h"
#include "pointwise/formulas/elu.h"
#include "pointwise/formulas/gelu.h"
#include "pointwise/formulas/gelu_backward.h"
#include "pointwise/formulas/gelu_tanh.h"
#include "pointwise/formulas/gelu_tanh_backward.h"
#include "pointwise/formulas/glu.h"
#include "pointwise/formulas/glu_slope.h"
#include "pointwise/implementations.h"
#include "tocha/ops/add.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/exp.h"
#include "tocha/ops/private/gelu_backward.h"
#include "tocha/ops/private/glu_backward.h"
#include "tocha/ops/hardtanh.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/ones_like.h"
#include "tocha/ops/prelu_kernel.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/sigmoid.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/tanh.h"

/* --- forms with inplace= ----------------------------------------------------------------------------- */

tocha_tensor *tocha_op_celu(tocha_context *cx, tocha_tensor *self, double alpha) {
  if (alpha == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "ZeroDivisionError: alpha cannot be 0 for CELU");
  tocha_operand in = tocha_operand_of(self);
  tocha_scalar p[3] = {tocha_float(alpha), tocha_float(1), tocha_float(1 / alpha)};
  return tocha_apply_formula(cx, &tocha_formula_elu, 1, &in, 3, p, NULL);
}

tocha_tensor *tocha_op_hardtanh_functional(tocha_context *cx, tocha_tensor *input, double min_val,
                                           double max_val, bool inplace) {
  if (min_val > max_val)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "min_val cannot be greater than max_val");
  return inplace ? tocha_hardtanh_(cx, input, min_val, max_val)
                 : tocha_hardtanh(cx, input, min_val, max_val);
}

tocha_tensor *tocha_op_relu6(tocha_context *cx, tocha_tensor *input, bool inplace) {
  return inplace ? tocha_hardtanh_(cx, input, 0, 6) : tocha_hardtanh(cx, input, 0, 6);
}

/* --- gelu ------------------------------------------------------------------------------------------------ */

/* Returns 1 for "tanh", 0 for "none", -1 with an error for anything else. */
static int approximates(tocha_context *cx, const char *approximate) {
  if (strcmp(approximate, "none") == 0) return 0;
  if (strcmp(approximate, "tanh") == 0) return 1;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "approximate argument must be either none or tanh.");
  return -1;
}

tocha_tensor *tocha_op_gelu(tocha_context *cx, tocha_tensor *self, const char *approximate) {
  int by_tanh = approximates(cx, approximate);
  tocha_operand in = tocha_operand_of(self);
  if (by_tanh < 0) return NULL;
  return tocha_apply_formula(cx, by_tanh ? &tocha_formula_gelu_tanh : &tocha_formula_gelu, 1, &in,
                             0, NULL, NULL);
}

tocha_tensor *tocha_op_gelu_backward(tocha_context *cx, tocha_tensor *grad_output,
                                     tocha_tensor *self, const char *approximate) {
  int by_tanh = approximates(cx, approximate);
  tocha_operand in[2] = {tocha_operand_of(grad_output), tocha_operand_of(self)};
  if (by_tanh < 0) return NULL;
  return tocha_apply_formula(
      cx, by_tanh ? &tocha_formula_gelu_tanh_backward : &tocha_formula_gelu_backward, 2, in, 0,
      NULL, NULL);
}

static tocha_tensor *plus(tocha_context *cx, tocha_tensor *a, double b) {
  return tocha_add_full(cx, a, tocha_number(tocha_float(b)), tocha_int(1));
}

static tocha_tensor *times(tocha_context *cx, tocha_tensor *a, double b) {
  return tocha_mul_full(cx, a, tocha_number(tocha_float(b)));
}

/* Returns the second derivative of gelu, phi(x) (2 - x^2). */
static tocha_tensor *gelu_bend(tocha_context *cx, tocha_tensor *x) {
  tocha_tensor *xx = tocha_mul(cx, x, x);
  tocha_tensor *density = times(cx, tocha_exp(cx, times(cx, xx, -0.5)), 0.39894228040143267794);
  return tocha_mul(cx, density, plus(cx, tocha_neg(cx, xx), 2));
}

/* Returns the second derivative of gelu's tanh approximation: with t = tanh(u), u = k (x + c x^3),
 * (1 - t^2) (u' + x u'' / 2 - x t u'^2). */
static tocha_tensor *gelu_tanh_bend(tocha_context *cx, tocha_tensor *x) {
  const double k = 0.79788456080286535588, c = 0.044715;
  tocha_tensor *xx = tocha_mul(cx, x, x);
  tocha_tensor *t = tocha_tanh(cx, tocha_mul(cx, x, plus(cx, times(cx, xx, k * c), k)));
  tocha_tensor *slope = plus(cx, times(cx, xx, 3 * k * c), k);
  tocha_tensor *bent = tocha_add(cx, slope, times(cx, xx, 3 * k * c));
  tocha_tensor *last = tocha_mul(cx, tocha_mul(cx, x, t), tocha_mul(cx, slope, slope));
  tocha_tensor *rest = plus(cx, tocha_neg(cx, tocha_mul(cx, t, t)), 1);
  return tocha_mul(cx, rest, tocha_sub(cx, bent, last));
}

bool tocha_grad_gelu_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *grad_output = f->args[0].tensor, *self = f->args[1].tensor;
  const char *approximate = f->args[2].value.string;
  if (!grad) return true;
  if (tocha_wants_grad(f, 0))
    f->out[0] = tocha_private_gelu_backward_full(cx, grad, self, approximate);
  if (tocha_wants_grad(f, 1)) {
    bool by_tanh = strcmp(approximate, "tanh") == 0;
    tocha_tensor *bend = by_tanh ? gelu_tanh_bend(cx, self) : gelu_bend(cx, self);
    f->out[1] = tocha_mul(cx, tocha_mul(cx, grad, grad_output), bend);
  }
  return !tocha_failed(cx);
}

/* --- glu and prelu ---------------------------------------------------------------------------------------- */

/* Returns one of the two halves of t along dim (which: 0 or 1), as a view without a graph. */
static tocha_tensor *half(tocha_context *cx, const tocha_tensor *t, int64_t dim, int which) {
  int64_t sizes[TOCHA_MAX_DIMS];
  memcpy(sizes, t->sizes, t->ndim * sizeof *sizes);
  sizes[dim] /= 2;
  return tocha_alias(cx, t, t->ndim, sizes, t->strides,
                     t->offset + which * sizes[dim] * t->strides[dim]);
}

tocha_tensor *tocha_op_glu(tocha_context *cx, tocha_tensor *self, int64_t dim) {
  if (self->ndim == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "glu does not support scalars because halving size must be even");
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  if (self->sizes[dim] % 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Halving dimension must be even, but dimension %lld is size %lld",
                      (long long)dim, (long long)self->sizes[dim]);
  tocha_operand in[2] = {tocha_operand_of(half(cx, self, dim, 0)),
                         tocha_operand_of(half(cx, self, dim, 1))};
  if (!in[0].tensor || !in[1].tensor) return NULL;
  return tocha_apply_formula(cx, &tocha_formula_glu, 2, in, 0, NULL, NULL);
}

/* Writes the two halves of t along dim into out, as views. */
static bool halves(tocha_context *cx, tocha_tensor *t, int64_t dim, tocha_tensor *out[2]) {
  int64_t length = t->sizes[dim] / 2;
  out[0] = tocha_narrow(cx, t, dim, 0, length);
  out[1] = tocha_narrow(cx, t, dim, length, length);
  return out[0] && out[1];
}

/* Returns (grad s, grad first s (1 - s)) joined along dim, with s = sigmoid(second half). */
tocha_tensor *tocha_op_glu_backward(tocha_context *cx, tocha_tensor *grad_output,
                                    tocha_tensor *self, int64_t dim) {
  tocha_tensor *half[2];
  if (!tocha_wrap_dim(cx, &dim, self->ndim) || !halves(cx, self, dim, half)) return NULL;
  tocha_tensor *gate = tocha_sigmoid(cx, half[1]);
  if (!gate) return NULL;
  tocha_operand in[3] = {tocha_operand_of(gate), tocha_operand_of(half[0]),
                         tocha_operand_of(grad_output)};
  tocha_tensor *second = tocha_apply_formula(cx, &tocha_formula_glu_slope, 3, in, 0, NULL, NULL);
  tocha_tensor *sides[2] = {tocha_mul(cx, grad_output, gate), second};
  return tocha_cat(cx, 2, sides, dim);
}

/* Returns the derivative of glu_backward by self times grad_output: with s as above and g the
 * halves of grad, (g1 s (1 - s), g0 s (1 - s) + g1 first s (1 - s) (1 - 2 s)). */
static tocha_tensor *glu_bend(tocha_context *cx, tocha_tensor *const g[2],
                              tocha_tensor *grad_output, tocha_tensor *const half[2], int64_t dim) {
  tocha_tensor *gate = tocha_sigmoid(cx, half[1]), *rest = plus(cx, tocha_neg(cx, gate), 1);
  tocha_tensor *slope = tocha_mul(cx, gate, rest);
  tocha_tensor *bend = tocha_sub(cx, tocha_mul(cx, slope, rest), tocha_mul(cx, gate, slope));
  tocha_tensor *second = tocha_mul(cx, tocha_mul(cx, half[0], g[1]), grad_output);
  second = tocha_add(cx, tocha_mul(cx, second, bend),
                     tocha_mul(cx, tocha_mul(cx, g[0], grad_output), slope));
  tocha_tensor *sides[2] = {tocha_mul(cx, tocha_mul(cx, g[1], grad_output), slope), second};
  return tocha_cat(cx, 2, sides, dim);
}

bool tocha_grad_glu_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *grad_output = f->args[0].tensor, *self = f->args[1].tensor;
  tocha_tensor *g[2], *half[2], *sides[2];
  int64_t dim = f->args[2].value.integer;
  if (!grad) return true;
  if (!tocha_wrap_dim(cx, &dim, grad->ndim)) return false;
  if (tocha_wants_grad(f, 0)) {
    tocha_tensor *one = tocha_ones_like(cx, grad_output);
    tocha_tensor *both = tocha_mul(cx, grad, tocha_private_glu_backward(cx, one, self, dim));
    if (!both || !halves(cx, both, dim, sides)) return false;
    f->out[0] = tocha_add(cx, sides[0], sides[1]);
  }
  if (tocha_wants_grad(f, 1) && halves(cx, grad, dim, g) && halves(cx, self, dim, half))
    f->out[1] = glu_bend(cx, g, grad_output, half, dim);
  return !tocha_failed(cx);
}

/* Scales negative elements by weight, which has one slope per channel (dimension 1) or one for
 * all. */
tocha_tensor *tocha_op_prelu(tocha_context *cx, tocha_tensor *self, tocha_tensor *weight) {
  if (self->dtype != weight->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "prelu: Type promoting not supported. Got %s and %s",
                      tocha_dtype_scalar_type(self->dtype), tocha_dtype_scalar_type(weight->dtype));
  int64_t sizes[TOCHA_MAX_DIMS];
  if (weight->numel != 1) {
    if (self->ndim == 0)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Not allow zero-dim input tensor.");
    int64_t channels = self->ndim > 1 ? self->sizes[1] : 1;
    if (channels != weight->numel)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "Mismatch of parameter numbers and input channel size. Found parameter "
                        "numbers = %lld and channel size = %lld.",
                        (long long)weight->numel, (long long)channels);
  }
  if (weight->ndim > 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = %d",
                      weight->ndim);
  for (int i = 0; i < self->ndim; i++) sizes[i] = i == 1 ? weight->numel : 1;
  if (self->ndim < 2)
    for (int i = 0; i < self->ndim; i++) sizes[i] = 1;
  return tocha_prelu_kernel(cx, self, tocha_reshape(cx, weight, self->ndim, sizes));
}
