/* reduce_extreme.cu: the greatest or least element, and the first place where it is. A NaN is
 * greater and less than all else, and the first NaN wins. */
#include "reduction/reduce.h"

namespace tocha {
namespace {

/* Whether x replaces y. */
template <class A> __device__ inline bool beats(bool max, A x, A y) {
  return (max ? x > y : x < y) || (x != x && y == y);
}

template <class A> struct Extreme {
  using State = A;
  using Value = A;
  int max, sizes; /* sizes: of |x| */
  A worst;
  __device__ State start() const { return worst; }
  __device__ void add(State &s, A x, long long) const {
    if (sizes) x = x < 0 ? -x : x;
    if (beats(max, x, s)) s = x;
  }
  __device__ State join(State a, State b) const { return beats(max, b, a) ? b : a; }
  __device__ void finish(const tocha_reduce_args &j, long long output, State s) const {
    put<A>(j, j.out, j.out_dtype, output, s);
  }
};

template <class A> struct Position {
  struct State {
    A value;
    long long index; /* -1: none yet */
  };
  using Value = A;
  int max;
  __device__ State start() const { return {A(0), -1}; }
  /* A thread meets indices in ascending order, but its four states interleave: equal ones keep the
   * first by index. */
  __device__ void add(State &s, A x, long long index) const {
    if (s.index < 0 || beats(max, x, s.value)) s = {x, index};
  }
  __device__ State join(State a, State b) const {
    if (b.index < 0) return a;
    if (a.index < 0 || beats(max, b.value, a.value)) return b;
    bool same = a.value == b.value || (a.value != a.value && b.value != b.value);
    return same && b.index < a.index ? b : a;
  }
  __device__ void finish(const tocha_reduce_args &j, long long output, State s) const {
    if (j.out) put<A>(j, j.out, j.out_dtype, output, s.value);
    if (j.second) put<long long>(j, j.second, TOCHA_INT64, output, s.index);
  }
};

template <class A> bool position(Stream *q, const tocha_reduce_args &args) {
  const Position<A> op = {args.max};
  if constexpr (std::is_same<A, float>::value)
    if (args.in_dtype == TOCHA_FLOAT32) return run_reduce<Position<A>, float>(q, args, op);
  return run_reduce<Position<A>, Runtime>(q, args, op);
}

template <class A, class In>
bool extreme(Stream *q, const tocha_reduce_args &args, A lowest, A highest) {
  return run_reduce<Extreme<A>, In>(
      q, args, {args.max, args.map == TOCHA_MAP_ABS, args.max ? lowest : highest});
}

} // namespace

bool reduce_extreme(Stream *q, const tocha_reduce_args &args) {
  const float infinite = HUGE_VALF;
  const bool place = args.operation == TOCHA_REDUCE_POSITION;
  if (args.compute == TOCHA_INT64)
    return place ? position<long long>(q, args)
                 : extreme<long long, Runtime>(q, args, INT64_MIN, INT64_MAX);
  if (args.compute == TOCHA_FLOAT64)
    return place ? position<double>(q, args)
                 : extreme<double, Runtime>(q, args, -HUGE_VAL, HUGE_VAL);
  if (place) return position<float>(q, args);
  switch (args.in_dtype) {
  case TOCHA_FLOAT32:
    return extreme<float, float>(q, args, -infinite, infinite);
  case TOCHA_FLOAT16:
    return extreme<float, float16>(q, args, -infinite, infinite);
  case TOCHA_BFLOAT16:
    return extreme<float, bfloat16>(q, args, -infinite, infinite);
  default:
    return extreme<float, Runtime>(q, args, -infinite, infinite);
  }
}

} // namespace tocha
