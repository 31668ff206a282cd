/* order.c: the choice of order.h. oneDNN and a product with columns add in different orders, so PyTorch's digits need PyTorch's
 * choice between them. The choice also suits speed: oneDNN takes two to three times as long for one small image. */
#include "ops/convolution/cpu/digits/order.h"

#include "ops/convolution/cpu/digits/strided.h"

enum { VECTOR = 16 }; /* channels that the kernels process at a time */

/* Returns true if PyTorch's CPU has oneDNN compute this convolution of float32, with its gradients. */
static bool is_onednns(const tocha_convolution_args *args) {
  enum { MANY_IMAGES = 16, WIDE = 3, LARGE = 20480 };
  const tocha_windows *w = &args->windows;
  const int64_t *space = args->transposed ? w->out : w->in;
  int first = 3 - args->space; /* the last of three dimensions of space is left out */
  int64_t size = args->images * (args->transposed ? args->out_channels : args->in_channels) *
                 space[first] * (args->space > 1 ? space[first + 1] : 1);
  bool steps = false;
  for (int d = first; d < 3; d++) steps |= w->stride[d] != 1 || w->dilation[d] != 1;
  bool is_point = w->kernel[2] == 1 && w->kernel[1] == 1;
  if (is_point && !steps && args->images < MANY_IMAGES) return false;
  return args->groups > 1 || (w->kernel[2] > WIDE && w->kernel[1] > WIDE) || args->images > 1 ||
         size > LARGE;
}

/* Returns true if the padding that led to the sizes of the result is wider than the kernel less one in some dimension. oneDNN does
 * not take such convolutions. PyTorch sums their gradients itself, without loss of digits however many positions there are. */
static bool pads_widely(const tocha_convolution_args *args) {
  const tocha_windows *w = &args->windows;
  for (int d = 3 - args->space; d < 3 && !args->transposed; d++) {
    int64_t reach = w->dilation[d] * (w->kernel[d] - 1);
    int64_t twice = (w->out[d] - 1) * w->stride[d] + reach + 1 - w->in[d];
    if (twice > 2 * reach) return true;
  }
  return false;
}

tocha_convolution_way tocha_choose_convolution(const tocha_context *cx,
                                               const tocha_convolution_args *args) {
  bool fast = cx->digits == TOCHA_DIGITS_FAST;
  if (args->dtype != TOCHA_FLOAT32 || !is_onednns(args)) return TOCHA_CONVOLUTION_BY_OPERATORS;
  if (args->task == TOCHA_CONVOLVE_BACK_BIAS)
    return fast || pads_widely(args) ? TOCHA_CONVOLUTION_BY_OPERATORS
                                     : TOCHA_CONVOLUTION_BY_CHANNELS;
  return !fast && tocha_strided_takes_convolution(cx, args) ? TOCHA_CONVOLUTION_BY_STRIDES
                                                            : TOCHA_CONVOLUTION_BY_ONEDNN;
}

/* Returns true if oneDNN's kernel for inference adds up this piece in the same order as its other kernels: with fewer channels
 * than a vector has, and at most half of a window in the padding. */
static bool adds_alike(const tocha_convolution_shape *piece) {
  const tocha_windows *w = &piece->windows;
  for (int d = 0; d < 3; d++) {
    int64_t reach = w->dilation[d] * (w->kernel[d] - 1);
    if (2 * w->padding[d] > reach || reach >= w->in[d]) return false;
  }
  return piece->in_channels < VECTOR;
}

bool tocha_convolves_channels_last(const tocha_context *cx, const tocha_convolution_shape *piece) {
  const int64_t *k = piece->windows.kernel;
  bool fills = piece->in_channels % VECTOR == 0 || piece->out_channels % VECTOR == 0;
  if (piece->task != TOCHA_CONVOLVE || piece->groups > 1 || fills || k[0] * k[1] * k[2] == 1)
    return false;
  return cx->digits == TOCHA_DIGITS_FAST || adds_alike(piece);
}
