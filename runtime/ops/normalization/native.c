/* native.c: the native operators, which describe layers, groups and batches as sets of elements (norm.h). */
#include <string.h>

#include "normalization/implementations.h"
#include "device/devices.h"
#include "ops/normalization/norm.h"
#include "tensor/copy.h"
#include "tocha/ops/add.h"
#include "tocha/ops/mean.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/rsqrt.h"
#include "tocha/ops/to.h"

static bool check_floating(tocha_context *cx, const tocha_tensor *input, const char *name) {
  if (tocha_dtype_is_floating(input->dtype)) return true;
  tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s\" not implemented for '%s'", name,
             tocha_dtype_scalar_type(input->dtype));
  return false;
}

static int64_t product(const int64_t *sizes, int count) {
  int64_t n = 1;
  for (int d = 0; d < count; d++) n *= sizes[d];
  return n;
}

/* --- layers ----------------------------------------------------------------------------------------------- */

/* Copies a list's text without its brackets, such as "2, 3" of "[2, 3]", and returns the copy. */
static const char *inside(const char *text, char *copy, size_t size) {
  size_t n = strlen(text) - 2;
  if (n >= size) n = size - 1;
  memcpy(copy, text + 1, n);
  copy[n] = 0;
  return copy;
}

static bool has_shape(const tocha_tensor *t, int count, const int64_t *shape) {
  return !t || (t->ndim == count && memcmp(t->sizes, shape, (size_t)count * sizeof *shape) == 0);
}

bool tocha_check_normalized_shape(tocha_context *cx, const tocha_tensor *input, int count,
                                  const int64_t *shape, const tocha_tensor *weight,
                                  const tocha_tensor *bias, const char *separator) {
  char a[256], b[256], sizes[256];
  const char *wrong = !has_shape(weight, count, shape) ? "weight"
                      : !has_shape(bias, count, shape) ? "bias"
                                                       : NULL;
  bool fits = count >= 1 && input->ndim >= count &&
              memcmp(input->sizes + input->ndim - count, shape, (size_t)count * sizeof *shape) == 0;
  if (fits && !wrong) return true;
  tocha_shape_text(count, shape, a, sizeof a);
  const tocha_tensor *t = wrong && wrong[0] == 'w' ? weight : bias;
  if (count < 1)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least "
               "one element, but got normalized_shape = %s",
               a);
  else if (wrong)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected %s to be of same shape as normalized_shape, but got %s of shape %s and "
               "normalized_shape = %s",
               wrong, wrong, tocha_shape_text(t->ndim, t->sizes, b, sizeof b), a);
  else
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Given normalized_shape=%s, expected input with shape [*%s%s], but got input of "
               "size%s",
               a, separator, inside(a, sizes, sizeof sizes),
               tocha_shape_text(input->ndim, input->sizes, b, sizeof b)),
        tocha_hint(cx, "normalized_shape is the last sizes of the input");
  return false;
}

static tocha_norm_call layers(tocha_tensor *input, int count, tocha_tensor *weight,
                              tocha_tensor *bias, double eps) {
  int axis = input->ndim - count;
  return (tocha_norm_call){.input = input,
                           .weight = weight,
                           .bias = bias,
                           .runs = 1,
                           .sets = product(input->sizes, axis),
                           .length = product(input->sizes + axis, count),
                           .groups = 1,
                           .inner = 1,
                           .eps = eps,
                           .one_pass = true,
                           .layers = true};
}

/* Checks the parameters' dtypes, on the CPU, before their shapes. Only the weight is checked if there is one, as in PyTorch. */
static bool check_mixed(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *weight,
                        const tocha_tensor *bias) {
  const tocha_tensor *parameter = weight ? weight : bias;
  if (!parameter || parameter->dtype == input->dtype || input->device.type == TOCHA_CUDA)
    return true;
  const char *words =
      parameter->dtype != TOCHA_FLOAT32 ? "expect parameter to have scalar type of Float"
      : tocha_dtype_size(input->dtype) != 2 || !tocha_dtype_is_floating(input->dtype)
          ? "all inputs must share same datatype."
          : NULL;
  return !words || tocha_fail(cx, TOCHA_RUNTIME_ERROR, "mixed dtype (CPU): %s", words);
}

