/* multi_margin.c: multi_margin_loss and multilabel_margin_loss: losses of rows of scores, in which one class or several classes
 * should have the largest scores. */
#include <math.h>

#include "device/devices.h"
#include "loss/implementations.h"
#include "ops/loss/cpu/margin.h"
#include "ops/loss/reductions.h"
#include "tensor/copy.h"
#include "tensor/parallel.h"
#include "tocha/ops/private/multi_margin_loss.h"
#include "tocha/ops/private/multilabel_margin_loss.h"

typedef struct margin_call {
  tocha_margin_args args;
  void (*part)(const tocha_margin_args *a, int64_t begin, int64_t end, tocha_stop stop);
  tocha_stop stop;
} margin_call;

static void run_part(void *user, int64_t begin, int64_t end) {
  const margin_call *c = user;
  c->part(&c->args, begin, end, c->stop);
}

static bool run(tocha_context *cx, margin_call *c) {
  c->stop = &cx->interrupted;
  return tocha_parallel_for(cx, c->args.rows, TOCHA_GRAIN / (4 * c->args.classes + 1) + 1, run_part,
                            c);
}

static const tocha_margin_loops *loops_of(const tocha_context *cx, const tocha_tensor *t) {
  return tocha_margin_loops_table[cx->isa][t->dtype];
}

static bool check_dtypes(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *target,
                         const char *kernel) {
  if (self->dtype != TOCHA_FLOAT32 && self->dtype != TOCHA_FLOAT64)
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s\" not implemented for '%s'", kernel,
               tocha_dtype_scalar_type(self->dtype));
  else if (target->dtype != TOCHA_INT64)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected scalar type Long but found %s",
               tocha_dtype_scalar_type(target->dtype));
  return !tocha_failed(cx);
}

static bool check_matrix(tocha_context *cx, const tocha_tensor *self) {
  char text[256];
  bool ok = self->ndim <= 2;
  for (int d = self->ndim == 2; ok && d < self->ndim; d++) ok = self->sizes[d] > 0;
  if (ok) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Expected non-empty vector or matrix with optional 0-dim batch size, but got: %s",
             tocha_shape_text(self->ndim, self->sizes, text, sizeof text));
  return false;
}

/* Returns the kernel's arguments for self as rows of scores (rows, classes), without out. Fails if a conversion fails; the
 * caller checks the context. */
static margin_call call_of(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                           tocha_tensor *weight) {
  margin_call c = {.part = NULL};
  self = tocha_as_rows(cx, self, (tocha_dtype)self->dtype);
  target = tocha_own_rows(cx, target, TOCHA_INT64);
  if (weight && self) weight = tocha_as_rows(cx, weight, (tocha_dtype)self->dtype);
  if (tocha_failed(cx)) return c;
  c.args = (tocha_margin_args){.x = tocha_bytes(self),
                               .weight = weight ? tocha_bytes(weight) : NULL,
                               .target = (const int64_t *)(void *)tocha_bytes(target),
                               .rows = self->ndim == 2 ? self->sizes[0] : 1,
                               .classes = self->ndim ? self->sizes[self->ndim - 1] : 1};
  return c;
}

/* Computes a loss for each row (rows), and returns it reduced. */
static tocha_tensor *losses(tocha_context *cx, const tocha_tensor *self, int ndim, margin_call *c,
                            int64_t reduction) {
  if (tocha_failed(cx)) return NULL;
  tocha_tensor *out = tocha_new(cx, ndim, &c->args.rows, (tocha_dtype)self->dtype, self->device);
  if (!out) return NULL;
  if (tocha_has_elements(out)) {
    c->args.out = tocha_bytes(out);
    if (!run(cx, c)) return NULL;
  }
  return c->args.rows == 0
             ? tocha_reduced_loss(cx, out,
                                  reduction == TOCHA_REDUCTION_NONE ? TOCHA_REDUCTION_NONE
                                                                    : TOCHA_REDUCTION_SUM)
             : tocha_reduced_loss(cx, out, (int)reduction);
}

static tocha_tensor *slopes(tocha_context *cx, tocha_tensor *self, tocha_tensor *grad,
                            margin_call *c, int64_t reduction) {
  tocha_tensor *out = tocha_new_like(cx, self, (tocha_dtype)self->dtype);
  if (!out || tocha_failed(cx) || !tocha_has_elements(out)) return out;
  grad = tocha_as_rows(cx, grad, (tocha_dtype)self->dtype);
  if (!grad) return NULL;
  c->args.grad = tocha_bytes(grad);
  c->args.out = tocha_bytes(out);
  c->args.each = reduction == TOCHA_REDUCTION_NONE;
  int64_t rows = reduction == TOCHA_REDUCTION_MEAN ? c->args.rows : 1;
  c->args.norm = 1 / (double)(rows * c->args.classes);
  return run(cx, c) ? out : NULL;
}

static bool check_range(tocha_context *cx, const margin_call *c, int64_t count, int64_t minimum,
                        const char *words) {
  for (int64_t i = 0; i < count; i++)
    if (c->args.target[i] < minimum || c->args.target[i] >= c->args.classes) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s", words);
      return false;
    }
  return true;
}

/* Fails if a class in `target` is out of range: a write through target.data may have changed it since the forward. */
static bool check_target(tocha_context *cx, const margin_call *c, const tocha_tensor *target,
                         bool several) {
  if (tocha_failed(cx)) return false;
  return !tocha_has_elements(target) ||
         (several ? check_range(cx, c, target->numel, -1, "argument #2 'target' is out of range")
                  : check_range(cx, c, c->args.rows, 0, "target out of range"));
}

