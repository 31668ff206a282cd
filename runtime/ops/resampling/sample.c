/* sample.c: images sampled at the places of a grid (Jaderberg et al., "Spatial transformer
 * networks", 2015). Samples, their gradients by the image and their slopes by the grid are each
 * other's derivatives. */
#include <string.h>

#include "device/devices.h"
#include "ops/resampling/kernels.h"
#include "resampling/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/grid_sampler.h"
#include "tocha/ops/grid_sampler_2d.h"
#include "tocha/ops/grid_sampler_3d.h"
#include "tocha/ops/index_add_.h"

/* The options of grid_sampler: interpolation mode, padding mode, align_corners. */
typedef struct sample_rule {
  int64_t mode, padding;
  bool align_corners;
} sample_rule;

/* --- checks ------------------------------------------------------------------------------------ */

static bool check_common(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *grid) {
  char text[256], other[256];
  int space = input->ndim - 2;
  if (!input->ndim || !grid->ndim) {
    tocha_fail(cx, TOCHA_INDEX_ERROR, "Dimension specified as 0 but tensor has no dimensions");
    return false;
  }
  tocha_shape_text(input->ndim, input->sizes, text, sizeof text);
  tocha_shape_text(grid->ndim, grid->sizes, other, sizeof other);
  if (input->sizes[0] != grid->sizes[0])
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "grid_sampler(): expected grid and input to have same batch size, but got input "
               "with sizes %s and grid with sizes %s",
               text, other);
  else if (grid->sizes[grid->ndim - 1] != space)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "grid_sampler(): expected grid to have size %d in last dimension, but got grid with "
               "sizes %s",
               space, other),
        tocha_hint(cx, "the grid is (N, H, W, 2) or (N, D, H, W, 3): places between -1 and 1");
  for (int d = 2; d < input->ndim && !tocha_failed(cx); d++)
    if (input->sizes[d] == 0)
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "grid_sampler(): expected input to have non-empty spatial dimensions, but input "
                 "has sizes %s with dimension %d being empty",
                 text, d);
  return !tocha_failed(cx);
}

static bool check_space(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *grid,
                        int space) {
  char text[256], other[256];
  if (input->ndim != space + 2 || grid->ndim != input->ndim)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "grid_sampler(): expected %dD input and grid with same number of dimensions, but "
               "got input with sizes %s and grid with sizes %s",
               space + 2, tocha_shape_text(input->ndim, input->sizes, text, sizeof text),
               tocha_shape_text(grid->ndim, grid->sizes, other, sizeof other));
  else if (!tocha_dtype_is_floating(input->dtype))
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s\" not implemented for '%s'",
               tocha_is_on_device(input)
                   ? (space == 2 ? "grid_sampler_2d_cuda" : "grid_sampler_3d_cuda")
                   : (space == 2 ? "grid_sampler_2d_cpu_kernel_impl" : "grid_sampler3d_cpu"),
               tocha_dtype_scalar_type(input->dtype));
  else if (input->dtype != grid->dtype)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected scalar type %s but found %s",
               tocha_dtype_scalar_type(input->dtype), tocha_dtype_scalar_type(grid->dtype));
  return !tocha_failed(cx);
}

/* --- the kernels' call ------------------------------------------------------------------------- */

typedef bool sample_kernel(tocha_stream *stream, const tocha_sample_args *args);

static tocha_dtype compute_dtype(const tocha_tensor *t) {
  return tocha_kernel_dtype(t->device, (tocha_dtype)t->dtype);
}

static void *bytes_of(tocha_tensor *t) { return t ? tocha_bytes(t) : NULL; }

/* Returns the arguments for image (images, channels, in) and grid (images, out, space). */
static tocha_sample_args args_of(const tocha_tensor *image, const tocha_tensor *grid,
                                 sample_rule rule) {
  int space = grid->ndim - 2;
  tocha_sample_args args = {.images = image->sizes[0],
                            .channels = image->sizes[1],
                            .in = {1, 1, 1},
                            .out = {1, 1, 1},
                            .space = space,
                            .mode = rule.mode,
                            .padding = rule.padding,
                            .align_corners = rule.align_corners,
                            .dtype = compute_dtype(grid)};
  for (int d = 0; d < space; d++) {
    args.in[3 - space + d] = image->sizes[d + 2];
    args.out[3 - space + d] = grid->sizes[d + 1];
  }
  return args;
}

/* Sets grid and tangent in args, row-major and in the kernels' dtype. */
static bool set_grids(tocha_context *cx, tocha_tensor *grid, tocha_tensor *tangent,
                      tocha_sample_args *args) {
  tocha_dtype dtype = (tocha_dtype)args->dtype;
  grid = tocha_as_rows(cx, grid, dtype);
  if (tangent) {
    tangent = tocha_as_rows(cx, tangent, dtype);
    if (!tangent) return false;
  }
  if (!grid) return false;
  args->grid = tocha_bytes(grid);
  args->tangent = bytes_of(tangent);
  return true;
}

