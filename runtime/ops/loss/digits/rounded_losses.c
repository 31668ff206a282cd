/* rounded_losses.c: losses of 16-bit types that PyTorch's CPU rounds after every step (rounds = "steps"), composed of operators. Their
 * constants are rounded, too. */
#include "loss/implementations.h"
#include "ops/loss/elements.h"
#include "ops/loss/loss.h"
#include "tensor/math/rounded.h"
#include "tocha/ops/abs.h"
#include "tocha/ops/clamp.h"
#include "tocha/ops/div.h"
#include "tocha/ops/ge.h"
#include "tocha/ops/le.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/rsub.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/where.h"

/* Returns a number, rounded to the dtype of t. */
static tocha_operand number(const tocha_tensor *t, double x) {
  return tocha_number(tocha_float(tocha_rounded(x, t->dtype)));
}

static tocha_tensor *times(tocha_context *cx, tocha_tensor *t, double x) {
  return t ? tocha_mul_full(cx, t, number(t, x)) : NULL;
}

tocha_tensor *tocha_steps__mse_loss(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                    int64_t reduction) {
  if (self->dtype != target->dtype) return tocha_op__mse_loss(cx, self, target, reduction);
  tocha_tensor *d = tocha_sub(cx, self, target);
  return tocha_reduce_loss(cx, tocha_mul(cx, d, d), reduction);
}

static tocha_tensor *huber(tocha_context *cx, tocha_tensor *d, double delta) {
  tocha_tensor *size = tocha_abs(cx, d);
  if (!size) return NULL;
  double half = tocha_rounded(0.5 * tocha_rounded(delta, size->dtype), size->dtype);
  tocha_tensor *line = tocha_sub_full(cx, size, number(size, half), tocha_int(1));
  tocha_tensor *square = tocha_mul(cx, times(cx, size, 0.5), size);
  return tocha_where(cx, tocha_ge_full(cx, size, number(size, delta)), times(cx, line, delta),
                     square);
}

/* Computes the Huber loss in steps if both operands are bfloat16. PyTorch rounds float16 once. */
tocha_tensor *tocha_steps__huber_loss(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                      int64_t reduction, double delta) {
  if (self->dtype != TOCHA_BFLOAT16 || target->dtype != TOCHA_BFLOAT16)
    return tocha_op__huber_loss(cx, self, target, reduction, delta);
  return tocha_reduce_loss(cx, huber(cx, tocha_sub(cx, self, target), delta), reduction);
}

tocha_tensor *tocha_steps__bce_with_logits(tocha_context *cx, tocha_tensor *self,
                                           tocha_tensor *target, tocha_tensor *weight,
                                           tocha_tensor *pos_weight, int64_t reduction) {
  return tocha_bce_with_logits_of_operators(cx, self, target, weight, pos_weight, reduction);
}

/* --- slopes, times factor; norm: 1, or 1 over the number of elements for the mean -------------------------------- */

static tocha_tensor *mse_slope(tocha_context *cx, tocha_tensor *d, tocha_tensor *factor,
                               double norm) {
  return tocha_mul(cx, times(cx, d, 2 * norm), factor);
}

static tocha_tensor *huber_slope(tocha_context *cx, tocha_tensor *d, tocha_tensor *factor,
                                 double delta, double norm) {
  tocha_tensor *inside = tocha_mul(cx, times(cx, d, norm), factor);
  tocha_tensor *above = times(cx, times(cx, factor, norm), delta);
  if (!inside || !above) return NULL;
  tocha_tensor *out = tocha_where(cx, tocha_ge_full(cx, d, number(d, delta)), above, inside);
  return tocha_where(cx, tocha_le_full(cx, d, number(d, -delta)), times(cx, above, -1), out);
}

static tocha_tensor *bce_slope(tocha_context *cx, tocha_tensor *x, tocha_tensor *target,
                               tocha_tensor *factor, bool mean) {
  tocha_scalar minimum = tocha_float(1e-12);
  tocha_tensor *rest = tocha_rsub_full(cx, x, tocha_number(tocha_int(1)), tocha_int(1));
  tocha_tensor *under = tocha_clamp(cx, tocha_mul(cx, rest, x), &minimum, NULL);
  tocha_tensor *out = tocha_div(cx, tocha_mul(cx, tocha_sub(cx, x, target), factor), under);
  return mean ? tocha_div_full(cx, out, tocha_number(tocha_int(x->numel))) : out;
}

/* Computes the gradient in steps if all dtypes agree. PyTorch rounds smooth_l1_loss once. */
tocha_tensor *tocha_steps__loss_backward(tocha_context *cx, tocha_tensor *grad_output,
                                         tocha_tensor *self, tocha_tensor *target, int64_t kind,
                                         double p, int64_t reduction) {
  bool mean = reduction == TOCHA_REDUCTION_MEAN;
  double norm = mean && self->numel ? 1.0 / (double)self->numel : 1;
  if (self->dtype != target->dtype || grad_output->dtype != self->dtype ||
      kind == TOCHA_LOSS_SMOOTH_L1)
    return tocha_op__loss_backward(cx, grad_output, self, target, kind, p, reduction);
  if (kind == TOCHA_LOSS_BCE) return bce_slope(cx, self, target, grad_output, mean);
  tocha_tensor *d = tocha_sub(cx, self, target);
  if (!d) return NULL;
  return kind == TOCHA_LOSS_HUBER ? huber_slope(cx, d, grad_output, p, norm)
                                  : mse_slope(cx, d, grad_output, norm);
}
