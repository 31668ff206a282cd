/* max.c: the maximum of each window and its index, and the gradient of values taken from
 * indices. */
#include <string.h>

#include "device/devices.h"
#include "ops/pooling/pooling.h"
#include "pooling/implementations.h"
#include "tocha/ops/private/max_pool2d_with_indices.h"
#include "tocha/ops/private/max_pool3d_with_indices.h"
#include "tocha/ops/max_pool3d.h"
#include "tocha/ops/private/gather_backward.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/unsqueeze.h"

/* Computes maxima, and their indices unless `indices` is NULL (only on the CPU). */
static bool max_pool(tocha_context *cx, tocha_tensor *self, int space,
                     const tocha_pool_lists *lists, tocha_tensor **output, tocha_tensor **indices) {
  tocha_pool_args args = {0};
  if (!tocha_read_max_pool(cx, self, space, lists, &args)) return false;
  bool device = tocha_is_on_device(self);
  const char *kernel = space == 2
                           ? (device ? "max_pool2d_with_indices_out_cuda_frame" : "max_pool2d")
                           : (device ? "max_pool3d_with_indices_out_frame" : "max_pool3d");
  *output = tocha_pool(cx, self, space, &args, kernel, TOCHA_POOL_NUMBERS, true, indices);
  return *output != NULL;
}

#define LIST_PARAMETERS                                                                            \
  int kernel_count, const int64_t *kernel, int stride_count, const int64_t *stride,                \
      int padding_count, const int64_t *padding, int dilation_count, const int64_t *dilation
#define LISTS                                                                                      \
  kernel_count, kernel, stride_count, stride, padding_count, padding, dilation_count, dilation

static tocha_pool_lists lists_of(LIST_PARAMETERS, bool ceil_mode) {
  return (tocha_pool_lists){{kernel_count, kernel},
                            {stride_count, stride},
                            {padding_count, padding},
                            {dilation_count, dilation},
                            ceil_mode};
}

bool tocha_op__max_pool_with_indices(tocha_context *cx, tocha_tensor *self, LIST_PARAMETERS,
                                     bool ceil_mode, int space, tocha_tensor **output,
                                     tocha_tensor **indices) {
  tocha_pool_lists lists = lists_of(LISTS, ceil_mode);
  return max_pool(cx, self, space, &lists, output, indices);
}

/* --- one dimension ----------------------------------------------------------------------------- */

static bool is_one(tocha_context *cx, const char *name, int count, const char *what) {
  if (count == 1) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "max_pool1d() %s must be %s of size 1 but got size %d", name,
             what, count);
  return false;
}

/* Fails if max_pool1d's arguments are wrong. alone: called without indices, which has messages of
 * its own. */
static bool check_one_dimension(tocha_context *cx, const tocha_tensor *self, bool alone,
                                LIST_PARAMETERS) {
  char text[256];
  bool empty = (self->ndim >= 2 && self->sizes[self->ndim - 2] == 0) ||
               (self->ndim > 0 && self->sizes[self->ndim - 1] == 0);
  if (self->ndim == 3 && self->sizes[0] == 0 && self->sizes[1] && self->sizes[2]) empty = false;
  if ((self->ndim != 2 && self->ndim != 3) || (alone && empty)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size "
               "for input, but got:%s",
               tocha_pool_sizes(self, text));
    return false;
  }
  (void)kernel, (void)stride, (void)padding, (void)dilation;
  const char *ints = "an int, list of ints or tuple of ints";
  return is_one(cx, "kernel_size", kernel_count, ints) &&
         (stride_count == 0 ||
          is_one(cx, "stride", stride_count, "None, an int, list of ints, or tuple of ints")) &&
         is_one(cx, "padding", padding_count, "an int, list of ints, or tuple of ints") &&
         is_one(cx, "dilation", dilation_count, ints);
}

static bool check_numbers(tocha_context *cx, const tocha_tensor *self, int64_t kernel,
                          int64_t stride, int64_t padding, int64_t dilation, bool ceil_mode) {
  tocha_pool_windows w;
  tocha_pool_lists lists = {{1, &kernel}, {1, &stride}, {1, &padding}, {1, &dilation}, ceil_mode};
  const char *name = kernel <= 0 ? "kernel_size" : stride <= 0 ? "stride" : "dilation";
  long long value = kernel <= 0 ? kernel : stride <= 0 ? stride : dilation;
  bool positive = kernel > 0 && stride > 0;
  if (positive && padding < 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "max_pool1d() padding must be non-negative, but got %lld",
               (long long)padding);
  else if (positive && padding > kernel / 2)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "max_pool1d() padding should be at most half of kernel size, but got padding=%lld "
               "and kernel_size=%lld",
               (long long)padding, (long long)kernel);
  else if (value <= 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "max_pool1d() %s must be greater than zero, but got %lld",
               name, value);
  int64_t covered;
  if (tocha_failed(cx)) return false;
  if (__builtin_mul_overflow(kernel - 1, dilation, &covered) || covered == INT64_MAX) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "effective kernel size overflows, but got kernel_size=%lld and dilation=%lld",
               (long long)kernel, (long long)dilation);
    return false;
  }
  tocha_set_pool_windows(&w, 1, &lists, self->sizes + self->ndim - 1);
  if (w.out[2] > 0) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "max_pool1d() Invalid computed output size: %lld",
             (long long)w.out[2]);
  return false;
}

