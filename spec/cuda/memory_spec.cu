// memory_spec.cu: allocations, copies of every kind, limits of the GPU, two devices.
#include "device_array.h"
#include "harness.h"

#include <string.h>
#include <thread>

namespace {

__global__ void increment(int *values, int n) {
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) values[i] += 1;
}

__global__ void copy_values(int *out, const int *in, int n) {
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = in[i];
}

void copies() {
  std::vector<int> values(1000), back(1000);
  for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<int>(i);
  DeviceArray<int> a(1000), b(1000);
  cudaStream_t stream = new_stream();
  check(cudaMemcpyAsync(a, values.data(), 4000, cudaMemcpyHostToDevice, stream) == cudaSuccess,
        "host to device");
  values[0] = 77; // staged at the call: does not arrive
  cudaMemcpyAsync(b, a, 4000, cudaMemcpyDeviceToDevice, stream);
  LAUNCH(increment, 4, 256, 0, stream, b.pointer, 1000);
  cudaMemcpyAsync(back.data(), b, 4000, cudaMemcpyDefault, stream); // to pageable memory: waits
  check(back[0] == 1 && back[999] == 1000, "through two device arrays and a kernel");
  int *pinned;
  check(cudaHostAlloc(&pinned, 4000, cudaHostAllocMapped) == cudaSuccess, "pinned memory");
  cudaMemcpyAsync(pinned, a, 4000, cudaMemcpyDeviceToHost, stream);
  check(pinned[5] != 5, "a copy to pinned memory has not happened before the synchronization");
  check(cudaStreamQuery(stream) == cudaErrorNotReady, "the stream is not ready");
  cudaGetLastError();
  cudaStreamSynchronize(stream);
  check(pinned[5] == 5 && cudaStreamQuery(stream) == cudaSuccess, "but after it");
  LAUNCH(increment, 4, 256, 0, stream, pinned, 1000); // kernels reach pinned memory
  cudaStreamSynchronize(stream);
  check(pinned[5] == 6, "a kernel writes pinned memory");
  pinned[5] = 8;
  cudaMemcpyAsync(a, pinned, 4000, cudaMemcpyHostToDevice, stream);
  pinned[5] = 9; // not staged: the new value arrives
  cudaStreamSynchronize(stream);
  check(a.get()[5] == 9, "a copy from pinned memory happens later than the call");
  check(cudaFreeHost(pinned) == cudaSuccess, "cudaFreeHost");
  cudaStreamDestroy(stream);
}

void rectangles_and_fills() {
  std::vector<unsigned char> source(5 * 8), target(5 * 10, 1);
  for (size_t i = 0; i < source.size(); i++) source[i] = static_cast<unsigned char>(i);
  DeviceArray<unsigned char> device(5 * 16);
  cudaMemset(device, 0xee, 5 * 16);
  cudaMemcpy2DAsync(device, 16, source.data(), 8, 8, 5, cudaMemcpyHostToDevice, 0);
  cudaMemcpy2DAsync(target.data(), 10, device, 16, 8, 5, cudaMemcpyDeviceToHost, 0);
  check(target[0] == 0 && target[10] == 8 && target[47] == 39 && target[8] == 1,
        "rows with pitches");
  std::vector<unsigned char> all = device.get();
  check(all[8] == 0xee && all[15] == 0xee && all[16] == 8, "what lies between the rows stays");
  check(cudaMemcpy(device, source.data(), 81, cudaMemcpyHostToDevice) == cudaErrorInvalidValue,
        "a copy past the end is refused");
  check(cudaMemcpy(device, source.data(), 8, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue,
        "a copy of the wrong kind is refused");
  check(cudaMemset(device, 0, 81) == cudaErrorInvalidValue, "a fill past the end is refused");
  check(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess,
        "the last error is told once");
}

void limits() {
  size_t available, total;
  cudaMemGetInfo(&available, &total);
  check(total == size_t(64) << 20 && available == total,
        "the GPU's size comes from the environment");
  void *a = nullptr, *b = nullptr;
  check(cudaMalloc(&a, size_t(40) << 20) == cudaSuccess, "40 of 64 MB");
  check(cudaMalloc(&b, size_t(40) << 20) == cudaErrorMemoryAllocation && !b,
        "another 40 do not fit");
  check(cudaGetLastError() == cudaErrorMemoryAllocation, "out of memory is not sticky");
  cudaMemGetInfo(&available, &total);
  check(available == size_t(24) << 20, "24 MB are left");
  cudaFree(a);
  check(cudaMalloc(&b, size_t(64) << 20) == cudaSuccess, "all of it after a free");
  cudaFree(b);
  for (int i = 0; i < 3000; i++) { // more than the addresses, so freed ones come back
    check(cudaMalloc(&a, size_t(32) << 20) == cudaSuccess, "a long life of allocations");
    cudaFree(a);
    if (i == 20) break;
  }
  check(cudaFree(nullptr) == cudaSuccess && cudaMalloc(&a, 0) == cudaSuccess && !a,
        "nothing is fine");
}

void properties() {
  cudaDeviceProp p;
  int count = 0, value = 0;
  check(cudaGetDeviceCount(&count) == cudaSuccess && count == 2, "two devices");
  check(cudaGetDeviceProperties(&p, 1) == cudaSuccess && !strcmp(p.name, "Simulated GPU"),
        "its name");
  check(p.major == 8 && p.minor == 0 && p.multiProcessorCount == 108 && p.warpSize == 32,
        "its shape");
  check(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerMultiProcessor, 0) == cudaSuccess &&
            value == 2048,
        "an attribute");
  check(cudaSetDevice(2) == cudaErrorInvalidDevice, "no third device");
  cudaGetLastError();
  DeviceArray<float> a(10);
  cudaPointerAttributes attributes;
  int host_value;
  cudaPointerGetAttributes(&attributes, a.pointer + 3);
  check(attributes.type == cudaMemoryTypeDevice && attributes.device == 0, "a device pointer");
  cudaPointerGetAttributes(&attributes, &host_value);
  check(attributes.type == cudaMemoryTypeUnregistered, "a host pointer");
  check(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"), "a text");
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, increment, 256, 0);
  check(blocks == 8, "occupancy");
}

