/* bias_grad.c: the gradient of a convolution's bias, an operator with a gradient of its own. */
#include "convolution/implementations.h"
#include "dispatch/call.h"
#include "ops/convolution/convolution.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/view.h"

tocha_tensor *tocha_op__convolution_bias_grad(tocha_context *cx, tocha_tensor *grad_output,
                                              tocha_tensor *input, tocha_tensor *weight,
                                              int stride_count, const int64_t *stride,
                                              int dilation_count, const int64_t *dilation,
                                              bool transposed, int64_t groups) {
  static const int64_t none = 0;
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
  return tocha_convolve_back_bias(cx, &c, grad_output, input, weight);
}

/* Expands the gradient of each channel to all elements of the channel. */
bool tocha_grad_convolution_bias_grad(tocha_backward_frame *f) {
  const tocha_tensor *grad_output = f->args[0].tensor;
  if (!f->grads[0]) return true;
  int64_t channels[5] = {1, grad_output->sizes[1], 1, 1, 1};
  tocha_tensor *spread = tocha_view(f->cx, f->grads[0], grad_output->ndim, channels);
  f->out[0] = tocha_expand(f->cx, spread, grad_output->ndim, grad_output->sizes);
  return f->out[0] != NULL;
}
