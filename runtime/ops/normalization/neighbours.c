/* neighbours.c: local_response_norm, which normalizes by neighbouring channels, composed of operators. */
#include "normalization/implementations.h"
#include "tocha/ops/add.h"
#include "tocha/ops/avg_pool2d.h"
#include "tocha/ops/avg_pool3d.h"
#include "tocha/ops/div.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/pad.h"
#include "tocha/ops/pow.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/view.h"

/* Returns the means of `size` channels around each channel of t (N, C, ...). Channels outside count as 0. */
static tocha_tensor *channel_means(tocha_context *cx, tocha_tensor *t, int64_t size) {
  const int64_t one = 1, none = 0, before = size / 2, after = (size - (size > INT64_MIN)) / 2;
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
