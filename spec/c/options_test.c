/* options_test.c: the option structs of modules and optimizers: defaults, every kind of field, structs of programs
 * that were compiled before a field was added, and what a program may fill in by mistake. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "tocha/tocha.h"

static tocha_context *cx;

/* Returns true if print shows this for the module, which is released. */
static bool prints(tocha_module *module, const char *expected) {
  char *text = module ? tocha_module_to_string(cx, module) : NULL;
  bool same = text && strcmp(text, expected) == 0;
  if (!same) printf("got %s, %s\n", text ? text : "no module", tocha_error(cx)->message);
  tocha_free(text);
  tocha_module_release(module);
  return same;
}

static bool fails_with(const tocha_module *module, const char *message) {
  bool same = !module && strcmp(tocha_error(cx)->message, message) == 0;
  if (!same) printf("got %s\n", tocha_error(cx)->message);
  tocha_clear_error(cx);
  return same;
}

static void defaults(void) {
  tocha_conv2d_options conv = tocha_conv2d_defaults(3, 16, 3);
  CHECK(
      prints(tocha_nn_conv2d_with(cx, &conv), "Conv2d(3, 16, kernel_size=(3, 3), stride=(1, 1))"));
  tocha_max_pool2d_options pool = tocha_max_pool2d_defaults(2);
  CHECK(prints(tocha_nn_max_pool2d_with(cx, &pool),
               "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)"));
  tocha_batch_norm2d_options norm = tocha_batch_norm2d_defaults(8);
  CHECK(norm.momentum && *norm.momentum == 0.1);
  CHECK(prints(
      tocha_nn_batch_norm2d_with(cx, &norm),
      "BatchNorm2d(8, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"));
  tocha_transformer_options transformer = tocha_transformer_defaults();
  CHECK(transformer.d_model == 512 && transformer.nhead == 8 && !transformer.custom_encoder);
}

static void fields(void) {
  tocha_conv2d_options conv = tocha_conv2d_defaults(4, 8, 3);
  conv.kernel_size = (tocha_ints){2, {3, 5}};
  conv.stride = tocha_ints_of(2);
  conv.groups = 2;
  conv.bias = false;
  conv.padding_mode = "reflect";
  conv.padding = tocha_ints_of(1);
  conv.dtype = TOCHA_FLOAT64;
  tocha_module *module = tocha_nn_conv2d_with(cx, &conv);
  CHECK(module && tocha_dtype_of(tocha_get_parameter(cx, module, "weight")) == TOCHA_FLOAT64);
  CHECK(prints(module, "Conv2d(4, 8, kernel_size=(3, 5), stride=(2, 2), padding=(1, 1), groups=2, "
                       "bias=False, padding_mode=reflect)"));
  tocha_batch_norm2d_options norm = tocha_batch_norm2d_defaults(8);
  norm.momentum = NULL;
  CHECK(prints(tocha_nn_batch_norm2d_with(cx, &norm),
               "BatchNorm2d(8, eps=1e-05, momentum=None, affine=True, bias=True, "
               "track_running_stats=True)"));
  tocha_upsample_options up = tocha_upsample_defaults();
  up.scale_factor = tocha_floats_of(2);
  CHECK(prints(tocha_nn_upsample_with(cx, &up), "Upsample(scale_factor=2.0, mode='nearest')"));
}

/* A program that was compiled when the class had fewer arguments has a smaller struct: its memory
 * ends there, and what it lacks has its default. */
static void smaller(void) {
  struct {
    tocha_linear_options options;
    char guard[8];
  } older;
  size_t size = offsetof(tocha_linear_options, bias);
  memset(&older, 7, sizeof older);
  tocha_linear_options_init(&older.options, size);
  CHECK(((const char *)&older)[size] == 7);
  older.options.in_features = 2;
  older.options.out_features = 3;
  CHECK(prints(tocha_nn_linear_with(cx, &older.options),
               "Linear(in_features=2, out_features=3, bias=True)"));
}

static bool shows(tocha_optimizer *optimizer, const char *expected) {
  char *text = optimizer ? tocha_optimizer_to_string(cx, optimizer) : NULL;
  bool same = text && strcmp(text, expected) == 0;
  if (!same) printf("got %s, %s\n", text ? text : "no optimizer", tocha_error(cx)->message);
  tocha_free(text);
  tocha_optimizer_release(optimizer);
  return same;
}

