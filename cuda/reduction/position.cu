/* position.cu: the maximum or minimum element, and its first position. A NaN counts as the
 * maximum and as the minimum, and the first NaN wins. */
#include "reduction/reduce.h"

namespace tocha {
namespace {

/* Returns true if x replaces y. */
template <class A> __device__ inline bool beats(bool max, A x, A y) {
  return !(max ? x <= y : x >= y) && y == y; /* one comparison also finds that x is a NaN */
}

template <class A> __device__ inline A farthest(bool highest) {
  if constexpr (std::is_floating_point<A>::value)
    return static_cast<A>(highest ? HUGE_VALF : -HUGE_VALF);
  else
    return highest ? INT64_MAX : INT64_MIN;
}

/* Returns the index of a state that no element has changed. If that is so for all states, all
 * elements equal the value that a state starts with, and the first of them is the answer. */
template <class I> __device__ constexpr I none() {
  return std::is_same<I, unsigned>::value ? static_cast<I>(~0u) : static_cast<I>(INT64_MAX);
}

/* An element and its index, which a thread counts from the beginning of the block's part: then I
 * is unsigned, which takes fewer registers. */
template <class A, class I> struct Placed {
  A value;
  I index;
};

template <class A> struct Position {
  enum { integers = true };
  using Near = Placed<A, unsigned>;
  using State = Placed<A, long long>;
  using Value = A;
  int max;
  __device__ Near start() const { return {farthest<A>(!max), none<unsigned>()}; }
  /* Keeps the first of equal elements. A thread visits indices in ascending order, but its four
   * states interleave, so join compares indices too. */
  __device__ void add(Near &s, A x, unsigned index) const {
    if (beats(max, x, s.value)) s = {x, index};
  }
  __device__ State place(Near s, long long begin) const {
    return {s.value, s.index == none<unsigned>() ? none<long long>() : s.index + begin};
  }
  template <class I> __device__ Placed<A, I> join(Placed<A, I> a, Placed<A, I> b) const {
    if (beats(max, b.value, a.value)) return b;
    bool same = a.value == b.value || (a.value != a.value && b.value != b.value);
    return same && b.index < a.index ? b : a;
  }
  __device__ void finish(const ReducePlan &plan, long long output, State s) const {
    if (plan.out) put<A>(plan, plan.out, plan.out_dtype, output, s.value);
    const long long index = s.index == none<long long>() ? 0 : s.index;
    if (plan.second) put<long long>(plan, plan.second, TOCHA_INT64, output, index);
  }
};

} // namespace

bool reduce_position(Stream *stream, const ReducePlan &plan) {
  return start<Position>(
      stream, plan, [&](auto type) { return Position<typename decltype(type)::type>{plan.max}; });
}

} // namespace tocha
