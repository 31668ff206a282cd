/* resample.c: the operators that resize images. The CPU resamples one dimension after the other, a
 * GPU all of them at once (resize.c). */
#include <math.h>
#include <string.h>

#include "device/devices.h"
#include "ops/resampling/digits/weights.h"
#include "ops/resampling/kernels.h"
#include "ops/resampling/resize.h"
#include "ops/resampling/taps.h"
#include "resampling/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/add.h"
#include "tocha/ops/clamp.h"
#include "tocha/ops/floor.h"
#include "tocha/ops/index_select.h"
#include "tocha/ops/private/index_select_backward.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/select.h"
#include "tocha/ops/to.h"
#include "tocha/ops/view.h"

static bool picks_one(const char *mode) { return strncmp(mode, "nearest", 7) == 0; }

/* Returns tap k's weights as a view along dimension d of ndim. */
static tocha_tensor *weights_of(tocha_context *cx, const tocha_taps *taps, int k, int ndim, int d) {
  int64_t sizes[5] = {1, 1, 1, 1, 1};
  sizes[d] = taps->weights->sizes[1];
  tocha_tensor *row = tocha_select(cx, taps->weights, 0, k);
  return row ? tocha_view(cx, row, ndim, sizes) : NULL;
}

static int64_t product(const int64_t *sizes, int count) {
  int64_t n = 1;
  for (int d = 0; d < count; d++) n *= sizes[d];
  return n;
}

/* Returns t, of float32 or float64, resampled along dimension d to the number of positions in
 * taps. */
static tocha_tensor *weighed(tocha_context *cx, tocha_tensor *t, int d, const tocha_taps *taps,
                             int first) {
  int64_t sizes[TOCHA_MAX_DIMS];
  memcpy(sizes, t->sizes, (size_t)t->ndim * sizeof *sizes);
  sizes[d] = taps->weights->sizes[1];
  tocha_tensor *in = tocha_as_rows(cx, t, (tocha_dtype)t->dtype);
  tocha_tensor *out = tocha_new(cx, t->ndim, sizes, (tocha_dtype)t->dtype, t->device);
  if (!in || !out || !tocha_has_elements(out)) return in ? out : NULL;
  tocha_stream *s = tocha_stream_of(cx, in->device);
  if (!s) return NULL;
  tocha_weigh_args args = {.in = tocha_bytes(in),
                           .weights = tocha_bytes(taps->weights),
                           .positions = (const int64_t *)(const void *)tocha_bytes(taps->positions),
                           .out = tocha_bytes(out),
                           .outer = product(sizes, d),
                           .from = t->sizes[d],
                           .n = sizes[d],
                           .inner = product(sizes + d + 1, t->ndim - d - 1),
                           .count = taps->count,
                           .dtype = t->dtype,
                           .first = (int8_t)first};
  return tocha_launched(cx, s->kernels->resampling->weigh(s, &args)) ? out : NULL;
}

static tocha_tensor *sum(tocha_context *cx, tocha_tensor *a, tocha_tensor *b) {
  return a ? tocha_add(cx, a, b) : b;
}

static tocha_tensor *resampled(tocha_context *cx, tocha_tensor *t, int d, const tocha_taps *taps,
                               int first) {
  if (taps->weights) return weighed(cx, t, d, taps, first);
  return tocha_index_select(cx, t, d, tocha_select(cx, taps->positions, 0, 0));
}

static tocha_tensor *shared_out(tocha_context *cx, tocha_tensor *grad, int d, int64_t size,
                                const tocha_taps *taps) {
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *out = NULL;
  memcpy(sizes, grad->sizes, (size_t)grad->ndim * sizeof *sizes);
  sizes[d] = size;
  for (int k = 0; k < taps->count && !tocha_failed(cx); k++) {
    tocha_tensor *part = grad, *at = tocha_select(cx, taps->positions, 0, k);
    if (taps->weights) part = tocha_mul(cx, part, weights_of(cx, taps, k, grad->ndim, d));
    if (!part || !at) return NULL;
    out = sum(cx, out, tocha_private_index_select_backward(cx, part, grad->ndim, sizes, d, at));
  }
  return tocha_failed(cx) ? NULL : out;
}

