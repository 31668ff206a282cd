/* optimizer.hpp: owners of optimizers and of gradient scalers. The constructors of torch.optim are in
 * <tocha/cpp/optimizers.hpp>. */
#ifndef TOCHA_CPP_OPTIMIZER_HPP
#define TOCHA_CPP_OPTIMIZER_HPP

#include "tocha/cpp/tensor.hpp"
#include "tocha/amp.h"
#include "tocha/optim.h"

namespace tocha {

class Optimizer {
public:
  /* Creates an optimizer of PyTorch's name with one group. options: one for each declaration of the class, or nullptr
   * for its defaults. */
  Optimizer(const char *name, const TensorList &parameters, const tocha_option *options)
      : context_(parameters.context()) {
    if (!context_) throw Error(TOCHA_VALUE_ERROR, "optimizer got an empty parameter list");
    optimizer_ = tocha_optimizer_new(context_, tocha_find_optimizer_class(name), options);
    if (optimizer_ && tocha_optimizer_add_group(context_, optimizer_, parameters.count(),
                                                parameters.data(), nullptr))
      return;
    tocha_optimizer_release(optimizer_);
    detail::throw_error(context_);
  }
  Optimizer(Optimizer &&other) noexcept
      : context_(other.context_), optimizer_(std::exchange(other.optimizer_, nullptr)) {}
  Optimizer &operator=(Optimizer &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(optimizer_, other.optimizer_);
    return *this;
  }
  ~Optimizer() { tocha_optimizer_release(optimizer_); }
  tocha_optimizer *get() const { return optimizer_; }
  tocha_context *context() const { return context_; }

  void step() {
    const detail::Call call(context_);
    call.done(tocha_optimizer_step(context_, optimizer_));
  }
  /* Makes a step that calls `closure` to compute the gradients again; it returns the loss, a Tensor. */
  template <class Closure> void step(Closure closure) {
    const detail::Call call(context_);
    const tocha_closure called = {call_closure<Closure>, &closure};
    call.done(tocha_optimizer_step_closure(context_, optimizer_, &called));
  }
  void zero_grad(bool set_to_none = true) {
    if (!tocha_optimizer_zero_grad(context_, optimizer_, set_to_none))
      detail::throw_error(context_);
  }
  /* Adds a group with the optimizer's options; change them by set_option. */
  void add_group(const TensorList &parameters) {
    if (!tocha_optimizer_add_group(context_, optimizer_, parameters.count(), parameters.data(),
                                   nullptr))
      detail::throw_error(context_);
  }
  int group_count() const { return tocha_optimizer_group_count(optimizer_); }
  double learning_rate(int group = 0) const {
    return tocha_optimizer_learning_rate(optimizer_, group);
  }
  void set_learning_rate(double rate, int group = 0) {
    tocha_optimizer_set_learning_rate(optimizer_, group, rate);
  }
  void set_option(int group, const char *name, Scalar value) {
    tocha_option option = {};
    option.given = true;
    option.first = value.scalar;
    if (!tocha_optimizer_set_option(context_, optimizer_, group, name, &option))
      detail::throw_error(context_);
  }
  std::string to_string() const {
    return detail::take_text(context_, tocha_optimizer_to_string(context_, optimizer_));
  }

private:
  template <class Closure>
  static bool call_closure(tocha_context *context, void *user, double *loss) {
    try {
      const Tensor result = (*static_cast<Closure *>(user))();
      if (loss) *loss = result.item();
      return true;
    } catch (...) {
      detail::record_exception(context);
      return false;
    }
  }

  tocha_context *context_;
  tocha_optimizer *optimizer_ = nullptr;
};

/* Scales losses so that gradients of float16 do not vanish: scale(loss).backward(); step(optimizer); update(). */
class GradScaler {
public:
  explicit GradScaler(tocha_context *context, const tocha_grad_scaler_options &options =
                                                  tocha_grad_scaler_defaults(TOCHA_CPU))
      : context_(context), scaler_(tocha_grad_scaler_new(context, &options)) {
    done(scaler_);
  }
  GradScaler(GradScaler &&other) noexcept
      : context_(other.context_), scaler_(std::exchange(other.scaler_, nullptr)) {}
  GradScaler &operator=(GradScaler &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(scaler_, other.scaler_);
    return *this;
  }
  ~GradScaler() { tocha_grad_scaler_release(scaler_); }
  tocha_grad_scaler *get() const { return scaler_; }

  Tensor scale(const Tensor &output) {
    const detail::Call call(context_);
    return call.tensor(tocha_grad_scaler_scale(context_, scaler_, output.get()));
  }
  void unscale(Optimizer &optimizer) {
    done(tocha_grad_scaler_unscale(context_, scaler_, optimizer.get()));
  }
  /* Returns true if the step was made: all gradients were finite. */
  bool step(Optimizer &optimizer) {
    const detail::Call call(context_);
    bool stepped = false;
    const bool ok = tocha_grad_scaler_step(context_, scaler_, optimizer.get(), &stepped);
    return call.value(ok, stepped);
  }
  void update() { done(tocha_grad_scaler_update(context_, scaler_)); }
  double get_scale() const {
    tocha_scalar scale;
    done(tocha_grad_scaler_get_scale(context_, scaler_, &scale));
    return Scalar(scale).to<double>();
  }

private:
  void done(bool ok) const {
    if (!ok) detail::throw_error(context_);
  }

  tocha_context *context_;
  tocha_grad_scaler *scaler_;
};

/* Scales the gradients of the tensors so that their joint norm is at most max_norm. Returns the norm before. */
inline Tensor clip_grad_norm_(const TensorList &tensors, double max_norm, double norm_type = 2,
                              bool error_if_nonfinite = false) {
  const detail::Call call(tensors.context());
  return call.tensor(tocha_clip_grad_norm(call.context(), tensors.count(), tensors.data(), max_norm,
                                          norm_type, error_if_nonfinite));
}
/* Clamps every gradient to [-clip_value, clip_value]. */
inline void clip_grad_value_(const TensorList &tensors, double clip_value) {
  const detail::Call call(tensors.context());
  call.done(tocha_clip_grad_value(call.context(), tensors.count(), tensors.data(), clip_value));
}

} // namespace tocha

#endif
