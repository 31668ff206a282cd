/* loss.c: the loss functions that are operators of their own, with their derivatives: those that
 * work element by element, and negative log likelihood. What torch.nn.functional offers, with its
 * checks and reductions by name, is in losses_functional.c. */
#include "ops/loss/loss.h"
#include "tensor/strided.h"
#include "ops/loss/kernels.h"

#include <math.h>
#include <string.h>

#include "device/devices.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "ops/reduction/reduce.h"
#include "loss/implementations.h"
#include "reduction/implementations.h"
#include "tocha/ops/_loss_backward.h"
#include "tocha/ops/add.h"
#include "tocha/ops/clamp.h"
#include "tocha/ops/div.h"
#include "tocha/ops/index_add_.h"
#include "tocha/ops/log.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/rsub.h"
#include "tocha/ops/sigmoid.h"
#include "tocha/ops/sub.h"

/* --- element by element -------------------------------------------------------------------------------- */

/* The order-th derivative by x of loss `kind` at input x and target t. With d = x - t:
 * MSE d^2; SMOOTH_L1 d^2 / 2p where |d| < p, else |d| - p/2; HUBER d^2 / 2 where |d| <= p, else
 * p (|d| - p/2); BCE -(t log x + (1 - t) log(1 - x)), logarithms at least -100; BCE_LOGITS the
 * same of sigmoid(x), as (1 - t) x - log sigmoid(x). */
static double loss_value(int kind, int order, double p, double x, double t) {
  double d = x - t, size = fabs(d), s;
  switch (kind) {
  case TOCHA_LOSS_MSE:
    return order == 0 ? d * d : order == 1 ? 2 * d : order == 2 ? 2 : 0;
  case TOCHA_LOSS_SMOOTH_L1:
    if (order == 0) return size < p ? 0.5 * d * d / p : size - 0.5 * p;
    if (order == 1) return size < p ? d / p : d > 0 ? 1 : d < 0 ? -1 : d;
    return order == 2 && size < p ? 1 / p : 0;
  case TOCHA_LOSS_HUBER:
    if (order == 0) return size <= p ? 0.5 * d * d : p * (size - 0.5 * p);
    if (order == 1) return size <= p ? d : d > 0 ? p : -p;
    return order == 2 && size <= p ? 1 : 0;
  case TOCHA_LOSS_BCE:
    if (order == 0) return (t - 1) * fmax(log1p(-x), -100) - t * fmax(log(x), -100);
    return (x - t) / fmax((1 - x) * x, 1e-12);
  default:
    if (order == 0) return (1 - t) * x - (fmin(x, 0) - log1p(exp(-fabs(x))));
    s = 1 / (1 + exp(-x));
    return order == 1 ? s - t : s * (1 - s);
  }
}

/* The same in float32, in PyTorch's order of operations. */
static float loss_value_float(int kind, int order, float p, float x, float t) {
  float d = x - t, size = fabsf(d), s;
  switch (kind) {
  case TOCHA_LOSS_MSE:
    return order == 0 ? d * d : order == 1 ? 2 * d : order == 2 ? 2 : 0;
  case TOCHA_LOSS_SMOOTH_L1:
    if (order == 0) return size < p ? 0.5f * d * d / p : size - 0.5f * p;
    if (order == 1) return size < p ? d / p : d > 0 ? 1 : d < 0 ? -1 : d;
    return order == 2 && size < p ? 1 / p : 0;
  case TOCHA_LOSS_HUBER:
    if (order == 0) return size <= p ? 0.5f * d * d : p * (size - 0.5f * p);
    if (order == 1) return size <= p ? d : d > 0 ? p : -p;
    return order == 2 && size <= p ? 1 : 0;
  case TOCHA_LOSS_BCE:
    if (order == 0) return (t - 1) * fmaxf(log1pf(-x), -100) - t * fmaxf(logf(x), -100);
    return (x - t) / fmaxf((1 - x) * x, 1e-12f);
  default:
    if (order == 0) return (1 - t) * x - (fminf(x, 0) - log1pf(expf(-fabsf(x))));
    s = 1 / (1 + expf(-x));
    return order == 1 ? s - t : s * (1 - s);
  }
}

