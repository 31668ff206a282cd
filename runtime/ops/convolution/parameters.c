/* parameters.c: reads and checks the parameters of a convolution. The order of the checks decides which error is reported. */
#include <stdio.h>
#include <string.h>

#include "device/devices.h"
#include "ops/convolution/convolution.h"
#include "tensor/geometry.h"

static const char *shape(const tocha_tensor *t, char text[256]) {
  return tocha_shape_text(t->ndim, t->sizes, text, 256);
}

/* Writes a list argument to the last `space` of three dimensions, and `before` to the others. Fails if its length does not fit. */
static bool read_list(tocha_context *cx, const char *name, tocha_ints list, int space,
                      int64_t before, int64_t out[3]) {
  if (list.count != 1 && list.count != space) {
    char text[256];
    tocha_shape_text(list.count, list.values, text, sizeof text);
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "expected %s to be a single integer value or a list of %d values to match the "
               "convolution dimensions, but got %s=%s",
               name, space, name, text);
    return false;
  }
  const int first = 3 - space, step = list.count > 1;
  for (int d = 0; d < 3; d++) out[d] = d < first ? before : list.values[step * (d - first)];
  return true;
}

static int64_t smallest_of(const tocha_convolution_call *c, const int64_t *list) {
  int64_t smallest = list[2];
  for (int d = 3 - c->space; d < 3; d++)
    if (list[d] < smallest) smallest = list[d];
  return smallest;
}

static bool check_numbers(tocha_context *cx, const tocha_convolution_call *c) {
  char text[256];
  if (smallest_of(c, c->padding) < 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "negative padding is not supported");
  else if (smallest_of(c, c->output_padding) < 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "negative output_padding is not supported");
  else if (smallest_of(c, c->stride) <= 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "non-positive stride is not supported");
  else if (smallest_of(c, c->dilation) < 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "dilation should be greater than zero");
  else if (smallest_of(c, c->dilation) == 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "dilation should be greater than zero, but got %s",
               tocha_shape_text(c->space, c->dilation + 3 - c->space, text, sizeof text));
  return !tocha_failed(cx) && tocha_fits_int(cx, 3, c->stride) &&
         tocha_fits_int(cx, 3, c->padding) && tocha_fits_int(cx, 3, c->dilation) &&
         tocha_fits_int(cx, 3, c->output_padding);
}

bool tocha_read_convolution(tocha_context *cx, tocha_convolution_call *c, int space,
                            tocha_ints stride, tocha_ints padding, tocha_ints dilation,
                            bool transposed, tocha_ints output_padding, int64_t groups) {
  memset(c, 0, sizeof *c);
  c->space = space;
  c->transposed = transposed;
  c->groups = groups;
  if (c->space < 1) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "weight should have at least three dimensions");
    return false;
  }
  if (c->groups <= 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "non-positive groups is not supported");
    return false;
  }
  if (c->space > 3) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "unsupported ConvNd parameters: there are %d dimensions of space", c->space);
    tocha_hint(cx, "a convolution goes over 1, 2 or 3 dimensions");
    return false;
  }
  return read_list(cx, "stride", stride, c->space, 1, c->stride) &&
         read_list(cx, "padding", padding, c->space, 0, c->padding) &&
         read_list(cx, "dilation", dilation, c->space, 1, c->dilation) &&
         read_list(cx, "output_padding", output_padding, c->space, 0, c->output_padding) &&
         check_numbers(cx, c);
}

/* --- shapes ------------------------------------------------------------------------------------ */

static bool check_weight(tocha_context *cx, const tocha_convolution_call *c,
                         const tocha_tensor *input, const tocha_tensor *weight) {
  char text[256];
  if (input->ndim != weight->ndim) {
    char own[256];
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected %d-dimensional input for %d-dimensional weight %s, but got %d-dimensional "
               "input of size %s instead",
               weight->ndim, weight->ndim, shape(weight, text), input->ndim, shape(input, own));
  } else if (weight->sizes[0] < c->groups) {
    tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "Given groups=%lld, expected weight to be at smallest_of %lld at dimension 0, but got "
        "weight of size %s instead",
        (long long)c->groups, (long long)c->groups, shape(weight, text));
  } else if (weight->sizes[0] % c->groups) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Given groups=%lld, expected weight to be divisible by %lld at dimension 0, but got "
               "weight of size [%s] instead",
               (long long)c->groups, (long long)c->groups, shape(weight, text));
  }
  return !tocha_failed(cx);
}

