/* interpolate.c: torch.nn.functional.interpolate: which operator a mode and a number of dimensions mean. */
#include <string.h>

#include "resampling/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/_upsample_area1d.h"
#include "tocha/ops/_upsample_area2d.h"
#include "tocha/ops/_upsample_area3d.h"
#include "tocha/ops/_upsample_bicubic2d_aa.h"
#include "tocha/ops/_upsample_bilinear2d_aa.h"
#include "tocha/ops/_upsample_nearest_exact1d.h"
#include "tocha/ops/_upsample_nearest_exact2d.h"
#include "tocha/ops/_upsample_nearest_exact3d.h"
#include "tocha/ops/upsample_bicubic2d.h"
#include "tocha/ops/upsample_bilinear2d.h"
#include "tocha/ops/upsample_linear1d.h"
#include "tocha/ops/upsample_nearest1d.h"
#include "tocha/ops/upsample_nearest2d.h"
#include "tocha/ops/upsample_nearest3d.h"
#include "tocha/ops/upsample_trilinear3d.h"
#include "tocha/ops/interpolate.h"

typedef tocha_tensor *resampler(tocha_context *cx, tocha_tensor *self, int count,
                                const int64_t *size, bool align_corners, double scale);

typedef struct mode_row {
  const char *name;
  bool aligns; /* takes align_corners */
  resampler *plain[3], *antialias;
} mode_row;

static const mode_row modes[] = {
    {"nearest",
     false,
     {tocha_upsample_nearest1d, tocha_upsample_nearest2d, tocha_upsample_nearest3d},
     NULL},
    {"nearest-exact",
     false,
     {tocha__upsample_nearest_exact1d, tocha__upsample_nearest_exact2d,
      tocha__upsample_nearest_exact3d},
     NULL},
    {"area", false, {tocha__upsample_area1d, tocha__upsample_area2d, tocha__upsample_area3d}, NULL},
    {"linear", true, {tocha_upsample_linear1d, NULL, NULL}, NULL},
    {"bilinear", true, {NULL, tocha_upsample_bilinear2d, NULL}, tocha__upsample_bilinear2d_aa},
    {"trilinear", true, {NULL, NULL, tocha_upsample_trilinear3d}, NULL},
    {"bicubic", true, {NULL, tocha_upsample_bicubic2d, NULL}, tocha__upsample_bicubic2d_aa},
};

static const mode_row *row_of(const char *mode) {
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (strcmp(mode, modes[i].name) == 0) return &modes[i];
  return NULL;
}

/* The sizes that are asked for, one number standing for all; and the scale that the result's places are told by. */
static bool find_size(tocha_context *cx, const tocha_tensor *input, int count, const int64_t *size,
                      bool scaled, double *scale, bool recompute, int64_t *out) {
  char text[256];
  int space = input->ndim - 2;
  if (size && scaled)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "only one of size or scale_factor should be defined");
  if (!size && !scaled)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "either size or scale_factor should be defined");
  if (size && count != 1 && count != space)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Input and output must have the same number of spatial dimensions, but got "
                      "input with spatial dimensions of %s and output size of %s. Please provide "
                      "input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, "
                      "...,oK) format.",
                      tocha_shape_text(space, input->sizes + 2, text, sizeof text / 2),
                      tocha_shape_text(count, size, text + 128, sizeof text / 2));
  if (size && recompute)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "recompute_scale_factor is not meaningful with an explicit size.");
  for (int d = 0; d < space && d < 3; d++)
    out[d] = size ? size[count == 1 ? 0 : d] : (int64_t)((double)input->sizes[d + 2] * *scale);
  if (recompute) *scale = 0;
  return true;
}

static tocha_tensor *refuse(tocha_context *cx, const tocha_tensor *input, const mode_row *row,
                            const char *mode) {
  const char *needs[] = {"3D", "4D", "5D"};
  int space = input->ndim - 2;
  for (int d = 0; row && row->aligns && strcmp(mode, "bicubic") != 0 && d < 3; d++)
    if (row->plain[d] && space >= 1 && space <= 3)
      return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                        "Got %dD input, but %s mode needs %s input", input->ndim, mode, needs[d]);
  return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                    "Input Error: Only 3D, 4D and 5D input Tensors supported (got %dD) for the "
                    "modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area | "
                    "nearest-exact (got %s)",
                    input->ndim, mode);
}

tocha_tensor *tocha_op_interpolate(tocha_context *cx, tocha_tensor *input, int count,
                                   const int64_t *size, const double *scale_factor,
                                   const char *mode, const bool *align_corners,
                                   const bool *recompute_scale_factor, bool antialias) {
  int64_t out[3] = {0};
  int space = input->ndim - 2;
  double scale = scale_factor ? *scale_factor : 0;
  const mode_row *row = row_of(mode);
  bool recompute = recompute_scale_factor && *recompute_scale_factor;
  if (row && !row->aligns && align_corners)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "align_corners option can only be set with the interpolating modes: linear | "
                      "bilinear | bicubic | trilinear");
  if (!size && strcmp(mode, "area") == 0) recompute = true;
  if (!find_size(cx, input, count, size, scale_factor != NULL, &scale, recompute, out)) return NULL;
  if (antialias && (!row || !row->antialias || input->ndim != 4))
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and "
                      "requires a 4-D tensor as input");
  resampler *function = row && space >= 1 && space <= 3 ? row->plain[space - 1] : NULL;
  if (antialias) function = row->antialias;
  if (!function) return refuse(cx, input, row, mode);
  return function(cx, input, space, out, align_corners && *align_corners, scale);
}

tocha_tensor *tocha_op_upsample(tocha_context *cx, tocha_tensor *input, int count,
                                const int64_t *size, const double *scale_factor, const char *mode,
                                const bool *align_corners) {
  tocha_warn(cx,
             "`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.");
  return tocha_interpolate_full(cx, input, count, size, scale_factor, mode, align_corners, NULL,
                                false);
}
