/* cpp_test.cpp: <tocha/tocha.hpp> as a program in C++17 and later uses it: cpp_test FOLDER. Prints what fails; the last
 * line counts. */
#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include <tocha/tocha.hpp>

namespace F = tocha::functional;
namespace nn = tocha::nn;
namespace optim = tocha::optim;
using tocha::Context;
using tocha::Error;
using tocha::Module;
using tocha::Slice;
using tocha::Tensor;

static int passed, failed;
static std::string folder; /* for files */

static void check(bool ok, const char *what, int line) {
  if (ok) {
    passed++;
    return;
  }
  failed++;
  std::printf("line %d: %s\n", line, what);
}
#define CHECK(...) check(__VA_ARGS__, #__VA_ARGS__, __LINE__)

/* Returns the Error that a function throws, or one with the message "nothing was thrown". */
template <class Function> static Error error_of(Function function) {
  try {
    function();
  } catch (const Error &error) {
    return error;
  }
  return Error(TOCHA_ASSERTION_ERROR, "nothing was thrown");
}

static bool alike(const Tensor &a, const Tensor &b) {
  return a.sizes().vector() == b.sizes().vector() && (a == b).all().item<bool>();
}

static void test_tensors(const Context &cx) {
  Tensor x = tocha::tensor(cx, {1, 2, 3, 4, 5, 6}, {2, 3});
  CHECK(x.dtype() == tocha::int64 && x.dim() == 2 && x.size(-1) == 3 && x.numel() == 6);
  CHECK(tocha::tensor(cx, {1.5, 2.0}).dtype() == tocha::float32);
  CHECK(tocha::tensor(cx, {1.5, 2.0}, {}, tocha::float64).dtype() == tocha::float64);
  CHECK(tocha::tensor(cx, {true, false}).dtype() == tocha::boolean);
  CHECK(tocha::tensor(cx, 7).dim() == 0 && tocha::tensor(cx, 7).item<int>() == 7);
  CHECK(tocha::tensor(cx, std::vector<float>{1, 2, 3}).size(0) == 3);
  CHECK(error_of([&] {
          tocha::tensor(cx, {1, 2, 3}, {2, 2});
        }).message() == "the sizes ask for 4 values, but 3 were given");
  float memory[] = {1, 2, 3, 4};
  Tensor over = tocha::from_memory(cx, memory, {2, 2});
  over.mul_(2);
  CHECK(memory[3] == 8 && over.data<float>() == memory);
  CHECK(error_of([&] { over.data<int64_t>(); }).code() == TOCHA_TYPE_ERROR);
  Tensor same = over, moved = std::move(same);
  CHECK(!same.defined() && moved.is(over) && !over.clone().is(over));
  moved = static_cast<const Tensor &>(moved);
  moved = x;
  CHECK(moved.is(x) && x.sum(1, true).size(1) == 1 && x.sum({0, 1}).item<int>() == 21 &&
        x.sum().item<int>() == 21);
  std::ostringstream out;
  out << x.to(tocha::float32);
  CHECK(out.str() == "tensor([[1., 2., 3.],\n        [4., 5., 6.]])");
  CHECK(tocha::ones(cx, 3, {}).dtype() == tocha::float32 && x.dtype().name() == "int64");
  CHECK(tocha::zeros(cx, {}).dim() == 0 && tocha::ones(cx, 3).size(0) == 3);
  CHECK(tocha::zeros(cx, {2, 2}, tocha::float64, "cpu").dtype() == tocha::float64);
  CHECK(tocha::Device("cuda:1").name() == "cuda:1" && x.device().name() == "cpu");
  CHECK(error_of([] { tocha::Device("gpu"); }).message() == "Invalid device string: 'gpu'");
  CHECK(error_of([] { tocha::Device("cuda:"); }).code() == TOCHA_RUNTIME_ERROR);
}

