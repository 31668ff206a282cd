/* nonzero.cu: finds the elements that are not zero, in order: they are counted by tiles, the
 * counts are summed, and the positions written. */
#include "indexing/launch.h"
#include "common/block.h"
#include "common/launch.h"
#include "sorting/sort_keys.h"

namespace tocha {
namespace {

constexpr int THREADS = BLOCK_THREADS, TILE = TOCHA_NONZERO_TILE, SUM_THREADS = 1024;

/* Elements of any dtype as flags: an item of `item` bytes is zero if it is zero apart from
 * ignored bits (the sign of a floating-point number). */
struct Flags {
  const void *data;
  long long item;
  unsigned long long mask;

  __device__ bool at(long long i) const {
    switch (item) {
    case 1:
      return static_cast<const unsigned char *>(data)[i] != 0;
    case 2:
      return (static_cast<const unsigned short *>(data)[i] & mask) != 0;
    case 4:
      return (static_cast<const unsigned *>(data)[i] & mask) != 0;
    default:
      return (static_cast<const unsigned long long *>(data)[i] & mask) != 0;
    }
  }
};

Flags flags_of(const void *data, int dtype) {
  const int item = item_bytes(dtype);
  return {READ_ONLY(data), item, ~0ull >> (64 - 8 * item + is_floating(dtype))};
}

/* Counts the flags of n elements, a tile per block. */
__global__ void count_tiles(Flags flags, long long n, long long *tiles) {
  long long first = static_cast<long long>(blockIdx.x) * TILE;
  unsigned count = 0;
  for (int k = threadIdx.x; k < TILE && first + k < n; k += THREADS) count += flags.at(first + k);
  const unsigned all = block_joined(count, Plus());
  if (threadIdx.x == 0) tiles[blockIdx.x] = all;
}

/* Replaces each count by the sum of the counts before it; writes the sum of all to tiles[count]. */
__global__ void __launch_bounds__(SUM_THREADS) sum_counts(long long *tiles, long long count) {
  long long before = 0;
  for (long long base = 0; base < count; base += SUM_THREADS) {
    long long i = base + threadIdx.x, x = i < count ? tiles[i] : 0, all;
    long long sum = before + sum_before(x, &all);
    if (i < count) tiles[i] = sum;
    before += all;
  }
  if (threadIdx.x == 0) tiles[count] = before;
}

struct Write {
  const long long *tiles;
  const void *source;
  void *out;
  long long *coordinates;
  long long n, count;
  int item, ndim;
  long long sizes[64];
};

/* Writes at most as many positions as were counted, because another stream may write to the flags meanwhile. */
__global__ void write_tiles(Flags flags, Write w) {
  long long first = static_cast<long long>(blockIdx.x) * TILE, place = w.tiles[blockIdx.x];
  const long long end = w.tiles[blockIdx.x + 1];
  for (int base = 0; base < TILE && first + base < w.n; base += THREADS) {
    long long i = first + base + threadIdx.x;
    unsigned flag = i < w.n && flags.at(i), all;
    long long to = place + sum_before(flag, &all);
    place += all;
    if (!flag || to >= end) continue;
    if (w.out) {
      copy_element(w.out, to, w.source, i, w.item);
      continue;
    }
    for (int d = w.ndim - 1; d >= 0; d--) {
      long long rest = i / w.sizes[d];
      w.coordinates[d * w.count + to] = i - rest * w.sizes[d];
      i = rest;
    }
  }
}

unsigned tiles_of(long long n) { return static_cast<unsigned>((n + TILE - 1) / TILE); }

} // namespace

bool launch_count_nonzero(Stream *stream, const tocha_count_nonzero_args &args) {
  long long *tiles = reinterpret_cast<long long *>(args.tiles);
  unsigned count = tiles_of(args.n);
  cudaStream_t cuda = stream->cuda();
  LAUNCH(count_tiles, count, THREADS, 0, cuda, flags_of(args.flags, args.dtype),
         static_cast<long long>(args.n), tiles);
  LAUNCH(sum_counts, 1, SUM_THREADS, 0, cuda, tiles, static_cast<long long>(count));
  return launched(stream);
}

bool launch_write_nonzero(Stream *stream, const tocha_write_nonzero_args &args) {
  Write w = {};
  w.tiles = READ_ONLY(reinterpret_cast<const long long *>(args.tiles));
  w.source = READ_ONLY(args.source);
  w.out = args.out;
  w.coordinates = reinterpret_cast<long long *>(args.coordinates);
  w.n = args.n;
  w.count = args.count;
  w.item = args.item;
  w.ndim = args.ndim;
  for (int d = 0; d < args.ndim; d++) w.sizes[d] = args.sizes[d];
  LAUNCH(write_tiles, tiles_of(args.n), THREADS, 0, stream->cuda(),
         flags_of(args.flags, args.dtype), w);
  return launched(stream);
}

} // namespace tocha
