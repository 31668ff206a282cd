/* sort.cu: sorts rows (rows, n): short ones by one block in shared memory, long ones by a stable
 * radix sort from the lowest digit on (8 bits at a time). */
#include "sorting/launch.h"
#include "common/block.h"
#include "sorting/columns.h"
#include "sorting/sort_keys.h"

namespace tocha {
namespace {

constexpr int DIGITS = 256, TILE = 2048; /* values of a digit; keys that a block moves in one
                                          * pass */
constexpr int CHUNK = 64;                /* tiles whose counts one block adds up */
constexpr int THREADS = BLOCK_THREADS, WARPS = THREADS / 32, ITEMS = TILE / THREADS;
static_assert(DIGITS == THREADS, "a thread for each value of a digit");

/* The arguments that every kernel of a sort needs. */
struct Rows {
  const void *in;
  void *values;
  long long *indices;
  long long rows, n, kept;
  int dtype, item;
  unsigned long long flip; /* descending: inverts all bits of the key */

  template <class Key> __device__ Key key(long long row, long long i) const {
    return key_at<Key>(in, dtype, row * n + i) ^ static_cast<Key>(flip);
  }
  __device__ void put(long long row, long long place, unsigned from) const {
    if (place >= kept) return;
    if (indices) indices[row * kept + place] = from;
    if (values) copy_element(values, row * kept + place, in, row * n + from, item);
  }
};

/* --- short rows ------------------------------------------------------------------------------- */

/* Sorts rows of up to TOCHA_SORT_BLOCK keys, several rows in one block. */
template <class Key>
__global__ void __launch_bounds__(TOCHA_SORT_BLOCK / 2) sort_short(Rows r, int length) {
  SHARED_DYNAMIC(Key, keys);
  int pairs = length / 2, group = static_cast<int>(threadIdx.x) / pairs;
  int groups = static_cast<int>(blockDim.x) / pairs, thread = static_cast<int>(threadIdx.x) % pairs;
  unsigned *order = reinterpret_cast<unsigned *>(keys + groups * length) + group * length;
  keys += group * length;
  long long row = static_cast<long long>(blockIdx.x) * groups + group;
  for (int i = thread; i < length; i += pairs) {
    keys[i] = row < r.rows && i < r.n ? r.key<Key>(row, i) : static_cast<Key>(~Key(0));
    order[i] = static_cast<unsigned>(i);
  }
  __syncthreads();
  sort_shared(keys, order, length, thread, true);
  if (row >= r.rows) return;
  for (int i = thread; i < r.kept; i += pairs) r.put(row, i, order[i]);
}

template <class Key> void start_short(Stream *stream, const Rows &r) {
  int length = 2;
  while (length < r.n) length *= 2;
  int threads = length / 2 > THREADS ? length / 2 : THREADS, groups = 2 * threads / length;
  size_t shared = static_cast<size_t>(groups) * length * (sizeof(Key) + sizeof(unsigned));
  LAUNCH(sort_short<Key>, static_cast<unsigned>((r.rows + groups - 1) / groups), threads, shared,
         stream->cuda(), r, length);
}

/* --- long rows -------------------------------------------------------------------------------- */

/* A pass over the rows. Tiles of a row are numbered 0..tiles; a block has one tile. */
struct Pass {
  long long tiles, chunks;
  unsigned *counts; /* [row][tile][digit]: counts, then sums of the earlier tiles in the chunk */
  unsigned *sums;   /* [row][chunk][digit]: counts, then sums of the earlier chunks */
  unsigned *totals; /* [row][digit] */
  const void *keys; /* NULL: the first pass, which reads the input */
  const unsigned *order;
  void *next_keys; /* NULL: the last pass, which writes the results */
  unsigned *next_order;
  long long shift;

