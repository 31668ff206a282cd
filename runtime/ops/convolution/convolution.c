/* convolution.c: convolution with its gradients, and conv1d ... conv_transpose3d, which call it. */
#include "ops/convolution/convolution.h"

#include <string.h>

#include "convolution/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/constant_pad_nd.h"
#include "tocha/ops/convolution.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/unsqueeze.h"

/* --- channels last ---------------------------------------------------------------------------------------- */

/* Returns the result with its channels last if the input or the weight has them so. */
static tocha_tensor *in_format(tocha_context *cx, tocha_tensor *out, const tocha_tensor *input,
                               const tocha_tensor *weight) {
  return tocha_in_format_of(cx, out, tocha_is_channels_last(input) ? input : weight);
}

/* --- the operator and its gradients ----------------------------------------------------------------------- */

tocha_tensor *tocha_op_convolution(tocha_context *cx, tocha_tensor *input, tocha_tensor *weight,
                                   tocha_tensor *bias, int stride_count, const int64_t *stride,
                                   int padding_count, const int64_t *padding, int dilation_count,
                                   const int64_t *dilation, bool transposed,
                                   int output_padding_count, const int64_t *output_padding,
                                   int64_t groups) {
  tocha_convolution_call c;
  int64_t sizes[TOCHA_MAX_DIMS];
  if (!tocha_read_convolution(cx, &c, weight->ndim - 2, (tocha_ints){stride_count, stride},
                              (tocha_ints){padding_count, padding},
                              (tocha_ints){dilation_count, dilation}, transposed,
                              (tocha_ints){output_padding_count, output_padding}, groups) ||
      !tocha_check_convolution(cx, &c, input, weight, bias, sizes))
    return NULL;
  tocha_convolution_task task = transposed ? TOCHA_CONVOLVE_BACK_INPUT : TOCHA_CONVOLVE;
  return in_format(cx, tocha_convolve(cx, &c, task, input, weight, bias, sizes), input, weight);
}

/* Reads the parameters for both gradients. Both ignore output_padding, because the sizes of the result are given. */
static bool read_again(tocha_context *cx, tocha_convolution_call *c, const tocha_tensor *grad,
                       tocha_ints stride, tocha_ints padding, tocha_ints dilation, bool transposed,
                       int64_t groups) {
  static const int64_t none = 0;
  return tocha_read_convolution(cx, c, grad->ndim - 2, stride, padding, dilation, transposed,
                                (tocha_ints){1, &none}, groups);
}

tocha_tensor *tocha_op__convolution_backward_input(
    tocha_context *cx, tocha_tensor *grad_output, tocha_tensor *weight, int size_count,
    const int64_t *sizes, int stride_count, const int64_t *stride, int padding_count,
    const int64_t *padding, int dilation_count, const int64_t *dilation, bool transposed,
    int output_padding_count, const int64_t *output_padding, int64_t groups) {
  tocha_convolution_call c;
  (void)size_count, (void)output_padding_count, (void)output_padding;
  if (!read_again(cx, &c, grad_output, (tocha_ints){stride_count, stride},
                  (tocha_ints){padding_count, padding}, (tocha_ints){dilation_count, dilation},
                  transposed, groups))
    return NULL;
  return tocha_convolve(cx, &c, transposed ? TOCHA_CONVOLVE : TOCHA_CONVOLVE_BACK_INPUT,
                        grad_output, weight, NULL, sizes);
}

