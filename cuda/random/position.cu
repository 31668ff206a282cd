/* position.cu: the positions of generators that a graph draws from: a seed and an offset on the
 * device, which each replay moves on. */
#include "common/kernel.h"
#include "runtime/graph.h"

namespace tocha {
namespace {

__global__ void set_position(unsigned long long *position, unsigned long long seed,
                             unsigned long long offset) {
  position[0] = seed;
  position[1] = offset;
}

/* Runs in one thread. */
__global__ void advance_positions(unsigned long long *positions, const Taken taken, int count) {
  UNROLL
  for (int i = 0; i < MAX_DRAWERS; i++)
    if (i < count) positions[2 * i + 1] += taken.words[i];
}

} // namespace

bool launch_set_position(Stream *stream, unsigned long long *position, uint64_t seed,
                         uint64_t offset) {
  LAUNCH(set_position, 1, 1, 0, stream->cuda(), position, static_cast<unsigned long long>(seed),
         static_cast<unsigned long long>(offset));
  return launched(stream);
}

bool launch_advance(Stream *stream, unsigned long long *positions, const Taken &taken, int count) {
  LAUNCH(advance_positions, 1, 1, 0, stream->cuda(), positions, taken, count);
  return launched(stream);
}

} // namespace tocha
