/* init.c: the initializers of torch.nn.init. For a seed they give PyTorch's numbers, because each
 * calls the operators uniform_, normal_ and fill_ equally often and in the same order. They are
 * not recorded. */
#include <math.h>
#include <string.h>

#include "nn/initializer.h"
#include "tocha/nn/init.h"

/* Fails if the tensor is NULL, with Python's message for None. Each initializer reads another
 * attribute first. */
static bool is_tensor(tocha_context *cx, const tocha_tensor *tensor, const char *attribute) {
  if (!tensor)
    tocha_fail(cx, TOCHA_ATTRIBUTE_ERROR, "'NoneType' object has no attribute '%s'", attribute);
  return !tocha_failed(cx);
}
#include "tensor/copy.h"

/* --- calling operators by name --------------------------------------------------------------- */

/* Calls the operator `name` without recording: name(tensor, numbers[0], ...,
 * generator=generator). */
static tocha_tensor *fill(tocha_context *cx, tocha_tensor *tensor, const char *name, int count,
                          const tocha_scalar *numbers, tocha_generator *generator) {
  if (!is_tensor(cx, tensor, name)) return NULL;
  const tocha_op *op = tocha_operator_named(cx, name);
  if (!op) return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "the operator %s is not there", name);
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  for (int i = 0; i < op->parameter_count; i++) args[i] = op->parameters[i].default_value;
  args[0].tensor = tensor;
  args[0].given = true;
  for (int i = 0; i < count; i++) {
    tocha_arg *a = &args[i + 1];
    a->given = true;
    if (op->parameters[i + 1].kind == TOCHA_KIND_FLOAT)
      a->value.real = tocha_scalar_real(numbers[i]);
    else
      a->value.scalar = numbers[i];
  }
  for (int i = 0; i < op->parameter_count; i++) {
    if (op->parameters[i].kind == TOCHA_KIND_GENERATOR && generator) {
      args[i].value.generator = generator;
      args[i].given = true;
    }
  }
  tocha_results results;
  bool recording = tocha_set_grad_enabled(cx, false);
  bool ok = tocha_call(cx, op, args, &results);
  tocha_set_grad_enabled(cx, recording);
  return ok ? tensor : NULL;
}

static tocha_tensor *fill_range(tocha_context *cx, tocha_tensor *tensor, const char *name, double a,
                                double b, tocha_generator *generator) {
  tocha_scalar numbers[2] = {tocha_float(a), tocha_float(b)};
  return fill(cx, tensor, name, 2, numbers, generator);
}

/* --- plain fills ----------------------------------------------------------------------------- */

tocha_tensor *tocha_init_uniform_(tocha_context *cx, tocha_tensor *tensor, double a, double b,
                                  tocha_generator *generator) {
  return fill_range(cx, tensor, "uniform_", a, b, generator);
}

tocha_tensor *tocha_init_normal_(tocha_context *cx, tocha_tensor *tensor, double mean, double std,
                                 tocha_generator *generator) {
  return fill_range(cx, tensor, "normal_", mean, std, generator);
}

tocha_tensor *tocha_init_constant_(tocha_context *cx, tocha_tensor *tensor, tocha_scalar val) {
  return fill(cx, tensor, "fill_", 1, &val, NULL);
}

tocha_tensor *tocha_init_ones_(tocha_context *cx, tocha_tensor *tensor) {
  return tocha_init_constant_(cx, tensor, tocha_float(1));
}

tocha_tensor *tocha_init_zeros_(tocha_context *cx, tocha_tensor *tensor) {
  return is_tensor(cx, tensor, "zero_") ? tocha_init_constant_(cx, tensor, tocha_float(0)) : NULL;
}

