// library_call.h: a call of a library that works on device memory: checks its operands and puts it
// into the stream.
#ifndef TOCHA_SIMULATOR_LIBRARY_CALL_H
#define TOCHA_SIMULATOR_LIBRARY_CALL_H

#include <initializer_list>
#include <string>
#include <vector>

#include "cublas_v2.h"
#include "machine.h"

namespace simulator {

// A range of device memory that a call reads, or reads and writes.
struct Range {
  const void *address;
  size_t bytes;
  bool writes;
};

template <class T> Range reads(const T *address, size_t count) {
  return {address, address ? count * sizeof(T) : 0, false};
}
template <class T> Range writes(T *address, size_t count) {
  return {address, address ? count * sizeof(T) : 0, true};
}

// Returns the number of elements from the first to the last of a column-major matrix.
inline size_t extent(int ld, int rows, int columns) {
  return rows && columns ? size_t(columns - 1) * size_t(ld) + size_t(rows) : 0;
}

// Returns where the bytes of device memory lie.
template <class T> T *seen(const T *address) {
  return address ? reinterpret_cast<T *>(view(address)) : nullptr;
}

inline bool touch(const char *call, const Range &range, int device, std::vector<Touch> &touched) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(range.address);
  if (!range.bytes) return true;
  if (!is_device_address(address) && !is_pinned_address(address)) {
    fault(cudaErrorIllegalAddress, "%s: an operand is not device memory", call);
    return false;
  }
  const std::string problem = check_range(address, range.bytes, device, range.writes, touched);
  if (problem.empty()) return true;
  fault(cudaErrorIllegalAddress, "%s: %s", call, problem.c_str());
  return false;
}

// Puts f() into the stream after checking the ranges. Returns false if they are wrong.
template <class F>
bool submit_call(cudaStream_t handle, const char *call, std::initializer_list<Range> ranges, F f) {
  Lock lock;
  CUstream_st *stream = stream_of(handle);
  if (machine().broken || !stream) return false;
  std::vector<Touch> touched;
  for (const Range &range : ranges)
    if (!touch(call, range, stream->device, touched)) return false;
  Work *work = make_work(f);
  work->touched = touched;
  return submit(stream, work, call) == cudaSuccess;
}

inline char letter(cublasFillMode_t mode) { return mode == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L'; }
inline char letter(cublasOperation_t op) { return op == CUBLAS_OP_N ? 'N' : 'T'; }
inline char letter(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT ? 'L' : 'R'; }
inline char letter(cublasDiagType_t diag) { return diag == CUBLAS_DIAG_UNIT ? 'U' : 'N'; }

} // namespace simulator

#endif
