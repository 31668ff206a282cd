/* unpool.c: puts values back at the indices that max_pool took them from. */
#include <stdio.h>
#include <string.h>

#include "device/devices.h"
#include "ops/pooling/pooling.h"
#include "pooling/implementations.h"
#include "tensor/geometry.h"
#include "tensor/copy.h"
#include "tocha/ops/private/max_unpool2d.h"
#include "tocha/ops/private/max_unpool3d.h"
#include "tocha/ops/gather.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/scatter.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/zeros.h"

/* --- values to places -------------------------------------------------------------------------- */

static bool check_operands(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *indices,
                           int space) {
  char text[256], other[256];
  if (indices->dtype != TOCHA_INT64) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "elements in indices should be type int64 but got: %s",
               tocha_dtype_scalar_type(indices->dtype));
  } else if (self->ndim != space + 1 && self->ndim != space + 2) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Input to max_unpooling%dd should be a %dd or %dd Tensor, but got a tensor with %d "
               "dimensions.",
               space, space + 1, space + 2, self->ndim);
  } else if (self->ndim != indices->ndim ||
             memcmp(self->sizes, indices->sizes, (size_t)self->ndim * sizeof *self->sizes) != 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected shape of indices to be same as that of the input tensor (%s) but got "
               "indices tensor with shape: %s",
               tocha_pool_sizes(self, text), tocha_pool_sizes(indices, other));
  } else if (!tocha_dtype_is_floating(self->dtype)) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"max_unpool%dd\" not implemented for '%s'", space,
               tocha_dtype_scalar_type(self->dtype));
  }
  for (int d = 1; d < self->ndim && !tocha_failed(cx); d++)
    if (self->sizes[d] == 0)
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "max_unpooling%dd_forward_out_cpu(): Expected input to have non-zero size for "
                 "non-batch dimensions, but input has sizes %s with dimension %d being empty",
                 space, tocha_pool_sizes(self, text), d);
  return !tocha_failed(cx);
}

/* Fails if an index is outside the volume. On a GPU scatter makes this check. */
static bool check_places(tocha_context *cx, tocha_tensor *indices, int space,
                         const int64_t *volume) {
  int64_t places = 1;
  if (indices->device.type != TOCHA_CPU) return true;
  tocha_tensor *rows = tocha_as_rows(cx, indices, TOCHA_NO_DTYPE);
  if (!rows) return false;
  for (int d = 0; d < space; d++) places *= volume[d];
  const int64_t *at = (const int64_t *)(void *)tocha_bytes(rows);
  for (int64_t i = 0; i < rows->numel; i++) {
    if (at[i] >= 0 && at[i] < places) continue;
    char text[96];
    int end = 0;
    for (int d = 0; d < space; d++)
      end += snprintf(text + end, sizeof text - (size_t)end, "%s%lld", d ? "x" : "",
                      (long long)volume[d]);
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Found an invalid max index: %lld (output volumes are of size %s)", (long long)at[i],
               text);
    return false;
  }
  return true;
}

static tocha_tensor *unpool(tocha_context *cx, tocha_tensor *self, tocha_tensor *indices, int space,
                            const int64_t *volume) {
  int64_t sizes[TOCHA_MAX_DIMS];
  if (!check_operands(cx, self, indices, space) || !check_places(cx, indices, space, volume))
    return NULL;
  tocha_pooled_sizes(self, space, volume, sizes);
  tocha_tensor *zeros = tocha_zeros_full(cx, self->ndim, sizes, self->dtype, self->device, false);
  if (!zeros) return NULL;
  tocha_tensor *out =
      tocha_scatter(cx, tocha_pool_flat(cx, zeros, space), -1, tocha_pool_flat(cx, indices, space),
                    tocha_pool_flat(cx, self, space));
  return tocha_reshape(cx, out, self->ndim, sizes);
}

tocha_tensor *tocha_op__max_unpool(tocha_context *cx, tocha_tensor *self, tocha_tensor *indices,
                                   int count, const int64_t *volume, int space) {
  (void)count;
  tocha_tensor *out = unpool(cx, self, indices, space, volume);
  return space == 2 ? tocha_in_format_of(cx, out, self) : out;
}

tocha_tensor *tocha_op__values_at(tocha_context *cx, tocha_tensor *self, tocha_tensor *indices,
                                  int64_t space) {
  tocha_tensor *values =
      tocha_gather(cx, tocha_pool_flat(cx, self, space), -1, tocha_pool_flat(cx, indices, space));
  return tocha_reshape(cx, values, indices->ndim, indices->sizes);
}

/* --- the forms --------------------------------------------------------------------------------- */

