/* flash.h: what the passes of attention by tensor cores share: arguments, masks, dropout. */
#pragma once

#include "attention/launch.h"
#include "attention/tiles.h"
#include "common/launch.h"
#include "random/sampling.h"

namespace tocha {

enum { FLASH_WARPS = 4, FLASH_THREADS = 32 * FLASH_WARPS };

/* The arguments of tocha_attention_args as kernels take them. Scores are logarithms by base 2 in the
 * kernels, because that is the power that a GPU computes. */
struct Flash {
  tocha_heads query, key, value, out, grad, grad_query, grad_key, grad_value;
  tocha_score_mask mask;
  float *logsumexp, *means;
  Philox random;                      /* decides what is dropped */
  unsigned long long *drawn;          /* forward: where the seed and the offset of its words go */
  unsigned keep, heads, group, tiles; /* keep: of 65536 weights, how many stay on average */
  int queries, keys, width, causal, mask_dtype, rest;
  float scale, to_log2; /* to_log2: scale * log2(e) */
  float kept, unused;   /* kept: what a weight that stays is multiplied by */
};

constexpr float LOG2_E = 1.4426950408889634f, LN_2 = 0.6931471805599453f;

/* The head and the rows that a block works on. */
struct Share {
  unsigned batch, head;
  int tile;
  long long number; /* of the head, among all */
};

__device__ inline Share share_of(unsigned heads, unsigned tiles, bool last_first) {
  Share s;
  const unsigned number = blockIdx.x / tiles, tile = blockIdx.x % tiles;
  s.number = number;
  s.batch = number / heads;
  s.head = number % heads;
  s.tile = static_cast<int>(last_first ? tiles - 1 - tile : tile);
  return s;
}

template <class T>
__device__ inline T *head_of(const tocha_heads &h, unsigned batch, unsigned head) {
  return static_cast<T *>(h.data) + batch * h.batch + head * h.head;
}

/* Joins a value of the four lanes that share a row. */
template <class Join> __device__ inline float joined_in_row(float x, Join join) {
  x = join(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return join(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

/* In the functions below, a warp's scores begin at `query` and `key`. ACROSS: keys are their rows and
 * queries their columns, else it is the other way round. */

/* Adds the mask, of elements S, to scores, which have been multiplied by to_log2. */
template <class S, bool ACROSS, int MT, int NT>
__device__ inline void add_mask(const Flash &f, const Share &s, int query, int key,
                                float (&scores)[MT][NT][4]) {
  const S *mask =
      static_cast<const S *>(f.mask.data) + s.batch * f.mask.batch + s.head * f.mask.head;
  for_each(scores, [&](float &score, int row, int column) {
    const int q = query + (ACROSS ? column : row), k = key + (ACROSS ? row : column);
    if (q >= f.queries || k >= f.keys) return;
    const S x = mask[q * f.mask.row + k * f.mask.column];
    if constexpr (std::is_same<S, boolean>::value)
      score = x.byte ? score : -INFINITY;
    else
      score += convert<float>(x) * LOG2_E;
  });
}

/* Multiplies scores by to_log2 and adds the mask. */
template <class T, bool ACROSS, int MT, int NT>
__device__ inline void apply_mask(const Flash &f, const Share &s, int query, int key,
                                  float (&scores)[MT][NT][4]) {
  for_each(scores, [&](float &x, int, int) { x *= f.to_log2; });
  if (!f.mask.data) return;
  if (f.mask_dtype == TOCHA_BOOL)
    add_mask<boolean, ACROSS>(f, s, query, key, scores);
  else if (f.mask_dtype == TOCHA_FLOAT32)
    add_mask<float, ACROSS>(f, s, query, key, scores);
  else
    add_mask<T, ACROSS>(f, s, query, key, scores);
}

/* Hides the keys that a query does not see, and queries and keys that there are not. */
template <bool ACROSS, int MT, int NT>
__device__ inline void hide(const Flash &f, int query, int key, float (&scores)[MT][NT][4]) {
  const int rows = ACROSS ? f.queries : f.keys, last = (ACROSS ? query : key) + NT * 8;
  const int last_key = key + (ACROSS ? MT * 16 : NT * 8) - 1;
  if (last <= rows && !(f.causal && last_key > query)) return;
  for_each(scores, [&](float &x, int row, int column) {
    const int q = query + (ACROSS ? column : row), k = key + (ACROSS ? row : column);
    if ((ACROSS ? q : k) >= rows || (f.causal && k > q)) x = -INFINITY;
  });
}

/* Leaves the position of the random words for the backward pass. */
__device__ inline void keep_position(const Flash &f) {
  if (!f.drawn || blockIdx.x != 0 || threadIdx.x != 0) return;
  const Philox random = f.random.located();
  f.drawn[0] = static_cast<unsigned long long>(random.key1) << 32 | random.key0;
  f.drawn[1] = random.first * 4;
}

/* Returns which of the weights of a tile of 16 queries and 16 keys stay, those that a lane holds if
 * queries are rows: bit 4 * (row / 8) + 2 * (column / 8) + column % 2. */
__device__ inline unsigned kept_weights(const Flash &f, const Share &s, int query_tile,
                                        int key_tile) {
  const unsigned long long tiles = (static_cast<unsigned>(f.keys) + 15) / 16,
                           rows = (static_cast<unsigned>(f.queries) + 15) / 16,
                           index = ((s.number * rows + query_tile) * tiles + key_tile) * 32 +
                                   static_cast<unsigned>(lane_number());
  const tocha_philox_words random = f.random.located().words(index, 0);
  unsigned bits = 0;
  UNROLL
  for (int e = 0; e < 8; e++)
    bits |= static_cast<unsigned>((random.word[e / 2] >> e % 2 * 16 & 0xffff) < f.keep) << e;
  return bits;
}

/* The same for weights whose rows are keys (warp): bit 4 * (row / 8) + 2 * (column / 8) +
 * column % 2. */
__device__ inline unsigned kept_across(const Flash &f, const Share &s, int query_tile,
                                       int key_tile) {
  const unsigned bits = kept_weights(f, s, query_tile, key_tile);
  const int g = lane_number() / 4, t = lane_number() % 4;
  unsigned result = 0;
  UNROLL
  for (int j = 0; j < 2; j++) { /* query 2t + j of the tile */
    const unsigned other = __shfl_sync(0xffffffffu, bits, (2 * t + j) * 4 + g / 2) >> g % 2;
    UNROLL
    for (int e = 0; e < 4; e++) /* e / 2: the query's eight, e % 2: the key's */
      result |= (other >> (e / 2 * 4 + e % 2 * 2) & 1) << (e % 2 * 4 + e / 2 * 2 + j);
  }
  return result;
}

/* Which weights of a warp stay. */
template <int MT, int NT> struct Kept {
  unsigned bits[MT][NT / 2];

  template <bool ACROSS>
  __device__ inline void draw(const Flash &f, const Share &s, int query, int key) {
    UNROLL
    for (int m = 0; m < MT; m++) {
      UNROLL
      for (int n = 0; n < NT / 2; n++)
        bits[m][n] = f.keep >= 65536 ? 0xff
                     : ACROSS        ? kept_across(f, s, query / 16 + n, key / 16 + m)
                                     : kept_weights(f, s, query / 16 + m, key / 16 + n);
    }
  }
  /* Does as the function for_each; f(value, stays, row, column). */
  template <class F> __device__ inline void for_each(float (&sum)[MT][NT][4], F f) const {
    for_places<MT, NT>([&](int m, int n, int e, int row, int column) {
      const int bit = e / 2 * 4 + n % 2 * 2 + e % 2;
      f(sum[m][n][e], (bits[m][n / 2] >> bit & 1) != 0, row, column);
    });
  }
};

/* Returns the arguments of the kernels, without `tiles`. */
Flash flash_of(const tocha_attention_args &args);

/* Allows a kernel more shared memory than 48 KB, if it needs that. */
template <class Kernel> bool allow_shared(Stream *stream, Kernel allow, size_t bytes) {
  return bytes <= 48 << 10 || check(stream->state, allow(static_cast<int>(bytes)));
}

/* Returns the shared memory of tiles with this many rows in all. */
template <int D> constexpr size_t tile_bytes(int rows) { return size_t(rows) * D * 2; }

/* Calls f(Type<T>(), integral constants D, EXTRA): the type of the numbers, the width of tiles,
 * whether there is a mask or dropout. */
template <class F> void with_tiles(const tocha_attention_args &args, const Flash &flash, F f) {
  const auto extras = [&](auto type, auto width) {
    if (flash.mask.data || flash.keep < 65536)
      f(type, width, std::true_type());
    else
      f(type, width, std::false_type());
  };
  const auto widths = [&](auto type) {
    if (args.width <= 32)
      extras(type, std::integral_constant<int, 32>());
    else if (args.width <= 64)
      extras(type, std::integral_constant<int, 64>());
    else
      extras(type, std::integral_constant<int, 128>());
  };
  if (args.dtype == TOCHA_FLOAT16)
    widths(Type<float16>());
  else
    widths(Type<bfloat16>());
}

} // namespace tocha
