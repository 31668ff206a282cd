/* nn_test.c: modules and optimizers without Lua: the tree, its names, printing, state dicts, paths
 * of errors, a class with a host_object, training. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "nn/construct.h"
#include "tocha/amp.h"
#include "tocha/context.h"
#include "tocha/device.h"
#include "tocha/nn/dropout.h"
#include "tocha/nn/init.h"
#include "tocha/nn/linear.h"
#include "tocha/nn/module_list.h"
#include "tocha/nn/mse_loss.h"
#include "tocha/nn/relu.h"
#include "tocha/nn/sequential.h"
#include "tocha/nn.h"
#include "tocha/optim.h"
#include "tocha/reflect.h"
#include "tocha/tensor.h"
#include "tocha/ops/add.h"
#include "tocha/ops/select.h"
#include "optim/optimizer.h"

static const tocha_device anywhere = {TOCHA_NO_DEVICE, -1};

static tocha_module *linear(tocha_context *cx, int64_t in, int64_t out) {
  return tocha_nn_linear(cx, in, out, true, anywhere, TOCHA_NO_DTYPE);
}

/* Sequential(Linear(2, 3), ReLU(), Linear(3, 1)), drawn with seed 0. */
static tocha_module *small_net(tocha_context *cx) {
  tocha_manual_seed(cx, 0);
  tocha_module *net = tocha_nn_sequential(cx);
  tocha_module_add_child(cx, net, NULL, linear(cx, 2, 3));
  tocha_module_add_child(cx, net, NULL, tocha_nn_relu(cx, false));
  tocha_module_add_child(cx, net, NULL, linear(cx, 3, 1));
  return net;
}

static bool fails_with(tocha_context *cx, tocha_error_code code, const char *message) {
  const tocha_error_info *e = tocha_error(cx);
  bool same = e->code == code && strcmp(e->message, message) == 0;
  if (!same) printf("got %d: %s\n", (int)e->code, e->message);
  tocha_clear_error(cx);
  return same;
}

static void test_tree(tocha_context *cx) {
  tocha_module *net = small_net(cx);
  tocha_named_list list = {0};
  static const char *const names[] = {"0.weight", "0.bias", "2.weight", "2.bias"};
  CHECK(tocha_named_parameters(cx, net, "", true, true, &list) && list.count == 4);
  for (int i = 0; i < list.count; i++) CHECK(strcmp(list.items[i].name, names[i]) == 0);
  tocha_named_list_free(&list);
  CHECK(tocha_named_modules(cx, net, "net", true, &list) && list.count == 4);
  CHECK(list.count == 4 && strcmp(list.items[3].name, "net.2") == 0);
  tocha_named_list_free(&list);
  tocha_tensors tensors;
  CHECK(tocha_module_parameters(cx, net, &tensors) && tensors.count == 4);
  CHECK(tensors.count == 4 && tensors.items[3] == tocha_get_parameter(cx, net, "2.bias"));
  tocha_tensors_free(cx, &tensors);
  CHECK(!tocha_module_add_child(cx, net, NULL, NULL) && tocha_failed(cx));
  tocha_clear_error(cx);
  CHECK(!tocha_module_add_child(cx, net, "a.b", linear(cx, 1, 1)) && tocha_failed(cx));
  tocha_clear_error(cx);
  CHECK(tocha_parameter_count(cx, net) == 13);
  CHECK(tocha_get_submodule(cx, net, "2") == tocha_module_child(net, 2));
  CHECK(tocha_get_parameter(cx, net, "2.bias") != NULL);
  CHECK(!tocha_get_parameter(cx, net, "2.none") &&
        fails_with(cx, TOCHA_ATTRIBUTE_ERROR, "Linear has no attribute `none`"));
  CHECK(!tocha_register_buffer(cx, net, "0", NULL, true) &&
        fails_with(cx, TOCHA_KEY_ERROR, "attribute '0' already exists"));
  CHECK(!tocha_register_module(cx, net, "a.b", NULL) &&
        fails_with(cx, TOCHA_KEY_ERROR, "module name can't contain \".\", got: a.b"));
  CHECK(tocha_register_module(cx, net, "3", tocha_module_child(net, 0))); /* shared */
  CHECK(tocha_parameter_count(cx, net) == 13);
  CHECK(tocha_module_take(net, 0) && tocha_module_child_count(net) == 3);
  CHECK(strcmp(tocha_module_child_name(net, 2), "2") == 0);
  tocha_module_train(net, false);
  CHECK(!tocha_module_training(tocha_module_child(net, 1)));
  tocha_module_release(net);
}

