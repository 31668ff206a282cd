// tensor_cores.h: stand-ins for the instructions of common/tensor_core.h. Their state is one for all
// files of kernels, so the functions are inline without `static`. Products are computed in
// float, in the order of their index. A copy to shared memory is done when its thread waits for it,
// the latest moment that a GPU may choose, so that a kernel that reads too early reads NaN.
#ifndef TOCHA_SIMULATOR_TENSOR_CORES_H
#define TOCHA_SIMULATOR_TENSOR_CORES_H

#include "device_functions.h"

namespace simulator {

struct Fragments { // operands of one lane
  unsigned a[4], b[2];
};

inline unsigned warp_number() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
}

// Calls f with the values that all lanes of this warp have given.
template <class T, class F> inline void with_lanes(const T &mine, F f) {
  static T all[32][32];
  T *lanes = all[warp_number()];
  lanes[lane()] = mine;
  __syncwarp();
  f(static_cast<const T *>(lanes));
  __syncwarp();
}

// Returns number `half` (0: low, 1: high) of a pair as float.
template <class T> inline float half_of(unsigned pair, unsigned half) {
  T value;
  value.bits = static_cast<unsigned short>(pair >> 16 * half);
  return to_float(value);
}

template <class T>
inline void multiply_add(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  const unsigned g = lane() / 4, t = lane() % 4;
  with_lanes(Fragments{{a[0], a[1], a[2], a[3]}, {b0, b1}}, [&](const Fragments *lanes) {
    for (unsigned k = 0; k < 16; k++) {
      const unsigned at = k % 8 / 2, high = k / 8, half = k % 2;
      const Fragments &row = lanes[4 * g + at];
      for (unsigned column = 0; column < 2; column++) {
        const float b = half_of<T>(lanes[4 * (2 * t + column) + at].b[high], half);
        sum[column] += half_of<T>(row.a[2 * high], half) * b;
        sum[2 + column] += half_of<T>(row.a[2 * high + 1], half) * b;
      }
    }
  });
}

inline void load_matrices(unsigned (&parts)[4], const void *row, bool transposed) {
  if (reinterpret_cast<uintptr_t>(row) % 16) misaligned(16);
  const unsigned g = lane() / 4, t = lane() % 4;
  with_lanes(row, [&](const void *const *rows) {
    for (unsigned k = 0; k < 4; k++) {
      unsigned short pair[2];
      for (unsigned j = 0; j < 2; j++) {
        const unsigned r = transposed ? 2 * t + j : g, column = transposed ? g : 2 * t + j;
        pair[j] = static_cast<const unsigned short *>(rows[8 * k + r])[column];
      }
      parts[k] = pair[0] | static_cast<unsigned>(pair[1]) << 16;
    }
  });
}

// --- copies that are under way -------------------------------------------------------------------
struct Copy {
  void *to;
  const void *from;
  int bytes;
  bool there;
  unsigned group;
};

struct Copies { // of one thread; those of an earlier block have ended
  enum { MOST = 128 };
  uint64_t epoch;
  unsigned count, group;
  Copy list[MOST];
};

inline Copies &own_copies() {
  static Copies all[1024];
  Copies &mine = all[warp_number() * 32 + lane()];
  if (mine.epoch != shared_epoch) {
    mine.epoch = shared_epoch;
    mine.count = mine.group = 0;
  }
  return mine;
}

inline void start_copy(void *to, const void *from, int bytes, bool there) {
  Copies &mine = own_copies();
  if (reinterpret_cast<uintptr_t>(to) % bytes || reinterpret_cast<uintptr_t>(from) % bytes)
    misaligned(bytes);
  if (mine.count == Copies::MOST) trap("too many copies under way");
  mine.list[mine.count++] = {to, from, bytes, there, mine.group};
}

inline void close_copies() { own_copies().group++; }

inline void wait_for_copies(unsigned left) {
  Copies &mine = own_copies();
  unsigned kept = 0;
  for (unsigned i = 0; i < mine.count; i++) {
    const Copy &copy = mine.list[i];
    if (copy.group + left >= mine.group)
      mine.list[kept++] = copy;
    else if (copy.there)
      memcpy(copy.to, copy.from, static_cast<size_t>(copy.bytes));
    else
      memset(copy.to, 0, static_cast<size_t>(copy.bytes));
  }
  mine.count = kept;
}

} // namespace simulator

#endif
