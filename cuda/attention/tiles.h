/* tiles.h: rows of heads in shared memory, and products of them by tensor cores.
 *
 * A tile is some rows of a tensor (batch, heads, rows, width), D numbers of 16 bits wide; numbers
 * beyond the tensor's width are 0. A warp computes sums of MT * 16 rows and NT * 8 columns:
 * sum[m][n] is the fragment (tensor_core.h) of rows 16m and columns 8n. */
#pragma once

#include "common/tensor_core.h"

namespace tocha {

/* Eight numbers of 16 bits, moved at once. */
struct alignas(16) Chunk {
  unsigned words[4];
};

__device__ inline int lane_number() { return static_cast<int>(threadIdx.x & 31); }
__device__ inline int warp_index() { return static_cast<int>(threadIdx.x / 32); }

/* Returns the index of a chunk in a tile. Neighbouring rows have their chunks in different orders,
 * so that eight rows of one column of chunks are in different banks. */
template <int D> __device__ inline int place_of(int row, int chunk) {
  constexpr int CHUNKS = D / 8;
  return row * CHUNKS + (chunk ^ (CHUNKS >= 8 ? row & 7 : row >> 1 & 3));
}

/* The same for the parts of a place that a lane adds (lane_row below 16, lane_chunk 0 or 1), and for
 * the whole, if row is a multiple of 16 and chunk even: what is known to the compiler stays apart. */
template <int D> __device__ inline int lane_place(int lane_row, int lane_chunk) {
  return place_of<D>(lane_row, 0) ^ lane_chunk;
}
template <int D> __device__ inline int joined_place(int of_lane, int row, int chunk) {
  constexpr int CHUNKS = D / 8, MIXED = CHUNKS >= 8 ? 7 : 3;
  return (of_lane ^ (chunk & MIXED)) + row * CHUNKS + (chunk & ~MIXED);
}

/* Starts to copy rows `first` and following of a head to a tile of ROWS rows, by THREADS threads. */
template <class T, int D, int ROWS, int THREADS>
__device__ inline void load_tile(Chunk *tile, const T *head, long long row_stride, int first,
                                 int rows, int width) {
  constexpr int CHUNKS = D / 8, STEP = THREADS / CHUNKS; /* STEP: rows at a time */
  const int row = static_cast<int>(threadIdx.x) / CHUNKS,
            chunk = static_cast<int>(threadIdx.x) % CHUNKS;
  const int left = chunk * 8 < width ? rows - first - row : 0;
  const T *from = head + (first + row) * row_stride + chunk * 8;
  Chunk *to = tile + place_of<D>(row, chunk);
  UNROLL
  for (int i = 0; i < ROWS / STEP; i++) {
    start_copy<16>(to + i * STEP * CHUNKS, from, i * STEP < left);
    from += STEP * row_stride;
  }
}

/* Load a fragment from 16 rows and two chunks of a tile, from `row` (a multiple of 16) and `chunk` (even) on. rows_of: the
 * fragment a. columns_of: the tile's rows are the columns of two fragments b, parts 0 and 1, and 2
 * and 3. across: the tile's rows are the rows of two fragments b. */
template <int D>
__device__ inline void rows_of(unsigned (&a)[4], const Chunk *tile, int row, int chunk) {
  const int place = lane_place<D>(lane_number() & 15, lane_number() >> 4);
  load_matrices<false>(a, tile + joined_place<D>(place, row, chunk));
}
template <int D>
__device__ inline void columns_of(unsigned (&b)[4], const Chunk *tile, int row, int chunk) {
  const int i = lane_number(), place = lane_place<D>((i & 7) + (i >> 4) * 8, i >> 3 & 1);
  load_matrices<false>(b, tile + joined_place<D>(place, row, chunk));
}
template <int D>
__device__ inline void across(unsigned (&b)[4], const Chunk *tile, int row, int chunk) {
  const int place = lane_place<D>(lane_number() & 15, lane_number() >> 4);
  load_matrices<true>(b, tile + joined_place<D>(place, row, chunk));
}

/* The MT * 16 rows of a tile that belong to a warp, as left factors of products: in registers if
 * KEPT, else loaded when they are used. */
template <int D, int MT, bool KEPT> struct Left {
  const Chunk *tile; /* from the warp's first row on */
  int place;         /* this lane's */
  unsigned kept[KEPT ? MT : 1][KEPT ? D / 16 : 1][4];

  /* Begins with the tile, which has been loaded. */
  __device__ inline void begin(const Chunk *of, int first) {
    tile = of + first * (D / 8);
    place = lane_place<D>(lane_number() & 15, lane_number() >> 4);
    if constexpr (KEPT) {
      UNROLL
      for (int m = 0; m < MT; m++) {
        UNROLL
        for (int k = 0; k < D / 16; k++) rows_of<D>(kept[m][k], tile, 16 * m, 2 * k);
      }
    }
  }
  __device__ inline void fragment(unsigned (&a)[4], int m, int k) const {
    if constexpr (KEPT) {
      UNROLL
      for (int j = 0; j < 4; j++) a[j] = kept[m][k][j];
    } else {
      load_matrices<false>(a, tile + joined_place<D>(place, 16 * m, 2 * k));
    }
  }
};

template <int MT, int NT> __device__ inline void clear(float (&sum)[MT][NT][4]) {
  UNROLL
  for (int m = 0; m < MT; m++) {
    UNROLL
    for (int n = 0; n < NT; n++) {
      UNROLL
      for (int e = 0; e < 4; e++) sum[m][n][e] = 0;
    }
  }
}

/* Computes sum = left @ tile^T. The tile has NT * 8 rows. */
template <class T, int D, int MT, int NT, bool KEPT>
__device__ inline void multiply(float (&sum)[MT][NT][4], const Left<D, MT, KEPT> &left,
                                const Chunk *tile) {
  clear(sum);
  UNROLL
  for (int k = 0; k < D / 16; k++) {
    unsigned a[MT][4];
    UNROLL
    for (int m = 0; m < MT; m++) left.fragment(a[m], m, k);
    UNROLL
    for (int n = 0; n < NT; n += 2) {
      unsigned b[4];
      columns_of<D>(b, tile, 8 * n, 2 * k);
      UNROLL
      for (int m = 0; m < MT; m++) {
        multiply_add<T>(sum[m][n], a[m], b[0], b[1]);
        multiply_add<T>(sum[m][n + 1], a[m], b[2], b[3]);
      }
    }
  }
}

/* Adds weights @ tile to sum. weights: the fragments of `round`. */
template <class T, int D, int MT, int KT>
__device__ inline void add_weighted(float (&sum)[MT][D / 8][4],
                                    const unsigned (&weights)[MT][KT][4], const Chunk *tile) {
  UNROLL
  for (int k = 0; k < KT; k++) {
    UNROLL
    for (int n = 0; n < D / 8; n += 2) {
      unsigned b[4];
      across<D>(b, tile, 16 * k, n);
      UNROLL
      for (int m = 0; m < MT; m++) {
        multiply_add<T>(sum[m][n], weights[m][k], b[0], b[1]);
        multiply_add<T>(sum[m][n + 1], weights[m][k], b[2], b[3]);
      }
    }
  }
}

/* Rounds sums to fragments that are left factors. */
template <class T, int MT, int NT>
__device__ inline void round(unsigned (&a)[MT][NT / 2][4], const float (&sum)[MT][NT][4]) {
  UNROLL
  for (int m = 0; m < MT; m++) {
    UNROLL
    for (int n = 0; n < NT; n++) {
      a[m][n / 2][n % 2 * 2] = packed<T>(sum[m][n][0], sum[m][n][1]);
      a[m][n / 2][n % 2 * 2 + 1] = packed<T>(sum[m][n][2], sum[m][n][3]);
    }
  }
}

/* Calls f(m, n, e, row, column) for each number [m][n][e] that this lane holds of sums; row and
 * column are counted from the warp's first ones. */
template <int MT, int NT, class F> __device__ inline void for_places(F f) {
  const int g = lane_number() / 4, t = lane_number() % 4;
  UNROLL
  for (int m = 0; m < MT; m++) {
    UNROLL
    for (int n = 0; n < NT; n++) {
      UNROLL
      for (int e = 0; e < 4; e++) f(m, n, e, 16 * m + g + e / 2 * 8, 8 * n + 2 * t + e % 2);
    }
  }
}

/* Calls f(value, row, column) for each number that this lane holds of sums. */
template <int MT, int NT, class F> __device__ inline void for_each(float (&sum)[MT][NT][4], F f) {
  for_places<MT, NT>(
      [&](int m, int n, int e, int row, int column) { f(sum[m][n][e], row, column); });
}

/* Writes sums to the rows `first` and following of a head. The warp's own rows of a tile, from
 * `own` on, serve for the exchange. */
template <class T, int D, int MT>
__device__ inline void store_rows(T *head, long long row_stride, int first, int rows, int width,
                                  const float (&sum)[MT][D / 8][4], Chunk *tile, int own) {
  constexpr int CHUNKS = D / 8;
  const int g = lane_number() / 4, t = lane_number() % 4;
  __syncwarp();
  UNROLL
  for (int m = 0; m < MT; m++) {
    UNROLL
    for (int n = 0; n < CHUNKS; n++) {
      const int row = own + 16 * m + g;
      tile[place_of<D>(row, n)].words[t] = packed<T>(sum[m][n][0], sum[m][n][1]);
      tile[place_of<D>(row + 8, n)].words[t] = packed<T>(sum[m][n][2], sum[m][n][3]);
    }
  }
  __syncwarp();
  UNROLL
  for (int i = 0; i < MT * 16 * CHUNKS / 32; i++) {
    const int at = lane_number() + 32 * i, row = at / CHUNKS, chunk = at % CHUNKS;
    if (first + row < rows && chunk * 8 < width)
      *reinterpret_cast<Chunk *>(head + (first + row) * row_stride + chunk * 8) =
          tile[place_of<D>(own + row, chunk)];
  }
}

} // namespace tocha
