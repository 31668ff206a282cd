/* sample.cu: samples images (images, channels, D, H, W) at the positions of a grid: a thread for
 * each position, which computes all channels. The points around a position stay in registers,
 * because the numbers of taps and of dimensions are known at compile time. */
#include "common/launch.h"
#include "ops/resampling/sampling.h"
#include "resampling/launch.h"

namespace tocha {
namespace {

__device__ inline long long volume(const int64_t *sizes) { return sizes[0] * sizes[1] * sizes[2]; }

/* The constants of kernels with TAPS in each of SPACE dimensions. */
template <int TAPS_, int SPACE_> struct Around {
  static constexpr int TAPS = TAPS_, SPACE = SPACE_;
  static constexpr int POINTS = SPACE == 2 ? TAPS * TAPS : TAPS * TAPS * TAPS;
  static constexpr int64_t MODE = TAPS == 4   ? TOCHA_SAMPLE_CUBIC
                                  : TAPS == 2 ? TOCHA_SAMPLE_LINEAR
                                              : TOCHA_SAMPLE_NEAREST;
};

/* Calls f(k, offset into the plane or -1 for a point outside, weight, its derivatives by the
 * grid) for the points of a position, which is numbered over all images. */
template <class T, class K, class F>
__device__ inline void for_points(const tocha_sample_args &args, long long place, F f) {
  using A = typename Arithmetic<T>::type;
  tocha_sample_args a = args;
  a.mode = K::MODE;
  A tangent[3] = {0, 0, 0};
  tocha_sample_taps<A> taps[K::SPACE];
  UNROLL
  for (int d = 0; d < K::SPACE; d++) {
    const long long number = place * K::SPACE + d;
    if (a.tangent) tangent[d] = convert<A>(static_cast<const T *>(a.tangent)[number]);
    tocha_sample_find<A>(&a, a.in[2 - d], convert<A>(static_cast<const T *>(a.grid)[number]),
                         &taps[d]);
  }
  UNROLL
  for (int k = 0; k < K::POINTS; k++) {
    const int tap[3] = {k % K::TAPS, k / K::TAPS % K::TAPS, k / K::TAPS / K::TAPS};
    A w[3][3] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}, slope[3];
    long long offset = 0;
    bool inside = true;
    UNROLL
    for (int d = K::SPACE - 1; d >= 0; d--) {
      const long long at = taps[d].at[tap[d]];
      inside = inside && at >= 0;
      offset = offset * a.in[2 - d] + at;
      w[d][0] = taps[d].value[tap[d]];
      w[d][1] = taps[d].slope[tap[d]];
      w[d][2] = taps[d].bend[tap[d]];
    }
    const A weight = a.tangent ? tocha_sample_weight_along<A>(w, tangent, slope)
                               : tocha_sample_weight<A>(w, slope);
    f(k, inside ? offset : -1LL, weight, slope);
  }
}

/* The points of a position, with their weights. */
template <class T, class K> struct Points {
  using A = typename Arithmetic<T>::type;
  long long at[K::POINTS]; /* offsets into the plane; -1: outside */
  A weights[K::POINTS];

  __device__ Points(const tocha_sample_args &a, long long place) {
    for_points<T, K>(a, place, [&](int k, long long offset, A weight, const A *) {
      at[k] = offset;
      weights[k] = weight;
    });
  }
};

/* Samples image (images, channels, in) to sampled (images, channels, out). */
template <class T, class K> __global__ void sample(const tocha_sample_args a) {
  using A = typename Arithmetic<T>::type;
  const long long in = volume(a.in), out = volume(a.out), places = a.images * out;
  for (long long place = first_item(); place < places; place += item_step()) {
    const long long first = place / out * a.channels, spot = place % out;
    const Points<T, K> points(a, place);
    for (long long c = 0; c < a.channels; c++) {
      const T *image = static_cast<const T *>(a.image) + (first + c) * in;
      A sum = 0;
      UNROLL
      for (int k = 0; k < K::POINTS; k++)
        if (points.at[k] >= 0) sum += points.weights[k] * convert<A>(image[points.at[k]]);
      static_cast<T *>(a.sampled)[(first + c) * out + spot] = convert<T>(sum);
    }
  }
}

/* Computes the gradient (images, out, space) of the grid from image (images, channels, in) and
 * the gradient `sampled` (images, channels, out). */
template <class T, class K> __global__ void slope(const tocha_sample_args a) {
  using A = typename Arithmetic<T>::type;
  const long long in = volume(a.in), out = volume(a.out), places = a.images * out;
  for (long long place = first_item(); place < places; place += item_step()) {
    const long long first = place / out * a.channels;
    const T *image = static_cast<const T *>(a.image) + first * in;
    const T *sampled = static_cast<const T *>(a.sampled) + first * out + place % out;
    A sums[3] = {0, 0, 0};
    for_points<T, K>(a, place, [&](int, long long offset, A, const A *slopes) {
      if (offset < 0) return;
      A dot = 0;
      for (long long c = 0; c < a.channels; c++)
        dot += convert<A>(sampled[c * out]) * convert<A>(image[c * in + offset]);
      UNROLL
      for (int d = 0; d < K::SPACE; d++) sums[d] += dot * slopes[d];
    });
    UNROLL
    for (int d = 0; d < K::SPACE; d++)
      static_cast<T *>(a.slope)[place * K::SPACE + d] = convert<T>(sums[d]);
  }
}

/* Adds the gradients `sampled` (images, channels, out) to image (images, channels, in), which is of
 * the type that sums are computed in and is zero before. */
template <class T, class K> __global__ void spread(const tocha_sample_args a) {
  using A = typename Arithmetic<T>::type;
  const long long in = volume(a.in), out = volume(a.out), places = a.images * out;
  for (long long place = first_item(); place < places; place += item_step()) {
    const long long first = place / out * a.channels, spot = place % out;
    const Points<T, K> points(a, place);
    for (long long c = 0; c < a.channels; c++) {
      const A grad = convert<A>(static_cast<const T *>(a.sampled)[(first + c) * out + spot]);
      A *image = static_cast<A *>(a.image) + (first + c) * in;
      UNROLL
      for (int k = 0; k < K::POINTS; k++)
        if (points.at[k] >= 0) atomicAdd(&image[points.at[k]], points.weights[k] * grad);
    }
  }
}

/* Computes the contributions of each position to the gradient of the image, with their positions
 * as keys. Points outside contribute zeros at varying positions, because long rows of equal keys
 * take longer. */
template <class T, class K> __global__ void bring(const tocha_sample_args a) {
  using A = typename Arithmetic<T>::type;
  const long long in = volume(a.in), out = volume(a.out), places = a.images * out;
  for (long long place = first_item(); place < places; place += item_step()) {
    const long long image = place / out;
    const T *sampled = static_cast<const T *>(a.sampled) + image * a.channels * out + place % out;
    for_points<T, K>(a, place, [&](int k, long long offset, A weight, const A *) {
      const long long point = k * places + place;
      a.keys[point] = image * in + (offset < 0 ? place % in : offset);
      A *brought = static_cast<A *>(a.brought) + point * a.channels;
      for (long long c = 0; c < a.channels; c++)
        brought[c] = offset < 0 ? A(0) : weight * convert<A>(sampled[c * out]);
    });
  }
}

/* Calls f(Type<T>(), Around<...>(), args whose grids are marked as read only, blocks). */
template <class F> bool with_args(Stream *stream, tocha_sample_args args, F f) {
  args.grid = READ_ONLY(args.grid);
  args.tangent = READ_ONLY(args.tangent);
  const unsigned blocks = blocks_for(stream, args.images * args.out[0] * args.out[1] * args.out[2]);
  with_floating(static_cast<int>(args.dtype), [&](auto t) {
    if (args.mode == TOCHA_SAMPLE_CUBIC)
      f(t, Around<4, 2>(), args, blocks);
    else if (args.space == 2 && args.mode == TOCHA_SAMPLE_LINEAR)
      f(t, Around<2, 2>(), args, blocks);
    else if (args.space == 2)
      f(t, Around<1, 2>(), args, blocks);
    else if (args.mode == TOCHA_SAMPLE_LINEAR)
      f(t, Around<2, 3>(), args, blocks);
    else
      f(t, Around<1, 3>(), args, blocks);
  });
  return launched(stream);
}

} // namespace

