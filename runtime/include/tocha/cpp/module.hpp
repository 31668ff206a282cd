/* module.hpp: modules: those of torch.nn, and classes whose forward is in C++.
 *
 *   struct Net : tocha::Module {
 *     tocha::Module hidden, output;
 *     explicit Net(tocha_context *cx)
 *         : Module(cx, "Net"), hidden(register_module("hidden", tocha::nn::Linear(cx, 64, 32))),
 *           output(register_module("output", tocha::nn::Linear(cx, 32, 10))) {}
 *     tocha::Tensor forward(const tocha::Tensor &x) override { return output(relu(hidden(x))); }
 *   };
 *
 * Such an object is a module of C, too: its parameters, state_dict, train and to work, and C or Lua may call it.
 * net(x) calls forward through C, so that an error names the path of the module; net.forward(x) calls it alone. */
#ifndef TOCHA_CPP_MODULE_HPP
#define TOCHA_CPP_MODULE_HPP

#include <memory>

#include "tocha/binding.h"
#include "tocha/cpp/context.hpp"
#include "tocha/modules.h"
#include "tocha/serialization.h"

namespace tocha {

/* An owner of a state dict: tensors by name, in order. */
class StateDict {
public:
  explicit StateDict(tocha_context *context) : StateDict(context, tocha_state_dict_new(context)) {}
  /* Takes the caller's reference; throws the context's error if `dict` is nullptr. */
  StateDict(tocha_context *context, tocha_state_dict *dict) : context_(context), dict_(dict) {
    if (!dict) detail::throw_error(context);
  }
  StateDict(const StateDict &other)
      : context_(other.context_), dict_(tocha_state_dict_retain(other.dict_)) {}
  StateDict(StateDict &&other) noexcept
      : context_(other.context_), dict_(std::exchange(other.dict_, nullptr)) {}
  StateDict &operator=(StateDict other) noexcept {
    std::swap(context_, other.context_);
    std::swap(dict_, other.dict_);
    return *this;
  }
  ~StateDict() {
    if (dict_) tocha_state_dict_release(dict_);
  }
  tocha_state_dict *get() const { return dict_; }
  tocha_context *context() const { return context_; }

  int size() const { return tocha_state_dict_count(dict_); }
  std::string name(int index) const {
    const char *name = tocha_state_dict_name(dict_, index);
    return name ? name : "";
  }
  Tensor tensor(int index) const {
    return Tensor::share(context_, tocha_state_dict_tensor(dict_, index));
  }
  bool contains(const char *name) const { return tocha_state_dict_find(dict_, name) >= 0; }
  Tensor operator[](const char *name) const {
    const int index = tocha_state_dict_find(dict_, name);
    if (index < 0) throw Error(TOCHA_KEY_ERROR, std::string("'") + name + "'");
    return tensor(index);
  }
  void set(const char *name, const Tensor &tensor) {
    if (!tocha_state_dict_set(context_, dict_, name, tensor.get(), nullptr))
      detail::throw_error(context_);
  }

private:
  tocha_context *context_;
  tocha_state_dict *dict_;
};

class Module;

namespace detail {
/* A class that is derived from Module, and is not a reference: an argument that is about to vanish. */
template <class Derived>
inline constexpr bool vanishes =
    std::is_base_of_v<Module, Derived> && !std::is_same_v<Module, Derived>;
} // namespace detail

/* A module of a list, {a, b}. An object with a forward must live on, so it cannot be made there: see own. */
struct ModuleRef {
  ModuleRef(const Module &module);
  template <class Derived, std::enable_if_t<detail::vanishes<Derived>, int> = 0>
  ModuleRef(Derived &&) = delete;
  tocha_module *module;
};

/* An owner of a module. A class that is derived from it says what the module computes. */
class Module {
public:
  Module() = default;
  /* Takes the caller's reference to a module of C; throws the context's error if it is nullptr. */
  Module(tocha_context *context, tocha_module *module) : context_(context), module_(module) {
    if (!module) detail::throw_error(context);
  }
  Module(Module &&other) noexcept
      : context_(other.context_), module_(std::exchange(other.module_, nullptr)),
        is_host_(other.is_host_), is_owner_(other.is_owner_) {
    other.is_host_ = false;
    if (is_host_) attach(this);
  }
  /* Only the whole of an object with a forward can be moved. */
  template <class Derived, std::enable_if_t<detail::vanishes<Derived>, int> = 0>
  Module(Derived &&) = delete;
  Module &operator=(Module &&other) noexcept {
    if (this == &other) return *this;
    drop();
    context_ = other.context_;
    module_ = std::exchange(other.module_, nullptr);
    is_host_ = std::exchange(other.is_host_, false);
    is_owner_ = other.is_owner_;
    if (is_host_) attach(this);
    return *this;
  }
  virtual ~Module() { drop(); }

