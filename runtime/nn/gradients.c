/* gradients.c: what is done to the gradients of many tensors at once: clipping. */
#include <math.h>

#include "nn/module.h"

/* A gradient's elements as float64 on the CPU, in the scope; NULL on failure. */
static tocha_tensor *as_double(tocha_context *cx, tocha_tensor *t) {
  tocha_tensor *out = tocha_new(cx, t->ndim, t->sizes, TOCHA_FLOAT64, tocha_cpu());
  return out && tocha_copy_data(cx, out, t) ? out : NULL;
}

/* Adds up |x|^p (the largest |x| for an infinite p), without the root. */
static double add_norm(const double *x, int64_t n, double p, double total) {
  if (isinf(p)) {
    for (int64_t i = 0; i < n; i++) total = fabs(x[i]) > total || isnan(x[i]) ? fabs(x[i]) : total;
  } else if (p == 2) {
    for (int64_t i = 0; i < n; i++) total += x[i] * x[i];
  } else if (p == 0) {
    for (int64_t i = 0; i < n; i++) total += x[i] != 0;
  } else {
    for (int64_t i = 0; i < n; i++) total += pow(fabs(x[i]), p);
  }
  return total;
}

static double root(double total, double p) {
  return isinf(p) || p == 0 || p == 1 ? total : p == 2 ? sqrt(total) : pow(total, 1 / p);
}

/* The norm of one gradient, rounded to its dtype as a kernel's result is. */
static bool gradient_norm(tocha_context *cx, tocha_tensor *grad, double p, double *norm) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *wide = as_double(cx, grad);
  if (wide) {
    *norm = root(add_norm(tocha_data(wide), wide->numel, p, 0), p);
    if (grad->dtype != TOCHA_FLOAT64) *norm = (double)(float)*norm;
  }
  tocha_scope_end(cx, scope, NULL);
  return wide != NULL;
}

/* grad *= factor, in grad's own arithmetic. */
static bool scale(tocha_context *cx, tocha_tensor *grad, double factor) {
  tocha_tensor *wide = as_double(cx, grad);
  if (!wide) return false;
  double *x = tocha_data(wide);
  if (grad->dtype == TOCHA_FLOAT64)
    for (int64_t i = 0; i < wide->numel; i++) x[i] *= factor;
  else
    for (int64_t i = 0; i < wide->numel; i++) x[i] = (double)((float)x[i] * (float)factor);
  if (!tocha_copy_data(cx, grad, wide)) return false;
  tocha_bump_version(grad);
  return true;
}

tocha_tensor *tocha_clip_grad_norm(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                   double max_norm, double norm_type, bool error_if_nonfinite) {
  double total = 0;
  tocha_dtype dtype = TOCHA_FLOAT32;
  tocha_device device = tocha_cpu();
  bool first = true;
  for (int i = 0; i < count; i++) {
    tocha_tensor *grad = tocha_grad(tensors[i]);
    double norm;
    if (!grad) continue;
    if (!gradient_norm(cx, grad, norm_type, &norm)) return NULL;
    total = add_norm(&norm, 1, norm_type, total);
    dtype = first ? (tocha_dtype)grad->dtype : tocha_promote_types(dtype, grad->dtype);
    if (first) device = grad->device;
    first = false;
  }
  total = root(total, norm_type);
  if (dtype != TOCHA_FLOAT64) total = (double)(float)total;
  if (error_if_nonfinite && !isfinite(total)) {
    char order[32];
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "The total norm of order %s for gradients from `parameters` is non-finite, so "
        "it cannot be clipped. To disable this error and scale the gradients by the "
        "non-finite norm anyway, set `error_if_nonfinite=False`",
        tocha_format_float(norm_type, order));
  }
  double factor = dtype == TOCHA_FLOAT64 ? max_norm / (total + 1e-6)
                                         : (double)((float)max_norm / ((float)total + 1e-6f));
  if (factor > 1) factor = 1;
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = true;
  for (int i = 0; ok && factor != 1 && i < count; i++)
    if (tocha_grad(tensors[i])) ok = scale(cx, tocha_grad(tensors[i]), factor);
  tocha_scope_end(cx, scope, NULL);
  tocha_tensor *wide = ok ? tocha_from_values(cx, &total, 0, NULL, TOCHA_FLOAT64) : NULL;
  tocha_tensor *result = wide ? tocha_new(cx, 0, NULL, dtype, device) : NULL;
  return result && tocha_copy_data(cx, result, wide) ? result : NULL;
}

bool tocha_clip_grad_value(tocha_context *cx, int count, tocha_tensor *const *tensors,
                           double clip_value) {
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = true;
  for (int i = 0; ok && i < count; i++) {
    tocha_tensor *grad = tocha_grad(tensors[i]);
    if (!grad) continue;
    tocha_tensor *wide = as_double(cx, grad);
    if ((ok = wide != NULL)) {
      double *x = tocha_data(wide);
      for (int64_t k = 0; k < wide->numel; k++) {
        if (x[k] > clip_value) x[k] = clip_value;
        if (x[k] < -clip_value) x[k] = -clip_value;
      }
      ok = tocha_copy_data(cx, grad, wide);
      tocha_bump_version(grad);
    }
  }
  tocha_scope_end(cx, scope, NULL);
  return ok;
}
