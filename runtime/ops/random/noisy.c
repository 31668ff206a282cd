/* noisy.c: functions of torch.nn.functional with noise, made of operators: rrelu and
 * gumbel_softmax. */
#include <math.h>

#include "autograd/node.h"
#include "device/devices.h"
#include "random/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/private/rrelu_mean.h"
#include "tocha/ops/private/rrelu_with_noise.h"
#include "tocha/ops/add.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/detach.h"
#include "tocha/ops/div.h"
#include "tocha/ops/exponential_.h"
#include "tocha/ops/masked_scatter_.h"
#include "tocha/ops/le.h"
#include "tocha/ops/log.h"
#include "tocha/ops/max.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/ones_like.h"
#include "tocha/ops/scatter_.h"
#include "tocha/ops/softmax.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/uniform_.h"
#include "tocha/ops/zeros_like.h"

/* --- rrelu ----------------------------------------------------------------------------------------------- */

/* Draws the slope of each element that is not positive, in order. Other slopes are 1. */
static tocha_tensor *draw_slopes(tocha_context *cx, tocha_tensor *input, double lower,
                                 double upper) {
  tocha_scalar count = tocha_int(0);
  tocha_tensor *slopes = tocha_ones_like(cx, input);
  if (!slopes || !tocha_has_elements(input)) return slopes;
  tocha_tensor *mask = tocha_le_full(cx, input, tocha_number(tocha_int(0)));
  tocha_tensor *total = tocha_sum(cx, mask);
  if (!total || !tocha_item(cx, total, &count)) return NULL;
  if (count.value.integer == 0) return slopes;
  tocha_tensor *drawn = tocha_new(cx, 1, &count.value.integer, TOCHA_FLOAT64, input->device);
  drawn = tocha_uniform_full_(cx, drawn, lower, upper, NULL);
  if (drawn) drawn = tocha_as_dtype(cx, drawn, (tocha_dtype)input->dtype);
  if (!drawn) return NULL;
  return tocha_masked_scatter_(cx, slopes, mask, drawn);
}

static tocha_tensor *draw_unrecorded(tocha_context *cx, tocha_tensor *input, double lower,
                                     double upper) {
  bool records = tocha_set_grad_enabled(cx, false);
  tocha_tensor *slopes = draw_slopes(cx, input, lower, upper);
  tocha_set_grad_enabled(cx, records);
  return slopes;
}

tocha_tensor *tocha_op_rrelu(tocha_context *cx, tocha_tensor *input, double lower, double upper,
                             bool training, bool inplace) {
  for (int i = 0; i < 2 && !inplace; i++)
    if (!isfinite(i ? upper : lower))
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "rrelu: %s bound must be finite, got %g",
                        i ? "upper" : "lower", i ? upper : lower);
  if (!(lower <= upper))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Lower bound should be less than or equal to the upper bound");
  bool half = training && input->dtype == TOCHA_FLOAT16 && !tocha_is_on_device(input);
  if (!tocha_dtype_is_floating(input->dtype) || half)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s\" not implemented for '%s'",
                      training ? "rrelu_with_noise_out_cpu" : "leaky_relu_cpu",
                      tocha_dtype_scalar_type(input->dtype));
  if (!training) {
    double slope = (lower + upper) / 2;
    return inplace ? tocha_private_rrelu_mean_(cx, input, slope)
                   : tocha_private_rrelu_mean(cx, input, slope);
  }
  if (inplace && !tocha_check_inplace(cx, input, false)) return NULL; /* without a draw */
  tocha_tensor *slopes = draw_unrecorded(cx, input, lower, upper);
  if (!slopes) return NULL;
  return inplace ? tocha_private_rrelu_with_noise_(cx, input, slopes)
                 : tocha_private_rrelu_with_noise(cx, tocha_contiguous(cx, input), slopes);
}

/* --- gumbel_softmax ---------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_gumbel_softmax(tocha_context *cx, tocha_tensor *logits, double tau,
                                      bool hard, double eps, int64_t dim) {
  if (eps != 1e-10) tocha_warn(cx, "`eps` parameter is deprecated and has no effect.");
  tocha_tensor *noise =
      tocha_exponential_full_(cx, tocha_new_like(cx, logits, (tocha_dtype)logits->dtype), 1, NULL);
  noise = tocha_neg(cx, tocha_log(cx, noise));
  tocha_tensor *soft = tocha_add(cx, logits, noise);
  soft = tocha_div_full(cx, soft, tocha_number(tocha_float(tau)));
  soft = tocha_softmax(cx, soft, dim, TOCHA_NO_DTYPE);
  if (!hard || !soft) return soft;
  tocha_tensor *values, *indices;
  if (!tocha_max_dim(cx, tocha_detach(cx, soft), dim, true, &values, &indices)) return NULL;
  tocha_tensor *peak = tocha_zeros_like(cx, logits);
  peak = tocha_scatter_value_(cx, peak, dim, indices, tocha_float(1));
  return tocha_add(cx, tocha_sub(cx, peak, tocha_detach(cx, soft)), soft);
}