/* --- one class a row --------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_multi_margin_loss(tocha_context *cx, tocha_tensor *input,
                                         tocha_tensor *target, int64_t p, double margin,
                                         tocha_tensor *weight, const bool *size_average,
                                         const bool *reduce, const char *reduction) {
  int kind = tocha_reduction_of(cx, size_average, reduce, reduction);
  if (kind < 0) return NULL;
  if (p != 1 && p != 2)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "only p == 1 and p == 2 supported");
  if (weight && weight->ndim != 1)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "weight must be one-dimensional");
  return tocha_private_multi_margin_loss(cx, input, target, p, margin, weight, kind);
}

static bool check_classes(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *target,
                          const tocha_tensor *weight) {
  char text[256];
  int64_t rows = self->ndim == 2 ? self->sizes[0] : 1;
  int64_t classes = self->ndim ? self->sizes[self->ndim - 1] : 1;
  if (!check_matrix(cx, self)) return false;
  if (target->ndim > 1 || target->numel != rows) {
    char of_target[256];
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "multi_margin_loss: target tensor should be 1-D with size equal to the number of "
               "input samples (batch size). Expected target size [%lld], but got %s. Input has "
               "shape %s.",
               (long long)rows,
               tocha_shape_text(target->ndim, target->sizes, of_target, sizeof of_target),
               tocha_shape_text(self->ndim, self->sizes, text, sizeof text));
    return false;
  }
  if (weight && weight->numel != classes) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "inconsistent weight size, expected %lld but got %s",
               (long long)classes,
               tocha_shape_text(weight->ndim, weight->sizes, text, sizeof text));
    return false;
  }
  return check_dtypes(cx, self, target, "multi_margin_loss_cpu_kernel");
}

static margin_call one_class(tocha_context *cx, tocha_tensor *self, tocha_tensor *target, int64_t p,
                             double margin, tocha_tensor *weight) {
  margin_call c = call_of(cx, self, target, weight);
  c.args.squared = p == 2;
  c.args.margin = margin;
  return c;
}

tocha_tensor *tocha_op__multi_margin_loss(tocha_context *cx, tocha_tensor *self,
                                          tocha_tensor *target, int64_t p, double margin,
                                          tocha_tensor *weight, int64_t reduction) {
  if (!check_classes(cx, self, target, weight)) return NULL;
  margin_call c = one_class(cx, self, target, p, margin, weight);
  if (!check_target(cx, &c, target, false)) return NULL;
  c.part = loops_of(cx, self)->one;
  return losses(cx, self, target->ndim, &c, reduction);
}

tocha_tensor *tocha_op__multi_margin_loss_backward(tocha_context *cx, tocha_tensor *grad_output,
                                                   tocha_tensor *self, tocha_tensor *target,
                                                   int64_t p, double margin, tocha_tensor *weight,
                                                   int64_t reduction) {
  margin_call c = one_class(cx, self, target, p, margin, weight);
  if (!check_target(cx, &c, target, false)) return NULL;
  c.part = loops_of(cx, self)->one_backward;
  return slopes(cx, self, grad_output, &c, reduction);
}

/* --- several classes a row ----------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_multilabel_margin_loss(tocha_context *cx, tocha_tensor *input,
                                              tocha_tensor *target, const bool *size_average,
                                              const bool *reduce, const char *reduction) {
  int kind = tocha_reduction_of(cx, size_average, reduce, reduction);
  return kind < 0 ? NULL : tocha_private_multilabel_margin_loss(cx, input, target, kind);
}

/* Fails unless labels are numbers of classes or -1. PyTorch checks this before the dtype. */
static bool check_labels(tocha_context *cx, const tocha_tensor *self, tocha_tensor *target) {
  int64_t classes = self->ndim ? self->sizes[self->ndim - 1] : 1;
  if (target->dtype == TOCHA_INT64 || !tocha_has_elements(target) || tocha_is_on_device(target))
    return true;
  tocha_tensor *rows = tocha_as_rows(cx, target, TOCHA_FLOAT64);
  for (int64_t i = 0; rows && i < rows->numel; i++) {
    double label = trunc(((const double *)(const void *)tocha_bytes(rows))[i]);
    if (label >= -1 && label < (double)classes) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "argument #2 'target' is out of range");
    return false;
  }
  return rows != NULL;
}

tocha_tensor *tocha_op__multilabel_margin_loss(tocha_context *cx, tocha_tensor *self,
                                               tocha_tensor *target, int64_t reduction) {
  char a[256], b[256];
  if (!check_matrix(cx, self)) return NULL;
  bool vectors = self->ndim < 2 && target->ndim < 2 && self->numel == target->numel;
  if (!vectors && !tocha_same_sizes(self, target))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "inconsistent target size: %s for input of size: %s",
                      tocha_shape_text(target->ndim, target->sizes, a, sizeof a),
                      tocha_shape_text(self->ndim, self->sizes, b, sizeof b));
  if (!check_labels(cx, self, target) ||
      !check_dtypes(cx, self, target, "multilabel_margin_loss_forward_out_frame"))
    return NULL;
  margin_call c = call_of(cx, self, target, NULL);
  if (!check_target(cx, &c, target, true)) return NULL;
  c.part = loops_of(cx, self)->many;
  return losses(cx, self, self->ndim == 2, &c, reduction);
}

tocha_tensor *tocha_op__multilabel_margin_loss_backward(tocha_context *cx,
                                                        tocha_tensor *grad_output,
                                                        tocha_tensor *self, tocha_tensor *target,
                                                        int64_t reduction) {
  margin_call c = call_of(cx, self, target, NULL);
  if (!check_target(cx, &c, target, true)) return NULL;
  c.part = loops_of(cx, self)->many_backward;
  return slopes(cx, self, grad_output, &c, reduction);
}
