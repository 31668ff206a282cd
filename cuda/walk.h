/* walk.h: walks over strided operands (tocha_walk): where an element lies, on the device, and on
 * the host how a walk is cut and which of its accesses can be wide. */
#pragma once

#include "core/kernels.h"
#include "divide.h"

namespace tocha {

/* Byte offsets of element number i of a walk, for N operands. I: unsigned where all offsets and
 * numbers fit into 31 bits (fits_32_bits), else unsigned long long. */
template <class I, int N> struct Offsets {
  int ndim, rest; /* rest: no gap (kernel.h) */
  Divisor<I> sizes[TOCHA_WALK_DIMS];
  I strides[TOCHA_WALK_DIMS][N];

  Offsets() = default;
  explicit Offsets(const tocha_walk &walk) : ndim(walk.ndim), rest(0), sizes(), strides() {
    for (int d = 0; d < ndim; d++) {
      sizes[d] = Divisor<I>(static_cast<I>(walk.sizes[d]));
      for (int k = 0; k < N; k++) strides[d][k] = static_cast<I>(walk.strides[k][d]);
    }
  }
  __device__ void at(I i, I (&offset)[N]) const {
    for (int k = 0; k < N; k++) offset[k] = 0;
    for (int d = 0; d < ndim; d++) {
      I quotient = d + 1 < ndim ? sizes[d].quotient(i) : 0;
      I index = i - quotient * sizes[d].divisor;
      for (int k = 0; k < N; k++) offset[k] += index * strides[d][k];
      i = quotient;
    }
  }
};

inline long long size_of_stride(const tocha_walk &walk, int k, int d) {
  return walk.strides[k][d] < 0 ? -walk.strides[k][d] : walk.strides[k][d];
}

/* Whether offsets of the walk fit into 31 bits and a sign (only copies meet negative strides). */
inline bool fits_32_bits(const tocha_walk &walk) {
  if (walk.numel >= 0x7fffffff) return false;
  for (int k = 0; k < walk.operands; k++) {
    long long last = 8;
    for (int d = 0; d < walk.ndim; d++) last += (walk.sizes[d] - 1) * size_of_stride(walk, k, d);
    if (last >= 0x7fffffff) return false;
  }
  return true;
}

/* start(part) for parts of the walk that fit into 32 bits: the walk itself, or halves of its widest
 * dimension, and halves of those: such kernels need no 64-bit form. False as soon as start is. */
template <class F> bool in_32_bit_parts(const tocha_walk &walk, F start) {
  if (fits_32_bits(walk)) return start(walk);
  int widest = 0;
  long long most = -1;
  for (int d = 0; d < walk.ndim; d++)
    for (int k = 0; k < walk.operands; k++) {
      long long stride = size_of_stride(walk, k, d),
                bytes = (walk.sizes[d] - 1) * (stride ? stride : 1);
      if (bytes > most) most = bytes, widest = d;
    }
  tocha_walk part = walk;
  part.sizes[widest] = walk.sizes[widest] / 2;
  part.numel = walk.numel / walk.sizes[widest] * part.sizes[widest];
  if (!in_32_bit_parts(part, start)) return false;
  for (int k = 0; k < walk.operands; k++)
    if (part.data[k])
      part.data[k] =
          static_cast<char *>(part.data[k]) + part.sizes[widest] * walk.strides[k][widest];
  part.sizes[widest] = walk.sizes[widest] - part.sizes[widest];
  part.numel = walk.numel - walk.numel / walk.sizes[widest] * (walk.sizes[widest] / 2);
  return in_32_bit_parts(part, start);
}

/* Whether every access of operand k can be `bytes` at once: its address and its strides but the
 * innermost, which is dense, are multiples. */
inline bool takes_wide_access(const tocha_walk &walk, int k, long long bytes) {
  if (reinterpret_cast<uintptr_t>(walk.data[k]) % static_cast<uintptr_t>(bytes)) return false;
  for (int d = 1; d < walk.ndim; d++)
    if (walk.strides[k][d] % bytes) return false;
  return true;
}

/* How many accesses of `width` elements (of item[k] bytes) the walk is made of: all N operands
 * dense along the inner dimension, or (inputs) without a step there, or numbers (NULL); 0: it is
 * not. */
template <int N> unsigned count_vectors(const tocha_walk &walk, const int (&item)[N], int width) {
  if (walk.strides[0][0] != item[0] || (walk.ndim > 1 && walk.sizes[0] % width)) return 0;
  for (int k = 0; k < N; k++) {
    if (!walk.data[k] || (k > 0 && walk.strides[k][0] == 0)) continue;
    if (walk.strides[k][0] != item[k] || !takes_wide_access(walk, k, item[k] * width)) return 0;
  }
  return static_cast<unsigned>(walk.numel / width);
}

/* The bytes, up to 16, that can be moved at once where the first `operands` are dense along the
 * inner dimension; `item`, those of an element, where they are not. */
inline int piece_bytes(const tocha_walk &walk, int operands, int item) {
  int bytes = 16;
  for (int k = 0; k < operands; k++) {
    if (walk.strides[k][0] != item) return item;
    while (bytes > item && !takes_wide_access(walk, k, bytes)) bytes /= 2;
  }
  while (bytes > item && walk.sizes[0] * item % bytes) bytes /= 2;
  return bytes;
}

/* Makes such pieces the walk's elements. */
inline void take_pieces(tocha_walk &walk, int operands, int item, int bytes) {
  if (bytes == item) return;
  walk.numel = walk.numel * item / bytes;
  walk.sizes[0] = walk.sizes[0] * item / bytes;
  for (int k = 0; k < operands; k++) walk.strides[k][0] = bytes;
}

} // namespace tocha