/* Returns the scale of dimension d, or 0 if the sizes determine it. */
static double scale_of(int count, const double *scale, int d) {
  if (count == 0) return 0;
  return scale[count == 1 ? 0 : d];
}

static tocha_dtype compute_dtype(const tocha_tensor *t, const char *mode) {
  if (picks_one(mode) || t->dtype == TOCHA_FLOAT64) return (tocha_dtype)t->dtype;
  return TOCHA_FLOAT32;
}

tocha_tensor *tocha_op__upsample_backward(tocha_context *cx, tocha_tensor *grad_output, int count,
                                          const int64_t *sizes, bool align_corners, int scale_count,
                                          const double *scale, const char *mode) {
  tocha_dtype dtype = (tocha_dtype)grad_output->dtype;
  tocha_dtype compute = dtype == TOCHA_FLOAT64 ? dtype : TOCHA_FLOAT32;
  tocha_tap_rule rules[3];
  for (int d = 2; d < count; d++)
    rules[d - 2] = (tocha_tap_rule){.mode = mode,
                                    .in = sizes[d],
                                    .out = grad_output->sizes[d],
                                    .align_corners = align_corners,
                                    .scale = scale_of(scale_count, scale, d - 2),
                                    .rounds = TOCHA_NO_DTYPE};
  if (tocha_resizes_at_once(cx, grad_output, count, sizes, grad_output->sizes))
    return tocha_resized_at_once_backward(cx, grad_output, rules);
  tocha_tensor *grad = tocha_to_dtype(cx, grad_output, compute, false, false);
  for (int d = 2; d < count && grad; d++) {
    tocha_taps taps;
    if (!tocha_find_taps(cx, &rules[d - 2], compute, grad->device, &taps)) return NULL;
    grad = shared_out(cx, grad, d, sizes[d], &taps);
  }
  return grad ? tocha_to_dtype(cx, grad, dtype, false, false) : NULL;
}

/* --- checks ------------------------------------------------------------------------------------------------- */

static bool check_sizes(tocha_context *cx, const tocha_tensor *self, int space,
                        const int64_t *size) {
  const int64_t *in = self->sizes + 2;
  bool ok = true;
  for (int d = 0; d < space; d++) ok = ok && in[d] > 0 && size[d] > 0;
  if (ok) return true;
  if (space == 1)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Input and output sizes should be greater than 0, but got input (W: %lld) and "
               "output (W: %lld)",
               (long long)in[0], (long long)size[0]);
  else if (space == 2)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Input and output sizes should be greater than 0, but got input (H: %lld, W: %lld) "
               "output (H: %lld, W: %lld)",
               (long long)in[0], (long long)in[1], (long long)size[0], (long long)size[1]);
  else
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Input and output sizes should be greater than 0, but got input (D: %lld, H: %lld, "
               "W: %lld) output (D: %lld, H: %lld, W: %lld)",
               (long long)in[0], (long long)in[1], (long long)in[2], (long long)size[0],
               (long long)size[1], (long long)size[2]);
  return false;
}

static bool check_input(tocha_context *cx, const tocha_tensor *self, int space,
                        const int64_t *size) {
  char text[256];
  if (!check_sizes(cx, self, space, size)) return false;
  if (self->sizes[1] > 0) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Non-empty %dD data tensor expected but got a tensor with sizes %s", space + 2,
             tocha_shape_text(self->ndim, self->sizes, text, sizeof text));
  return false;
}

/* Fails for dtypes that PyTorch's kernels lack: bytes in linear and trilinear, 16-bit types in the
 * antialiased modes. */
