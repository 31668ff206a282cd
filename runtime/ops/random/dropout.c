/* dropout.c: dropout and its variants, made of a random mask and operators that record. */
#include <math.h>

#include "dispatch/call.h"
#include "ops/random/fill.h"
#include "random/implementations.h"
#include "core/text.h"
#include "tensor/copy.h"
#include "tensor/output.h"
#include "tensor/strided.h"
#include "tocha/ops/add.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/native_dropout.h"
#include "tocha/ops/private/native_dropout_backward.h"
#include "tocha/ops/ones_like.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/squeeze_.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/unsqueeze_.h"

/* Fails because p is not a probability. given: p as text. */
static bool refuse_probability(tocha_context *cx, double p, const char *given) {
  return tocha_fail(cx, TOCHA_VALUE_ERROR,
                    "dropout probability has to be between 0 and 1, but got %s",
                    isnan(p) ? (signbit(p) ? "-nan" : "nan") : given);
}

static bool check_probability(tocha_context *cx, double p) {
  char text[32];
  return (p >= 0 && p <= 1) || refuse_probability(cx, p, tocha_format_number(p, text));
}

/* Reads p of nn.functional. An error message shows p as it was given: "3", "3.0". */
static bool read_probability(tocha_context *cx, tocha_scalar given, double *p) {
  char text[32];
  *p = tocha_scalar_real(given);
  return (*p >= 0 && *p <= 1) || refuse_probability(cx, *p, tocha_format_scalar(given, text));
}

static bool check_floating(tocha_context *cx, const tocha_tensor *input) {
  if (!tocha_dtype_is_floating(input->dtype))
    tocha_fail(
        cx, TOCHA_RUNTIME_ERROR, "result type %s can't be cast to the desired output type %s",
        tocha_dtype_scalar_type(tocha_default_dtype(cx)), tocha_dtype_scalar_type(input->dtype));
  return !tocha_failed(cx);
}

/* Draws a mask of the given sizes: `value` with probability 1 - p, else 0. sizes: NULL for input's
 * own. */
static tocha_tensor *draw_mask(tocha_context *cx, tocha_tensor *input, int ndim,
                               const int64_t *sizes, double p, double value) {
  tocha_tensor *mask = sizes ? tocha_new(cx, ndim, sizes, input->dtype, input->device)
                             : tocha_new_copy_of(cx, input, input->dtype, input->device);
  bool drawn = mask && tocha_fill_bernoulli(cx, mask, 1 - p, value, NULL);
  return drawn && check_floating(cx, input) ? mask : NULL; /* after the draw, as in PyTorch */
}

/* Returns 1 / (1 - p), computed in float32 unless the input is float64. */
static double scale_of(const tocha_tensor *input, double p) {
  return input->dtype == TOCHA_FLOAT64 ? 1 / (1 - p) : (double)(1.0f / (float)(1 - p));
}

/* Returns a zero that does not change the dtype of bool tensors. */
static tocha_operand zero_of(const tocha_tensor *input) {
  return tocha_number(input->dtype == TOCHA_BOOL ? tocha_boolean(false) : tocha_int(0));
}

static tocha_tensor *multiply(tocha_context *cx, tocha_tensor *input, tocha_operand by,
                              bool inplace) {
  return inplace ? tocha_mul_full_(cx, input, by) : tocha_mul_full(cx, input, by);
}

/* --- dropout with its mask --------------------------------------------------------------------------- */

/* Runs the kernel. output and mask are new, dense, and in the order of input's memory. */
static bool launch(tocha_context *cx, tocha_tensor *input, double keep, tocha_tensor *output,
                   tocha_tensor *mask) {
  tocha_tensor *all[3] = {output, input, mask};
  tocha_strided_layout layout;
  tocha_dropout_args args = {&layout, tocha_generator_for(cx, input->device, NULL), keep};
  tocha_stream *stream = args.generator ? tocha_stream_of(cx, input->device) : NULL;
  if (!stream) return false;
  if (tocha_plain_layout(&layout, 3, all))
    return tocha_launched(cx, stream->kernels->random->dropout(stream, &args));
  /* more dimensions than a kernel supports */
  input = tocha_as_vector_along(cx, input, output);
  mask = tocha_as_vector_along(cx, mask, mask);
  output = tocha_as_vector_along(cx, output, output);
  return input && output && mask && launch(cx, input, keep, output, mask);
}

