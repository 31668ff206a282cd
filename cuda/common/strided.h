/* strided.h: walks over strided operands (tocha_strided_layout): the position of an element, on
 * the device, and on the host the division of a walk and the widths of its accesses. */
#pragma once

#include "device/strided.h"
#include "common/divide.h"

namespace tocha {

/* Byte offsets of element number i of a layout, for N operands. I: unsigned if all offsets and
 * numbers fit into 31 bits (fits_32_bits), else unsigned long long. */
template <class I, int N> struct Offsets {
  int ndim, rest; /* rest: fills a gap (kernel.h) */
  Divisor<I> sizes[TOCHA_LAYOUT_DIMS];
  I strides[TOCHA_LAYOUT_DIMS][N];

  Offsets() = default;
  explicit Offsets(const tocha_strided_layout &layout)
      : ndim(layout.ndim), rest(0), sizes(), strides() {
    for (int d = 0; d < ndim; d++) {
      sizes[d] = Divisor<I>(static_cast<I>(layout.sizes[d]));
      for (int k = 0; k < N; k++) strides[d][k] = static_cast<I>(layout.strides[k][d]);
    }
  }
  __device__ void at(I i, I (&offset)[N]) const {
    if (ndim == 1) { /* all operands are dense: no more is needed */
      UNROLL for (int k = 0; k < N; k++) offset[k] = i * strides[0][k];
      return;
    }
    UNROLL for (int k = 0; k < N; k++) offset[k] = 0;
    UNROLL_NOT for (int d = 0; d < ndim; d++) {
      I quotient = d + 1 < ndim ? sizes[d].quotient(i) : 0;
      I index = i - quotient * sizes[d].divisor;
      for (int k = 0; k < N; k++) offset[k] += index * strides[d][k];
      i = quotient;
    }
  }
};

inline long long size_of_stride(const tocha_strided_layout &layout, int k, int d) {
  return layout.strides[k][d] < 0 ? -layout.strides[k][d] : layout.strides[k][d];
}

#ifndef TOCHA_SPLIT_AT
#define TOCHA_SPLIT_AT 0x7fffffff /* a build for specs of the simulated GPU uses less */
#endif

/* Returns true if the offsets of the walk fit into 31 bits and a sign (only copies have negative
 * strides). */
inline bool fits_32_bits(const tocha_strided_layout &layout) {
  if (layout.numel >= TOCHA_SPLIT_AT) return false;
  for (int k = 0; k < layout.operands; k++) {
    long long last = 8;
    for (int d = 0; d < layout.ndim; d++)
      last += (layout.sizes[d] - 1) * size_of_stride(layout, k, d);
    if (last >= TOCHA_SPLIT_AT) return false;
  }
  return true;
}

/* Calls start(part) for parts of the walk that fit into 32 bits, so that such kernels need no
 * 64-bit form: the walk itself, or halves of its widest dimension, and halves of those. Returns
 * false as soon as start does. */
template <class F> bool in_32_bit_parts(const tocha_strided_layout &layout, F start) {
  if (fits_32_bits(layout)) return start(layout);
  int widest = 0;
  long long longest = -1;
  for (int d = 0; d < layout.ndim; d++)
    for (int k = 0; k < layout.operands; k++) {
      long long stride = size_of_stride(layout, k, d),
                bytes = (layout.sizes[d] - 1) * (stride ? stride : 1);
      if (bytes > longest) longest = bytes, widest = d;
    }
  tocha_strided_layout part = layout;
  part.sizes[widest] = layout.sizes[widest] / 2;
  part.numel = layout.numel / layout.sizes[widest] * part.sizes[widest];
  if (!in_32_bit_parts(part, start)) return false;
  for (int k = 0; k < layout.operands; k++)
    if (part.data[k])
      part.data[k] =
          static_cast<char *>(part.data[k]) + part.sizes[widest] * layout.strides[k][widest];
  part.sizes[widest] = layout.sizes[widest] - part.sizes[widest];
  part.numel = layout.numel - layout.numel / layout.sizes[widest] * (layout.sizes[widest] / 2);
  return in_32_bit_parts(part, start);
}

/* Returns true if every access of operand k can be `bytes` wide: its address and its strides are
 * multiples, except the innermost stride, which is dense. */
inline bool takes_wide_access(const tocha_strided_layout &layout, int k, long long bytes) {
  if (reinterpret_cast<uintptr_t>(layout.data[k]) % static_cast<uintptr_t>(bytes)) return false;
  for (int d = 1; d < layout.ndim; d++)
    if (layout.strides[k][d] % bytes) return false;
  return true;
}

/* Returns the number of groups of `width` elements (of item[k] bytes each) in the walk, each
 * moved by accesses of up to 16 bytes. Every operand must be dense along the inner dimension,
 * or, if it is an input, repeat there or be a number (NULL). Returns 0 otherwise. */
template <int N>
unsigned count_vectors(const tocha_strided_layout &layout, const int (&item)[N], int width) {
  if (layout.strides[0][0] != item[0] || (layout.ndim > 1 && layout.sizes[0] % width)) return 0;
  for (int k = 0; k < N; k++) {
    if (!layout.data[k] || (k > 0 && layout.strides[k][0] == 0)) continue;
    const int bytes = item[k] * width < 16 ? item[k] * width : 16;
    if (layout.strides[k][0] != item[k] || !takes_wide_access(layout, k, bytes)) return 0;
  }
  return static_cast<unsigned>(layout.numel / width);
}

/* Returns the bytes, up to 16, that can be moved at once if the first `operands` are dense along
 * the inner dimension, else `item`, the bytes of an element. */
inline int piece_bytes(const tocha_strided_layout &layout, int operands, int item) {
  int bytes = 16;
  for (int k = 0; k < operands; k++) {
    if (layout.strides[k][0] != item) return item;
    while (bytes > item && !takes_wide_access(layout, k, bytes)) bytes /= 2;
  }
  while (bytes > item && layout.sizes[0] * item % bytes) bytes /= 2;
  return bytes;
}

/* Makes the pieces of piece_bytes the elements of the walk. */
inline void take_pieces(tocha_strided_layout &layout, int operands, int item, int bytes) {
  if (bytes == item) return;
  layout.numel = layout.numel * item / bytes;
  layout.sizes[0] = layout.sizes[0] * item / bytes;
  for (int k = 0; k < operands; k++) layout.strides[k][0] = bytes;
}

} // namespace tocha