static void test_print(tocha_context *cx) {
  tocha_module *list = tocha_nn_module_list(cx), *outer;
  tocha_module_add_child(cx, list, "0", linear(cx, 2, 2));
  tocha_module_add_child(cx, list, "1", linear(cx, 2, 2));
  tocha_module_add_child(cx, list, "2", tocha_nn_dropout(cx, tocha_float(0.5), false));
  outer = tocha_module_new(cx, NULL, "Net");
  tocha_module_add_child(cx, outer, "layers", list);
  char *text = tocha_module_to_string(cx, outer);
  CHECK(text && strcmp(text, "Net(\n"
                             "  (layers): ModuleList(\n"
                             "    (0-1): 2 x Linear(in_features=2, out_features=2, bias=True)\n"
                             "    (2): Dropout(p=0.5, inplace=False)\n"
                             "  )\n"
                             ")") == 0);
  free(text);
  tocha_module_release(outer);
}

static void test_state(tocha_context *cx) {
  tocha_module *net = small_net(cx), *other = small_net(cx), *wide = tocha_nn_sequential(cx);
  tocha_state_dict *dict = tocha_module_state_dict(cx, net, "", false);
  CHECK(dict && tocha_state_dict_count(dict) == 4);
  float *weight = tocha_data(tocha_get_parameter(cx, net, "0.weight"));
  CHECK(weight == tocha_data(tocha_state_dict_tensor(dict, 0))); /* it shares memory */
  weight[0] = 42;
  CHECK(tocha_module_load_state_dict(cx, other, dict, true, false, NULL, NULL));
  CHECK(*(float *)tocha_data(tocha_get_parameter(cx, other, "0.weight")) == 42);
  tocha_module_add_child(cx, wide, "0", linear(cx, 5, 3));
  tocha_module_add_child(cx, wide, "extra", linear(cx, 1, 1));
  CHECK(!tocha_module_load_state_dict(cx, wide, dict, true, false, NULL, NULL));
  CHECK(
      fails_with(cx, TOCHA_RUNTIME_ERROR,
                 "Error(s) in loading state_dict for Sequential:\n"
                 "\tMissing key(s) in state_dict: \"extra.weight\", \"extra.bias\". \n"
                 "\tUnexpected key(s) in state_dict: \"2.weight\", \"2.bias\". \n"
                 "\tsize mismatch for 0.weight: copying a param with shape torch.Size([3, 2]) from "
                 "checkpoint, the shape in current model is torch.Size([3, 5])."));
  tocha_tensor *parameter = tocha_get_parameter(cx, net, "2.bias");
  CHECK(tocha_module_to(cx, net, anywhere, TOCHA_FLOAT64));
  CHECK(tocha_get_parameter(cx, net, "2.bias") == parameter); /* the same tensor, other data */
  CHECK(tocha_dtype_of(parameter) == TOCHA_FLOAT64);
  tocha_state_dict_release(dict);
  tocha_module_release(net);
  tocha_module_release(other);
  tocha_module_release(wide);
}

/* A class of the host's own: twice the input. */
static tocha_tensor *twice(tocha_context *cx, void *data, tocha_module *module, int count,
                           tocha_tensor *const *inputs) {
  (void)module;
  (void)count;
  ++*(int *)data;
  return tocha_add(cx, inputs[0], inputs[0]);
}

