/* context.hpp: Context, and guards that change a context's modes until they are destroyed.
 *
 * Functions that have no tensor among their arguments take the context first: ones(cx, {2, 3}). Others find it in
 * their tensors. */
#ifndef TOCHA_CPP_CONTEXT_HPP
#define TOCHA_CPP_CONTEXT_HPP

#include "tocha/amp.h"
#include "tocha/cpp/tensor.hpp"

namespace tocha {

/* Opens a context, and closes it. It converts to the C context. Tensors may outlive it, but not be used then. */
class Context {
public:
  Context() : Context(tocha_options{}) {}
  explicit Context(const tocha_options &options) : context_(tocha_open(&options)) {
    if (!context_)
      throw Error(
          TOCHA_MEMORY_ERROR, "a context cannot be opened",
          "memory is short, or the library was built for another processor (TOCHA_LOOPS=native)");
  }
  Context(Context &&other) noexcept : context_(std::exchange(other.context_, nullptr)) {}
  Context &operator=(Context &&other) noexcept {
    std::swap(context_, other.context_);
    return *this;
  }
  ~Context() {
    if (detail::caught.context == context_) detail::caught = {};
    if (context_) tocha_close(context_);
  }
  operator tocha_context *() const { return context_; }
  tocha_context *get() const { return context_; }

