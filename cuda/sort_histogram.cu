/* sort_histogram.cu: how many elements fall into each of equal bins. Counts are integers: the order
 * in which blocks add theirs does not show. */
#include "launch.h"

namespace tocha {
namespace {

constexpr int SHARED_BINS = 2048; /* up to here a block counts for itself first */

__global__ void count_bins(const void *in, int dtype, long long n, long long bins, double low,
                           double high, unsigned long long *counts) {
  SHARED(unsigned, own_counts, [SHARED_BINS]);
  bool shares = bins <= SHARED_BINS;
  if (shares) {
    for (int b = static_cast<int>(threadIdx.x); b < bins; b += static_cast<int>(blockDim.x))
      own_counts[b] = 0;
    __syncthreads();
  }
  for (long long i = first_item(); i < n; i += item_step()) {
    double x;
    switch (dtype) {
    case TOCHA_FLOAT16:
      x = to_float(static_cast<const float16 *>(in)[i]);
      break;
    case TOCHA_BFLOAT16:
      x = to_float(static_cast<const bfloat16 *>(in)[i]);
      break;
    case TOCHA_FLOAT32:
      x = static_cast<const float *>(in)[i];
      break;
    default:
      x = static_cast<const double *>(in)[i];
    }
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
} // namespace tocha

using namespace tocha;

extern "C" bool tocha_cuda_histogram(tocha_queue *queue, const tocha_histogram_job *work) {
  if (!use_device(queue->state, queue->device)) return false;
  LAUNCH(count_bins, blocks_for(own(queue), work->n), BLOCK_THREADS, 0, own(queue)->cuda(),
         work->in, work->dtype, static_cast<long long>(work->n), static_cast<long long>(work->bins),
         work->low, work->high, reinterpret_cast<unsigned long long *>(work->counts));
  return launched(queue);
}