  /* Returns another owner of the same module. If its forward is in C++, the object that has it must live on. */
  Module share() const { return Module(checked(), tocha_module_retain(module_)); }
  /* Returns a copy with its own parameters. A module with a forward in C++ becomes one without a forward. */
  Module copy() const;
  tocha_module *get() const { return module_; }
  tocha_context *context() const { return context_; }

  /* Calls the module: hooks and the paths of errors included. */
  Tensor operator()(const Tensor &input) const {
    const detail::Call call(context_);
    return call.tensor(tocha_module_call(context_, module_, input.get()));
  }
  /* Calls the module with several tensors (an empty one is omitted) and returns the first result, or all of them. */
  Tensor operator()(const TensorList &inputs) const {
    const detail::Call call(context_);
    return call.tensor(tocha_module_forward(context_, module_, inputs.count(), inputs.data()));
  }
  std::vector<Tensor> call_all(const TensorList &inputs) const {
    const detail::Call call(context_);
    tocha_tensors results;
    const bool ok =
        tocha_module_call_many(context_, module_, inputs.count(), inputs.data(), &results);
    return call.list(ok, results);
  }

  /* Override one of them: the result for one tensor, or the results for several. */
  virtual Tensor forward(const Tensor &input);
  virtual std::vector<Tensor> forward_all(const std::vector<Tensor> &inputs);

  std::string name() const { return tocha_module_name(module_); }
  std::string to_string() const {
    return detail::take_text(checked(), tocha_module_to_string(context_, module_));
  }
  std::vector<Tensor> parameters() const { return tensors(tocha_named_parameters); }
  std::vector<Tensor> buffers() const { return tensors(tocha_named_buffers); }
  int64_t parameter_count() const { return tocha_parameter_count(checked(), module_); }
  /* Return a member by its dotted name, "encoder.3.weight". */
  Tensor parameter(const char *target) const {
    return member(tocha_get_parameter(checked(), module_, target));
  }
  Tensor buffer(const char *target) const {
    return member(tocha_get_buffer(checked(), module_, target));
  }
  Module submodule(const char *target) const {
    return Module(checked(), tocha_module_retain(tocha_get_submodule(context_, module_, target)));
  }

  /* Register a member and return it, for the initializer of a C++ member. */
  Tensor register_parameter(const char *member_name, const Tensor &value,
                            bool requires_grad = true) {
    const detail::Call call(context_);
    tocha_tensor *parameter = tocha_parameter_new(context_, value.get(), requires_grad);
    const bool ok =
        parameter && tocha_register_parameter(context_, module_, member_name, parameter);
    return call.tensor(ok ? parameter : nullptr);
  }
  Tensor register_buffer(const char *member_name, const Tensor &value, bool persistent = true) {
    done(tocha_register_buffer(checked(), module_, member_name, value.get(), persistent));
    return value;
  }
  Module register_module(const char *member_name, Module &&child) {
    register_module(member_name, child);
    return std::move(child);
  }
  template <class Derived, std::enable_if_t<detail::vanishes<Derived>, int> = 0>
  Module register_module(const char *member_name, Derived &&child) = delete;
  void register_module(const char *member_name, const Module &child) {
    done(tocha_register_module(checked(), module_, member_name, child.module_));
  }
  /* Adds a child to a container numbered 0, 1, ... */
  void append(const Module &child) {
    register_module(std::to_string(tocha_module_child_count(module_)).c_str(), child);
  }

  bool training() const { return tocha_module_training(module_); }
  void train(bool training = true) { done(tocha_module_train(module_, training)); }
  void eval() { train(false); }
  void requires_grad_(bool requires_grad = true) {
    done(tocha_module_requires_grad(checked(), module_, requires_grad));
  }
  void zero_grad(bool set_to_none = true) {
    done(tocha_module_zero_grad(checked(), module_, set_to_none));
  }
  /* Moves and converts parameters and buffers, which stay the same tensors, so that C++ members of that type do. */
  void to(Device device, DType dtype = {});
  void to(DType dtype) { to(Device(), dtype); }