tocha_tensor *tocha_init_eye_(tocha_context *cx, tocha_tensor *tensor) {
  if (!is_tensor(cx, tensor, "ndimension")) return NULL;
  if (tensor->ndim != 2)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "Only tensors with 2 dimensions are supported");
  if (!tocha_init_zeros_(cx, tensor)) return NULL;
  int64_t rows = tensor->sizes[0], columns = tensor->sizes[1];
  int64_t size = rows < columns ? rows : columns;
  int64_t stride = tensor->strides[0] + tensor->strides[1];
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *diagonal = tocha_alias(cx, tensor, 1, &size, &stride, tensor->offset);
  bool ok = tocha_init_ones_(cx, diagonal) != NULL;
  tocha_scope_end(cx, scope, NULL);
  return ok ? tensor : NULL;
}

/* --- by the number of connections ------------------------------------------------------------ */

/* Counts the inputs and outputs that a unit of a weight (out, in, kernel...) connects. */
static bool count_fans(tocha_context *cx, const tocha_tensor *tensor, double *fan_in,
                       double *fan_out) {
  if (!is_tensor(cx, tensor, "dim")) return false;
  if (tensor->ndim < 2) {
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
    return false;
  }
  double field = 1;
  for (int i = 2; i < tensor->ndim; i++) field *= (double)tensor->sizes[i];
  *fan_in = (double)tensor->sizes[1] * field;
  *fan_out = (double)tensor->sizes[0] * field;
  return true;
}

double tocha_fan_in(tocha_context *cx, const tocha_tensor *weight) {
  double fan_in, fan_out;
  return count_fans(cx, weight, &fan_in, &fan_out) ? fan_in : 0;
}

bool tocha_calculate_gain(tocha_context *cx, const char *nonlinearity, double parameter,
                          double *gain) {
  if (!nonlinearity) return tocha_refuse_none(cx, "calculate_gain", "nonlinearity", "str");
  static const struct {
    const char *name;
    double gain;
  } known[] = {{"linear", 1},           {"conv1d", 1},
               {"conv2d", 1},           {"conv3d", 1},
               {"conv_transpose1d", 1}, {"conv_transpose2d", 1},
               {"conv_transpose3d", 1}, {"sigmoid", 1},
               {"tanh", 5.0 / 3},       {"relu", 1.4142135623730951},
               {"selu", 0.75}};
  for (int i = 0; i < TOCHA_COUNT(known); i++) {
    if (strcmp(known[i].name, nonlinearity) == 0) {
      *gain = known[i].gain;
      return true;
    }
  }
  if (strcmp(nonlinearity, "leaky_relu") == 0) {
    *gain = sqrt(2.0 / (1 + parameter * parameter));
    return true;
  }
  tocha_fail(cx, TOCHA_VALUE_ERROR, "Unsupported nonlinearity %s", nonlinearity);
  return false;
}

static bool xavier_std(tocha_context *cx, const tocha_tensor *tensor, double gain, double *std) {
  double fan_in, fan_out;
  if (!count_fans(cx, tensor, &fan_in, &fan_out)) return false;
  *std = gain * sqrt(2.0 / (fan_in + fan_out));
  return true;
}

tocha_tensor *tocha_init_xavier_uniform_(tocha_context *cx, tocha_tensor *tensor, double gain,
                                         tocha_generator *generator) {
  double std;
  if (!xavier_std(cx, tensor, gain, &std)) return NULL;
  double bound = sqrt(3.0) * std;
  return tocha_init_uniform_(cx, tensor, -bound, bound, generator);
}

tocha_tensor *tocha_init_xavier_normal_(tocha_context *cx, tocha_tensor *tensor, double gain,
                                        tocha_generator *generator) {
  double std;
  if (!xavier_std(cx, tensor, gain, &std)) return NULL;
  return tocha_init_normal_(cx, tensor, 0, std, generator);
}

/* Computes the standard deviation that preserves the variance in a layer. For a tensor without
 * elements it is 0. */
