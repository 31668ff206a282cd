/* flash_backward.cu: the gradients of attention by tensor cores, from the logarithms of the sums that
 * the forward pass kept. A block of flash_query_slopes goes over the keys that some queries see, one
 * of flash_key_slopes over the queries that see some keys; both compute the weights again. So every
 * gradient is the sum of one block, in a fixed order. */
#include "attention/flash.h"

namespace tocha {
namespace {

/* The shape of both kernels: the own rows of a warp (MT * 16) and the other side's rows in a step
 * (NT * 8), for tiles of width D. LESS: with fewer registers for sums. */
template <int D, bool LESS> struct BackwardShape {
  static constexpr int MT = D > 64 || LESS ? 1 : 2, NT = D > 64 && LESS ? 2 : 4;
  static constexpr int OWN = FLASH_WARPS * MT * 16, STEP = NT * 8;
  /* two tiles of own rows, two of a step and of the one under way, and two numbers for each query
   * of these */
  static constexpr size_t BYTES = tile_bytes<D>(2 * OWN + 4 * STEP) + 4 * STEP * sizeof(float);
};

/* Replaces scores by weights. logarithm(row, column) gives the logarithm of a sum by base 2. */
template <bool EXTRA, int MT, int NT, class Log>
__device__ inline void to_weights(const Flash &f, float (&scores)[MT][NT][4], Log logarithm) {
  const float factor = EXTRA ? 1 : f.to_log2;
  for_each(scores, [&](float &x, int row, int column) {
    x = quick_exp2(fmaf(x, factor, -logarithm(row, column)));
  });
}

/* Returns the logarithm by base 2 of a row's sum; one that gives weights of 0 if the row sees no key. */
__device__ inline float log_of(float logsumexp) {
  return logsumexp == -INFINITY ? INFINITY : logsumexp * LOG2_E;
}

/* Replaces the gradients of weights by those of scores, divided by scale. mean(m, half, column): the
 * mean gradient of the weights of a query. */
template <int MT, int NT, class Mean>
__device__ inline void to_score_slopes(const float (&weights)[MT][NT][4],
                                       float (&slopes)[MT][NT][4], Mean mean) {
  for_places<MT, NT>([&](int m, int n, int e, int, int column) {
    slopes[m][n][e] = weights[m][n][e] * (slopes[m][n][e] - mean(m, e / 2, column));
  });
}

/* --- the gradient by queries ------------------------------------------------------------------ */

/* The numbers of a lane's queries, g and g + 8 of each 16. */
template <int MT> struct Rows { float log[MT][2], mean[MT][2]; };

/* Computes the mean gradients of the weights of queries, out . grad, which are kept for the other
 * kernel, too. */
template <class T, int D, int MT>
__device__ inline void begin_rows(const Flash &f, const Share &s, int query, Rows<MT> &rows) {
  const T *out = head_of<const T>(f.out, s.batch, s.head);
  const T *grad = head_of<const T>(f.grad, s.batch, s.head);
  const int t = lane_number() % 4;
  UNROLL
  for (int m = 0; m < MT; m++) {
    UNROLL
    for (int half = 0; half < 2; half++) {
      const int row = query + 16 * m + lane_number() / 4 + 8 * half;
      float sum = 0;
      UNROLL
      for (int chunk = t; chunk < D / 8; chunk += 4) {
        if (row >= f.queries || chunk * 8 >= f.width) continue;
        const Vec<T, 8> a = load_vec<8>(out + row * f.out.row + chunk * 8);
        const Vec<T, 8> b = load_vec<8>(grad + row * f.grad.row + chunk * 8);
        UNROLL
        for (int j = 0; j < 8; j++) sum += convert<float>(a[j]) * convert<float>(b[j]);
      }
      sum = joined_in_row(sum, [](float a, float b) { return a + b; });
      rows.mean[m][half] = sum;
      rows.log[m][half] = INFINITY;
      if (row >= f.queries) continue;
      const long long at = s.number * f.queries + row;
      rows.log[m][half] = log_of(f.logsumexp[at]);
      if (t == 0) f.means[at] = sum;
    }
  }
}

/* Starts to copy the keys and values of a step to its tiles. s: of the queries. */
template <class T, int D, int STEP>
__device__ inline void load_keys(const Flash &f, const Share &s, int key, Chunk *steps) {
  constexpr int SIZE = STEP * D / 8;
  const unsigned head = s.head / f.group;
  Chunk *tile = steps + (key / STEP & 1) * 2 * SIZE;
  load_tile<T, D, STEP, FLASH_THREADS>(tile, head_of<const T>(f.key, s.batch, head), f.key.row, key,
                                       f.keys, f.width);
  load_tile<T, D, STEP, FLASH_THREADS>(tile + SIZE, head_of<const T>(f.value, s.batch, head),
                                       f.value.row, key, f.keys, f.width);
  close_copies();
}

template <class T, int D, bool EXTRA>
__global__ void __launch_bounds__(FLASH_THREADS, 2) flash_query_slopes(const Flash f) {
#if !defined(WITHOUT_TENSOR_CORES)
  using Shape = BackwardShape<D, false>;
  constexpr int MT = Shape::MT, NT = Shape::NT, OWN = Shape::OWN, STEP = Shape::STEP;
  constexpr int SIZE = STEP * D / 8;
  SHARED_DYNAMIC(Chunk, query_tile);
  Chunk *grad_tile = query_tile + OWN * D / 8, *steps = grad_tile + OWN * D / 8;
  const Share s = share_of(f.heads, f.tiles, true);
  const int first = s.tile * OWN, own = warp_index() * MT * 16, query = first + own;
  const int seen = f.causal && first + OWN < f.keys ? first + OWN : f.keys;
  load_tile<T, D, OWN, FLASH_THREADS>(query_tile, head_of<const T>(f.query, s.batch, s.head),
                                      f.query.row, first, f.queries, f.width);
  load_tile<T, D, OWN, FLASH_THREADS>(grad_tile, head_of<const T>(f.grad, s.batch, s.head),
                                      f.grad.row, first, f.queries, f.width);
  load_keys<T, D, STEP>(f, s, 0, steps);
  Rows<MT> rows;
  begin_rows<T, D>(f, s, query, rows);
  Left<D, MT, false> left, left_grad;
  left.begin(query_tile, own);
  left_grad.begin(grad_tile, own);
  float sum[MT][D / 8][4], scores[MT][NT][4], slopes[MT][NT][4];
  unsigned factors[MT][NT / 2][4];
  clear(sum);
  for (int key = 0; key < seen; key += STEP) {
    const Chunk *key_tile = steps + (key / STEP & 1) * 2 * SIZE, *value_tile = key_tile + SIZE;
    wait_for_copies<0>();
    __syncthreads(); /* the step is there, and no warp reads the one before any more */
    if (key + STEP < seen) load_keys<T, D, STEP>(f, s, key + STEP, steps);
    multiply<T>(scores, left, key_tile);
    if constexpr (EXTRA) apply_mask<T, false>(f, s, query, key, scores);
    hide<false>(f, query, key, scores);
    to_weights<EXTRA>(f, scores, [&](int row, int) { return rows.log[row / 16][row / 8 % 2]; });
    multiply<T>(slopes, left_grad, value_tile);
    if constexpr (EXTRA) {
      Kept<MT, NT> kept;
      kept.template draw<false>(f, s, query, key);
      kept.for_each(slopes, [&](float &x, bool stays, int, int) { x = stays ? x * f.kept : 0; });
    }
    to_score_slopes(scores, slopes, [&](int m, int half, int) { return rows.mean[m][half]; });
    round<T>(factors, slopes);
    add_weighted<T, D>(sum, factors, key_tile);
  }
  for_each(sum, [&](float &x, int, int) { x *= f.scale; });
  store_rows<T, D>(head_of<T>(f.grad_query, s.batch, s.head), f.grad_query.row, query, f.queries,
                   f.width, sum, query_tile, own);
#endif
}

/* --- the gradients by keys and values --------------------------------------------------------- */

/* A step over the queries of one head of those that share a head of keys. */
struct Step {
  unsigned member;
  int query, number;
};

__device__ inline void advance(const Flash &f, Step &step, int first, int size) {
  step.number++;
  step.query += size;
  if (step.query < f.queries) return;
  step.query = first;
  step.member++;
}

/* Starts to copy the queries of a step and their gradients to its tiles, and the logarithms of their
 * sums and their mean gradients to `numbers`. s: of the keys. */
template <class T, int D, int STEP>
__device__ inline void load_queries(const Flash &f, const Share &s, const Step &step, Chunk *steps,
                                    float *numbers) {
  constexpr int SIZE = STEP * D / 8;
  const unsigned head = s.head * f.group + step.member;
  Chunk *tile = steps + (step.number & 1) * 2 * SIZE;
  load_tile<T, D, STEP, FLASH_THREADS>(tile, head_of<const T>(f.query, s.batch, head), f.query.row,
                                       step.query, f.queries, f.width);
  load_tile<T, D, STEP, FLASH_THREADS>(tile + SIZE, head_of<const T>(f.grad, s.batch, head),
                                       f.grad.row, step.query, f.queries, f.width);
  if (threadIdx.x < 2 * STEP) {
    const int row = step.query + static_cast<int>(threadIdx.x) % STEP;
    const float *from = threadIdx.x < STEP ? f.logsumexp : f.means;
    const long long before = (1LL * s.batch * f.heads + head) * f.queries;
    start_copy<4>(numbers + (step.number & 1) * 2 * STEP + threadIdx.x, from + before + row,
                  row < f.queries);
  }
  close_copies();
}

/* Adds the weights that stay @ the gradients of the queries to the gradients of values. */
template <class T, int D, bool EXTRA, int MT, int NT>
__device__ inline void add_value_slopes(float (&values)[MT][D / 8][4],
                                        const float (&weights)[MT][NT][4], const Kept<MT, NT> &kept,
                                        const Chunk *grad_tile) {
  unsigned factors[MT][NT / 2][4];
  if constexpr (EXTRA) {
    float staying[MT][NT][4];
    memcpy(staying, weights, sizeof staying);
    kept.for_each(staying, [](float &x, bool stays, int, int) { x = stays ? x : 0; });
    round<T>(factors, staying);
  } else {
    round<T>(factors, weights);
  }
  add_weighted<T, D>(values, factors, grad_tile);
}

template <class T, int D, bool EXTRA>
__global__ void __launch_bounds__(FLASH_THREADS, 2) flash_key_slopes(const Flash f) {
#if !defined(WITHOUT_TENSOR_CORES)
  using Shape = BackwardShape<D, EXTRA>;
  constexpr int MT = Shape::MT, NT = Shape::NT, OWN = Shape::OWN, STEP = Shape::STEP;
  constexpr int SIZE = STEP * D / 8;
  SHARED_DYNAMIC(Chunk, key_tile);
  Chunk *value_tile = key_tile + OWN * D / 8, *steps = value_tile + OWN * D / 8;
  float *numbers = reinterpret_cast<float *>(steps + 4 * SIZE);
  const Share s = share_of(f.heads / f.group, f.tiles, false);
  const int first = s.tile * OWN, own = warp_index() * MT * 16, key = first + own;
  const int start = f.causal ? first / STEP * STEP : 0;
  load_tile<T, D, OWN, FLASH_THREADS>(key_tile, head_of<const T>(f.key, s.batch, s.head), f.key.row,
                                      first, f.keys, f.width);
  load_tile<T, D, OWN, FLASH_THREADS>(value_tile, head_of<const T>(f.value, s.batch, s.head),
                                      f.value.row, first, f.keys, f.width);
  close_copies();
  Step step = {start < f.queries ? 0 : f.group, start, 0}, next = step;
  if (step.member < f.group) load_queries<T, D, STEP>(f, s, step, steps, numbers);
  Left<D, MT, false> left, left_value;
  left.begin(key_tile, own);
  left_value.begin(value_tile, own);
  float keys[MT][D / 8][4], values[MT][D / 8][4], scores[MT][NT][4], slopes[MT][NT][4];
  unsigned factors[MT][NT / 2][4];
  Kept<MT, NT> kept;
  clear(keys);
  clear(values);
  for (; step.member < f.group; step = next) {
    const Chunk *query_tile = steps + (step.number & 1) * 2 * SIZE, *grad_tile = query_tile + SIZE;
    const float *logs = numbers + (step.number & 1) * 2 * STEP, *means = logs + STEP;
    wait_for_copies<0>();
    __syncthreads(); /* the step is there, and no warp reads the one before any more */
    advance(f, next, start, STEP);
    if (next.member < f.group) load_queries<T, D, STEP>(f, s, next, steps, numbers);
    Share of_query = s;
    of_query.head = s.head * f.group + step.member;
    of_query.number = 1LL * s.batch * f.heads + of_query.head;
    multiply<T>(scores, left, query_tile);
    if constexpr (EXTRA) apply_mask<T, true>(f, of_query, step.query, key, scores);
    hide<true>(f, step.query, key, scores);
    to_weights<EXTRA>(f, scores, [&](int, int column) { return log_of(logs[column]); });
    if constexpr (EXTRA) kept.template draw<true>(f, of_query, step.query, key);
    add_value_slopes<T, D, EXTRA>(values, scores, kept, grad_tile);
    multiply<T>(slopes, left_value, grad_tile);
    if constexpr (EXTRA)
      kept.for_each(slopes, [&](float &x, bool stays, int, int) { x = stays ? x * f.kept : 0; });
    to_score_slopes(scores, slopes, [&](int, int, int column) { return means[column]; });
    round<T>(factors, slopes);
    add_weighted<T, D>(keys, factors, query_tile);
  }
  wait_for_copies<0>();
  for_each(keys, [&](float &x, int, int) { x *= f.scale; });
  if constexpr (EXTRA) for_each(values, [&](float &x, int, int) { x *= f.kept; });
  store_rows<T, D>(head_of<T>(f.grad_key, s.batch, s.head), f.grad_key.row, key, f.keys, f.width,
                   keys, key_tile, own);
  store_rows<T, D>(head_of<T>(f.grad_value, s.batch, s.head), f.grad_value.row, key, f.keys,
                   f.width, values, value_tile, own);
#endif
}

unsigned tiles_of(int64_t rows, int own) { return static_cast<unsigned>((rows + own - 1) / own); }

template <class T, int D, bool EXTRA>
bool start(Stream *stream, const tocha_attention_args &args, Flash f) {
  using Queries = BackwardShape<D, false>;
  using Keys = BackwardShape<D, EXTRA>;
  const auto bytes_for_queries = [](int bytes) {
    return cudaFuncSetAttribute((flash_query_slopes<T, D, EXTRA>),
                                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  };
  const auto bytes_for_keys = [](int bytes) {
    return cudaFuncSetAttribute((flash_key_slopes<T, D, EXTRA>),
                                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  };
  if (!allow_shared(stream, bytes_for_queries, Queries::BYTES) ||
      !allow_shared(stream, bytes_for_keys, Keys::BYTES))
    return false;
  f.tiles = tiles_of(args.queries, Queries::OWN);
  LAUNCH((flash_query_slopes<T, D, EXTRA>),
         static_cast<unsigned>(args.batch * args.heads) * f.tiles, FLASH_THREADS, Queries::BYTES,
         stream->cuda(), f);
  if (!launched(stream)) return false;
  f.means = const_cast<float *>(READ_ONLY(static_cast<const float *>(f.means)));
  f.tiles = tiles_of(args.keys, Keys::OWN);
  LAUNCH((flash_key_slopes<T, D, EXTRA>),
         static_cast<unsigned>(args.batch * args.key_heads) * f.tiles, FLASH_THREADS, Keys::BYTES,
         stream->cuda(), f);
  return launched(stream);
}

} // namespace

bool launch_flash_backward(Stream *stream, const tocha_attention_args &args) {
  Flash f = flash_of(args);
  f.random.position = READ_ONLY(static_cast<const unsigned long long *>(args.drawn));
  f.out.data = const_cast<void *>(READ_ONLY(static_cast<const void *>(f.out.data)));
  f.logsumexp = const_cast<float *>(READ_ONLY(static_cast<const float *>(f.logsumexp)));
  bool ok = true;
  with_tiles(args, f, [&](auto type, auto width, auto extra) {
    ok = start<typename decltype(type)::type, decltype(width)::value, decltype(extra)::value>(
        stream, args, f);
  });
  return ok;
}

} // namespace tocha
