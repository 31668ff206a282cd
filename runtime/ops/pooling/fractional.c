/* fractional.c: the maximum of windows at random places (Graham, "Fractional max-pooling",
 * 2014). */
#include <string.h>

#include "device/devices.h"
#include "ops/pooling/pooling.h"
#include "pooling/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/private/fractional_max_pool2d.h"
#include "tocha/ops/private/fractional_max_pool3d.h"
#include "tocha/ops/add.h"
#include "tocha/ops/arange.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/clamp.h"
#include "tocha/ops/div.h"
#include "tocha/ops/full.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/rand.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/select.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/to.h"
#include "tocha/ops/zeros.h"

/* --- checks ------------------------------------------------------------------------------------ */

static bool check_lists(tocha_context *cx, int space, int kernels, const int64_t *kernel,
                        int sizes) {
  const char *kind = space == 2 ? "Ints" : "three Ints", *wrong = NULL;
  bool positive = true;
  if (sizes != space) wrong = "output_size";
  if (kernels != space) wrong = "kernel_size";
  if (wrong) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "fractional_max_pool%dd: %s must either be a single Int or tuple of %s", space,
               wrong, kind);
    return false;
  }
  for (int d = 0; d < space; d++) positive = positive && kernel[d] > 0;
  if (!positive && space == 2)
    tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "fractional_max_pool2d(): kernel size should be greater than zero, but got %lldx%lld",
        (long long)kernel[0], (long long)kernel[1]);
  else if (!positive)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "fractional_max_pool3d(): kernel size should be greater than zero, but got "
               "%lldx%lldx%lld",
               (long long)kernel[0], (long long)kernel[1], (long long)kernel[2]);
  return positive;
}

static bool check_input(tocha_context *cx, const tocha_tensor *self, int space) {
  const char *op = space == 2 ? "fractional_max_pool2d()" : "fractional_max_pool3d_out()";
  char text[256];
  if (self->ndim != space + 1 && self->ndim != space + 2) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s: Expected %dD or %dD tensor, but got: %s", op,
               space + 1, space + 2, tocha_pool_sizes(self, text));
    return false;
  }
  for (int d = self->ndim - space - 1; d < self->ndim; d++) {
    if (self->sizes[d]) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "%s: Expected input to have non-zero size for non-batch dimensions, but got%s with "
               "dimension %d being empty.",
               op, tocha_pool_sizes(self, text), d);
    return false;
  }
  return true;
}

static bool check_windows(tocha_context *cx, const tocha_tensor *self, int space,
                          const int64_t *kernel, const int64_t *out) {
  static const char *const names[] = {"time", "height", "width"};
  const char *op = space == 2 ? "fractional_max_pool2d()" : "fractional_max_pool3d_out()";
  char text[256];
  int64_t sizes[TOCHA_MAX_DIMS];
  for (int d = 0; d < space; d++) {
    int64_t in = self->sizes[self->ndim - space + d];
    const char *name = names[3 - space + d];
    if (out[d] < 0) {
      tocha_pooled_sizes(self, space, out, sizes);
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "Trying to create tensor with negative dimension %lld: %s", (long long)out[d],
                 tocha_shape_text(self->ndim, sizes, text, sizeof text));
      return false;
    }
    if (kernel[d] <= in && out[d] <= in && out[d] + kernel[d] - 1 <= in) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s: pool %s %lld too large relative to input %s %lld", op,
               name, (long long)kernel[d], name, (long long)in);
    return false;
  }
  return true;
}

static bool check_samples(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *samples,
                          int space) {
  int batched = self->ndim == space + 2;
  int64_t batch = batched ? self->sizes[0] : 1;
  if (samples->dtype != self->dtype)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expect _random_samples to have the same dtype as input");
  else if (samples->ndim != 3)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expect _random_samples to have 3 dimensions, got %d",
               samples->ndim);
  else if (samples->sizes[0] < batch)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expect _random_samples.size(0) no less then input batch size.");
  else if (samples->sizes[1] != self->sizes[batched])
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expect _random_samples.size(1) equals to input channel size.");
  else if (samples->sizes[2] != space)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expect _random_samples.size(2) equals to %d; got %lld.",
               space, (long long)samples->sizes[2]);
  return !tocha_failed(cx);
}