  StateDict state_dict() const {
    return StateDict(checked(), tocha_module_state_dict(context_, module_, "", false));
  }
  void load_state_dict(const StateDict &dict, bool strict = true) {
    done(tocha_module_load_state_dict(checked(), module_, dict.get(), strict, false, nullptr,
                                      nullptr));
  }
  /* Save the state dict to a file of PyTorch's, and load one. */
  void save(const char *path, tocha_checkpoint_format format = TOCHA_FORMAT_ZIP) const {
    done(tocha_module_save(checked(), module_, path, format));
  }
  void load(const char *path, bool strict = true) {
    done(tocha_module_load(checked(), module_, path, strict));
  }

protected:
  /* Creates a module without members whose forward is that of the derived class. */
  Module(tocha_context *context, const char *name)
      : Module(context, tocha_module_new(context, tocha_find_module_class("Module"), name)) {
    is_host_ = true;
    attach(this);
  }

private:
  template <class Derived> friend Module own(std::unique_ptr<Derived> object);

  /* Makes the C module call `object` from now on; nullptr: an error. */
  void attach(Module *object) {
    tocha_host_object host = {};
    host.data = object;
    host.forward = call_forward;
    tocha_module_set_host_object(module_, &host);
    tocha_host_functions functions = {};
    functions.data = object;
    functions.call = call_forward_all;
    functions.release = is_owner_ ? nullptr : delete_object;
    tocha_module_set_host_functions(module_, &functions);
  }
  void drop() noexcept {
    if (!module_ || !is_owner_) return;
    if (is_host_ && tocha_module_is_shared(module_)) attach(nullptr);
    tocha_module_release(module_);
  }
  /* A default forward calls the other one. If that is called by the other's default, there is none. */
  enum Default { NONE, FORWARD, FORWARD_ALL };
  struct Defaulting {
    Defaulting(Module &of, Default by, Default other) : module(of), before(of.default_) {
      if (before == other)
        throw Error(TOCHA_NOT_IMPLEMENTED_ERROR,
                    "Module [" + module.name() + "] is missing the required \"forward\" function");
      module.default_ = by;
    }
    ~Defaulting() { module.default_ = before; }
    Module &module;
    const Default before;
  };
  tocha_context *checked() const {
    if (!context_) detail::throw_undefined();
    return context_;
  }
  void done(bool ok) const {
    if (!ok) detail::throw_error(checked());
  }
  Tensor member(tocha_tensor *tensor) const {
    done(tensor);
    return Tensor::share(context_, tensor);
  }
  template <class Walk> std::vector<Tensor> tensors(Walk walk) const;
  static Module &object_of(void *data, tocha_module *module);
  static tocha_tensor *call_forward(tocha_context *context, void *data, tocha_module *module,
                                    int count, tocha_tensor *const *inputs);
  static int call_forward_all(tocha_context *context, void *data, tocha_module *module, int count,
                              tocha_tensor *const *inputs, int capacity, tocha_tensor **results);
  static void delete_object(void *data) { delete static_cast<Module *>(data); }