static void test_symbols(const Context &cx) {
  const Tensor a = tocha::tensor(cx, {1, 2, 3}), b = tocha::tensor(cx, {3, 2, 1});
  CHECK(alike(a + b, tocha::full(cx, 3, 4)) && alike(a * 2 - b, tocha::tensor(cx, {-1, 2, 5})));
  CHECK(alike(6 / a, tocha::tensor(cx, {6.0, 3.0, 2.0})) &&
        alike(10 - a, tocha::tensor(cx, {9, 8, 7})));
  CHECK(alike(-a, a * -1) && alike(2 + a, a + 2) && alike(7 % a, tocha::tensor(cx, {0, 1, 1})));
  CHECK(alike(a < b, tocha::tensor(cx, {true, false, false})) && alike(a >= 2, 2 <= a) &&
        alike(3 > a, a < 3));
  CHECK(alike(a == b, tocha::tensor(cx, {false, true, false})) && alike(a != 2, 2 != a) &&
        alike(2 == a, a == 2));
  CHECK(alike((a > 1) & (a < 3), a == 2) && alike(~(a == 2), a != 2) && alike(1 | a, a | 1) &&
        alike(a ^ a, a * 0));
  CHECK(alike(a << 1, a * 2) && alike(8 >> a, tocha::tensor(cx, {4, 2, 1})));
  Tensor c = a.clone();
  const Tensor alias = c;
  c += b;
  c *= 2;
  CHECK(alias.is(c) && alike(c, tocha::full(cx, 3, 8)));
  CHECK((a + 1.5).dtype() == tocha::float32 && (a + 1).dtype() == tocha::int64);
}

static void test_subscripts(const Context &cx) {
  const Tensor x = tocha::arange(cx, 12).reshape({3, 4});
  CHECK(x[0].sum().item<int>() == 6 && x[-1][2].item<int>() == 10);
  CHECK(alike(x[{Slice(1, 3), 0}], tocha::tensor(cx, {4, 8})));
  CHECK(alike(x[":, ::2"], x[{tocha::Ellipsis(), Slice({}, {}, 2)}]));
  CHECK(x[{std::nullopt, 1}].size(0) == 1 && alike(x[x > 9], tocha::tensor(cx, {10, 11})));
  CHECK(
      alike(x[{tocha::tensor(cx, {0, 2}), tocha::tensor(cx, {1, 1})}], tocha::tensor(cx, {1, 9})));
  const Tensor y = x.clone();
  y.assign({Slice(), 0}, -1);
  y.assign("0", x[2]);
  CHECK(alike(y[0], x[2]) && y[{1, 0}].item<int>() == -1);
  CHECK(error_of([&] { x[7]; }).code() == TOCHA_INDEX_ERROR);
  CHECK(error_of([&] { x["nonsense"]; }).code() != TOCHA_ASSERTION_ERROR);
}

static void test_operators(const Context &cx) {
  const Tensor x = tocha::tensor(cx, {3.0, 1.0, 2.0});
  const auto [values, indices] = x.sort();
  CHECK(values[0].item() == 1 && indices[0].item<int>() == 1);
  const auto [largest, place] = x.max(0);
  CHECK(largest.item() == 3 && place.item<int>() == 0 && x.max().item() == 3 &&
        x.max(x + 1)[0].item() == 4);
  CHECK(tocha::cat({x, x}).size(0) == 6 && tocha::stack(std::vector<Tensor>(10, x)).size(0) == 10);
  CHECK(x.split(2).size() == 2 && tocha::chunk(x, 3)[2].item() == 2 && allclose(x, x + 1e-9) &&
        !x.equal(x + 1));
  CHECK(x.clamp({}, 2).max().item() == 2 && tocha::where(x > 2, x, 0).sum().item() == 3);
  /* 0 is a number and nothing else */
  CHECK(x.norm(0).item() == 3 && x.std(0).item() == x.std().item() &&
        x.argsort(0)[0].item<int>() == 1);
  CHECK(x.bernoulli(0).sum().item() == 0 && x.std(0, 2).item() > x.std(0, true).item());
  CHECK(x.std(0).item() == x.std(0, true).item() && std::abs(x.pow(2).sum().item() - 14) < 1e-6);
  const Tensor image = tocha::ones(cx, {1, 2, 5, 5}), weight = tocha::ones(cx, {3, 2, 3, 3}),
               bias = tocha::zeros(cx, 3);
  CHECK(tocha::conv2d(image, weight, bias).sizes().vector() == (std::vector<int64_t>{1, 3, 3, 3}));
  CHECK(tocha::conv2d(image, weight, bias, 1, "same").size(3) == 5 &&
        F::max_pool2d(image, 2).size(2) == 2);
  CHECK(std::get<1>(F::max_pool2d_with_indices(image, 2)).dtype() == tocha::int64);
  CHECK(tocha::conv2d(image, weight, {}, 2, 0).size(3) == 2);
  CHECK(tocha::conv2d(image, weight, {}, {2, 1}, 1).sizes().vector() ==
        (std::vector<int64_t>{1, 3, 3, 5}));
  CHECK(error_of([&] { tocha::conv2d(image, weight, {}, 1, "small"); }).message() ==
        "Invalid padding string: 'small'");
  CHECK(F::mse_loss(x, x + 2, "sum").item() == 12 &&
        F::cross_entropy(x, tocha::tensor(cx, 0)).item() > 0);
  CHECK(F::adaptive_avg_pool2d(image, {tocha::absent, 2}).size(2) == 5);
  const Tensor matrix = tocha::eye(cx, 2) * 4;
  CHECK(tocha::linalg::det(matrix).item() == 16 &&
        std::get<0>(tocha::linalg::svd(matrix)).dim() == 2);
  CHECK(std::abs(tocha::special::expit(x)[1].item() - 1 / (1 + std::exp(-1.0))) < 1e-6);
  CHECK(x.T().is(x) || alike(x.T(), x));
  tocha::Generator generator(cx);
  generator.manual_seed(1);
  const Tensor random = tocha::rand(cx, 3, generator);
  generator.manual_seed(1);
  CHECK(alike(random, tocha::rand(cx, 3, generator)));
}

