/* layers.c: parts of modules that the list cannot express: forwards that do more than call an
 * operator, and options that determine others. */
#include <stdlib.h>
#include <string.h>

#include "nn/construct.h"
#include "nn/functions/container.h"
#include "nn/functions/circular_pad.h"
#include "nn/functions/fractional_pool.h"
#include "nn/functions/identity.h"
#include "nn/functions/linear_cross_entropy.h"
#include "nn/functions/loss.h"
#include "nn/functions/softmax2d.h"
#include "nn/functions/softmin.h"
#include "ops/matmul/fused_linear.h"
#include "ops/matmul/kernels.h"
#include "tocha/nn/linear.h"
#include "tocha/ops/linear_cross_entropy.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/pad.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/softmax.h"

tocha_tensor *tocha_module_forward_softmin(tocha_context *cx, tocha_module *module, int count,
                                           tocha_tensor *const *inputs) {
  tocha_tensor *negated = tocha_neg(cx, inputs[0]);
  return negated ? tocha_module_call_operator(cx, module, count, &negated) : NULL;
}

tocha_tensor *tocha_module_forward_identity(tocha_context *cx, tocha_module *module, int count,
                                            tocha_tensor *const *inputs) {
  (void)cx;
  (void)module;
  (void)count;
  return inputs[0];
}

static bool runs_operator(const tocha_module *module, const char *op) {
  return !module->host_object.forward && module->class->op && strcmp(module->class->op, op) == 0;
}

bool tocha_linear_and_activation(tocha_context *cx, tocha_module *linear, tocha_module *activation,
                                 tocha_tensor *input, tocha_tensor **out) {
  tocha_activation which = TOCHA_RELU;
  if (cx->autocast.active || tocha_failed(cx) || !runs_operator(linear, "linear")) return false;
  if (runs_operator(activation, "gelu")) {
    const tocha_arg *form = tocha_module_option(activation, "approximate");
    if (strcmp(form->value.string, "tanh") != 0) return false;
    which = TOCHA_GELU_TANH;
  } else if (!runs_operator(activation, "relu")) {
    return false;
  }
  tocha_tensor *weight = NULL, *bias = NULL;
  tocha_module_member(linear, "weight", &weight, NULL);
  tocha_module_member(linear, "bias", &bias, NULL);
  return weight && tocha_linear_activated(cx, input, weight, bias, which, out);
}

static int option_index(const tocha_module *module, const tocha_arg *option) {
  return (int)(option - module->options);
}

bool tocha_module_init_container(tocha_context *cx, tocha_module *module) {
  (void)module;
  tocha_warn(cx, "`nn.Container` is deprecated. All of its functionality is now implemented in "
                 "`nn.Module`. Subclass that instead.");
  return true;
}

/* Sets the reduction from the deprecated arguments size_average and reduce, if one is given. */
bool tocha_module_init_loss(tocha_context *cx, tocha_module *module) {
  const tocha_arg *average = tocha_module_option(module, "size_average");
  const tocha_arg *reduce = tocha_module_option(module, "reduce");
  bool old_average = average && average->given, old_reduce = reduce && reduce->given;
  if (!old_average && !old_reduce) return true;
  bool averages = !old_average || average->value.flag, reduces = !old_reduce || reduce->value.flag;
  tocha_arg reduction = {.given = true};
  reduction.value.string = !reduces ? "none" : averages ? "mean" : "sum";
  tocha_warn(cx,
             "size_average and reduce args will be deprecated, please use reduction='%s' instead.",
             reduction.value.string);
  return tocha_module_set_option(
      cx, module, option_index(module, tocha_module_option(module, "reduction")), &reduction);
}

tocha_tensor *tocha_module_forward_softmax2d(tocha_context *cx, tocha_module *module, int count,
                                             tocha_tensor *const *inputs) {
  (void)module;
  (void)count;
  if (inputs[0]->ndim != 3 && inputs[0]->ndim != 4)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Softmax2d: expected input to be 3D or 4D, got %dD instead", inputs[0]->ndim);
  return tocha_softmax(cx, inputs[0], -3, TOCHA_NO_DTYPE);
}

