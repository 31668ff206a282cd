/* neighbours.c: norms of neighbouring channels and of differences of rows, made of operators. */
#include "device/devices.h"
#include "normalization/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/add.h"
#include "tocha/ops/avg_pool2d.h"
#include "tocha/ops/avg_pool3d.h"
#include "tocha/ops/div.h"
#include "tocha/ops/index_select.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/norm.h"
#include "tocha/ops/pad.h"
#include "tocha/ops/pow.h"
#include "tocha/ops/select.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/triu_indices.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/view.h"

/* --- local_response_norm ----------------------------------------------------------------------- */

/* The means of `size` channels around each, what lies outside counting as 0. */
static tocha_tensor *channel_means(tocha_context *cx, tocha_tensor *t, int64_t size) {
  const int64_t one = 1, none = 0, before = size / 2, after = (size - 1) / 2;
  if (t->ndim == 3) {
    const int64_t pad[] = {0, 0, before, after}, window[] = {size, 1};
    t = tocha_pad(cx, tocha_unsqueeze(cx, t, 1), 4, pad, "constant", NULL);
    t = tocha_avg_pool2d(cx, t, 2, window, 1, &one, 1, &none, false, true, NULL);
    return tocha_squeeze_dim(cx, t, 1);
  }
  const int64_t *sizes = t->sizes, pad[] = {0, 0, 0, 0, before, after}, window[] = {size, 1, 1};
  int64_t rest = t->numel / (sizes[0] * sizes[1] * sizes[2]);
  const int64_t volume[] = {sizes[0], 1, sizes[1], sizes[2], rest};
  tocha_tensor *means = tocha_pad(cx, tocha_view(cx, t, 5, volume), 6, pad, "constant", NULL);
  means = tocha_avg_pool3d(cx, means, 3, window, 1, &one, 1, &none, false, true, NULL);
  return tocha_view(cx, means, t->ndim, sizes);
}

tocha_tensor *tocha_op_local_response_norm(tocha_context *cx, tocha_tensor *input, int64_t size,
                                           double alpha, double beta, double k) {
  if (input->ndim < 3)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Expected 3D or higher dimensionality                          input (got %d "
                      "dimensions)",
                      input->ndim);
  if (input->numel == 0) return input;
  tocha_tensor *squares = tocha_mul(cx, input, input);
  tocha_tensor *divisor = squares ? channel_means(cx, squares, size) : NULL;
  divisor = tocha_mul_full(cx, divisor, tocha_number(tocha_float(alpha)));
  divisor = tocha_add_full(cx, divisor, tocha_number(tocha_float(k)), tocha_int(1));
  return tocha_div(cx, input, tocha_pow_scalar(cx, divisor, tocha_float(beta)));
}

/* --- pdist ------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_pdist(tocha_context *cx, tocha_tensor *input, double p) {
  const int64_t columns = 1;
  const tocha_scalar ord = tocha_float(p);
  bool half = tocha_dtype_size(input->dtype) == 2;
  if (input->ndim != 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "pdist only supports 2D tensors, got: %dD",
                      input->ndim);
  if (!tocha_dtype_is_floating(input->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "pdist only supports floating-point dtypes");
  if (!(p >= 0))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "pdist only supports non-negative p values");
  if (half && input->sizes[0] > 1 && input->sizes[1] > 0)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s\" not implemented for '%s'",
                      tocha_is_on_device(input) ? "pdist_cuda" : "pdist",
                      tocha_dtype_scalar_type(input->dtype));
  tocha_tensor *pairs = tocha_triu_indices_full(cx, input->sizes[0], input->sizes[0], 1,
                                                TOCHA_INT64, input->device, false);
  tocha_tensor *first = tocha_index_select(cx, input, 0, tocha_select(cx, pairs, 0, 0));
  tocha_tensor *second = tocha_index_select(cx, input, 0, tocha_select(cx, pairs, 0, 1));
  tocha_tensor *differences = tocha_sub(cx, first, second);
  if (input->sizes[1] == 0)
    return tocha_sum_dim_IntList_full(cx, differences, 1, &columns, false, TOCHA_NO_DTYPE);
  return tocha_norm_linalg_full(cx, differences, &ord, 1, &columns, false, TOCHA_NO_DTYPE);
}