  template <class Key> __device__ Key key(const Rows &r, long long row, long long i) const {
    return keys ? static_cast<const Key *>(keys)[row * r.n + i] : r.key<Key>(row, i);
  }
  template <class Key> __device__ int digit(Key k) const {
    return static_cast<int>(k >> shift & (DIGITS - 1));
  }
};

/* Counts the digits of a tile per block. */
template <class Key> __global__ void count_digits(Rows r, Pass p) {
  SHARED(unsigned, counts, [DIGITS]);
  long long row = blockIdx.x / p.tiles, tile = blockIdx.x - row * p.tiles;
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < ITEMS; k++) {
    long long i = tile * TILE + k * THREADS + threadIdx.x;
    if (i < r.n) atomicAdd(&counts[p.digit(p.key<Key>(r, row, i))], 1u);
  }
  __syncthreads();
  p.counts[static_cast<long long>(blockIdx.x) * DIGITS + threadIdx.x] = counts[threadIdx.x];
}

/* Replaces each entry of one column of a table [count][DIGITS] by the sum of the entries before
 * it, in one thread. Returns the sum of all. */
__device__ inline unsigned run_down(unsigned *column, long long count) {
  unsigned sum = 0;
  for (long long i = 0; i < count; i++) {
    unsigned x = column[i * DIGITS];
    column[i * DIGITS] = sum;
    sum += x;
  }
  return sum;
}

/* Replaces the counts of a chunk's tiles by running sums, and stores the chunk's sum. */
__global__ void sum_tiles(Pass p) {
  long long row = blockIdx.x / p.chunks, chunk = blockIdx.x - row * p.chunks;
  long long first = chunk * CHUNK, left = p.tiles - first;
  unsigned *column = p.counts + (row * p.tiles + first) * DIGITS + threadIdx.x;
  unsigned sum = run_down(column, left < CHUNK ? left : CHUNK);
  p.sums[static_cast<long long>(blockIdx.x) * DIGITS + threadIdx.x] = sum;
}

/* Replaces the sums of a row's chunks by running sums, and stores the row's sum. */
__global__ void sum_chunks(Pass p) {
  unsigned *column = p.sums + blockIdx.x * p.chunks * DIGITS + threadIdx.x;
  p.totals[static_cast<long long>(blockIdx.x) * DIGITS + threadIdx.x] = run_down(column, p.chunks);
}

/* Returns the number of keys of this digit that the warp has seen before this lane's key; adds
 * the keys of all lanes to `seen`, the warp's counts. digit: DIGITS if the lane has no key.
 * Lanes with the same digit find each other. */
__device__ inline unsigned rank_in_warp(unsigned *seen, int digit, int lane) {
  const bool valid = digit < DIGITS;
  const unsigned peers = __match_any_sync(0xffffffffu, digit);
  const unsigned before = static_cast<unsigned>(__popc(peers & ((1u << lane) - 1)));
  const unsigned earlier = valid ? seen[digit] : 0;
  __syncwarp();
  if (valid && before == 0) seen[digit] = earlier + static_cast<unsigned>(__popc(peers));
  __syncwarp();
  return earlier + before;
}

/* Moves the keys of a tile to their positions. Each warp ranks the digits of 32 * ITEMS
 * consecutive keys. The tile is first sorted in shared memory, so that neighbouring threads
 * write neighbouring keys. */
template <class Key> __global__ void __launch_bounds__(THREADS) move_keys(Rows r, Pass p) {
  SHARED(unsigned,
         seen, [WARPS][DIGITS]); /* counts of each digit by each warp, then sums of the earlier
                                  * warps */
  SHARED(Key, sorted, [TILE]);
  SHARED(unsigned, sorted_order, [TILE]);
  SHARED(unsigned, starts, [DIGITS]);       /* position of each digit in the tile */
  SHARED(unsigned, destinations, [DIGITS]); /* destination of the tile's position 0, for each
                                             * digit */
  int thread = static_cast<int>(threadIdx.x), lane = thread & 31, warp = thread >> 5;
  long long row = blockIdx.x / p.tiles, tile = blockIdx.x - row * p.tiles;
  long long first = tile * TILE + warp * 32 * ITEMS + lane;
  Key keys[ITEMS];
  unsigned order[ITEMS], ranks[ITEMS];

  for (int w = 0; w < WARPS; w++) seen[w][thread] = 0;
  __syncthreads();
  UNROLL for (int k = 0; k < ITEMS; k++) {
    long long i = first + k * 32;
    bool valid = i < r.n;
    keys[k] = valid ? p.key<Key>(r, row, i) : 0;
    order[k] = valid ? (p.keys ? p.order[row * r.n + i] : static_cast<unsigned>(i)) : 0;
    ranks[k] = rank_in_warp(seen[warp], valid ? p.digit(keys[k]) : +DIGITS, lane);
  }
  __syncthreads();

  unsigned count = 0, all;
  for (int w = 0; w < WARPS; w++) {
    unsigned x = seen[w][thread];
    seen[w][thread] = count;
    count += x;
  }
  unsigned start = sum_before(count, &all);
  unsigned base = sum_before(p.totals[row * DIGITS + thread], &all);
  starts[thread] = start;
  destinations[thread] = base - start + p.sums[(row * p.chunks + tile / CHUNK) * DIGITS + thread] +
                         p.counts[static_cast<long long>(blockIdx.x) * DIGITS + thread];
  __syncthreads();
  UNROLL for (int k = 0; k < ITEMS; k++) {
    if (first + k * 32 >= r.n) continue;
    int digit = p.digit(keys[k]);
    unsigned place = starts[digit] + seen[warp][digit] + ranks[k];
    sorted[place] = keys[k];
    sorted_order[place] = order[k];
  }
  __syncthreads();

  for (int k = thread; k < TILE && tile * TILE + k < r.n; k += THREADS) {
    Key key = sorted[k];
    unsigned place =
        destinations[p.digit(key)] + static_cast<unsigned>(k); /* may wrap below 0 and back */
    if (p.next_keys) {
      static_cast<Key *>(p.next_keys)[row * r.n + place] = key;
      p.next_order[row * r.n + place] = sorted_order[k];
    } else {
      r.put(row, place, sorted_order[k]);
    }
  }
}

/* The arrays of a sort of long rows, in scratch memory. counts: the counts of digits for each
 * tile, then for each chunk, then for each row. */
struct Arrays {
  char *keys[2];
  unsigned *order[2], *counts;
  long long tiles, chunks;
  size_t bytes;

