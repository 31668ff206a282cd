/* loss.c: the losses that work element by element, as operators of their own, with their derivatives. functional.c has the
 * functions of torch.nn.functional, with checks and reductions by name. */
#include "ops/loss/loss.h"

#include <string.h>

#include "device/devices.h"
#include "loss/implementations.h"
#include "ops/loss/elements.h"
#include "ops/loss/kernels.h"
#include "ops/reduction/reduce.h"
#include "tensor/copy.h"
#include "tensor/output.h"
#include "tensor/strided.h"
#include "tocha/ops/private/div_number.h"
#include "tocha/ops/private/loss_backward.h"
#include "tocha/ops/add.h"
#include "tocha/ops/clamp.h"
#include "tocha/ops/div.h"
#include "tocha/ops/log.h"
#include "tocha/ops/logit.h"
#include "tocha/ops/logsigmoid.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/rsub.h"
#include "tocha/ops/sigmoid.h"
#include "tocha/ops/sub.h"

/* --- element by element -------------------------------------------------------------------------------- */

static bool launch_loss(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  tocha_loss_args *args = user;
  args->layout = layout;
  return stream->kernels->loss->loss(stream, args);
}

/* Returns a new tensor for the derivative of that order of loss `kind`, in the memory layout that PyTorch gives it. */
static tocha_tensor *new_elements(tocha_context *cx, int kind, int order, int ndim,
                                  const int64_t *sizes, tocha_dtype type,
                                  tocha_tensor *const *both) {
  bool entropy = kind == TOCHA_LOSS_BCE, logits = kind == TOCHA_LOSS_BCE_LOGITS;
  const tocha_tensor *like = both[0];
  if (order == 0 && logits) like = both[1];
  bool copies = order == 0 ? entropy || logits || kind == TOCHA_LOSS_HUBER : order == 1 && entropy;
  if (copies && like->ndim == ndim && memcmp(like->sizes, sizes, (size_t)ndim * sizeof *sizes) == 0)
    return tocha_new_copy_of(cx, like, type, like->device);
  if (order == 1 && !logits) return tocha_new(cx, ndim, sizes, type, both[0]->device);
  return tocha_new_output(cx, ndim, sizes, type, both[0]->device, 2, both);
}

/* Returns the derivative of that order of loss `kind`, times factor (broadcast; NULL: 1) and, for the mean, divided by the
 * number of elements. */
static tocha_tensor *elements(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                              tocha_tensor *factor, int kind, int order, double p, int reduction) {
  tocha_tensor *all[4] = {NULL, self, target, factor};
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_dtype type = tocha_promote_types(self->dtype, target->dtype);
  if (!tocha_broadcast_sizes(cx, 2, all + 1, &ndim, sizes)) return NULL;
  tocha_tensor *out = new_elements(cx, kind, order, ndim, sizes, type, all + 1);
  if (!out || !tocha_has_elements(out)) return out;
  all[0] = out;
  tocha_loss_args args = {.p = p,
                          .norm = reduction == TOCHA_REDUCTION_MEAN ? 1.0 / (double)out->numel : 1,
                          .kind = kind,
                          .order = order,
                          .compute = type == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32};
  int count = factor ? 4 : 3;
  return tocha_launch_strided(cx, ndim, sizes, count, all, launch_loss, &args) ? out : NULL;
}

static tocha_tensor *values(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                            tocha_tensor *factor, int kind, double p) {
  return elements(cx, self, target, factor, kind, 0, p, TOCHA_REDUCTION_NONE);
}

/* Returns true if the device sums the losses of these operands without writing them. */
static bool sums_at_once(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *target,
                         int64_t reduction) {
  bool same = self->ndim == target->ndim && self->dtype == target->dtype &&
              memcmp(self->sizes, target->sizes, (size_t)self->ndim * sizeof *self->sizes) == 0;
  if (!same || reduction == TOCHA_REDUCTION_NONE || !tocha_has_elements(self) ||
      !tocha_dtype_is_floating((tocha_dtype)self->dtype) || !tocha_is_contiguous(self) ||
      !tocha_is_contiguous(target))
    return false;
  tocha_stream *s = tocha_stream_of(cx, self->device);
  return s && s->kernels->loss->loss_sum &&
         (uintptr_t)tocha_bytes((tocha_tensor *)self) % 16 == 0 &&
         (uintptr_t)tocha_bytes((tocha_tensor *)target) % 16 == 0;
}