  void manual_seed(uint64_t seed) { tocha_manual_seed(context_, seed); }
  void set_threads(int threads) { tocha_set_threads(context_, threads); }
  void set_default_dtype(DType dtype) {
    if (!tocha_set_default_dtype(context_, dtype)) detail::throw_error(context_);
  }
  void set_default_device(Device device) {
    if (!tocha_set_default_device(context_, device)) detail::throw_error(context_);
  }
  /* Ends the running operator with an error; from any thread and any signal handler. */
  void interrupt() { tocha_interrupt(context_); }
  tocha_memory_statistics memory(Device device = tocha_cpu()) const {
    return tocha_memory(context_, device);
  }

private:
  tocha_context *context_;
};

/* Turns recording for gradients on or off. */
class GradMode {
public:
  GradMode(tocha_context *context, bool enabled)
      : context_(context), before_(tocha_set_grad_enabled(context, enabled)) {}
  GradMode(const GradMode &) = delete;
  GradMode &operator=(const GradMode &) = delete;
  ~GradMode() { tocha_set_grad_enabled(context_, before_); }

private:
  tocha_context *context_;
  bool before_;
};
struct NoGrad : GradMode {
  explicit NoGrad(tocha_context *context) : GradMode(context, false) {}
};
struct EnableGrad : GradMode {
  explicit EnableGrad(tocha_context *context) : GradMode(context, true) {}
};

class InferenceMode {
public:
  explicit InferenceMode(tocha_context *context, bool enabled = true)
      : context_(context), before_(tocha_set_inference_mode(context, enabled)) {}
  InferenceMode(const InferenceMode &) = delete;
  InferenceMode &operator=(const InferenceMode &) = delete;
  ~InferenceMode() { tocha_set_inference_mode(context_, before_); }

private:
  tocha_context *context_;
  bool before_;
};

/* An autocast region. Leave it before calling backward. */
class Autocast {
public:
  explicit Autocast(tocha_context *context, tocha_device_type device = TOCHA_CPU, DType dtype = {},
                    bool enabled = true)
      : context_(context) {
    if (!tocha_autocast_enter(context, device, dtype, enabled, -1, &region_))
      detail::throw_error(context);
  }
  Autocast(const Autocast &) = delete;
  Autocast &operator=(const Autocast &) = delete;
  ~Autocast() { tocha_autocast_leave(context_, &region_); }

private:
  tocha_context *context_;
  tocha_autocast_region region_;
};

/* A scope around calls of the C interface: releases what they leave. */
class Scope {
public:
  explicit Scope(tocha_context *context) : context_(context), scope_(tocha_scope_begin(context)) {}
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;
  ~Scope() { tocha_scope_end(context_, scope_, nullptr); }

private:
  tocha_context *context_;
  tocha_scope scope_;
};

namespace detail {
template <class Element>
Tensor from_values(tocha_context *context, const Element *values, size_t count, const Ints &sizes,
                   DType dtype) {
  const Call call(context);
  const int64_t length = static_cast<int64_t>(count);
  const bool has_sizes = sizes.count() > 0;
  int64_t numel = 1;
  for (int64_t size : sizes) numel *= size;
  if (has_sizes && numel != length)
    throw Error(TOCHA_RUNTIME_ERROR, "the sizes ask for " + std::to_string(numel) +
                                         " values, but " + std::to_string(length) + " were given");
  tocha_tensor *result = tocha_from_values(context, values, has_sizes ? sizes.count() : 1,
                                           has_sizes ? sizes.data() : &length, dtype_of<Element>());
  if (dtype == TOCHA_NO_DTYPE && std::is_floating_point_v<Element>)
    dtype = tocha_default_dtype(context);
  if (dtype == TOCHA_NO_DTYPE && !std::is_same_v<Element, bool>) dtype = TOCHA_INT64;
  if (dtype == TOCHA_NO_DTYPE || dtype == dtype_of<Element>()) return call.tensor(result);
  return call.tensor(tocha_to_dtype(context, result, dtype, false, false));
}
} // namespace detail

/* Creates a tensor with a copy of `values`, one after the other in rows: tensor(cx, {1, 2, 3, 4}, {2, 2}). Without
 * sizes it has one dimension. Whole numbers become int64 and others the default dtype, as in PyTorch, if no dtype is
 * given. */
template <class Element>
Tensor tensor(tocha_context *context, std::initializer_list<Element> values, const Ints &sizes = {},
              DType dtype = {}) {
  return detail::from_values(context, values.begin(), values.size(), sizes, dtype);
}
template <class Element>
Tensor tensor(tocha_context *context, const std::vector<Element> &values, const Ints &sizes = {},
              DType dtype = {}) {
  return detail::from_values(context, values.data(), values.size(), sizes, dtype);
}
template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
Tensor tensor(tocha_context *context, Number value, DType dtype = {}) {
  const Tensor one = detail::from_values(context, &value, 1, {}, dtype);
  const detail::Call call(context);
  return call.tensor(tocha_reshape(context, one.get(), 0, nullptr));
}

/* Creates a tensor over the caller's memory, which must outlive it and its views. */
template <class Element>
Tensor from_memory(tocha_context *context, Element *data, const Ints &sizes) {
  const detail::Call call(context);
  return call.tensor(tocha_from_memory(context, data, sizes.count(), sizes.data(),
                                       dtype_of<Element>(), nullptr, nullptr));
}

/* Returns the gradients of the sum of `outputs` with respect to `inputs`; one that is not used is an error, or with
 * allow_unused an empty tensor. */
inline std::vector<Tensor> grad(const TensorList &outputs, const TensorList &inputs,
                                const TensorList &grad_outputs = {}, bool retain_graph = false,
                                bool create_graph = false, bool allow_unused = false) {
  const detail::Call call(outputs.context());
  std::vector<tocha_tensor *> found(static_cast<size_t>(inputs.count()));
  if (grad_outputs.count() && grad_outputs.count() != outputs.count())
    throw Error(TOCHA_RUNTIME_ERROR, "grad_outputs must have one tensor for each of outputs");
  const bool ok =
      tocha_gradients(call.context(), outputs.count(), outputs.data(), inputs.count(),
                      inputs.data(), grad_outputs.count() ? grad_outputs.data() : nullptr,
                      retain_graph || create_graph, create_graph, allow_unused, found.data());
  std::vector<Tensor> gradients;
  for (tocha_tensor *gradient : found)
    gradients.push_back(Tensor::share(call.context(), ok ? gradient : nullptr));
  call.done(ok);
  return gradients;
}

} // namespace tocha

#endif
