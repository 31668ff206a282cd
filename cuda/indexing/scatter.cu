/* scatter.cu: adds rows to positions given by keys, with the same sums in every run: the keys
 * are sorted (stably), and the rows of each distinct key are summed in order, in parts of
 * TOCHA_ACCUMULATE_PART keys.
 *
 * A thread has one part and one lane (element of a row). Sums that begin and end within a part
 * are added to their targets at once. The other sums of a part are stored: its head, which
 * belongs to a key that began earlier, and its tail, whose key continues in the next part. A
 * second kernel joins tails with the heads that follow. */
#include "indexing/launch.h"
#include "common/launch.h"

namespace tocha {
namespace {

constexpr int FLIGHT = 4; /* elements that a thread reads before it uses the first */

struct Integer {}; /* stands for elements of any integer type or bool, known at run time */

template <class T> struct Sum { using type = typename Arithmetic<T>::type; };
template <> struct Sum<Integer> { using type = long long; };

template <class T> struct Elements {
  using A = typename Sum<T>::type;
  static __device__ A read(const char *at, int) {
    return convert<A>(*reinterpret_cast<const T *>(at));
  }
  static __device__ void add(char *at, int, A x) {
    T *to = reinterpret_cast<T *>(at);
    *to = convert<T>(convert<A>(*to) + x);
  }
};
template <> struct Elements<Integer> {
  using A = long long;
  static __device__ A read(const char *at, int dtype) { return load<long long>(at, dtype); }
  static __device__ void add(char *at, int dtype, A x) {
    store<long long>(at, dtype, load<long long>(at, dtype) + x);
  }
};

template <class A> struct Task {
  const void *keys;
  const long long *order;
  const char *values;
  char *target;
  A *heads, *tails; /* [part][lane] */
  long long n, unit, row, lanes;
  A scale[8 / sizeof(A)]; /* only the first counts; a whole word, so that there is no gap */
  int dtype, wide;        /* wide: keys are int64 */

  __device__ long long key(long long i) const {
    return wide ? static_cast<const long long *>(keys)[i] : static_cast<const int *>(keys)[i];
  }
};

/* Sums the values of one part and lane (parts, lanes) per thread. */
template <class T>
__global__ void add_parts(Offsets<unsigned long long, 2> offsets, Task<typename Sum<T>::type> t) {
  using A = typename Sum<T>::type;
  long long parts = (t.n + TOCHA_ACCUMULATE_PART - 1) / TOCHA_ACCUMULATE_PART;
  for (long long item = first_item(); item < parts * t.lanes; item += item_step()) {
    long long part = item / t.lanes, lane = item - part * t.lanes;
    long long begin = part * TOCHA_ACCUMULATE_PART, end = begin + TOCHA_ACCUMULATE_PART;
    if (end > t.n) end = t.n;
    unsigned long long at[2];
    offsets.at(static_cast<unsigned long long>(lane), at);
    const char *values = t.values + at[1];
    char *target = t.target + at[0];
    long long key = t.key(begin);
    bool began_earlier = begin > 0 && t.key(begin - 1) == key;
    A sum = 0;
    for (long long first = begin; first < end; first += FLIGHT) {
      long long keys[FLIGHT];
      A elements[FLIGHT];
      UNROLL for (int k = 0; k < FLIGHT; k++) {
        if (first + k >= end) continue;
        keys[k] = t.key(first + k);
        elements[k] = Elements<T>::read(values + t.order[first + k] * t.row, t.dtype);
      }
      UNROLL for (int k = 0; k < FLIGHT; k++) {
        if (first + k >= end) continue;
        if (keys[k] != key) {
          if (began_earlier)
            t.heads[item] = sum;
          else
            Elements<T>::add(target + key * t.unit, t.dtype, t.scale[0] * sum);
          began_earlier = false;
          key = keys[k];
          sum = 0;
        }
        sum += elements[k];
      }
    }
    if (began_earlier)
      t.heads[item] = sum;
    else if (end < t.n && t.key(end) == key)
      t.tails[item] = sum;
    else
      Elements<T>::add(target + key * t.unit, t.dtype, t.scale[0] * sum);
  }
}

/* Joins the tails (parts, lanes) with the heads that follow. */
template <class T>
__global__ void cat_parts(Offsets<unsigned long long, 2> offsets, Task<typename Sum<T>::type> t) {
  using A = typename Sum<T>::type;
  long long parts = (t.n + TOCHA_ACCUMULATE_PART - 1) / TOCHA_ACCUMULATE_PART;
  for (long long item = first_item(); item < (parts - 1) * t.lanes; item += item_step()) {
    long long part = item / t.lanes, lane = item - part * t.lanes;
    long long begin = part * TOCHA_ACCUMULATE_PART, end = begin + TOCHA_ACCUMULATE_PART;
    long long key = t.key(end - 1);
    if (t.key(end) != key) continue;                    /* no key continues */
    if (begin > 0 && t.key(begin - 1) == key) continue; /* the key began in an earlier part */
    A sum = t.tails[item];
    for (long long next = part + 1; next < parts; next++) {
      long long last = (next + 1) * TOCHA_ACCUMULATE_PART;
      sum += t.heads[next * t.lanes + lane];
      if (last >= t.n || t.key(last - 1) != key || t.key(last) != key) break;
    }
    unsigned long long at[2];
    offsets.at(static_cast<unsigned long long>(lane), at);
    Elements<T>::add(t.target + at[0] + key * t.unit, t.dtype, t.scale[0] * sum);
  }
}

template <class T> void start(Stream *stream, const tocha_accumulate_args &args) {
  using A = typename Sum<T>::type;
  long long lanes = args.lanes->numel;
  long long parts = (args.n + TOCHA_ACCUMULATE_PART - 1) / TOCHA_ACCUMULATE_PART;
  Task<A> t = {};
  t.keys = READ_ONLY(args.keys);
  t.order = READ_ONLY(reinterpret_cast<const long long *>(args.order));
  t.target = static_cast<char *>(args.lanes->data[0]);
  t.values = READ_ONLY(static_cast<const char *>(args.lanes->data[1]));
  t.heads = static_cast<A *>(args.partial);
  t.tails = t.heads ? t.heads + parts * lanes : nullptr;
  t.n = args.n;
  t.unit = args.unit;
  t.row = args.row;
  t.lanes = lanes;
  t.scale[0] =
      std::is_integral<A>::value ? static_cast<A>(args.integer_scale) : static_cast<A>(args.scale);
  t.dtype = args.lanes->dtype[0];
  t.wide = args.wide;
  Offsets<unsigned long long, 2> offsets(*args.lanes);
  LAUNCH(add_parts<T>, blocks_for(stream, parts * lanes), BLOCK_THREADS, 0, stream->cuda(), offsets,
         t);
  if (parts > 1)
    LAUNCH(cat_parts<T>, blocks_for(stream, (parts - 1) * lanes), BLOCK_THREADS, 0, stream->cuda(),
           offsets, t);
}

} // namespace

bool launch_accumulate(Stream *stream, const tocha_accumulate_args &args) {
  const int dtype = args.lanes->dtype[0];
  if (is_floating(dtype))
    with_floating(dtype, [&](auto t) { start<typename decltype(t)::type>(stream, args); });
  else
    start<Integer>(stream, args);
  return launched(stream);
}

} // namespace tocha
