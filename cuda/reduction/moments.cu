/* moments.cu: variance with mean in one pass, and log sum exp. */
#include "common/moments.h"
#include "reduction/exp_sum.h"
#include "reduction/reduce.h"

namespace tocha {
namespace {

/* Welford's algorithm (1962) for each thread. */
template <class A> struct Variance {
  enum { integers = false };
  using State = Moments<A>;
  using Value = A;
  __device__ State start() const { return {0, 0, 0}; }
  __device__ void add(State &s, A x, long long) const {
    A delta = x - s.mean;
    s.count += 1;
    s.mean += delta / s.count;
    s.squares += delta * (x - s.mean);
  }
  __device__ State join(State a, State b) const { return JoinMoments()(a, b); }
  __device__ void finish(const ReducePlan &plan, long long output, State s) const {
    double left = static_cast<double>(plan.count) - plan.number;
    A value = s.squares / static_cast<A>(left > 0 ? left : 0);
    if (plan.count == 0) value = s.mean = static_cast<A>(NAN);
    if (plan.finish == TOCHA_FINISH_ROOT) value = sqrt(value);
    put<A>(plan, plan.out, plan.out_dtype, output, value);
    if (plan.second) put<A>(plan, plan.second, plan.second_dtype, output, s.mean);
  }
};

template <class A> struct LogSumExp {
  enum { integers = false };
  using State = ExpSum<A>;
  using Value = A;
  __device__ State start() const { return State::none(); }
  __device__ void add(State &s, A x, long long) const { s.add(x); }
  __device__ State join(State a, State b) const { return joined(a, b); }
  __device__ void finish(const ReducePlan &plan, long long output, State s) const {
    bool infinite = s.top - s.top != 0 && s.sum == s.sum;
    put<A>(plan, plan.out, plan.out_dtype, output, infinite ? s.top : s.top + log(s.sum));
  }
};

} // namespace

bool reduce_variance(Stream *stream, const ReducePlan &plan) {
  return start<Variance>(stream, plan,
                         [](auto type) { return Variance<typename decltype(type)::type>{}; });
}

bool reduce_log_sum_exp(Stream *stream, const ReducePlan &plan) {
  return start<LogSumExp>(stream, plan,
                          [](auto type) { return LogSumExp<typename decltype(type)::type>{}; });
}

} // namespace tocha
