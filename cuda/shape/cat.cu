/* cat.cu: joins dense tensors in one launch: cat, stack. */
#include "shape/launch.h"
#include "common/launch.h"

namespace tocha {
namespace {

struct Part {
  const char *from;
  unsigned long long count, width; /* number of elements of type S in the part, and in one of its
                                    * rows */
  unsigned long long at;
};

struct Parts {
  char *to;
  unsigned long long stride;
  Part part[TOCHA_CAT_PARTS];
};

/* Copies the parts; blockIdx.y is the part, whose elements of type S are contiguous. */
template <class S> __global__ void copy_parts(Parts p) {
  const Part &part = p.part[blockIdx.y];
  const S *from = reinterpret_cast<const S *>(part.from);
  const bool small = part.count <= 0x7fffffff;
  for (unsigned long long i = first_item<unsigned long long>(); i < part.count;
       i += item_step<unsigned long long>()) {
    unsigned long long row = part.count == part.width ? 0
                             : small ? static_cast<unsigned>(i) / static_cast<unsigned>(part.width)
                                     : i / part.width;
    S *to = reinterpret_cast<S *>(p.to + row * p.stride + part.at);
    to[i - row * part.width] = from[i];
  }
}

template <class S> void start_cat(Stream *stream, const tocha_cat_args &args) {
  Parts p = {};
  unsigned long long longest = 1;
  p.to = static_cast<char *>(args.to);
  p.stride = static_cast<unsigned long long>(args.stride);
  for (int64_t k = 0; k < args.count; k++) {
    Part &part = p.part[k];
    part.from = READ_ONLY(static_cast<const char *>(args.parts[k].from));
    part.width = static_cast<unsigned long long>(args.parts[k].bytes) / sizeof(S);
    part.count = part.width * static_cast<unsigned long long>(args.rows);
    part.at = static_cast<unsigned long long>(args.parts[k].at);
    if (part.count > longest) longest = part.count;
  }
  unsigned blocks = blocks_for(stream, static_cast<long long>(longest));
  LAUNCH((copy_parts<S>), dim3(blocks, static_cast<unsigned>(args.count)), BLOCK_THREADS, 0,
         stream->cuda(), p);
}

/* Returns the largest power of two up to 16 that divides all addresses and sizes. */
int common_bytes(const tocha_cat_args &args) {
  uint64_t bits = 16 | reinterpret_cast<uint64_t>(args.to);
  if (args.rows > 1) bits |= static_cast<uint64_t>(args.stride);
  for (int64_t k = 0; k < args.count; k++)
    bits |= reinterpret_cast<uint64_t>(args.parts[k].from) |
            static_cast<uint64_t>(args.parts[k].bytes | args.parts[k].at);
  return static_cast<int>(bits & (~bits + 1));
}

} // namespace

bool launch_cat(Stream *stream, const tocha_cat_args &args) {
  with_piece(common_bytes(args),
             [&](auto t) { start_cat<typename decltype(t)::type>(stream, args); });
  return launched(stream);
}

} // namespace tocha