bool tocha_op_native_layer_norm(tocha_context *cx, tocha_tensor *input, int count,
                                const int64_t *shape, tocha_tensor *weight, tocha_tensor *bias,
                                double eps, tocha_tensor **out, tocha_tensor **mean,
                                tocha_tensor **rstd) {
  int64_t sizes[TOCHA_MAX_DIMS];
  if (!check_mixed(cx, input, weight, bias) ||
      !tocha_check_normalized_shape(cx, input, count, shape, weight, bias, ", ") ||
      !check_floating(cx, input, "LayerNormKernelImpl"))
    return false;
  tocha_norm_call c = layers(input, count, weight, bias, eps);
  for (int d = 0; d < input->ndim; d++) sizes[d] = d < input->ndim - count ? input->sizes[d] : 1;
  *out = tocha_norm_forward(cx, &c, input->ndim, sizes);
  *mean = c.mean, *rstd = c.rstd;
  return *out != NULL;
}

/* Computes the gradients. Arguments: input, normalized_shape, weight, bias, eps. */
bool tocha_grad_native_layer_norm(tocha_backward_frame *f) {
  const tocha_arg *a = f->args;
  tocha_norm_call c = layers(a[0].tensor, a[1].count, a[2].tensor, NULL, a[4].value.real);
  c.mean = f->results[1], c.rstd = f->results[2];
  return tocha_norm_gradients(f, &c);
}

/* --- layers about zero ----------------------------------------------------------------------------------------- */

static tocha_norm_call layers_about_zero(tocha_tensor *input, int count, tocha_tensor *weight,
                                         double eps) {
  tocha_norm_call c = layers(input, count, weight, NULL, eps);
  c.about_zero = true;
  return c;
}

tocha_tensor *tocha_rms_norm_by_operators(tocha_context *cx, tocha_tensor *input, int count,
                                          tocha_tensor *weight, double eps, tocha_tensor **rstd) {
  int64_t dims[TOCHA_MAX_DIMS];
  for (int d = 0; d < count; d++) dims[d] = input->ndim - count + d;
  tocha_tensor *x = tocha_to_dtype(cx, input, tocha_norm_compute_dtype(input), false, false);
  tocha_tensor *squares = tocha_mean_dim(cx, tocha_mul(cx, x, x), count, dims, true);
  *rstd =
      tocha_rsqrt(cx, tocha_add_full(cx, squares, tocha_number(tocha_float(eps)), tocha_int(1)));
  tocha_tensor *out = tocha_mul(cx, x, *rstd);
  if (weight) out = tocha_mul(cx, out, weight);
  return tocha_to_dtype(cx, out, (tocha_dtype)input->dtype, false, false);
}

bool tocha_op__fused_rms_norm(tocha_context *cx, tocha_tensor *input, int count,
                              const int64_t *shape, tocha_tensor *weight, double eps,
                              tocha_tensor **out, tocha_tensor **rstd) {
  int64_t sizes[TOCHA_MAX_DIMS];
  if (!tocha_check_normalized_shape(cx, input, count, shape, weight, NULL, "") ||
      !check_floating(cx, input, "rms_norm"))
    return false;
  tocha_norm_call c = layers_about_zero(input, count, weight, eps);
  if (!tocha_norm_has_kernels(&c)) {
    *out = tocha_rms_norm_by_operators(cx, input, count, weight, eps, rstd);
    return *out != NULL;
  }
  for (int d = 0; d < input->ndim; d++) sizes[d] = d < input->ndim - count ? input->sizes[d] : 1;
  *out = tocha_norm_forward(cx, &c, input->ndim, sizes);
  *rstd = c.rstd;
  return *out != NULL;
}

