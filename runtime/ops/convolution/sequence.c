/* sequence.c: conv_tbc, convolution over sequences (T, B, C). */
#include "convolution/implementations.h"
#include "core/internal.h"
#include "tocha/ops/conv1d.h"
#include "tocha/ops/permute.h"
#include "tocha/ops/view.h"

static bool check_shapes(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *weight,
                         const tocha_tensor *bias) {
  if (self->ndim != 3)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Input must have 3 dims: time, batch, in_channel");
  else if (weight->ndim != 3)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.");
  else if (bias->ndim != 1)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Bias must be 1-D");
  else if (self->sizes[2] != weight->sizes[1])
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Input dim 2 (input channels) is not == dim 1 in the weight tensor");
  else if (weight->sizes[2] != bias->sizes[0])
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Bias size must equal dim 2 in the weight tensor (output channels).");
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op_conv_tbc(tocha_context *cx, tocha_tensor *self, tocha_tensor *weight,
                                tocha_tensor *bias, int64_t pad) {
  const int64_t one = 1, images[] = {1, 2, 0}, kernels[] = {2, 1, 0}, times[] = {2, 0, 1};
  const int64_t flat[] = {-1, self->ndim ? self->sizes[self->ndim - 1] : 1};
  if (!check_shapes(cx, self, weight, bias)) return NULL;
  if (self->numel && !tocha_view(cx, self, 2, flat))
    return NULL; /* fails if the strides allow no such view, as PyTorch does */
  tocha_tensor *out =
      tocha_conv1d(cx, tocha_permute(cx, self, 3, images), tocha_permute(cx, weight, 3, kernels),
                   bias, 1, &one, 1, &pad, 1, &one, 1);
  return tocha_permute(cx, out, 3, times);
}