tocha_tensor *tocha_op__convolution_backward_weight(
    tocha_context *cx, tocha_tensor *grad_output, tocha_tensor *input, int size_count,
    const int64_t *sizes, int stride_count, const int64_t *stride, int padding_count,
    const int64_t *padding, int dilation_count, const int64_t *dilation, bool transposed,
    int output_padding_count, const int64_t *output_padding, int64_t groups) {
  tocha_convolution_call c;
  (void)size_count, (void)output_padding_count, (void)output_padding;
  if (!read_again(cx, &c, grad_output, (tocha_ints){stride_count, stride},
                  (tocha_ints){padding_count, padding}, (tocha_ints){dilation_count, dilation},
                  transposed, groups))
    return NULL;
  return tocha_convolve(cx, &c, TOCHA_CONVOLVE_BACK_WEIGHT, transposed ? input : grad_output,
                        transposed ? grad_output : input, NULL, sizes);
}

/* --- conv1d ... conv3d ------------------------------------------------------------------------------------ */

/* Returns the input, or a batch of one if it is an image without a batch. Fails if it is neither. */
static tocha_tensor *as_batch(tocha_context *cx, tocha_tensor *input, int space, const char *name) {
  char text[256];
  if (input->ndim == space + 2) return input;
  if (input->ndim == space + 1) return tocha_unsqueeze(cx, input, 0);
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "Expected %dD (unbatched) or %dD (batched) input to %s, but got input of size: "
                    "%s",
                    space + 1, space + 2, name,
                    tocha_shape_text(input->ndim, input->sizes, text, sizeof text));
}

static tocha_tensor *unbatched(tocha_context *cx, tocha_tensor *out, const tocha_tensor *input,
                               int space) {
  return out && input->ndim == space + 1 ? tocha_squeeze_dim(cx, out, 0) : out;
}

typedef struct request {
  const char *name;
  int space;
  tocha_ints stride, padding, dilation, output_padding;
  bool transposed;
  int64_t groups;
} request;

/* Returns `list`, or, if it has one number, that number for each dimension of space, stored in `values`. */
static tocha_ints spread(tocha_ints list, int space, int64_t values[3]) {
  if (list.count != 1) return list;
  for (int d = 0; d < space; d++) values[d] = list.values[0];
  return (tocha_ints){space, values};
}

/* Fails if the bias has another dtype than the input. PyTorch checks this first. Under autocast the bias is cast later. */
static bool check_bias(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *bias) {
  if (!bias || bias->dtype == input->dtype || cx->autocast.active) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Input type (%s) and bias type (%s) should be the same",
             tocha_dtype_cpp_name(input->dtype), tocha_dtype_cpp_name(bias->dtype));
  return false;
}

static tocha_tensor *call(tocha_context *cx, const request *r, tocha_tensor *input,
                          tocha_tensor *weight, tocha_tensor *bias) {
  int64_t values[4][3];
  if (!r->transposed && !check_bias(cx, input, bias)) return NULL;
  tocha_tensor *batch = as_batch(cx, input, r->space, r->name);
  if (!batch) return NULL;
  tocha_ints stride = spread(r->stride, r->space, values[0]),
             padding = spread(r->padding, r->space, values[1]),
             dilation = spread(r->dilation, r->space, values[2]),
             output_padding = spread(r->output_padding, r->space, values[3]);
  tocha_tensor *out =
      tocha_convolution_full(cx, batch, weight, bias, stride.count, stride.values, padding.count,
                             padding.values, dilation.count, dilation.values, r->transposed,
                             output_padding.count, output_padding.values, r->groups);
  return unbatched(cx, out, input, r->space);
}

static const int64_t zero = 0;

static tocha_tensor *forward(tocha_context *cx, const char *name, int space, tocha_tensor *input,
                             tocha_tensor *weight, tocha_tensor *bias, tocha_ints stride,
                             tocha_ints padding, tocha_ints dilation, int64_t groups) {
  request r = {name, space, stride, padding, dilation, {1, &zero}, false, groups};
  return call(cx, &r, input, weight, bias);
}

