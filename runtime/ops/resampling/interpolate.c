/* interpolate.c: torch.nn.functional.interpolate, which chooses an operator by mode and number of
 * dimensions. */
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "resampling/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/adaptive_avg_pool1d.h"
#include "tocha/ops/adaptive_avg_pool2d.h"
#include "tocha/ops/adaptive_avg_pool3d.h"
#include "tocha/ops/private/upsample_bicubic2d_aa.h"
#include "tocha/ops/private/upsample_bilinear2d_aa.h"
#include "tocha/ops/private/upsample_nearest_exact1d.h"
#include "tocha/ops/private/upsample_nearest_exact2d.h"
#include "tocha/ops/private/upsample_nearest_exact3d.h"
#include "tocha/ops/upsample_bicubic2d.h"
#include "tocha/ops/upsample_bilinear2d.h"
#include "tocha/ops/upsample_linear1d.h"
#include "tocha/ops/upsample_nearest1d.h"
#include "tocha/ops/upsample_nearest2d.h"
#include "tocha/ops/upsample_nearest3d.h"
#include "tocha/ops/upsample_trilinear3d.h"
#include "tocha/ops/interpolate.h"

typedef tocha_tensor *resampler(tocha_context *cx, tocha_tensor *self, int count,
                                const int64_t *size, bool align_corners, int scale_count,
                                const double *scale);

typedef struct mode_row {
  const char *name;
  bool aligns; /* accepts align_corners */
  resampler *plain[3], *antialias;
} mode_row;

/* Implement mode "area", which is an adaptive average. */
static tocha_tensor *area1d(tocha_context *cx, tocha_tensor *t, int n, const int64_t *size,
                            bool align, int scales, const double *scale) {
  (void)align, (void)scales, (void)scale;
  return tocha_adaptive_avg_pool1d(cx, t, n, size);
}
static tocha_tensor *area2d(tocha_context *cx, tocha_tensor *t, int n, const int64_t *size,
                            bool align, int scales, const double *scale) {
  (void)align, (void)scales, (void)scale;
  return tocha_adaptive_avg_pool2d(cx, t, n, size);
}
static tocha_tensor *area3d(tocha_context *cx, tocha_tensor *t, int n, const int64_t *size,
                            bool align, int scales, const double *scale) {
  (void)align, (void)scales, (void)scale;
  return tocha_adaptive_avg_pool3d(cx, t, n, size);
}

static const mode_row modes[] = {
    {"nearest",
     false,
     {tocha_upsample_nearest1d, tocha_upsample_nearest2d, tocha_upsample_nearest3d},
     NULL},
    {"nearest-exact",
     false,
     {tocha_private_upsample_nearest_exact1d, tocha_private_upsample_nearest_exact2d,
      tocha_private_upsample_nearest_exact3d},
     NULL},
    {"area", false, {area1d, area2d, area3d}, NULL},
    {"linear", true, {tocha_upsample_linear1d, NULL, NULL}, NULL},
    {"bilinear",
     true,
     {NULL, tocha_upsample_bilinear2d, NULL},
     tocha_private_upsample_bilinear2d_aa},
    {"trilinear", true, {NULL, NULL, tocha_upsample_trilinear3d}, NULL},
    {"bicubic", true, {NULL, tocha_upsample_bicubic2d, NULL}, tocha_private_upsample_bicubic2d_aa},
};

static const mode_row *row_of(const char *mode) {
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (strcmp(mode, modes[i].name) == 0) return &modes[i];
  return NULL;
}

/* The operators by the names of modes that gradients have (taps.h). */
static const mode_row gradient_modes[] = {
    {"linear",
     true,
     {tocha_upsample_linear1d, tocha_upsample_bilinear2d, tocha_upsample_trilinear3d},
     NULL},
    {"cubic", true, {NULL, tocha_upsample_bicubic2d, NULL}, NULL},
    {"linear-aa", true, {NULL, tocha_private_upsample_bilinear2d_aa, NULL}, NULL},
    {"cubic-aa", true, {NULL, tocha_private_upsample_bicubic2d_aa, NULL}, NULL},
};

tocha_tensor *tocha_op__upsample(tocha_context *cx, tocha_tensor *self, int count,
                                 const int64_t *sizes, bool align_corners, int scale_count,
                                 const double *scale, const char *mode) {
  const mode_row *row = row_of(mode); /* the two nearest modes */
  for (int i = 0; i < TOCHA_COUNT(gradient_modes); i++)
    if (strcmp(mode, gradient_modes[i].name) == 0) row = &gradient_modes[i];
  return row->plain[count - 3](cx, self, count - 2, sizes + 2, align_corners, scale_count, scale);
}

/* The sizes or scales that the caller asked for. A single number applies to all dimensions. */
typedef struct extent {
  int sizes, scales;
  const int64_t *size;
  const double *scale;
} extent;

static void refuse_scales(tocha_context *cx, const extent *e, const char *sizes) {
  tocha_text text = {0};
  char number[32];
  for (int i = 0; e->scale && i < e->scales; i++)
    tocha_text_format(&text, i ? ", %s" : "%s",
                      tocha_format_scalar(tocha_float(e->scale[i]), number));
  char *scales = tocha_text_finish(cx, &text);
  if (scales)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "Input and scale_factor must have the same number of spatial dimensions, but got "
               "input with spatial dimensions of %s and scale_factor of shape [%s]. Please provide "
               "input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, "
               "...,sK) format.",
               sizes, scales);
  free(scales);
}

