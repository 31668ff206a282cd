/* linear.c: linear_cross_entropy, the cross entropy of a linear map. */
#include <stdio.h>
#include <string.h>

#include "core/internal.h"
#include "loss/implementations.h"
#include "tocha/ops/cross_entropy.h"
#include "tocha/ops/linear.h"
#include "tocha/ops/reshape.h"

/* Writes sizes as Python's tuple, such as "(2, 3)" or "(2,)", and returns the text. */
static const char *tuple_text(int count, const int64_t *values, char text[128]) {
  char list[120];
  tocha_shape_text(count, values, list, sizeof list);
  list[strlen(list) - 1] = 0;
  snprintf(text, 128, "(%s%s)", list + 1, count == 1 ? "," : "");
  return text;
}

static bool check_bias(tocha_context *cx, const tocha_tensor *weight, const tocha_tensor *bias) {
  char text[128], other[128];
  int count = weight->ndim - 1;
  if (!bias || (bias->ndim == count &&
                memcmp(bias->sizes, weight->sizes, (size_t)count * sizeof(int64_t)) == 0))
    return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected linear_bias shape %s, got %s",
             tuple_text(count, weight->sizes, text), tuple_text(bias->ndim, bias->sizes, other));
  return false;
}

static bool check(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *weight,
                  const tocha_tensor *bias) {
  char text[128], other[128];
  if (input->ndim < 1 || input->ndim > 2)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected input with dimensionality 1 or 2, got %d",
               input->ndim);
  else if (weight->ndim < 2)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "expected linear_weight with dimensionality at least 2, got %d", weight->ndim);
  else if (input->sizes[input->ndim - 1] != weight->sizes[weight->ndim - 1])
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "expected equal input and linear_weight last dimensions (in_features), got %lld and "
               "%lld, respectively",
               (long long)input->sizes[input->ndim - 1],
               (long long)weight->sizes[weight->ndim - 1]);
  else if (check_bias(cx, weight, bias) && weight->ndim > 2 && input->ndim == 1)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "K-dimensional loss defined by linear_weight shape %s requires batched input, (N, "
               "%lld), got unbatched input with shape %s",
               tuple_text(weight->ndim, weight->sizes, text), (long long)input->sizes[0],
               tuple_text(1, input->sizes, other));
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op_linear_cross_entropy(tocha_context *cx, tocha_tensor *input,
                                            tocha_tensor *linear_weight, tocha_tensor *target,
                                            tocha_tensor *linear_bias, tocha_tensor *weight,
                                            const char *reduction, const int64_t *ignore_index,
                                            double label_smoothing) {
  int64_t sizes[TOCHA_MAX_DIMS + 1], flat[] = {-1, 0};
  if (!check(cx, input, linear_weight, linear_bias)) return NULL;
  int batch = input->ndim - 1, count = batch + linear_weight->ndim - 1;
  if (batch) sizes[0] = input->sizes[0];
  memcpy(sizes + batch, linear_weight->sizes, (size_t)(count - batch) * sizeof *sizes);
  bool shares =
      target->ndim == count && memcmp(target->sizes, sizes, (size_t)count * sizeof *sizes) == 0;
  if (shares && ignore_index)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "ignore_index cannot be specified when target contains probabilities");
  flat[1] = input->sizes[batch];
  flat[0] = 1;
  for (int d = 0; d + 1 < linear_weight->ndim; d++) flat[0] *= linear_weight->sizes[d];
  if (linear_weight->ndim > 2) {
    linear_weight = tocha_reshape(cx, linear_weight, 2, flat);
    if (linear_bias) linear_bias = tocha_reshape(cx, linear_bias, 1, flat);
  }
  tocha_tensor *logits = tocha_linear(cx, input, linear_weight, linear_bias);
  logits = tocha_reshape(cx, logits, count, sizes);
  return tocha_cross_entropy(cx, logits, target, weight, NULL, ignore_index ? *ignore_index : -100,
                             NULL, reduction, label_smoothing);
}