static void test_errors(const Context &cx) {
  const Tensor x = tocha::ones(cx, {2, 3});
  Error error = error_of([&] { tocha::mm(x, x); });
  CHECK(error.message() == "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)" &&
        error.op() == "mm");
  CHECK(!error.hint().empty() && error.what() == error.message() + "\nhint: " + error.hint() &&
        !tocha_failed(cx));
  CHECK(error_of([&] { x + Tensor(); }).code() == TOCHA_TYPE_ERROR);
  CHECK(error_of([&] { Tensor() + x; }).code() == TOCHA_TYPE_ERROR);
  CHECK(error_of([&] { Tensor().item(); }).code() == TOCHA_TYPE_ERROR);
  CHECK(error_of([&] { tocha::cat({}); }).code() == TOCHA_TYPE_ERROR);
  CHECK(error_of([&] { Module().parameters(); }).code() == TOCHA_TYPE_ERROR);
  CHECK(error_of([&] { nn::Linear(cx, -1, 2); }).code() != TOCHA_ASSERTION_ERROR &&
        !tocha_failed(cx));
  CHECK((x + x).sum().item() == 12);
  CHECK(tocha_scope_size(cx) == 0);
}

static void test_autograd(const Context &cx) {
  const Tensor w = tocha::tensor(cx, {1.0, 2.0}).requires_grad_();
  (w * w).sum().backward();
  CHECK(alike(w.grad(), tocha::tensor(cx, {2.0, 4.0})) && w.is_leaf() && w.requires_grad());
  {
    tocha::NoGrad guard(cx);
    CHECK(!(w * 2).requires_grad());
    tocha::EnableGrad again(cx);
    CHECK((w * 2).requires_grad());
  }
  CHECK((w * 2).requires_grad());
  const auto gradients = tocha::grad((w * w * w).sum(), w, {}, false, true);
  CHECK(alike(gradients[0], 3 * w * w) && alike(tocha::grad(gradients[0].sum(), w)[0], 6 * w));
  CHECK(!tocha::grad(w.sum(), {w, w.clone()}, {}, false, false, true)[1].defined());
  w.set_grad({});
  CHECK(!w.grad().defined());
  CHECK(error_of([&] { (w * 2).backward(); }).message() ==
        "grad can be implicitly created only for scalar outputs");
}

/* A network in C++ with a parameter, a buffer and members of its own. */
struct Block : Module {
  Module inner;
  Tensor scale, calls;
  explicit Block(tocha_context *cx)
      : Module(cx, "Block"), inner(register_module("inner", nn::Linear(cx, 4, 4))),
        scale(register_parameter("scale", tocha::ones(cx, 4))),
        calls(register_buffer("calls", tocha::zeros(cx, {}))) {}
  Tensor forward(const Tensor &x) override {
    if (x.size(-1) != 4) throw std::out_of_range("a Block takes four features");
    if (training()) calls.add_(1);
    return inner(x) * scale;
  }
};