bool tocha_op_native_dropout(tocha_context *cx, tocha_tensor *input, double p, const bool *train,
                             tocha_tensor **output, tocha_tensor **mask) {
  tocha_device none = {TOCHA_NO_DEVICE, -1};
  if (!check_probability(cx, p) || !check_floating(cx, input)) return false;
  if (train && !*train) {
    *output = tocha_clone(cx, input);
    *mask = tocha_ones_like_full(cx, input, TOCHA_BOOL, none, false, NULL);
    return *output && *mask;
  }
  *mask = tocha_new_copy_of(cx, input, TOCHA_BOOL, input->device);
  *output = tocha_new_copy_of(cx, input, input->dtype, input->device);
  if (!*mask || !*output) return false;
  return !tocha_has_elements(input) || launch(cx, input, 1 - p, *output, *mask);
}

bool tocha_grad_native_dropout(tocha_backward_frame *f) {
  const tocha_arg *a = f->args;
  double p = a[1].value.real;
  bool draws = !a[2].given || a[2].value.flag;
  if (f->grads[0])
    f->out[0] = tocha_private_native_dropout_backward(f->cx, f->grads[0], f->results[1],
                                                      !draws   ? 1
                                                      : p == 1 ? 0
                                                               : 1 / (1 - p));
  return !tocha_failed(f->cx);
}

/* --- dropout ------------------------------------------------------------------------------------------ */

/* Implements dropout. sizes: the mask's, or NULL for input's own. */
static tocha_tensor *drop(tocha_context *cx, tocha_tensor *input, double p, bool training,
                          bool inplace, int ndim, const int64_t *sizes) {
  if (!check_probability(cx, p)) return NULL;
  if (p == 0 || !training || input->numel == 0) return input;
  if (p == 1) return multiply(cx, input, zero_of(input), inplace);
  if (tocha_is_on_device(input) && !inplace && !sizes) { /* a single node of the graph */
    const bool train = true;
    tocha_tensor *output, *kept;
    return tocha_native_dropout(cx, input, p, &train, &output, &kept) ? output : NULL;
  }
  tocha_tensor *mask = draw_mask(cx, input, ndim, sizes, p, scale_of(input, p));
  return mask ? multiply(cx, input, tocha_operand_of(mask), inplace) : NULL;
}

tocha_tensor *tocha_op_dropout(tocha_context *cx, tocha_tensor *input, tocha_scalar probability,
                               bool training, bool inplace) {
  double p;
  if (!read_probability(cx, probability, &p)) return NULL;
  return drop(cx, input, p, training, inplace, 0, NULL);
}

tocha_tensor *tocha_op_dropout_torch(tocha_context *cx, tocha_tensor *input, double p, bool train) {
  return drop(cx, input, p, train, false, 0, NULL);
}

/* Writes the sizes of a mask for whole channels, with one draw for each of (N, C). */
static bool channel_sizes(tocha_context *cx, const tocha_tensor *input, double p, bool training,
                          int64_t *sizes) {
  if (training && p > 0 && p < 1 && input->ndim < 2 && input->numel)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Feature dropout requires at least 2 dimensions in the input");
  for (int i = 0; i < input->ndim; i++) sizes[i] = i < 2 ? input->sizes[i] : 1;
  return !tocha_failed(cx);
}

static tocha_tensor *drop_channels(tocha_context *cx, tocha_tensor *input, double p, bool training,
                                   bool inplace) {
  int64_t sizes[TOCHA_MAX_DIMS];
  if (!channel_sizes(cx, input, p, training, sizes)) return NULL;
  return drop(cx, input, p, training, inplace, input->ndim, sizes);
}