  tocha_context *context_ = nullptr;
  tocha_module *module_ = nullptr;
  bool is_host_ = false;   /* C calls the forward of this object */
  Default default_ = NONE; /* the default that is running */
  bool is_owner_ = true;   /* false: the C module owns this object */
};

/* Gives an object to its C module, which deletes it at its own end: for modules without a C++ variable, such as
 * nn::Sequential(cx, {own(std::make_unique<Block>(cx)), ...}). Returns an owner of the module. */
template <class Derived> Module own(std::unique_ptr<Derived> object) {
  Module *base = object.get();
  if (!base) detail::throw_undefined();
  Module owner(base->context_, base->module_); /* with the object's reference */
  base->is_owner_ = false;
  base->attach(object.release());
  return owner;
}

inline ModuleRef::ModuleRef(const Module &owner) : module(owner.get()) {}

inline Tensor Module::forward(const Tensor &input) {
  if (!is_host_) return (*this)(input);
  const Defaulting defaulting(*this, FORWARD, FORWARD_ALL);
  std::vector<Tensor> results = forward_all({input});
  return results.empty() ? Tensor() : std::move(results[0]);
}

inline std::vector<Tensor> Module::forward_all(const std::vector<Tensor> &inputs) {
  if (!is_host_) return call_all(inputs);
  const Defaulting defaulting(*this, FORWARD_ALL, FORWARD);
  if (inputs.size() != 1)
    throw Error(TOCHA_TYPE_ERROR,
                name() + ".forward() takes 2 positional arguments but " +
                    std::to_string(inputs.size() + 1) + " were given",
                "override forward_all for several inputs");
  std::vector<Tensor> results;
  results.push_back(forward(inputs[0]));
  return results;
}

template <class Walk> std::vector<Tensor> Module::tensors(Walk walk) const {
  tocha_named_list list = {};
  const bool ok = walk(checked(), module_, "", true, true, &list);
  std::vector<Tensor> found;
  for (int i = 0; ok && i < list.count; i++)
    found.push_back(Tensor::share(context_, list.items[i].tensor));
  tocha_named_list_free(&list);
  done(ok);
  return found;
}

/* Returns the object whose forward is called. Throws if it is gone, or if the module is a copy made by C. */
inline Module &Module::object_of(void *data, tocha_module *module) {
  Module *object = static_cast<Module *>(data);
  if (!object || object->module_ != module)
    throw Error(TOCHA_RUNTIME_ERROR,
                std::string("the C++ object of ") + tocha_module_name(module) + " is gone",
                "keep the object as long as its module, or hand it over by tocha::own");
  return *object;
}

inline tocha_tensor *Module::call_forward(tocha_context *context, void *data, tocha_module *module,
                                          int count, tocha_tensor *const *inputs) {
  try {
    Module &object = object_of(data, module);
    if (count == 1)
      return tocha_scope_push(context, object.forward(Tensor::share(context, inputs[0])).release());
    std::vector<Tensor> arguments, results;
    for (int i = 0; i < count; i++) arguments.push_back(Tensor::share(context, inputs[i]));
    results = object.forward_all(arguments);
    return results.empty() || !results[0].defined()
               ? nullptr
               : tocha_scope_push(context, results[0].release());
  } catch (...) {
    detail::record_exception(context);
    return nullptr;
  }
}

inline int Module::call_forward_all(tocha_context *context, void *data, tocha_module *module,
                                    int count, tocha_tensor *const *inputs, int capacity,
                                    tocha_tensor **results) {
  try {
    std::vector<Tensor> arguments;
    for (int i = 0; i < count; i++) arguments.push_back(Tensor::share(context, inputs[i]));
    std::vector<Tensor> all = object_of(data, module).forward_all(arguments);
    const int found = static_cast<int>(all.size());
    for (int i = 0; i < found && i < capacity; i++) {
      tocha_tensor *result = all[static_cast<size_t>(i)].release();
      results[i] = result ? tocha_scope_push(context, result) : nullptr;
    }
    return tocha_failed(context) ? -1 : found;
  } catch (...) {
    detail::record_exception(context);
    return -1;
  }
}

inline void Module::to(Device device, DType dtype) {
  tocha_named_list modules = {};
  std::vector<Tensor> before;
  bool ok = tocha_named_modules(checked(), module_, "", true, &modules);
  const auto each_buffer = [&](auto use) {
    for (int i = 0; i < modules.count; i++)
      for (int j = 0; j < tocha_module_member_count(modules.items[i].module, TOCHA_MEMBER_BUFFER);
           j++)
        use(modules.items[i].module, j);
  };
  each_buffer([&](tocha_module *module, int index) {
    before.push_back(
        Tensor::share(context_, tocha_module_tensor(module, TOCHA_MEMBER_BUFFER, index)));
  });
  ok = ok && tocha_module_to(context_, module_, device, dtype);
  size_t number = 0;
  each_buffer([&](tocha_module *module, int index) {
    const Tensor &buffer = before[number++];
    tocha_tensor *moved = tocha_module_tensor(module, TOCHA_MEMBER_BUFFER, index);
    const char *buffer_name = tocha_module_member_name(module, TOCHA_MEMBER_BUFFER, index);
    if (ok && moved != buffer.get())
      ok = tocha_set_data(context_, buffer.get(), moved) &&
           tocha_register_buffer(context_, module, buffer_name, buffer.get(),
                                 tocha_module_is_persistent(module, buffer_name));
  });
  tocha_named_list_free(&modules);
  done(ok);
}

inline Module Module::copy() const {
  Module copied(checked(), tocha_module_copy(context_, module_));
  const auto forget_object = [](void *, tocha_module *module) {
    tocha_host_object host = *tocha_module_get_host_object(module);
    if (host.forward == call_forward) {
      host.data = nullptr;
      tocha_module_set_host_object(module, &host);
    }
    return true;
  };
  tocha_module_apply(copied.module_, forget_object, nullptr);
  return copied;
}

template <class Traits>
std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &out,
                                             const Module &module) {
  return out << module.to_string().c_str();
}

} // namespace tocha

#endif