struct Net : Module {
  Block block;
  Module output;
  explicit Net(tocha_context *cx) : Module(cx, "Net"), block(cx), output(nn::Linear(cx, 4, 2)) {
    register_module("block", block);
    register_module("output", output);
  }
  Tensor forward(const Tensor &x) override { return output(relu(block(x))); }
};

/* Several inputs and outputs. */
struct Sums : Module {
  explicit Sums(tocha_context *cx) : Module(cx, "Sums") {}
  std::vector<Tensor> forward_all(const std::vector<Tensor> &inputs) override {
    if (inputs.size() == 1) return {inputs[0]};
    return {inputs[0] + inputs[1], inputs[0] - inputs[1]};
  }
};

static void test_modules(const Context &cx) {
  tocha_manual_seed(cx, 0);
  Net net(cx);
  const Tensor x = tocha::randn(cx, {3, 4});
  CHECK(net(x).size(1) == 2 && alike(net(x), net.forward(x)) && net.parameters().size() == 5);
  CHECK(net.block.calls.item() == 3);
  net.eval();
  net(x);
  CHECK(net.block.calls.item() == 3 && !net.block.training());
  CHECK(net.to_string().find("(inner): Linear(in_features=4, out_features=4, bias=True)") !=
        std::string::npos);
  CHECK(net.parameter("block.inner.weight").is(net.block.inner.parameter("weight")));
  const tocha::StateDict state = net.state_dict();
  CHECK(state.size() == 6 && state.name(0) == "block.scale" &&
        alike(state["output.bias"], net.parameter("output.bias")));
  Net other(cx);
  CHECK(!alike(other(x), net(x)));
  other.load_state_dict(state);
  CHECK(alike(other(x), net(x)));
  const Tensor before = net(x);
  Net moved(std::move(net));
  CHECK(alike(moved(x), before) && alike(moved.block(x), other.block(x)));
  CHECK(
      alike(Tensor::adopt(cx, tocha_retain(tocha_module_call(cx, moved.get(), x.get()))), before));
  CHECK(!tocha_scope_end(cx, tocha_scope{0}, nullptr));
  moved.to(tocha::float64);
  CHECK(moved(x.to(tocha::float64)).dtype() == tocha::float64);
  CHECK(moved.buffer("block.calls").is(moved.block.calls) &&
        moved.block.calls.dtype() == tocha::float64);
  CHECK(moved.state_dict().size() == 6);
  moved.requires_grad_(false);
  CHECK(!moved.parameters()[0].requires_grad());

  Sums sums(cx);
  const auto both = sums.call_all({x, x});
  CHECK(both.size() == 2 && alike(both[0], x * 2) && alike(both[1], x * 0) &&
        alike(sums({x, x}), x * 2));
  CHECK(sums(x).is(x) && sums.forward(x).is(x));
  const Error error = error_of([&] { moved({x, x}); });
  CHECK(error.message() == "Net.forward() takes 2 positional arguments but 3 were given" &&
        error.path() == "Net (Net)");

  const Module sequence =
      nn::Sequential(cx, {nn::Linear(cx, 4, 4), nn::ReLU(cx), own(std::make_unique<Block>(cx))});
  CHECK(sequence(x).size(1) == 4 && sequence.parameters().size() == 5 &&
        sequence.parameter_count() == 44);
  Module lost = nn::Sequential(cx, {});
  {
    const Block block(cx);
    lost.append(block);
  }
  static_assert(!std::is_constructible_v<Module, Block> &&
                    !std::is_constructible_v<tocha::ModuleRef, Block> &&
                    std::is_constructible_v<tocha::ModuleRef, Block &> &&
                    std::is_move_constructible_v<Net>,
                "an object with a forward is not moved in part");
  CHECK(error_of([&] { lost(x); }).message() == "the C++ object of Block is gone");
  CHECK(error_of([&] { other.copy()(x); }).message() == "the C++ object of Net is gone");
  CHECK(alike(other.output.copy()(x), other.output(x)));

  tocha_conv2d_options options = tocha_conv2d_defaults(3, 8, 3);
  options.padding = tocha_ints_of(1);
  const Tensor image = tocha::ones(cx, {1, 3, 6, 6});
  CHECK(nn::Conv2d(cx, options)(image).size(3) == 6 &&
        nn::Conv2d(cx, 3, 8, 3, 2, 1)(image).size(3) == 3);
  const Module lstm = nn::LSTM(cx, 4, 5);
  const auto [output, h, c] = nn::lstm_forward(lstm, x);
  CHECK(output.size(1) == 5 && alike(lstm.call_all(x)[0], output) &&
        lstm.call_all({x, h, c}).size() == 3);
  const Tensor weight = tocha::empty(cx, {2, 2});
  nn::init::constant_(weight, 0.5);
  CHECK(weight.sum().item() == 2);
}

