/* libtorch.cpp: what bench/host.c and host.cpp do, with PyTorch's library for C++ (bench/run libtorch). */
#include <torch/torch.h>

#include <iostream>

#include "host.h"

namespace F = torch::nn::functional;
using torch::Tensor;

static void add(long passes) {
  const Tensor a = torch::ones({3, 3}), b = torch::ones({3, 3});
  for (long i = 0; i < passes; i++) const Tensor c = a + b;
}

static void recorded(long passes) {
  const Tensor a = torch::ones({3, 3}).requires_grad_(), b = torch::ones({3, 3});
  for (long i = 0; i < passes; i++) const Tensor c = a + b;
}

struct Net : torch::nn::Module {
  torch::nn::Linear first, second, third;
  Net()
      : first(register_module("first", torch::nn::Linear(1, 10))),
        second(register_module("second", torch::nn::Linear(10, 10))),
        third(register_module("third", torch::nn::Linear(10, 1))) {}
  Tensor forward(const Tensor &x) { return third(torch::relu(second(torch::relu(first(x))))); }
};

static void train(long passes) {
  Net net;
  torch::optim::SGD optimizer(net.parameters(), 0.01);
  const Tensor x = torch::rand({40, 1}), y = torch::rand({40, 1});
  for (long i = 0; i < passes; i++) {
    const Tensor loss = F::mse_loss(net.forward(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

static void forward(long passes) {
  Net net;
  const torch::NoGradGuard guard;
  const Tensor row = torch::rand({1, 1});
  for (long i = 0; i < passes; i++) const Tensor y = net.forward(row);
}

int main(int count, char **words) {
  at::set_num_threads(1);
  const host_case cases[] = {{"a + b, 3x3", add},
                             {"a + b, 3x3, recorded", recorded},
                             {"training step, 1-10-10-1, 40 rows", train},
                             {"forward, 1-10-10-1, one row", forward}};
  if (host_measures(count, words)) return host_measure(cases, 4), 0;
  std::cout << torch::ones({3, 3}) << "\n";
  return host_show_memory(count, words), 0;
}
