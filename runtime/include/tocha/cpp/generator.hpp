/* generator.hpp: Generator, an owner of a generator of random numbers. */
#ifndef TOCHA_CPP_GENERATOR_HPP
#define TOCHA_CPP_GENERATOR_HPP

#include "tocha/cpp/values.hpp"
#include "tocha/random.h"

namespace tocha {

/* Random numbers for the argument `generator`; Generator() stands for the context's own. */
class Generator {
public:
  Generator() = default;
  explicit Generator(tocha_context *context, Device device = tocha_cpu())
      : context_(context), generator_(tocha_generator_new(context, device)) {
    if (!generator_) detail::throw_error(context);
  }
  Generator(Generator &&other) noexcept
      : context_(other.context_), generator_(std::exchange(other.generator_, nullptr)) {}
  Generator &operator=(Generator &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(generator_, other.generator_);
    return *this;
  }
  ~Generator() {
    if (generator_) tocha_generator_free(context_, generator_);
  }
  tocha_generator *get() const { return generator_; }
  void manual_seed(uint64_t seed) { tocha_generator_reseed(generator_, seed); }

private:
  tocha_context *context_ = nullptr;
  tocha_generator *generator_ = nullptr;
};

} // namespace tocha

#endif
