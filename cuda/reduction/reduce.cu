/* reduce.cu: the entry of reductions, and the products; reduce_sum.cu, reduce_extreme.cu and
 * reduce_moments.cu have the others. */
#include "reduction/launch.h"
#include "reduction/reduce.h"

namespace tocha {
namespace {

template <class A> struct Product {
  using State = A;
  using Value = A;
  __device__ State start() const { return 1; }
  __device__ void add(State &s, A x, long long) const { s = join(s, x); }
  __device__ State join(State a, State b) const { return times(a, b); }
  __device__ void finish(const tocha_reduce_args &j, long long output, State s) const {
    put<A>(j, j.out, j.out_dtype, output, s);
  }
};

bool reduce_product(Stream *q, const tocha_reduce_args &args) {
  if (args.compute == TOCHA_FLOAT32) return run_reduce<Product<float>, Runtime>(q, args, {});
  if (args.compute == TOCHA_FLOAT64) return run_reduce<Product<double>, Runtime>(q, args, {});
  return run_reduce<Product<long long>, Runtime>(q, args, {});
}

} // namespace

bool launch_reduce(Stream *stream, const tocha_reduce_args &work) {
  switch (work.operation) {
  case TOCHA_REDUCE_SUM:
  case TOCHA_REDUCE_COUNT:
    return reduce_sum(stream, work);
  case TOCHA_REDUCE_PRODUCT:
    return reduce_product(stream, work);
  case TOCHA_REDUCE_EXTREME:
  case TOCHA_REDUCE_POSITION:
    return reduce_extreme(stream, work);
  default:
    return reduce_moments(stream, work);
  }
}

} // namespace tocha
