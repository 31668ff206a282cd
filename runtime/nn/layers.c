/* layers.c: what the list of modules cannot say: forwards beyond calling one operator, options
 * that decide others. */
#include <string.h>

#include "nn/functions/identity.h"
#include "nn/functions/loss.h"
#include "nn/functions/softmin.h"
#include "ops/matmul/fused_linear.h"
#include "ops/matmul/kernels.h"
#include "tocha/ops/neg.h"

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

/* The old arguments size_average and reduce decide the reduction where they are given. */
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