/* Returns the loss, reduced. */
static tocha_tensor *reduced(tocha_context *cx, tocha_tensor *self, tocha_tensor *target, int kind,
                             double p, int64_t reduction) {
  if (!sums_at_once(cx, self, target, reduction))
    return tocha_reduce_loss(cx, values(cx, self, target, NULL, kind, p), reduction);
  int64_t parts = TOCHA_LOSS_PARTS;
  tocha_tensor *out = tocha_new(cx, 0, NULL, (tocha_dtype)self->dtype, self->device);
  tocha_tensor *scratch = tocha_new(cx, 1, &parts, TOCHA_FLOAT64, self->device);
  tocha_stream *s = tocha_stream_of(cx, self->device);
  if (!out || !scratch || !s) return NULL;
  tocha_loss_sum_args args = {.input = tocha_bytes(self),
                              .target = tocha_bytes(target),
                              .out = tocha_bytes(out),
                              .scratch = tocha_bytes(scratch),
                              .numel = self->numel,
                              .p = p,
                              .norm = reduction == TOCHA_REDUCTION_MEAN ? (double)self->numel : 1,
                              .kind = kind,
                              .dtype = self->dtype};
  return tocha_launched(cx, s->kernels->loss->loss_sum(s, &args)) ? out : NULL;
}

tocha_tensor *tocha_reduce_loss(tocha_context *cx, tocha_tensor *loss, int64_t reduction) {
  if (!loss || reduction == TOCHA_REDUCTION_NONE) return loss;
  bool mean = reduction == TOCHA_REDUCTION_MEAN;
  return tocha_reduce(cx, mean ? &tocha_reduction_mean : &tocha_reduction_sum,
                      mean ? "mean" : "sum", (tocha_reduce_over){.self = loss}, TOCHA_NO_DTYPE, 0);
}

/* Returns the loss in the dtype of `like`, whatever the dtype of the other operand is. */
static tocha_tensor *of_dtype(tocha_context *cx, tocha_tensor *loss, const tocha_tensor *like) {
  if (!loss || !tocha_check_castable(cx, loss->dtype, (tocha_dtype)like->dtype)) return NULL;
  return tocha_as_dtype(cx, loss, (tocha_dtype)like->dtype);
}

static tocha_tensor *element_loss(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                  int kind, double p, int64_t reduction, const char *kernel) {
  tocha_dtype type = tocha_promote_types(self->dtype, target->dtype);
  if (!tocha_dtype_is_floating(type))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s_%s\" not implemented for '%s'", kernel,
                      tocha_is_on_device(self) ? "cuda" : "cpu", tocha_dtype_scalar_type(type));
  return reduced(cx, self, target, kind, p, reduction);
}

tocha_tensor *tocha_op__mse_loss(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                 int64_t reduction) {
  return element_loss(cx, self, target, TOCHA_LOSS_MSE, 1, reduction, "mse");
}
tocha_tensor *tocha_op__smooth_l1_loss(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                       int64_t reduction, double beta) {
  return element_loss(cx, self, target, TOCHA_LOSS_SMOOTH_L1, beta, reduction, "smooth_l1");
}
tocha_tensor *tocha_op__huber_loss(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                   int64_t reduction, double delta) {
  if (self->dtype == target->dtype)
    return element_loss(cx, self, target, TOCHA_LOSS_HUBER, delta, reduction, "huber");
  tocha_tensor *loss =
      element_loss(cx, self, target, TOCHA_LOSS_HUBER, delta, TOCHA_REDUCTION_NONE, "huber");
  return tocha_reduce_loss(cx, of_dtype(cx, loss, self), reduction);
}

tocha_tensor *tocha_op__loss_slope(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                   int64_t kind, double p, int64_t order, int64_t reduction) {
  return elements(cx, self, target, NULL, (int)kind, (int)order, p, (int)reduction);
}

tocha_tensor *tocha_op__loss_backward(tocha_context *cx, tocha_tensor *grad_output,
                                      tocha_tensor *self, tocha_tensor *target, int64_t kind,
                                      double p, int64_t reduction) {
  if (kind == TOCHA_LOSS_HUBER && target->dtype != self->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Found dtype %s but expected %s",
                      tocha_dtype_scalar_type(target->dtype), tocha_dtype_scalar_type(self->dtype));
  return elements(cx, self, target, grad_output, (int)kind, 1, p, (int)reduction);
}