/* What the constructor made may be gone when it is needed. */
static void test_missing_parameters(tocha_context *cx) {
  float ones[2] = {1, 1};
  int64_t sizes[2] = {1, 2};
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *x = tocha_from_values(cx, ones, 2, sizes, TOCHA_FLOAT32);
  tocha_module *layer = linear(cx, 2, 3);
  CHECK(tocha_register_parameter(cx, layer, "weight", NULL));
  CHECK(!tocha_module_call(cx, layer, x) &&
        fails_with(cx, TOCHA_TYPE_ERROR,
                   "linear(): argument 'weight' (position 2) must be Tensor, not NoneType"));
  CHECK(!tocha_module_reset_parameters(cx, layer) &&
        fails_with(cx, TOCHA_ATTRIBUTE_ERROR, "'NoneType' object has no attribute 'shape'"));
  CHECK(tocha_module_remove(layer, "weight"));
  CHECK(!tocha_module_call(cx, layer, x) &&
        fails_with(cx, TOCHA_ATTRIBUTE_ERROR, "'Linear' object has no attribute 'weight'"));
  CHECK(!tocha_init_ones_(cx, NULL) &&
        fails_with(cx, TOCHA_ATTRIBUTE_ERROR, "'NoneType' object has no attribute 'fill_'"));
  CHECK(!tocha_nn_dropout(cx, tocha_float(1.5), false) &&
        fails_with(cx, TOCHA_VALUE_ERROR,
                   "dropout probability has to be between 0 and 1, but got 1.5"));
  tocha_module_release(layer);
  tocha_scope_end(cx, scope, NULL);
}

/* Fails without an error. */
static tocha_tensor *silent(tocha_context *cx, void *data, tocha_module *module, int count,
                            tocha_tensor *const *inputs) {
  (void)cx;
  (void)data;
  (void)module;
  (void)count;
  (void)inputs;
  return NULL;
}

static bool silent_closure(tocha_context *cx, void *user, double *loss) {
  (void)cx;
  (void)user;
  (void)loss;
  return false;
}

static void test_calls(tocha_context *cx) {
  int calls = 0;
  int64_t sizes[2] = {1, 2};
  float ones[2] = {1, 1};
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *x = tocha_from_values(cx, ones, 2, sizes, TOCHA_FLOAT32);
  tocha_module *net = tocha_module_new(cx, tocha_find_module_class("Sequential"), "Net");
  tocha_module *own = tocha_module_new(cx, NULL, "Twice");
  tocha_host_object host_object = {.data = &calls, .forward = twice};
  tocha_module_set_host_object(own, &host_object);
  tocha_module_add_child(cx, net, "own", own);
  tocha_tensor *y = tocha_module_call(cx, net, x);
  CHECK(y && calls == 1 && ((float *)tocha_data(y))[1] == 2);
  tocha_module *inner = tocha_nn_sequential(cx);
  tocha_module_add_child(cx, inner, "0", tocha_nn_relu(cx, false));
  tocha_module_add_child(cx, inner, "1", linear(cx, 3, 1));
  tocha_module_add_child(cx, net, "encoder", inner);
  CHECK(!tocha_module_call(cx, net, x));
  CHECK(strcmp(tocha_error(cx)->path, "Net.encoder.1 (Linear)") == 0);
  char text[256], cut[8];
  CHECK(strstr(tocha_error_text(cx, text, sizeof text), "multiplied (") &&
        strstr(text, ")\nin Net.encoder.1 (Linear)\nhint: the last size of the first must be"));
  CHECK(strlen(tocha_error_text(cx, cut, sizeof cut)) == 7);
  tocha_clear_error(cx);
  CHECK(!tocha_error_text(cx, text, sizeof text)[0]);
  CHECK(tocha_module_depth(cx) == 0);
  tocha_module *empty = tocha_module_new(cx, NULL, "Empty");
  CHECK(!tocha_module_call(cx, empty, x) &&
        fails_with(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                   "Module [Empty] is missing the required \"forward\" function"));
  tocha_host_object says_nothing = {.data = &calls, .forward = silent};
  tocha_module_set_host_object(empty, &says_nothing);
  CHECK(!tocha_module_call(cx, empty, x) &&
        fails_with(cx, TOCHA_RUNTIME_ERROR, "the forward of Empty failed without an error"));
  tocha_module_release(empty);
  tocha_module_release(net);
  tocha_scope_end(cx, scope, NULL);
}

