/* spirals.cpp: a network with a forward in C++ learns to tell two spirals apart, is saved, and loaded again. */
#include <iostream>
#include <utility>

#include <tocha/tocha.hpp>

namespace F = tocha::functional;
namespace nn = tocha::nn;
namespace optim = tocha::optim;
using tocha::Tensor;

/* Adds what two layers compute to their input, (N, width). */
struct Residual : tocha::Module {
  tocha::Module up, down;
  Residual(tocha_context *cx, int64_t width)
      : Module(cx, "Residual"), up(register_module("up", nn::Linear(cx, width, 2 * width))),
        down(register_module("down", nn::Linear(cx, 2 * width, width))) {}
  Tensor forward(const Tensor &x) override { return x + down(tanh(up(x))); }
};

struct Net : tocha::Module {
  tocha::Module input, output;
  Residual first, second;
  Tensor scale;
  explicit Net(tocha_context *cx)
      : Module(cx, "Net"), input(register_module("input", nn::Linear(cx, 2, 16))),
        output(register_module("output", nn::Linear(cx, 16, 2))), first(cx, 16), second(cx, 16),
        scale(register_parameter("scale", tocha::ones(cx, 1))) {
    register_module("first", first);
    register_module("second", second);
  }
  Tensor forward(const Tensor &x) override { return output(second(first(input(x)))) * scale; }
};

/* Returns `count` points of each of two spirals, (2 * count, 2), and their classes, (2 * count). */
static std::pair<Tensor, Tensor> spirals(tocha_context *cx, int64_t count) {
  const Tensor angle = tocha::linspace(cx, 1, 9, count);
  const Tensor arm = tocha::stack({angle * angle.cos(), angle * angle.sin()}, 1) / 5;
  const Tensor points = tocha::cat({arm, -arm});
  return {points + 0.05 * randn_like(points),
          tocha::arange(cx, 2 * count).ge(count).to(tocha::int64)};
}

static int64_t right(Net &net, const Tensor &points, const Tensor &classes) {
  const tocha::NoGrad guard(classes.context());
  return (net(points).argmax(1) == classes).sum().item<int64_t>();
}

static void run() {
  tocha::Context cx;
  cx.manual_seed(0);
  const auto [points, classes] = spirals(cx, 200);
  const auto [new_points, new_classes] = spirals(cx, 100);

  Net net(cx);
  std::cout << net << "\n" << net.parameter_count() << " parameters\n";
  auto optimizer = optim::Adam(net.parameters(), 0.01);
  for (int step = 1; step <= 300; step++) {
    const Tensor loss = F::cross_entropy(net(points), classes);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    if (step % 150 == 0)
      std::cout << "step " << step << "  right " << right(net, points, classes) << " of 400\n";
  }

  net.save("spirals.pt");
  Net loaded(cx);
  loaded.load("spirals.pt");
  std::cout << "loaded: right " << right(loaded, new_points, new_classes) << " of 200 new ones\n";

  try {
    loaded(new_points[{tocha::Slice(), 0}]);
  } catch (const tocha::Error &error) {
    std::cout << "one number is no point: " << error.what() << "\n";
  }
}

int main() {
  try {
    run();
    return 0;
  } catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