static bool check_dimensions(tocha_context *cx, const tocha_tensor *input, const extent *e) {
  char text[128], other[128];
  int space = input->ndim - 2;
  tocha_shape_text(space > 0 ? space : 0, input->sizes + 2, text, sizeof text);
  if (e->sizes > 0 && e->sizes != 1 && e->sizes != space)
    tocha_fail(
        cx, TOCHA_VALUE_ERROR,
        "Input and output must have the same number of spatial dimensions, but got input "
        "with spatial dimensions of %s and output size of %s. Please provide input tensor in "
        "(N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.",
        text, tocha_shape_text(e->sizes, e->size, other, sizeof other));
  else if (e->scales > 0 && e->scales != 1 && e->scales != space)
    refuse_scales(cx, e, text);
  return !tocha_failed(cx);
}

/* Writes the sizes of the result, and the scales of all dimensions if the caller gave scales. */
static bool find_size(tocha_context *cx, const tocha_tensor *input, const extent *e, bool recompute,
                      int64_t out[3], double scales[3]) {
  int space = input->ndim - 2;
  if (e->size && e->scale)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "only one of size or scale_factor should be defined");
  if (!e->size && !e->scale)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "either size or scale_factor should be defined");
  if (!check_dimensions(cx, input, e)) return false;
  if (e->size && recompute)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "recompute_scale_factor is not meaningful with an explicit size.");
  for (int d = 0; d < space && d < 3; d++) {
    if (e->size && e->sizes) out[d] = e->size[e->sizes == 1 ? 0 : d];
    if (!e->scale || !e->scales) continue;
    scales[d] = e->scale[e->scales == 1 ? 0 : d];
    double size = (double)input->sizes[d + 2] * scales[d];
    if (!(size > -9e18 && size < 9e18))
      return tocha_fail(cx, TOCHA_VALUE_ERROR, "cannot convert float %s to integer",
                        size != size ? "NaN" : "infinity");
    out[d] = (int64_t)size;
  }
  return true;
}

static tocha_tensor *refuse(tocha_context *cx, const tocha_tensor *input, const mode_row *row,
                            const char *mode) {
  const char *needs[] = {"3D", "4D", "5D"};
  int space = input->ndim - 2;
  for (int d = 0; row && row->aligns && strcmp(mode, "bicubic") != 0 && d < 3; d++)
    if (row->plain[d] && space >= 1 && space <= 3)
      return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                        "Got %dD input, but %s mode needs %s input", input->ndim, mode, needs[d]),
             tocha_hint(cx, "linear is for (N, C, L), bilinear and bicubic for (N, C, H, W), "
                            "trilinear for (N, C, D, H, W)");
  return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                    "Input Error: Only 3D, 4D and 5D input Tensors supported (got %dD) for the "
                    "modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area | "
                    "nearest-exact (got %s)",
                    input->ndim, mode);
}

tocha_tensor *tocha_op_interpolate(tocha_context *cx, tocha_tensor *input, int count,
                                   const int64_t *size, int scale_count, const double *scale_factor,
                                   const char *mode, const bool *align_corners,
                                   const bool *recompute_scale_factor, bool antialias) {
  int64_t out[3] = {0};
  double scales[3] = {0};
  int space = input->ndim - 2;
  extent asked = {count, scale_count, size, scale_factor};
  const mode_row *row = row_of(mode);
  bool recompute = recompute_scale_factor && *recompute_scale_factor;
  if (row && !row->aligns && align_corners)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "align_corners option can only be set with the interpolating modes: linear | "
                      "bilinear | bicubic | trilinear");
  if (!size && strcmp(mode, "area") == 0) recompute = true;
  if (!find_size(cx, input, &asked, recompute, out, scales)) return NULL;
  if (antialias && (!row || !row->antialias || input->ndim != 4))
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and "
                      "requires a 4-D tensor as input");
  resampler *function = row && space >= 1 && space <= 3 ? row->plain[space - 1] : NULL;
  if (antialias) function = row->antialias;
  if (!function) return refuse(cx, input, row, mode);
  return function(cx, input, space, out, align_corners && *align_corners,
                  recompute || size ? 0 : space, scales);
}

/* --- deprecated names ------------------------------------------------------------------------- */

static tocha_tensor *former(tocha_context *cx, const char *name, tocha_tensor *input,
                            const extent *e, const char *mode, const bool *align_corners) {
  tocha_warn(cx, "`nn.functional.%s` is deprecated. Use `nn.functional.interpolate` instead.",
             name);
  return tocha_interpolate(cx, input, e->sizes, e->size, e->scales, e->scale, mode, align_corners,
                           NULL, false);
}

tocha_tensor *tocha_op_upsample(tocha_context *cx, tocha_tensor *input, int count,
                                const int64_t *size, int scale_count, const double *scale_factor,
                                const char *mode, const bool *align_corners) {
  extent e = {count, scale_count, size, scale_factor};
  return former(cx, "upsample", input, &e, mode, align_corners);
}

tocha_tensor *tocha_op_upsample_nearest(tocha_context *cx, tocha_tensor *input, int count,
                                        const int64_t *size, int scale_count,
                                        const double *scale_factor) {
  extent e = {count, scale_count, size, scale_factor};
  return former(cx, "upsample_nearest", input, &e, "nearest", NULL);
}

tocha_tensor *tocha_op_upsample_bilinear(tocha_context *cx, tocha_tensor *input, int count,
                                         const int64_t *size, int scale_count,
                                         const double *scale_factor) {
  extent e = {count, scale_count, size, scale_factor};
  const bool aligned = true;
  return former(cx, "upsample_bilinear", input, &e, "bilinear", &aligned);
}
