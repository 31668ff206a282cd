/* weigh.cu: computes elements of (outer, n, inner) as weighted sums of a few elements along n, a
 * thread for each. */
#include "common/launch.h"
#include "resampling/launch.h"

namespace tocha {
namespace {

/* Computes out (outer, n, inner) from in, with the weights of each position along n. */
template <class T>
__global__ void weigh(const tocha_weigh_args a, const T *in, const T *weights, T *out) {
  const long long n = a.outer * a.n * a.inner;
  for (long long item = first_item(); item < n; item += item_step()) {
    const long long j = item % a.inner, i = item / a.inner % a.n, o = item / a.inner / a.n;
    const T *x = in + o * a.from * a.inner + j;
    T sum = 0;
    for (long long k = 0; k < a.count; k++) {
      const T weight = weights[k * a.n + i], value = x[a.positions[k * a.n + i] * a.inner];
      sum = fma(value, weight, sum);
    }
    out[item] = sum;
  }
}

template <class T> void start(Stream *stream, tocha_weigh_args a) {
  a.positions = READ_ONLY(a.positions);
  LAUNCH((weigh<T>), blocks_for(stream, a.outer * a.n * a.inner), BLOCK_THREADS, 0, stream->cuda(),
         a, static_cast<const T *>(a.in), static_cast<const T *>(a.weights),
         static_cast<T *>(a.out));
}

} // namespace

bool launch_weigh(Stream *stream, const tocha_weigh_args &args) {
  if (args.dtype == TOCHA_FLOAT64)
    start<double>(stream, args);
  else
    start<float>(stream, args);
  return launched(stream);
}

} // namespace tocha
