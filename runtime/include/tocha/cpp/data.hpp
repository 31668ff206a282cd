/* data.hpp: batches of training data. */
#ifndef TOCHA_CPP_DATA_HPP
#define TOCHA_CPP_DATA_HPP

#include <array>
#include <iterator>
#include <memory>

#include "tocha/cpp/tensor.hpp"
#include "tocha/data.h"

namespace tocha {

/* Batches of tensors whose rows are samples, or of samples that a function makes. A pass is a loop:
 *
 *   tocha::DataLoader loader({images, labels}, 32, true);
 *   for (const auto &[image, label] : loader) ...
 *
 * Destroy the loader before its context. */
template <size_t Parts> class DataLoader {
public:
  using Batch = std::array<Tensor, Parts>;

  DataLoader(const TensorRef (&tensors)[Parts], int64_t batch_size = 1, bool shuffle = false,
             bool drop_last = false)
      : context_(tensors[0].context) {
    tocha_tensor *parts[Parts];
    for (size_t i = 0; i < Parts; i++) parts[i] = tensors[i].tensor;
    tocha_data_options options = {};
    options.tensors = parts;
    open(options, batch_size, shuffle, drop_last);
  }
  /* `sample` returns sample number i, from 0 to samples - 1, as a Batch; the loader keeps a copy of it. */
  template <class Sample>
  DataLoader(tocha_context *context, int64_t samples, Sample sample, int64_t batch_size = 1,
             bool shuffle = false, bool drop_last = false)
      : context_(context), sample_(std::make_shared<Sample>(std::move(sample))) {
    tocha_data_options options = {};
    options.sample = make_sample<Sample>;
    options.user = sample_.get();
    options.samples = samples;
    open(options, batch_size, shuffle, drop_last);
  }
  tocha_data_loader *get() const { return loader_.get(); }
  int64_t length() const { return tocha_data_loader_length(loader_.get()); } /* batches of a pass */

  /* Writes the next batch; returns false after the last one. */
  bool next(Batch &batch) {
    const detail::Call call(context_);
    tocha_tensor *parts[Parts] = {};
    const bool found = tocha_data_loader_next(context_, loader_.get(), parts);
    for (size_t i = 0; i < Parts; i++)
      batch[i] = Tensor::share(context_, found ? parts[i] : nullptr);
    call.done(found || !tocha_failed(context_));
    return found;
  }

  class Iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Batch;
    using difference_type = std::ptrdiff_t;
    using pointer = const Batch *;
    using reference = const Batch &;
    explicit Iterator(DataLoader *loader) : loader_(loader) {
      if (loader_) ++*this;
    }
    reference operator*() const { return batch_; }
    pointer operator->() const { return &batch_; }
    Iterator &operator++() {
      if (!loader_->next(batch_)) loader_ = nullptr;
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator &a, const Iterator &b) { return a.loader_ == b.loader_; }
    friend bool operator!=(const Iterator &a, const Iterator &b) { return a.loader_ != b.loader_; }

  private:
    DataLoader *loader_; /* nullptr: the end */
    Batch batch_;
  };
  /* Begins a new pass. */
  Iterator begin() {
    tocha_data_loader_rewind(loader_.get());
    return Iterator(this);
  }
  Iterator end() { return Iterator(nullptr); }

private:
  struct Free {
    void operator()(tocha_data_loader *loader) const { tocha_data_loader_free(loader); }
  };

  void open(tocha_data_options &options, int64_t batch_size, bool shuffle, bool drop_last) {
    if (!context_) detail::throw_undefined();
    options.parts = Parts;
    options.batch_size = batch_size;
    options.shuffle = shuffle;
    options.drop_last = drop_last;
    loader_.reset(tocha_data_loader_new(context_, &options));
    if (!loader_) detail::throw_error(context_);
  }
  template <class Sample>
  static bool make_sample(tocha_context *context, void *user, int64_t index, tocha_tensor **parts) {
    try {
      Batch batch = (*static_cast<Sample *>(user))(index);
      for (size_t i = 0; i < Parts; i++)
        if (!(parts[i] = tocha_scope_push(context, batch[i].release()))) detail::throw_undefined();
      return true;
    } catch (...) {
      detail::record_exception(context);
      return false;
    }
  }

  tocha_context *context_;
  std::shared_ptr<void> sample_;
  std::unique_ptr<tocha_data_loader, Free> loader_;
};

} // namespace tocha

#endif
