/* host.cpp: small work in a host program in C++, beside libtorch.cpp and host.c (bench/run libtorch). */
#include <iostream>

#include <tocha/tocha.hpp>

#include "host.h"

namespace F = tocha::functional;
namespace nn = tocha::nn;
using tocha::Tensor;

static tocha_context *cx;

static void add(long passes) {
  const Tensor a = tocha::ones(cx, {3, 3}), b = tocha::ones(cx, {3, 3});
  for (long i = 0; i < passes; i++) const Tensor c = a + b;
}

static void recorded(long passes) {
  const Tensor a = tocha::ones(cx, {3, 3}).requires_grad_(), b = tocha::ones(cx, {3, 3});
  for (long i = 0; i < passes; i++) const Tensor c = a + b;
}

struct Net : tocha::Module {
  tocha::Module first, second, third;
  Net()
      : Module(cx, "Net"), first(register_module("first", nn::Linear(cx, 1, 10))),
        second(register_module("second", nn::Linear(cx, 10, 10))),
        third(register_module("third", nn::Linear(cx, 10, 1))) {}
  Tensor forward(const Tensor &x) override { return third(relu(second(relu(first(x))))); }
};

static void train(long passes) {
  Net net;
  auto optimizer = tocha::optim::SGD(net.parameters(), 0.01);
  const Tensor x = tocha::rand(cx, {40, 1}), y = tocha::rand(cx, {40, 1});
  for (long i = 0; i < passes; i++) {
    const Tensor loss = F::mse_loss(net.forward(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

static void forward(long passes) {
  Net net;
  const tocha::NoGrad guard(cx);
  const Tensor row = tocha::rand(cx, {1, 1});
  for (long i = 0; i < passes; i++) const Tensor y = net.forward(row);
}

int main(int count, char **words) {
  const tocha::Context context;
  cx = context;
  tocha_set_threads(cx, 1);
  const host_case cases[] = {{"a + b, 3x3", add},
                             {"a + b, 3x3, recorded", recorded},
                             {"training step, 1-10-10-1, 40 rows", train},
                             {"forward, 1-10-10-1, one row", forward}};
  if (host_measures(count, words)) return host_measure(cases, 4), 0;
  std::cout << tocha::ones(cx, {3, 3}) << "\n" << std::flush;
  return host_show_memory(count, words), 0;
}
