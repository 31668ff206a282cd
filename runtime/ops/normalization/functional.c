/* functional.c: the normalizations of torch and torch.nn.functional, and functions composed of norms. They record gradients
 * through the operators that they call. */
#include <float.h>
#include <string.h>

#include "normalization/implementations.h"
#include "device/devices.h"
#include "ops/normalization/norm.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tocha/ops/clamp_min.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/div.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/mean.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/native_batch_norm.h"
#include "tocha/ops/private/native_group_norm.h"
#include "tocha/ops/private/fused_rms_norm.h"
#include "tocha/ops/repeat.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/to.h"
#include "tocha/ops/vector_norm.h"
#include "tocha/ops/view.h"

/* --- layers ----------------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_rms_norm(tocha_context *cx, tocha_tensor *input, int count,
                                const int64_t *shape, tocha_tensor *weight, const double *eps) {
  tocha_dtype dtype = input->dtype;
  bool weighs = !weight || (weight->ndim == count &&
                            memcmp(weight->sizes, shape, (size_t)count * sizeof *shape) == 0);
  if (weighs && input->ndim < count)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Input tensor must have at least %d dimensions, but got %d", count,
                      input->ndim);
  if (!tocha_check_normalized_shape(cx, input, count, shape, weight, NULL, "")) return NULL;
  if (!tocha_dtype_is_floating(dtype))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"rms_norm\" not implemented for '%s'",
                      tocha_dtype_scalar_type(dtype));
  double by = eps ? *eps : dtype == TOCHA_FLOAT64 ? DBL_EPSILON : (double)FLT_EPSILON;
  tocha_tensor *rstd, *out;
  if (!tocha_is_on_device(input)) /* autograd then sees the operators that PyTorch's CPU runs */
    return tocha_rms_norm_by_operators(cx, input, count, weight, by, &rstd);
  return tocha_private_fused_rms_norm(cx, input, count, shape, weight, by, &out, &rstd) ? out
                                                                                        : NULL;
}

/* --- groups ----------------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_group_norm(tocha_context *cx, tocha_tensor *input, int64_t groups,
                                  tocha_tensor *weight, tocha_tensor *bias, double eps,
                                  bool cudnn_enabled) {
  tocha_tensor *out;
  int64_t inner = 1;
  (void)cudnn_enabled;
  int64_t size;
  if (!tocha_size_of(cx, input, 0, &size) || !tocha_size_of(cx, input, 1, &size)) return NULL;
  for (int d = 2; d < input->ndim; d++) inner *= input->sizes[d];
  if (input->sizes[1] == 0 && groups > 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Expected number of channels to be greater than 0, got 0");
  if (inner == 0 && groups > 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expected HxW to be greater than 0, got 0");
  return tocha_private_native_group_norm(cx, input, weight, bias, input->sizes[0], input->sizes[1],
                                         inner, groups, eps, &out, NULL, NULL)
             ? out
             : NULL;
}

tocha_tensor *tocha_op_group_norm_functional(tocha_context *cx, tocha_tensor *input, int64_t groups,
                                             tocha_tensor *weight, tocha_tensor *bias, double eps) {
  int64_t sizes[TOCHA_MAX_DIMS], count = 1;
  char text[256];
  if (input->ndim < 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Expected at least 2 dimensions for input tensor but received %d",
                      input->ndim);
  if (groups == 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "integer division or modulo by zero");
  for (int d = 0; d < input->ndim; d++) sizes[d] = input->sizes[d];
  sizes[0] = input->sizes[0] * input->sizes[1] / groups, sizes[1] = groups;
  for (int d = 0; d < input->ndim; d++) count *= d == 1 ? 1 : sizes[d];
  if (count == 1)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Expected more than 1 value per channel when training, got input size %s",
                      tocha_shape_text(input->ndim, sizes, text, sizeof text));
  return tocha_op_group_norm(cx, input, groups, weight, bias, eps, true);
}

/* --- batches and instances -------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_batch_norm(tocha_context *cx, tocha_tensor *input, tocha_tensor *weight,
                                  tocha_tensor *bias, tocha_tensor *running_mean,
                                  tocha_tensor *running_var, bool training, double momentum,
                                  double eps, bool cudnn_enabled) {
  tocha_tensor *out;
  (void)cudnn_enabled;
  /* an input without channels */
  if (input->ndim == 1 && input->numel == 0) return tocha_clone(cx, input);
  if (!tocha_check_features(cx, input, weight, bias, running_mean, running_var, training))
    return NULL; /* before native_batch_norm checks the graph */
  return tocha_native_batch_norm(cx, input, weight, bias, running_mean, running_var, training,
                                 momentum, eps, &out, NULL, NULL)
             ? out
             : NULL;
}

static bool check_values(tocha_context *cx, const tocha_tensor *input, int first,
                         const char *what) {
  int64_t count = first == 0 && input->ndim > 0 ? input->sizes[0] : 1;
  char text[256];
  for (int d = 2; d < input->ndim; d++) count *= input->sizes[d];
  if (count != 1) return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR,
             "Expected more than 1 %s when training, got input size torch.Size(%s)", what,
             tocha_shape_text(input->ndim, input->sizes, text, sizeof text)),
      tocha_hint(cx, "one value has no variance: net:eval(), a larger batch, or drop_last = true "
                     "for the loader");
  return false;
}

