/* join.cu: sums, products, means and extremes of the elements that an index sends to the same
 * position. The index is sorted (stably), so that a thread finds all elements for its position
 * next to each other, in the order of the source: the same digits in every run, and as on the
 * CPU. */
#include "indexing/launch.h"
#include "common/launch.h"

namespace tocha {
namespace {

template <class T> struct Join {
  T *out;
  const T *src;
  const long long *index, *order;
  long long outer, n, m, inner;
  int how;
  bool narrow, fresh,
      rest[2]; /* narrow: rounded to float after each step; rest: fills a gap (kernel.h) */

  explicit Join(const tocha_join_args &a)
      : out(static_cast<T *>(a.out)), src(READ_ONLY(static_cast<const T *>(a.src))),
        index(READ_ONLY(reinterpret_cast<const long long *>(a.index))),
        order(READ_ONLY(reinterpret_cast<const long long *>(a.order))), outer(a.outer), n(a.n),
        m(a.m), inner(a.inner), how(a.how), narrow(a.dtype != TOCHA_FLOAT64), fresh(a.fresh),
        rest() {}

  /* Returns the position of the first index of the column that is not below k. */
  __device__ long long place_of(long long column, long long k) const {
    long long low = 0, high = m;
    while (low < high) {
      const long long middle = low + (high - low) / 2;
      if (index[column + middle * inner] < k)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  __device__ double joined(double a, double b) const {
    double r = how == TOCHA_JOIN_PROD ? a * b : a + b;
    if (how == TOCHA_JOIN_AMAX) r = a != a || a > b ? a : b;
    if (how == TOCHA_JOIN_AMIN) r = a != a || a < b ? a : b;
    return narrow ? static_cast<double>(static_cast<float>(r)) : r;
  }

  __device__ long long joined(long long a, long long b) const {
    if (how == TOCHA_JOIN_AMAX) return a > b ? a : b;
    if (how == TOCHA_JOIN_AMIN) return a < b ? a : b;
    const unsigned long long x = static_cast<unsigned long long>(a),
                             y = static_cast<unsigned long long>(b);
    return static_cast<long long>(how == TOCHA_JOIN_PROD ? x * y : x + y);
  }

  __device__ static double divided(double sum, long long count) {
    return sum / static_cast<double>(count);
  }
  __device__ static long long divided(long long sum, long long count) {
    return sum / count - (sum % count < 0);
  }
};

/* Joins the elements of src (outer, m, inner) into out (outer, n, inner), a thread for each
 * element of out. */
template <class T> __global__ void join(Join<T> j) {
  for (long long item = first_item(); item < j.outer * j.n * j.inner; item += item_step()) {
    const long long line = item / j.inner, i = item - line * j.inner, o = line / j.n;
    const long long k = line - o * j.n, column = o * j.m * j.inner + i;
    T value = j.out[item];
    long long count = j.fresh ? 0 : 1;
    for (long long at = j.place_of(column, k); at < j.m; at++) {
      const long long element = column + at * j.inner;
      if (j.index[element] != k) break;
      const T x = j.src[column + j.order[element] * j.inner];
      value = count ? j.joined(value, x) : x;
      count++;
    }
    if (j.how == TOCHA_JOIN_MEAN && count > 1) value = Join<T>::divided(value, count);
    j.out[item] = value;
  }
}

template <class T> bool start(Stream *stream, const tocha_join_args &args) {
  LAUNCH(join<T>, blocks_for(stream, args.outer * args.n * args.inner), BLOCK_THREADS, 0,
         stream->cuda(), Join<T>(args));
  return launched(stream);
}

} // namespace

bool launch_join(Stream *stream, const tocha_join_args &args) {
  return is_floating(args.dtype) ? start<double>(stream, args) : start<long long>(stream, args);
}

} // namespace tocha
