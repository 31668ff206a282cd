/* share.hpp: tensors and modules that several contexts, and so threads, use at once. */
#ifndef TOCHA_CPP_SHARE_HPP
#define TOCHA_CPP_SHARE_HPP

#include "tocha/cpp/module.hpp"
#include "tocha/share.h"

namespace tocha {

/* The memory of a tensor, of no context: SharedTensor shared(x); in another thread shared.in(cx). */
class SharedTensor {
public:
  explicit SharedTensor(const Tensor &tensor) {
    if (!tensor.defined()) detail::throw_undefined();
    shared_.reset(tocha_share(tensor.context(), tensor.get()));
    if (!shared_) detail::throw_error(tensor.context());
  }
  Tensor in(tocha_context *context) const {
    const detail::Call call(context);
    return call.tensor(tocha_from_shared(context, shared_.get()));
  }

private:
  struct Free {
    void operator()(tocha_shared *shared) const { tocha_shared_free(shared); }
  };
  std::unique_ptr<tocha_shared, Free> shared_;
};

/* The structure and the memory of a module, of no context. A module with a forward in C++ cannot be shared. */
class SharedModule {
public:
  explicit SharedModule(const Module &module) {
    if (!module.context()) detail::throw_undefined();
    shared_.reset(tocha_module_share(module.context(), module.get()));
    if (!shared_) detail::throw_error(module.context());
  }
  Module in(tocha_context *context) const {
    return Module(context, tocha_module_from_shared(context, shared_.get()));
  }

private:
  struct Free {
    void operator()(tocha_shared_module *shared) const { tocha_shared_module_free(shared); }
  };
  std::unique_ptr<tocha_shared_module, Free> shared_;
};

} // namespace tocha

#endif