static bool run(tocha_context *cx, tocha_tensor *grid, sample_kernel *kernel,
                const tocha_sample_args *args) {
  tocha_stream *s = tocha_stream_of(cx, grid->device);
  return s && tocha_launched(cx, kernel(s, args));
}

static const tocha_resampling_kernels *kernels_of(tocha_context *cx, const tocha_tensor *t) {
  tocha_stream *s = tocha_stream_of(cx, t->device);
  return s ? s->kernels->resampling : NULL;
}

#define RULE int64_t mode, int64_t padding, bool align_corners
#define THE_RULE ((sample_rule){mode, padding, align_corners})

tocha_tensor *tocha_op__grid_sampler_along(tocha_context *cx, tocha_tensor *image,
                                           tocha_tensor *grid, tocha_tensor *tangent, RULE) {
  int64_t sizes[5] = {image->sizes[0], image->sizes[1]};
  tocha_sample_args args = args_of(image, grid, THE_RULE);
  tocha_dtype dtype = (tocha_dtype)args.dtype;
  memcpy(sizes + 2, grid->sizes + 1, (size_t)args.space * sizeof *sizes);
  tocha_tensor *out = tocha_new(cx, image->ndim, sizes, dtype, image->device);
  if (!out) return NULL;
  if (tocha_has_elements(out)) {
    tocha_tensor *rows = tocha_as_rows(cx, image, dtype);
    const tocha_resampling_kernels *kernels = kernels_of(cx, image);
    if (!rows || !kernels || !set_grids(cx, grid, tangent, &args)) return NULL;
    args.image = tocha_bytes(rows);
    args.sampled = tocha_bytes(out);
    if (!run(cx, grid, kernels->sample, &args)) return NULL;
  }
  return tocha_as_dtype(cx, out, (tocha_dtype)image->dtype);
}

/* --- back to the image ------------------------------------------------------------------------- */

/* MAX_BROUGHT: contributions in memory at a time, or those of one image if these are more. */
enum { MAX_BROUGHT = 1 << 27 };

static int64_t product(const int64_t *sizes) { return sizes[0] * sizes[1] * sizes[2]; }

/* Returns the number of points around a place that contribute. */
static int64_t points_of(const tocha_sample_args *a) {
  int64_t taps = a->mode == TOCHA_SAMPLE_CUBIC ? 4 : a->mode == TOCHA_SAMPLE_LINEAR ? 2 : 1;
  return a->space == 2 ? taps * taps : taps * taps * taps;
}

/* Sums the contributions to the images of args, which begin with image `first` of out. All channels of a place are one row. */
static bool add_brought(tocha_context *cx, tocha_tensor *out, int64_t first,
                        tocha_sample_args *args) {
  int64_t in = product(args->in), n = points_of(args) * args->images * product(args->out);
  int64_t rows[2] = {args->images * in, args->channels}, source[2] = {n, args->channels};
  tocha_dtype dtype = (tocha_dtype)out->dtype;
  tocha_tensor *keys = tocha_new(cx, 1, &n, TOCHA_INT64, out->device);
  tocha_tensor *brought = tocha_new(cx, 2, source, dtype, out->device);
  tocha_tensor *sums = tocha_new(cx, 2, rows, dtype, out->device);
  tocha_stream *s = tocha_stream_of(cx, out->device);
  if (!keys || !brought || !sums || !s) return false;
  args->keys = (int64_t *)(void *)tocha_bytes(keys);
  args->brought = tocha_bytes(brought);
  if (!tocha_fill_data(cx, sums, tocha_int(0)) ||
      !tocha_launched(cx, s->kernels->resampling->bring(s, args)) ||
      !tocha_index_add_(cx, sums, 0, keys, brought))
    return false;
  int64_t sizes[3] = {args->images, args->channels, in}, dense[3];
  int64_t by_rows[3] = {in * args->channels, 1, args->channels};
  tocha_row_major_strides(3, sizes, dense);
  tocha_tensor *to =
      tocha_alias(cx, out, 3, sizes, dense, out->offset + first * args->channels * in);
  tocha_tensor *from = tocha_alias(cx, sums, 3, sizes, by_rows, sums->offset);
  return to && from && tocha_copy_data(cx, to, from);
}

/* Computes the gradient by the image on devices whose threads write in no order: contributions are sorted by their keys, so the
 * sums are the same in every run. */
static bool spread_by_keys(tocha_context *cx, tocha_tensor *out, tocha_sample_args args) {
  int64_t images = args.images, places = product(args.out);
  int64_t each = points_of(&args) * places * args.channels;
  int64_t item = (int64_t)tocha_dtype_size((tocha_dtype)args.dtype);
  int64_t most = each ? MAX_BROUGHT / each : 1;
  char *grid = (char *)args.grid, *tangent = (char *)args.tangent, *sampled = args.sampled;
  if (most < 1) most = 1;
  if (!each) return tocha_fill_data(cx, out, tocha_int(0));
  for (int64_t first = 0; first < images; first += most) {
    int64_t before = first * places * item;
    args.images = images - first < most ? images - first : most;
    args.grid = grid + before * args.space;
    if (tangent) args.tangent = tangent + before * args.space;
    args.sampled = sampled + before * args.channels;
    if (!add_brought(cx, out, first, &args)) return false;
  }
  return true;
}

