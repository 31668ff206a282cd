/* recurrent.c: the members of recurrent layers: weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0
 * for each layer and direction, and weight_hr_l0 if the layer projects. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nn/construct.h"
#include "nn/functions/recurrent.h"
#include "tocha/nn/init.h"

/* Returns the number of gates, by the class of LSTM, GRU and RNN, and by the mode of RNNBase.
 * Returns 0 for an unknown mode. */
static int64_t gates_of(const tocha_module *module) {
  static const struct {
    const char *name;
    int64_t gates;
  } modes[] = {{"LSTM", 4}, {"GRU", 3}, {"RNN_TANH", 1}, {"RNN_RELU", 1}};
  const tocha_arg *mode = tocha_module_option(module, "mode");
  const char *name = mode ? mode->value.string : module->class->name;
  for (int i = 0; i < TOCHA_COUNT(modes); i++)
    if (strcmp(name, modes[i].name) == 0) return modes[i].gates;
  return mode ? 0 : 1;
}

/* Adds NAME_l3 or NAME_l3_reverse. columns is 0 for a vector. */
static bool add(tocha_context *cx, tocha_module *module, const char *name, int64_t layer,
                bool reverse, int64_t rows, int64_t columns) {
  char full[64];
  int64_t sizes[2] = {rows, columns};
  snprintf(full, sizeof full, "%s_l%lld%s", name, (long long)layer, reverse ? "_reverse" : "");
  return tocha_module_add_parameter(cx, module, full, true, columns ? 2 : 1, sizes, NULL);
}

/* Adds the members of one layer in one direction. features: the size of its input. */
static bool add_layer(tocha_context *cx, tocha_module *module, int64_t layer, bool reverse,
                      int64_t features) {
  int64_t hidden = tocha_option_int(module, "hidden_size");
  int64_t projected = tocha_option_int(module, "proj_size");
  int64_t rows = tocha_wrapping_product(gates_of(module), hidden);
  bool bias = tocha_option_flag(module, "bias");
  return add(cx, module, "weight_ih", layer, reverse, rows, features) &&
         add(cx, module, "weight_hh", layer, reverse, rows, projected ? projected : hidden) &&
         (!bias || add(cx, module, "bias_ih", layer, reverse, rows, 0)) &&
         (!bias || add(cx, module, "bias_hh", layer, reverse, rows, 0)) &&
         (!projected || add(cx, module, "weight_hr", layer, reverse, projected, hidden));
}

static bool check_options(tocha_context *cx, const tocha_module *module) {
  const tocha_arg *nonlinearity = tocha_module_option(module, "nonlinearity");
  const char *which = nonlinearity ? nonlinearity->value.string : "tanh";
  int64_t layers = tocha_option_int(module, "num_layers");
  if (strcmp(which, "tanh") != 0 && strcmp(which, "relu") != 0) {
    tocha_fail(cx, TOCHA_VALUE_ERROR, "Unknown nonlinearity '%s'. Select from 'tanh' or 'relu'.",
               which);
    return false;
  }
  if (tocha_option_int(module, "hidden_size") > INT64_MAX / 8 || layers > INT64_MAX / 8) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "hidden_size or num_layers is too large");
    return false;
  }
  if (tocha_option_int(module, "input_size") <= 0) {
    tocha_fail(cx, TOCHA_VALUE_ERROR, "input_size must be greater than zero");
    return false;
  }
  if (tocha_option_real(module, "dropout") > 0 && layers == 1) {
    char text[32];
    tocha_warn(cx,
               "dropout option adds dropout after all but last recurrent layer, so non-zero "
               "dropout expects num_layers greater than 1, but got dropout=%s and num_layers=%lld",
               tocha_format_float(tocha_option_real(module, "dropout"), text), (long long)layers);
  }
  return true;
}

bool tocha_module_init_recurrent(tocha_context *cx, tocha_module *module) {
  int64_t projected = tocha_option_int(module, "proj_size");
  int directions = tocha_option_flag(module, "bidirectional") ? 2 : 1;
  int64_t width = projected ? projected : tocha_option_int(module, "hidden_size");
  if (!check_options(cx, module)) return false;
  if (!gates_of(module)) {
    tocha_fail(cx, TOCHA_VALUE_ERROR, "Unrecognized RNN mode: %s",
               tocha_module_option(module, "mode")->value.string);
    return false;
  }
  for (int64_t layer = 0; layer < tocha_option_int(module, "num_layers"); layer++)
    for (int direction = 0; direction < directions; direction++)
      if (!add_layer(cx, module, layer, direction == 1,
                     layer ? tocha_wrapping_product(width, directions)
                           : tocha_option_int(module, "input_size")))
        return false;
  return true;
}

bool tocha_module_reset_recurrent(tocha_context *cx, tocha_module *module) {
  double bound = 1 / sqrt((double)tocha_option_int(module, "hidden_size"));
  for (int i = 0; i < module->parameters.count; i++) {
    tocha_tensor *t = module->parameters.items[i].value;
    if (t && !tocha_init_uniform_(cx, t, -bound, bound, NULL)) return false;
  }
  return true;
}
