/* bias.c: the gradient of a convolution's bias: what its channels bring, added in the order of PyTorch's CPU. */
#include "convolution/implementations.h"
#include "device/devices.h"
#include "ops/convolution/convolution.h"
#include "tensor/copy.h"
#include "tocha/ops/_sum_of_channels.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/reshape.h"

static tocha_tensor *sum(tocha_context *cx, tocha_tensor *t) {
  int64_t dims[TOCHA_MAX_DIMS];
  for (int d = 0; d < t->ndim; d++) dims[d] = d == 0 ? 0 : d + 1;
  return tocha_sum_dim_IntList_full(cx, t, t->ndim - 1, dims, false, TOCHA_NO_DTYPE);
}

tocha_tensor *tocha_op__sum_of_channels(tocha_context *cx, tocha_tensor *self, bool by_images) {
  if (self->ndim != 3)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "_sum_of_channels takes images, channels and places, got %dD", self->ndim);
  if (self->device.type == TOCHA_META) return sum(cx, self);
  tocha_stream *stream = tocha_stream_of(cx, self->device);
  if (!stream) return NULL;
  const tocha_convolution_kernels *kernels = stream->kernels->convolution;
  if (!kernels->sum_channels || self->dtype != TOCHA_FLOAT32) return sum(cx, self);
  self = tocha_as_rows(cx, self, TOCHA_FLOAT32);
  if (!self) return NULL;
  tocha_tensor *out = tocha_new(cx, 1, self->sizes + 1, TOCHA_FLOAT32, self->device);
  if (!out) return NULL;
  tocha_channel_sums args = {(const float *)tocha_bytes(self),
                             (float *)tocha_bytes(out),
                             self->sizes[0],
                             self->sizes[1],
                             self->sizes[2],
                             by_images};
  return tocha_launched(cx, kernels->sum_channels(stream, &args)) ? out : NULL;
}

/* Returns true if the padding that led to the sizes of `out` is wider than the kernel less one in some dimension. oneDNN does
 * not take such convolutions. PyTorch sums their gradients itself, without loss of digits however many positions there are. */
static bool pads_widely(const tocha_convolution_call *c, const tocha_tensor *out,
                        const tocha_tensor *input, const tocha_tensor *weight) {
  for (int d = 2; d < out->ndim && !c->transposed; d++) {
    int i = 3 - c->space + d - 2;
    int64_t reach = c->dilation[i] * (weight->sizes[d] - 1);
    int64_t twice = (out->sizes[d] - 1) * c->stride[i] + reach + 1 - input->sizes[d];
    if (twice > 2 * reach) return true;
  }
  return false;
}

tocha_tensor *tocha_op__convolution_backward_bias(tocha_context *cx, tocha_tensor *grad_output,
                                                  tocha_tensor *input, tocha_tensor *weight,
                                                  int stride_count, const int64_t *stride,
                                                  int dilation_count, const int64_t *dilation,
                                                  bool transposed, int64_t groups) {
  static const int64_t none = 0;
  enum { FEW = 3 }; /* such images oneDNN leaves in their layout */
  tocha_convolution_call c;
  int n = grad_output->ndim;
  if (n < 3 || n > 5 || input->ndim != n || weight->ndim != n)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "a convolution's gradient, input and weight are 3D to 5D, got %dD, %dD, %dD",
                      n, input->ndim, weight->ndim);
  if (!tocha_read_convolution(cx, &c, n - 2, (tocha_ints){stride_count, stride},
                              (tocha_ints){1, &none}, (tocha_ints){dilation_count, dilation},
                              transposed, (tocha_ints){1, &none}, groups))
    return NULL;
  bool in_order = grad_output->device.type == TOCHA_CPU && grad_output->dtype == TOCHA_FLOAT32 &&
                  tocha_is_librarys_convolution(&c, input->sizes, weight->sizes) &&
                  !pads_widely(&c, grad_output, input, weight);
  if (!in_order) return sum(cx, grad_output);
  int64_t sizes[3] = {grad_output->sizes[0], grad_output->sizes[1], 1};
  for (int d = 2; d < n; d++) sizes[2] *= grad_output->sizes[d];
  bool few = transposed && groups == 1 && sizes[1] <= FEW;
  return tocha__sum_of_channels_full(cx, tocha_reshape(cx, grad_output, 3, sizes), few);
}