/* Returns a class whose operator is `op`, with one option; `from` is where the operator's second argument comes from. */
static tocha_module_class class_with(const char *op, const tocha_parameter *option,
                                     const int8_t from[2]) {
  tocha_module_class class = *tocha_find_module_class("Hardshrink");
  class.name = "Own";
  class.op = op;
  class.op_arguments = from;
  class.parameters = option;
  class.parameter_count = 1;
  return class;
}

static double answer(tocha_context *cx, const tocha_module_class *class) {
  const int64_t two = 2;
  tocha_scalar value = tocha_float(-1);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *x = tocha_from_values(cx, (float[]){5, 7}, 1, &two, TOCHA_FLOAT32);
  tocha_module *module = tocha_module_new(cx, class, NULL);
  tocha_tensor *y = tocha_module_call(cx, module, x);
  if (y) CHECK(tocha_item(cx, tocha_select(cx, y, 0, 1), &value));
  tocha_module_release(module);
  tocha_scope_end(cx, scope, NULL);
  return tocha_scalar_real(value);
}

/* Tests options of every kind of number for operators that take a tensor or a number, a number, an integer. */
static void test_options(tocha_context *cx) {
  static const int8_t option[2] = {0, TOCHA_FROM_OPTIONS}, member[2] = {0, TOCHA_FROM_MEMBER};
  tocha_parameter options[] = {{.name = "other", .kind = TOCHA_KIND_INT},
                               {.name = "other", .kind = TOCHA_KIND_FLOAT},
                               {.name = "other", .kind = TOCHA_KIND_SCALAR}};
  options[0].default_value.value.integer = 3;
  options[1].default_value.value.real = 3;
  options[2].default_value.value.scalar = tocha_int(3);
  for (int i = 0; i < 3; i++) options[i].default_value.given = options[i].has_default = true;
  for (int i = 0; i < 3; i++) {
    tocha_module_class product = class_with("mul", &options[i], option);
    tocha_module_class rest = class_with("remainder.scalar", &options[i], option);
    CHECK(answer(cx, &product) == 21);
    CHECK(answer(cx, &rest) == 1);
  }
  tocha_module_class none = class_with("mul", &options[0], member);
  CHECK(answer(cx, &none) == -1); /* a member that is not there */
  CHECK(tocha_failed(cx));
  tocha_clear_error(cx);
}

/* Learns y = x1 + x2 with Adam; the loss must fall a hundredfold. */
static void test_training(tocha_context *cx) {
  tocha_module *net = small_net(cx), *loss_of = tocha_nn_mse_loss(cx, NULL, NULL, "mean");
  tocha_optimizer *adam = tocha_optimizer_new(cx, tocha_find_optimizer_class("Adam"), NULL);
  tocha_tensor *parameters[4];
  tocha_named_list list = {0};
  CHECK(net && loss_of && adam && tocha_named_parameters(cx, net, "", true, true, &list));
  for (int i = 0; i < 4; i++) parameters[i] = list.items[i].tensor;
  CHECK(tocha_optimizer_add_group(cx, adam, 4, parameters, NULL));
  CHECK(
      !tocha_optimizer_add_group(cx, adam, 1, parameters, NULL) &&
      fails_with(cx, TOCHA_VALUE_ERROR, "some parameters appear in more than one parameter group"));
  tocha_optimizer_set_learning_rate(adam, 0, 0.02);
  float xs[8] = {0, 0, 0, 1, 1, 0, 1, 1}, ys[4] = {0, 1, 1, 2}, first = 0, last = 0;
  int64_t x_size[2] = {4, 2}, y_size[2] = {4, 1};
  for (int i = 0; i < 500; i++) {
    tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *x = tocha_from_values(cx, xs, 2, x_size, TOCHA_FLOAT32);
    tocha_tensor *pair[2] = {tocha_module_call(cx, net, x),
                             tocha_from_values(cx, ys, 2, y_size, TOCHA_FLOAT32)};
    tocha_tensor *loss = tocha_module_forward(cx, loss_of, 2, pair);
    bool ok = loss && tocha_optimizer_zero_grad(cx, adam, true) &&
              tocha_backward(cx, loss, NULL, false, false) && tocha_optimizer_step(cx, adam);
    if (ok) last = *(float *)tocha_data(loss);
    if (i == 0) first = last;
    tocha_scope_end(cx, scope, NULL);
    if (!ok) break;
  }
  CHECK(!tocha_failed(cx) && first > 0 && last < first / 100);
  CHECK(tocha_data(tocha_optimizer_state(adam, 0, 0, 0)) &&
        *(float *)tocha_data(tocha_optimizer_state(adam, 0, 0, 0)) == 500);
  tocha_named_list_free(&list);
  tocha_optimizer_release(adam);
  tocha_module_release(net);
  tocha_module_release(loss_of);
}