/* Drops channels of an input without a batch dimension. */
static tocha_tensor *drop_unbatched(tocha_context *cx, tocha_tensor *input, double p, bool training,
                                    bool inplace) {
  tocha_tensor *batch = inplace ? tocha_unsqueeze_(cx, input, 0) : tocha_unsqueeze(cx, input, 0);
  batch = batch ? drop_channels(cx, batch, p, training, inplace) : NULL;
  if (!batch) return NULL;
  return inplace ? tocha_squeeze_dim_(cx, batch, 0) : tocha_squeeze_dim(cx, batch, 0);
}

tocha_tensor *tocha_op_dropout1d(tocha_context *cx, tocha_tensor *input, tocha_scalar probability,
                                 bool training, bool inplace) {
  double p;
  if (!read_probability(cx, probability, &p)) return NULL;
  if (input->ndim != 2 && input->ndim != 3)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "dropout1d: Expected 2D or 3D input, but received a %dD input. Note that "
                      "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial "
                      "dimension, a channel dimension, and an optional batch dimension (i.e. 2D or "
                      "3D inputs).",
                      input->ndim);
  if (input->ndim == 3) return drop_channels(cx, input, p, training, inplace);
  return drop_unbatched(cx, input, p, training, inplace);
}

tocha_tensor *tocha_op_dropout2d(tocha_context *cx, tocha_tensor *input, tocha_scalar probability,
                                 bool training, bool inplace) {
  double p;
  if (!read_probability(cx, probability, &p)) return NULL;
  return drop_channels(cx, input, p, training, inplace);
}

tocha_tensor *tocha_op_dropout3d(tocha_context *cx, tocha_tensor *input, tocha_scalar probability,
                                 bool training, bool inplace) {
  double p;
  if (!read_probability(cx, probability, &p)) return NULL;
  if (input->ndim == 5) return drop_channels(cx, input, p, training, inplace);
  return drop_unbatched(cx, input, p, training, inplace);
}

/* Replaces dropped elements by selu's lower limit, and keeps mean and variance by an affine map
 * (Klambauer et al., 2017). sizes: the mask's, or NULL for input's own. */
static tocha_tensor *drop_to_limit(tocha_context *cx, tocha_tensor *input, double p, bool training,
                                   bool inplace, const int64_t *sizes) {
  const double limit = 1.7580993408473766;
  if (p == 0 || !training || input->numel == 0) return input;
  if (p == 1) return multiply(cx, input, zero_of(input), inplace);
  double a = 1 / sqrt((limit * limit * p + 1) * (1 - p));
  const tocha_scalar one = tocha_int(1);
  bool truth = input->dtype == TOCHA_BOOL; /* mask - 1 is int64 then, and cannot be scaled */
  if (truth && !tocha_check_castable(cx, TOCHA_FLOAT32, TOCHA_INT64)) return NULL;
  tocha_tensor *mask = draw_mask(cx, input, input->ndim, sizes, p, 1);
  if (!mask) return NULL;
  tocha_tensor *shift = tocha_add_full(cx, mask, tocha_number(tocha_int(-1)), one);
  shift = tocha_mul_full(cx, shift, tocha_number(tocha_float(limit * a)));
  shift = tocha_add_full(cx, shift, tocha_number(tocha_float(limit * a * p)), one);
  mask = tocha_mul_full(cx, mask, tocha_number(tocha_float(a)));
  if (!mask || !shift) return NULL;
  if (inplace) return tocha_add_(cx, multiply(cx, input, tocha_operand_of(mask), true), shift);
  return tocha_add(cx, multiply(cx, input, tocha_operand_of(mask), false), shift);
}

tocha_tensor *tocha_op_alpha_dropout(tocha_context *cx, tocha_tensor *input,
                                     tocha_scalar probability, bool training, bool inplace) {
  double p;
  if (!read_probability(cx, probability, &p)) return NULL;
  return drop_to_limit(cx, input, p, training, inplace, NULL);
}

tocha_tensor *tocha_op_feature_alpha_dropout(tocha_context *cx, tocha_tensor *input,
                                             tocha_scalar probability, bool training,
                                             bool inplace) {
  double p;
  int64_t sizes[TOCHA_MAX_DIMS];
  if (!read_probability(cx, probability, &p) || !channel_sizes(cx, input, p, training, sizes))
    return NULL;
  return drop_to_limit(cx, input, p, training, inplace, sizes);
}