static bool check_channels(tocha_context *cx, const tocha_convolution_call *c,
                           const tocha_tensor *input, const tocha_tensor *weight) {
  char text[256], own[256];
  int64_t wanted = c->transposed ? weight->sizes[0] : weight->sizes[1] * c->groups;
  if (input->sizes[1] == wanted) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Given %s=%lld, weight of size %s, expected input%s to have %lld channels, but got "
             "%lld channels instead",
             c->transposed ? "transposed" : "groups", c->transposed ? 1LL : (long long)c->groups,
             shape(weight, text), shape(input, own), (long long)wanted, (long long)input->sizes[1]);
  tocha_hint(cx, "the input is (N, C, %s): its dimension 1 has the channels",
             c->space == 1   ? "L"
             : c->space == 2 ? "H, W"
                             : "D, H, W");
  return false;
}

static bool check_bias(tocha_context *cx, const tocha_convolution_call *c,
                       const tocha_tensor *weight, const tocha_tensor *bias) {
  char text[256], own[256];
  int64_t outputs = c->transposed ? weight->sizes[1] * c->groups : weight->sizes[0];
  if (!bias || (bias->ndim == 1 && bias->sizes[0] == outputs)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Given %sweight of size %s, expected bias to be 1-dimensional with %lld elements, but "
             "got bias of size %s instead",
             c->transposed ? "transposed=1, " : "", shape(weight, text), (long long)outputs,
             shape(bias, own));
  return false;
}

/* Returns true if each output element depends only on the channels of one input position, so that no columns are needed. */
static bool takes_no_columns(const tocha_convolution_call *c, const tocha_tensor *weight) {
  bool single = c->groups == 1;
  for (int d = 0; d < c->space; d++)
    single = single && weight->sizes[2 + d] == 1 && c->stride[d] == 1 && c->padding[d] == 0;
  return single;
}

/* Returns the name of the kernel that is missing for a type that is not floating point, or NULL if there is one. */
static const char *missing_kernel(const tocha_convolution_call *c, const tocha_tensor *input,
                                  const tocha_tensor *weight) {
  tocha_dtype dtype = (tocha_dtype)input->dtype;
  bool dilated = c->dilation[0] > 1 || c->dilation[1] > 1 || c->dilation[2] > 1;
  if (tocha_dtype_is_floating(dtype)) return NULL;
  if (tocha_is_on_device(input)) return c->space == 3 ? "slow_conv3d_cuda" : "slow_conv2d_cuda";
  if (c->transposed || dilated) {
    if (dtype == TOCHA_INT64) return NULL;
    return !c->transposed  ? "slow_conv_dilated<>"
           : c->space == 3 ? "slow_conv_transpose3d_out_cpu"
                           : "slow_conv_transpose2d_out_cpu";
  }
  if (dtype != TOCHA_BOOL) return NULL;
  if (c->space < 3) return "slow_conv2d_cpu";
  return takes_no_columns(c, weight) ? "slow_conv3d_cpu" : "compute_columns3d";
}

static bool check_dtypes(tocha_context *cx, const tocha_convolution_call *c,
                         const tocha_tensor *input, const tocha_tensor *weight,
                         const tocha_tensor *bias) {
  const char *kernel = missing_kernel(c, input, weight);
  if (bias && bias->dtype != input->dtype) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Input type (%s) and bias type (%s) should be the same",
               tocha_dtype_cpp_name(input->dtype), tocha_dtype_cpp_name(bias->dtype));
  } else if (weight->dtype != input->dtype) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected scalar type %s but found %s",
               tocha_dtype_scalar_type(input->dtype), tocha_dtype_scalar_type(weight->dtype));
    tocha_hint(cx, "convert one of them: x:to(layer.weight.dtype), or layer:to(x.dtype)");
  } else if (kernel) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s\" not implemented for '%s'", kernel,
               tocha_dtype_scalar_type(input->dtype));
  }
  return !tocha_failed(cx);
}

