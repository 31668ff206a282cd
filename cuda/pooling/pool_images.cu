/* pool_images.cu: the maximum and the average of windows of images (planes, H, W) in which every
 * number fits into 32 bits. Kernel sizes of 2 and 3 are known at compile time, so that all elements
 * of a window are on their way before the first is compared or added. */
#include "common/launch.h"
#include "common/planes.h"
#include "pooling/launch.h"

namespace tocha {
namespace {

struct Frame {
  int in[2], out[2], kernel[2], stride[2], padding[2];
  int divisor, include_pad; /* divisor: of averages; 0: the number of places */
  Divisor<unsigned> strides[2];
};

Frame frame_of(const tocha_pool_args &args) {
  const tocha_pool_windows &w = args.windows;
  Frame f = {};
  for (int d = 0; d < 2; d++) {
    f.in[d] = static_cast<int>(w.in[d + 1]);
    f.out[d] = static_cast<int>(w.out[d + 1]);
    f.kernel[d] = static_cast<int>(w.kernel[d + 1]);
    f.stride[d] = static_cast<int>(w.stride[d + 1]);
    f.padding[d] = static_cast<int>(w.padding[d + 1]);
    f.strides[d] = Divisor<unsigned>(static_cast<unsigned>(w.stride[d + 1]));
  }
  f.divisor = static_cast<int>(args.divisor);
  f.include_pad = args.count_include_pad;
  return f;
}

/* Calls f(y, x, offset in the plane, or -1 outside) for the places of a window, row-major. K: both
 * kernel sizes, or 0 if they are known only at run time. */
template <int K, class F>
__device__ inline void for_window(const Frame &f, int top, int left, F visit) {
  const int height = K ? K : f.kernel[0], width = K ? K : f.kernel[1];
  const auto line = [&](int ky) {
    const int y = top + ky;
    const bool inside = y >= 0 && y < f.in[0];
    const auto place = [&](int kx) {
      const int x = left + kx;
      visit(inside && x >= 0 && x < f.in[1] ? y * f.in[1] + x : -1);
    };
    if constexpr (K > 0) {
      UNROLL
      for (int kx = 0; kx < K; kx++) place(kx);
    } else {
      for (int kx = 0; kx < width; kx++) place(kx);
    }
  };
  if constexpr (K > 0) {
    UNROLL
    for (int ky = 0; ky < K; ky++) line(ky);
  } else {
    for (int ky = 0; ky < height; ky++) line(ky);
  }
}

/* Computes the maximum of each window, and its position. Every window has a place inside. */
template <class T, int K>
__global__ void max_images(const tocha_pool_args args, const Frame f,
                           const Planes<unsigned> windows) {
  using A = typename Arithmetic<T>::type;
  const long long size = static_cast<long long>(f.in[0]) * f.in[1];
  for (unsigned i = first_item<unsigned>(); i < windows.total; i += item_step<unsigned>()) {
    int at[3];
    const T *image = static_cast<const T *>(args.image) + windows.split(i, at) * size;
    A best = 0;
    int where = -1;
    for_window<K>(f, at[1] * f.stride[0] - f.padding[0], at[2] * f.stride[1] - f.padding[1],
                  [&](int place) {
                    const A value = place < 0 ? A(0) : convert<A>(image[place]);
                    const bool wins = where < 0 || value > best || value != value;
                    if (place < 0 || !wins) return;
                    best = value;
                    where = place;
                  });
    static_cast<T *>(args.pooled)[i] = convert<T>(best);
    args.indices[i] = where;
  }
}

/* Returns how many places of dimension d an average divides by. */
__device__ inline int count_of(const Frame &f, int d, int start) {
  const int before = f.include_pad ? f.padding[d] : 0, end = start + f.kernel[d];
  const int last = f.in[d] + before, first = start < -before ? -before : start;
  return (end < last ? end : last) - first;
}

/* Divides x by the number that belongs to the window at (top, left). */
template <class A> __device__ inline A divided(const Frame &f, int top, int left, A x) {
  const int count = f.divisor ? f.divisor : count_of(f, 0, top) * count_of(f, 1, left);
  return x / static_cast<A>(count);
}

/* Computes the average of each window. */
template <class T, int K>
__global__ void average_images(const tocha_pool_args args, const Frame f,
                               const Planes<unsigned> windows) {
  using A = typename Arithmetic<T>::type;
  const long long size = static_cast<long long>(f.in[0]) * f.in[1];
  for (unsigned i = first_item<unsigned>(); i < windows.total; i += item_step<unsigned>()) {
    int at[3];
    const T *image = static_cast<const T *>(args.image) + windows.split(i, at) * size;
    const int top = at[1] * f.stride[0] - f.padding[0], left = at[2] * f.stride[1] - f.padding[1];
    A sum = 0;
    for_window<K>(f, top, left, [&](int place) {
      if (place >= 0) sum += convert<A>(image[place]);
    });
    static_cast<T *>(args.pooled)[i] = convert<T>(divided(f, top, left, sum));
  }
}

/* Sums the gradients of the windows over each element, in their order. */
template <class T>
__global__ void spread_images(const tocha_pool_args args, const Frame f,
                              const Planes<unsigned> places) {
  using A = typename Arithmetic<T>::type;
  const long long size = static_cast<long long>(f.out[0]) * f.out[1];
  for (unsigned i = first_item<unsigned>(); i < places.total; i += item_step<unsigned>()) {
    int at[3], first[2], end[2];
    const T *pooled = static_cast<const T *>(args.pooled) + places.split(i, at) * size;
    UNROLL
    for (int d = 0; d < 2; d++) {
      const int place = at[d + 1] + f.padding[d], rest = place - f.kernel[d];
      first[d] =
          rest < 0 ? 0 : static_cast<int>(f.strides[d].quotient(static_cast<unsigned>(rest))) + 1;
      end[d] = static_cast<int>(f.strides[d].quotient(static_cast<unsigned>(place))) + 1;
      if (end[d] > f.out[d]) end[d] = f.out[d];
    }
    A sum = 0;
    for (int y = first[0]; y < end[0]; y++)
      for (int x = first[1]; x < end[1]; x++)
        sum += divided(f, y * f.stride[0] - f.padding[0], x * f.stride[1] - f.padding[1],
                       convert<A>(pooled[y * f.out[1] + x]));
    static_cast<T *>(args.image)[i] = convert<T>(sum);
  }
}

unsigned blocks_over(const Stream *stream, const Planes<unsigned> &planes) {
  return blocks_for(stream, static_cast<long long>(planes.total));
}

/* Calls launch(Type<T>(), the kernel size that is known at compile time, or 0, windows, blocks). */
template <class F> bool with_windows(Stream *stream, const tocha_pool_args &args, F launch) {
  const Planes<unsigned> windows(args.planes, args.windows.out);
  const unsigned blocks = blocks_over(stream, windows);
  const auto f = [&](auto t, auto k) { launch(t, k, windows, blocks); };
  const int64_t *kernel = args.windows.kernel;
  with_floating(static_cast<int>(args.dtype), [&](auto t) {
    if (kernel[1] == 2 && kernel[2] == 2)
      f(t, std::integral_constant<int, 2>());
    else if (kernel[1] == 3 && kernel[2] == 3)
      f(t, std::integral_constant<int, 3>());
    else
      f(t, std::integral_constant<int, 0>());
  });
  return launched(stream);
}

} // namespace

bool pools_images(const tocha_pool_args &args) {
  const tocha_pool_windows &w = args.windows;
  const int64_t most = 1LL << 30;
  bool fits = !w.adaptive && !w.starts && w.in[0] == 1 && w.out[0] == 1 && w.kernel[0] == 1;
  for (int d = 1; d < 3; d++)
    fits = fits && w.dilation[d] == 1 && w.kernel[d] < 1 << 15 && w.stride[d] < most &&
           w.out[d] * w.stride[d] < most && w.padding[d] <= w.kernel[d] / 2;
  return fits && args.planes * w.in[1] * w.in[2] < most &&
         args.planes * w.out[1] * w.out[2] < most && args.divisor >= 0 && args.divisor < most;
}

bool launch_max_images(Stream *stream, const tocha_pool_args &args) {
  return with_windows(stream, args, [&](auto t, auto k, const auto &windows, unsigned blocks) {
    LAUNCH((max_images<typename decltype(t)::type, decltype(k)::value>), blocks, BLOCK_THREADS, 0,
           stream->cuda(), args, frame_of(args), windows);
  });
}

bool launch_average_images(Stream *stream, const tocha_pool_args &args) {
  return with_windows(stream, args, [&](auto t, auto k, const auto &windows, unsigned blocks) {
    LAUNCH((average_images<typename decltype(t)::type, decltype(k)::value>), blocks, BLOCK_THREADS,
           0, stream->cuda(), args, frame_of(args), windows);
  });
}

bool launch_average_images_backward(Stream *stream, const tocha_pool_args &args) {
  const Planes<unsigned> places(args.planes, args.windows.in);
  with_floating(static_cast<int>(args.dtype), [&](auto t) {
    LAUNCH((spread_images<typename decltype(t)::type>), blocks_over(stream, places), BLOCK_THREADS,
           0, stream->cuda(), args, frame_of(args), places);
  });
  return launched(stream);
}

} // namespace tocha