/* --- starts of windows ------------------------------------------------------------------------ */

static tocha_tensor *whole(tocha_context *cx, tocha_tensor *t) {
  return tocha_to_dtype(cx, t, TOCHA_INT64, false, false);
}

/* Returns the starts of the windows, (planes, out). The last window ends at the image's edge, the
 * others follow the sample's sequence, computed in the samples' dtype. Starts are clamped, because
 * a sample outside 0 .. 1 must not lead out of the image. */
static tocha_tensor *starts_of(tocha_context *cx, tocha_tensor *sample, int64_t in, int64_t out,
                               int64_t kernel) {
  tocha_dtype dtype = (tocha_dtype)sample->dtype;
  const int64_t one = 1, planes = sample->numel, last_sizes[] = {planes, 1};
  const tocha_scalar minimum = tocha_int(0), maximum = tocha_int(in - kernel);
  tocha_tensor *last =
      tocha_full_full(cx, 2, last_sizes, maximum, TOCHA_INT64, sample->device, false);
  if (out <= 1 || !last) return last;
  tocha_tensor *step = tocha_full_full(cx, 1, &one, maximum, dtype, sample->device, false);
  step = tocha_div_full(cx, step, tocha_number(tocha_int(out - 1)));
  tocha_tensor *first = tocha_reshape(cx, sample, 2, (const int64_t[]){planes, 1});
  tocha_tensor *places = tocha_arange_full(cx, tocha_int(out - 1), dtype, sample->device, false);
  places = whole(cx, tocha_mul(cx, tocha_add(cx, first, places), step));
  places = tocha_sub(cx, places, whole(cx, tocha_mul(cx, first, step)));
  tocha_tensor *parts[] = {tocha_clamp(cx, places, &minimum, &maximum), last};
  return parts[0] ? tocha_cat(cx, 2, parts, 1) : NULL;
}

/* Returns the starts for the kernel, (planes, sum of out). Missing dimensions have a single
 * window. */
static tocha_tensor *all_starts(tocha_context *cx, tocha_tensor *samples, int space, int64_t planes,
                                const tocha_pool_windows *w) {
  tocha_tensor *parts[3];
  tocha_tensor *rows = tocha_reshape(cx, samples, 2, (const int64_t[]){-1, space});
  rows = tocha_narrow(cx, rows, 0, 0, planes);
  for (int d = 0; d < 3; d++) {
    int at = d - (3 - space); /* the samples of a plane begin with the width's */
    if (space == 2) at = 2 - d;
    parts[d] =
        tocha_zeros_full(cx, 2, (const int64_t[]){planes, 1}, TOCHA_INT64, samples->device, false);
    if (d >= 3 - space)
      parts[d] = starts_of(cx, tocha_select(cx, rows, 1, at), w->in[d], w->out[d], w->kernel[d]);
    if (!parts[d]) return NULL;
  }
  return tocha_as_rows(cx, tocha_cat(cx, 3, parts, 1), TOCHA_INT64);
}

bool tocha_op__fractional_max_pool(tocha_context *cx, tocha_tensor *self, int kernels,
                                   const int64_t *kernel, int count, const int64_t *out,
                                   tocha_tensor *samples, int space, tocha_tensor **output,
                                   tocha_tensor **indices) {
  tocha_pool_args args = {0};
  tocha_pool_windows *w = &args.windows;
  if (!check_lists(cx, space, kernels, kernel, count) || !check_input(cx, self, space) ||
      !check_windows(cx, self, space, kernel, out) || !check_samples(cx, self, samples, space))
    return false;
  int64_t planes = self->ndim == space + 2 ? self->sizes[0] * self->sizes[1] : self->sizes[0];
  for (int d = 0; d < 3; d++) {
    int at = d - (3 - space);
    w->in[d] = at < 0 ? 1 : self->sizes[self->ndim - space + at];
    w->out[d] = at < 0 ? 1 : out[at];
    w->kernel[d] = at < 0 ? 1 : kernel[at];
    w->stride[d] = w->dilation[d] = 1;
  }
  tocha_tensor *starts = NULL;
  if (planes > 0 && w->out[0] && w->out[1] && w->out[2]) {
    starts = all_starts(cx, samples, space, planes, w);
    if (!starts) return false;
    w->starts = (const int64_t *)(void *)tocha_bytes(starts);
  }
  const char *name =
      space == 2 ? "fractional_max_pool2d_out_frame" : "fractional_max_pool3d_out_frame";
  *output = tocha_pool(cx, self, space, &args, name, TOCHA_POOL_FLOATS, true, indices);
  return *output != NULL;
}