void two_devices() {
  std::vector<int> values(100, 7);
  DeviceArray<int> on_0(values);
  cudaSetDevice(1);
  DeviceArray<int> on_1(100), also_1(100);
  cudaStream_t stream_1 = new_stream();
  check(cudaMemcpyPeerAsync(on_1, 1, on_0, 0, 400, stream_1) == cudaSuccess, "host_object copy");
  LAUNCH(increment, 1, 128, 0, stream_1, on_1.pointer, 100);
  cudaStreamSynchronize(stream_1);
  check(on_1.get() == std::vector<int>(100, 8), "and a kernel on the second device");
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, 1, 0) == cudaSuccess && can == 1, "host_object access is possible");
  check(cudaDeviceEnablePeerAccess(0, 0) == cudaSuccess, "and enabled");
  check(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorPeerAccessAlreadyEnabled, "once");
  cudaGetLastError();
  LAUNCH(copy_values, 1, 128, 0, stream_1, also_1.pointer, on_0.pointer, 100);
  cudaStreamSynchronize(stream_1);
  check(also_1.get() == values, "a kernel reads the other device's memory");
  cudaSetDevice(0);
  LAUNCH(increment, 1, 128, 0, stream_1, on_0.pointer, 100);
  check(cudaGetLastError() == cudaErrorInvalidResourceHandle,
        "a stream of another device is refused");
  size_t available, total;
  cudaMemGetInfo(&available, &total);
  check(total - available == 512, "each device counts its own memory");
}

__global__ void add_up(int *total,
                       const int *values) { // with barriers, so that fibres change hands
  SHARED(int, row, [64]);
  row[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  for (unsigned half = 32; half; half /= 2) {
    if (threadIdx.x < half) row[threadIdx.x] += row[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total += row[0];
}

void host_threads() {
  int totals[4] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([t, &totals] {
      cudaSetDevice(t % 2); // each host thread has a current device of its own
      cudaStream_t stream = new_stream();
      DeviceArray<int> values(std::vector<int>(64, t)), total(std::vector<int>{0});
      for (int i = 0; i < 100; i++) {
        LAUNCH(add_up, 1, 64, 0, stream, total.pointer, values.pointer);
        if (i % 10 == t) cudaStreamSynchronize(stream);
      }
      cudaStreamSynchronize(stream);
      totals[t] = total.get()[0];
    });
  for (std::thread &thread : threads) thread.join();
  for (int t = 0; t < 4; t++) check(totals[t] == 6400 * t, "four host threads on two devices");
}

} // namespace

void memory_specs() {
  Environment small, two;
  small.memory = "64M";
  two.devices = 2;
  expect_silence("copies", copies);
  expect_silence("rectangles and fills", rectangles_and_fills);
  expect_silence("limits", limits, small);
  expect_silence("properties", properties, two);
  expect_silence("two devices", two_devices, two);
  expect_silence("host threads", host_threads, two);
}
