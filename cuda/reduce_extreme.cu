/* reduce_extreme.cu: the greatest or least element, and the first place where it is. A NaN is
 * greater and less than all else, and the first NaN wins. */
#include "reduce.h"

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
  __device__ void finish(const tocha_fold_job &j, long long output, State s) const {
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
  __device__ void finish(const tocha_fold_job &j, long long output, State s) const {
    if (j.out) put<A>(j, j.out, j.out_dtype, output, s.value);
    if (j.second) put<long long>(j, j.second, TOCHA_INT64, output, s.index);
  }
};

template <class A> bool position(Queue *q, const tocha_fold_job &job) {
  const Position<A> op = {job.max};
  if constexpr (std::is_same<A, float>::value)
    if (job.in_dtype == TOCHA_FLOAT32) return run_fold<Position<A>, float>(q, job, op);
  return run_fold<Position<A>, Runtime>(q, job, op);
}

template <class A, class In>
bool extreme(Queue *q, const tocha_fold_job &job, A lowest, A highest) {
  return run_fold<Extreme<A>, In>(q, job,
                                  {job.max, job.map == TOCHA_MAP_SIZE, job.max ? lowest : highest});
}

} // namespace

bool fold_extreme(Queue *q, const tocha_fold_job &job) {
  const float infinite = HUGE_VALF;
  const bool place = job.operation == TOCHA_FOLD_POSITION;
  if (job.compute == TOCHA_INT64)
    return place ? position<long long>(q, job)
                 : extreme<long long, Runtime>(q, job, INT64_MIN, INT64_MAX);
  if (job.compute == TOCHA_FLOAT64)
    return place ? position<double>(q, job) : extreme<double, Runtime>(q, job, -HUGE_VAL, HUGE_VAL);
  if (place) return position<float>(q, job);
  switch (job.in_dtype) {
  case TOCHA_FLOAT32:
    return extreme<float, float>(q, job, -infinite, infinite);
  case TOCHA_FLOAT16:
    return extreme<float, float16>(q, job, -infinite, infinite);
  case TOCHA_BFLOAT16:
    return extreme<float, bfloat16>(q, job, -infinite, infinite);
  default:
    return extreme<float, Runtime>(q, job, -infinite, infinite);
  }
}

} // namespace tocha
