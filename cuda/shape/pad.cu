/* pad.cu: padding by a tensor's own elements, and its gradient: a thread for each element, which
 * computes where to read. Gradients are gathered, in a fixed order. */
#include "common/launch.h"
#include "common/planes.h"
#include "ops/shape/pad_formula.h"
#include "shape/launch.h"

namespace tocha {
namespace {

__device__ inline long long offset_of(const tocha_pad_args &a, int64_t tocha_pad_axis::*size,
                                      long long plane, const long long (&at)[3]) {
  return ((plane * a.axes[0].*size + at[0]) * a.axes[1].*size + at[1]) * a.axes[2].*size + at[2];
}

template <class T, class I> __global__ void pad(const tocha_pad_args a, const Planes<I> places) {
  for (I i = first_item<I>(); i < places.total; i += item_step<I>()) {
    long long at[3];
    const long long plane = static_cast<long long>(places.split(i, at));
    UNROLL
    for (int d = 0; d < 3; d++) at[d] = tocha_pad_source(a.mode, &a.axes[d], at[d]);
    static_cast<T *>(a.out)[i] =
        static_cast<const T *>(a.in)[offset_of(a, &tocha_pad_axis::in, plane, at)];
  }
}

/* Calls f(place) for the places of the result, in one dimension, that show element `j`. */
template <class F>
__device__ inline void for_places(int64_t mode, const tocha_pad_axis &a, long long j, F f) {
  const long long here = j + a.before, out = a.out;
  if (mode == TOCHA_PAD_REFLECT) {
    const long long left = a.before - j, right = 2 * (a.in - 1) - j + a.before;
    if (j > 0 && left >= 0 && left < out) f(left);
    if (here >= 0 && here < out) f(here);
    if (j < a.in - 1 && right >= 0 && right < out) f(right);
  } else if (mode == TOCHA_PAD_CIRCULAR) {
    if (j < a.first || j >= a.first + a.period) return;
    for (long long i = here - here / a.period * a.period; i < out; i += a.period)
      if (i >= 0) f(i);
  } else {
    const long long first = j == 0 ? 0 : here, end = j == a.in - 1 ? out : here + 1;
    for (long long i = first < 0 ? 0 : first; i < end && i < out; i++) f(i);
  }
}

/* Sums the gradients (planes, out) of the places that show each element of (planes, in). */
template <class T, class I>
__global__ void pad_backward(const tocha_pad_args a, const Planes<I> elements) {
  using A = typename Arithmetic<T>::type;
  for (I i = first_item<I>(); i < elements.total; i += item_step<I>()) {
    long long at[3], from[3];
    const long long plane = static_cast<long long>(elements.split(i, at));
    A sum = 0;
    for_places(a.mode, a.axes[0], at[0], [&](long long z) {
      from[0] = z;
      for_places(a.mode, a.axes[1], at[1], [&](long long y) {
        from[1] = y;
        for_places(a.mode, a.axes[2], at[2], [&](long long x) {
          from[2] = x;
          sum += convert<A>(
              static_cast<const T *>(a.in)[offset_of(a, &tocha_pad_axis::out, plane, from)]);
        });
      });
    });
    static_cast<T *>(a.out)[i] = convert<T>(sum);
  }
}

void sizes_of(const tocha_pad_args &a, int64_t tocha_pad_axis::*size, int64_t *sizes) {
  for (int d = 0; d < 3; d++) sizes[d] = a.axes[d].*size;
}

} // namespace

bool launch_pad(Stream *stream, const tocha_pad_args &given) {
  tocha_pad_args args = given;
  int64_t sizes[3];
  args.in = READ_ONLY(args.in);
  sizes_of(args, &tocha_pad_axis::out, sizes);
  with_size(item_bytes(static_cast<int>(args.dtype)), [&](auto t) {
    with_planes(args.planes, sizes, [&](auto places) {
      using I = decltype(places.total);
      LAUNCH((pad<typename decltype(t)::type, I>),
             blocks_for(stream, static_cast<long long>(places.total)), BLOCK_THREADS, 0,
             stream->cuda(), args, places);
    });
  });
  return launched(stream);
}

bool launch_pad_backward(Stream *stream, const tocha_pad_args &given) {
  tocha_pad_args args = given;
  int64_t sizes[3];
  args.in = READ_ONLY(args.in);
  sizes_of(args, &tocha_pad_axis::in, sizes);
  with_floating(static_cast<int>(args.dtype), [&](auto t) {
    with_planes(args.planes, sizes, [&](auto elements) {
      using I = decltype(elements.total);
      LAUNCH((pad_backward<typename decltype(t)::type, I>),
             blocks_for(stream, static_cast<long long>(elements.total)), BLOCK_THREADS, 0,
             stream->cuda(), args, elements);
    });
  });
  return launched(stream);
}

} // namespace tocha