bool launch_sample(Stream *stream, const tocha_sample_args &args) {
  return with_args(stream, args, [&](auto t, auto k, const tocha_sample_args &a, unsigned blocks) {
    LAUNCH((sample<typename decltype(t)::type, decltype(k)>), blocks, BLOCK_THREADS, 0,
           stream->cuda(), a);
  });
}

bool launch_sample_slope(Stream *stream, const tocha_sample_args &args) {
  return with_args(stream, args, [&](auto t, auto k, const tocha_sample_args &a, unsigned blocks) {
    LAUNCH((slope<typename decltype(t)::type, decltype(k)>), blocks, BLOCK_THREADS, 0,
           stream->cuda(), a);
  });
}

bool launch_spread(Stream *stream, const tocha_sample_args &args) {
  return with_args(stream, args, [&](auto t, auto k, const tocha_sample_args &a, unsigned blocks) {
    LAUNCH((spread<typename decltype(t)::type, decltype(k)>), blocks, BLOCK_THREADS, 0,
           stream->cuda(), a);
  });
}

bool launch_bring(Stream *stream, const tocha_sample_args &args) {
  return with_args(stream, args, [&](auto t, auto k, const tocha_sample_args &a, unsigned blocks) {
    LAUNCH((bring<typename decltype(t)::type, decltype(k)>), blocks, BLOCK_THREADS, 0,
           stream->cuda(), a);
  });
}

} // namespace tocha