tocha_tensor *tocha_op_batch_norm_functional(tocha_context *cx, tocha_tensor *input,
                                             tocha_tensor *running_mean, tocha_tensor *running_var,
                                             tocha_tensor *weight, tocha_tensor *bias,
                                             bool training, double momentum, double eps) {
  char text[32];
  if (training && input->ndim == 0)
    return tocha_fail(cx, TOCHA_INDEX_ERROR, "tuple index out of range");
  if (training && !check_values(cx, input, 0, "value per channel")) return NULL;
  if (training && eps <= 0)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "batch_norm eps must be positive during training, but got %s",
                      tocha_format_float(eps, text));
  if (eps < 0)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "batch_norm eps must be non-negative, but got %s",
                      tocha_format_float(eps, text));
  return tocha_op_batch_norm(cx, input, weight, bias, running_mean, running_var, training, momentum,
                             eps, true);
}

/* Returns t (channels) repeated for each sample, (samples * channels); NULL for NULL. */
static tocha_tensor *repeated(tocha_context *cx, tocha_tensor *t, int64_t times) {
  return t ? tocha_repeat(cx, t, 1, &times) : NULL;
}

/* Copies the mean over samples of `each` (samples * channels), which were updated separately, to running (channels). */
static bool keep_mean(tocha_context *cx, tocha_tensor *running, tocha_tensor *each, int64_t samples,
                      int64_t channels) {
  int64_t sizes[] = {samples, channels}, dim = 0;
  if (!running) return true;
  tocha_tensor *mean = tocha_mean_dim(cx, tocha_view(cx, each, 2, sizes), 1, &dim, false);
  return mean && tocha_copy_data(cx, running, mean);
}

tocha_tensor *tocha_op_instance_norm(tocha_context *cx, tocha_tensor *input, tocha_tensor *weight,
                                     tocha_tensor *bias, tocha_tensor *running_mean,
                                     tocha_tensor *running_var, bool use_input_stats,
                                     double momentum, double eps, bool cudnn_enabled) {
  if (!use_input_stats && !(running_mean && running_var))
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "Expected running_mean and running_var to be defined when use_input_stats is false");
  int64_t samples, channels, sizes[TOCHA_MAX_DIMS];
  if (!tocha_size_of(cx, input, 0, &samples) || !tocha_size_of(cx, input, 1, &channels))
    return NULL;
  for (int d = 0; d < input->ndim; d++) sizes[d] = input->sizes[d];
  sizes[0] = 1, sizes[1] = samples * channels;
  weight = repeated(cx, weight, samples);
  bias = repeated(cx, bias, samples);
  tocha_tensor *mean = repeated(cx, running_mean, samples);
  tocha_tensor *var = repeated(cx, running_var, samples);
  tocha_tensor *flat = tocha_reshape(cx, tocha_clone(cx, input), input->ndim, sizes);
  if (tocha_failed(cx)) return NULL;
  if (!running_mean != !running_var)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "running_mean and running_var must either both be None or neither be None");
  tocha_tensor *out = tocha_op_batch_norm(cx, flat, weight, bias, mean, var, use_input_stats,
                                          momentum, eps, cudnn_enabled);
  if (!out || (use_input_stats && (!keep_mean(cx, running_mean, mean, samples, channels) ||
                                   !keep_mean(cx, running_var, var, samples, channels))))
    return NULL;
  return tocha_view(cx, out, input->ndim, input->sizes);
}

tocha_tensor *tocha_op_instance_norm_functional(tocha_context *cx, tocha_tensor *input,
                                                tocha_tensor *running_mean,
                                                tocha_tensor *running_var, tocha_tensor *weight,
                                                tocha_tensor *bias, bool use_input_stats,
                                                double momentum, double eps) {
  if (use_input_stats && !check_values(cx, input, 2, "spatial element")) return NULL;
  return tocha_op_instance_norm(cx, input, weight, bias, running_mean, running_var, use_input_stats,
                                momentum, eps, true);
}

/* --- norms of vectors ------------------------------------------------------------------------------------- */

/* Returns x / max(|x|, eps). The gradient treats the maximum as the norm itself. */
static tocha_tensor *unit(tocha_context *cx, tocha_tensor *x, int64_t dim, double eps) {
  tocha_tensor *norm = tocha_clone(cx, tocha_vector_norm(cx, x, 2, 1, &dim, true));
  bool recorded = tocha_set_grad_enabled(cx, false);
  norm = tocha_clamp_min_(cx, norm, tocha_float(eps));
  tocha_set_grad_enabled(cx, recorded);
  return tocha_div(cx, x, norm);
}

tocha_tensor *tocha_op_cosine_similarity(tocha_context *cx, tocha_tensor *x1, tocha_tensor *x2,
                                         int64_t dim, double eps) {
  tocha_dtype common = tocha_promote_types(x1->dtype, x2->dtype);
  if (!tocha_dtype_is_floating(common))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "expected common dtype to be floating point, yet "
                      "common dtype is %s",
                      tocha_dtype_scalar_type(common));
  if (!(eps >= 0))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "eps must be non-negative, got: %g", eps);
  if (!tocha_dtype_is_floating(x1->dtype)) x1 = tocha_to_dtype(cx, x1, common, false, false);
  if (!tocha_dtype_is_floating(x2->dtype)) x2 = tocha_to_dtype(cx, x2, common, false, false);
  int ndim;
  /* The shapes are broadcast first, so that dim counts in the broadcast shape. */
  tocha_tensor *all[] = {x1, x2};
  int64_t sizes[TOCHA_MAX_DIMS];
  if (!x1 || !x2 || !tocha_broadcast_sizes(cx, 2, all, &ndim, sizes) ||
      !tocha_wrap_dim(cx, &dim, ndim))
    return NULL;
  int64_t from_end = dim - ndim;
  x1 = tocha_expand(cx, x1, ndim, sizes);
  x2 = tocha_expand(cx, x2, ndim, sizes);
  tocha_tensor *product = tocha_mul(cx, unit(cx, x1, from_end, eps), unit(cx, x2, from_end, eps));
  return tocha_sum_dim_IntList(cx, product, 1, &from_end, false);
}
