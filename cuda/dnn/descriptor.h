/* descriptor.h: owns a descriptor of cuDNN. */
#pragma once

#include "dnn/library.h"

namespace tocha {

/* A descriptor, whose attributes are set in turn before finish(). Keeps the first failure. */
class Descriptor {
public:
  Descriptor() = default;
  Descriptor(const DnnLibrary *library, int type) : library_(library) {
    status_ = library->cudnnBackendCreateDescriptor_(type, &data_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  Descriptor(Descriptor &&other) noexcept { swap(other); }
  Descriptor &operator=(Descriptor &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Descriptor() {
    if (data_) library_->cudnnBackendDestroyDescriptor_(data_);
  }

  void set(int name, int type, const void *elements, int64_t count = 1) {
    if (works()) status_ = library_->cudnnBackendSetAttribute_(data_, name, type, count, elements);
  }
  void set(int name, const Descriptor &other) {
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, &other.data_);
  }
  void set_number(int name, int type, int value) { set(name, type, &value); }
  void set_count(int name, int64_t value) { set(name, CUDNN_TYPE_INT64, &value); }

  /* Completes the descriptor. Returns true if all calls since its creation succeeded. */
  bool finish() {
    if (works()) status_ = library_->cudnnBackendFinalize_(data_);
    return works();
  }

  /* Reads up to `wanted` elements of an attribute; returns their number, 0 if cuDNN refuses. */
  int64_t get(int name, int type, void *elements, int64_t wanted = 1) const {
    int64_t count = 0;
    bool ok = works() && library_->cudnnBackendGetAttribute_(data_, name, type, wanted, &count,
                                                             elements) == CUDNN_STATUS_SUCCESS;
    return ok ? count : 0;
  }

  bool works() const { return data_ && status_ == CUDNN_STATUS_SUCCESS; }
  cudnnBackendDescriptor_t data() const { return data_; }

private:
  void swap(Descriptor &other) {
    const DnnLibrary *library = library_;
    cudnnBackendDescriptor_t data = data_;
    cudnnStatus_t status = status_;
    library_ = other.library_, data_ = other.data_, status_ = other.status_;
    other.library_ = library, other.data_ = data, other.status_ = status;
  }

  const DnnLibrary *library_ = nullptr;
  cudnnBackendDescriptor_t data_ = nullptr;
  cudnnStatus_t status_ = CUDNN_STATUS_SUCCESS;
};

} // namespace tocha
