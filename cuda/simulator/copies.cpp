// copies.cpp: copies and fills. As CUDA's rules say, copies from pageable memory are staged at the
// call, and copies to pageable memory wait; only copies between pinned and device memory are truly
// asynchronous.
#include "activity.h"

#include <string.h>

namespace simulator {

struct Rows { // a block of memory: `height` rows of `width` bytes
  size_t width, height, target_pitch, source_pitch;
  size_t span(size_t pitch) const { return height ? (height - 1) * pitch + width : 0; }
};

static void copy_rows(uintptr_t target, uintptr_t source, Rows rows) {
  if (rows.width == rows.target_pitch && rows.width == rows.source_pitch) {
    memmove(reinterpret_cast<void *>(target), reinterpret_cast<const void *>(source),
            rows.width * rows.height);
    return;
  }
  for (size_t row = 0; row < rows.height; row++)
    memmove(reinterpret_cast<char *>(target) + row * rows.target_pitch,
            reinterpret_cast<const char *>(source) + row * rows.source_pitch, rows.width);
}

static const char *const kind_names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                         "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};

static cudaError_t check_kind(const char *call, bool to_device, bool from_device,
                              cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault) return cudaSuccess;
  if (kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  bool wants_to = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool wants_from = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (wants_to == to_device && wants_from == from_device) return cudaSuccess;
  return refuse(cudaErrorInvalidValue,
                "%s: %s, but the target is %s memory and the source %s memory", call,
                kind_names[kind], to_device ? "device" : "host", from_device ? "device" : "host");
}

static CUpti_ActivityMemoryKind memory_kind(uintptr_t address) {
  if (is_device_address(address)) return CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  return is_pinned_address(address) ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED
                                    : CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
}

static cudaError_t copy(const char *call, void *target, const void *source, Rows rows,
                        cudaMemcpyKind kind, CUstream_st *stream, bool wait) {
  if (machine().broken) return machine().sticky;
  if (!stream)
    return refuse(cudaErrorInvalidResourceHandle, "%s: not a stream, or destroyed", call);
  if (rows.width == 0 || rows.height == 0) return wait ? wait_for(stream) : cudaSuccess;
  if (!target || !source) return cudaErrorInvalidValue;
  if (rows.width > rows.target_pitch || rows.width > rows.source_pitch)
    return cudaErrorInvalidPitchValue;
  uintptr_t to = reinterpret_cast<uintptr_t>(target), from = reinterpret_cast<uintptr_t>(source);
  bool to_device = is_device_address(to), from_device = is_device_address(from);
  cudaError_t error = check_kind(call, to_device, from_device, kind);
  if (error != cudaSuccess) return error;
  std::vector<Touch> touched;
  std::string problem =
      check_range(from, rows.span(rows.source_pitch), pinned_memory, false, touched);
  if (!problem.empty())
    return refuse(cudaErrorInvalidValue, "%s: source %s", call, problem.c_str());
  problem = check_range(to, rows.span(rows.target_pitch), pinned_memory, true, touched);
  if (!problem.empty())
    return refuse(cudaErrorInvalidValue, "%s: target %s", call, problem.c_str());
  bool to_pageable = !to_device && !is_pinned_address(to);
  bool from_pageable = !from_device && !is_pinned_address(from);
  if (stream->capture && (to_pageable || from_pageable || wait))
    return refuse_in_capture(stream, call);
  uintptr_t target_view = view(target), source_view = view(source);
  Activity activity = {
      CUPTI_ACTIVITY_KIND_MEMCPY, stream->device, "", memory_kind(from), memory_kind(to), 0, 0};
  Work *work;
  if (from_pageable && !to_pageable) {
    if (wait)
      error = wait_for(stream); // a synchronous copy first waits for the stream, then stages
    if (error != cudaSuccess) return error;
    auto staged = std::make_shared<std::vector<char>>(rows.width * rows.height);
    Rows packing = {rows.width, rows.height, rows.width, rows.source_pitch};
    copy_rows(reinterpret_cast<uintptr_t>(staged->data()), source_view, packing);
    Rows unpacking = {rows.width, rows.height, rows.target_pitch, rows.width};
    work = make_work([=] {
      as_activity(activity, [&] {
        copy_rows(target_view, reinterpret_cast<uintptr_t>(staged->data()), unpacking);
      });
    });
  } else {
    work = make_work(
        [=] { as_activity(activity, [&] { copy_rows(target_view, source_view, rows); }); });
  }
  work->touched = touched;
  error = submit(stream, work, call);
  bool host_waits = to_pageable || (wait && !from_pageable && !(to_device && from_device));
  if (error == cudaSuccess && host_waits) error = wait_for(stream);
  return error;
}

static cudaError_t fill(const char *call, void *target, int byte, size_t bytes,
                        CUstream_st *stream) {
  if (machine().broken) return machine().sticky;
  if (!stream)
    return refuse(cudaErrorInvalidResourceHandle, "%s: not a stream, or destroyed", call);
  if (bytes == 0) return cudaSuccess;
  uintptr_t to = reinterpret_cast<uintptr_t>(target);
  if (!is_device_address(to) && !is_pinned_address(to))
    return refuse(cudaErrorInvalidValue, "%s: not device memory", call);
  std::vector<Touch> touched;
  std::string problem = check_range(to, bytes, pinned_memory, true, touched);
  if (!problem.empty())
    return refuse(cudaErrorInvalidValue, "%s: target %s", call, problem.c_str());
  void *bytes_at = reinterpret_cast<void *>(view(target));
  Activity activity = {CUPTI_ACTIVITY_KIND_MEMSET, stream->device, "", {}, {}, 0, 0};
  Work *work = make_work([=] { as_activity(activity, [&] { memset(bytes_at, byte, bytes); }); });
  work->touched = touched;
  return submit(stream, work, call);
}

static Rows one_row(size_t bytes) { return {bytes, 1, bytes, bytes}; }

} // namespace simulator

