/* checkpoint.hpp: files of PyTorch's and .safetensors: torch.load and torch.save. */
#ifndef TOCHA_CPP_CHECKPOINT_HPP
#define TOCHA_CPP_CHECKPOINT_HPP

#include "tocha/cpp/module.hpp"
#include "tocha/cpp/scheduler.hpp"

namespace tocha {

/* The content of a file: a tree of values, which <tocha/serialization.h> reads and makes.
 *
 *   tocha::Checkpoint file(cx);
 *   file.set("model", net.state_dict());
 *   file.set("optimizer", optimizer);
 *   file.set("epoch", 3);
 *   file.save("checkpoint.pt"); */
class Checkpoint {
public:
  /* Creates an empty one, to be filled and saved. */
  explicit Checkpoint(tocha_context *context)
      : Checkpoint(context, tocha_checkpoint_new(context)) {}
  Checkpoint(tocha_context *context, tocha_checkpoint *checkpoint)
      : context_(context), checkpoint_(checkpoint) {
    if (!checkpoint) detail::throw_error(context);
  }
  static Checkpoint load(tocha_context *context, const char *path,
                         const tocha_load_options &options = {}) {
    return Checkpoint(context, tocha_load(context, path, &options));
  }
  Checkpoint(Checkpoint &&other) noexcept
      : context_(other.context_), checkpoint_(std::exchange(other.checkpoint_, nullptr)),
        dict_(other.dict_) {}
  Checkpoint &operator=(Checkpoint &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(checkpoint_, other.checkpoint_);
    std::swap(dict_, other.dict_);
    return *this;
  }
  ~Checkpoint() { tocha_checkpoint_free(checkpoint_); }
  tocha_checkpoint *get() const { return checkpoint_; }

  const tocha_value *root() const { return tocha_checkpoint_root(checkpoint_); }
  /* Returns the value under a key of the root, or of `dict`. */
  const tocha_value *find(const char *key, const tocha_value *dict = nullptr) const {
    const tocha_value *value = tocha_value_find(dict ? dict : root(), key);
    if (!value) throw Error(TOCHA_KEY_ERROR, std::string("'") + key + "'");
    return value;
  }
  /* Reads a value (the root if it is nullptr). */
  StateDict state_dict(const tocha_value *value = nullptr) const {
    return StateDict(context_, tocha_value_state_dict(context_, value ? value : root()));
  }
  Tensor tensor(const tocha_value *value = nullptr) const {
    tocha_tensor *tensor = tocha_value_tensor(value ? value : root());
    if (!tensor) throw Error(TOCHA_TYPE_ERROR, "the value is not a tensor");
    return Tensor::share(context_, tensor);
  }
  int64_t integer(const char *key) const { return tocha_value_int(find(key)); }
  double real(const char *key) const { return tocha_value_float(find(key)); }
  /* Loads the state that set has stored. */
  void load_into(Optimizer &optimizer, const char *key) const {
    done(tocha_optimizer_load_state_dict(context_, optimizer.get(), find(key)));
  }
  void load_into(Scheduler &scheduler, const char *key) const {
    done(tocha_scheduler_load_state_dict(context_, scheduler.get(), find(key)));
  }

  /* Sets an entry of the root, a dict. */
  void set(const char *key, const tocha_value *value) {
    if (!dict_) set_root(dict_ = tocha_new_collection(checkpoint_, TOCHA_VALUE_DICT));
    done(tocha_value_set(checkpoint_, dict_, tocha_new_string(checkpoint_, key, std::strlen(key)),
                         value));
  }
  void set(const char *key, const StateDict &dict) {
    set(key, tocha_new_state_dict(checkpoint_, dict.get()));
  }
  void set(const char *key, const Tensor &tensor) {
    set(key, tocha_new_tensor(checkpoint_, tensor.get()));
  }
  void set(const char *key, const Optimizer &optimizer) {
    set(key, tocha_optimizer_state_dict(checkpoint_, optimizer.get()));
  }
  void set(const char *key, const Scheduler &scheduler) {
    set(key, tocha_scheduler_state_dict(checkpoint_, scheduler.get()));
  }
  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  void set(const char *key, Number number) {
    if constexpr (std::is_floating_point_v<Number>)
      set(key, tocha_new_float(checkpoint_, static_cast<double>(number)));
    else
      set(key, tocha_new_int(checkpoint_, static_cast<int64_t>(number)));
  }
  void set_root(const tocha_value *value) {
    done(value && tocha_checkpoint_set_root(checkpoint_, value));
  }
  void save(const char *path, tocha_checkpoint_format format = TOCHA_FORMAT_ZIP) const {
    done(tocha_save(context_, checkpoint_, path, format));
  }

private:
  void done(bool ok) const {
    if (!ok) detail::throw_error(context_);
  }

  tocha_context *context_;
  tocha_checkpoint *checkpoint_;
  tocha_value *dict_ = nullptr; /* the root that set has made */
};

/* Save a state dict, or one tensor. */
inline void save(const StateDict &dict, const char *path,
                 tocha_checkpoint_format format = TOCHA_FORMAT_ZIP) {
  Checkpoint checkpoint(dict.context());
  checkpoint.set_root(tocha_new_state_dict(checkpoint.get(), dict.get()));
  checkpoint.save(path, format);
}
inline void save(const Tensor &tensor, const char *path) {
  if (!tensor.defined()) detail::throw_undefined();
  Checkpoint checkpoint(tensor.context());
  checkpoint.set_root(tocha_new_tensor(checkpoint.get(), tensor.get()));
  checkpoint.save(path);
}

} // namespace tocha

#endif
