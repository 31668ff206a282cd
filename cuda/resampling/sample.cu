/* sample.cu: samples of images at the places of a grid: a thread for each place, which does all channels. The reverse: a thread
 * for each plane of an image adds what the places bring, in their order: no atomic additions, the same sum at every run. */
#include "common/launch.h"
#include "ops/resampling/sampling.h"
#include "resampling/launch.h"

namespace tocha {
namespace {

__device__ inline long long volume(const int64_t *sizes) { return sizes[0] * sizes[1] * sizes[2]; }

/* The points of a place by its number among all images'. */
template <class T, class A>
__device__ inline void find(const tocha_sample_args &a, long long place,
                            tocha_sample_points<A> *points) {
  A x[3] = {0, 0, 0}, tangent[3] = {0, 0, 0};
  for (int d = 0; d < a.space; d++) {
    x[d] = convert<A>(static_cast<const T *>(a.grid)[place * a.space + d]);
    if (a.tangent) tangent[d] = convert<A>(static_cast<const T *>(a.tangent)[place * a.space + d]);
  }
  tocha_sample_around<A>(&a, x, a.tangent ? tangent : static_cast<A *>(nullptr), points);
}

template <class T> __global__ void sample(const tocha_sample_args a) {
  using A = typename Arithmetic<T>::type;
  const long long in = volume(a.in), out = volume(a.out), places = a.images * out;
  tocha_sample_points<A> p;
  for (long long place = first_item(); place < places; place += item_step()) {
    const long long first = place / out * a.channels;
    find<T, A>(a, place, &p);
    for (long long c = 0; c < a.channels; c++) {
      const T *image = static_cast<const T *>(a.image) + (first + c) * in;
      A sum = 0;
      for (int k = 0; k < p.count; k++) sum += p.weight[k] * convert<A>(image[p.at[k]]);
      static_cast<T *>(a.sampled)[(first + c) * out + place % out] = convert<T>(sum);
    }
  }
}

template <class T> __global__ void slope(const tocha_sample_args a) {
  using A = typename Arithmetic<T>::type;
  const long long in = volume(a.in), out = volume(a.out), places = a.images * out;
  tocha_sample_points<A> p;
  for (long long place = first_item(); place < places; place += item_step()) {
    const long long first = place / out * a.channels;
    A sums[3] = {0, 0, 0};
    find<T, A>(a, place, &p);
    for (long long c = 0; c < a.channels; c++) {
      const T *image = static_cast<const T *>(a.image) + (first + c) * in;
      const A from = convert<A>(static_cast<const T *>(a.sampled)[(first + c) * out + place % out]);
      for (int k = 0; k < p.count; k++) {
        const A x = from * convert<A>(image[p.at[k]]);
        UNROLL
        for (int d = 0; d < 3; d++) sums[d] += x * p.slope[k][d];
      }
    }
    for (int d = 0; d < a.space; d++)
      static_cast<T *>(a.slope)[place * a.space + d] = convert<T>(sums[d]);
  }
}

/* image: sums, of the type of arithmetic. */
template <class T> __global__ void spread(const tocha_sample_args a) {
  using A = typename Arithmetic<T>::type;
  const long long in = volume(a.in), out = volume(a.out), planes = a.images * a.channels;
  tocha_sample_points<A> p;
  for (long long plane = first_item(); plane < planes; plane += item_step()) {
    A *image = static_cast<A *>(a.image) + plane * in;
    for (long long i = 0; i < in; i++) image[i] = 0;
    for (long long i = 0; i < out; i++) {
      find<T, A>(a, plane / a.channels * out + i, &p);
      const A from = convert<A>(static_cast<const T *>(a.sampled)[plane * out + i]);
      for (int k = 0; k < p.count; k++) image[p.at[k]] += p.weight[k] * from;
    }
  }
}

/* f(Type<T>(), args whose grids count as read only). */
template <class F> bool with_args(Stream *stream, tocha_sample_args args, F f) {
  args.grid = READ_ONLY(args.grid);
  args.tangent = READ_ONLY(args.tangent);
  with_floating(static_cast<int>(args.dtype), [&](auto t) { f(t, args); });
  return launched(stream);
}

} // namespace

bool launch_sample(Stream *stream, const tocha_sample_args &args) {
  const long long places = args.images * args.out[0] * args.out[1] * args.out[2];
  return with_args(stream, args, [&](auto t, const tocha_sample_args &a) {
    using T = typename decltype(t)::type;
    LAUNCH((sample<T>), blocks_for(stream, places), BLOCK_THREADS, 0, stream->cuda(), a);
  });
}

bool launch_sample_slope(Stream *stream, const tocha_sample_args &args) {
  const long long places = args.images * args.out[0] * args.out[1] * args.out[2];
  return with_args(stream, args, [&](auto t, const tocha_sample_args &a) {
    using T = typename decltype(t)::type;
    LAUNCH((slope<T>), blocks_for(stream, places), BLOCK_THREADS, 0, stream->cuda(), a);
  });
}

bool launch_spread(Stream *stream, const tocha_sample_args &args) {
  return with_args(stream, args, [&](auto t, const tocha_sample_args &a) {
    using T = typename decltype(t)::type;
    LAUNCH((spread<T>), blocks_for(stream, args.images * args.channels), BLOCK_THREADS, 0,
           stream->cuda(), a);
  });
}

} // namespace tocha