using namespace simulator;

extern "C" cudaError_t cudaMemcpy(void *target, const void *source, size_t bytes,
                                  cudaMemcpyKind kind) {
  Lock lock;
  return result(copy("cudaMemcpy", target, source, one_row(bytes), kind, stream_of(nullptr), true));
}

extern "C" cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
  Lock lock;
  return result(
      copy("cudaMemcpyAsync", target, source, one_row(bytes), kind, stream_of(stream), false));
}

static cudaError_t check_peers(const char *call, const void *target, int target_device,
                               const void *source, int source_device) {
  int to = device_of(reinterpret_cast<uintptr_t>(target));
  int from = device_of(reinterpret_cast<uintptr_t>(source));
  if (to == target_device && from == source_device) return cudaSuccess;
  return refuse(cudaErrorInvalidValue, "%s: the pointers are of devices %d and %d, not %d and %d",
                call, to, from, target_device, source_device);
}

extern "C" cudaError_t cudaMemcpyPeerAsync(void *target, int target_device, const void *source,
                                           int source_device, size_t bytes, cudaStream_t stream) {
  Lock lock;
  const char *call = "cudaMemcpyPeerAsync";
  cudaError_t error =
      bytes ? check_peers(call, target, target_device, source, source_device) : cudaSuccess;
  if (error != cudaSuccess) return result(error);
  return result(
      copy(call, target, source, one_row(bytes), cudaMemcpyDefault, stream_of(stream), false));
}

extern "C" cudaError_t cudaMemcpyPeer(void *target, int target_device, const void *source,
                                      int source_device, size_t bytes) {
  return cudaMemcpyPeerAsync(target, target_device, source, source_device, bytes, nullptr);
}

extern "C" cudaError_t cudaMemcpy2DAsync(void *target, size_t target_pitch, const void *source,
                                         size_t source_pitch, size_t width, size_t height,
                                         cudaMemcpyKind kind, cudaStream_t stream) {
  Lock lock;
  return result(copy("cudaMemcpy2DAsync", target, source,
                     {width, height, target_pitch, source_pitch}, kind, stream_of(stream), false));
}

extern "C" cudaError_t cudaMemset(void *target, int byte, size_t bytes) {
  Lock lock;
  return result(fill("cudaMemset", target, byte, bytes, stream_of(nullptr)));
}

extern "C" cudaError_t cudaMemsetAsync(void *target, int byte, size_t bytes, cudaStream_t stream) {
  Lock lock;
  return result(fill("cudaMemsetAsync", target, byte, bytes, stream_of(stream)));
}
