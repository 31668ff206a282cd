// launch.h: turns LAUNCH(kernel, ...) into a launch that waits in its stream. Arguments are
// converted to the kernel's parameter types, as CUDA does. Pointers among them, and pointers inside
// structures, are checked and translated from the addresses that the host sees to those of the
// bytes. A parameter `const T *` means that the launch only reads there; a pointer in a structure
// counts as written unless it was passed through READ_ONLY (kernel.h).
#ifndef TOCHA_SIMULATOR_LAUNCH_H
#define TOCHA_SIMULATOR_LAUNCH_H

#include "cuda_runtime_api.h"
#include "device_functions.h"
#include <tuple>
#include <type_traits>
#include <utility>

namespace simulator {

// Progress of the running block. While no thread has met a barrier, threads run in a plain loop.
struct Execution {
  unsigned started; // index in `order` of the thread started last
  unsigned count;   // threads in a block
  bool met;         // some thread of this block met a barrier or a warp operation
  const uint3 *order;
};
extern SIMULATOR_HIDDEN Execution execution;
SIMULATOR_HIDDEN bool next_thread_after_meeting();

// Chooses the next thread after one has left its kernel. Returns true if that thread must run on
// this stack.
static inline bool next_thread() {
  if (__builtin_expect(!execution.met, 1) && execution.started + 1 < execution.count) {
    threadIdx = execution.order[++execution.started];
    return true;
  }
  return next_thread_after_meeting();
}

struct Work; // machine.h

// A launch. `threads` runs threads of it until all have started.
struct Launch {
  virtual ~Launch() {}
  virtual void threads() = 0;
  const char *kernel = "";
  dim3 grid, block;
  size_t shared_bytes = 0, shared_limit = 0;
  int device = 0;
};

// Takes the simulator's lock, checks the launch, collects the memory that it touches, and puts it
// into the stream.
class SIMULATOR_HIDDEN Submission {
public:
  Submission(const char *kernel, const void *tag, dim3 grid, dim3 block, size_t shared_bytes,
             cudaStream_t stream);
  ~Submission();
  Submission(const Submission &) = delete;
  Submission &operator=(const Submission &) = delete;
  template <class T> void argument(T &value) {
    index_++;
    if constexpr (std::is_pointer<T>::value) {
      typedef typename std::remove_pointer<T>::type Target;
      if constexpr (!std::is_function<Target>::value)
        value = reinterpret_cast<T>(
            pointer(reinterpret_cast<uintptr_t>(value), !std::is_const<Target>::value));
    } else if constexpr (std::is_class<T>::value) {
      static_assert(std::is_trivially_copyable<T>::value,
                    "a kernel's arguments are copied as bytes");
      if constexpr (alignof(T) >= sizeof(void *)) {
#if defined(__has_builtin)
// Bytes between members may look like an address. gcc 12 also clears members of an array that
// follows padding: struct { bool b; struct { int a, b, c; } d[10]; } loses d[0].a.
#if __has_builtin(__builtin_clear_padding) && defined(__clang__)
        __builtin_clear_padding(&value);
#endif
#endif
        structure(&value, sizeof value);
      }
    }
  }
  void commit(Launch *launch); // takes the launch, even if it fails
private:
  uintptr_t pointer(uintptr_t address, bool writes);
  void structure(void *bytes, size_t size);
  Work *work_;
  CUstream_st *stream_;
  int index_ = 0;
  bool valid_;
  const char *kernel_;
  dim3 grid_, block_;
  size_t shared_bytes_, shared_limit_;
};

template <class Thunk, class... Parameters> struct KernelLaunch final : Launch {
  KernelLaunch(Thunk t, Parameters... values) : thunk(t), arguments(values...) {}
  void threads() override {
    do std::apply(thunk, arguments); // the kernel, inlined here
    while (next_thread());
  }
  Thunk thunk;
  std::tuple<Parameters...> arguments;
};

template <class Parameter> static inline Parameter converted(Parameter value) { return value; }

template <class Function> struct Signature;
template <class... Parameters> struct Signature<void (&)(Parameters...)> {
  template <class Thunk, class... Arguments>
  static void submit(Submission &submission, Thunk thunk, Arguments &&...arguments) {
    static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                  "wrong number of kernel arguments");
    static_assert((!std::is_reference<Parameters>::value && ...), "kernels take values");
    static_assert((sizeof(Parameters) + ... + 0) <= 4096,
                  "CUDA passes at most 4096 bytes of arguments");
    auto *launch = new KernelLaunch<Thunk, Parameters...>(
        thunk, converted<Parameters>(std::forward<Arguments>(arguments))...);
    std::apply([&](auto &...values) { (submission.argument(values), ...); }, launch->arguments);
    submission.commit(launch);
  }
};

// An address that identifies a kernel without naming its code, which would be compiled a second
// time.
template <auto kernel> struct KernelTag { static constexpr char tag = 0; };

template <class Function, class Thunk, class... Arguments>
static inline void launch(const char *name, const void *tag, dim3 grid, dim3 block,
                          size_t shared_bytes, Thunk thunk, cudaStream_t stream,
                          Arguments &&...arguments) {
  Submission submission(name, tag, grid, block, shared_bytes, stream);
  Signature<Function>::submit(submission, thunk, std::forward<Arguments>(arguments)...);
}

SIMULATOR_HIDDEN cudaError_t set_kernel_attribute(const void *tag, cudaFuncAttribute attribute,
                                                  int value);
SIMULATOR_HIDDEN cudaError_t occupancy(int *blocks, int threads, size_t shared_bytes);

} // namespace simulator

// The name of a kernel that contains commas is put in parentheses here, as in LAUNCH.
#define cudaFuncSetAttribute(kernel, attribute, value)                                             \
  ::simulator::set_kernel_attribute(&::simulator::KernelTag<(kernel)>::tag, attribute, value)

template <class Kernel>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel,
                                                                        int threads,
                                                                        size_t shared_bytes) {
  return simulator::occupancy(blocks, threads, shared_bytes);
}

#endif
