/* average.c: the average of each window, and norms composed of it. */
#include <math.h>

#include "core/text.h"
#include "device/devices.h"
#include "ops/pooling/pooling.h"
#include "pooling/implementations.h"
#include "tocha/ops/abs.h"
#include "tocha/ops/avg_pool1d.h"
#include "tocha/ops/avg_pool2d.h"
#include "tocha/ops/avg_pool3d.h"
#include "tocha/ops/max_pool1d.h"
#include "tocha/ops/max_pool2d.h"
#include "tocha/ops/max_pool3d.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/pow.h"
#include "tocha/ops/relu.h"
#include "tocha/ops/sign.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/unsqueeze.h"

#define LIST_PARAMETERS                                                                            \
  int kernel_count, const int64_t *kernel, int stride_count, const int64_t *stride,                \
      int padding_count, const int64_t *padding
#define LISTS kernel_count, kernel, stride_count, stride, padding_count, padding

static tocha_pool_lists lists_of(LIST_PARAMETERS, bool ceil_mode) {
  return (tocha_pool_lists){{kernel_count, kernel},
                            {stride_count, stride},
                            {padding_count, padding},
                            {0, NULL},
                            ceil_mode};
}

static tocha_tensor *average(tocha_context *cx, tocha_tensor *self, int space,
                             const tocha_pool_lists *lists, bool count_include_pad,
                             const int64_t *divisor) {
  tocha_pool_args args = {.divisor = divisor ? *divisor : 0,
                          .count_include_pad = count_include_pad};
  if (!tocha_read_average_pool(cx, self, space, lists, divisor, &args)) return NULL;
  const char *kernel = tocha_is_on_device(self)
                           ? (space == 2 ? "avg_pool2d_out_cuda_frame" : "avg_pool3d_out_cuda")
                       : space == 2 ? "avg_pool2d"
                                    : "avg_pool3d_out_frame";
  return tocha_pool(cx, self, space, &args, kernel, space == 2 ? TOCHA_POOL_LONG : TOCHA_POOL_WIDE,
                    false, NULL);
}

static tocha_tensor *backward(tocha_context *cx, tocha_tensor *grad, int count,
                              const int64_t *sizes, int space, const tocha_pool_lists *lists,
                              bool count_include_pad, const int64_t *divisor) {
  tocha_pool_args args = {.divisor = divisor ? *divisor : 0,
                          .count_include_pad = count_include_pad};
  return tocha_read_pool_backward(cx, grad, count, sizes, space, lists, &args)
             ? tocha_pool_backward(cx, grad, count, sizes, &args)
             : NULL;
}

tocha_tensor *tocha_op_avg_pool(tocha_context *cx, tocha_tensor *input, LIST_PARAMETERS,
                                bool ceil_mode, bool count_include_pad, const int64_t *divisor,
                                int space) {
  tocha_pool_lists lists = lists_of(LISTS, ceil_mode);
  return average(cx, input, space, &lists, count_include_pad, divisor);
}

tocha_tensor *tocha_op__avg_pool_backward(tocha_context *cx, tocha_tensor *grad_output, int count,
                                          const int64_t *sizes, LIST_PARAMETERS, bool ceil_mode,
                                          bool count_include_pad, const int64_t *divisor,
                                          int space) {
  tocha_pool_lists lists = lists_of(LISTS, ceil_mode);
  return backward(cx, grad_output, count, sizes, space, &lists, count_include_pad, divisor);
}

/* --- one dimension ----------------------------------------------------------------------------- */

static bool is_one(tocha_context *cx, const char *name, int count) {
  if (count == 1) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "avg_pool1d() argument '%s' should contain one int (got %d)",
             name, count);
  return false;
}

tocha_tensor *tocha_op_avg_pool1d(tocha_context *cx, tocha_tensor *self, LIST_PARAMETERS,
                                  bool ceil_mode, bool count_include_pad) {
  if (self->ndim != 2 && self->ndim != 3)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Expected 2 to 3 dimensions, but got %d-dimensional tensor for argument #1 "
                      "'self' (while checking arguments for avg_pool1d)",
                      self->ndim);
  if (!is_one(cx, "kernel_size", kernel_count) ||
      (stride_count && !is_one(cx, "stride", stride_count)) ||
      !is_one(cx, "padding", padding_count))
    return NULL;
  int64_t k[] = {1, *kernel}, s[] = {1, stride_count ? *stride : *kernel}, p[] = {0, *padding};
  tocha_tensor *out = tocha_avg_pool2d_full(cx, tocha_unsqueeze(cx, self, -2), 2, k, 2, s, 2, p,
                                            ceil_mode, count_include_pad, NULL);
  return tocha_squeeze_dim(cx, out, -2);
}