/* Writes the sizes as text, such as "(3 x 4)", and returns the text. */
static const char *extents(int space, const int64_t *sizes, char text[128]) {
  int at = 0;
  for (int d = 0; d < space; d++)
    at += snprintf(text + at, 128 - (size_t)at, "%s%lld", d ? " x " : "(", (long long)sizes[d]);
  snprintf(text + at, 128 - (size_t)at, ")");
  return text;
}

static bool output_sizes(tocha_context *cx, const tocha_convolution_call *c,
                         const tocha_tensor *input, const tocha_tensor *weight, int64_t *sizes) {
  int64_t padded[3], kernel[3], out[3];
  bool empty = false;
  for (int d = 0; d < c->space; d++) {
    int at = d + 3 - c->space;
    int64_t in = input->sizes[d + 2], k = weight->sizes[d + 2];
    padded[d] = in + 2 * c->padding[at];
    kernel[d] = c->dilation[at] * (k - 1) + 1;
    if (c->transposed)
      out[d] = (in - 1) * c->stride[at] - 2 * c->padding[at] + kernel[d] + c->output_padding[at];
    else
      out[d] = padded[d] < kernel[d] ? 0 : (padded[d] - kernel[d]) / c->stride[at] + 1;
    empty = empty || out[d] < (c->transposed ? 0 : 1) || k < 1;
    sizes[d + 2] = out[d];
  }
  if (!empty) return true;
  char text[128], other[128];
  if (c->transposed)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Given input size per channel: %s. Calculated output size per channel: %s. Output "
               "size is too small",
               extents(c->space, input->sizes + 2, text), extents(c->space, out, other));
  else if (kernel[0] < 1 || kernel[c->space - 1] < 1)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "kernel size should be greater than zero, but got %s",
               extents(c->space, weight->sizes + 2, text));
  else
    tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "Calculated padded input size per channel: %s. Kernel size: %s. Kernel size can't be "
        "greater than actual input size",
        extents(c->space, padded, text), extents(c->space, kernel, other)),
        tocha_hint(cx, "a smaller kernel, padding, or fewer layers before that shrink the input");
  return false;
}

static bool check_output_padding(tocha_context *cx, const tocha_convolution_call *c) {
  static const char *const names[] = {"depth", "height", "width"};
  bool fits = true;
  for (int d = 3 - c->space; c->transposed && d < 3; d++)
    fits = fits && (c->output_padding[d] < c->stride[d] || c->output_padding[d] < c->dilation[d]);
  if (fits) return true;
  const char *const words[] = {"output_padding", "stride", "dilation"};
  const int64_t *lists[] = {c->output_padding, c->stride, c->dilation};
  char text[512] = "";
  size_t at = 0;
  for (int i = 0; i < 3; i++)
    for (int d = c->space == 3 ? 0 : 1; d < 3;
         d++) { /* a one-dimensional input is an image of height 1 */
      long long value = d < 3 - c->space ? i > 0 : (long long)lists[i][d];
      at +=
          (size_t)snprintf(text + at, sizeof text - at, " %s_%s: %lld", words[i], names[d], value);
    }
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "output padding must be smaller than either stride or dilation, but got%s", text);
  return false;
}

bool tocha_check_convolution(tocha_context *cx, const tocha_convolution_call *c,
                             const tocha_tensor *input, const tocha_tensor *weight,
                             const tocha_tensor *bias, int64_t *sizes) {
  if (!check_weight(cx, c, input, weight) || !check_channels(cx, c, input, weight) ||
      !check_bias(cx, c, weight, bias))
    return false;
  sizes[0] = input->sizes[0];
  sizes[1] = c->transposed ? weight->sizes[1] * c->groups : weight->sizes[0];
  return output_sizes(cx, c, input, weight, sizes) && check_output_padding(cx, c) &&
         check_dtypes(cx, c, input, weight, bias);
}
