/* unfold.cu: unfold copies images (planes, D, H, W) to columns (planes * places, windows), where
 * places are those of the kernel, and fold sums columns back. In unfold the blocks run over the
 * windows of one row of columns, so that only window numbers are divided. In fold a thread for
 * each element of an image sums its values in all windows that cover it, in the order of the
 * kernel's places: no atomic additions, and the same sum in every run. */
#include "common/divide.h"
#include "common/launch.h"
#include "convolution/launch.h"

namespace tocha {
namespace {

struct Windows {
  int in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
  int first[3];                    /* first position that fold writes */
  Divisor<unsigned> width, height; /* sizes of the windows in unfold, or of the part that fold
                                    * writes */
};

Windows windows_of(const tocha_windows &w, const int64_t *sizes) {
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

/* Copies image (planes, D, H, W) to columns (rows, windows), rows = planes * places of the
 * kernel. */
template <class T>
__global__ void unfold_rows(const Windows w, const T *image, T *columns, long long rows,
                            unsigned windows) {
  const long long plane = static_cast<long long>(w.in[0]) * w.in[1] * w.in[2];
  const int places = w.kernel[0] * w.kernel[1] * w.kernel[2];
  for (long long row = blockIdx.y; row < rows; row += gridDim.y) {
    int place = static_cast<int>(row % places), start[3];
    const T *from = image + row / places * plane;
    UNROLL
    for (int d = 2; d >= 0; d--) {
      start[d] = place % w.kernel[d] * w.dilation[d] - w.padding[d];
      place /= w.kernel[d];
    }
    for (unsigned i = first_item<unsigned>(); i < windows; i += item_step<unsigned>()) {
      int at[3];
      split(w, i, at);
      bool inside = true;
      UNROLL
      for (int d = 0; d < 3; d++) {
        at[d] = at[d] * w.stride[d] + start[d];
        inside = inside && at[d] >= 0 && at[d] < w.in[d];
      }
      T value = T();
      if (inside) value = from[(static_cast<long long>(at[0]) * w.in[1] + at[1]) * w.in[2] + at[2]];
      columns[row * windows + i] = value;
    }
  }
}

/* Returns the window whose kernel place k is at `at`, or -1 if there is none. */
__device__ inline int window_on(const Windows &w, int d, int at, int k) {
  const int from = at + w.padding[d] - k * w.dilation[d], window = from / w.stride[d];
  return from >= 0 && window * w.stride[d] == from && window < w.out[d] ? window : -1;
}

/* Sums columns (planes * places, windows) to image (planes, D, H, W). */
template <class T>
__global__ void fold_planes(const Windows w, const T *columns, T *image, long long planes,
                            unsigned written, long long windows) {
  using A = typename Arithmetic<T>::type;
  const int places = w.kernel[0] * w.kernel[1] * w.kernel[2];
  for (long long p = blockIdx.y; p < planes; p += gridDim.y) {
    const T *from = columns + p * places * windows;
    for (unsigned i = first_item<unsigned>(); i < written; i += item_step<unsigned>()) {
      int at[3];
      split(w, i, at);
      UNROLL
      for (int d = 0; d < 3; d++) at[d] += w.first[d];
      A sum = 0;
      const T *row = from;
      for (int a = 0; a < w.kernel[0]; a++) {
        const int z = window_on(w, 0, at[0], a);
        for (int b = 0; b < w.kernel[1]; b++) {
          const int y = window_on(w, 1, at[1], b);
          for (int c = 0; c < w.kernel[2]; c++, row += windows) {
            const int x = window_on(w, 2, at[2], c);
            if (z < 0 || y < 0 || x < 0) continue;
            sum = plus(sum,
                       convert<A>(row[(static_cast<long long>(z) * w.out[1] + y) * w.out[2] + x]));
          }
        }
      }
      const long long line = (p * w.in[0] + at[0]) * w.in[1] + at[1];
      image[line * w.in[2] + at[2]] = convert<T>(sum);
    }
  }
}

dim3 grid_for(long long width, long long rows) {
  const long long blocks = (width + BLOCK_THREADS - 1) / BLOCK_THREADS;
  return dim3(static_cast<unsigned>(blocks < 1024 ? blocks : 1024),
              static_cast<unsigned>(rows < 65535 ? rows : 65535));
}

long long product(const int64_t *sizes) { return sizes[0] * sizes[1] * sizes[2]; }

} // namespace

bool launch_unfold(Stream *stream, const tocha_unfold_args &args) {
  const Windows w = windows_of(args.windows, args.windows.out);
  const long long windows = product(args.windows.out);
  const long long rows = args.images * args.channels * product(args.windows.kernel);
  with_floating(static_cast<int>(args.dtype), [&](auto t) {
    using T = typename decltype(t)::type;
    LAUNCH(unfold_rows<T>, grid_for(windows, rows), BLOCK_THREADS, 0, stream->cuda(), w,
           static_cast<const T *>(args.image), static_cast<T *>(args.columns), rows,
           static_cast<unsigned>(windows));
  });
  return launched(stream);
}

bool launch_fold(Stream *stream, const tocha_unfold_args &args) {
  int64_t first[3], end[3], sizes[3];
  tocha_folded_places(&args, first, end);
  for (int d = 0; d < 3; d++) sizes[d] = end[d] - first[d];
  Windows w = windows_of(args.windows, sizes);
  for (int d = 0; d < 3; d++) w.first[d] = static_cast<int>(first[d]);
  const long long written = product(sizes), planes = args.images * args.channels;
  const long long windows = product(args.windows.out);
  with_floating(static_cast<int>(args.dtype), [&](auto t) {
    using T = typename decltype(t)::type;
    LAUNCH(fold_planes<T>, grid_for(written, planes), BLOCK_THREADS, 0, stream->cuda(), w,
           static_cast<const T *>(args.columns), static_cast<T *>(args.image), planes,
           static_cast<unsigned>(written), windows);
  });
  return launched(stream);
}

} // namespace tocha