tocha_tensor *tocha_op_conv(tocha_context *cx, tocha_tensor *input, tocha_tensor *weight,
                            tocha_tensor *bias, int stride_count, const int64_t *stride,
                            int padding_count, const int64_t *padding, int dilation_count,
                            const int64_t *dilation, int64_t groups, const char *name, int space) {
  return forward(cx, name, space, input, weight, bias, (tocha_ints){stride_count, stride},
                 (tocha_ints){padding_count, padding}, (tocha_ints){dilation_count, dilation},
                 groups);
}

/* --- padding by name -------------------------------------------------------------------------------------- */

/* Writes the padding for a result as large as the input: in each dimension half of the total on either side. If a total is odd,
 * returns the input with one more zero at the end of that dimension, else the input itself. */
static tocha_tensor *pad_for_same(tocha_context *cx, tocha_tensor *input,
                                  const tocha_tensor *weight, int space, tocha_ints dilation,
                                  int64_t *padding) {
  int64_t more[6] = {0};
  bool uneven = false;
  for (int d = 0; d < space; d++) {
    int64_t step = dilation.values[dilation.count == 1 ? 0 : d];
    int64_t total = tocha_wrapping_product(step, weight->sizes[weight->ndim - space + d] - 1);
    padding[d] = total / 2;
    more[2 * (space - 1 - d) + 1] = total % 2;
    uneven = uneven || total % 2;
  }
  if (!uneven) return input;
  tocha_warn(cx, "Using padding='same' with even kernel lengths and odd dilation may require a "
                 "zero-padded copy of the input be created");
  return tocha_constant_pad_nd(cx, input, 2 * space, more, tocha_int(0));
}

tocha_tensor *tocha_op_conv_padding(tocha_context *cx, tocha_tensor *input, tocha_tensor *weight,
                                    tocha_tensor *bias, int stride_count, const int64_t *stride,
                                    const char *padding, int dilation_count,
                                    const int64_t *dilation, int64_t groups, const char *name,
                                    int space) {
  tocha_ints steps = {stride_count, stride}, spacing = {dilation_count, dilation};
  int64_t sides[3] = {0};
  if (!as_batch(cx, input, space, name)) return NULL;
  if (strcmp(padding, "valid") != 0 && strcmp(padding, "same") != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Invalid padding string: '%s'", padding);
  if (strcmp(padding, "same") == 0 && weight->ndim != input->ndim && weight->ndim != space + 2 &&
      input->ndim == space + 2) {
    char text[256], own[256];
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Expected %d-dimensional input for %d-dimensional weight%s, but got "
                      "%d-dimensional input of size %s instead",
                      weight->ndim, weight->ndim,
                      tocha_shape_text(weight->ndim, weight->sizes, text, sizeof text), input->ndim,
                      tocha_shape_text(input->ndim, input->sizes, own, sizeof own));
  }
  bool fits = weight->ndim == space + 2 && (dilation_count == 1 || dilation_count == space);
  if (strcmp(padding, "same") == 0 && fits) {
    for (int d = 0; d < stride_count; d++)
      if (stride[d] != 1)
        return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                          "padding='same' is not supported for strided convolutions");
    input = pad_for_same(cx, input, weight, space, spacing, sides);
    if (!input) return NULL;
  }
  return forward(cx, name, space, input, weight, bias, steps, (tocha_ints){space, sides}, spacing,
                 groups);
}

/* --- conv_transpose1d ... conv_transpose3d ---------------------------------------------------------------- */

tocha_tensor *tocha_op_conv_transpose(tocha_context *cx, tocha_tensor *input, tocha_tensor *weight,
                                      tocha_tensor *bias, int stride_count, const int64_t *stride,
                                      int padding_count, const int64_t *padding,
                                      int output_padding_count, const int64_t *output_padding,
                                      int64_t groups, int dilation_count, const int64_t *dilation,
                                      const char *name, int space) {
  request r = {name,
               space,
               {stride_count, stride},
               {padding_count, padding},
               {dilation_count, dilation},
               {output_padding_count, output_padding},
               true,
               groups};
  return call(cx, &r, input, weight, bias);
}
