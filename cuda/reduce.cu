/* reduce.cu: the entry of reductions, and the products; reduce_sum.cu, reduce_extreme.cu and
 * reduce_moments.cu have the others. */
#include "reduce.h"

namespace tocha {
namespace {

template <class A> struct Product {
  using State = A;
  using Value = A;
  __device__ State start() const { return 1; }
  __device__ void add(State &s, A x, long long) const { s = join(s, x); }
  __device__ State join(State a, State b) const { return times(a, b); }
  __device__ void finish(const tocha_fold_job &j, long long output, State s) const {
    put<A>(j, j.out, j.out_dtype, output, s);
  }
};

bool fold_product(Queue *q, const tocha_fold_job &job) {
  if (job.compute == TOCHA_FLOAT32) return run_fold<Product<float>, Runtime>(q, job, {});
  if (job.compute == TOCHA_FLOAT64) return run_fold<Product<double>, Runtime>(q, job, {});
  return run_fold<Product<long long>, Runtime>(q, job, {});
}

} // namespace

bool launch_fold(Queue *queue, const tocha_fold_job &work) {
  switch (work.operation) {
  case TOCHA_FOLD_SUM:
  case TOCHA_FOLD_COUNT:
    return fold_sum(queue, work);
  case TOCHA_FOLD_PRODUCT:
    return fold_product(queue, work);
  case TOCHA_FOLD_EXTREME:
  case TOCHA_FOLD_POSITION:
    return fold_extreme(queue, work);
  default:
    return fold_moments(queue, work);
  }
}

} // namespace tocha