static bool kaiming_std(tocha_context *cx, const tocha_tensor *tensor, double a, const char *mode,
                        const char *nonlinearity, double *std) {
  double fan_in, fan_out, gain;
  *std = 0;
  if (!is_tensor(cx, tensor, "shape")) return false;
  if (tensor->numel == 0) {
    tocha_warn(cx, "Initializing zero-element tensors is a no-op");
    return true;
  }
  bool in = strcmp(mode, "fan_in") == 0;
  if (!in && strcmp(mode, "fan_out") != 0) {
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "Mode %s not supported, please use one of ['fan_in', 'fan_out']", mode);
    return false;
  }
  if (!count_fans(cx, tensor, &fan_in, &fan_out) ||
      !tocha_calculate_gain(cx, nonlinearity, a, &gain))
    return false;
  *std = gain / sqrt(in ? fan_in : fan_out);
  return true;
}

tocha_tensor *tocha_init_kaiming_uniform_(tocha_context *cx, tocha_tensor *tensor, double a,
                                          const char *mode, const char *nonlinearity,
                                          tocha_generator *generator) {
  if (!mode) return tocha_refuse_none(cx, "init_kaiming_uniform_", "mode", "str");
  if (!nonlinearity) return tocha_refuse_none(cx, "init_kaiming_uniform_", "nonlinearity", "str");
  double std;
  if (!kaiming_std(cx, tensor, a, mode, nonlinearity, &std)) return NULL;
  double bound = sqrt(3.0) * std;
  return tensor->numel ? tocha_init_uniform_(cx, tensor, -bound, bound, generator) : tensor;
}

tocha_tensor *tocha_init_kaiming_normal_(tocha_context *cx, tocha_tensor *tensor, double a,
                                         const char *mode, const char *nonlinearity,
                                         tocha_generator *generator) {
  if (!mode) return tocha_refuse_none(cx, "init_kaiming_normal_", "mode", "str");
  if (!nonlinearity) return tocha_refuse_none(cx, "init_kaiming_normal_", "nonlinearity", "str");
  double std;
  if (!kaiming_std(cx, tensor, a, mode, nonlinearity, &std)) return NULL;
  return tensor->numel ? tocha_init_normal_(cx, tensor, 0, std, generator) : tensor;
}

/* --- truncated normal ------------------------------------------------------------------------ */

static double normal_probability_below(double x) { return (1 + erf(x / sqrt(2.0))) / 2; }

/* Marks the values outside [low, high] and returns their number. */
static int64_t count_outside(const double *values, int64_t n, double low, double high,
                             uint8_t *outside) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) {
    outside[i] = values[i] < low || values[i] > high;
    count += outside[i];
  }
  return count;
}

/* Returns a tensor's values as float64 on the CPU, in new memory of the scope. */
static tocha_tensor *as_double(tocha_context *cx, tocha_tensor *tensor) {
  return tocha_copy_as(cx, tensor, TOCHA_FLOAT64, tocha_cpu(), TOCHA_CONTIGUOUS_FORMAT);
}

/* Rounds a bound to the nearest value of the dtype. */
static bool round_to(tocha_context *cx, tocha_dtype dtype, double *bound) {
  tocha_tensor *wide = tocha_from_values(cx, bound, 0, NULL, TOCHA_FLOAT64);
  tocha_tensor *narrow = tocha_new(cx, 0, NULL, dtype, tocha_cpu());
  if (!wide || !narrow || !tocha_copy_data(cx, narrow, wide) || !tocha_copy_data(cx, wide, narrow))
    return false;
  *bound = *(double *)tocha_data(wide);
  return true;
}

/* Samples by replacement, if most of the distribution is within the bounds: draws all elements,
 * then replaces those outside from further draws of the whole tensor, until no element is
 * outside. */