typedef struct element_args {
  int kind, order;
  bool scaled; /* a third input is multiplied in */
  double p, norm;
} element_args;

static void element_run_float32(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const element_args *j = user;
  float p = (float)j->p, norm = (float)j->norm;
  for (int64_t i = 0; i < n; i++) {
    float x = *(const float *)(data[1] + i * strides[1]);
    float t = *(const float *)(data[2] + i * strides[2]);
    float *out = (float *)(data[0] + i * strides[0]);
    float value = loss_value_float(j->kind, j->order, p, x, t);
    if (j->norm != 1) value *= norm;
    if (j->scaled) value *= *(const float *)(data[3] + i * strides[3]);
    *out = value;
  }
}

static void element_run_float64(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const element_args *j = user;
  for (int64_t i = 0; i < n; i++) {
    double x = *(const double *)(data[1] + i * strides[1]);
    double t = *(const double *)(data[2] + i * strides[2]);
    double *out = (double *)(data[0] + i * strides[0]);
    double value = loss_value(j->kind, j->order, j->p, x, t) * j->norm;
    if (j->scaled) value *= *(const double *)(data[3] + i * strides[3]);
    *out = value;
  }
}

static bool launch_loss(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  tocha_loss_args *work = user;
  work->layout = *layout;
  return stream->kernels->loss->loss(stream, work);
}

/* all: out, self, target and perhaps scale, of any dtypes. */
static bool elements_on_device(tocha_context *cx, tocha_tensor *const *all, int count,
                               const element_args *j, bool wide) {
  tocha_loss_args work = {
      .number = j->p, .norm = j->norm, .kind = j->kind, .order = j->order, .wide = wide};
  return tocha_launch_strided(cx, all[0]->ndim, all[0]->sizes, count, all, launch_loss, &work);
}

/* out = scale * norm * derivative(self, target), broadcast; scale may be NULL. */
static tocha_tensor *elements(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                              tocha_tensor *scale, element_args *j, int reduction) {
  tocha_tensor *all[4] = {NULL, self, target, scale};
  int ndim, count = scale ? 3 : 2;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_dtype type = tocha_promote_types(self->dtype, target->dtype);
  tocha_dtype compute = type == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
  if (!tocha_broadcast_sizes(cx, 2, all + 1, &ndim, sizes)) return NULL;
  bool device = tocha_is_on_device(self); /* whose kernel converts */
  for (int i = 1; i <= count && !device; i++)
    if (!(all[i] = tocha_as_dtype(cx, all[i], compute))) return NULL;
  tocha_tensor *out =
      tocha_new_output(cx, ndim, sizes, device ? type : compute, all[1]->device, 2, all + 1);
  if (!out || out->device.type == TOCHA_META || out->numel == 0)
    return tocha_as_dtype(cx, out, type);
  tocha_iterator it;
  all[0] = out;
  j->scaled = scale != NULL;
  j->norm = reduction == TOCHA_REDUCTION_MEAN ? 1.0 / (double)out->numel : 1;
  if (device)
    return elements_on_device(cx, all, count + 1, j, compute == TOCHA_FLOAT64) ? out : NULL;
  tocha_iterator_begin(&it, cx, ndim, sizes, count + 1, all);
  if (!tocha_iterator_run(&it, compute == TOCHA_FLOAT32 ? element_run_float32 : element_run_float64,
                          j))
    return NULL;
  return tocha_as_dtype(cx, out, type);
}

static tocha_tensor *reduced(tocha_context *cx, tocha_tensor *loss, int64_t reduction) {
  if (!loss || reduction == TOCHA_REDUCTION_NONE) return loss;
  return reduction == TOCHA_REDUCTION_MEAN ? tocha_op_mean(cx, loss, TOCHA_NO_DTYPE)
                                           : tocha_op_sum(cx, loss, TOCHA_NO_DTYPE);
}

