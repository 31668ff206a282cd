// kernel.h: included by every .cu file. The same source is CUDA C++ for nvcc and, with
// cuda/simulator first on the include path, C++17 for the simulated GPU; these macros cover what
// plain C++ cannot parse.
//
//   LAUNCH(kernel, grid, block, shared_bytes, stream, arguments...)
//       launches; the error is cudaGetLastError()'s. A name with commas goes into parentheses:
//       LAUNCH((add<float, 4>), blocks, 256, 0, stream, out, a, b, n);
//   SHARED(type, name, [n]);       a shared array; SHARED(float, sum, ); is a single value
//   SHARED_DYNAMIC(type, name);    pointer to the shared_bytes of the launch, aligned to 16
//   UNROLL                         before a loop: unrolled completely
//   DEVICE_POINTER(p)              a device pointer that a kernel loaded from device memory
//   READ_ONLY(p)                   host side: p goes into a structure argument, and the launch only
//                                  reads there (else a pointer in a structure counts as written)
//
// Rules:
//   Structure arguments are trivially copyable and initialised whole (`Operands o = {};`): the
//   simulator looks through them for device pointers, word by word. So they have no gaps either:
//   the bytes of a gap are never initialised and may look like a pointer. Members are whole words of
//   8 bytes, or of 4 in pairs, with a member `rest` if one is left over. (No trait of C++
//   distinguishes gaps from floating members, which are allowed, so only readers check this.)
//   No cooperative groups, inline PTX, textures, __constant__ data or spinning on another thread;
//   code between `#if __CUDA_ARCH__` is not simulated.
#ifndef TOCHA_CUDA_KERNEL_H
#define TOCHA_CUDA_KERNEL_H

#include <cuda_runtime.h>

#include "common/half.h"

#if defined(TOCHA_SIMULATED_CUDA)

#define AS_FUNCTION(kernel) [](auto... arguments) { kernel(arguments...); }
#define LAUNCH(kernel, grid, block, shared_bytes, ...)                                             \
  ::simulator::launch<decltype((kernel))>(#kernel, &::simulator::KernelTag<(kernel)>::tag, grid,   \
                                          block, shared_bytes, AS_FUNCTION(kernel), __VA_ARGS__)
#define SHARED(type, name, ...)                                                                    \
  static ::simulator::SharedVariable<type __VA_ARGS__> name##_variable(#name);                     \
  auto &name = name##_variable.value()
#define SHARED_DYNAMIC(type, name) type *name = static_cast<type *>(::simulator::dynamic_shared())
#define UNROLL
#define UNROLL_NOT
#define DEVICE_POINTER(p) (::simulator::device_pointer(p))
#define READ_ONLY(p) (::simulator::read_only(p))

#else

#define LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                     \
  kernel<<<grid, block, shared_bytes, stream>>>(__VA_ARGS__)
#define SHARED(type, name, ...) __shared__ type name __VA_ARGS__
#define SHARED_DYNAMIC(type, name)                                                                 \
  extern __shared__ __align__(16) unsigned char dynamic_shared_bytes[];                            \
  type *name = reinterpret_cast<type *>(dynamic_shared_bytes)
#define UNROLL _Pragma("unroll")
#define UNROLL_NOT _Pragma("unroll 1")
#define DEVICE_POINTER(p) (p)
#define READ_ONLY(p) (p)

#endif
#endif
