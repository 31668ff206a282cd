/* search.cu: finds the positions of values in sorted rows, or if they occur there, by bisection:
 * a thread for each value. */
#include "sorting/launch.h"
#include "common/launch.h"

namespace tocha {
namespace {

template <class T> struct Rows {
  const T *rows, *wanted;
  const long long *order;
  long long *out;
  bool *found;
  long long n, length, count;
  bool right, shared, invert, rest[5]; /* rest: fills a gap (kernel.h) */

  explicit Rows(const tocha_search_args &a)
      : rows(READ_ONLY(static_cast<const T *>(a.rows))),
        wanted(READ_ONLY(static_cast<const T *>(a.wanted))),
        order(READ_ONLY(reinterpret_cast<const long long *>(a.order))),
        out(reinterpret_cast<long long *>(a.out)), found(a.found), n(a.n), length(a.length),
        count(a.count), right(a.right), shared(a.shared), invert(a.invert), rest() {}

  /* Returns true if the position of y is after x. NaN is last in rows, and values are never
   * found after it. */
  __device__ bool comes_before(T x, T y) const {
    if (found) return x < y;
    return right ? !(x > y) : !(x >= y);
  }

  /* Returns element `i` of a row in sorted order. Another stream may write to `order`, so
   * invalid positions count as the last. */
  __device__ T element(long long row, long long i) const {
    const long long at = order ? order[row + i] : i;
    return rows[row + (at >= 0 && at < length ? at : length - 1)];
  }

  __device__ long long place_of(long long row, T y) const {
    long long low = 0, high = length;
    while (low < high) {
      const long long middle = low + (high - low) / 2;
      if (comes_before(element(row, middle), y))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/* Finds the position of one value per thread in a row of `length` elements, or if it occurs
 * there. */
template <class T> __global__ void search(Rows<T> a) {
  for (long long i = first_item(); i < a.n; i += item_step()) {
    const long long row = a.shared ? 0 : i / a.count * a.length;
    const T y = a.wanted[i];
    const long long place = a.place_of(row, y);
    if (a.found)
      a.found[i] = (place < a.length && a.rows[place] == y) != a.invert;
    else
      a.out[i] = place;
  }
}

template <class T> bool start(Stream *stream, const tocha_search_args &args) {
  LAUNCH(search<T>, blocks_for(stream, args.n), BLOCK_THREADS, 0, stream->cuda(), Rows<T>(args));
  return launched(stream);
}

} // namespace

bool launch_search(Stream *stream, const tocha_search_args &args) {
  return args.real ? start<double>(stream, args) : start<long long>(stream, args);
}

} // namespace tocha
