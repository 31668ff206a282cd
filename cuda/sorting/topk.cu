/* topk.cu: selects elements by their rank without sorting a row (topk, kthvalue, median): a
 * block finds the key of that rank digit by digit from the top, then collects the keys before
 * it. Also reads results off sorted rows (mode; ranks in a few very long rows). */
#include "sorting/launch.h"
#include "common/block.h"
#include "sorting/columns.h"
#include "sorting/sort_keys.h"

namespace tocha {
namespace {

constexpr int THREADS = 512, MAX_SELECTED = TOCHA_MAX_SELECTED;
static_assert(MAX_SELECTED <= 2 * THREADS, "a thread for each pair of what is collected");

struct Selection {
  const void *in;
  const long long *sorted;
  void *values;
  long long *indices;
  long long rows, n, k;
  int dtype, item, bits, task;  /* whole words, so that there are no gaps */
  long long not_a_number;       /* 1: the largest key means NaN */
  unsigned long long flip, all; /* all: the largest key */
  /* If rows have several parts, each is selected from like a row of its own; all but the last have
   * `part` elements. origins (rows, n): the positions of candidates in their row, or NULL. */
  long long parts, part;
  const long long *origins;

  __device__ long long start(long long row) const { return row / parts * n + row % parts * part; }
  __device__ long long length(long long row) const {
    const long long left = n - row % parts * part;
    return left < part ? left : part;
  }
  /* Returns the key of element `at` of all rows. */
  template <class Key> __device__ Key key(long long at) const {
    return key_at<Key>(in, dtype, at) ^ static_cast<Key>(flip);
  }
  template <class Key> __device__ Key sorted_key(long long row, long long i) const {
    return key<Key>(row * n + sorted[row * n + i]);
  }
  __device__ void put(long long row, long long place, long long count, long long from) const {
    const long long at = start(row) + from;
    indices[row * count + place] = origins ? origins[at] : row % parts * part + from;
    copy_element(values, row * count + place, in, at, item);
  }
  /* Returns the rank, from 1. The median of `known` elements that are not NaN is the lower of
   * their two middle ones. A NaN wins, with the last rank, unless NaNs are skipped. */
  __device__ long long rank(long long known) const {
    if (task == TOCHA_SELECT_KTH) return k;
    if (known < n && task == TOCHA_SELECT_MEDIAN) return n;
    return known ? (known + 1) / 2 : 1;
  }
};

/* The key of rank k (from 1) in a row. */
template <class Key> struct Found {
  Key key;
  unsigned place; /* its rank among equal keys, from 1 */
  unsigned equals, less;
};

template <class Key> __device__ Found<Key> find(const Selection &s, long long row, long long k) {
  SHARED(unsigned, counts, [256]);
  SHARED(unsigned, choice, [3]); /* digit, number of smaller keys, number of equal keys */
  int thread = static_cast<int>(threadIdx.x);
  Found<Key> f = {0, static_cast<unsigned>(k), 0, 0};
  const long long first = s.start(row), length = s.length(row);
  Key settled = 0; /* bits of f.key that are known */
  for (int shift = s.bits - 8; shift >= 0; shift -= 8) {
    if (thread < 256) counts[thread] = 0;
    __syncthreads();
    for (long long i = thread; i < length; i += THREADS) {
      Key key = s.key<Key>(first + i);
      if ((key & settled) == f.key) atomicAdd(&counts[static_cast<int>(key >> shift & 255)], 1u);
    }
    __syncthreads();
    unsigned all, count = thread < 256 ? counts[thread] : 0;
    unsigned before = sum_before(count, &all);
    if (before < f.place && f.place <= before + count) {
      choice[0] = static_cast<unsigned>(thread);
      choice[1] = before;
      choice[2] = count;
    }
    __syncthreads();
    f.key |= static_cast<Key>(choice[0]) << shift;
    settled |= static_cast<Key>(255) << shift;
    f.place -= choice[1];
    f.less += choice[1];
    f.equals = choice[2];
    __syncthreads();
  }
  return f;
}

/* Returns the number of keys below the largest one if that means NaN, else of all keys. */
template <class Key> __device__ long long count_numbers(const Selection &s, long long row) {
  unsigned known = 0;
  if (!s.not_a_number) return s.n;
  for (long long i = threadIdx.x; i < s.n; i += THREADS)
    known += s.key<Key>(row * s.n + i) != static_cast<Key>(s.all);
  return block_joined(known, Plus());
}

/* Selects the element of the wanted rank in each row (rows, n), a block for each row. */
template <class Key> __global__ void __launch_bounds__(THREADS) select_kth(Selection s) {
  for (long long row = blockIdx.x; row < s.rows; row += gridDim.x) {
    long long known = s.task == TOCHA_SELECT_KTH ? s.n : count_numbers<Key>(s, row);
    Found<Key> f = find<Key>(s, row, s.rank(known));
    unsigned seen = 0;
    for (long long base = 0; base < s.n && seen < f.place; base += THREADS) {
      long long i = base + threadIdx.x;
      unsigned equal = i < s.n && s.key<Key>(row * s.n + i) == f.key, all;
      if (f.equals == 1) { /* no need to count: there is only one such key */
        if (equal) s.put(row, 0, 1, i);
        continue;
      }
      unsigned before = seen + sum_before(equal, &all);
      if (equal && before + 1 == f.place) s.put(row, 0, 1, i);
      seen += all;
    }
  }
}

/* Selects the k first elements of each row (rows, n), or of each part of one, in order. */
template <class Key> __global__ void __launch_bounds__(THREADS) select_top(Selection s) {
  SHARED(Key, keys, [MAX_SELECTED]);
  SHARED(unsigned, order, [MAX_SELECTED]);
  SHARED(unsigned, taken, [1]);
  int thread = static_cast<int>(threadIdx.x), k = static_cast<int>(s.k), length = 2;
  while (length < k) length *= 2;
  for (long long row = blockIdx.x; row < s.rows; row += gridDim.x) {
    const long long first = s.start(row), n = s.length(row);
    Found<Key> f = find<Key>(s, row, k);
    bool every = f.equals == f.place; /* all keys equal to the last one are selected */
    if (thread == 0) taken[0] = 0;
    for (int i = thread; i < length; i += THREADS) { /* pad to a power of two */
      keys[i] = static_cast<Key>(~Key(0));
      order[i] = 0xffffffffu;
    }
    __syncthreads();
    for (long long i = thread; i < n; i += THREADS) {
      Key key = s.key<Key>(first + i);
      if (key < f.key || (every && key == f.key)) {
        unsigned slot = atomicAdd(&taken[0], 1u);
        keys[slot] = key;
        order[slot] = static_cast<unsigned>(i);
      }
    }
    unsigned seen = 0;
    for (long long base = 0; !every && base < n && seen < f.place; base += THREADS) {
      long long i = base + thread;
      unsigned equal = i < n && s.key<Key>(first + i) == f.key, all;
      unsigned before = seen + sum_before(equal, &all);
      if (equal && before < f.place) {
        keys[f.less + before] = f.key;
        order[f.less + before] = static_cast<unsigned>(i);
      }
      seen += all;
    }
    __syncthreads();
    sort_shared(keys, order, length, thread, thread < length / 2);
    for (int i = thread; i < k; i += THREADS) s.put(row, i, k, order[i]);
    __syncthreads();
  }
}

/* --- results from sorted rows ----------------------------------------------------------------- */

/* Returns the first position from `from` on whose key is above `key`. */
template <class Key>
__device__ long long end_of_run(const Selection &s, long long row, long long from, Key key) {
  long long low = from, high = s.n;
  while (low < high) {
    long long middle = low + (high - low) / 2;
    if (s.sorted_key<Key>(row, middle) <= key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Reads the element of the wanted rank off each sorted row, a thread for each row. */
template <class Key> __global__ void read_kth(Selection s) {
  for (long long row = first_item(); row < s.rows; row += item_step()) {
    long long known = s.n;
    if (s.not_a_number) known = end_of_run<Key>(s, row, 0, static_cast<Key>(s.all - 1));
    s.put(row, 0, 1, s.sorted[row * s.n + s.rank(known) - 1]);
  }
}

/* Finds the longest run of equal keys, the first of several, by the maximum of one number: the
 * length in the upper half, the inverted position in the lower. */
template <class Key> __global__ void __launch_bounds__(THREADS) read_mode(Selection s) {
  int thread = static_cast<int>(threadIdx.x);
  for (long long row = blockIdx.x; row < s.rows; row += gridDim.x) {
    unsigned long long mine = 0;
    for (long long i = thread; i < s.n; i += THREADS) {
      Key key = s.sorted_key<Key>(row, i);
      if (i > 0 && s.sorted_key<Key>(row, i - 1) == key) continue;
      unsigned long long length =
          static_cast<unsigned long long>(end_of_run<Key>(s, row, i, key) - i);
      unsigned long long candidate = length << 32 | (0xffffffffu - static_cast<unsigned>(i));
      if (candidate > mine) mine = candidate;
    }
    const unsigned long long best = block_joined(mine, Greater());
    if (thread == 0) {
      long long start = 0xffffffffu - static_cast<unsigned>(best & 0xffffffffu);
      s.put(row, 0, 1, s.sorted[row * s.n + start + static_cast<long long>(best >> 32) - 1]);
    }
  }
}

unsigned blocks_of_rows(long long rows) {
  return static_cast<unsigned>(rows < 65536 ? rows : 65536);
}

Selection selection_of(const tocha_select_args &args, const int64_t *sorted) {
  Selection s = {};
  s.in = READ_ONLY(args.in);
  s.sorted = READ_ONLY(reinterpret_cast<const long long *>(sorted));
  s.values = args.values;
  s.indices = reinterpret_cast<long long *>(args.indices);
  s.rows = args.outer;
  s.n = args.n;
  s.k = args.k;
  s.dtype = args.dtype;
  s.item = item_bytes(args.dtype);
  s.bits = 8 * s.item;
  s.task = args.task;
  s.not_a_number = is_floating(args.dtype);
  s.all = ~0ull >> (64 - s.bits);
  s.flip = args.descending ? s.all : 0;
  s.parts = 1;
  s.part = args.n;
  return s;
}

template <class Key>
bool start(Stream *stream, const tocha_select_args &args, const int64_t *sorted) {
  const Selection s = selection_of(args, sorted);
  cudaStream_t cuda = stream->cuda();
  if (args.task == TOCHA_SELECT_TOP)
    LAUNCH(select_top<Key>, blocks_of_rows(args.outer), THREADS, 0, cuda, s);
  else if (args.task == TOCHA_SELECT_MODE)
    LAUNCH(read_mode<Key>, blocks_of_rows(args.outer), THREADS, 0, cuda, s);
  else if (sorted)
    LAUNCH(read_kth<Key>, blocks_for(stream, args.outer), BLOCK_THREADS, 0, cuda, s);
  else
    LAUNCH(select_kth<Key>, blocks_of_rows(args.outer), THREADS, 0, cuda, s);
  return launched(stream);
}

/* --- few long rows in parts ------------------------------------------------------------------- */

/* MIN_PART: elements for which a block is worth its time; more than what is selected from each. */
constexpr long long MIN_PART = 4096, WANTED_BLOCKS = 256;
static_assert(MIN_PART - WANTED_BLOCKS >= MAX_SELECTED, "the last part has enough elements");

/* Returns the parts of each row, whose candidates are at most half as many as its elements. */
long long parts_of(const tocha_select_args &args) {
  const long long wanted = (WANTED_BLOCKS + args.outer - 1) / args.outer;
  const long long most = args.n / MIN_PART, few = args.n / 2 / args.k;
  const long long parts = wanted < most ? wanted : most;
  return parts < few ? parts : few;
}

size_t parts_scratch(const tocha_select_args &args) {
  const auto candidates = static_cast<size_t>(args.outer * parts_of(args) * args.k);
  return candidates * (sizeof(int64_t) + static_cast<size_t>(item_bytes(args.dtype)));
}

/* Selects candidates in each part, then among the candidates of each row. */
template <class Key> bool select_by_parts(Stream *stream, const tocha_select_args &args) {
  Selection s = selection_of(args, nullptr), last = s;
  s.parts = parts_of(args);
  s.part = (args.n + s.parts - 1) / s.parts;
  s.rows = args.outer * s.parts;
  s.indices = static_cast<long long *>(args.scratch);
  s.values = s.indices + s.rows * args.k;
  last.n = last.part = s.parts * args.k;
  last.in = READ_ONLY(s.values);
  last.origins = READ_ONLY(static_cast<const long long *>(s.indices));
  LAUNCH(select_top<Key>, blocks_of_rows(s.rows), THREADS, 0, stream->cuda(), s);
  LAUNCH(select_top<Key>, blocks_of_rows(last.rows), THREADS, 0, stream->cuda(), last);
  return launched(stream);
}

/* --- the choice of the method ----------------------------------------------------------------- */

/* BY_BLOCK: a block selects from a row by itself. BY_PARTS: several blocks select from each of a
 * few very long rows. SORT: such rows are sorted by all blocks, and several short rows by one
 * block. READ_SORTED: sorts in the same way, and reads one element of each row. */
enum Way { BY_BLOCK, BY_PARTS, SORT, READ_SORTED };

Way way_of(const tocha_select_args &args) {
  const bool is_short = args.n <= TOCHA_SORT_BLOCK, is_long = args.n > 65536 && args.outer < 32;
  if (args.task == TOCHA_SELECT_MODE) return READ_SORTED;
  if (args.task == TOCHA_SELECT_TOP) {
    if (is_short || args.k > TOCHA_MAX_SELECTED) return SORT;
    return is_long && args.k > 0 ? BY_PARTS : BY_BLOCK;
  }
  return is_short || is_long ? READ_SORTED : BY_BLOCK;
}

/* Returns the arguments of the sort. For READ_SORTED, the scratch memory begins with the
 * positions of each row in order. */
tocha_sort_args sort_of(const tocha_select_args &args, Way way) {
  const bool reads = way == READ_SORTED;
  tocha_sort_args sort = {};
  sort.in = args.in;
  sort.values = reads ? nullptr : args.values;
  sort.indices = reads ? static_cast<int64_t *>(args.scratch) : args.indices;
  sort.outer = args.outer;
  sort.n = args.n;
  sort.inner = 1;
  sort.kept = reads ? args.n : args.k;
  sort.dtype = args.dtype;
  sort.descending = args.descending;
  sort.scratch = reads ? static_cast<int64_t *>(args.scratch) + args.outer * args.n : args.scratch;
  return sort;
}

} // namespace

static long long kept_of(const tocha_select_args &args) {
  return args.task == TOCHA_SELECT_TOP ? args.k : 1;
}

size_t select_scratch(Stream *stream, const tocha_select_args &args) {
  if (args.inner > 1)
    return columns_bytes(args, kept_of(args)) +
           select_scratch(stream, as_rows(args, kept_of(args)));
  const Way way = way_of(args);
  if (way == BY_BLOCK) return 0;
  if (way == BY_PARTS) return parts_scratch(args);
  size_t places = way == READ_SORTED ? static_cast<size_t>(args.outer * args.n) : 0;
  return places * sizeof(int64_t) + sort_scratch(stream, sort_of(args, way));
}

bool launch_select(Stream *stream, const tocha_select_args &args) {
  if (args.inner > 1) return launch_columns(stream, args, kept_of(args), launch_select);
  const Way way = way_of(args);
  const tocha_sort_args sort = sort_of(args, way);
  if (way == BY_PARTS)
    return has_wide_keys(args.dtype) ? select_by_parts<unsigned long long>(stream, args)
                                     : select_by_parts<unsigned>(stream, args);
  if (way == SORT) return launch_sort(stream, sort);
  if (way == READ_SORTED && !launch_sort(stream, sort)) return false;
  const int64_t *sorted = way == READ_SORTED ? sort.indices : nullptr;
  return has_wide_keys(args.dtype) ? start<unsigned long long>(stream, args, sorted)
                                   : start<unsigned>(stream, args, sorted);
}

} // namespace tocha
