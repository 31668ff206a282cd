/* gradients.c: the norm of many tensors' gradients, and clipping. They are made of operators and do
 * not wait for a device, unless a norm that is not finite is an error. */
#include <math.h>

#include "dispatch/required_arguments.h"
#include "amp/foreach.h"
#include "nn/module.h"
#include "tocha/ops/add.h"
#include "tocha/ops/clamp.h"
#include "tocha/ops/full.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/reciprocal.h"
#include "tocha/ops/stack.h"
#include "tocha/ops/to.h"
#include "tocha/ops/vector_norm.h"

static tocha_tensor *on_device(tocha_context *cx, tocha_tensor *t, tocha_device device) {
  if (!t || tocha_device_equal(t->device, device)) return t;
  return tocha_to(cx, t, device, TOCHA_NO_DTYPE, true, false);
}

/* Returns the gradients of the tensors that have one. The caller frees them with free_gradients(cx,
 * count, ...). */
static tocha_tensor **gradients_of(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                   int *found) {
  tocha_tensor **gradients = tocha_allocate(cx, ((uint64_t)count + 1) * sizeof *gradients);
  *found = 0;
  for (int i = 0; gradients && i < count; i++)
    if (tocha_grad(tensors[i])) gradients[(*found)++] = tocha_grad(tensors[i]);
  return gradients;
}

static void free_gradients(tocha_context *cx, int count, tocha_tensor **gradients) {
  tocha_deallocate(cx, gradients, gradients ? ((uint64_t)count + 1) * sizeof *gradients : 0);
}

static bool check_finite(tocha_context *cx, tocha_tensor *norm, double order) {
  tocha_scalar value;
  char text[32];
  if (!norm || !tocha_item(cx, norm, &value)) return false;
  if (isfinite(tocha_scalar_real(value))) return true;
  tocha_fail(
      cx, TOCHA_RUNTIME_ERROR,
      "The total norm of order %s for gradients from `parameters` is non-finite, so it cannot "
      "be clipped. To disable this error and scale the gradients by the non-finite norm "
      "anyway, set `error_if_nonfinite=False`",
      tocha_format_float(order, text));
  return false;
}

/* Returns the norm of the tensors' norms. */
static tocha_tensor *total_norm(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                double order, tocha_tensor **norms) {
  for (int i = 0; i < count; i++) {
    tocha_tensor *norm =
        tocha_vector_norm_full(cx, tensors[i], order, 0, NULL, false, TOCHA_NO_DTYPE);
    norms[i] = on_device(cx, norm, tensors[0]->device);
    if (!norms[i]) return NULL;
  }
  return tocha_vector_norm_full(cx, tocha_stack(cx, count, norms, 0), order, 0, NULL, false,
                                TOCHA_NO_DTYPE);
}

/* Returns true if the device has kernels for this norm of a list. They do not support negative
 * orders, or the maximum of an empty tensor. */
static bool kernel_has_norm(tocha_context *cx, int count, tocha_tensor *const *tensors,
                            double order) {
  bool known = order >= 0 && tocha_foreach_has_norm(cx, count, tensors);
  for (int i = 0; known && isinf(order) && i < count; i++) known = tensors[i]->numel > 0;
  return known;
}

tocha_tensor *tocha_total_norm(tocha_context *cx, int count, tocha_tensor *const *tensors,
                               double norm_type, bool error_if_nonfinite) {
  if (tocha_failed(cx)) return NULL;
  if (!tocha_given_tensors(cx, "get_total_norm", "tensors", count, tensors, false)) return NULL;
  if (count == 0)
    return tocha_full_full(cx, 0, NULL, tocha_float(0), TOCHA_FLOAT32, tocha_cpu(), false);
  uint64_t bytes = (uint64_t)count * sizeof(tocha_tensor *);
  tocha_tensor **norms = tocha_allocate(cx, bytes);
  if (!norms) return NULL;
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *total = kernel_has_norm(cx, count, tensors, norm_type)
                            ? tocha_foreach_norm(cx, count, tensors, norm_type)
                            : total_norm(cx, count, tensors, norm_type, norms);
  if (total && error_if_nonfinite && !check_finite(cx, total, norm_type)) total = NULL;
  tocha_deallocate(cx, norms, bytes);
  return tocha_scope_end(cx, scope, total);
}