static tocha_tensor *element_loss(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                  int kind, double p, int64_t reduction, const char *kernel) {
  tocha_dtype type = tocha_promote_types(self->dtype, target->dtype);
  if (!tocha_dtype_is_floating(type))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s_%s\" not implemented for '%s'", kernel,
                      tocha_is_on_device(self) ? "cuda" : "cpu", tocha_dtype_scalar_type(type));
  element_args j = {.kind = kind, .p = p};
  return reduced(cx, elements(cx, self, target, NULL, &j, TOCHA_REDUCTION_NONE), reduction);
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
  return element_loss(cx, self, target, TOCHA_LOSS_HUBER, delta, reduction, "huber");
}

tocha_tensor *tocha_op__loss_slope(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                   int64_t kind, double p, int64_t order, int64_t reduction) {
  element_args j = {.kind = (int)kind, .order = (int)order, .p = p};
  return elements(cx, self, target, NULL, &j, (int)reduction);
}

tocha_tensor *tocha_op__loss_backward(tocha_context *cx, tocha_tensor *grad_output,
                                      tocha_tensor *self, tocha_tensor *target, int64_t kind,
                                      double p, int64_t reduction) {
  element_args j = {.kind = (int)kind, .order = 1, .p = p};
  return elements(cx, self, target, grad_output, &j, (int)reduction);
}

/* --- binary cross entropy ------------------------------------------------------------------------------- */

tocha_tensor *tocha_op__binary_cross_entropy(tocha_context *cx, tocha_tensor *self,
                                             tocha_tensor *target, tocha_tensor *weight,
                                             int64_t reduction) {
  element_args j = {.kind = TOCHA_LOSS_BCE, .p = 1};
  if (tocha_is_on_device(self) || tocha_is_on_device(target)) /* whose kernel checks the values */
    return reduced(cx, elements(cx, self, target, weight, &j, TOCHA_REDUCTION_NONE), reduction);
  tocha_tensor *in = tocha_as_rows(cx, self, TOCHA_FLOAT64),
               *to = tocha_as_rows(cx, target, TOCHA_FLOAT64);
  if (!in || !to) return NULL;
  for (int k = 0; k < 2 && self->device.type != TOCHA_META; k++) {
    const double *values = (const double *)tocha_bytes(k ? to : in);
    for (int64_t i = 0; i < (k ? to : in)->numel; i++)
      if (!(values[i] >= 0 && values[i] <= 1))
        return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "all elements of %s should be between 0 and 1",
                          k ? "target" : "input");
  }
  return reduced(cx, elements(cx, self, target, weight, &j, TOCHA_REDUCTION_NONE), reduction);
}

tocha_tensor *tocha_op__bce_with_logits(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                        tocha_tensor *weight, tocha_tensor *pos_weight,
                                        int64_t reduction) {
  element_args j = {.kind = TOCHA_LOSS_BCE_LOGITS, .p = 1};
  tocha_tensor *loss;
  if (!pos_weight) {
    loss = elements(cx, self, target, NULL, &j, TOCHA_REDUCTION_NONE);
  } else { /* (1 - t) x - ((p - 1) t + 1) log sigmoid(x): the loss at t = 0 is x - log sigmoid(x) */
    tocha_tensor *zero = tocha_mul_full(cx, target, tocha_number(tocha_int(0)));
    if (!zero) return NULL;
    tocha_tensor *log_sigmoid =
        tocha_sub(cx, self, elements(cx, self, zero, NULL, &j, TOCHA_REDUCTION_NONE));
    tocha_tensor *factor = tocha_sub_full(cx, pos_weight, tocha_number(tocha_int(1)), tocha_int(1));
    factor =
        tocha_add_full(cx, tocha_mul(cx, factor, target), tocha_number(tocha_int(1)), tocha_int(1));
    tocha_tensor *rest = tocha_rsub_full(cx, target, tocha_number(tocha_int(1)), tocha_int(1));
    loss = tocha_sub(cx, tocha_mul(cx, rest, self), tocha_mul(cx, factor, log_sigmoid));
  }
  if (weight) loss = tocha_mul(cx, loss, weight);
  return reduced(cx, loss, reduction);
}

