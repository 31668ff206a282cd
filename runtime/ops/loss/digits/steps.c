/* steps.c: losses of float16 and bfloat16 tensors on the CPU, made of operators: every step is rounded to 16 bits, as in
 * PyTorch's loops, and the numbers in them are, too. */
#include "ops/loss/steps.h"

#include "ops/loss/loss.h"
#include "tensor/math/rounded.h"
#include "tocha/ops/abs.h"
#include "tocha/ops/clamp.h"
#include "tocha/ops/div.h"
#include "tocha/ops/ge.h"
#include "tocha/ops/le.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/rsub.h"
#include "tocha/ops/sigmoid.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/where.h"

/* Whether the loss (order 0) or its slope (1) of a kind is rounded step by step. */
static bool has_steps(int kind, int order, int dtype) {
  switch (kind) {
  case TOCHA_LOSS_MSE:
    return order <= 1;
  case TOCHA_LOSS_HUBER:
    return order == 1 || (order == 0 && dtype == TOCHA_BFLOAT16);
  case TOCHA_LOSS_BCE:
  case TOCHA_LOSS_BCE_LOGITS:
    return order == 1;
  default:
    return false;
  }
}

bool tocha_loss_by_steps(const tocha_tensor *self, const tocha_tensor *target,
                         const tocha_tensor *factor, int kind, int order) {
  return has_steps(kind, order, self->dtype) && (order == 0) == !factor &&
         self->device.type == TOCHA_CPU && tocha_dtype_is_floating(self->dtype) &&
         tocha_dtype_size(self->dtype) == 2 && self->dtype == target->dtype &&
         (!factor || factor->dtype == self->dtype);
}

/* A number as an element of t holds it. */
static tocha_operand number(const tocha_tensor *t, double x) {
  return tocha_number(tocha_float(tocha_rounded(x, t->dtype)));
}

static tocha_tensor *times(tocha_context *cx, tocha_tensor *t, double x) {
  return t ? tocha_mul_full(cx, t, number(t, x)) : NULL;
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

static tocha_tensor *huber_slope(tocha_context *cx, tocha_tensor *d, tocha_tensor *factor,
                                 double delta, double norm) {
  tocha_tensor *inside = tocha_mul(cx, times(cx, d, norm), factor);
  tocha_tensor *above = times(cx, times(cx, factor, norm), delta);
  if (!inside || !above) return NULL;
  tocha_tensor *out = tocha_where(cx, tocha_ge_full(cx, d, number(d, delta)), above, inside);
  return tocha_where(cx, tocha_le_full(cx, d, number(d, -delta)), times(cx, above, -1), out);
}

/* The slope of binary cross entropy, of shares or of logits. */
static tocha_tensor *bce_slope(tocha_context *cx, tocha_tensor *x, tocha_tensor *target,
                               tocha_tensor *factor, bool logits, bool mean) {
  tocha_tensor *share = logits ? tocha_sigmoid(cx, x) : x;
  tocha_tensor *out = tocha_mul(cx, tocha_sub(cx, share, target), factor);
  if (!logits) {
    tocha_scalar least = tocha_float(1e-12);
    tocha_tensor *rest = tocha_rsub_full(cx, x, tocha_number(tocha_int(1)), tocha_int(1));
    out = tocha_div(cx, out, tocha_clamp(cx, tocha_mul(cx, rest, x), &least, NULL));
  }
  return mean ? tocha_div_full(cx, out, tocha_number(tocha_int(x->numel))) : out;
}

tocha_tensor *tocha_rounded_loss(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                 tocha_tensor *factor, int kind, int order, double p,
                                 int reduction) {
  bool mean = reduction == TOCHA_REDUCTION_MEAN;
  double norm = mean && self->numel ? 1.0 / (double)self->numel : 1;
  if (kind == TOCHA_LOSS_BCE || kind == TOCHA_LOSS_BCE_LOGITS)
    return bce_slope(cx, self, target, factor, kind == TOCHA_LOSS_BCE_LOGITS, mean);
  tocha_tensor *d = tocha_sub(cx, self, target);
  if (!d) return NULL;
  if (kind == TOCHA_LOSS_HUBER)
    return order == 0 ? huber(cx, d, p) : huber_slope(cx, d, factor, p, norm);
  return order == 0 ? tocha_mul(cx, d, d) : tocha_mul(cx, times(cx, d, 2 * norm), factor);
}
