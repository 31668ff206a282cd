/* convolution.c: convolution layers: padding='same' and padding modes, which the operators lack. */
#include <stdio.h>
#include <string.h>

#include "nn/construct.h"
#include "nn/functions/conv.h"
#include "nn/functions/conv_transpose.h"
#include "tocha/ops/pad.h"

enum { MAX_SPACE = 3 };

static const char *padding_mode(const tocha_module *module) {
  const tocha_arg *mode = tocha_module_option(module, "padding_mode");
  return mode->value.string ? mode->value.string : "";
}

static bool is_word(const tocha_arg *padding) {
  return padding->count == 1 && padding->value.ints[0] <= TOCHA_PADDING_VALID;
}

/* Fails if a list does not have one number for each dimension of space. */
static bool check_lists(tocha_context *cx, const tocha_module *module) {
  for (int i = 0; i < module->class->parameter_count; i++) {
    const tocha_parameter *p = &module->class->parameters[i];
    const tocha_arg *o = &module->options[i];
    if (!p->single || o->count == module->class->space || (p->words && is_word(o))) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s: %s has %d numbers, where %d are expected",
               module->class->name, p->name, o->count, module->class->space);
    return false;
  }
  return true;
}

bool tocha_module_init_conv(tocha_context *cx, tocha_module *module) {
  const tocha_arg *padding = tocha_module_option(module, "padding");
  const tocha_arg *stride = tocha_module_option(module, "stride");
  const char *mode = padding_mode(module);
  if (!check_lists(cx, module)) return false;
  if (is_word(padding) && padding->value.ints[0] == TOCHA_PADDING_SAME)
    for (int i = 0; i < stride->count; i++)
      if (stride->value.ints[i] != 1) {
        tocha_fail(cx, TOCHA_VALUE_ERROR,
                   "padding='same' is not supported for strided convolutions");
        return false;
      }
  if (strcmp(mode, "zeros") == 0 || strcmp(mode, "reflect") == 0 ||
      strcmp(mode, "replicate") == 0 || strcmp(mode, "circular") == 0)
    return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR,
             "padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, but got "
             "padding_mode='%s'",
             mode);
  return false;
}

bool tocha_module_init_conv_transpose(tocha_context *cx, tocha_module *module) {
  if (!check_lists(cx, module)) return false;
  if (strcmp(padding_mode(module), "zeros") == 0) return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR, "Only \"zeros\" padding mode is supported for %s",
             module->class->name);
  return false;
}

/* Calls the operator with this padding: numbers, or the overload for 'same' and 'valid'. */
static tocha_tensor *convolve(tocha_context *cx, tocha_module *module, tocha_tensor *input,
                              const tocha_arg *padding) {
  char name[32];
  bool word = is_word(padding);
  snprintf(name, sizeof name, "%s%s", module->class->op, word ? ".padding" : "");
  const tocha_op *op = tocha_operator_named(cx, name);
  if (!op) return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "the operator %s is not there", name);
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  memset(args, 0, sizeof args);
  for (int i = 0; i < op->parameter_count; i++) {
    const char *parameter = op->parameters[i].name;
    const tocha_arg *option = tocha_module_option(module, parameter);
    if (i == 0) {
      args[i].tensor = input;
    } else if (op->parameters[i].kind == TOCHA_KIND_TENSOR) {
      if (!tocha_module_find_tensor(cx, module, parameter, &args[i].tensor)) return NULL;
    } else if (strcmp(parameter, "padding") != 0) {
      args[i] = *option;
    } else if (word) {
      args[i].value.string = padding->value.ints[0] == TOCHA_PADDING_SAME ? "same" : "valid";
    } else {
      args[i] = *padding;
    }
    args[i].given = op->parameters[i].kind != TOCHA_KIND_TENSOR || args[i].tensor;
  }
  tocha_results results;
  return tocha_call(cx, op, args, &results) ? results.fixed[0] : NULL;
}

/* Writes the padding before and after each dimension, in the order of F.pad: the last dimension
 * first. Returns the number of values. */
static int padding_around(const tocha_module *module, int64_t out[2 * MAX_SPACE]) {
  const tocha_arg *padding = tocha_module_option(module, "padding");
  const tocha_arg *kernel = tocha_module_option(module, "kernel_size");
  const tocha_arg *dilation = tocha_module_option(module, "dilation");
  int space = module->class->space;
  for (int i = 0; i < space; i++) {
    int64_t *before = &out[2 * (space - 1 - i)];
    int64_t same = tocha_wrapping_product(dilation->value.ints[i], kernel->value.ints[i] - 1);
    if (!is_word(padding)) {
      before[0] = before[1] = padding->value.ints[i];
    } else if (padding->value.ints[0] == TOCHA_PADDING_SAME) {
      before[0] = same / 2;
      before[1] = same - same / 2;
    } else {
      before[0] = before[1] = 0;
    }
  }
  return 2 * space;
}

tocha_tensor *tocha_module_forward_conv(tocha_context *cx, tocha_module *module, int count,
                                        tocha_tensor *const *inputs) {
  static const int64_t zero[MAX_SPACE] = {0, 0, 0};
  int64_t around[2 * MAX_SPACE];
  const tocha_arg *padding = tocha_module_option(module, "padding");
  const char *mode = padding_mode(module);
  if (!check_lists(cx, module)) return NULL; /* options may have been assigned */
  if (strcmp(mode, "zeros") == 0 && !is_word(padding))
    return tocha_module_call_operator(cx, module, count, inputs);
  if (strcmp(mode, "zeros") == 0) return convolve(cx, module, inputs[0], padding);
  int n = padding_around(module, around);
  tocha_arg none = {.value.ints = zero, .count = module->class->space, .given = true};
  tocha_tensor *padded = tocha_pad(cx, inputs[0], n, around, mode, NULL);
  return padded ? convolve(cx, module, padded, &none) : NULL;
}
