/* repeat.cu: repeats positions by counts: repeat_interleave. */
#include "shape/launch.h"
#include "common/launch.h"

namespace tocha {
namespace {

/* Writes to out (total) the number of the first of n ends above each position. */
__global__ void repeat_positions(const long long *ends, long long n, long long *out,
                                 long long total) {
  for (long long i = first_item(); i < total; i += item_step()) {
    long long low = 0, high = n;
    while (low < high) {
      long long middle = low + (high - low) / 2;
      if (ends[middle] > i)
        high = middle;
      else
        low = middle + 1;
    }
    out[i] = low;
  }
}

} // namespace

bool launch_repeat_positions(Stream *stream, const tocha_repeat_positions_args &args) {
  LAUNCH(repeat_positions, blocks_for(stream, args.total), BLOCK_THREADS, 0, stream->cuda(),
         reinterpret_cast<const long long *>(args.ends), static_cast<long long>(args.n),
         reinterpret_cast<long long *>(args.out), static_cast<long long>(args.total));
  return launched(stream);
}

} // namespace tocha