/* --- binary cross entropy ------------------------------------------------------------------------------- */

tocha_tensor *tocha_op__binary_cross_entropy(tocha_context *cx, tocha_tensor *self,
                                             tocha_tensor *target, tocha_tensor *weight,
                                             int64_t reduction) {
  if (!weight) return reduced(cx, self, target, TOCHA_LOSS_BCE, 1, reduction);
  return tocha_reduce_loss(cx, values(cx, self, target, weight, TOCHA_LOSS_BCE, 1), reduction);
}

tocha_tensor *tocha_op__bce_with_logits(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                        tocha_tensor *weight, tocha_tensor *pos_weight,
                                        int64_t reduction) {
  if (pos_weight || self->dtype != target->dtype)
    return tocha_bce_with_logits_of_operators(cx, self, target, weight, pos_weight, reduction);
  if (!weight) return reduced(cx, self, target, TOCHA_LOSS_BCE_LOGITS, 1, reduction);
  tocha_tensor *loss = values(cx, self, target, NULL, TOCHA_LOSS_BCE_LOGITS, 1);
  return tocha_reduce_loss(cx, tocha_mul(cx, loss, weight), reduction);
}

tocha_tensor *tocha_bce_with_logits_of_operators(tocha_context *cx, tocha_tensor *self,
                                                 tocha_tensor *target, tocha_tensor *weight,
                                                 tocha_tensor *pos_weight, int64_t reduction) {
  /* (1 - t) x - ((p - 1) t + 1) log sigmoid(x): log_sigmoid has x's dtype and the first term that of 1 - t, and both are
   * changed in place */
  tocha_operand one = tocha_number(tocha_int(1));
  tocha_tensor *log_sigmoid = tocha_logsigmoid(cx, self);
  if (pos_weight) {
    tocha_tensor *factor = tocha_mul(cx, tocha_sub_full(cx, pos_weight, one, tocha_int(1)), target);
    factor = tocha_add_full(cx, factor, one, tocha_int(1));
    log_sigmoid = tocha_mul_(cx, log_sigmoid, factor);
  }
  tocha_tensor *loss = tocha_mul_(cx, tocha_rsub_full(cx, target, one, tocha_int(1)), self);
  loss = tocha_sub_(cx, loss, log_sigmoid);
  return tocha_reduce_loss(cx, weight ? tocha_mul_(cx, loss, weight) : loss, reduction);
}

/* Returns t * weight, the end of a derivative; for the mean divided by the number of elements. */
static tocha_tensor *weighted(tocha_context *cx, tocha_tensor *t, tocha_tensor *weight,
                              int64_t reduction, const tocha_tensor *self) {
  if (weight) t = tocha_mul(cx, t, weight);
  return reduction == TOCHA_REDUCTION_MEAN ? tocha_private_div_number(cx, t, tocha_int(self->numel))
                                           : t;
}

tocha_tensor *tocha_op__binary_cross_entropy_backward(tocha_context *cx, tocha_tensor *grad_output,
                                                      tocha_tensor *self, tocha_tensor *target,
                                                      tocha_tensor *weight, int64_t reduction) {
  if (!weight)
    return tocha_private_loss_backward(cx, grad_output, self, target, TOCHA_LOSS_BCE, 1, reduction);
  tocha_tensor *rest = tocha_rsub_full(cx, self, tocha_number(tocha_int(1)), tocha_int(1));
  tocha_tensor *under = tocha_mul(cx, rest, self);
  tocha_scalar minimum = tocha_float(1e-12);
  under = tocha_clamp(cx, under, &minimum, NULL);
  tocha_tensor *grad = tocha_mul(cx, grad_output, tocha_sub(cx, self, target));
  return weighted(cx, tocha_div(cx, grad, under), weight, reduction, self);
}

static tocha_tensor *plus(tocha_context *cx, tocha_tensor *t, double number) {
  return tocha_add_full(cx, t, tocha_number(tocha_float(number)), tocha_int(1));
}