/* A closure that gives 1, 2, 3, ... and fails after `left` calls. */
typedef struct counter {
  int calls, left;
  bool recorded;
} counter;

static bool count(tocha_context *cx, void *user, double *loss) {
  counter *c = user;
  c->recorded = tocha_grad_enabled(cx);
  if (c->left-- == 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "enough") != NULL;
  c->calls++;
  if (loss) *loss = c->calls;
  return true;
}

/* A whole step of a class's own: adds up what two calls of the closure give. */
static double sum_of_losses;

static bool run_twice(tocha_context *cx, tocha_optimizer *optimizer, const tocha_closure *closure) {
  (void)optimizer;
  for (int i = 0; i < 2; i++) {
    double loss = 0;
    if (!tocha_closure_call(cx, closure, &loss)) return false;
    sum_of_losses += loss;
  }
  return true;
}

static bool accept(tocha_context *cx, const tocha_option *options) {
  (void)cx;
  (void)options;
  return true;
}

static void test_closures(tocha_context *cx) {
  static const char *const no_states[] = {NULL};
  static const tocha_optimizer_class own = {
      .name = "Own", .states = no_states, .check = accept, .rule = -1, .run = run_twice};
  counter c = {.left = 4};
  sum_of_losses = 0;
  const tocha_closure closure = {count, &c};
  tocha_optimizer *sgd = tocha_optimizer_new(cx, tocha_find_optimizer_class("SGD"), NULL);
  tocha_optimizer *twice = tocha_optimizer_new(cx, &own, NULL);
  bool recording = tocha_set_grad_enabled(cx, false);
  CHECK(tocha_optimizer_step_closure(cx, sgd, &closure) && c.calls == 1 && c.recorded);
  CHECK(tocha_optimizer_step_closure(cx, twice, &closure) && c.calls == 3 && sum_of_losses == 5);
  CHECK(!tocha_optimizer_step_closure(cx, twice, &closure) && c.calls == 4 &&
        fails_with(cx, TOCHA_RUNTIME_ERROR, "enough"));
  c.left = 0;
  CHECK(!tocha_optimizer_step_closure(cx, sgd, &closure) &&
        fails_with(cx, TOCHA_RUNTIME_ERROR, "enough"));
  const tocha_closure says_nothing = {silent_closure, NULL};
  CHECK(!tocha_optimizer_step_closure(cx, sgd, &says_nothing) &&
        fails_with(cx, TOCHA_RUNTIME_ERROR, "the closure failed without an error"));
  CHECK(!tocha_grad_enabled(cx));
  tocha_set_grad_enabled(cx, recording);
  tocha_optimizer_release(twice);
  tocha_optimizer_release(sgd);
}

static void run_all(tocha_context *cx) {
  static void (*const tests[])(tocha_context *) = {
      test_tree,     test_print,    test_state,  test_calls, test_missing_parameters,
      test_training, test_closures, test_options};
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
    tests[i](cx);
    CHECK(!tocha_failed(cx));
    if (tocha_failed(cx)) printf("%s\n", tocha_error(cx)->message);
    tocha_clear_error(cx);
  }
}

int main(void) {
  tocha_context *cx = tocha_open(NULL);
  run_all(cx);
  size_t before = tocha_memory(cx, tocha_cpu()).allocated;
  run_all(cx);
  CHECK(tocha_memory(cx, tocha_cpu()).allocated == before); /* nothing is left behind */
  tocha_close(cx);
  return finish();
}