bool tocha_op_max_pool1d_with_indices(tocha_context *cx, tocha_tensor *self, LIST_PARAMETERS,
                                      bool ceil_mode, tocha_tensor **output,
                                      tocha_tensor **indices) {
  if (!check_one_dimension(cx, self, false, LISTS)) return false;
  int64_t step = stride_count ? *stride : *kernel;
  int64_t k[] = {1, *kernel}, s[] = {1, step}, p[] = {0, *padding}, d[] = {1, *dilation};
  if (!tocha_private_max_pool2d_with_indices_full(cx, tocha_unsqueeze(cx, self, -2), 2, k, 2, s, 2,
                                                  p, 2, d, ceil_mode, output, indices))
    return false;
  *output = tocha_squeeze_dim(cx, *output, -2);
  if (indices) *indices = tocha_squeeze_dim(cx, *indices, -2);
  return *output && (!indices || *indices);
}

/* --- the forms --------------------------------------------------------------------------------- */

/* Returns true if indices are not needed, neither by the caller nor by a gradient. A GPU's kernel
 * computes them in any case. */
static bool values_do(tocha_context *cx, const tocha_tensor *self, tocha_tensor **indices) {
  return !indices && !tocha_is_on_device(self) &&
         !(tocha_grad_enabled(cx) && tocha_requires_grad(self));
}

static bool pool_values(tocha_context *cx, int space, tocha_tensor *self, LIST_PARAMETERS,
                        bool ceil_mode, tocha_tensor **output) {
  if (space > 1) {
    tocha_pool_lists lists = lists_of(LISTS, ceil_mode);
    return max_pool(cx, self, space, &lists, output, NULL);
  }
  int64_t step = stride_count ? *stride : *kernel;
  int64_t k[] = {1, *kernel}, s[] = {1, step}, p[] = {0, *padding}, d[] = {1, *dilation};
  tocha_pool_lists lists = lists_of(2, k, 2, s, 2, p, 2, d, ceil_mode);
  tocha_tensor *plane = tocha_unsqueeze(cx, self, -2);
  if (!plane || !max_pool(cx, plane, 2, &lists, output, NULL)) return false;
  *output = tocha_squeeze_dim(cx, *output, -2);
  return *output != NULL;
}

/* Pools one, two or three dimensions. `indices` is NULL if not needed. */
static bool pool(tocha_context *cx, int space, tocha_tensor *self, LIST_PARAMETERS, bool ceil_mode,
                 tocha_tensor **output, tocha_tensor **indices) {
  if (!kernel) {
    tocha_fail(cx, TOCHA_TYPE_ERROR,
               "max_pool%dd%s(): argument 'kernel_size' (position 2) must be tuple of ints, not "
               "NoneType",
               space, indices ? "_with_indices" : "");
    return false;
  }
  if (space == 1 && !indices &&
      !tocha_dtype_is_floating(self->dtype)) { /* PyTorch has a message of its own for it */
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"max_pool1d_impl\" not implemented for '%s'",
               tocha_dtype_scalar_type(self->dtype));
    return false;
  }
  if (space == 1 && !indices &&
      (!check_one_dimension(cx, self, true, LISTS) ||
       !check_numbers(cx, self, *kernel, stride_count ? *stride : *kernel, *padding, *dilation,
                      ceil_mode)))
    return false;
  if (values_do(cx, self, indices)) return pool_values(cx, space, self, LISTS, ceil_mode, output);
  if (space == 1)
    return tocha_op_max_pool1d_with_indices(cx, self, LISTS, ceil_mode, output, indices);
  return (space == 2 ? tocha_private_max_pool2d_with_indices_full
                     : tocha_private_max_pool3d_with_indices_full)(cx, self, LISTS, ceil_mode,
                                                                   output, indices);
}

tocha_tensor *tocha_op_max_pool(tocha_context *cx, tocha_tensor *self, LIST_PARAMETERS,
                                bool ceil_mode, int space) {
  tocha_tensor *output;
  return pool(cx, space, self, LISTS, ceil_mode, &output, NULL) ? output : NULL;
}

/* Implements nn.functional's form: writes `indices` if return_indices or with_indices is set. */
bool tocha_op_max_pool_functional(tocha_context *cx, tocha_tensor *input, LIST_PARAMETERS,
                                  bool ceil_mode, bool return_indices, int space, bool with_indices,
                                  tocha_tensor **output, tocha_tensor **indices) {
  if (return_indices || with_indices)
    return pool(cx, space, input, LISTS, ceil_mode, output, indices);
  if (space < 3) return pool(cx, space, input, LISTS, ceil_mode, output, NULL);
  *output = tocha_max_pool3d_full(cx, input, LISTS, ceil_mode);
  return *output != NULL;
}

/* --- gradient --------------------------------------------------------------------------------- */

tocha_tensor *tocha_op__max_pool_backward(tocha_context *cx, tocha_tensor *grad_output,
                                          tocha_tensor *indices, int count, const int64_t *sizes,
                                          int64_t space) {
  int64_t plane[TOCHA_MAX_DIMS];
  if (count < 1 || count > TOCHA_MAX_DIMS || space < 1 || space > count)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "_max_pool_backward: %d sizes with %lld dimensions of space", count,
                      (long long)space);
  int last = count - (int)space;
  memcpy(plane, sizes, (size_t)count * sizeof *plane);
  for (int d = last + 1; d < count; d++) plane[last] *= sizes[d];
  tocha_tensor *grad =
      tocha_private_gather_backward(cx, tocha_pool_flat(cx, grad_output, space), last + 1, plane,
                                    -1, tocha_pool_flat(cx, indices, space));
  return tocha_reshape(cx, grad, count, sizes);
}