static bool check_dtype(tocha_context *cx, const tocha_tensor *self, int space, const char *mode) {
  bool wide = strstr(mode, "-aa") != NULL, half = tocha_dtype_size(self->dtype) == 2;
  if (tocha_dtype_is_floating(self->dtype) && !(wide && half)) return true;
  bool bytes = self->dtype == TOCHA_UINT8;
  if (bytes && !(strcmp(mode, "linear") == 0 && space != 2)) return true;
  const char *kernel = strcmp(mode, "cubic") == 0      ? "compute_indices_weights_cubic"
                       : wide                          ? "compute_index_ranges_weights"
                       : picks_one(mode) && space != 2 ? "compute_indices_weights_nearest"
                       : strcmp(mode, "linear") == 0 && space != 2
                           ? "compute_indices_weights_linear"
                       : strcmp(mode, "linear") == 0 ? "upsample_bilinear2d_channels_last"
                                                     : "upsample_nearest2d_channels_last";
  tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s\" not implemented for '%s'", kernel,
             tocha_dtype_scalar_type(self->dtype));
  return false;
}

/* Rounds the elements of t to bytes, halves up. Bytes are rounded after each dimension. */
static tocha_tensor *rounded(tocha_context *cx, tocha_tensor *t) {
  tocha_scalar minimum = tocha_int(0), maximum = tocha_int(255);
  t = tocha_add_full(cx, t, tocha_number(tocha_float(0.5)), tocha_int(1));
  return tocha_clamp(cx, tocha_floor(cx, t), &minimum, &maximum);
}

enum { VECTOR_BYTES = 32 }; /* size of the vectors that tocha_blend_args.lanes describes */

static tocha_tensor *blended(tocha_context *cx, tocha_tensor *self, const tocha_tap_rule *rules) {
  tocha_taps taps[2];
  tocha_dtype dtype = compute_dtype(self, rules[0].mode);
  int64_t sizes[4] = {self->sizes[0], self->sizes[1], rules[0].out, rules[1].out};
  tocha_tensor *in = tocha_as_rows(cx, self, dtype);
  tocha_tensor *out = tocha_new(cx, 4, sizes, dtype, self->device);
  for (int d = 0; d < 2; d++)
    if (!tocha_find_taps(cx, &rules[d], dtype, self->device, &taps[d])) return NULL;
  if (!in || !out || !tocha_has_elements(out)) return in ? out : NULL;
  tocha_stream *s = tocha_stream_of(cx, in->device);
  if (!s) return NULL;
  tocha_blend_args args = {.in = tocha_bytes(in),
                           .rows = tocha_bytes(taps[0].weights),
                           .columns = tocha_bytes(taps[1].weights),
                           .row_at = (const int64_t *)(const void *)tocha_bytes(taps[0].positions),
                           .column_at =
                               (const int64_t *)(const void *)tocha_bytes(taps[1].positions),
                           .out = tocha_bytes(out),
                           .planes = sizes[0] * sizes[1],
                           .channels = sizes[1],
                           .lanes = VECTOR_BYTES / (int64_t)tocha_dtype_size(self->dtype),
                           .from = {self->sizes[2], self->sizes[3]},
                           .to = {sizes[2], sizes[3]},
                           .dtype = dtype};
  return tocha_launched(cx, s->kernels->resampling->blend(s, &args)) ? out : NULL;
}

static bool resizes_at_once(tocha_context *cx, const tocha_tensor *t, const int64_t *size) {
  int64_t sizes[5] = {t->sizes[0], t->sizes[1]};
  memcpy(sizes + 2, size, (size_t)(t->ndim - 2) * sizeof *sizes);
  return tocha_resizes_at_once(cx, t, t->ndim, t->sizes, sizes);
}

