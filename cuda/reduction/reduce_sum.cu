/* reduce_sum.cu: sums, means, norms, counts. Sums of float32 and the 16-bit types run in float32:
 * four sums a thread, joined as a tree. */
#include "reduction/reduce.h"

namespace tocha {
namespace {

template <class A>
__device__ inline void finish_sum(const tocha_reduce_args &j, long long output, A sum) {
  if constexpr (std::is_floating_point<A>::value) {
    switch (j.end) {
    case TOCHA_FINAL_MEAN:
      sum /= static_cast<A>(j.count);
      break;
    case TOCHA_FINAL_ROOT:
      sum = sqrt(sum);
      break;
    case TOCHA_FINAL_POWER:
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
  __device__ void finish(const tocha_reduce_args &j, long long output, State s) const {
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
    case TOCHA_MAP_ABS:
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
  __device__ void finish(const tocha_reduce_args &j, long long output, State s) const {
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
  __device__ void finish(const tocha_reduce_args &j, long long output, State s) const {
    if (j.end == TOCHA_FINAL_ALL) s = s == j.count;
    if (j.end == TOCHA_FINAL_ANY) s = s > 0;
    put<long long>(j, j.out, j.out_dtype, output, s);
  }
};

bool reduce_count(Stream *q, const tocha_reduce_args &args) {
  if (is_floating(args.in_dtype)) return run_reduce<Count<double>, Runtime>(q, args, {});
  if (args.in_dtype == TOCHA_BOOL || args.in_dtype == TOCHA_UINT8)
    return run_reduce<Count<int>, unsigned char>(q, args, {});
  return run_reduce<Count<long long>, Runtime>(q, args, {});
}

bool reduce_mapped(Stream *q, const tocha_reduce_args &args) {
  if (args.compute == TOCHA_FLOAT64)
    return run_reduce<MappedSum<double>, Runtime>(q, args, {args.map, args.number});
  MappedSum<float> op = {args.map, static_cast<float>(args.number)};
  return args.in_dtype == TOCHA_FLOAT32 ? run_reduce<MappedSum<float>, float>(q, args, op)
                                        : run_reduce<MappedSum<float>, Runtime>(q, args, op);
}

bool reduce_integers(Stream *q, const tocha_reduce_args &args) {
  if (args.in_dtype == TOCHA_INT64) return run_reduce<Sum<long long>, long long>(q, args, {});
  if (args.in_dtype == TOCHA_BOOL || args.in_dtype == TOCHA_UINT8)
    return run_reduce<Sum<long long>, unsigned char>(q, args, {});
  return run_reduce<Sum<long long>, Runtime>(q, args, {});
}

} // namespace

bool reduce_sum(Stream *q, const tocha_reduce_args &args) {
  if (args.operation == TOCHA_REDUCE_COUNT) return reduce_count(q, args);
  if (args.map != TOCHA_MAP_NONE) return reduce_mapped(q, args);
  if (args.compute == TOCHA_INT64) return reduce_integers(q, args);
  if (args.compute == TOCHA_FLOAT64)
    return args.in_dtype == TOCHA_FLOAT64 ? run_reduce<Sum<double>, double>(q, args, {})
                                          : run_reduce<Sum<double>, Runtime>(q, args, {});
  switch (args.in_dtype) {
  case TOCHA_FLOAT32:
    return run_reduce<Sum<float>, float>(q, args, {});
  case TOCHA_FLOAT16:
    return run_reduce<Sum<float>, float16>(q, args, {});
  case TOCHA_BFLOAT16:
    return run_reduce<Sum<float>, bfloat16>(q, args, {});
  default:
    return run_reduce<Sum<float>, Runtime>(q, args, {});
  }
}

} // namespace tocha