static void test_exceptions(const Context &cx) {
  Net net(cx);
  struct Mine : Error {
    Mine() : Error(TOCHA_VALUE_ERROR, "mine", "a hint") {}
  };
  struct Thrower : Module {
    int kind = 0;
    explicit Thrower(tocha_context *context) : Module(context, "Thrower") {}
    Tensor forward(const Tensor &x) override {
      if (kind == 0) throw Mine();
      if (kind == 1) throw 7;
      if (kind == 2) return Tensor();
      return x.mm(x);
    }
  };
  const Tensor x = tocha::ones(cx, {2, 3});
  bool same = false;
  try {
    net(x);
  } catch (const std::out_of_range &error) {
    same = std::string(error.what()) == "a Block takes four features";
  }
  CHECK(same && !tocha_failed(cx));
  CHECK(!tocha_module_call(cx, net.get(), x.get()) && tocha_error(cx)->code == TOCHA_RUNTIME_ERROR);
  CHECK(std::string(tocha_error(cx)->message) == "a Block takes four features");
  CHECK(std::string(tocha_error(cx)->path) == "Net (Net)");
  tocha_clear_error(cx);
  Thrower thrower(cx);
  same = false;
  try {
    thrower(x);
  } catch (const Mine &error) {
    same = error.path() == "Thrower (Thrower)" && error.code() == TOCHA_VALUE_ERROR &&
           error.hint() == "a hint";
  }
  CHECK(same);
  struct Outer : Module {
    Thrower inner;
    explicit Outer(tocha_context *context) : Module(context, "Outer"), inner(context) {
      register_module("inner", inner);
    }
    Tensor forward(const Tensor &x) override { return inner(x); }
  };
  Outer outer(cx);
  CHECK(error_of([&] { outer(x); }).path() == "Outer.inner (Thrower)" &&
        error_of([&] { outer(x); }).what() ==
            std::string("mine\nin Outer.inner (Thrower)\nhint: a hint"));
  thrower.kind = 1;
  int number = 0;
  try {
    thrower(x);
  } catch (int thrown) {
    number = thrown;
  }
  CHECK(number == 7);
  thrower.kind = 2;
  CHECK(error_of([&] { thrower(x); }).message().find("without an error") != std::string::npos);
  thrower.kind = 3;
  const Error error = error_of([&] { thrower(x); });
  CHECK(error.op() == "mm" && error.path() == "Thrower (Thrower)" &&
        error.message().find("mm: mat1 and mat2") == 0);
  struct Empty : Module {
    explicit Empty(tocha_context *context) : Module(context, "Empty") {}
  };
  CHECK(error_of([&] {
          const Empty empty(cx);
          empty(x);
        }).message() == "Module [Empty] is missing the required \"forward\" function");
  CHECK(tocha_scope_size(cx) == 0);
}