/* Resizes self: all dimensions at once, or one after the other, the last one first. */
static tocha_tensor *resized(tocha_context *cx, tocha_tensor *self, const int64_t *size,
                             bool align_corners, int scale_count, const double *scale,
                             const char *mode) {
  tocha_dtype compute = compute_dtype(self, mode);
  bool corners = tocha_resamples_by_corners(self, size, mode);
  int rounds = self->dtype == TOCHA_UINT8 && !picks_one(mode)
                   ? TOCHA_UINT8
                   : tocha_weights_step_dtype(cx, self, corners);
  bool wide = strstr(mode, "-aa") != NULL, bytes = rounds == TOCHA_UINT8;
  tocha_tap_rule rules[3];
  for (int d = 0; d < self->ndim - 2; d++)
    rules[d] = (tocha_tap_rule){.mode = mode,
                                .in = self->sizes[d + 2],
                                .out = size[d],
                                .align_corners = align_corners,
                                .scale = scale_of(scale_count, scale, d),
                                .corners = corners,
                                .keeps = wide && self->sizes[d + 2] == size[d],
                                .rounds = rounds};
  if (!bytes && resizes_at_once(cx, self, size)) return tocha_resized_at_once(cx, self, rules);
  tocha_tensor *out = corners ? blended(cx, self, rules) : tocha_as_dtype(cx, self, compute);
  for (int d = self->ndim - 3; d >= 0 && out && !corners; d--) {
    tocha_taps taps;
    if ((bytes || wide) && rules[d].in == rules[d].out) continue; /* kept as it is, at any scale */
    if (!tocha_find_taps(cx, &rules[d], compute, self->device, &taps)) return NULL;
    if (bytes) out = tocha_as_dtype(cx, out, (tocha_dtype)taps.weights->dtype);
    if (out) out = resampled(cx, out, d + 2, &taps, wide ? 0 : 1);
    if (out && bytes) out = rounded(cx, out);
  }
  if (out == self) {
    out = tocha_new(cx, self->ndim, self->sizes, compute, self->device);
    if (!out || !tocha_copy_data(cx, out, self)) return NULL;
  }
  return tocha_in_format_of(cx, tocha_as_dtype(cx, out, (tocha_dtype)self->dtype), self);
}

static tocha_tensor *resample(tocha_context *cx, tocha_tensor *self, int count, const int64_t *size,
                              bool align_corners, int scale_count, const double *scale, int space,
                              const char *mode) {
  if (count != space)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "It is expected output_size equals to %d, but got size %d", space, count);
  if (self->ndim != space + 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "It is expected input_size equals to %d, but got size %d", space + 2,
                      self->ndim);
  if (!check_input(cx, self, space, size) || !check_dtype(cx, self, space, mode)) return NULL;
  return resized(cx, self, size, align_corners, scale_count, scale, mode);
}

#define RESAMPLE(op, space, mode)                                                                  \
  tocha_tensor *tocha_op_##op(tocha_context *cx, tocha_tensor *t, int n, const int64_t *size,      \
                              bool align, int scales, const double *scale) {                       \
    return resample(cx, t, n, size, align, scales, scale, space, mode);                            \
  }
RESAMPLE(upsample_nearest1d, 1, "nearest")
RESAMPLE(_upsample_nearest_exact1d, 1, "nearest-exact")
RESAMPLE(upsample_nearest2d, 2, "nearest")
RESAMPLE(_upsample_nearest_exact2d, 2, "nearest-exact")
RESAMPLE(upsample_nearest3d, 3, "nearest")
RESAMPLE(_upsample_nearest_exact3d, 3, "nearest-exact")
RESAMPLE(upsample_linear1d, 1, "linear")
RESAMPLE(upsample_bilinear2d, 2, "linear")
RESAMPLE(upsample_trilinear3d, 3, "linear")
RESAMPLE(upsample_bicubic2d, 2, "cubic")
RESAMPLE(_upsample_bilinear2d_aa, 2, "linear-aa")
RESAMPLE(_upsample_bicubic2d_aa, 2, "cubic-aa")
