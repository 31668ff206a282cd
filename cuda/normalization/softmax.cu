/* softmax.cu: softmax and log softmax, forward and backward, along n of (outer, n, inner).
 *
 * Rows (inner = 1) of up to 8192 elements stay in the registers of a block: one read, one write.
 * Longer ones are read twice: the largest element and the sum are found together, and the sum is
 * rescaled when a larger element comes. Other dimensions: threads x on neighbouring columns, y
 * along the dimension, in the same two passes. 16-bit types compute in float32. */
#include "normalization/launch.h"
#include "common/block.h"
#include "reduction/exp_sum.h"
#include "common/launch.h"
#include "normalization/row.h"

namespace tocha {
namespace {

enum { SHORT_ROW = 8192, LONG_THREADS = 512 };

/* The arguments of a pass over rows or columns: the backward pass if `result` is set, else the
 * forward pass. */
template <class T> struct Rows {
  const T *in, *result;
  T *out;
  long long outer, n, inner;
  int log, vectors; /* vectors: rows allow accesses of 16 bytes, long rows except at their ends */
};

/* Returns the maximum number of threads of a block: 512 if each has 16 elements, so that two
 * blocks share a processor. */
template <int EACH> constexpr int max_threads() { return SHORT_ROW / EACH; }

/* Computes short rows (outer, n): a row for each y of the block. */
template <class T, int EACH>
__global__ void __launch_bounds__(max_threads<EACH>()) short_rows(const Rows<T> r) {
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

/* Calls f(x, y) for the elements lane, lane + lanes, ... of the row or column that starts at
 * `first`, in groups: x from `in` and y from `result` (0 without). STORES: writes x to the
 * output afterwards. */
template <bool STORES, class A, class T, class F>
__device__ inline void walk(const Rows<T> &r, long long first, int lane, int lanes, F &f) {
  for (long long i = lane; i < r.n; i += 4 * lanes) { /* four loads are in flight at once */
    T x[4] = {}, y[4] = {};
    UNROLL
    for (int k = 0; k < 4; k++) {
      const long long at = first + (i + k * lanes) * r.inner;
      if (i + k * lanes < r.n) x[k] = r.in[at];
      if (i + k * lanes < r.n && r.result) y[k] = r.result[at];
    }
    UNROLL
    for (int k = 0; k < 4; k++) {
      A one[1] = {convert<A>(x[k])}, other[1] = {r.result ? convert<A>(y[k]) : A(0)};
      if (i + k * lanes >= r.n) continue;
      f(one, other);
      if (STORES) r.out[first + (i + k * lanes) * r.inner] = convert<T>(one[0]);
    }
  }
}

/* Does the same along a row (inner is 1), by accesses of 16 bytes, except at its ends, if all
 * addresses allow that. */
template <bool STORES, class A, class T, class F>
__device__ inline void walk_row(const Rows<T> &r, long long first, int lane, int lanes, F &f) {
  constexpr int W = vec_width<T>(), AT_ONCE = 2;
  const long long beyond = reinterpret_cast<uintptr_t>(r.in + first) % 16;
  const long long head = r.vectors ? (16 - beyond) % 16 / static_cast<int>(sizeof(T)) : r.n;
  const long long start = first + head, vectors = (r.n - head) / W;
  for (long long i = lane; i < vectors; i += AT_ONCE * lanes) {
    Raw<T, W> x[AT_ONCE] = {}, y[AT_ONCE] = {};
    UNROLL
    for (int k = 0; k < AT_ONCE; k++) {
      const long long at = start + (i + k * lanes) * W;
      if (i + k * lanes < vectors) x[k] = load_raw<T, W>(r.in + at);
      if (i + k * lanes < vectors && r.result) y[k] = load_raw<T, W>(r.result + at);
    }
    UNROLL
    for (int k = 0; k < AT_ONCE; k++) {
      if (i + k * lanes >= vectors) break;
      A some[W], others[W];
      UNROLL
      for (int l = 0; l < W; l++) some[l] = element<A>(x[k], l), others[l] = element<A>(y[k], l);
      f(some, others);
      Vec<T, W> results;
      UNROLL
      for (int l = 0; l < W; l++) results[l] = convert<T>(some[l]);
      if (STORES) store_vec(r.out + start + (i + k * lanes) * W, results);
    }
  }
  UNROLL_NOT
  for (int k = 0; k < 2; k++) {
    const long long done = k ? head + vectors * W : 0;
    Rows<T> end = r;
    end.n = k ? r.n - done : head;
    walk<STORES, A>(end, first + done, lane, lanes, f);
  }
}

/* Adds N numbers at once, so that the sum is rescaled only once. */
template <class A, int N> __device__ inline void add(ExpSum<A> &p, const A (&x)[N]) {
  A top = p.top, sum = 0;
  UNROLL
  for (int k = 0; k < N; k++) top = x[k] > top ? x[k] : top;
  const A base = top == static_cast<A>(-HUGE_VALF) ? A(0) : top; /* -inf - -inf would be NaN */
  UNROLL
  for (int k = 0; k < N; k++) sum += exp(x[k] - base);
  p.sum = p.sum * exp(p.top - base) + sum;
  p.top = top;
}

template <class A, class T> struct FirstPass {
  const Rows<T> &r;
  ExpSum<A> p;
  template <int N> __device__ void operator()(A (&x)[N], A (&y)[N]) {
    if (!r.result) {
      add(p, x);
    } else {
      UNROLL
      for (int k = 0; k < N; k++) p.sum += r.log ? x[k] : x[k] * y[k];
    }
  }
};

template <class A, class T> struct SecondPass {
  const Rows<T> &r;
  A top, sum, scale;
  __device__ SecondPass(const Rows<T> &rows, ExpSum<A> p) : r(rows), top(p.top), sum(p.sum) {
    if (!r.result && top - top != 0) sum = static_cast<A>(NAN); /* infinite: inf - inf */
    scale = r.result ? A(0) : r.log ? log(sum) : 1 / sum;
  }
  template <int N> __device__ void operator()(A (&x)[N], A (&y)[N]) const {
    UNROLL
    for (int k = 0; k < N; k++) {
      if (!r.result)
        x[k] = r.log ? x[k] - top - scale : exp(x[k] - top) * scale;
      else
        x[k] = r.log ? x[k] - exp(y[k]) * sum : (x[k] - sum) * y[k];
    }
  }
};

/* Computes long rows (outer, n), a block for each row. */
template <class T> __global__ void __launch_bounds__(LONG_THREADS) long_rows(const Rows<T> r) {
  using A = typename Arithmetic<T>::type;
  const int lane = static_cast<int>(threadIdx.x), lanes = static_cast<int>(blockDim.x);
  for (long long row = blockIdx.x; row < r.outer; row += gridDim.x) {
    FirstPass<A, T> pass = {r, {static_cast<A>(-HUGE_VALF), 0}};
    walk_row<false, A>(r, row * r.n, lane, lanes, pass);
    const ExpSum<A> p = pass.p;
    const A top = block_joined(p.top, [](A a, A b) { return a > b ? a : b; });
    const A sum = r.result || p.top == top ? p.sum : p.sum * exp(p.top - top);
    const SecondPass<A, T> last(r, {top, block_joined(sum, Plus())});
    walk_row<true, A>(r, row * r.n, lane, lanes, last);
  }
}

/* Computes columns (outer, n, inner), 32 neighbouring ones (x) per block. */
template <class T> __global__ void __launch_bounds__(LONG_THREADS) columns(const Rows<T> r) {
  using A = typename Arithmetic<T>::type;
  const int lane = static_cast<int>(threadIdx.y), lanes = static_cast<int>(blockDim.y);
  const long long column = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const bool there = column < r.outer * r.inner;
  const long long first = column / r.inner * r.n * r.inner + column % r.inner;
  FirstPass<A, T> pass = {r, {r.result ? A(0) : static_cast<A>(-HUGE_VALF), 0}};
  if (there) walk<false, A>(r, first, lane, lanes, pass);
  const ExpSum<A> p = columns_joined(pass.p, [](ExpSum<A> a, ExpSum<A> b) { return joined(a, b); });
  const SecondPass<A, T> last(r, p);
  if (there) walk<true, A>(r, first, lane, lanes, last);
}

/* --- launches --------------------------------------------------------------------------------- */

template <class T> Rows<T> rows_of(const tocha_softmax_args &j) {
  const uintptr_t in = reinterpret_cast<uintptr_t>(j.in), out = reinterpret_cast<uintptr_t>(j.out);
  const uintptr_t result = j.result ? reinterpret_cast<uintptr_t>(j.result) : in;
  const bool is_long = j.n > SHORT_ROW;
  const bool alike = (in - out) % 16 == 0 && (in - result) % 16 == 0;
  const bool aligned = in % 16 == 0 && j.n % vec_width<T>() == 0;
  return {READ_ONLY(static_cast<const T *>(j.in)),
          READ_ONLY(static_cast<const T *>(j.result)),
          static_cast<T *>(j.out),
          j.outer,
          j.n,
          j.inner,
          j.log,
          alike && (aligned || is_long)};
}

/* Starts short_rows with threads x along a row, and y rows in a block. */
template <class T, int EACH> void start_short(Stream *q, const Rows<T> &r) {
  unsigned x = 1, y = 1;
  while (x * EACH < r.n) x *= 2;
  while (x * y < 32 || (x * y < 128 && y < r.outer)) y *= 2;
  LAUNCH((short_rows<T, EACH>), static_cast<unsigned>((r.outer + y - 1) / y), dim3(x, y), 0,
         q->cuda(), r);
}

template <class T> void start_columns(Stream *q, const Rows<T> &r) {
  unsigned x = 32, y = 1;
  while (y < 16 && y * 16 < r.n) y *= 2;
  LAUNCH((columns<T>), static_cast<unsigned>((r.outer * r.inner + x - 1) / x), dim3(x, y), 0,
         q->cuda(), r);
}

/* Returns the number of elements of a thread in rows that are longer than a warp reads at once. A
 * thread's registers do not fit 16 doubles. With 32 elements the compiler needs a stack. */
template <class T> constexpr int longest_each() { return sizeof(T) < 8 ? 16 : 8; }

template <class T> bool run(Stream *q, const tocha_softmax_args &j) {
  const Rows<T> r = rows_of<T>(j);
  if (r.inner > 1)
    start_columns(q, r);
  else if (r.n > SHORT_ROW)
    LAUNCH((long_rows<T>), blocks_for(q, r.outer * LONG_THREADS, LONG_THREADS), LONG_THREADS, 0,
           q->cuda(), r);
  else if (r.n > 32 * 8)
    start_short<T, longest_each<T>()>(q, r);
  else
    start_short<T, 8>(q, r);
  return launched(q);
}

} // namespace

bool launch_softmax(Stream *stream, const tocha_softmax_args &work) {
  return with_floating(work.dtype,
                       [&](auto t) { return run<typename decltype(t)::type>(stream, work); });
}

} // namespace tocha
