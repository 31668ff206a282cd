/* position.cu: the maximum or minimum element, and its first position. A NaN counts as the
 * maximum and as the minimum, and the first NaN wins. */
#include "reduction/reduce.h"

namespace tocha {
namespace {

/* Returns true if x replaces y. */
template <class A> __device__ inline bool beats(bool max, A x, A y) {
  return (max ? x > y : x < y) || (x != x && y == y);
}

template <class A> struct Position {
  enum { integers = true };
  struct State {
    A value;
    long long index; /* -1: none yet */
  };
  using Value = A;
  int max;
  __device__ State start() const { return {A(0), -1}; }
  /* Keeps the first of equal elements. A thread visits indices in ascending order, but its four
   * states interleave, so join compares indices too. */
  __device__ void add(State &s, A x, long long index) const {
    if (s.index < 0 || beats(max, x, s.value)) s = {x, index};
  }
  __device__ State join(State a, State b) const {
    if (b.index < 0) return a;
    if (a.index < 0 || beats(max, b.value, a.value)) return b;
    bool same = a.value == b.value || (a.value != a.value && b.value != b.value);
    return same && b.index < a.index ? b : a;
  }
  __device__ void finish(const ReducePlan &plan, long long output, State s) const {
    if (plan.out) put<A>(plan, plan.out, plan.out_dtype, output, s.value);
    if (plan.second) put<long long>(plan, plan.second, TOCHA_INT64, output, s.index);
  }
};

} // namespace

bool reduce_position(Stream *stream, const ReducePlan &plan) {
  return start<Position>(
      stream, plan, [&](auto type) { return Position<typename decltype(type)::type>{plan.max}; });
}

} // namespace tocha
