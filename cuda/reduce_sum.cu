/* reduce_sum.cu: sums, means, norms, counts. Sums of float32 and the 16-bit types run in float32:
 * four sums a thread, joined as a tree. */
#include "reduce.h"

namespace tocha {
namespace {

template <class A>
__device__ inline void finish_sum(const tocha_fold_job &j, long long output, A sum) {
  if constexpr (std::is_floating_point<A>::value) {
    switch (j.end) {
    case TOCHA_END_MEAN:
      sum /= static_cast<A>(j.count);
      break;
    case TOCHA_END_ROOT:
      sum = sqrt(sum);
      break;
    case TOCHA_END_POWER:
      sum = pow(sum, static_cast<A>(1 / j.number));
      break;
    default:
      break;
    }
  }
  put<A>(j, j.out, j.out_dtype, output, sum);
}

template <class A> struct Sum {
  using State = A;
  using Value = A;
  __device__ State start() const { return 0; }
  __device__ void add(State &s, A x, long long) const { s = plus(s, x); }
  __device__ State join(State a, State b) const { return plus(a, b); }
  __device__ void finish(const tocha_fold_job &j, long long output, State s) const {
    finish_sum<A>(j, output, s);
  }
};

/* Of a function of each element. */
template <class A> struct MappedSum {
  using State = A;
  using Value = A;
  int map;
  A power;
  __device__ State start() const { return 0; }
  __device__ void add(State &s, A x, long long) const {
    switch (map) {
    case TOCHA_MAP_NO_NAN:
      s += x == x ? x : 0;
      break;
    case TOCHA_MAP_SIZE:
      s += fabs(x);
      break;
    case TOCHA_MAP_SQUARE:
      s += x * x;
      break;
    default:
      s += pow(fabs(x), power);
    }
  }
  __device__ State join(State a, State b) const { return a + b; }
  __device__ void finish(const tocha_fold_job &j, long long output, State s) const {
    finish_sum<A>(j, output, s);
  }
};

/* V: what elements are read as to be compared with zero. */
template <class V> struct Count {
  using State = long long;
  using Value = V;
  __device__ State start() const { return 0; }
  __device__ void add(State &s, V x, long long) const { s += x != 0; }
  __device__ State join(State a, State b) const { return a + b; }
  __device__ void finish(const tocha_fold_job &j, long long output, State s) const {
    if (j.end == TOCHA_END_ALL) s = s == j.count;
    if (j.end == TOCHA_END_ANY) s = s > 0;
    put<long long>(j, j.out, j.out_dtype, output, s);
  }
};

bool fold_count(Queue *q, const tocha_fold_job &job) {
  if (is_floating(job.in_dtype)) return run_fold<Count<double>, Runtime>(q, job, {});
  if (job.in_dtype == TOCHA_BOOL || job.in_dtype == TOCHA_UINT8)
    return run_fold<Count<int>, unsigned char>(q, job, {});
  return run_fold<Count<long long>, Runtime>(q, job, {});
}

bool fold_mapped(Queue *q, const tocha_fold_job &job) {
  if (job.compute == TOCHA_FLOAT64)
    return run_fold<MappedSum<double>, Runtime>(q, job, {job.map, job.number});
  MappedSum<float> op = {job.map, static_cast<float>(job.number)};
  return job.in_dtype == TOCHA_FLOAT32 ? run_fold<MappedSum<float>, float>(q, job, op)
                                       : run_fold<MappedSum<float>, Runtime>(q, job, op);
}

bool fold_integers(Queue *q, const tocha_fold_job &job) {
  if (job.in_dtype == TOCHA_INT64) return run_fold<Sum<long long>, long long>(q, job, {});
  if (job.in_dtype == TOCHA_BOOL || job.in_dtype == TOCHA_UINT8)
    return run_fold<Sum<long long>, unsigned char>(q, job, {});
  return run_fold<Sum<long long>, Runtime>(q, job, {});
}

} // namespace

bool fold_sum(Queue *q, const tocha_fold_job &job) {
  if (job.operation == TOCHA_FOLD_COUNT) return fold_count(q, job);
  if (job.map != TOCHA_MAP_NONE) return fold_mapped(q, job);
  if (job.compute == TOCHA_INT64) return fold_integers(q, job);
  if (job.compute == TOCHA_FLOAT64)
    return job.in_dtype == TOCHA_FLOAT64 ? run_fold<Sum<double>, double>(q, job, {})
                                         : run_fold<Sum<double>, Runtime>(q, job, {});
  switch (job.in_dtype) {
  case TOCHA_FLOAT32:
    return run_fold<Sum<float>, float>(q, job, {});
  case TOCHA_FLOAT16:
    return run_fold<Sum<float>, float16>(q, job, {});
  case TOCHA_BFLOAT16:
    return run_fold<Sum<float>, bfloat16>(q, job, {});
  default:
    return run_fold<Sum<float>, Runtime>(q, job, {});
  }
}

} // namespace tocha
