/* checkpoint.hpp: files of PyTorch's and .safetensors: torch.load and torch.save. */
#ifndef TOCHA_CPP_CHECKPOINT_HPP
#define TOCHA_CPP_CHECKPOINT_HPP

#include "tocha/cpp/module.hpp"

namespace tocha {

/* The content of a file: a tree of values, which <tocha/serialization.h> reads and makes. */
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
      : context_(other.context_), checkpoint_(std::exchange(other.checkpoint_, nullptr)) {}
  Checkpoint &operator=(Checkpoint &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(checkpoint_, other.checkpoint_);
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