bool tocha_grad_bce_backward(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *grad_output = f->args[0].tensor, *x = f->args[1].tensor;
  tocha_tensor *target = f->args[2].tensor, *weight = f->args[3].tensor;
  int64_t reduction = f->args[4].value.integer;
  if (!grad) return true;
  tocha_tensor *rest = tocha_rsub_full(cx, x, tocha_number(tocha_int(1)), tocha_int(1));
  tocha_tensor *x_near = plus(cx, x, 1e-12), *rest_near = plus(cx, rest, 1e-12);
  tocha_tensor *both = tocha_mul(cx, grad, grad_output);
  if (tocha_wants_grad(f, 0)) {
    tocha_tensor *slope = tocha_div(cx, tocha_sub(cx, x, target), tocha_mul(cx, x_near, rest_near));
    f->out[0] = weighted(cx, tocha_mul(cx, slope, grad), weight, reduction, x);
  }
  if (tocha_wants_grad(f, 1)) {
    tocha_tensor *twice = tocha_mul_full(cx, tocha_mul(cx, x, target), tocha_number(tocha_int(2)));
    tocha_tensor *over = tocha_add(cx, tocha_sub(cx, tocha_mul(cx, x, x), twice), target);
    tocha_tensor *under =
        tocha_mul(cx, tocha_mul(cx, x_near, x_near), tocha_mul(cx, rest_near, rest_near));
    f->out[1] = weighted(cx, tocha_mul(cx, tocha_div(cx, over, under), both), weight, reduction, x);
  }
  if (tocha_wants_grad(f, 2)) {
    tocha_tensor *slope = weight ? tocha_mul(cx, tocha_neg(cx, both), weight) : tocha_neg(cx, both);
    slope = tocha_div(cx, slope, tocha_mul(cx, x_near, rest_near));
    f->out[2] = weighted(cx, slope, NULL, reduction, x);
  }
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op__binary_cross_entropy_target_backward(tocha_context *cx,
                                                             tocha_tensor *grad_output,
                                                             tocha_tensor *self,
                                                             tocha_tensor *weight,
                                                             int64_t reduction) {
  tocha_tensor *slope = tocha_neg(cx, tocha_logit(cx, self, NULL));
  return weighted(cx, tocha_mul(cx, slope, grad_output), weight, reduction, self);
}

tocha_tensor *tocha_op__bce_with_logits_backward(tocha_context *cx, tocha_tensor *grad_output,
                                                 tocha_tensor *self, tocha_tensor *target,
                                                 tocha_tensor *weight, tocha_tensor *pos_weight,
                                                 int64_t reduction) {
  bool half = tocha_dtype_size(self->dtype) == 2;
  if (!tocha_grad_enabled(cx) && !weight && !pos_weight && !half)
    return tocha_private_loss_backward(cx, grad_output, self, target, TOCHA_LOSS_BCE_LOGITS, 1,
                                       reduction);
  tocha_tensor *slope = tocha_sigmoid(cx, self);
  if (pos_weight) { /* (p t + 1 - t) sigmoid(x) - p t */
    tocha_tensor *t = tocha_mul(cx, pos_weight, target);
    tocha_tensor *factor = tocha_add_full(cx, t, tocha_number(tocha_int(1)), tocha_int(1));
    slope = tocha_sub(cx, tocha_mul(cx, tocha_sub(cx, factor, target), slope), t);
  } else {
    slope = tocha_sub(cx, slope, target);
  }
  return weighted(cx, tocha_mul(cx, slope, grad_output), weight, reduction, self);
}

/* Computes the derivative by the target: -x + (1 - p) log sigmoid(x), which is (p - 1) softplus(-x) - x. */
tocha_tensor *tocha_op__bce_with_logits_target_backward(tocha_context *cx,
                                                        tocha_tensor *grad_output,
                                                        tocha_tensor *self, tocha_tensor *weight,
                                                        tocha_tensor *pos_weight,
                                                        int64_t reduction) {
  tocha_tensor *slope = tocha_neg(cx, self);
  if (pos_weight) {
    tocha_tensor *excess = tocha_sub_full(cx, pos_weight, tocha_number(tocha_int(1)), tocha_int(1));
    tocha_tensor *minus_log = tocha_neg(cx, tocha_log(cx, tocha_sigmoid(cx, self)));
    slope = tocha_add(cx, tocha_mul(cx, excess, minus_log), slope);
  }
  return weighted(cx, tocha_mul(cx, slope, grad_output), weight, reduction, self);
}