/* Computes the gradients. Arguments: input, normalized_shape, weight, eps. */
bool tocha_grad_fused_rms_norm(tocha_backward_frame *f) {
  const tocha_arg *a = f->args;
  tocha_norm_call c = layers_about_zero(a[0].tensor, a[1].count, a[2].tensor, a[3].value.real);
  c.rstd = f->results[1];
  return tocha_norm_gradients(f, &c);
}

/* --- groups of channels ----------------------------------------------------------------------------------- */

static tocha_norm_call in_groups(tocha_tensor *input, tocha_tensor *weight, tocha_tensor *bias,
                                 int64_t batch, int64_t channels, int64_t inner, int64_t groups,
                                 double eps) {
  return (tocha_norm_call){.input = input,
                           .weight = weight,
                           .bias = bias,
                           .runs = 1,
                           .sets = batch * groups,
                           .length = channels / groups * inner,
                           .groups = groups,
                           .inner = inner,
                           .eps = eps,
                           .one_pass = true};
}

static bool check_channels(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *t,
                           const char *name, int64_t channels) {
  char a[256], b[256];
  if (!t || (t->ndim == 1 && t->numel == channels)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Expected %s to be a vector of size equal to the number of channels in input, but got "
             "%s of shape %s and input of shape %s",
             name, name, tocha_shape_text(t->ndim, t->sizes, a, sizeof a),
             tocha_shape_text(input->ndim, input->sizes, b, sizeof b));
  return false;
}

static bool check_groups(tocha_context *cx, const tocha_tensor *input, int64_t channels,
                         int64_t groups, const tocha_tensor *weight, const tocha_tensor *bias) {
  char a[256];
  if (channels <= 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected number of channels to be greater than 0, got %lld", (long long)channels);
  else if (groups <= 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expected num groups to be greater than 0, got %lld",
               (long long)groups);
  else if (channels % groups != 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected number of channels in input to be divisible by num_groups, but got input "
               "of shape %s and num_groups=%lld",
               tocha_shape_text(input->ndim, input->sizes, a, sizeof a), (long long)groups),
        tocha_hint(cx, "the channels are dimension 1, and their number a multiple of num_groups");
  return !tocha_failed(cx) && check_channels(cx, input, weight, "weight", channels) &&
         check_channels(cx, input, bias, "bias", channels);
}

bool tocha_op__native_group_norm(tocha_context *cx, tocha_tensor *input, tocha_tensor *weight,
                                 tocha_tensor *bias, int64_t batch, int64_t channels, int64_t inner,
                                 int64_t groups, double eps, tocha_tensor **out,
                                 tocha_tensor **mean, tocha_tensor **rstd) {
  if (!check_groups(cx, input, channels, groups, weight, bias) ||
      !check_floating(cx, input, "GroupNormKernelImpl"))
    return false;
  if (input->numel != batch * channels * inner) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expected input of N * C * HxW elements");
    return false;
  }
  int64_t sizes[] = {batch, groups};
  tocha_norm_call c = in_groups(input, weight, bias, batch, channels, inner, groups, eps);
  *out = tocha_in_format_of(cx, tocha_norm_forward(cx, &c, 2, sizes), input);
  *mean = c.mean, *rstd = c.rstd;
  return *out != NULL;
}

/* Computes the gradients. Arguments: input, weight, bias, N, C, HxW, group, eps. */
bool tocha_grad_native_group_norm(tocha_backward_frame *f) {
  const tocha_arg *a = f->args;
  tocha_norm_call c =
      in_groups(a[0].tensor, a[1].tensor, NULL, a[3].value.integer, a[4].value.integer,
                a[5].value.integer, a[6].value.integer, a[7].value.real);
  c.mean = f->results[1], c.rstd = f->results[2];
  return tocha_norm_gradients(f, &c);
}

/* --- batches ---------------------------------------------------------------------------------------------- */