static int64_t at(tocha_pool_list list, int d) { return list.values[list.count == 1 ? 0 : d]; }

/* Reads the sizes of the result: those asked for, if possible, else the smallest that max_pool may
 * have had. */
static bool read_volume(tocha_context *cx, const tocha_tensor *input, int space,
                        const tocha_pool_lists *l, tocha_pool_list asked, int64_t volume[3]) {
  char text[256];
  const tocha_pool_list stride = l->stride.count ? l->stride : l->kernel;
  if (asked.count == space + 2) asked = (tocha_pool_list){space, asked.values + 2};
  if (asked.count && asked.count != space) {
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "output_size should be a sequence containing %d or %d elements, but it has a length "
               "of '%d'",
               space, space + 2, asked.count);
    return false;
  }
  if (!tocha_fits_int(cx, stride.count, stride.values) ||
      !tocha_fits_int(cx, l->kernel.count, l->kernel.values) ||
      !tocha_fits_int(cx, l->padding.count, l->padding.values))
    return false;
  for (int d = 0; d < space; d++) {
    int64_t step = at(stride, d), in = input->sizes[input->ndim - space + d];
    int64_t size = (in - 1) * step + at(l->kernel, d) - 2 * at(l->padding, d);
    volume[d] = asked.count ? asked.values[d] : size;
    if (volume[d] > size - step && volume[d] < size + step) continue;
    if (!asked.count) continue;
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "invalid output_size \"%s\" (dim %d must be between %lld and %lld)",
               tocha_shape_text(asked.count, asked.values, text, sizeof text), d,
               (long long)(size - step), (long long)(size + step));
    return false;
  }
  return true;
}

static bool check_lists(tocha_context *cx, const tocha_tensor *input, int space,
                        const tocha_pool_lists *l) {
  if (!l->kernel.count && input->ndim >= space) {
    tocha_fail(cx, TOCHA_TYPE_ERROR, "unsupported operand type(s) for %c: 'int' and 'NoneType'",
               l->stride.count ? '+' : '*');
    return false;
  }
  bool fits = (l->kernel.count == 1 || l->kernel.count == space) && l->stride.count <= space &&
              (l->padding.count == 1 || l->padding.count == space) && input->ndim >= space;
  if (!fits) tocha_fail(cx, TOCHA_INDEX_ERROR, "tuple index out of range");
  return fits;
}

#define LIST_PARAMETERS                                                                            \
  int kernel_count, const int64_t *kernel, int stride_count, const int64_t *stride,                \
      int padding_count, const int64_t *padding, int size_count, const int64_t *size

static bool read(tocha_context *cx, const tocha_tensor *input, int space, LIST_PARAMETERS,
                 int64_t volume[3]) {
  tocha_pool_lists l = {
      {kernel_count, kernel}, {stride_count, stride}, {padding_count, padding}, {0, NULL}, false};
  return check_lists(cx, input, space, &l) &&
         read_volume(cx, input, space, &l, (tocha_pool_list){size_count, size}, volume);
}

#define LISTS kernel_count, kernel, stride_count, stride, padding_count, padding, size_count, size

tocha_tensor *tocha_op_max_unpool1d(tocha_context *cx, tocha_tensor *input, tocha_tensor *indices,
                                    LIST_PARAMETERS) {
  int64_t volume[3] = {1, 1, 1};
  if (!read(cx, input, 1, LISTS, volume)) return NULL;
  return tocha_squeeze_dim(cx,
                           tocha_private_max_unpool2d(cx, tocha_unsqueeze(cx, input, -1),
                                                      tocha_unsqueeze(cx, indices, -1), 2, volume),
                           -1);
}

tocha_tensor *tocha_op_max_unpool2d(tocha_context *cx, tocha_tensor *input, tocha_tensor *indices,
                                    LIST_PARAMETERS) {
  int64_t volume[3];
  if (!read(cx, input, 2, LISTS, volume)) return NULL;
  return tocha_private_max_unpool2d(cx, input, indices, 2, volume);
}

tocha_tensor *tocha_op_max_unpool3d(tocha_context *cx, tocha_tensor *input, tocha_tensor *indices,
                                    LIST_PARAMETERS) {
  int64_t volume[3];
  if (!read(cx, input, 3, LISTS, volume)) return NULL;
  for (int d = 0; d < stride_count; d++)
    if (stride[d] <= 0) {
      int64_t all[3] = {stride[0], stride[stride_count > 1], stride[stride_count > 2 ? 2 : 0]};
      char text[128];
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "strides should be greater than zero, but got stride: %s",
                        tocha_shape_text(3, all, text, sizeof text));
    }
  return tocha_private_max_unpool3d(cx, input, indices, 3, volume);
}
