/* pool.cu: the maximum and the average of windows: a thread for each window of (planes, D, H,
 * W), if pool_images.cu does not do it. In the gradient of averages, a thread for each element of the image sums the gradients of
 * the windows that cover it, in their order: no atomic additions, and the same sum in every run. */
#include "common/launch.h"
#include "common/planes.h"
#include "ops/pooling/windows.h"
#include "pooling/launch.h"

namespace tocha {
namespace {

__device__ inline long long plane_size(const int64_t *sizes) {
  return sizes[0] * sizes[1] * sizes[2];
}

/* Calls f(position in the plane) for all positions of three spans, row-major. */
template <class F>
__device__ inline void for_places(const tocha_pool_windows &w, const tocha_pool_span (&s)[3], F f) {
  for (long long z = 0; z < s[0].count; z++)
    for (long long y = 0; y < s[1].count; y++) {
      const long long line = (s[0].first + z * s[0].step) * w.in[1] + s[1].first + y * s[1].step;
      for (long long x = 0; x < s[2].count; x++) f(line * w.in[2] + s[2].first + x * s[2].step);
    }
}

__device__ inline void spans_of(const tocha_pool_windows &w, const long long (&window)[3],
                                tocha_pool_span (&s)[3]) {
  UNROLL
  for (int d = 0; d < 3; d++) s[d] = tocha_pool_span_of(&w, d, window[d]);
}

/* Computes the maximum of each window of (planes, D, H, W), and its position. */
template <class T, class I>
__global__ void max_windows(const tocha_pool_args args, const Planes<I> windows) {
  using A = typename Arithmetic<T>::type;
  for (I i = first_item<I>(); i < windows.total; i += item_step<I>()) {
    long long at[3];
    tocha_pool_span s[3];
    const auto plane = static_cast<long long>(windows.split(i, at));
    const tocha_pool_windows w = tocha_pool_windows_of(&args.windows, plane);
    const T *image = static_cast<const T *>(args.image) + plane * plane_size(w.in);
    spans_of(w, at, s);
    A best = -static_cast<A>(INFINITY);
    const long long x = s[2].first < w.in[2] ? s[2].first : w.in[2] - 1;
    long long where =
        s[0].count && s[1].count ? (s[0].first * w.in[1] + s[1].first) * w.in[2] + x : x;
    for_places(w, s, [&](long long place) {
      const A value = convert<A>(image[place]);
      if (!(value > best || value != value)) return;
      best = value;
      where = place;
    });
    static_cast<T *>(args.pooled)[i] = convert<T>(best);
    args.indices[i] = where;
  }
}

/* Divides x as the CPU's loop does: by the sides of an adaptive window in turn, else by their
 * product. */
template <class A>
__device__ inline A divided(const tocha_pool_args &args, const long long (&window)[3],
                            const tocha_pool_span (&s)[3], A x) {
  const tocha_pool_windows &w = args.windows;
  if (w.adaptive)
    return x / static_cast<A>(s[0].count) / static_cast<A>(s[1].count) / static_cast<A>(s[2].count);
  long long divisor = args.divisor;
  if (divisor == 0) {
    divisor = 1;
    UNROLL
    for (int d = 0; d < 3; d++)
      divisor *= args.count_include_pad ? tocha_pool_padded_count(&w, d, window[d]) : s[d].count;
  }
  return divisor ? x / static_cast<A>(divisor) : static_cast<A>(0);
}

/* Computes the average of each window of (planes, D, H, W). */
template <class T, class I>
__global__ void average_windows(const tocha_pool_args args, const Planes<I> windows) {
  using A = typename Arithmetic<T>::type;
  const tocha_pool_windows &w = args.windows;
  for (I i = first_item<I>(); i < windows.total; i += item_step<I>()) {
    long long at[3];
    tocha_pool_span s[3];
    const auto plane = static_cast<long long>(windows.split(i, at));
    const T *image = static_cast<const T *>(args.image) + plane * plane_size(w.in);
    spans_of(w, at, s);
    A sum = 0;
    for_places(w, s, [&](long long place) { sum += convert<A>(image[place]); });
    static_cast<T *>(args.pooled)[i] = convert<T>(divided<A>(args, at, s, sum));
  }
}

/* Computes the range first..end of windows of a dimension that may cover a position. */
__device__ inline void windows_over(const tocha_pool_windows &w, int d, long long place,
                                    long long &first, long long &end) {
  if (w.adaptive) {
    first = place * w.out[d] / w.in[d];
    end = ((place + 1) * w.out[d] - 1) / w.in[d] + 1;
    return;
  }
  const long long at = place + w.padding[d];
  first = at < w.kernel[d] ? 0 : (at - w.kernel[d]) / w.stride[d] + 1;
  end = at / w.stride[d] + 1;
  if (end > w.out[d]) end = w.out[d];
}

/* Sums the gradients of the windows over each element of (planes, D, H, W). */
template <class T, class I>
__global__ void spread_averages(const tocha_pool_args args, const Planes<I> places) {
  using A = typename Arithmetic<T>::type;
  const tocha_pool_windows &w = args.windows;
  for (I i = first_item<I>(); i < places.total; i += item_step<I>()) {
    long long at[3], first[3], end[3], o[3];
    tocha_pool_span s[3];
    const auto plane = static_cast<long long>(places.split(i, at));
    const T *pooled = static_cast<const T *>(args.pooled) + plane * plane_size(w.out);
    UNROLL
    for (int d = 0; d < 3; d++) windows_over(w, d, at[d], first[d], end[d]);
    A sum = 0;
    for (o[0] = first[0]; o[0] < end[0]; o[0]++)
      for (o[1] = first[1]; o[1] < end[1]; o[1]++)
        for (o[2] = first[2]; o[2] < end[2]; o[2]++) {
          spans_of(w, o, s);
          sum += divided<A>(args, o, s,
                            convert<A>(pooled[(o[0] * w.out[1] + o[1]) * w.out[2] + o[2]]));
        }
    static_cast<T *>(args.image)[i] = convert<T>(sum);
  }
}

/* Calls f(Type<T>(), planes). */
template <class F>
bool with_types(Stream *stream, const tocha_pool_args &args, const int64_t *sizes, F f) {
  with_floating(static_cast<int>(args.dtype), [&](auto t) {
    with_planes(args.planes, sizes, [&](auto planes) { f(t, planes); });
  });
  return launched(stream);
}

template <class I> unsigned blocks_over(const Stream *stream, const Planes<I> &planes) {
  return blocks_for(stream, static_cast<long long>(planes.total));
}

} // namespace

bool launch_max_pool(Stream *stream, const tocha_pool_args &args) {
  if (pools_images(args)) return launch_max_images(stream, args);
  return with_types(stream, args, args.windows.out, [&](auto t, auto windows) {
    using T = typename decltype(t)::type;
    using I = decltype(windows.total);
    LAUNCH((max_windows<T, I>), blocks_over(stream, windows), BLOCK_THREADS, 0, stream->cuda(),
           args, windows);
  });
}

bool launch_average_pool(Stream *stream, const tocha_pool_args &args) {
  if (pools_images(args)) return launch_average_images(stream, args);
  return with_types(stream, args, args.windows.out, [&](auto t, auto windows) {
    using T = typename decltype(t)::type;
    using I = decltype(windows.total);
    LAUNCH((average_windows<T, I>), blocks_over(stream, windows), BLOCK_THREADS, 0, stream->cuda(),
           args, windows);
  });
}

bool launch_average_pool_backward(Stream *stream, const tocha_pool_args &args) {
  if (pools_images(args)) return launch_average_images_backward(stream, args);
  return with_types(stream, args, args.windows.in, [&](auto t, auto places) {
    using T = typename decltype(t)::type;
    using I = decltype(places.total);
    LAUNCH((spread_averages<T, I>), blocks_over(stream, places), BLOCK_THREADS, 0, stream->cuda(),
           args, places);
  });
}

} // namespace tocha