static bool resample_outside(tocha_context *cx, tocha_tensor *tensor, double mean, double std,
                             double low, double high, tocha_generator *generator) {
  if (!round_to(cx, tensor->dtype, &low) || !round_to(cx, tensor->dtype, &high) ||
      !tocha_init_normal_(cx, tensor, mean, std, generator))
    return false;
  tocha_tensor *kept = as_double(cx, tensor);
  tocha_tensor *mask = tocha_new(cx, tensor->ndim, tensor->sizes, TOCHA_BOOL, tocha_cpu());
  if (!kept || !mask) return false;
  double *values = tocha_data(kept);
  uint8_t *outside = tocha_data(mask);
  while (count_outside(values, tensor->numel, low, high, outside)) {
    tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *draw = tocha_new_like(cx, tensor, tensor->dtype);
    tocha_tensor *wide =
        draw && tocha_init_normal_(cx, draw, mean, std, generator) ? as_double(cx, draw) : NULL;
    const double *drawn = wide ? tocha_data(wide) : NULL;
    for (int64_t i = 0; drawn && i < tensor->numel; i++)
      if (outside[i]) values[i] = drawn[i];
    tocha_scope_end(cx, scope, NULL);
    if (!drawn) return false;
  }
  return tocha_copy_data(cx, tensor, kept);
}

/* Samples by rejection, if little of the distribution is within the bounds: draws uniform
 * candidates, and accepts each with probability density / maximum of the density. */
static bool sample_by_rejection(tocha_context *cx, tocha_tensor *tensor, double mean, double std,
                                double low, double high, tocha_generator *generator) {
  double mode = mean < low ? low : mean > high ? high : mean;
  double peak = -0.5 * ((mode - mean) / std) * ((mode - mean) / std);
  int64_t left = tensor->numel;
  tocha_tensor *kept = tocha_new(cx, tensor->ndim, tensor->sizes, TOCHA_FLOAT64, tocha_cpu());
  tocha_tensor *mask = tocha_new(cx, tensor->ndim, tensor->sizes, TOCHA_BOOL, tocha_cpu());
  if (!kept || !mask) return false;
  double *values = tocha_data(kept);
  uint8_t *pending = tocha_data(mask);
  memset(pending, 1, (size_t)left);
  while (left) {
    tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *candidate = tocha_new_like(cx, tensor, tensor->dtype);
    tocha_tensor *chance = tocha_new_like(cx, tensor, tensor->dtype);
    bool ok = chance && tocha_init_uniform_(cx, candidate, low, high, generator) &&
              tocha_init_uniform_(cx, chance, 0, 1, generator);
    const tocha_tensor *c = ok ? as_double(cx, candidate) : NULL,
                       *u = c ? as_double(cx, chance) : NULL;
    if (u) {
      const double *x = tocha_data(c), *accept = tocha_data(u);
      for (int64_t i = 0; i < tensor->numel; i++) {
        if (!pending[i]) continue;
        double z = (x[i] - mean) / std;
        values[i] = x[i];
        if (!(log(accept[i]) > -0.5 * z * z - peak)) {
          pending[i] = 0;
          left--;
        }
      }
    }
    tocha_scope_end(cx, scope, NULL);
    if (!u) return false;
  }
  return tocha_copy_data(cx, tensor, kept);
}

tocha_tensor *tocha_init_trunc_normal_(tocha_context *cx, tocha_tensor *tensor, double mean,
                                       double std, double a, double b, tocha_generator *generator) {
  if (!is_tensor(cx, tensor, "is_meta")) return NULL;
  if (tensor->device.type == TOCHA_META || tensor->numel == 0) return tensor;
  if (mean < a - 2 * std || mean > b + 2 * std)
    tocha_warn(cx, "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution "
                   "of values may be incorrect.");
  double within =
      normal_probability_below((b - mean) / std) - normal_probability_below((a - mean) / std);
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = within > 0.3 ? resample_outside(cx, tensor, mean, std, a, b, generator)
                         : sample_by_rejection(cx, tensor, mean, std, a, b, generator);
  if (ok) tocha_bump_version(tensor);
  tocha_scope_end(cx, scope, NULL);
  return ok ? tensor : NULL;
}

const tocha_initializer *tocha_initializer_at(int index) {
  return index >= 0 && index < tocha_initializer_count ? &tocha_initializers[index] : NULL;
}
