/* histogram.cu: how many elements fall into each of equal bins. Counts are integers: the order
 * in which blocks add theirs does not show. */
#include "sorting/launch.h"
#include "common/launch.h"

namespace tocha {
namespace {

constexpr int SHARED_BINS = 2048; /* up to here a block counts for itself first */

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
    if (!(x >= low && x <= high)) continue;
    long long bin = static_cast<long long>((x - low) / (high - low) * static_cast<double>(bins));
    if (bin >= bins) bin = bins - 1;
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

} // namespace

bool launch_histogram(Stream *stream, const tocha_histogram_args &work) {
  LAUNCH(count_bins, blocks_for(stream, work.n), BLOCK_THREADS, 0, stream->cuda(), work.in,
         work.dtype, static_cast<long long>(work.n), static_cast<long long>(work.bins), work.low,
         work.high, reinterpret_cast<unsigned long long *>(work.counts));
  return launched(stream);
}

} // namespace tocha
