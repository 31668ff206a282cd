/* unique.cu: finds the distinct elements of a sorted row: the first of each run is flagged, the
 * flags are counted by tiles, and every element gets the number of its run. */
#include "sorting/launch.h"
#include "common/block.h"
#include "common/launch.h"
#include "indexing/launch.h"
#include "sorting/sort_keys.h"

namespace tocha {
namespace {

constexpr int THREADS = BLOCK_THREADS, TILE = TOCHA_NONZERO_TILE;

/* Flags the first element of each run of equal elements. NaN never equals NaN. */
template <class T>
__global__ void flag_beginnings(const T *sorted, long long n, unsigned char *flags) {
  for (long long i = first_item(); i < n; i += item_step())
    flags[i] = i == 0 || convert<typename Arithmetic<T>::type>(sorted[i]) !=
                             convert<typename Arithmetic<T>::type>(sorted[i - 1]);
}

struct Groups {
  const unsigned char *flags;
  const long long *tiles; /* number of runs that begin before each tile, and of all runs */
  const void *sorted;
  const long long *order;
  void *values;
  long long *starts, *inverse, *count;
  long long n, item;
};

/* Writes the values, starts and numbers of the runs, a tile per block. */
__global__ void write_groups(Groups g) {
  const long long first = static_cast<long long>(blockIdx.x) * TILE;
  long long place = g.tiles[blockIdx.x];
  for (int base = 0; base < TILE && first + base < g.n; base += THREADS) {
    const long long i = first + base + threadIdx.x;
    const unsigned flag = i < g.n && g.flags[i];
    unsigned all;
    const long long group = place + sum_before(flag, &all) + flag - 1;
    place += all;
    if (i >= g.n) continue;
    if (g.inverse) g.inverse[g.order[i]] = group;
    if (!flag) continue;
    g.starts[group] = i;
    copy_element(g.values, group, g.sorted, i, static_cast<int>(g.item));
  }
  if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) {
    const long long count = g.tiles[gridDim.x];
    g.starts[count] = g.n;
    *g.count = count;
  }
}

long long tiles_of(long long n) { return (n + TILE - 1) / TILE; }

template <class T>
void start_flags(Stream *stream, const tocha_unique_args &args, unsigned char *flags) {
  LAUNCH(flag_beginnings<T>, blocks_for(stream, args.n), THREADS, 0, stream->cuda(),
         static_cast<const T *>(args.sorted), static_cast<long long>(args.n), flags);
}

} // namespace

size_t unique_scratch(Stream *, const tocha_unique_args &args) {
  return static_cast<size_t>(tiles_of(args.n) + 1) * sizeof(int64_t) + static_cast<size_t>(args.n);
}

bool launch_unique(Stream *stream, const tocha_unique_args &args) {
  const long long tiles = tiles_of(args.n);
  int64_t *counts = static_cast<int64_t *>(args.scratch);
  unsigned char *flags = reinterpret_cast<unsigned char *>(counts + tiles + 1);
  const int item = item_bytes(args.dtype);
  if (is_floating(args.dtype))
    with_floating(args.dtype,
                  [&](auto t) { start_flags<typename decltype(t)::type>(stream, args, flags); });
  else
    with_size(item, [&](auto t) { start_flags<typename decltype(t)::type>(stream, args, flags); });
  tocha_count_nonzero_args count = {flags, args.n, counts, TOCHA_BOOL};
  if (!launch_count_nonzero(stream, count)) return false;
  Groups g = {};
  g.flags = READ_ONLY(flags);
  g.tiles = READ_ONLY(reinterpret_cast<const long long *>(counts));
  g.sorted = READ_ONLY(args.sorted);
  g.order = READ_ONLY(reinterpret_cast<const long long *>(args.order));
  g.values = args.values;
  g.starts = reinterpret_cast<long long *>(args.starts);
  g.inverse = reinterpret_cast<long long *>(args.inverse);
  g.count = reinterpret_cast<long long *>(args.count);
  g.n = args.n;
  g.item = item;
  LAUNCH(write_groups, static_cast<unsigned>(tiles), THREADS, 0, stream->cuda(), g);
  return launched(stream);
}

} // namespace tocha