static void optimizers(void) {
  const int64_t two = 2;
  tocha_tensor *w = tocha_set_requires_grad(cx, tocha_ones(cx, 1, &two), true);
  tocha_sgd_options sgd = tocha_sgd_defaults();
  sgd.lr = 0.5;
  sgd.momentum = 0.9;
  sgd.nesterov = true;
  CHECK(shows(
      tocha_optim_sgd(cx, 1, &w, &sgd),
      "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n    foreach: None\n"
      "    fused: None\n    lr: 0.5\n    maximize: False\n    momentum: 0.9\n    nesterov: True\n"
      "    weight_decay: 0\n)"));
  tocha_adam_options adam;
  memset(&adam, 7, sizeof adam);
  tocha_adam_options_init(&adam, offsetof(tocha_adam_options, eps)); /* an older program */
  CHECK(adam.lr == 1e-3 && adam.betas[1] == 0.999 && *(char *)&adam.eps == 7);
  adam.betas[0] = 0.8;
  tocha_optimizer *optimizer = tocha_optim_adam(cx, 1, &w, &adam);
  CHECK(optimizer &&
        tocha_scalar_real(tocha_optimizer_option(optimizer, 0, "betas")->first) == 0.8);
  CHECK(optimizer && tocha_scalar_real(tocha_optimizer_option(optimizer, 0, "eps")->first) == 1e-8);
  tocha_optimizer_release(optimizer);
  optimizer = tocha_optim_adamw(cx, 1, &w, NULL);
  CHECK(optimizer &&
        tocha_scalar_real(tocha_optimizer_option(optimizer, 0, "weight_decay")->first) == 1e-2);
  tocha_optimizer_release(optimizer);
  sgd.lr = -1;
  CHECK(!tocha_optim_sgd(cx, 1, &w, &sgd) &&
        strcmp(tocha_error(cx)->message, "Invalid learning rate: -1.0") == 0);
  tocha_clear_error(cx);
  CHECK(!tocha_optim_adam(cx, 0, NULL, NULL) &&
        strcmp(tocha_error(cx)->message, "optimizer got an empty parameter list") == 0);
  tocha_clear_error(cx);
  memset(&adam, 0, sizeof adam); /* not filled */
  CHECK(!tocha_optim_adam(cx, 1, &w, &adam) && tocha_failed(cx));
  tocha_clear_error(cx);
}

static void mistakes(void) {
  tocha_linear_options linear;
  memset(&linear, 0, sizeof linear);
  CHECK(fails_with(tocha_nn_linear_with(cx, &linear),
                   "Linear.__init__() missing required argument: 'in_features'"));
  CHECK(!tocha_nn_linear_with(cx, NULL) && tocha_failed(cx));
  tocha_clear_error(cx);
  tocha_conv2d_options conv = tocha_conv2d_defaults(3, 16, 3);
  conv.stride.count = 9;
  CHECK(fails_with(tocha_nn_conv2d_with(cx, &conv),
                   "option 'stride' has 9 numbers, but a list has 0 to 8"));
  conv = tocha_conv2d_defaults(3, 16, 3);
  conv.padding_mode = NULL;
  CHECK(!tocha_nn_conv2d_with(cx, &conv) && tocha_failed(cx));
  tocha_clear_error(cx);
  conv = tocha_conv2d_defaults(3, 16, 3);
  conv.dtype = (tocha_dtype)99;
  CHECK(!tocha_nn_conv2d_with(cx, &conv) && tocha_failed(cx));
  tocha_clear_error(cx);
  tocha_transformer_encoder_options encoder = tocha_transformer_encoder_defaults(NULL, 2);
  CHECK(!tocha_nn_transformer_encoder_with(cx, &encoder) && tocha_failed(cx));
  tocha_clear_error(cx);
  tocha_linear_options_init(NULL, sizeof linear);
  tocha_linear_options_init(&linear, 0);
}

int main(void) {
  cx = tocha_open(NULL);
  defaults();
  fields();
  smaller();
  optimizers();
  mistakes();
  tocha_close(cx);
  return finish();
}
