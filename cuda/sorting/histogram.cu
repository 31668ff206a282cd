/* histogram.cu: counts the elements in each of several equal bins, and finds the range of
 * integers. All counts are integers, so the order in which blocks add theirs does not show. */
#include "sorting/launch.h"
#include "common/block.h"
#include "common/launch.h"

namespace tocha {
namespace {

constexpr int SHARED_BINS = 2048; /* up to this number, a block first counts for itself */

/* Returns the bin of x, or -1. Computes in the elements' own precision, and multiplies before it
 * divides, as on the CPU. */
template <class T> __device__ long long bin_of(double x, double low, double high, long long bins) {
  const T element = static_cast<T>(x), minimum = static_cast<T>(low),
          maximum = static_cast<T>(high);
  if (!(element >= minimum && element <= maximum)) return -1;
  const double place = (element - minimum) * static_cast<T>(bins) / (maximum - minimum);
  if (place >= static_cast<double>(bins)) return bins - 1;
  return place > 0 ? static_cast<long long>(place) : 0; /* NaN if the bins have no width */
}

/* Counts n elements in `bins` bins. */
__global__ void count_bins(const void *in, int dtype, long long n, long long bins, double low,
                           double high, unsigned long long *counts) {
  SHARED(unsigned, own_counts, [SHARED_BINS]);
  const bool shares = bins <= SHARED_BINS;
  const int bytes = item_bytes(dtype);
  if (shares) {
    for (int b = static_cast<int>(threadIdx.x); b < bins; b += static_cast<int>(blockDim.x))
      own_counts[b] = 0;
    __syncthreads();
  }
  for (long long i = first_item(); i < n; i += item_step()) {
    const double x = load<double>(static_cast<const char *>(in) + i * bytes, dtype);
    long long bin = dtype == TOCHA_FLOAT64 ? bin_of<double>(x, low, high, bins)
                                           : bin_of<float>(x, low, high, bins);
    if (bin < 0) continue;
    if (shares)
      atomicAdd(&own_counts[bin], 1u);
    else
      atomicAdd(&counts[bin], 1ull);
  }
  if (!shares) return;
  __syncthreads();
  for (int b = static_cast<int>(threadIdx.x); b < bins; b += static_cast<int>(blockDim.x))
    if (own_counts[b]) atomicAdd(&counts[b], static_cast<unsigned long long>(own_counts[b]));
}

__global__ void begin_range(const long long *in, long long *range) { range[0] = range[1] = in[0]; }

/* Widens range[0]..range[1] to include n integers. */
__global__ void widen_range(const long long *in, long long n, long long *range) {
  long long minimum = in[0], maximum = in[0];
  for (long long i = first_item(); i < n; i += item_step()) {
    minimum = in[i] < minimum ? in[i] : minimum;
    maximum = in[i] > maximum ? in[i] : maximum;
  }
  maximum = block_joined(maximum, Greater());
  minimum = block_joined(minimum, [](long long a, long long b) { return b < a ? b : a; });
  if (threadIdx.x) return;
  atomicMin(&range[0], minimum);
  atomicMax(&range[1], maximum);
}

} // namespace

bool launch_histogram(Stream *stream, const tocha_histogram_args &args) {
  LAUNCH(count_bins, blocks_for(stream, args.n), BLOCK_THREADS, 0, stream->cuda(), args.in,
         args.dtype, static_cast<long long>(args.n), static_cast<long long>(args.bins), args.low,
         args.high, reinterpret_cast<unsigned long long *>(args.counts));
  return launched(stream);
}

bool launch_integer_range(Stream *stream, const tocha_integer_range_args &args) {
  const long long *in = reinterpret_cast<const long long *>(args.in);
  long long *range = reinterpret_cast<long long *>(args.range);
  LAUNCH(begin_range, 1, 1, 0, stream->cuda(), in, range);
  LAUNCH(widen_range, blocks_for(stream, args.n), BLOCK_THREADS, 0, stream->cuda(), in,
         static_cast<long long>(args.n), range);
  return launched(stream);
}

} // namespace tocha
