/* layers.c: what layers and losses do beyond calling one operator: checking options, making and
 * drawing parameters. */
#include <math.h>
#include <string.h>

#include "module_functions.h"
#include "ops/matmul/gemm_device.h"
#include "tocha/modules.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/neg.h"

/* --- Linear ---------------------------------------------------------------------------------- */

/* PyTorch's kaiming_uniform_(weight, a=sqrt(5)), then bias in [-1/sqrt(fan_in), 1/sqrt(fan_in)). */
bool tocha_module_reset_linear(tocha_context *cx, tocha_module *module) {
  tocha_tensor *weight = NULL, *bias = NULL;
  tocha_module_member(module, "weight", &weight, NULL);
  tocha_module_member(module, "bias", &bias, NULL);
  if (!tocha_init_kaiming_uniform_(cx, weight, sqrt(5.0), "fan_in", "leaky_relu", NULL))
    return false;
  int64_t fan_in = weight->sizes[1];
  double bound = fan_in > 0 ? 1 / sqrt((double)fan_in) : 0;
  return !bias || tocha_init_uniform_(cx, bias, -bound, bound, NULL) != NULL;
}

bool tocha_module_init_linear(tocha_context *cx, tocha_module *module) {
  int64_t sizes[2] = {tocha_option_int(module, "out_features"),
                      tocha_option_int(module, "in_features")};
  if (!tocha_module_new_parameter(cx, module, "weight", 2, sizes)) return false;
  bool ok = tocha_option_flag(module, "bias")
                ? tocha_module_new_parameter(cx, module, "bias", 1, sizes) != NULL
                : tocha_register_parameter(cx, module, "bias", NULL);
  return ok && tocha_module_reset_linear(cx, module);
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

bool tocha_module_reset_bilinear(tocha_context *cx, tocha_module *module) {
  tocha_tensor *weight = NULL, *bias = NULL;
  tocha_module_member(module, "weight", &weight, NULL);
  tocha_module_member(module, "bias", &bias, NULL);
  double bound = 1 / sqrt((double)weight->sizes[1]);
  return tocha_init_uniform_(cx, weight, -bound, bound, NULL) != NULL &&
         (!bias || tocha_init_uniform_(cx, bias, -bound, bound, NULL) != NULL);
}

bool tocha_module_init_bilinear(tocha_context *cx, tocha_module *module) {
  int64_t sizes[3] = {tocha_option_int(module, "out_features"),
                      tocha_option_int(module, "in1_features"),
                      tocha_option_int(module, "in2_features")};
  if (sizes[1] <= 0) {
    tocha_fail(cx, TOCHA_VALUE_ERROR, "in1_features must be > 0, but got %lld",
               (long long)sizes[1]);
    return false;
  }
  if (!tocha_module_new_parameter(cx, module, "weight", 3, sizes)) return false;
  bool ok = tocha_option_flag(module, "bias")
                ? tocha_module_new_parameter(cx, module, "bias", 1, sizes) != NULL
                : tocha_register_parameter(cx, module, "bias", NULL);
  return ok && tocha_module_reset_bilinear(cx, module);
}

/* --- activations ----------------------------------------------------------------------------- */

bool tocha_module_init_hardtanh(tocha_context *cx, tocha_module *module) {
  if (tocha_option_real(module, "max_val") > tocha_option_real(module, "min_val")) return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR, "min_val must be less than max_val");
  return false;
}

bool tocha_module_reset_prelu(tocha_context *cx, tocha_module *module) {
  tocha_tensor *weight = NULL;
  tocha_module_member(module, "weight", &weight, NULL);
  return tocha_init_constant_(cx, weight, tocha_float(tocha_option_real(module, "init"))) != NULL;
}

bool tocha_module_init_prelu(tocha_context *cx, tocha_module *module) {
  int64_t count = tocha_option_int(module, "num_parameters");
  return tocha_module_new_parameter(cx, module, "weight", 1, &count) != NULL &&
         tocha_module_reset_prelu(cx, module);
}

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

bool tocha_module_init_dropout(tocha_context *cx, tocha_module *module) {
  const tocha_arg *p = tocha_module_option(module, "p");
  double value = tocha_scalar_real(p->value.scalar);
  if (value >= 0 && value <= 1) return true;
  char text[32];
  tocha_fail(cx, TOCHA_VALUE_ERROR, "dropout probability has to be between 0 and 1, but got %s",
             tocha_format_scalar(p->value.scalar, text));
  return false;
}

/* --- losses ---------------------------------------------------------------------------------- */

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

/* Weights are buffers: they move with the module. */
bool tocha_module_init_weighted_loss(tocha_context *cx, tocha_module *module) {
  const tocha_module_class *class = module->class;
  for (int i = 0; i < class->parameter_count; i++) {
    const tocha_parameter *p = &class->parameters[i];
    if (p->kind != TOCHA_KIND_TENSOR) continue;
    const tocha_arg none = {.given = false};
    if (!tocha_register_buffer(cx, module, p->name, module->options[i].tensor, true) ||
        !tocha_module_set_option(cx, module, i, &none))
      return false;
  }
  return tocha_module_init_loss(cx, module);
}
