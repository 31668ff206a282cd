/* narrow.c: the loops of narrow.h. Sixteen columns of b are packed at a time, over as many terms as make a piece. Eight rows of
 * a at a time are multiplied with them, with the sums in registers. Of the instruction sets that loops are compiled for, only
 * avx512 has these loops: for others PyTorch's order is not known. */
#include "ops/matmul/cpu/digits/narrow.h"

#include <stddef.h>

#include "ops/matmul/cpu/digits/order.h"

#ifdef __AVX512F__
#include <immintrin.h>

enum { WIDTH = 16, ROWS = 8, MAX_TERMS = 192 };

/* Returns four floats of each of four lines, whose distance is four lines. */
static inline __m512 spread_lines(const float *from, int64_t line) {
  __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(from));
  v = _mm512_insertf32x4(v, _mm_loadu_ps(from + 4 * line), 1);
  v = _mm512_insertf32x4(v, _mm_loadu_ps(from + 8 * line), 2);
  return _mm512_insertf32x4(v, _mm_loadu_ps(from + 12 * line), 3);
}

/* Packs four terms of sixteen columns, by transposing each quarter of a register. */
static inline void pack_four_terms(const float *b, int64_t column, float *panel) {
  __m512 x = spread_lines(b, column), y = spread_lines(b + column, column);
  __m512 z = spread_lines(b + 2 * column, column), w = spread_lines(b + 3 * column, column);
  __m512 xy = _mm512_unpacklo_ps(x, y), zw = _mm512_unpacklo_ps(z, w);
  _mm512_store_ps(panel, _mm512_shuffle_ps(xy, zw, 0x44));
  _mm512_store_ps(panel + WIDTH, _mm512_shuffle_ps(xy, zw, 0xEE));
  xy = _mm512_unpackhi_ps(x, y), zw = _mm512_unpackhi_ps(z, w);
  _mm512_store_ps(panel + (ptrdiff_t)2 * WIDTH, _mm512_shuffle_ps(xy, zw, 0x44));
  _mm512_store_ps(panel + (ptrdiff_t)3 * WIDTH, _mm512_shuffle_ps(xy, zw, 0xEE));
}

/* Packs columns (width, k) that are contiguous along k to (k, WIDTH). */
static void pack_columns(const float *b, int64_t column, int64_t k, int64_t width, float *panel) {
  int64_t done = 0;
  if (width == WIDTH)
    for (; done + 4 <= k; done += 4) pack_four_terms(b + done, column, panel + done * WIDTH);
  for (int64_t q = 0; q < width; q++)
    for (int64_t p = done; p < k; p++) panel[p * WIDTH + q] = b[q * column + p];
}

static void pack(const tocha_narrow_product *g, const float *b, int64_t k, int64_t width,
                 float *panel) {
  __mmask16 some = (__mmask16)((1U << width) - 1);
  if (g->b_row == 1) {
    pack_columns(b, g->b_column, k, width, panel);
    return;
  }
  for (int64_t p = 0; p < k; p++, b += g->b_row)
    if (g->b_column == 1)
      _mm512_store_ps(panel + p * WIDTH, _mm512_maskz_loadu_ps(some, b));
    else
      for (int64_t q = 0; q < width; q++) panel[p * WIDTH + q] = b[q * g->b_column];
}

static inline void put(float *out, __mmask16 some, __m512 sum, bool add) {
  if (add) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(some, out));
  _mm512_mask_storeu_ps(out, some, sum);
}

/* Computes `rows` rows, a constant at each call, times a panel (k, WIDTH). */
static inline __attribute__((always_inline)) void rows_of(const tocha_narrow_product *g, int rows,
                                                          const float *a, const float *panel,
                                                          int64_t k, __mmask16 some, float *out,
                                                          bool add) {
  __m512 sums[ROWS];
  for (int r = 0; r < rows; r++) sums[r] = _mm512_setzero_ps();
  for (int64_t p = 0; p < k; p++, a += g->a_column) {
    __m512 v = _mm512_load_ps(panel + p * WIDTH);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
      sums[r] = _mm512_fmadd_ps(_mm512_set1_ps(a[r * g->a_row]), v, sums[r]);
  }
  for (int r = 0; r < rows; r++) put(out + r * g->out_row, some, sums[r], add);
}

/* Computes `rows` rows, a constant at each call, times at most eight columns of a panel. */
static inline __attribute__((always_inline)) void
half_rows_of(const tocha_narrow_product *g, int rows, const float *a, const float *panel, int64_t k,
             __mmask16 some, float *out, bool add) {
  __m256 sums[ROWS];
  for (int r = 0; r < rows; r++) sums[r] = _mm256_setzero_ps();
  for (int64_t p = 0; p < k; p++, a += g->a_column) {
    __m256 v = _mm256_load_ps(panel + p * WIDTH);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
      sums[r] = _mm256_fmadd_ps(_mm256_set1_ps(a[r * g->a_row]), v, sums[r]);
  }
  for (int r = 0; r < rows; r++)
    put(out + r * g->out_row, some, _mm512_castps256_ps512(sums[r]), add);
}

static void all_rows(const tocha_narrow_product *g, const float *a, const float *panel, int64_t k,
                     __mmask16 some, float *out, bool add) {
  int64_t i = 0;
  for (; i + 8 <= g->m; i += 8, a += 8 * g->a_row, out += 8 * g->out_row)
    rows_of(g, 8, a, panel, k, some, out, add);
  for (; i + 4 <= g->m; i += 4, a += 4 * g->a_row, out += 4 * g->out_row)
    rows_of(g, 4, a, panel, k, some, out, add);
  for (; i < g->m; i++, a += g->a_row, out += g->out_row)
    rows_of(g, 1, a, panel, k, some, out, add);
}

static void all_half_rows(const tocha_narrow_product *g, const float *a, const float *panel,
                          int64_t k, __mmask16 some, float *out, bool add) {
  int64_t i = 0;
  for (; i + 8 <= g->m; i += 8, a += 8 * g->a_row, out += 8 * g->out_row)
    half_rows_of(g, 8, a, panel, k, some, out, add);
  for (; i + 4 <= g->m; i += 4, a += 4 * g->a_row, out += 4 * g->out_row)
    half_rows_of(g, 4, a, panel, k, some, out, add);
  for (; i < g->m; i++, a += g->a_row, out += g->out_row)
    half_rows_of(g, 1, a, panel, k, some, out, add);
}

static void multiply(const tocha_narrow_product *g) {
  _Alignas(64) float panel[MAX_TERMS * WIDTH];
  for (int64_t j = 0; j < g->n; j += WIDTH) {
    int64_t width = g->n - j < WIDTH ? g->n - j : WIDTH;
    __mmask16 some = (__mmask16)((1U << width) - 1);
    for (int64_t p = 0, k; p < g->k; p += k) {
      k = tocha_terms_together(g->k, g->k - p);
      pack(g, g->b + p * g->b_row + j * g->b_column, k, width, panel);
      (width > WIDTH / 2 ? all_rows : all_half_rows)(g, g->a + p * g->a_column, panel, k, some,
                                                     g->out + j, g->add || p > 0);
    }
  }
}

const tocha_narrow_loops TOCHA_LOOPS(narrow) = {multiply};

#else

const tocha_narrow_loops TOCHA_LOOPS(narrow) = {NULL};

#endif
