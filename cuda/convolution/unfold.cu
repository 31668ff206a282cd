/* unfold.cu: unfold copies images (planes, D, H, W) to columns (planes * places, windows), where
 * places are those of the kernel, and fold sums columns back. In unfold the blocks run over the
 * windows of one row of columns, so that only window numbers are divided. In fold a thread for
 * each element of an image sums its values in all windows that cover it, in the order of the
 * kernel's places: no atomic additions, and the same sum in every run. */
#include "convolution/launch.h"
#include "convolution/windows.h"

namespace tocha {
namespace {

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
