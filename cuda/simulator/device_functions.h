// device_functions.h: CUDA's functions inside a kernel other than arithmetic: indices, barriers,
// warp operations, atomics, fences. A block's threads run one after the other; a thread that meets
// a barrier or a warp operation parks on its fibre until the others have come (scheduler.cpp).
// Barriers and warp operations carry their source line, so that threads waiting at different ones
// are reported and not mixed up.
#ifndef TOCHA_SIMULATOR_DEVICE_FUNCTIONS_H
#define TOCHA_SIMULATOR_DEVICE_FUNCTIONS_H

#include "vector_types.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define SIMULATOR_HIDDEN __attribute__((visibility("hidden")))

// Globals, not thread_local, because one launch runs at a time, under the simulator's lock.
extern SIMULATOR_HIDDEN uint3 threadIdx;
extern SIMULATOR_HIDDEN uint3 blockIdx;
extern SIMULATOR_HIDDEN dim3 blockDim;
extern SIMULATOR_HIDDEN dim3 gridDim;
static const int warpSize = 32;

namespace simulator {

enum WarpOperation { WARP_SYNC, WARP_SHUFFLE, WARP_BALLOT, WARP_MATCH };

struct Place { // a position in the source of a kernel
  const char *file;
  int line;
};

// Adds a vote. Returns the votes of all threads in the low 32 bits, their number in the high ones.
SIMULATOR_HIDDEN uint64_t barrier(bool vote, Place place);
SIMULATOR_HIDDEN uint64_t warp_operation(WarpOperation operation, unsigned mask, uint64_t value,
                                         unsigned source_lane, Place place);
SIMULATOR_HIDDEN unsigned living_lanes();
[[noreturn]] SIMULATOR_HIDDEN void trap(const char *what);
[[noreturn]] SIMULATOR_HIDDEN void misaligned(int alignment);
SIMULATOR_HIDDEN void use_device_pointer(uintptr_t address);

extern SIMULATOR_HIDDEN uintptr_t device_low;   // addresses that the host sees: device_low ...
extern SIMULATOR_HIDDEN uintptr_t device_total; // ... + device_total
extern SIMULATOR_HIDDEN uintptr_t device_delta; // added to them, gives the bytes

// A shared array of one place in the source. Each block gets new memory for it, filled with NaN.
struct SharedSlot {
  size_t size;
  const char *name;
  char *memory;
  uint64_t epoch;
};
extern SIMULATOR_HIDDEN uint64_t shared_epoch;
SIMULATOR_HIDDEN void open_shared(SharedSlot &slot);
SIMULATOR_HIDDEN void *dynamic_shared();

static inline void *shared(SharedSlot &slot) {
  if (__builtin_expect(slot.epoch != shared_epoch, 0)) open_shared(slot);
  return slot.memory;
}

/* A variable of shared memory; each thread of a block finds it through its slot. */
template <class T> struct SharedVariable {
  SharedSlot slot;
  explicit constexpr SharedVariable(const char *name) : slot{sizeof(T), name, nullptr, 0} {}
  T &value() { return *static_cast<T *>(shared(slot)); }
};

static inline unsigned lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31;
}

template <class T>
static inline T shuffle(unsigned mask, T value, unsigned source_lane, Place place) {
  static_assert(std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8),
                "CUDA shuffles 4 and 8 byte numbers only");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  bits = warp_operation(WARP_SHUFFLE, mask, bits, source_lane, place);
  memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T> static inline T *device_pointer(T *pointer) {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  if (address - device_low >= device_total) return pointer;
  use_device_pointer(address);
  return reinterpret_cast<T *>(address + device_delta);
}

// Marks a pointer that the launch only reads through; the launch removes the mark (bit 62 is never
// part of an address).
static const uintptr_t read_only_mark = uintptr_t(1) << 62;
template <class T> static inline T *read_only(T *pointer) {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  if (address - device_low >= device_total) return pointer;
  return reinterpret_cast<T *>(address | read_only_mark);
}

template <class T, class... Allowed> constexpr bool one_of() {
  return (std::is_same<T, Allowed>::value || ...);
}
template <class T> struct Same { typedef T type; };
typedef unsigned long long Wide;

} // namespace simulator

#define SIMULATOR_PLACE int line = __builtin_LINE(), const char *file = __builtin_FILE()

// --- barriers and warp operations ----------------------------------------------------------------
static inline void __syncthreads(SIMULATOR_PLACE) { simulator::barrier(false, {file, line}); }
static inline int __syncthreads_count(int predicate, SIMULATOR_PLACE) {
  return static_cast<int>(simulator::barrier(predicate != 0, {file, line}) & 0xffffffffu);
}
static inline int __syncthreads_or(int predicate, SIMULATOR_PLACE) {
  return (simulator::barrier(predicate != 0, {file, line}) & 0xffffffffu) != 0;
}
static inline int __syncthreads_and(int predicate, SIMULATOR_PLACE) {
  uint64_t votes = simulator::barrier(predicate != 0, {file, line});
  return (votes & 0xffffffffu) == votes >> 32;
}
static inline void __syncwarp(unsigned mask = 0xffffffffu, SIMULATOR_PLACE) {
  simulator::warp_operation(simulator::WARP_SYNC, mask, 0, 0, {file, line});
}
static inline unsigned __activemask() { return simulator::living_lanes(); }

