/* cpp_cost.cpp: the same loops in C and in C++, so that their instructions can be counted: cpp_cost LANGUAGE LOOP PASSES. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <tocha/tocha.hpp>

namespace F = tocha::functional;
using tocha::Tensor;

/* Ends the program after a failed call of C. */
static void test(const tocha_context *cx, bool ok) {
  if (ok) return;
  std::puts(tocha_error(cx)->message);
  std::exit(1);
}

static const int64_t small_size[] = {3, 3}, rows_size[] = {40, 1};

static void add_c(tocha_context *cx, int passes) {
  const tocha_scope all = tocha_scope_begin(cx);
  tocha_tensor *a = tocha_ones(cx, 2, small_size), *b = tocha_ones(cx, 2, small_size);
  for (int i = 0; i < passes; i++) {
    const tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *c = tocha_add(cx, a, b);
    test(cx, c);
    tocha_scope_end(cx, scope, nullptr);
  }
  tocha_scope_end(cx, all, nullptr);
}

static void add_cpp(tocha_context *cx, int passes) {
  const Tensor a = tocha::ones(cx, {3, 3}), b = tocha::ones(cx, {3, 3});
  for (int i = 0; i < passes; i++) const Tensor c = a + b;
}

static void recorded_c(tocha_context *cx, int passes) {
  const tocha_scope all = tocha_scope_begin(cx);
  tocha_tensor *a = tocha_ones(cx, 2, small_size), *b = tocha_ones(cx, 2, small_size);
  tocha_set_requires_grad(cx, a, true);
  for (int i = 0; i < passes; i++) {
    const tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *c = tocha_add(cx, a, b);
    test(cx, c);
    tocha_scope_end(cx, scope, nullptr);
  }
  tocha_scope_end(cx, all, nullptr);
}

static void recorded_cpp(tocha_context *cx, int passes) {
  const Tensor a = tocha::ones(cx, {3, 3}).requires_grad_(), b = tocha::ones(cx, {3, 3});
  for (int i = 0; i < passes; i++) const Tensor c = a + b;
}

static void forward_c(tocha_context *cx, int passes) {
  const tocha_scope all = tocha_scope_begin(cx);
  tocha_module *linear = tocha_nn_linear(cx, 3, 3, true, tocha_no_device(), TOCHA_NO_DTYPE);
  tocha_tensor *x = tocha_ones(cx, 2, small_size);
  const bool before = tocha_set_grad_enabled(cx, false);
  for (int i = 0; i < passes; i++) {
    const tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *y = tocha_relu(cx, tocha_module_call(cx, linear, x));
    test(cx, y);
    tocha_scope_end(cx, scope, nullptr);
  }
  tocha_set_grad_enabled(cx, before);
  tocha_scope_end(cx, all, nullptr);
  tocha_module_release(linear);
}

static void forward_cpp(tocha_context *cx, int passes) {
  const tocha::Module linear = tocha::nn::Linear(cx, 3, 3);
  const Tensor x = tocha::ones(cx, {3, 3});
  const tocha::NoGrad guard(cx);
  for (int i = 0; i < passes; i++) const Tensor y = relu(linear(x));
}

/* A network 1-10-1 in C, with a forward of the host's. */
typedef struct net_c {
  tocha_module *self, *hidden, *output;
} net_c;

static tocha_tensor *net_forward(tocha_context *cx, void *data, tocha_module *module, int count,
                                 tocha_tensor *const *inputs) {
  const net_c *net = static_cast<const net_c *>(data);
  (void)module, (void)count;
  const tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *hidden = tocha_relu(cx, tocha_module_call(cx, net->hidden, inputs[0]));
  return tocha_scope_end(cx, scope, tocha_module_call(cx, net->output, hidden));
}

static void train_c(tocha_context *cx, int passes) {
  const tocha_scope all = tocha_scope_begin(cx);
  net_c net = {tocha_module_new(cx, tocha_find_module_class("Module"), "Net"),
               tocha_nn_linear(cx, 1, 10, true, tocha_no_device(), TOCHA_NO_DTYPE),
               tocha_nn_linear(cx, 10, 1, true, tocha_no_device(), TOCHA_NO_DTYPE)};
  tocha_host_object host = {};
  host.data = &net;
  host.forward = net_forward;
  tocha_module_set_host_object(net.self, &host);
  test(cx, tocha_register_module(cx, net.self, "hidden", net.hidden));
  test(cx, tocha_register_module(cx, net.self, "output", net.output));
  tocha_optimizer *optimizer = tocha_optimizer_new(cx, tocha_find_optimizer_class("SGD"), nullptr);
  tocha_named_list list = {};
  test(cx, tocha_named_parameters(cx, net.self, "", true, true, &list));
  tocha_tensor *parameters[4];
  for (int i = 0; i < list.count; i++) parameters[i] = list.items[i].tensor;
  test(cx, tocha_optimizer_add_group(cx, optimizer, list.count, parameters, nullptr));
  tocha_named_list_free(&list);
  tocha_tensor *x = tocha_ones(cx, 2, rows_size), *y = tocha_ones(cx, 2, rows_size);
  for (int i = 0; i < passes; i++) {
    const tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *loss = tocha_mse_loss(cx, tocha_module_call(cx, net.self, x), y, nullptr, nullptr,
                                        "mean", nullptr);
    test(cx, tocha_optimizer_zero_grad(cx, optimizer, true));
    test(cx, tocha_backward(cx, loss, nullptr, false, false));
    test(cx, tocha_optimizer_step(cx, optimizer));
    tocha_scope_end(cx, scope, nullptr);
  }
  tocha_optimizer_release(optimizer);
  tocha_module_release(net.hidden);
  tocha_module_release(net.output);
  tocha_module_release(net.self);
  tocha_scope_end(cx, all, nullptr);
}

struct Net : tocha::Module {
  tocha::Module hidden, output;
  explicit Net(tocha_context *cx)
      : Module(cx, "Net"), hidden(register_module("hidden", tocha::nn::Linear(cx, 1, 10))),
        output(register_module("output", tocha::nn::Linear(cx, 10, 1))) {}
  Tensor forward(const Tensor &x) override { return output(relu(hidden(x))); }
};

static void train_cpp(tocha_context *cx, int passes) {
  Net net(cx);
  auto optimizer = tocha::optim::SGD(net.parameters());
  const Tensor x = tocha::ones(cx, {40, 1}), y = tocha::ones(cx, {40, 1});
  for (int i = 0; i < passes; i++) {
    const Tensor loss = F::mse_loss(net(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

int main(int count, char **words) {
  static const struct {
    const char *name;
    void (*in_c)(tocha_context *cx, int passes), (*in_cpp)(tocha_context *cx, int passes);
  } loops[] = {{"add", add_c, add_cpp},
               {"recorded", recorded_c, recorded_cpp},
               {"forward", forward_c, forward_cpp},
               {"train", train_c, train_cpp}};
  if (count != 4) return std::puts("usage: cpp_cost c|cpp add|recorded|forward|train PASSES"), 1;
  tocha_options options = {};
  options.threads = 1;
  const tocha::Context cx(options);
  for (const auto &loop : loops)
    if (!std::strcmp(loop.name, words[2]))
      return (std::strcmp(words[1], "c") ? loop.in_cpp : loop.in_c)(cx, std::atoi(words[3])), 0;
  return std::puts("there is no such loop"), 1;
}