  Arrays(const tocha_sort_args &args, void *scratch) : keys(), order(), counts(), bytes(0) {
    tiles = (args.n + TILE - 1) / TILE;
    chunks = (tiles + CHUNK - 1) / CHUNK;
    const size_t elements = static_cast<size_t>(args.outer * args.n);
    const int sides = passes_of(args) - 1 < 2 ? passes_of(args) - 1 : 2;
    char *base = static_cast<char *>(scratch);
    for (int i = 0; i < sides; i++)
      keys[i] = base + take(elements * (has_wide_keys(args.dtype) ? 8 : 4));
    for (int i = 0; i < sides; i++)
      order[i] = reinterpret_cast<unsigned *>(base + take(elements * sizeof(unsigned)));
    const size_t sums = static_cast<size_t>(args.outer * (tiles + chunks + 1)) * DIGITS;
    counts = reinterpret_cast<unsigned *>(base + take(sums * sizeof(unsigned)));
  }

  static int passes_of(const tocha_sort_args &args) {
    return ((args.bits ? args.bits : 8 * item_bytes(args.dtype)) + 7) / 8;
  }

private:
  size_t take(size_t more) {
    size_t at = bytes;
    bytes += (more + 15) / 16 * 16;
    return at;
  }
};

template <class Key> void start_long(Stream *stream, const Rows &r, const tocha_sort_args &args) {
  Arrays arrays(args, args.scratch);
  Pass p = {};
  p.tiles = arrays.tiles;
  p.chunks = arrays.chunks;
  p.counts = arrays.counts;
  p.sums = p.counts + r.rows * p.tiles * DIGITS;
  p.totals = p.sums + r.rows * p.chunks * DIGITS;
  unsigned tiles = static_cast<unsigned>(r.rows * p.tiles);
  int passes = Arrays::passes_of(args), side = 0;
  for (int pass = 0; pass < passes; pass++, side ^= 1) {
    p.shift = 8 * pass;
    p.keys = pass ? arrays.keys[side ^ 1] : nullptr;
    p.order = pass ? arrays.order[side ^ 1] : nullptr;
    p.next_keys = pass + 1 < passes ? arrays.keys[side] : nullptr;
    p.next_order = pass + 1 < passes ? arrays.order[side] : nullptr;
    LAUNCH(count_digits<Key>, tiles, THREADS, 0, stream->cuda(), r, p);
    LAUNCH(sum_tiles, static_cast<unsigned>(r.rows * p.chunks), THREADS, 0, stream->cuda(), p);
    LAUNCH(sum_chunks, static_cast<unsigned>(r.rows), THREADS, 0, stream->cuda(), p);
    LAUNCH(move_keys<Key>, tiles, THREADS, 0, stream->cuda(), r, p);
  }
}

template <class Key> bool start(Stream *stream, const tocha_sort_args &args) {
  const int item = item_bytes(args.dtype);
  Rows r = {};
  r.in = READ_ONLY(args.in);
  r.values = args.values;
  r.indices = reinterpret_cast<long long *>(args.indices);
  r.rows = args.outer;
  r.n = args.n;
  r.kept = args.kept;
  r.dtype = args.dtype;
  r.item = item;
  r.flip = args.descending ? ~0ull >> (64 - 8 * item) : 0;
  if (args.n <= TOCHA_SORT_BLOCK)
    start_short<Key>(stream, r);
  else
    start_long<Key>(stream, r, args);
  return launched(stream);
}

} // namespace

size_t sort_scratch(Stream *stream, const tocha_sort_args &args) {
  if (args.n > INT32_MAX) return 0; /* too long, refused */
  if (args.inner > 1)
    return columns_bytes(args, args.kept) + sort_scratch(stream, as_rows(args, args.kept));
  return args.n > TOCHA_SORT_BLOCK ? Arrays(args, nullptr).bytes : 0;
}

bool launch_sort(Stream *stream, const tocha_sort_args &args) {
  if (args.n > INT32_MAX)
    return fail(stream->state,
                "The dimension being sorted can not have more than INT_MAX elements.");
  if (args.inner > 1) return launch_columns(stream, args, args.kept, launch_sort);
  return has_wide_keys(args.dtype) ? start<unsigned long long>(stream, args)
                                   : start<unsigned>(stream, args);
}

} // namespace tocha
