/* bag.cu: sums, means and maxima of bags of rows of a table, and their gradients. A thread
 * computes one element of the result, and adds in the order of the indices: the same digits in
 * every run. */
#include "indexing/launch.h"
#include "common/block.h"
#include "common/launch.h"

namespace tocha {
namespace {

constexpr const char *NAME = "embedding_bag";

template <class T> struct Bags {
  using A = typename Arithmetic<T>::type;
  const long long *indices, *offsets, *bag_of, *counts, *keys, *order;
  const T *table, *grad, *scales;
  T *out;
  long long *sizes, *from;
  long long n, bags, rows, columns, padding;
  Fault *fault;
  int mode, fused;

  explicit Bags(const Stream *stream, const tocha_bag_args &a)
      : indices(integers(a.indices)), offsets(integers(a.offsets)), bag_of(integers(a.bag_of)),
        counts(integers(a.counts)), keys(integers(a.keys)), order(integers(a.order)),
        table(READ_ONLY(static_cast<const T *>(a.table))),
        grad(READ_ONLY(static_cast<const T *>(a.grad))),
        scales(READ_ONLY(static_cast<const T *>(a.scales))), out(static_cast<T *>(a.out)),
        sizes(reinterpret_cast<long long *>(a.sizes)), from(reinterpret_cast<long long *>(a.from)),
        n(a.n), bags(a.bags), rows(a.rows), columns(a.columns), padding(a.padding),
        fault(stream->home().fault), mode(a.mode), fused(a.fused) {}

  static const long long *integers(const int64_t *p) {
    return READ_ONLY(reinterpret_cast<const long long *>(p));
  }

  /* Returns the row of index i, or -1 for padding. Reports an index out of range, which also
   * gives -1. */
  __device__ long long row(long long i) const {
    const long long at = indices[i];
    if (at >= 0 && at < rows) return at == padding ? -1 : at;
    report_index(fault, NAME, at, -1, rows);
    return -1;
  }
  __device__ bool has_bag(long long i) const { return bag_of[i] >= 0 && bag_of[i] < bags; }
  __device__ A scale(long long i) const { return scales ? convert<A>(scales[i]) : A(1); }
  __device__ A element(long long at, long long column) const {
    return convert<A>(table[at * columns + column]);
  }
  __device__ A joined(A sum, A factor, A x) const {
    return fused && scales ? fma(factor, x, sum) : sum + factor * x;
  }
  /* Returns the factor of the gradient of bag `bag` in the gradient of row `at`, for index i. */
  __device__ A share(long long i, long long at, long long bag) const {
    double s = scales ? static_cast<double>(convert<A>(scales[i])) : 1.0;
    if (counts) s /= static_cast<double>(counts[at]);
    if (mode == TOCHA_BAG_MEAN && sizes[bag] > 0) s /= static_cast<double>(sizes[bag]);
    return convert<A>(convert<T>(static_cast<A>(s)));
  }
  /* Returns sum + factor * x; 16-bit numbers are rounded at each step. */
  __device__ static A stepped(A sum, A factor, A x) {
    if constexpr (std::is_same<A, T>::value)
      return fma(factor, x, sum);
    else
      return convert<A>(convert<T>(sum + convert<A>(convert<T>(factor * x))));
  }
  __device__ long long place_of(long long key) const {
    long long low = 0, high = n;
    while (low < high) {
      const long long middle = low + (high - low) / 2;
      if (keys[middle] < key)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/* Combines the rows of each bag: table (rows, columns) to out (bags, columns). */
template <class T> __global__ void embed(Bags<T> b) {
  using A = typename Bags<T>::A;
  for (long long item = first_item(); item < b.bags * b.columns; item += item_step()) {
    const long long bag = item / b.columns, column = item - bag * b.columns;
    const long long end = TOCHA_BAG_END(b, bag);
    long long size = 0, from = 0;
    A value = 0;
    for (long long i = TOCHA_BAG_BEGIN(b, bag); i < end; i++) {
      const long long row = b.row(i);
      if (row < 0) continue;
      const A x = b.element(row, column);
      const bool first = size++ == 0;
      if (b.mode != TOCHA_BAG_MAX) {
        value = b.joined(value, b.scale(i), x);
      } else if (first || x > value) {
        value = x;
        from = row;
      }
    }
    if (b.mode == TOCHA_BAG_MEAN && size > 1)
      value = convert<A>(convert<T>(value)) / convert<A>(convert<T>(static_cast<A>(size)));
    b.out[item] = convert<T>(value);
    if (b.from) b.from[item] = from;
    if (b.sizes && column == 0) b.sizes[bag] = size;
  }
}

/* Counts the rows of each bag, for tables without columns. */
template <class T> __global__ void count(Bags<T> b) {
  for (long long bag = first_item(); bag < b.bags; bag += item_step()) {
    const long long end = TOCHA_BAG_END(b, bag);
    long long size = 0;
    for (long long i = TOCHA_BAG_BEGIN(b, bag); i < end; i++) size += b.row(i) >= 0;
    b.sizes[bag] = size;
  }
}

/* Computes the gradient of the table (rows, columns) from that of the bags (bags, columns). */
template <class T> __global__ void embed_grad(Bags<T> b) {
  using A = typename Bags<T>::A;
  for (long long item = first_item(); item < b.rows * b.columns; item += item_step()) {
    const long long row = item / b.columns, column = item - row * b.columns;
    A sum = 0;
    if (row != b.padding)
      for (long long at = b.place_of(row); at < b.n && b.keys[at] == row; at++) {
        const long long i = b.order[at], bag = b.bag_of[i];
        if (!b.has_bag(i)) continue;
        sum = Bags<T>::stepped(sum, b.share(i, row, bag),
                               convert<A>(b.grad[bag * b.columns + column]));
      }
    b.out[item] = convert<T>(sum);
  }
}

/* Computes the gradient of the scales, a warp for each index. */
template <class T> __global__ void scale_grad(Bags<T> b) {
  using A = typename Bags<T>::A;
  const long long warps = static_cast<long long>(gridDim.x) * blockDim.y;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.y + threadIdx.y; i < b.n;
       i += warps) {
    const long long row = b.has_bag(i) ? b.row(i) : -1;
    A sum = 0;
    if (row >= 0)
      for (long long c = threadIdx.x; c < b.columns; c += 32)
        sum = fma(b.element(row, c), convert<A>(b.grad[b.bag_of[i] * b.columns + c]), sum);
    sum = block_joined(sum, Plus());
    if (threadIdx.x == 0) b.out[i] = convert<T>(sum);
  }
}

} // namespace

bool launch_bags(Stream *stream, const tocha_bag_args &args) {
  with_floating(args.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    const Bags<T> bags(stream, args);
    if (args.columns)
      LAUNCH(embed<T>, blocks_for(stream, args.bags * args.columns), BLOCK_THREADS, 0,
             stream->cuda(), bags);
    else if (args.sizes)
      LAUNCH(count<T>, blocks_for(stream, args.bags), BLOCK_THREADS, 0, stream->cuda(), bags);
  });
  return launched(stream);
}

bool launch_bags_grad(Stream *stream, const tocha_bag_args &args) {
  with_floating(args.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    LAUNCH(embed_grad<T>, blocks_for(stream, args.rows * args.columns), BLOCK_THREADS, 0,
           stream->cuda(), Bags<T>(stream, args));
  });
  return launched(stream);
}

bool launch_bags_scale_grad(Stream *stream, const tocha_bag_args &args) {
  with_floating(args.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    LAUNCH(scale_grad<T>, blocks_for(stream, args.n * 32), dim3(32, BLOCK_THREADS / 32), 0,
           stream->cuda(), Bags<T>(stream, args));
  });
  return launched(stream);
}

} // namespace tocha