/* grad * norm * weight, the factor of every gradient of a weighted loss. */
static tocha_tensor *weighted_grad(tocha_context *cx, tocha_tensor *grad, tocha_tensor *weight,
                                   int64_t reduction, const tocha_tensor *self) {
  if (weight) grad = tocha_mul(cx, grad, weight);
  if (reduction == TOCHA_REDUCTION_MEAN)
    grad = tocha_div_full(cx, grad, tocha_number(tocha_int(self->numel)));
  return grad;
}

/* Composite, so that gradients of gradients exist; fused where nothing is recorded. */
tocha_tensor *tocha_op__binary_cross_entropy_backward(tocha_context *cx, tocha_tensor *grad_output,
                                                      tocha_tensor *self, tocha_tensor *target,
                                                      tocha_tensor *weight, int64_t reduction) {
  if (!tocha_grad_enabled(cx) && !weight)
    return tocha__loss_backward(cx, grad_output, self, target, TOCHA_LOSS_BCE, 1, reduction);
  tocha_tensor *rest = tocha_rsub_full(cx, self, tocha_number(tocha_int(1)), tocha_int(1));
  tocha_tensor *under = tocha_mul(cx, rest, self);
  tocha_scalar least = tocha_float(1e-12);
  under = tocha_clamp(cx, under, &least, NULL);
  tocha_tensor *slope = tocha_div(cx, tocha_sub(cx, self, target), under);
  return tocha_mul(cx, slope, weighted_grad(cx, grad_output, weight, reduction, self));
}

tocha_tensor *
tocha_op__binary_cross_entropy_target_backward(tocha_context *cx, tocha_tensor *grad_output,
                                               tocha_tensor *self, tocha_tensor *target,
                                               tocha_tensor *weight, int64_t reduction) {
  (void)target;
  tocha_scalar least = tocha_float(-100);
  tocha_tensor *rest = tocha_rsub_full(cx, self, tocha_number(tocha_int(1)), tocha_int(1));
  tocha_tensor *slope = tocha_sub(cx, tocha_clamp(cx, tocha_log(cx, rest), &least, NULL),
                                  tocha_clamp(cx, tocha_log(cx, self), &least, NULL));
  return tocha_mul(cx, slope, weighted_grad(cx, grad_output, weight, reduction, self));
}

tocha_tensor *tocha_op__bce_with_logits_backward(tocha_context *cx, tocha_tensor *grad_output,
                                                 tocha_tensor *self, tocha_tensor *target,
                                                 tocha_tensor *weight, tocha_tensor *pos_weight,
                                                 int64_t reduction) {
  if (!tocha_grad_enabled(cx) && !weight && !pos_weight)
    return tocha__loss_backward(cx, grad_output, self, target, TOCHA_LOSS_BCE_LOGITS, 1, reduction);
  tocha_tensor *slope = tocha_sigmoid(cx, self);
  if (pos_weight) { /* (p t + 1 - t) sigmoid(x) - p t */
    tocha_tensor *t = tocha_mul(cx, pos_weight, target);
    tocha_tensor *rest = tocha_rsub_full(cx, target, tocha_number(tocha_int(1)), tocha_int(1));
    slope = tocha_sub(cx, tocha_mul(cx, tocha_add(cx, t, rest), slope), t);
  } else {
    slope = tocha_sub(cx, slope, target);
  }
  return tocha_mul(cx, slope, weighted_grad(cx, grad_output, weight, reduction, self));
}

/* By the target: -x + (1 - p) log sigmoid(x), that is (p - 1) softplus(-x) - x. */
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
  return tocha_mul(cx, slope, weighted_grad(cx, grad_output, weight, reduction, self));
}