/* Returns the gradient by the image. A GPU accumulates 16-bit types in float32. */
tocha_tensor *tocha_op__grid_sampler_image_along(tocha_context *cx, tocha_tensor *grad,
                                                 tocha_tensor *grid, tocha_tensor *tangent,
                                                 int count, const int64_t *sizes, RULE) {
  (void)count;
  bool wide = grad->dtype == TOCHA_FLOAT64;
  tocha_tensor *out =
      tocha_new(cx, grad->ndim, sizes, wide ? TOCHA_FLOAT64 : TOCHA_FLOAT32, grad->device);
  if (!out) return NULL;
  if (tocha_has_elements(out)) {
    tocha_sample_args args = args_of(out, grid, THE_RULE);
    tocha_tensor *rows = tocha_as_rows(cx, grad, (tocha_dtype)args.dtype);
    const tocha_resampling_kernels *kernels = kernels_of(cx, grad);
    if (!rows || !kernels || !set_grids(cx, grid, tangent, &args)) return NULL;
    args.image = tocha_bytes(out);
    args.sampled = bytes_of(rows);
    bool by_keys = kernels->bring && tocha_deterministic(cx);
    if (kernels->bring && !by_keys && !tocha_fill_data(cx, out, tocha_int(0))) return NULL;
    if (by_keys ? !spread_by_keys(cx, out, args) : !run(cx, grid, kernels->spread, &args))
      return NULL;
  }
  return tocha_as_dtype(cx, out, (tocha_dtype)grad->dtype);
}

tocha_tensor *tocha_op__grid_sampler_slope_along(tocha_context *cx, tocha_tensor *grad,
                                                 tocha_tensor *image, tocha_tensor *grid,
                                                 tocha_tensor *tangent, RULE) {
  tocha_sample_args args = args_of(image, grid, THE_RULE);
  tocha_dtype dtype = (tocha_dtype)args.dtype;
  tocha_tensor *out = tocha_new(cx, grid->ndim, grid->sizes, dtype, grid->device);
  if (!out) return NULL;
  if (tocha_has_elements(out)) {
    tocha_tensor *rows = tocha_as_rows(cx, grad, dtype);
    tocha_tensor *images = tocha_as_rows(cx, image, dtype);
    const tocha_resampling_kernels *kernels = kernels_of(cx, grid);
    if (!rows || !images || !kernels || !set_grids(cx, grid, tangent, &args)) return NULL;
    args.image = tocha_bytes(images);
    args.sampled = tocha_bytes(rows);
    args.slope = tocha_bytes(out);
    if (!run(cx, grid, kernels->slope, &args)) return NULL;
  }
  return tocha_as_dtype(cx, out, (tocha_dtype)grid->dtype);
}

/* --- the operators ----------------------------------------------------------------------------- */

tocha_tensor *tocha_op_grid_sampler_nd(tocha_context *cx, tocha_tensor *input, tocha_tensor *grid,
                                       RULE, int space) {
  if (!check_common(cx, input, grid) || !check_space(cx, input, grid, space)) return NULL;
  return tocha_op__grid_sampler_along(cx, input, grid, NULL, mode, padding, align_corners);
}

tocha_tensor *tocha_op_grid_sampler(tocha_context *cx, tocha_tensor *input, tocha_tensor *grid,
                                    RULE) {
  if (!check_common(cx, input, grid)) return NULL;
  if (input->ndim == 4) return tocha_grid_sampler_2d(cx, input, grid, mode, padding, align_corners);
  return tocha_grid_sampler_3d(cx, input, grid, mode, padding, align_corners);
}

static int index_of(const char *const *names, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(name, names[i]) == 0) return i;
  return -1;
}

static void warn_of_default(tocha_context *cx) {
  tocha_warn(cx, "Default grid_sample and affine_grid behavior has changed to align_corners=False "
                 "since 1.3.0. Please specify align_corners=True if the old behavior is desired. "
                 "See the documentation of grid_sample for details.");
}

tocha_tensor *tocha_op_grid_sample(tocha_context *cx, tocha_tensor *input, tocha_tensor *grid,
                                   const char *mode, const char *padding_mode,
                                   const bool *align_corners) {
  static const char *const modes[] = {"bilinear", "nearest", "bicubic"};
  static const char *const paddings[] = {"zeros", "border", "reflection"};
  int which = index_of(modes, 3, mode), padding = index_of(paddings, 3, padding_mode);
  if (which < 0)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or "
                      "'bicubic', but got: '%s'",
                      mode);
  if (padding < 0)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', "
                      "or 'reflection', but got: '%s'",
                      padding_mode);
  if (!align_corners) warn_of_default(cx);
  return tocha_grid_sampler(cx, input, grid, which, padding, align_corners && *align_corners);
}
