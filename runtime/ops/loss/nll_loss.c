/* nll_loss.c: negative log likelihood over (N, C, inner) and its gradient.
 *
 * loss = -w[t] x[n, t, i]; the mean divides by the sum of w[t] over targets that are not ignored. */
#include "device/devices.h"
#include "loss/implementations.h"
#include "ops/loss/kernels.h"
#include "ops/loss/loss.h"
#include "tensor/copy.h"
#include "tensor/scratch.h"

/* Reads sizes (C), (N, C) or (N, C, ...) into args. Fails if the number of targets differs. */
static bool read_sizes(tocha_context *cx, int ndim, const int64_t *sizes,
                       const tocha_tensor *target, tocha_nll_args *args) {
  args->n = ndim > 1 ? sizes[0] : 1;
  args->classes = sizes[ndim > 1 ? 1 : 0];
  args->inner = 1;
  for (int i = 2; i < ndim; i++) args->inner *= sizes[i];
  if (target->numel != args->n * args->inner) {
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "Expected input batch_size (%lld) to match target batch_size (%lld).",
               (long long)args->n, target->ndim ? (long long)target->sizes[0] : 0LL);
    tocha_hint(cx, "the input is (N, classes), the target (N)");
  }
  return target->numel == args->n * args->inner;
}

/* Runs the kernel on x (forward) or grad (backward), which is of dtype `given`, and writes to out. The kernel checks the
 * targets. */
static bool run(tocha_context *cx, tocha_nll_args *args, tocha_tensor *x, tocha_tensor *grad,
                tocha_tensor *target, tocha_tensor *weight, tocha_tensor *out, tocha_dtype given) {
  tocha_dtype type = out->dtype;
  x = tocha_as_rows(cx, x, type);
  grad = tocha_as_rows(cx, grad, type);
  target = tocha_as_rows(cx, target, target->dtype == TOCHA_UINT8 ? TOCHA_UINT8 : TOCHA_INT64);
  weight = tocha_as_rows(cx, weight, type);
  if (tocha_failed(cx)) return false;
  args->x = x ? tocha_bytes(x) : NULL;
  args->grad = grad ? tocha_bytes(grad) : NULL;
  args->target = tocha_bytes(target);
  args->weight = weight ? tocha_bytes(weight) : NULL;
  args->out = tocha_bytes(out);
  args->dtype = (int8_t)type;
  args->target_dtype = (int8_t)target->dtype;
  args->given = given == type ? 0 : (int8_t)given;
  tocha_stream *s = tocha_stream_of(cx, out->device);
  return s &&
         tocha_new_scratch(cx, out->device, s->kernels->loss->nll_scratch(s, args),
                           &args->scratch) &&
         tocha_launched(cx, s->kernels->loss->nll_loss(s, args));
}

tocha_tensor *tocha_op__nll_loss(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                 tocha_tensor *weight, int64_t reduction, int64_t ignore_index) {
  tocha_dtype type = self->dtype;
  if (!tocha_dtype_is_floating(type))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "\"nll_loss_out_frame\" not implemented for '%s'",
                      tocha_dtype_scalar_type(type));
  bool each = reduction == TOCHA_REDUCTION_NONE;
  tocha_tensor *out = tocha_new(cx, each ? target->ndim : 0, each ? target->sizes : NULL,
                                tocha_kernel_dtype(self->device, type), self->device);
  tocha_nll_args args = {.ignored = ignore_index, .reduction = (int32_t)reduction};
  if (!out || out->device.type == TOCHA_META) return tocha_as_dtype(cx, out, type);
  if (!read_sizes(cx, self->ndim, self->sizes, target, &args)) return NULL;
  if (out->numel && !run(cx, &args, self, NULL, target, weight, out, type)) return NULL;
  return tocha_as_dtype(cx, out, type);
}

/* Returns zeros of self's sizes, with -w[t] * grad (for the mean divided by the sum of w) at the targets. */
tocha_tensor *tocha_op__nll_loss_backward(tocha_context *cx, tocha_tensor *grad_output,
                                          tocha_tensor *self, tocha_tensor *target,
                                          tocha_tensor *weight, int64_t reduction,
                                          int64_t ignore_index) {
  tocha_dtype type = grad_output->dtype;
  tocha_tensor *out = tocha_new(cx, self->ndim, self->sizes,
                                tocha_kernel_dtype(grad_output->device, type), grad_output->device);
  tocha_nll_args args = {.ignored = ignore_index, .reduction = (int32_t)reduction};
  if (!out || out->device.type == TOCHA_META) return tocha_as_dtype(cx, out, type);
  if (!read_sizes(cx, self->ndim, self->sizes, target, &args) ||
      (!tocha_is_on_device(out) && !tocha_fill_data(cx, out, tocha_int(0))) ||
      (out->numel && !run(cx, &args, NULL, grad_output, target, weight, out, type)))
    return NULL;
  return tocha_as_dtype(cx, out, type);
}
