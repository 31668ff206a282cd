/* flash_forward.cu: attention in one pass, by tensor cores: T. Dao, "FlashAttention-2: faster
 * attention with better parallelism and work partitioning", 2023. A block of four warps takes some
 * queries of one head, goes over the keys that these see, and keeps the scores in registers. */
#include "attention/flash.h"

namespace tocha {
namespace {

/* The queries of a warp (MT * 16), the keys of a step (NT * 8), and if queries stay in registers,
 * for tiles of width D. */
template <int D, bool EXTRA> struct ForwardShape {
  static constexpr int MT = EXTRA && D > 64 ? 1 : 2, NT = D > 64 ? 4 : 8;
  static constexpr bool KEPT = !EXTRA && D <= 64;
  static constexpr int QUERIES = FLASH_WARPS * MT * 16, KEYS = NT * 8;
  static constexpr size_t BYTES = tile_bytes<D>(QUERIES + 2 * KEYS);
};

/* The running softmax of a lane's rows, g and g + 8 of each 16: the largest score so far, and this
 * lane's part of the sum of the weights. */
template <int MT> struct Running { float best[MT][2], sum[MT][2]; };

/* Replaces scores by weights, and scales the sums so far to the new largest score. A score times
 * `factor` is a logarithm by base 2. */
template <int D, int MT, int NT>
__device__ inline void add_scores(float (&scores)[MT][NT][4], Running<MT> &r,
                                  float (&out)[MT][D / 8][4], float factor) {
  UNROLL
  for (int m = 0; m < MT; m++) {
    UNROLL
    for (int half = 0; half < 2; half++) {
      float best = r.best[m][half];
      UNROLL
      for (int n = 0; n < NT; n++)
        best = fmaxf(best, fmaxf(scores[m][n][2 * half], scores[m][n][2 * half + 1]));
      best = joined_in_row(best, [](float a, float b) { return fmaxf(a, b); });
      const float shift = best == -INFINITY ? 0 : best * factor;
      const float shrink = quick_exp2(fmaf(r.best[m][half], factor, -shift));
      float sum = r.sum[m][half] * shrink;
      UNROLL
      for (int n = 0; n < NT; n++) {
        UNROLL
        for (int e = 2 * half; e < 2 * half + 2; e++) {
          scores[m][n][e] = quick_exp2(fmaf(scores[m][n][e], factor, -shift));
          sum += scores[m][n][e];
        }
      }
      UNROLL
      for (int n = 0; n < D / 8; n++) {
        out[m][n][2 * half] *= shrink;
        out[m][n][2 * half + 1] *= shrink;
      }
      r.best[m][half] = best;
      r.sum[m][half] = sum;
    }
  }
}

/* Divides the sums by those of the weights, and writes the logarithms of the latter. first: the
 * warp's first query. */
template <int D, int MT>
__device__ inline void finish(const Flash &f, const Share &s, int first, const Running<MT> &r,
                              float (&out)[MT][D / 8][4], float factor) {
  UNROLL
  for (int m = 0; m < MT; m++) {
    UNROLL
    for (int half = 0; half < 2; half++) {
      const float sum = joined_in_row(r.sum[m][half], [](float a, float b) { return a + b; });
      const float best = r.best[m][half], share = sum == 0 ? 0 : f.kept / sum;
      const int query = first + 16 * m + lane_number() / 4 + 8 * half;
      if (lane_number() % 4 == 0 && query < f.queries)
        f.logsumexp[s.number * f.queries + query] =
            best == -INFINITY ? best : best * factor * LN_2 + logf(sum);
      UNROLL
      for (int n = 0; n < D / 8; n++) {
        out[m][n][2 * half] *= share;
        out[m][n][2 * half + 1] *= share;
      }
    }
  }
}

/* EXTRA: with a mask or dropout. */
template <class T, int D, bool EXTRA>
__global__ void __launch_bounds__(FLASH_THREADS, 2) flash_forward(const Flash f) {
#if !defined(WITHOUT_TENSOR_CORES)
  using Shape = ForwardShape<D, EXTRA>;
  constexpr int MT = Shape::MT, NT = Shape::NT, QUERIES = Shape::QUERIES, KEYS = Shape::KEYS;
  SHARED_DYNAMIC(Chunk, query_tile);
  Chunk *key_tile = query_tile + QUERIES * D / 8, *value_tile = key_tile + KEYS * D / 8;
  const Share s = share_of(f.heads, f.tiles, true);
  const int first = s.tile * QUERIES, own = warp_index() * MT * 16, query = first + own;
  const unsigned key_head = s.head / f.group;
  const T *keys = head_of<const T>(f.key, s.batch, key_head);
  const T *values = head_of<const T>(f.value, s.batch, key_head);
  const int seen = f.causal && first + QUERIES < f.keys ? first + QUERIES : f.keys;
  load_tile<T, D, QUERIES, FLASH_THREADS>(query_tile, head_of<const T>(f.query, s.batch, s.head),
                                          f.query.row, first, f.queries, f.width);
  load_tile<T, D, KEYS, FLASH_THREADS>(key_tile, keys, f.key.row, 0, f.keys, f.width);
  close_copies();
  wait_for_copies<0>();
  __syncthreads();
  Left<D, MT, Shape::KEPT> left;
  left.begin(query_tile, own);
  float out[MT][D / 8][4], scores[MT][NT][4];
  unsigned weights[MT][NT / 2][4];
  Running<MT> running;
  clear(out);
  UNROLL
  for (int i = 0; i < 2 * MT; i++) {
    running.best[i / 2][i % 2] = -INFINITY;
    running.sum[i / 2][i % 2] = 0;
  }
  const float factor = EXTRA ? 1 : f.to_log2;
  if constexpr (EXTRA) keep_position(f);
  for (int key = 0; key < seen; key += KEYS) {
    wait_for_copies<0>();
    __syncthreads(); /* the keys are there, and no warp reads the old values any more */
    load_tile<T, D, KEYS, FLASH_THREADS>(value_tile, values, f.value.row, key, f.keys, f.width);
    close_copies();
    multiply<T>(scores, left, key_tile);
    if constexpr (EXTRA) apply_mask<T, false>(f, s, query, key, scores);
    hide<false>(f, query, key, scores);
    wait_for_copies<0>();
    __syncthreads();
    if (key + KEYS < seen)
      load_tile<T, D, KEYS, FLASH_THREADS>(key_tile, keys, f.key.row, key + KEYS, f.keys, f.width);
    close_copies();
    add_scores<D>(scores, running, out, factor);
    if constexpr (EXTRA) {
      Kept<MT, NT> kept;
      kept.template draw<false>(f, s, query, key);
      kept.for_each(scores, [](float &x, bool stays, int, int) { x = stays ? x : 0; });
    }
    round<T>(weights, scores);
    add_weighted<T, D>(out, weights, value_tile);
  }
  finish<D>(f, s, query, running, out, factor);
  store_rows<T, D>(head_of<T>(f.out, s.batch, s.head), f.out.row, query, f.queries, f.width, out,
                   query_tile, own);
#endif
}

template <class T, int D, bool EXTRA>
bool start(Stream *stream, const tocha_attention_args &args, Flash f) {
  using Shape = ForwardShape<D, EXTRA>;
  const auto allow = [](int bytes) {
    return cudaFuncSetAttribute((flash_forward<T, D, EXTRA>),
                                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  };
  if (!allow_shared(stream, allow, Shape::BYTES)) return false;
  f.tiles = static_cast<unsigned>((args.queries + Shape::QUERIES - 1) / Shape::QUERIES);
  LAUNCH((flash_forward<T, D, EXTRA>), static_cast<unsigned>(args.batch * args.heads) * f.tiles,
         FLASH_THREADS, Shape::BYTES, stream->cuda(), f);
  return launched(stream);
}

} // namespace

Flash flash_of(const tocha_attention_args &args) {
  Flash f = {};
  f.query = args.query;
  f.key = args.key;
  f.value = args.value;
  f.out = args.out;
  f.grad = args.grad;
  f.grad_query = args.grad_query;
  f.grad_key = args.grad_key;
  f.grad_value = args.grad_value;
  f.mask = args.mask;
  for (tocha_heads *h : {&f.query, &f.key, &f.value, &f.grad})
    h->data = const_cast<void *>(READ_ONLY(static_cast<const void *>(h->data)));
  f.mask.data = READ_ONLY(args.mask.data);
  f.logsumexp = static_cast<float *>(args.logsumexp);
  f.means = static_cast<float *>(args.means);
  f.keep = static_cast<unsigned>((1 - args.dropout) * 65536 + 0.5);
  f.heads = static_cast<unsigned>(args.heads);
  f.group = static_cast<unsigned>(args.heads / args.key_heads);
  f.queries = static_cast<int>(args.queries);
  f.keys = static_cast<int>(args.keys);
  f.width = static_cast<int>(args.width);
  f.causal = args.causal;
  f.mask_dtype = args.mask_dtype;
  f.scale = static_cast<float>(args.scale);
  f.to_log2 = f.scale * LOG2_E;
  f.kept = args.dropout < 1 ? static_cast<float>(1 / (1 - args.dropout)) : 0;
  return f;
}

bool takes_flash(Stream *stream, const tocha_attention_args &args) {
  const auto fits = [](int64_t n) { return n > 0 && n < 1 << 30; };
  const bool halves = args.dtype == TOCHA_FLOAT16 || args.dtype == TOCHA_BFLOAT16;
  const bool mask = !args.mask.data || args.mask_dtype == TOCHA_BOOL ||
                    args.mask_dtype == TOCHA_FLOAT32 || args.mask_dtype == args.dtype;
  /* the largest score is sought before scores are multiplied by scale */
  const bool numbers =
      args.scale > 0 && args.scale < 1e30 && args.dropout >= 0 && args.dropout <= 1;
  return halves && mask && numbers && args.width % 8 == 0 && args.width > 0 && args.width <= 128 &&
         fits(args.queries) && fits(args.keys) && fits(args.batch * args.heads) &&
         args.batch * args.heads *
                 ((args.queries > args.keys ? args.queries : args.keys) / 64 + 1) <
             1LL << 31 &&
         stream->home().properties.major >= 8;
}

bool launch_flash_forward(Stream *stream, const tocha_attention_args &args) {
  Flash f = flash_of(args);
  if (args.dropout > 0) {
    f.random = Philox(stream, args.generator, 4);
    f.drawn = static_cast<unsigned long long *>(args.drawn);
  }
  bool ok = true;
  with_tiles(args, f, [&](auto type, auto width, auto extra) {
    ok = start<typename decltype(type)::type, decltype(width)::value, decltype(extra)::value>(
        stream, args, f);
  });
  return ok;
}

} // namespace tocha