static void test_training(const Context &cx) {
  tocha_manual_seed(cx, 0);
  Net net(cx);
  const Tensor x = tocha::randn(cx, {16, 4}), y = (x.sum(1) > 0).to(tocha::int64);
  auto optimizer = optim::Adam(net.parameters(), 0.05);
  CHECK(optimizer.learning_rate() == 0.05 && optimizer.group_count() == 1);
  double first = 0, last = 0;
  for (int step = 0; step < 60; step++) {
    const Tensor loss = F::cross_entropy(net(x), y);
    optimizer.zero_grad();
    loss.backward();
    tocha::clip_grad_norm_(net.parameters(), 5);
    optimizer.step();
    last = loss.item();
    if (step == 0) first = last;
  }
  CHECK(last < first / 5);
  auto descent = optim::SGD(net.parameters(), 0.5);
  int calls = 0;
  descent.step([&] {
    calls++;
    descent.zero_grad();
    Tensor loss = F::cross_entropy(net(x), y);
    loss.backward();
    return loss;
  });
  CHECK(calls == 1);
  std::string thrown;
  try {
    descent.step([]() -> Tensor { throw std::runtime_error("in the closure"); });
  } catch (const std::runtime_error &error) {
    thrown = error.what();
  }
  CHECK(thrown == "in the closure");
  auto sgd = optim::SGD(net.parameters(), 0.1, 0.9);
  CHECK(sgd.to_string().find("momentum: 0.9") != std::string::npos);
  sgd.set_option(0, "momentum", 0.5);
  CHECK(sgd.to_string().find("momentum: 0.5") != std::string::npos);
  CHECK(error_of([&] { optim::SGD(net.parameters(), -1.0); }).message() ==
        "Invalid learning rate: -1.0");
  CHECK(error_of([&] { optim::SGD({}, 1.0); }).code() == TOCHA_VALUE_ERROR);
}

static void test_schedulers(const Context &cx) {
  Net net(cx);
  auto optimizer = optim::SGD(net.parameters(), 1.0);
  auto step = optim::StepLR(optimizer, 2, 0.5);
  optimizer.step();
  step.step();
  step.step();
  CHECK(step.last_epoch() == 2 && step.last_lr() == 0.5 && optimizer.learning_rate() == 0.5);
  auto halves = optim::LambdaLR(optimizer,
                                [](int64_t epoch) { return 1.0 / static_cast<double>(1 + epoch); });
  halves.step();
  CHECK(halves.last_lr() == 0.5);
  auto plateau = optim::ReduceLROnPlateau(optimizer, "min", 0.1, 0);
  plateau.step(1.0);
  plateau.step(2.0);
  CHECK(std::abs(optimizer.learning_rate() - 0.05) < 1e-9);
  auto other = optim::SGD(net.parameters(), 1.0);
  auto sequence = optim::SequentialLR(
      other, {optim::ConstantLR(other, 0.1, 2), optim::ExponentialLR(other, 0.9)}, 2);
  CHECK(std::abs(other.learning_rate() - 0.1) < 1e-9);
  auto steps = optim::MultiStepLR(other, {2, 4}, 0.1);
  auto cycle = optim::OneCycleLR(other, 0.5, 10);
  std::string thrown;
  try {
    optim::LambdaLR(other, [](int64_t) -> double { throw std::runtime_error("no rate"); });
  } catch (const std::runtime_error &error) {
    thrown = error.what();
  }
  CHECK(thrown == "no rate");
  CHECK(error_of([&] { optim::ConstantLR(other, 2); }).code() == TOCHA_VALUE_ERROR);
  CHECK(error_of([&] { optim::SequentialLR(other, {}, 2); }).code() == TOCHA_VALUE_ERROR);

  tocha::Checkpoint file(cx);
  file.set("model", net.state_dict());
  file.set("optimizer", optimizer);
  file.set("scheduler", step);
  file.set("epoch", 3);
  file.set("rate", 0.5);
  const std::string path = folder + "/cpp_test.pt";
  file.save(path.c_str());
  const auto loaded = tocha::Checkpoint::load(cx, path.c_str());
  auto again = optim::SGD(net.parameters(), 0.25);
  auto step_again = optim::StepLR(again, 2, 0.5);
  loaded.load_into(again, "optimizer");
  loaded.load_into(step_again, "scheduler");
  CHECK(again.learning_rate() == optimizer.learning_rate() && step_again.last_epoch() == 2);
  CHECK(loaded.integer("epoch") == 3 && loaded.real("rate") == 0.5);
  CHECK(loaded.state_dict(loaded.find("model")).size() == 6);
  std::remove(path.c_str());
}

