/* affine.c: grids of affine maps: for each place of the result, the place in the image. */
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "resampling/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/affine_grid_generator.h"
#include "tocha/ops/bmm.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/div.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/linspace.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/transpose.h"
#include "tocha/ops/view.h"

/* Returns the coordinates of dimension d of `space`, expanded to (size..., 1). They are the centers
 * of elements, so they are inside -1 .. 1, or, if corners are aligned, reach from -1 to 1. */
static tocha_tensor *column_of(tocha_context *cx, tocha_tensor *like, int space, int d,
                               const int64_t *size, bool align_corners) {
  int64_t n = size[d], view[] = {1, 1, 1, 1}, all[4];
  tocha_scalar first = tocha_int(n > 1 ? -1 : 0), last = tocha_int(n > 1 ? 1 : 0);
  tocha_tensor *x =
      tocha_linspace_full(cx, first, last, n, (tocha_dtype)like->dtype, like->device, false);
  if (!align_corners && n > 1) {
    x = tocha_mul_full(cx, x, tocha_number(tocha_int(n - 1)));
    x = tocha_div_full(cx, x, tocha_number(tocha_int(n)));
    x = x ? tocha_as_dtype(cx, x, (tocha_dtype)like->dtype) : NULL;
  }
  view[d] = n;
  memcpy(all, size, (size_t)space * sizeof *all);
  all[space] = 1;
  return tocha_expand(cx, tocha_view(cx, x, space + 1, view), space + 1, all);
}

/* Returns (N, places, space + 1): the coordinates of each place of an image, the last dimension's
 * first, and 1. */
static tocha_tensor *places_of(tocha_context *cx, tocha_tensor *like, int space,
                               const int64_t *size, bool align_corners) {
  const int64_t *extent = size + 2;
  int64_t ones[4] = {1, 1, 1, 1}, flat[] = {1, 1, space + 1}, all[] = {size[0], -1, space + 1};
  tocha_tensor *columns[4] = {0};
  for (int d = 0; d < space; d++) {
    if (__builtin_mul_overflow(flat[1], extent[d], &flat[1]))
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "numel: integer multiplication overflow");
    columns[space - 1 - d] = column_of(cx, like, space, d, extent, align_corners);
  }
  memcpy(ones, extent, (size_t)space * sizeof *ones);
  ones[space] = 1;
  tocha_tensor *one = tocha_new(cx, 0, NULL, (tocha_dtype)like->dtype, like->device);
  if (!one || !tocha_fill_data(cx, one, tocha_int(1))) return NULL;
  columns[space] = tocha_expand(cx, one, space + 1, ones);
  if (tocha_failed(cx)) return NULL;
  tocha_tensor *places = tocha_cat(cx, space + 1, columns, -1);
  return tocha_expand(cx, tocha_reshape(cx, places, 3, flat), 3, all);
}

static bool check_space(tocha_context *cx, int count) {
  if (count == 4 || count == 5) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.");
  return false;
}

tocha_tensor *tocha_op_affine_grid_generator(tocha_context *cx, tocha_tensor *theta, int count,
                                             const int64_t *size, bool align_corners) {
  int64_t sizes[5];
  if (!check_space(cx, count)) return NULL;
  int space = count - 2;
  tocha_tensor *places = places_of(cx, theta, space, size, align_corners);
  tocha_tensor *matrices = tocha_transpose(cx, theta, 1, 2);
  int below = cx->below_autograd;
  cx->below_autograd = 0; /* autocast applies to the product; it is not recorded in the graph */
  tocha_tensor *grid = matrices ? tocha_bmm(cx, places, matrices) : NULL;
  cx->below_autograd = below;
  sizes[0] = size[0];
  memcpy(sizes + 1, size + 2, (size_t)space * sizeof *sizes);
  sizes[space + 1] = space;
  return tocha_reshape(cx, grid, space + 2, sizes);
}

tocha_tensor *tocha_op__affine_grid_backward(tocha_context *cx, tocha_tensor *grad, int count,
                                             const int64_t *size, bool align_corners) {
  int space = count - 2;
  if (!check_space(cx, count)) return NULL;
  bool fits =
      grad->ndim == space + 2 && grad->sizes[0] == size[0] && grad->sizes[space + 1] == space;
  for (int d = 0; fits && d < space; d++) fits = grad->sizes[d + 1] == size[d + 2];
  if (!fits)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "the gradient of a grid has the grid's size");
  tocha_tensor *places = places_of(cx, grad, space, size, align_corners);
  tocha_tensor *flat = tocha_reshape(cx, grad, 3, (const int64_t[]){size[0], -1, space});
  return tocha_transpose(cx, tocha_bmm(cx, tocha_transpose(cx, places, 1, 2), flat), 1, 2);
}

/* --- nn.functional ----------------------------------------------------------------------------- */

static bool check_theta(tocha_context *cx, const tocha_tensor *theta, int space,
                        const int64_t *size) {
  char text[128];
  tocha_text got = {0};
  if (theta->ndim == 3 && theta->sizes[1] == space && theta->sizes[2] == space + 1) return true;
  tocha_text_size(&got, theta->ndim, theta->sizes);
  char *shape = tocha_text_finish(cx, &got);
  if (shape)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "Expected a batch of %dD affine matrices of shape Nx%dx%d for size %s. Got %s.",
               space, space, space + 1, tocha_shape_text(space + 2, size, text, sizeof text),
               shape);
  free(shape);
  return false;
}

static void warn_of_alignment(tocha_context *cx, int space, const int64_t *size,
                              const bool *align_corners) {
  bool unit = false;
  for (int d = 0; d < space; d++) unit = unit || size[d + 2] == 1;
  if (!align_corners)
    tocha_warn(cx,
               "Default grid_sample and affine_grid behavior has changed to align_corners=False "
               "since 1.3.0. Please specify align_corners=True if the old behavior is desired. See "
               "the documentation of grid_sample for details.");
  else if (*align_corners && unit)
    tocha_warn(cx, "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when "
                   "align_corners=True. This is not an intended use case of affine_grid. See the "
                   "documentation of affine_grid for details.");
}

tocha_tensor *tocha_op_affine_grid(tocha_context *cx, tocha_tensor *theta, int count,
                                   const int64_t *size, const bool *align_corners) {
  char text[256];
  int space = count - 2;
  if (!tocha_dtype_is_floating(theta->dtype))
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Expected theta to have floating point type, but got torch.%s",
                      tocha_dtype_name(theta->dtype));
  if (count != 4 && count != 5)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
                      "respectively. Got size %s.",
                      tocha_shape_text(count, size, text, sizeof text));
  if (!check_theta(cx, theta, space, size)) return NULL;
  warn_of_alignment(cx, space, size, align_corners);
  for (int d = 0; d < count; d++)
    if (size[d] <= 0)
      return tocha_fail(cx, TOCHA_VALUE_ERROR, "Expected non-zero, positive output size. Got %s",
                        tocha_shape_text(count, size, text, sizeof text));
  return tocha_affine_grid_generator(cx, theta, count, size, align_corners && *align_corners);
}