tocha_tensor *tocha_module_forward_circular_pad(tocha_context *cx, tocha_module *module, int count,
                                                tocha_tensor *const *inputs) {
  const tocha_arg *padding = tocha_module_option(module, "padding");
  int space = module->class->space;
  (void)count;
  if (inputs[0]->ndim != space + 1 && inputs[0]->ndim != space + 2)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "expected %dD or %dD input (got %dD input)", space + 1,
                      space + 2, inputs[0]->ndim);
  return tocha_pad(cx, inputs[0], padding->count, padding->value.ints, "circular", NULL);
}

bool tocha_module_init_fractional_pool(tocha_context *cx, tocha_module *module) {
  const tocha_arg *size = tocha_module_option(module, "output_size");
  const tocha_arg *ratio = tocha_module_option(module, "output_ratio");
  if (!size->given && !ratio->given)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "%s requires specifying either an output size, or a pooling ratio",
               module->class->name);
  else if (size->given && ratio->given)
    tocha_fail(cx, TOCHA_VALUE_ERROR, "only one of output_size and output_ratio may be specified");
  for (int i = 0; i < ratio->count && !tocha_failed(cx); i++)
    if (!(ratio->value.reals[i] > 0 && ratio->value.reals[i] < 1))
      tocha_module_check(cx, module, false, TOCHA_VALUE_ERROR,
                         "output_ratio must be between 0 and 1 (got {output_ratio})");
  return !tocha_failed(cx);
}

bool tocha_module_init_linear_cross_entropy(tocha_context *cx, tocha_module *module) {
  const tocha_arg *sizes = tocha_module_option(module, "out_features");
  int64_t classes = tocha_option_int(module, "num_classes"), features = classes;
  tocha_tensor *weight = NULL;
  tocha_module_member(module, "weight", &weight, NULL);
  if (weight && (weight->ndim != 1 || weight->sizes[0] != classes)) {
    tocha_text text = {0};
    tocha_text_format(&text, "expected weight shape to be (%lld,), got (", (long long)classes);
    for (int i = 0; i < weight->ndim; i++)
      tocha_text_format(&text, "%s%lld", i ? ", " : "", (long long)weight->sizes[i]);
    tocha_text_string(&text, weight->ndim == 1 ? ",)" : ")");
    char *message = tocha_text_finish(cx, &text);
    if (message) tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s", message);
    free(message);
    return false;
  }
  for (int i = 0; i < sizes->count; i++)
    features = tocha_wrapping_product(features, sizes->value.ints[i]);
  tocha_module *linear = tocha_nn_linear(
      cx, tocha_option_int(module, "in_features"), features, tocha_option_flag(module, "bias"),
      tocha_option_device(cx, module), tocha_option_dtype(cx, module));
  bool ok = linear && tocha_register_module(cx, module, "linear", linear);
  tocha_module_release(linear);
  return ok;
}

tocha_tensor *tocha_module_forward_linear_cross_entropy(tocha_context *cx, tocha_module *module,
                                                        int count, tocha_tensor *const *inputs) {
  const tocha_arg *more = tocha_module_option(module, "out_features");
  const tocha_arg *ignored = tocha_module_option(module, "ignore_index");
  tocha_tensor *weight = NULL, *bias = NULL, *rescaling = NULL;
  tocha_module *linear = NULL;
  int64_t sizes[TOCHA_MAX_DIMS] = {tocha_option_int(module, "num_classes")};
  (void)count;
  tocha_module_member(module, "linear", NULL, &linear);
  if (!linear || more->count > TOCHA_MAX_DIMS - 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "LinearCrossEntropyLoss without its linear layer");
  for (int i = 0; i < more->count; i++) sizes[i + 1] = more->value.ints[i];
  if (!tocha_module_find_tensor(cx, linear, "weight", &weight) ||
      !tocha_module_find_tensor(cx, linear, "bias", &bias) ||
      !tocha_module_find_tensor(cx, module, "weight", &rescaling))
    return NULL;
  if (bias) bias = tocha_reshape(cx, bias, more->count + 1, sizes);
  sizes[more->count + 1] = tocha_option_int(linear, "in_features");
  weight = tocha_reshape(cx, weight, more->count + 2, sizes);
  return tocha_linear_cross_entropy_full(cx, inputs[0], weight, inputs[1], bias, rescaling,
                                         tocha_module_option(module, "reduction")->value.string,
                                         ignored->given ? &ignored->value.integer : NULL,
                                         tocha_option_real(module, "label_smoothing"));
}
