/* row.h: a row in registers, with up to EACH elements for each thread of a block. */
#pragma once

#include "common/raw.h"

namespace tocha {

/* Returns the index of a thread's k-th element: in groups of 16 contiguous bytes, or one by one. */
template <class T> __device__ inline long long index_of(bool vectors, int k) {
  constexpr int W = vec_width<T>();
  if (vectors) return (static_cast<long long>(k / W) * blockDim.x + threadIdx.x) * W + k % W;
  return static_cast<long long>(k) * blockDim.x + threadIdx.x;
}

template <class A, class T, int EACH>
__device__ inline void load_row(const T *row, long long n, bool vectors, A missing, A (&x)[EACH]) {
  constexpr int W = vec_width<T>();
  if (vectors) { /* n is then a multiple of W */
    UNROLL
    for (int k = 0; k < EACH; k += W) {
      const long long i = index_of<T>(true, k);
      Raw<T, W> v = {};
      if (i < n) v = load_raw<T, W>(row + i);
      UNROLL
      for (int l = 0; l < W; l++) x[k + l] = i < n ? element<A>(v, l) : missing;
    }
    return;
  }
  UNROLL
  for (int k = 0; k < EACH; k++) {
    const long long i = index_of<T>(false, k);
    x[k] = i < n ? convert<A>(row[i]) : missing;
  }
}

template <class A, class T, int EACH>
__device__ inline void store_row(T *row, long long n, bool vectors, const A (&x)[EACH]) {
  constexpr int W = vec_width<T>();
  if (vectors) {
    UNROLL
    for (int k = 0; k < EACH; k += W) {
      const long long i = index_of<T>(true, k);
      Vec<T, W> v;
      UNROLL
      for (int l = 0; l < W; l++) v[l] = convert<T>(x[k + l]);
      if (i < n) store_vec<W>(row + i, v);
    }
    return;
  }
  UNROLL
  for (int k = 0; k < EACH; k++) {
    const long long i = index_of<T>(false, k);
    if (i < n) row[i] = convert<T>(x[k]);
  }
}

} // namespace tocha