static tocha_norm_call batches(tocha_tensor *input, tocha_tensor *weight, tocha_tensor *bias,
                               tocha_tensor *running_mean, tocha_tensor *running_var, bool training,
                               double momentum, double eps) {
  int64_t inner = product(input->sizes + 2, input->ndim - 2);
  return (tocha_norm_call){.input = input,
                           .weight = weight,
                           .bias = bias,
                           .running_mean = running_mean,
                           .running_var = running_var,
                           .runs = input->sizes[0],
                           .sets = input->sizes[1],
                           .length = inner,
                           .groups = input->sizes[1],
                           .inner = inner,
                           .eps = eps,
                           .momentum = momentum,
                           .fixed = !training,
                           .rounded = true};
}

static bool check_features(tocha_context *cx, const tocha_tensor *t, const char *name,
                           int64_t channels, bool needed) {
  if (t ? t->numel == channels : !needed) return true;
  if (!t)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must be defined in evaluation mode", name);
  else
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s should contain %lld elements not %lld", name,
               (long long)channels, (long long)t->numel);
  return false;
}

bool tocha_check_features(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *weight,
                          const tocha_tensor *bias, const tocha_tensor *running_mean,
                          const tocha_tensor *running_var, bool training) {
  /* An input with fewer than two dimensions has no channels; it is refused after the parameters. */
  int64_t channels = input->ndim < 2 ? 0 : input->sizes[1];
  return check_features(cx, running_mean, "running_mean", channels, !training) &&
         check_features(cx, running_var, "running_var", channels, !training) &&
         check_features(cx, weight, "weight", channels, false) &&
         check_features(cx, bias, "bias", channels, false);
}

/* Fails unless the statistics are vectors, or input has no elements. */
static bool check_statistics(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *t) {
  if (!t || t->ndim == 1 || !input->numel) return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "TensorAccessor expected 1 dims but tensor has %d",
                    t->ndim) != NULL;
}

bool tocha_op_native_batch_norm(tocha_context *cx, tocha_tensor *input, tocha_tensor *weight,
                                tocha_tensor *bias, tocha_tensor *running_mean,
                                tocha_tensor *running_var, bool training, double momentum,
                                double eps, tocha_tensor **out, tocha_tensor **mean,
                                tocha_tensor **invstd) {
  int64_t channels, none = 0;
  if (!tocha_check_features(cx, input, weight, bias, running_mean, running_var, training) ||
      !tocha_size_of(cx, input, 1, &channels) || !check_floating(cx, input, "batch_norm") ||
      !check_statistics(cx, input, running_mean) || !check_statistics(cx, input, running_var))
    return false;
  tocha_norm_call c =
      batches(input, weight, bias, running_mean, running_var, training, momentum, eps);
  *out = tocha_in_format_of(cx, tocha_norm_forward(cx, &c, 1, &channels), input);
  if (*out && !training) {
    tocha_dtype kept =
        tocha_is_on_device(input) ? tocha_norm_compute_dtype(input) : running_mean->dtype;
    c.mean = tocha_new(cx, 1, &none, kept, input->device);
    c.rstd = tocha_new(cx, 1, &none, kept, input->device);
  }
  *mean = c.mean, *invstd = c.rstd;
  return *out && *invstd;
}

/* Computes the gradients. Arguments: input, weight, bias, running_mean, running_var, training, momentum, eps. */
bool tocha_grad_native_batch_norm(tocha_backward_frame *f) {
  const tocha_arg *a = f->args;
  tocha_norm_call c = batches(a[0].tensor, a[1].tensor, NULL, a[3].tensor, a[4].tensor,
                              a[5].value.flag, a[6].value.real, a[7].value.real);
  if (!c.fixed) {
    c.mean = f->results[1], c.rstd = f->results[2];
    c.running_mean = c.running_var = NULL; /* this batch's own statistics were used */
  }
  return tocha_norm_gradients(f, &c);
}