/* Multiplies the gradients by min(max_norm / (total_norm + 1e-6), 1). A factor of 1 is applied too,
 * because testing it would wait for the device. */
static bool scale_to_norm(tocha_context *cx, int count, tocha_tensor *const *gradients,
                          double max_norm, tocha_tensor *total_norm) {
  tocha_scalar one = tocha_float(1);
  tocha_tensor *factor = tocha_add_full(cx, total_norm, tocha_number(tocha_float(1e-6)), one);
  factor = factor ? tocha_reciprocal(cx, factor) : NULL;
  factor = factor ? tocha_mul_full(cx, factor, tocha_number(tocha_float(max_norm))) : NULL;
  factor = factor ? tocha_clamp(cx, factor, NULL, &one) : NULL;
  if (factor && tocha_device_equal(factor->device, gradients[0]->device) &&
      tocha_foreach_has_norm(cx, count, gradients))
    return tocha_foreach_scale(cx, count, gradients, factor, NULL);
  for (int i = 0; factor && i < count; i++) {
    tocha_tensor *here = on_device(cx, factor, gradients[i]->device);
    if (!here || !tocha_mul_(cx, gradients[i], here)) return false;
  }
  return factor != NULL;
}

bool tocha_clip_grads_with_norm(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                double max_norm, tocha_tensor *total_norm) {
  if (!total_norm) return tocha_refuse_none(cx, "clip_grads_with_norm", "total_norm", "Tensor");
  int found;
  if (tocha_failed(cx) || !total_norm) return false;
  if (!tocha_given_tensors(cx, "clip_grads_with_norm_", "parameters", count, tensors, false))
    return false;
  tocha_tensor **gradients = gradients_of(cx, count, tensors, &found);
  bool recording = tocha_set_grad_enabled(cx, false);
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = gradients && (!found || scale_to_norm(cx, found, gradients, max_norm, total_norm));
  tocha_scope_end(cx, scope, NULL);
  tocha_set_grad_enabled(cx, recording);
  free_gradients(cx, count, gradients);
  return ok;
}

tocha_tensor *tocha_clip_grad_norm(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                   double max_norm, double norm_type, bool error_if_nonfinite) {
  int found;
  if (tocha_failed(cx)) return NULL;
  if (!tocha_given_tensors(cx, "clip_grad_norm_", "parameters", count, tensors, false)) return NULL;
  tocha_tensor **gradients = gradients_of(cx, count, tensors, &found);
  bool recording = tocha_set_grad_enabled(cx, false);
  tocha_tensor *total =
      gradients ? tocha_total_norm(cx, found, gradients, norm_type, error_if_nonfinite) : NULL;
  tocha_set_grad_enabled(cx, recording);
  free_gradients(cx, count, gradients);
  return total && tocha_clip_grads_with_norm(cx, count, tensors, max_norm, total) ? total : NULL;
}

bool tocha_clip_grad_value(tocha_context *cx, int count, tocha_tensor *const *tensors,
                           double clip_value) {
  tocha_scalar low = tocha_float(-clip_value), high = tocha_float(clip_value);
  if (tocha_failed(cx)) return false;
  if (!tocha_given_tensors(cx, "clip_grad_value_", "parameters", count, tensors, false))
    return false;
  bool recording = tocha_set_grad_enabled(cx, false), ok = true;
  tocha_scope scope = tocha_scope_begin(cx);
  for (int i = 0; ok && i < count; i++)
    if (tocha_grad(tensors[i])) ok = tocha_clamp_(cx, tocha_grad(tensors[i]), &low, &high) != NULL;
  tocha_scope_end(cx, scope, NULL);
  tocha_set_grad_enabled(cx, recording);
  return ok;
}