/* --- the forms --------------------------------------------------------------------------------- */

/* Copies the list into `buffer`. A single number applies to all dimensions. Returns the
 * list's length: space, or count if that is wrong. */
static int spread(int space, int count, const int64_t *values, int64_t buffer[3]) {
  if (count != 1 && count != space) return count;
  for (int d = 0; d < space; d++) buffer[d] = values[count == 1 ? 0 : d];
  return space;
}

static bool sizes_by_ratio(tocha_context *cx, const tocha_tensor *input, int space, int ratios,
                           const double *ratio, int64_t buffer[3]) {
  if (!ratio)
    return tocha_fail(
        cx, TOCHA_VALUE_ERROR,
        "fractional_max_pool%dd requires specifying either an output_size or an output_ratio",
        space);
  if (ratios != 1 && ratios != space)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "fractional_max_pool%dd requires output_ratio to either be a single Int or tuple of "
               "Ints.",
               space);
  else if (input->ndim < space)
    tocha_fail(cx, TOCHA_INDEX_ERROR,
               "Dimension out of range (expected to be in range of [-%d, %d], but got -%d)",
               input->ndim, input->ndim - 1, space);
  for (int d = 0; d < space && !tocha_failed(cx); d++) {
    double size = (double)input->sizes[input->ndim - space + d] * ratio[ratios == 1 ? 0 : d];
    if (!(size > -9e18 && size < 9e18))
      tocha_fail(cx, TOCHA_VALUE_ERROR, "cannot convert float %s to integer",
                 size != size ? "NaN" : "infinity");
    else
      buffer[d] = (int64_t)size;
  }
  return !tocha_failed(cx);
}

/* Implements nn.functional's form: writes `indices` if return_indices or with_indices is set. */
bool tocha_op_fractional_max_pool(tocha_context *cx, tocha_tensor *input, int kernels,
                                  const int64_t *kernel, int size_count, const int64_t *size,
                                  int ratios, const double *ratio, bool return_indices,
                                  tocha_tensor *samples, int space, bool with_indices,
                                  tocha_tensor **output, tocha_tensor **indices) {
  int64_t size_buffer[3] = {0}, kernel_buffer[3] = {0};
  tocha_tensor *places;
  int count = size ? spread(space, size_count, size, size_buffer) : space;
  int kernel_count = spread(space, kernels, kernel, kernel_buffer);
  if (!size && !sizes_by_ratio(cx, input, space, ratios, ratio, size_buffer)) return false;
  if (!kernel)
    return tocha_fail(cx, TOCHA_TYPE_ERROR,
                      "fractional_max_pool%dd(): argument 'kernel_size' (position 2) must be tuple "
                      "of ints, not NoneType",
                      space);
  if (!samples && input->ndim <= space) {
    tocha_fail(cx, TOCHA_INDEX_ERROR,
               "Dimension out of range (expected to be in range of [-%d, %d], but got -%d)",
               input->ndim ? input->ndim : 1, input->ndim ? input->ndim - 1 : 0, space + 1);
    return false;
  }
  if (!samples) {
    const int64_t shape[] = {input->ndim == space + 1 ? 1 : input->sizes[0],
                             input->sizes[input->ndim - space - 1], space};
    samples = tocha_rand_full(cx, 3, shape, NULL, (tocha_dtype)input->dtype, input->device, false);
    if (!samples) return false;
  }
  if (kernel_count == space) kernel = kernel_buffer; /* else fails with PyTorch's error */
  if (!size || count == space) size = size_buffer;
  bool fine =
      (space == 2 ? tocha_private_fractional_max_pool2d : tocha_private_fractional_max_pool3d)(
          cx, input, kernel_count, kernel, count, size, samples, output, &places);
  if (fine && (return_indices || with_indices)) *indices = places;
  return fine;
}
