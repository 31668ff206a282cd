/* distance.cu: the distances between rows of two tensors (rows, columns) and (others, columns):
 * a thread for each pair. */
#include "reduction/launch.h"
#include "common/launch.h"
#include "ops/reduction/pairs.h"

namespace tocha {
namespace {

enum Norm { COUNT, SUM, EUCLID, GREATEST, POWER };

template <class T> struct Distance {
  const T *x1, *x2;
  T *out;
  long long outputs, rows, others, columns;
  double p;
  int norm, pairs; /* int, so that there is no gap (kernel.h) */

  explicit Distance(const tocha_distance_args &a)
      : x1(READ_ONLY(static_cast<const T *>(a.x1))), x2(READ_ONLY(static_cast<const T *>(a.x2))),
        out(static_cast<T *>(a.out)), outputs(a.outputs), rows(a.rows), others(a.others),
        columns(a.columns), p(a.p), norm(a.p == 0     ? COUNT
                                         : a.p == 1   ? SUM
                                         : a.p == 2   ? EUCLID
                                         : isinf(a.p) ? GREATEST
                                                      : POWER),
        pairs(a.pairs) {}

  __device__ double added(double sum, double x) const {
    switch (norm) {
    case COUNT:
      return sum + (x != 0);
    case SUM:
      return sum + x;
    case EUCLID:
      return sum + x * x;
    case GREATEST:
      return x > sum || x != x ? x : sum;
    default:
      return sum + pow(x, p);
    }
  }

  __device__ double of(long long a, long long b) const {
    double sum = 0;
    for (long long i = 0; i < columns; i++)
      sum = added(sum, fabs(static_cast<double>(x1[a + i] - x2[b + i])));
    return norm == EUCLID ? sqrt(sum) : norm == POWER ? pow(sum, 1 / p) : sum;
  }
};

/* Computes one distance per thread. */
template <class T> __global__ void distances(Distance<T> d) {
  for (long long i = first_item(); i < d.outputs; i += item_step()) {
    int64_t row = i / d.others, other = row / d.rows * d.others + i % d.others;
    if (d.pairs) tocha_pair_of(d.rows, i, &row, &other);
    d.out[i] = static_cast<T>(d.of(row * d.columns, other * d.columns));
  }
}

template <class T> bool start(Stream *stream, const tocha_distance_args &args) {
  LAUNCH(distances<T>, blocks_for(stream, args.outputs), BLOCK_THREADS, 0, stream->cuda(),
         Distance<T>(args));
  return launched(stream);
}

} // namespace

bool launch_distance(Stream *stream, const tocha_distance_args &args) {
  return args.wide ? start<double>(stream, args) : start<float>(stream, args);
}

} // namespace tocha
