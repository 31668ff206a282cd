// device_array.h: device memory of a test, copied in and out with plain calls.
#ifndef TOCHA_SPEC_CUDA_DEVICE_ARRAY_H
#define TOCHA_SPEC_CUDA_DEVICE_ARRAY_H

#include "common/kernel.h"
#include <vector>

#if !defined(TOCHA_SIMULATED_CUDA)
static inline void tocha_simulator_block(const void *, size_t) {} // a GPU has no such check
#endif

template <class T> struct DeviceArray {
  T *pointer = nullptr;
  size_t count;
  explicit DeviceArray(size_t n) : count(n) { cudaMalloc(&pointer, n * sizeof(T)); }
  explicit DeviceArray(const std::vector<T> &values) : DeviceArray(values.size()) { set(values); }
  ~DeviceArray() { cudaFree(pointer); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;
  void set(const std::vector<T> &values) {
    cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize(); // a copy from pageable memory may return before it has arrived
  }
  std::vector<T> get() const {
    std::vector<T> values(count);
    cudaMemcpy(values.data(), pointer, count * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }
  operator T *() const { return pointer; }
};

static inline cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return stream;
}

#endif
