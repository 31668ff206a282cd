/* resize.cu: resamples all dimensions of an image at once. A thread finds the taps of one position
 * and applies them to several planes; nothing is kept in tables. The gradient is gathered: a thread
 * sums over the few positions of the result whose taps include its element. */
#include "common/divide.h"
#include "common/launch.h"
#include "ops/resampling/axis.h"
#include "resampling/launch.h"

namespace tocha {
namespace {

constexpr int GROUP = 4; /* planes that a thread computes side by side */

/* The sizes of a plane (SPACE dimensions, inner), and how to split a number in it. */
template <int SPACE> struct Plane {
  Divisor<unsigned> inner, sizes[SPACE]; /* the last dimension first */
  unsigned total, rest;                  /* rest: fills a gap (kernel.h) */
  Plane(const tocha_resize_args &a, int64_t tocha_axis::*side) : rest(0) {
    inner = Divisor<unsigned>(static_cast<unsigned>(a.inner));
    total = inner.divisor;
    for (int d = 0; d < SPACE; d++) {
      sizes[d] = Divisor<unsigned>(static_cast<unsigned>(a.axes[d].*side));
      total *= sizes[d].divisor;
    }
  }
  /* Splits `item` into the positions `at` and the returned channel. */
  __device__ unsigned split(unsigned item, unsigned (&at)[SPACE]) const {
    unsigned left = inner.quotient(item);
    const unsigned channel = item - left * inner.divisor;
    UNROLL
    for (int d = 0; d < SPACE; d++) {
      const unsigned next = sizes[d].quotient(left);
      at[d] = left - next * sizes[d].divisor;
      left = next;
    }
    return channel;
  }
};

/* Calls f(first plane, number of planes) for this block's groups of planes. */
template <class F> __device__ inline void for_groups(long long planes, F f) {
  for (long long p = static_cast<long long>(blockIdx.y) * GROUP; p < planes;
       p += static_cast<long long>(gridDim.y) * GROUP)
    f(p, static_cast<int>(planes - p < GROUP ? planes - p : GROUP));
}

/* Writes one element of each of `count` planes, which are `step` elements apart. */
template <class T, class A>
__device__ inline void store_group(T *out, long long step, const A (&values)[GROUP], int count) {
  UNROLL
  for (int g = 0; g < GROUP; g++)
    if (g < count) out[g * step] = convert<T>(values[g]);
}

/* TAPS for each position of a dimension; WIDE: as many as antialiasing needs. */
enum { WIDE = 0 };

/* --- the taps of one position, known at compile time ------------------------------------------- */

template <class A, int TAPS> struct Taps {
  unsigned at[TAPS];
  A weights[TAPS];
};

template <class A, int TAPS> __device__ inline Taps<A, TAPS> find(const tocha_axis &a, unsigned i) {
  Taps<A, TAPS> taps;
  int64_t at[TAPS];
  taps.weights[0] = 1;
  if constexpr (TAPS == 4)
    tocha_axis_cubic<A>(&a, i, at, taps.weights);
  else if constexpr (TAPS == 2)
    tocha_axis_linear<A>(&a, i, at, taps.weights);
  else
    at[0] = tocha_axis_nearest(&a, i);
  UNROLL
  for (int k = 0; k < TAPS; k++) taps.at[k] = static_cast<unsigned>(at[k]);
  return taps;
}

/* Adds value * weight to sum. The first product is rounded, the others are fused. */
template <class A> __device__ inline A add_tap(A sum, A value, A weight, bool is_first) {
  return is_first ? value * weight : fma(value, weight, sum);
}

/* Returns the element of the result, of which dimension D - 1 and those after it are resampled.
 * Tap 1 is added first, as on the CPU. */
template <class T, int TAPS, int D, class A, int SPACE>
__device__ inline A blended(const T *plane, const Plane<SPACE> &in, const Taps<A, TAPS> *taps,
                            unsigned offset) {
  if constexpr (D == 0) {
    return convert<A>(plane[offset * in.inner.divisor]);
  } else {
    A sum = 0;
    UNROLL
    for (int turn = 0; turn < TAPS; turn++) {
      const int k = TAPS == 1 ? 0 : turn == 0 ? 1 : turn == 1 ? 0 : turn;
      const unsigned line = offset * in.sizes[D - 1].divisor + taps[D - 1].at[k];
      const A value = blended<T, TAPS, D - 1>(plane, in, taps, line);
      sum = add_tap(sum, value, taps[D - 1].weights[k], turn == 0);
    }
    return sum;
  }
}

/* Computes out (planes, out, inner) from in (planes, in, inner). */
template <class T, int TAPS, int SPACE>
__global__ void resize(const tocha_resize_args a, const Plane<SPACE> in, const Plane<SPACE> out) {
  using A = typename Arithmetic<T>::type;
  for (unsigned item = first_item<unsigned>(); item < out.total; item += item_step<unsigned>()) {
    unsigned at[SPACE];
    const unsigned channel = out.split(item, at);
    Taps<A, TAPS> taps[SPACE];
    UNROLL
    for (int d = 0; d < SPACE; d++) taps[d] = find<A, TAPS>(a.axes[d], at[d]);
    for_groups(a.planes, [&](long long p, int count) {
      const T *plane = static_cast<const T *>(a.in) + p * in.total + channel;
      A values[GROUP] = {};
      UNROLL
      for (int g = 0; g < GROUP; g++)
        if (g < count)
          values[g] =
              blended<T, TAPS, SPACE>(plane + g * static_cast<long long>(in.total), in, taps, 0);
      store_group(static_cast<T *>(a.out) + p * out.total + item, out.total, values, count);
    });
  }
}

/* Moves one element, of any type, to each position of the result. */
template <class T, int SPACE>
__global__ void pick(const tocha_resize_args a, const Plane<SPACE> in, const Plane<SPACE> out) {
  for (unsigned item = first_item<unsigned>(); item < out.total; item += item_step<unsigned>()) {
    unsigned at[SPACE], from = 0;
    const unsigned channel = out.split(item, at);
    UNROLL
    for (int d = SPACE - 1; d >= 0; d--)
      from =
          from * in.sizes[d].divisor + static_cast<unsigned>(tocha_axis_nearest(&a.axes[d], at[d]));
    from = from * in.inner.divisor + channel;
    for_groups(a.planes, [&](long long p, int count) {
      const T *plane = static_cast<const T *>(a.in) + p * in.total + from;
      T values[GROUP] = {};
      UNROLL
      for (int g = 0; g < GROUP; g++)
        if (g < count) values[g] = plane[g * static_cast<long long>(in.total)];
      store_group(static_cast<T *>(a.out) + p * out.total + item, out.total, values, count);
    });
  }
}

/* Computes an antialiased plane: a weighted sum of lines, each of which is a weighted sum. */
template <class T>
__global__ void resize_wide(const tocha_resize_args a, const Plane<2> in, const Plane<2> out) {
  using A = typename Arithmetic<T>::type;
  for (unsigned item = first_item<unsigned>(); item < out.total; item += item_step<unsigned>()) {
    unsigned at[2];
    const unsigned channel = out.split(item, at);
    const tocha_axis &across = a.axes[0], &down = a.axes[1];
    const tocha_wide_taps<A> columns = tocha_axis_wide<A>(&across, at[0]);
    const tocha_wide_taps<A> rows = tocha_axis_wide<A>(&down, at[1]);
    const A width = tocha_axis_wide_sum<A>(&across, &columns);
    const A height = tocha_axis_wide_sum<A>(&down, &rows);
    for_groups(a.planes, [&](long long p, int count) {
      const T *plane = static_cast<const T *>(a.in) + p * in.total + channel;
      A sums[GROUP] = {};
      for (int64_t y = rows.first; y < rows.end; y++) {
        A lines[GROUP] = {};
        for (int64_t x = columns.first; x < columns.end; x++) {
          const A weight = tocha_axis_wide_weight<A>(&across, &columns, x) / width;
          const long long from = (y * across.in + x) * a.inner;
          UNROLL
          for (int g = 0; g < GROUP; g++)
            if (g < count)
              lines[g] = fma(convert<A>(plane[from + g * static_cast<long long>(in.total)]), weight,
                             lines[g]);
        }
        const A weight = tocha_axis_wide_weight<A>(&down, &rows, y) / height;
        UNROLL
        for (int g = 0; g < GROUP; g++) sums[g] = fma(lines[g], weight, sums[g]);
      }
      store_group(static_cast<T *>(a.out) + p * out.total + item, out.total, sums, count);
    });
  }
}

/* --- gradients --------------------------------------------------------------------------------- */

/* The positions first..end of the result, among which are all that have element `j` as a tap. */
struct Reach {
  unsigned first, end;
};

__device__ inline Reach reach_of(const tocha_axis &a, unsigned j) {
  const bool wide = a.mode >= TOCHA_AXIS_LINEAR_WIDE;
  const double distance = wide ? a.support + 1 : a.mode == TOCHA_AXIS_CUBIC ? 2 : 1;
  const double slack = 0.01 + j * 1e-6; /* rounding of positions */
  const double shift = (a.align_corners && !wide) || a.mode == TOCHA_AXIS_NEAREST ? 0.0 : 0.5;
  const double middle = a.mode == TOCHA_AXIS_NEAREST_EXACT || wide ? 0.5 : shift;
  const unsigned size = static_cast<unsigned>(a.out);
  Reach r = {0, size};
  if (a.in == a.out && !wide && a.mode != TOCHA_AXIS_CUBIC && a.mode != TOCHA_AXIS_NEAREST_EXACT) {
    r.first = j ? j - 1 : 0;
    r.end = j + 1;
    return r;
  }
  if (!(a.scale > 0)) return r;
  const double first = (j - distance - slack + middle) / a.scale - shift;
  const double last = (j + distance + slack + middle) / a.scale - shift;
  if (j > 0 && first > 0) r.first = first < size ? static_cast<unsigned>(ceil(first)) : size;
  if (j + 1 < a.in && last < size - 1) r.end = last < 0 ? 0 : static_cast<unsigned>(last) + 1;
  return r;
}

/* Returns the weight of element `j` in position `i` of the result. */
template <class A, int TAPS>
__device__ inline A weight_of(const tocha_axis &a, unsigned i, unsigned j) {
  A sum = 0;
  if constexpr (TAPS == WIDE) {
    const tocha_wide_taps<A> taps = tocha_axis_wide<A>(&a, i);
    if (j < taps.first || j >= taps.end) return 0;
    sum = tocha_axis_wide_weight<A>(&a, &taps, j) / tocha_axis_wide_sum<A>(&a, &taps);
  } else {
    const Taps<A, TAPS> taps = find<A, TAPS>(a, i);
    UNROLL
    for (int k = 0; k < TAPS; k++)
      if (taps.at[k] == j) sum += taps.weights[k];
  }
  return sum;
}

/* Adds the gradients of the positions that have element `at` as a tap, for GROUP planes of which
 * `count` exist. */
template <class T, int TAPS, int D, class A, int SPACE>
__device__ inline void gather(const tocha_resize_args &a, const T *grad, const Plane<SPACE> &out,
                              const unsigned (&at)[SPACE], unsigned offset, A weight, int count,
                              A (&sums)[GROUP]) {
  if constexpr (D == 0) {
    UNROLL
    for (int g = 0; g < GROUP; g++)
      if (g < count)
        sums[g] = fma(convert<A>(grad[g * static_cast<long long>(out.total) +
                                      static_cast<long long>(offset) * out.inner.divisor]),
                      weight, sums[g]);
  } else {
    const Reach r = reach_of(a.axes[D - 1], at[D - 1]);
    for (unsigned i = r.first; i < r.end; i++) {
      const A share = weight_of<A, TAPS>(a.axes[D - 1], i, at[D - 1]);
      if (share != 0)
        gather<T, TAPS, D - 1>(a, grad, out, at, offset * out.sizes[D - 1].divisor + i,
                               weight * share, count, sums);
    }
  }
}

/* Computes out (planes, in, inner) from the gradient in (planes, out, inner). */
template <class T, int TAPS, int SPACE>
__global__ void resize_backward(const tocha_resize_args a, const Plane<SPACE> in,
                                const Plane<SPACE> out) {
  using A = typename Arithmetic<T>::type;
  for (unsigned item = first_item<unsigned>(); item < in.total; item += item_step<unsigned>()) {
    unsigned at[SPACE];
    const unsigned channel = in.split(item, at);
    for_groups(a.planes, [&](long long p, int count) {
      A sums[GROUP] = {};
      gather<T, TAPS, SPACE>(a, static_cast<const T *>(a.in) + p * out.total + channel, out, at, 0u,
                             A(1), count, sums);
      store_group(static_cast<T *>(a.out) + p * in.total + item, in.total, sums, count);
    });
  }
}

/* --- launches ---------------------------------------------------------------------------------- */

template <int N> using Number = std::integral_constant<int, N>;

/* Returns a grid whose first dimension covers the `items` of a plane, and whose second divides the
 * planes: as many threads as the GPU holds. */
dim3 grid_for(const Stream *stream, long long items, long long planes) {
  const long long groups = (planes + GROUP - 1) / GROUP;
  const unsigned most = blocks_for(stream, items * groups), across = blocks_for(stream, items);
  const long long down = (most + across - 1) / across;
  return dim3(across, static_cast<unsigned>(down < groups ? down : groups));
}

/* Calls f(Number<TAPS>(), Number<SPACE>()) for all modes but those that only pick elements. */
template <class F> void with_taps(const tocha_resize_args &args, F f) {
  const int mode = args.axes[0].mode;
  if (mode >= TOCHA_AXIS_LINEAR_WIDE)
    f(Number<WIDE>(), Number<2>());
  else if (mode == TOCHA_AXIS_CUBIC)
    f(Number<4>(), Number<2>());
  else if (args.space == 1)
    f(Number<2>(), Number<1>());
  else if (args.space == 2)
    f(Number<2>(), Number<2>());
  else
    f(Number<2>(), Number<3>());
}

template <class F> void with_space(const tocha_resize_args &args, F f) {
  if (args.space == 1)
    f(Number<1>());
  else if (args.space == 2)
    f(Number<2>());
  else
    f(Number<3>());
}

bool picks(const tocha_resize_args &args) { return args.axes[0].mode <= TOCHA_AXIS_NEAREST_EXACT; }

tocha_resize_args read_only(tocha_resize_args args) {
  args.in = READ_ONLY(args.in);
  return args;
}

template <int SPACE> void start_pick(Stream *stream, const tocha_resize_args &args) {
  const Plane<SPACE> in(args, &tocha_axis::in), out(args, &tocha_axis::out);
  const dim3 grid = grid_for(stream, out.total, args.planes);
  with_size(item_bytes(static_cast<int>(args.dtype)), [&](auto t) {
    LAUNCH((pick<typename decltype(t)::type, SPACE>), grid, BLOCK_THREADS, 0, stream->cuda(), args,
           in, out);
  });
}

} // namespace

bool launch_resize(Stream *stream, const tocha_resize_args &given) {
  const tocha_resize_args args = read_only(given);
  if (picks(args)) {
    with_space(args, [&](auto space) { start_pick<decltype(space)::value>(stream, args); });
    return launched(stream);
  }
  with_floating(static_cast<int>(args.dtype), [&](auto t) {
    using T = typename decltype(t)::type;
    with_taps(args, [&](auto taps, auto space) {
      constexpr int TAPS = decltype(taps)::value, SPACE = decltype(space)::value;
      const Plane<SPACE> in(args, &tocha_axis::in), out(args, &tocha_axis::out);
      const dim3 grid = grid_for(stream, out.total, args.planes);
      if constexpr (TAPS == WIDE)
        LAUNCH((resize_wide<T>), grid, BLOCK_THREADS, 0, stream->cuda(), args, in, out);
      else
        LAUNCH((resize<T, TAPS, SPACE>), grid, BLOCK_THREADS, 0, stream->cuda(), args, in, out);
    });
  });
  return launched(stream);
}

bool launch_resize_backward(Stream *stream, const tocha_resize_args &given) {
  const tocha_resize_args args = read_only(given);
  with_floating(static_cast<int>(args.dtype), [&](auto t) {
    using T = typename decltype(t)::type;
    const auto start = [&](auto taps, auto space) {
      constexpr int TAPS = decltype(taps)::value, SPACE = decltype(space)::value;
      const Plane<SPACE> in(args, &tocha_axis::in), out(args, &tocha_axis::out);
      const dim3 grid = grid_for(stream, in.total, args.planes);
      LAUNCH((resize_backward<T, TAPS, SPACE>), grid, BLOCK_THREADS, 0, stream->cuda(), args, in,
             out);
    };
    if (picks(args))
      with_space(args, [&](auto space) { start(Number<1>(), space); });
    else
      with_taps(args, start);
  });
  return launched(stream);
}

} // namespace tocha
