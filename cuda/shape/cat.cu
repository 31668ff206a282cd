/* cat.cu: dense tensors side by side in one launch: cat, stack. */
#include "shape/launch.h"
#include "common/launch.h"

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
  Part part[TOCHA_CAT_PARTS];
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

template <class S> void start_cat(Stream *stream, const tocha_cat_args &args) {
  Parts p = {};
  unsigned long long most = 1;
  p.to = static_cast<char *>(args.to);
  p.stride = static_cast<unsigned long long>(args.stride);
  for (int k = 0; k < args.count; k++) {
    Part &part = p.part[k];
    part.from = READ_ONLY(static_cast<const char *>(args.parts[k].from));
    part.width = static_cast<unsigned long long>(args.parts[k].bytes) / sizeof(S);
    part.pieces = part.width * static_cast<unsigned long long>(args.rows);
    part.at = static_cast<unsigned long long>(args.parts[k].at);
    if (part.pieces > most) most = part.pieces;
  }
  unsigned blocks = blocks_for(stream, static_cast<long long>(most));
  LAUNCH((join<S>), dim3(blocks, static_cast<unsigned>(args.count)), BLOCK_THREADS, 0,
         stream->cuda(), p);
}

} // namespace

bool launch_cat(Stream *stream, const tocha_cat_args &work) {
  with_piece(work.piece, [&](auto t) { start_cat<typename decltype(t)::type>(stream, work); });
  return launched(stream);
}

} // namespace tocha