static void test_batches(const Context &cx) {
  const Tensor x = tocha::arange(cx, 10), y = x * x;
  tocha::DataLoader loader({x, y}, 4);
  CHECK(loader.length() == 3);
  for (int pass = 0; pass < 2; pass++) {
    int64_t rows = 0;
    for (const auto &[number, square] : loader) {
      CHECK(alike(number * number, square));
      rows += number.size(0);
    }
    CHECK(rows == 10);
  }
  CHECK((*loader.begin())[0][1].item<int>() == 1 && (*loader.begin())[0][0].item<int>() == 0);
  tocha::DataLoader<1> made(
      cx, 6, [&](int64_t index) { return std::array<Tensor, 1>{tocha::full(cx, 2, index)}; }, 3);
  int64_t sum = 0;
  for (const auto &[batch] : made) sum += batch.sum().item<int64_t>();
  CHECK(sum == 30);
  tocha::DataLoader<1> thrower(
      cx, 6, [](int64_t) -> std::array<Tensor, 1> { throw std::runtime_error("no sample"); });
  std::string thrown;
  try {
    for (const auto &batch : thrower) CHECK(!batch[0].defined());
  } catch (const std::runtime_error &error) {
    thrown = error.what();
  }
  CHECK(thrown == "no sample");
  tocha::DataLoader<1> empty(cx, 6, [](int64_t) { return std::array<Tensor, 1>(); });
  CHECK(error_of([&] { empty.begin(); }).code() == TOCHA_TYPE_ERROR);
  CHECK(error_of([&] {
          tocha::DataLoader({x, y[{Slice(0, 3)}]}, 4);
        }).message() == "Size mismatch between tensors");
}

static void test_sharing(const Context &cx) {
  const Context other;
  const Module net = nn::Linear(cx, 4, 2);
  const Tensor x = tocha::ones(cx, {3, 4});
  const tocha::SharedModule shared(net);
  const tocha::SharedTensor shared_x(x);
  const Tensor result = shared.in(other)(shared_x.in(other));
  CHECK(result.context() == other.get() && result.sum().item() == net(x).sum().item());
  CHECK(error_of([&] { tocha::SharedModule{Net(cx)}; }).code() != TOCHA_ASSERTION_ERROR);
}

static void test_files(const Context &cx) {
  const std::string path = folder + "/cpp_test.pt";
  Net net(cx), other(cx);
  const Tensor x = tocha::ones(cx, {1, 4});
  net.save(path.c_str());
  other.load(path.c_str());
  CHECK(alike(net(x), other(x)));
  tocha::save(net.state_dict(), path.c_str());
  const auto checkpoint = tocha::Checkpoint::load(cx, path.c_str());
  CHECK(checkpoint.state_dict().size() == 6 &&
        alike(checkpoint.tensor(checkpoint.find("block.scale")), net.block.scale));
  CHECK(error_of([&] { checkpoint.find("none"); }).code() == TOCHA_KEY_ERROR);
  tocha::save(x, path.c_str());
  CHECK(alike(tocha::Checkpoint::load(cx, path.c_str()).tensor(), x));
  std::remove(path.c_str());
  CHECK(error_of([&] { net.load(path.c_str()); }).code() == TOCHA_FILE_NOT_FOUND_ERROR);
}

/* Counts the bytes that a context has. */
static void *allocate(void *user, void *pointer, size_t old_size, size_t new_size) {
  long &bytes = *static_cast<long *>(user);
  if (new_size == 0) {
    bytes -= static_cast<long>(old_size);
    std::free(pointer);
    return nullptr;
  }
  void *block = std::realloc(pointer, new_size);
  if (block) bytes += static_cast<long>(new_size) - static_cast<long>(old_size);
  return block;
}

int main(int, char **words) {
  folder = words[1] ? words[1] : ".";
  long bytes = 0;
  {
    tocha_options options = {};
    options.allocate = allocate;
    options.allocate_user = &bytes;
    const Context cx(options);
    size_t allocated[3]; /* the pools have grown after the first round */
    for (size_t &after : allocated) {
      for (auto test : {test_tensors, test_symbols, test_subscripts, test_operators, test_errors,
                        test_autograd, test_modules, test_exceptions, test_training,
                        test_schedulers, test_batches, test_sharing, test_files}) {
        try {
          test(cx);
        } catch (const std::exception &error) {
          check(false, error.what(), 0);
        }
        CHECK(tocha_scope_size(cx) == 0);
      }
      after = cx.memory().allocated;
    }
    CHECK(allocated[1] == allocated[2]);
    CHECK(bytes > 0);
  }
  CHECK(bytes == 0);
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
