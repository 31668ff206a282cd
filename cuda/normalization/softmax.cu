/* softmax.cu: softmax and log softmax, forward and backward.
 *
 * Rows (the dimension is the last) of up to 8 elements a thread of a block stay in registers: one
 * read, one write. Longer ones are read twice: the greatest element and the sum are found together,
 * the sum rescaled as a greater element comes. Other dimensions: threads x on neighbouring columns,
 * y along the dimension, in the same two passes. 16-bit types compute in float32. */
#include "normalization/launch.h"
#include "common/block.h"
#include "reduction/exp_sum.h"
#include "common/launch.h"

namespace tocha {
namespace {

enum { EACH = 8, MOST_THREADS = 1024, LONG_THREADS = 512 };

/* Backward or forward of one row or column of n elements, `step` apart. */
template <class T> struct Rows {
  const T *in, *result;
  T *out;
  long long outer, n, inner;
  int log, vectors; /* whole words: no gaps */
};

/* The element of a thread that is its k-th: side by side in groups of 16 bytes, or one by one. */
template <class T> __device__ inline long long index_of(bool vectors, int k) {
  constexpr int W = vec_width<T>();
  if (vectors) return (static_cast<long long>(k / W) * blockDim.x + threadIdx.x) * W + k % W;
  return static_cast<long long>(k) * blockDim.x + threadIdx.x;
}

template <class A, class T>
__device__ inline void load_row(const T *row, long long n, bool vectors, A missing, A (&x)[EACH]) {
  constexpr int W = vec_width<T>();
  if (vectors) { /* n is a multiple of W then */
    UNROLL
    for (int k = 0; k < EACH; k += W) {
      const long long i = index_of<T>(true, k);
      Vec<T, W> v = {};
      if (i < n) v = load_vec<W>(row + i);
      UNROLL
      for (int l = 0; l < W; l++) x[k + l] = i < n ? convert<A>(v[l]) : missing;
    }
    return;
  }
  UNROLL
  for (int k = 0; k < EACH; k++) {
    const long long i = index_of<T>(false, k);
    x[k] = i < n ? convert<A>(row[i]) : missing;
  }
}

template <class A, class T>
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

/* A row for each y of the block. */
template <class T> __global__ void __launch_bounds__(MOST_THREADS) short_rows(const Rows<T> r) {
  using A = typename Arithmetic<T>::type;
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y;
  const long long n = row < r.outer ? r.n : 0, start = n ? row * r.n : 0;
  A x[EACH];
  if (!r.result) {
    load_row<A>(r.in + start, n, r.vectors, static_cast<A>(-HUGE_VALF), x);
    A top = x[0], sum = 0;
    UNROLL
    for (int k = 1; k < EACH; k++) top = greater(top, x[k]);
    top = block_joined(top, Greater());
    UNROLL
    for (int k = 0; k < EACH; k++) {
      const A shifted = x[k] - top, e = exp(shifted);
      sum += index_of<T>(r.vectors, k) < n ? e : 0;
      x[k] = r.log ? shifted : e;
    }
    sum = block_joined(sum, Plus());
    const A scale = r.log ? log(sum) : 1 / sum;
    UNROLL
    for (int k = 0; k < EACH; k++) x[k] = r.log ? x[k] - scale : x[k] * scale;
  } else {
    A y[EACH], sum = 0;
    load_row<A>(r.in + start, n, r.vectors, A(0), x);
    load_row<A>(r.result + start, n, r.vectors, A(0), y);
    UNROLL
    for (int k = 0; k < EACH; k++) sum += r.log ? x[k] : x[k] * y[k];
    sum = block_joined(sum, Plus());
    UNROLL
    for (int k = 0; k < EACH; k++) x[k] = r.log ? x[k] - exp(y[k]) * sum : (x[k] - sum) * y[k];
  }
  store_row(r.out + start, n, r.vectors, x);
}

/* --- two passes ------------------------------------------------------------------------------- */

/* f(place, x, y) for elements lane, lane + lanes, ... of the row that starts at `first`, with x of
 * in and y of result (0 without); loads of four are under way at once. */
template <class A, class T, class F>
__device__ inline void walk(const Rows<T> &r, long long first, int lane, int lanes, F f) {
  for (long long i = lane; i < r.n; i += 4 * lanes) {
    A x[4], y[4];
    UNROLL
    for (int k = 0; k < 4; k++) {
      const bool there = i + k * lanes < r.n;
      const long long at = first + (i + k * lanes) * r.inner;
      x[k] = there ? convert<A>(r.in[at]) : A(0);
      y[k] = there && r.result ? convert<A>(r.result[at]) : A(0);
    }
    UNROLL
    for (int k = 0; k < 4; k++)
      if (i + k * lanes < r.n) f(first + (i + k * lanes) * r.inner, x[k], y[k]);
  }
}

template <class A, class T>
__device__ inline ExpSum<A> first_pass(const Rows<T> &r, long long first, int lane, int lanes) {
  ExpSum<A> p = {r.result ? A(0) : static_cast<A>(-HUGE_VALF), 0};
  walk<A>(r, first, lane, lanes, [&](long long, A x, A y) {
    if (!r.result)
      p.add(x);
    else
      p.sum += r.log ? x : x * y;
  });
  return p;
}

template <class A, class T>
__device__ inline void second_pass(const Rows<T> &r, long long first, int lane, int lanes,
                                   ExpSum<A> p) {
  if (!r.result && p.top - p.top != 0) p.sum = static_cast<A>(NAN); /* infinite: inf - inf */
  const A scale = r.result ? A(0) : r.log ? log(p.sum) : 1 / p.sum;
  walk<A>(r, first, lane, lanes, [&](long long at, A x, A y) {
    A value;
    if (!r.result)
      value = r.log ? x - p.top - scale : exp(x - p.top) * scale;
    else
      value = r.log ? x - exp(y) * p.sum : (x - p.sum) * y;
    r.out[at] = convert<T>(value);
  });
}

template <class T> __global__ void __launch_bounds__(LONG_THREADS) long_rows(const Rows<T> r) {
  using A = typename Arithmetic<T>::type;
  const int lane = static_cast<int>(threadIdx.x), lanes = static_cast<int>(blockDim.x);
  for (long long row = blockIdx.x; row < r.outer; row += gridDim.x) {
    ExpSum<A> p = first_pass<A>(r, row * r.n, lane, lanes);
    const A top = block_joined(p.top, [](A a, A b) { return a > b ? a : b; });
    const A sum = r.result || p.top == top ? p.sum : p.sum * exp(p.top - top);
    p.sum = block_joined(sum, Plus());
    p.top = top;
    second_pass(r, row * r.n, lane, lanes, p);
  }
}

/* 32 columns (x) at a time. */
template <class T> __global__ void __launch_bounds__(LONG_THREADS) columns(const Rows<T> r) {
  using A = typename Arithmetic<T>::type;
  const int lane = static_cast<int>(threadIdx.y), lanes = static_cast<int>(blockDim.y);
  const long long column = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const bool there = column < r.outer * r.inner;
  const long long first = column / r.inner * r.n * r.inner + column % r.inner;
  ExpSum<A> p = {0, 0};
  if (there) p = first_pass<A>(r, first, lane, lanes);
  p = columns_joined(p, [](ExpSum<A> a, ExpSum<A> b) { return joined(a, b); });
  if (there) second_pass(r, first, lane, lanes, p);
}

/* --- launches --------------------------------------------------------------------------------- */

template <class T> Rows<T> rows_of(const tocha_softmax_args &j) {
  const uintptr_t all = reinterpret_cast<uintptr_t>(j.in) | reinterpret_cast<uintptr_t>(j.out) |
                        reinterpret_cast<uintptr_t>(j.result);
  return {READ_ONLY(static_cast<const T *>(j.in)),
          READ_ONLY(static_cast<const T *>(j.result)),
          static_cast<T *>(j.out),
          j.outer,
          j.n,
          j.inner,
          j.log,
          j.n % vec_width<T>() == 0 && all % 16 == 0};
}

template <class T> bool run(Stream *q, const tocha_softmax_args &j) {
  Rows<T> r = rows_of<T>(j);
  unsigned x = 1, y = 1;
  if (j.inner > 1) {
    while (y < 16 && y * 16 < j.n) y *= 2;
    x = 32;
    const long long blocks = (j.outer * j.inner + x - 1) / x;
    LAUNCH((columns<T>), static_cast<unsigned>(blocks), dim3(x, y), 0, q->cuda(), r);
  } else if (j.n <= EACH * MOST_THREADS) {
    while (x * EACH < j.n) x *= 2;
    while (x * y < 32 || (x * y < 128 && y < j.outer)) y *= 2;
    const long long blocks = (j.outer + y - 1) / y;
    LAUNCH((short_rows<T>), static_cast<unsigned>(blocks), dim3(x, y), 0, q->cuda(), r);
  } else {
    const unsigned blocks = blocks_for(q, j.outer * LONG_THREADS, LONG_THREADS);
    LAUNCH((long_rows<T>), blocks, LONG_THREADS, 0, q->cuda(), r);
  }
  return launched(q);
}

} // namespace

bool launch_softmax(Stream *stream, const tocha_softmax_args &work) {
  return with_floating(work.dtype,
                       [&](auto t) { return run<typename decltype(t)::type>(stream, work); });
}

} // namespace tocha