/* --- norms ------------------------------------------------------------------------------------- */

typedef tocha_tensor *max_form(tocha_context *cx, tocha_tensor *self, int kernel_count,
                               const int64_t *kernel, int stride_count, const int64_t *stride,
                               int padding_count, const int64_t *padding, int dilation_count,
                               const int64_t *dilation, bool ceil_mode);

static tocha_tensor *maximum(tocha_context *cx, tocha_tensor *input, int space,
                             const tocha_pool_lists *l) {
  static max_form *const forms[] = {tocha_max_pool1d_full, tocha_max_pool2d_full,
                                    tocha_max_pool3d_full};
  int64_t zero = 0, one = 1;
  return forms[space - 1](cx, input, l->kernel.count, l->kernel.values, l->stride.count,
                          l->stride.values, 1, &zero, 1, &one, l->ceil_mode);
}

static tocha_tensor *averages(tocha_context *cx, tocha_tensor *input, int space,
                              const tocha_pool_lists *l) {
  int64_t zero = 0;
  if (space == 1)
    return tocha_avg_pool1d_full(cx, input, l->kernel.count, l->kernel.values, l->stride.count,
                                 l->stride.values, 1, &zero, l->ceil_mode, true);
  return (space == 2 ? tocha_avg_pool2d_full : tocha_avg_pool3d_full)(
      cx, input, l->kernel.count, l->kernel.values, l->stride.count, l->stride.values, 1, &zero,
      l->ceil_mode, true, NULL);
}

/* Fails if kernel_size is nil, in the words of the pooling operator that lp_pool calls. */
static bool is_given(tocha_context *cx, int space, const tocha_pool_lists *l, const char *name) {
  if (l->kernel.count) return true;
  tocha_fail(cx, TOCHA_TYPE_ERROR,
             "%s%dd(): argument 'kernel_size' (position 2) must be tuple of ints, not NoneType",
             name, space);
  return false;
}

static tocha_tensor *norms(tocha_context *cx, tocha_tensor *input, tocha_scalar order, int space,
                           const tocha_pool_lists *lists) {
  char text[32];
  double norm_type = tocha_scalar_real(order);
  if (norm_type == 0)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "norm_type must be a non-zero value, but got %s",
                      tocha_format_scalar(order, text));
  tocha_tensor *powers =
      isinf(norm_type) ? input : tocha_pow_scalar(cx, input, tocha_float(norm_type));
  if (!powers || !is_given(cx, space, lists, isinf(norm_type) ? "max_pool" : "avg_pool"))
    return NULL;
  if (norm_type == (double)INFINITY) return maximum(cx, tocha_abs(cx, input), space, lists);
  if (norm_type == -(double)INFINITY)
    return tocha_neg(cx, maximum(cx, tocha_neg(cx, tocha_abs(cx, input)), space, lists));
  tocha_tensor *out = averages(cx, powers, space, lists);
  if (!out) return NULL;
  int64_t places = 1; /* no overflow: the average above has checked the kernel */
  for (int d = 0; d < space; d++) places *= lists->kernel.values[lists->kernel.count == 1 ? 0 : d];
  out = tocha_mul(cx, tocha_sign(cx, out), tocha_relu(cx, tocha_abs(cx, out)));
  return tocha_pow_scalar(cx, tocha_mul_number(cx, tocha_int(places), out),
                          tocha_float(1 / norm_type));
}

tocha_tensor *tocha_op_lp_pool(tocha_context *cx, tocha_tensor *input, tocha_scalar norm_type,
                               int kernel_count, const int64_t *kernel, int stride_count,
                               const int64_t *stride, bool ceil_mode, int space) {
  tocha_pool_lists lists = lists_of(kernel_count, kernel, stride_count, stride, 0, NULL, ceil_mode);
  return norms(cx, input, norm_type, space, &lists);
}
