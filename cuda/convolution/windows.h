/* windows.h: the windows of a convolution, in the form that kernels use. */
#pragma once

#include "common/divide.h"
#include "common/launch.h"
#include "ops/convolution/kernels.h"

namespace tocha {

struct Windows {
  int in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
  int first[3];                    /* first position that fold writes */
  Divisor<unsigned> width, height; /* sizes of the windows in unfold, or of the part that fold
                                    * writes */
};

inline Windows windows_of(const tocha_windows &w, const int64_t *sizes) {
  Windows v = {};
  for (int d = 0; d < 3; d++) {
    v.in[d] = static_cast<int>(w.in[d]);
    v.out[d] = static_cast<int>(w.out[d]);
    v.kernel[d] = static_cast<int>(w.kernel[d]);
    v.stride[d] = static_cast<int>(w.stride[d]);
    v.padding[d] = static_cast<int>(w.padding[d]);
    v.dilation[d] = static_cast<int>(w.dilation[d]);
  }
  v.width = Divisor<unsigned>(static_cast<unsigned>(sizes[2]));
  v.height = Divisor<unsigned>(static_cast<unsigned>(sizes[1]));
  return v;
}

/* Splits position i of a volume into depth, height and width. */
__device__ inline void split(const Windows &w, unsigned i, int (&at)[3]) {
  const unsigned lines = w.width.quotient(i), planes = w.height.quotient(lines);
  at[0] = static_cast<int>(planes);
  at[1] = static_cast<int>(lines - planes * w.height.divisor);
  at[2] = static_cast<int>(i - lines * w.width.divisor);
}

/* Returns the window whose kernel place k is at `at`, or -1 if there is none. */
__device__ inline int window_on(const Windows &w, int d, int at, int k) {
  const int from = at + w.padding[d] - k * w.dilation[d],
            window = w.stride[d] == 1 ? from : from / w.stride[d];
  return from >= 0 && window * w.stride[d] == from && window < w.out[d] ? window : -1;
}

/* Returns the grid: blocks x over a row, y over rows. */
inline dim3 grid_for(long long width, long long rows) {
  const long long blocks = (width + BLOCK_THREADS - 1) / BLOCK_THREADS;
  return dim3(static_cast<unsigned>(blocks < 1024 ? blocks : 1024),
              static_cast<unsigned>(rows < 65535 ? rows : 65535));
}

inline long long product(const int64_t *sizes) { return sizes[0] * sizes[1] * sizes[2]; }

} // namespace tocha