static inline unsigned __ballot_sync(unsigned mask, int predicate, SIMULATOR_PLACE) {
  return static_cast<unsigned>(
      simulator::warp_operation(simulator::WARP_BALLOT, mask, predicate != 0, 0, {file, line}));
}
static inline int __any_sync(unsigned mask, int predicate, SIMULATOR_PLACE) {
  return __ballot_sync(mask, predicate, line, file) != 0;
}
static inline int __all_sync(unsigned mask, int predicate, SIMULATOR_PLACE) {
  return __ballot_sync(mask, !predicate, line, file) == 0;
}
template <class T>
static inline unsigned __match_any_sync(unsigned mask, T value, SIMULATOR_PLACE) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "CUDA compares 4 and 8 byte values only");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return static_cast<unsigned>(
      simulator::warp_operation(simulator::WARP_MATCH, mask, bits, 0, {file, line}));
}

// Shuffles compute source lanes as the CUDA C++ Programming Guide defines them, in segments of
// `width` lanes. A source outside of the segment gives the caller's own value.
template <class T>
static inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, SIMULATOR_PLACE) {
  unsigned within = static_cast<unsigned>(width) - 1, me = simulator::lane();
  unsigned from = (me & ~within) | (static_cast<unsigned>(source) & within);
  return simulator::shuffle(mask, value, from, {file, line});
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                               SIMULATOR_PLACE) {
  unsigned within = static_cast<unsigned>(width) - 1, me = simulator::lane();
  return simulator::shuffle(mask, value, (me & within) >= delta ? me - delta : me, {file, line});
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                                 SIMULATOR_PLACE) {
  unsigned within = static_cast<unsigned>(width) - 1, me = simulator::lane();
  return simulator::shuffle(mask, value, (me & within) + delta <= within ? me + delta : me,
                            {file, line});
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32,
                                SIMULATOR_PLACE) {
  unsigned within = static_cast<unsigned>(width) - 1, me = simulator::lane();
  unsigned from = me ^ static_cast<unsigned>(lane_mask);
  return simulator::shuffle(mask, value, from <= (me | within) ? from : me, {file, line});
}

// --- atomics: threads are never interrupted in between, so plain arithmetic is atomic -------------
template <class T> static inline T atomicAdd(T *address, typename simulator::Same<T>::type value) {
  static_assert(simulator::one_of<T, int, unsigned, simulator::Wide, float, double>(),
                "CUDA has no atomicAdd for this type");
  T old = *address;
  if constexpr (std::is_same<T, int>::value)
    *address = static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value));
  else
    *address = old + value;
  return old;
}
template <class T> static inline T atomicSub(T *address, typename simulator::Same<T>::type value) {
  static_assert(simulator::one_of<T, int, unsigned>(), "CUDA has no atomicSub for this type");
  T old = *address;
  *address = static_cast<T>(static_cast<unsigned>(old) - static_cast<unsigned>(value));
  return old;
}
template <class T> static inline T atomicMax(T *address, typename simulator::Same<T>::type value) {
  static_assert(simulator::one_of<T, int, unsigned, long long, simulator::Wide>(),
                "CUDA has no atomicMax for this type");
  T old = *address;
  if (value > old) *address = value;
  return old;
}
template <class T> static inline T atomicMin(T *address, typename simulator::Same<T>::type value) {
  static_assert(simulator::one_of<T, int, unsigned, long long, simulator::Wide>(),
                "CUDA has no atomicMin for this type");
  T old = *address;
  if (value < old) *address = value;
  return old;
}
template <class T> static inline T atomicExch(T *address, typename simulator::Same<T>::type value) {
  static_assert(simulator::one_of<T, int, unsigned, simulator::Wide, float>(),
                "CUDA has no atomicExch for this type");
  T old = *address;
  *address = value;
  return old;
}
template <class T>
static inline T atomicCAS(T *address, typename simulator::Same<T>::type compare,
                          typename simulator::Same<T>::type value) {
  static_assert(simulator::one_of<T, int, unsigned, simulator::Wide, unsigned short>(),
                "CUDA has no atomicCAS for this type");
  T old = *address;
  if (old == compare) *address = value;
  return old;
}
template <class T> static inline T atomicOr(T *address, typename simulator::Same<T>::type value) {
  static_assert(simulator::one_of<T, int, unsigned, simulator::Wide>(),
                "no atomicOr for this type");
  T old = *address;
  *address = old | value;
  return old;
}
template <class T> static inline T atomicAnd(T *address, typename simulator::Same<T>::type value) {
  static_assert(simulator::one_of<T, int, unsigned, simulator::Wide>(),
                "no atomicAnd for this type");
  T old = *address;
  *address = old & value;
  return old;
}
template <class T> static inline T atomicXor(T *address, typename simulator::Same<T>::type value) {
  static_assert(simulator::one_of<T, int, unsigned, simulator::Wide>(),
                "no atomicXor for this type");
  T old = *address;
  *address = old ^ value;
  return old;
}
static inline unsigned atomicInc(unsigned *address, unsigned limit) {
  unsigned old = *address;
  *address = old >= limit ? 0 : old + 1;
  return old;
}
static inline unsigned atomicDec(unsigned *address, unsigned limit) {
  unsigned old = *address;
  *address = old == 0 || old > limit ? limit : old - 1;
  return old;
}

// --- memory --------------------------------------------------------------------------------------
static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}
static inline void __nanosleep(unsigned) {}
[[noreturn]] static inline void __trap() { simulator::trap("__trap()"); }

template <class T> static inline T __ldg(const T *address) { return *address; }
template <class T> static inline T __ldcs(const T *address) { return *address; }
template <class T> static inline T __ldcg(const T *address) { return *address; }
template <class T> static inline T __ldca(const T *address) { return *address; }
template <class T> static inline void __stcs(T *address, T value) { *address = value; }
template <class T> static inline void __stcg(T *address, T value) { *address = value; }
template <class T> static inline void __stwb(T *address, T value) { *address = value; }

#endif
