/* join.cu: dense tensors side by side in one launch: cat, stack. */
#include "launch.h"

namespace tocha {
namespace {

struct Part {
  const char *from;
  unsigned long long pieces, width; /* in all, in one row */
  unsigned long long at;
};

struct Parts {
  char *to;
  unsigned long long stride;
  Part part[TOCHA_JOIN_PARTS];
};

/* blockIdx.y is the part; pieces of it one after the other. */
template <class S> __global__ void join(Parts p) {
  const Part &part = p.part[blockIdx.y];
  const S *from = reinterpret_cast<const S *>(part.from);
  const bool small = part.pieces <= 0x7fffffff;
  for (unsigned long long i = first_item<unsigned long long>(); i < part.pieces;
       i += item_step<unsigned long long>()) {
    unsigned long long row = part.pieces == part.width ? 0
                             : small ? static_cast<unsigned>(i) / static_cast<unsigned>(part.width)
                                     : i / part.width;
    S *to = reinterpret_cast<S *>(p.to + row * p.stride + part.at);
    to[i - row * part.width] = from[i];
  }
}

template <class S> void start_join(Queue *queue, const tocha_join_job &job) {
  Parts p = {};
  unsigned long long most = 1;
  p.to = static_cast<char *>(job.to);
  p.stride = static_cast<unsigned long long>(job.stride);
  for (int k = 0; k < job.count; k++) {
    Part &part = p.part[k];
    part.from = READ_ONLY(static_cast<const char *>(job.parts[k].from));
    part.width = static_cast<unsigned long long>(job.parts[k].bytes) / sizeof(S);
    part.pieces = part.width * static_cast<unsigned long long>(job.rows);
    part.at = static_cast<unsigned long long>(job.parts[k].at);
    if (part.pieces > most) most = part.pieces;
  }
  unsigned blocks = blocks_for(queue, static_cast<long long>(most));
  LAUNCH((join<S>), dim3(blocks, static_cast<unsigned>(job.count)), BLOCK_THREADS, 0, queue->cuda(),
         p);
}

} // namespace

bool launch_join(Queue *queue, const tocha_join_job &work) {
  with_piece(work.piece, [&](auto t) { start_join<typename decltype(t)::type>(queue, work); });
  return launched(queue);
}

} // namespace tocha
