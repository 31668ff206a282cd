/* small_avx512.c: the loops of small_avx512.h, for avx512 only. */
#include "ops/matmul/cpu/digits/small_avx512.h"

#include <stddef.h>

#ifdef __AVX512F__
#include <immintrin.h>
#include <string.h>

enum { ROWS = 4, LANES = 4, PAIR = 8, WIDTH = 16 };

static void pack(const float *columns, int64_t ld, int64_t k, int64_t lead, float *panel) {
  for (int64_t p = lead; p + LANES <= k; p += LANES, panel += WIDTH) {
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(columns + p));
    v = _mm512_insertf32x4(v, _mm_loadu_ps(columns + ld + p), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(columns + 2 * ld + p), 2);
    _mm512_store_ps(panel, _mm512_insertf32x4(v, _mm_loadu_ps(columns + 3 * ld + p), 3));
  }
}

static void pack_pair(const float *columns, int64_t ld, int64_t count, int64_t k, int64_t lead,
                      float *panel) {
  const float *second = columns + (count > 1 ? ld : 0);
  for (int64_t p = lead; p + PAIR <= k; p += PAIR, panel += WIDTH) {
    _mm256_store_ps(panel, _mm256_loadu_ps(columns + p));
    _mm256_store_ps(panel + PAIR, _mm256_loadu_ps(second + p));
  }
}

/* Returns, in each quarter, the sum of its lanes, added halves to halves. */
static inline __m512 across(__m512 s) {
  s = _mm512_add_ps(s, _mm512_shuffle_ps(s, s, 0x4E));
  return _mm512_add_ps(s, _mm512_shuffle_ps(s, s, 0xB1));
}

/* Returns the sums of the terms before the panel, in the first lane of each quarter (or of every second one). */
static inline __m512 led(const tocha_small_avx512_rows *g, int r, const float *columns, int64_t ld,
                         int64_t count, int each) {
  _Alignas(64) float first[WIDTH] = {0};
  if (g->lead == 0) return _mm512_setzero_ps();
  for (int64_t c = 0; c < count; c++)
    first[c * each] = tocha_terms_added(0, g->x[r], columns + c * ld, 0, g->lead);
  return _mm512_load_ps(first);
}

static inline void finish(const tocha_small_avx512_rows *g, int r, const float *columns, int64_t ld,
                          int64_t count, int each, __m512 total, int64_t done) {
  _Alignas(64) float sums[WIDTH];
  _mm512_store_ps(sums, total);
  for (int64_t c = 0; c < count; c++) {
    float sum = tocha_terms_added(sums[c * each], g->x[r], columns + c * ld, done, g->k);
    g->out[r][c] = g->add ? sum + g->out[r][c] : sum;
  }
}

static void dots(const tocha_small_avx512_rows *g, const float *columns, int64_t ld,
                 const float *panel) {
  __m512 s[ROWS];
  int64_t p = g->lead;
  for (int r = 0; r < ROWS; r++) s[r] = led(g, r, columns, ld, 4, LANES);
  for (; p + LANES <= g->k; p += LANES, panel += WIDTH) {
    __m512 v = _mm512_load_ps(panel);
    for (int r = 0; r < ROWS; r++)
      s[r] =
          _mm512_add_ps(s[r], _mm512_mul_ps(v, _mm512_broadcast_f32x4(_mm_loadu_ps(g->x[r] + p))));
  }
  for (int r = 0; r < ROWS; r++) finish(g, r, columns, ld, 4, LANES, across(s[r]), p);
}

static void dots_by_pairs(const tocha_small_avx512_rows *g, const float *columns, int64_t ld,
                          int64_t count, const float *panel) {
  __m512 s[ROWS];
  int64_t p = g->lead;
  for (int r = 0; r < ROWS; r++) s[r] = led(g, r, columns, ld, count, PAIR);
  for (; p + PAIR <= g->k; p += PAIR, panel += WIDTH) {
    __m512 v = _mm512_load_ps(panel);
    for (int r = 0; r < ROWS; r++)
      s[r] = _mm512_add_ps(s[r],
                           _mm512_mul_ps(v, _mm512_broadcast_f32x8(_mm256_loadu_ps(g->x[r] + p))));
  }
  for (int r = 0; r < ROWS; r++) {
    __m512 both = _mm512_add_ps(s[r], _mm512_shuffle_f32x4(s[r], s[r], 0xB1));
    finish(g, r, columns, ld, count, PAIR, across(both), p);
  }
}

/* --- one term after the other -------------------------------------------------------------------------- */

/* Operands of eight rows and at most eight columns. */
typedef struct block {
  const float *x[PAIR], *b;
  int64_t k, step, ldb;
  __mmask8 some;
} block;

static void block_in_turn(const block *g, __m256 *s) {
  for (int64_t p = 0; p < g->k; p++) {
    __m256 v = _mm256_maskz_loadu_ps(g->some, g->b + p * g->ldb);
#pragma GCC unroll 8
    for (int r = 0; r < PAIR; r++)
      s[r] = _mm256_add_ps(s[r], _mm256_mul_ps(v, _mm256_set1_ps(g->x[r][p * g->step])));
  }
}

/* Adds the terms in eights (rows 8, columns 8), the last four of each to a sum of their own first. */
static void block_by_fours(const block *g, __m256 *s) {
  int64_t p = 0;
  for (; p + PAIR <= g->k; p += PAIR) {
    __m256 v[PAIR];
    for (int q = 0; q < PAIR; q++) v[q] = _mm256_maskz_loadu_ps(g->some, g->b + (p + q) * g->ldb);
    for (int r = 0; r < PAIR; r++) {
      const float *x = g->x[r] + p * g->step;
      __m256 others = _mm256_mul_ps(v[4], _mm256_set1_ps(x[4 * g->step]));
#pragma GCC unroll 4
      for (int q = 0; q < 4; q++)
        s[r] = _mm256_add_ps(s[r], _mm256_mul_ps(v[q], _mm256_set1_ps(x[q * g->step])));
#pragma GCC unroll 4
      for (int q = 5; q < PAIR; q++)
        others = _mm256_add_ps(others, _mm256_mul_ps(v[q], _mm256_set1_ps(x[q * g->step])));
      s[r] = _mm256_add_ps(s[r], others);
    }
  }
  block rest = *g;
  for (int r = 0; r < PAIR; r++) rest.x[r] += p * g->step;
  rest.b += p * g->ldb;
  rest.k -= p;
  block_in_turn(&rest, s);
}

/* Returns the mask of the columns of a row, from column j on, that are summed by fours: those before a multiple of 16 bytes.
 * out: the address of column j. */
static __mmask8 by_fours(const tocha_small_avx512_product *g, const float *out, int64_t j) {
  int64_t lead = (int64_t)(-(uintptr_t)out / sizeof(float) % LANES);
  return j || g->m == 1 || g->k < PAIR || g->n - lead < LANES ? 0 : (__mmask8)((1U << lead) - 1);
}

static void eight_rows(const tocha_small_avx512_product *g, int64_t i, int64_t j) {
  int64_t width = g->n - j < PAIR ? g->n - j : PAIR;
  block b = {.b = g->b + j,
             .k = g->k,
             .step = g->a_column,
             .ldb = g->ldb,
             .some = (__mmask8)((1U << width) - 1)};
  __m256 s[PAIR], t[PAIR];
  __mmask8 fours[PAIR], any = 0;
  float *out[PAIR];
  for (int r = 0; r < PAIR; r++) {
    int64_t row = i + r < g->m ? i + r : g->m - 1; /* the last row again */
    b.x[r] = g->a + row * g->a_row;
    out[r] = g->out + row * g->n + j;
    s[r] = t[r] = g->add ? _mm256_maskz_loadu_ps(b.some, out[r]) : _mm256_setzero_ps();
    any |= fours[r] = by_fours(g, out[r], j);
  }
  block_in_turn(&b, s);
  if (any) block_by_fours(&b, t);
  for (int r = 0; r < PAIR; r++)
    _mm256_mask_storeu_ps(out[r], b.some, any ? _mm256_mask_mov_ps(s[r], fours[r], t[r]) : s[r]);
}

static void by_rows(const tocha_small_avx512_product *g) {
  for (int64_t i = 0; i < g->m; i += PAIR)
    for (int64_t j = 0; j < g->n; j += PAIR) eight_rows(g, i, j);
}

/* Adds one term, or four, to a row of out (n). */
static void add_terms(const float *f, int64_t step, int count, const float *b, int64_t ldb,
                      int64_t n, float *out) {
  __m512 x[4];
  for (int q = 0; q < count; q++) x[q] = _mm512_set1_ps(f[q * step]);
  for (int64_t j = 0; j < n; j += WIDTH) {
    __mmask16 some = (__mmask16)(n - j < WIDTH ? (1U << (n - j)) - 1 : 0xFFFF);
    __m512 s = _mm512_maskz_loadu_ps(some, out + j);
    for (int q = 0; q < count; q++)
      s = _mm512_add_ps(s, _mm512_mul_ps(x[q], _mm512_maskz_loadu_ps(some, b + q * ldb + j)));
    _mm512_mask_storeu_ps(out + j, some, s);
  }
}

static void by_terms(const tocha_small_avx512_product *g) {
  if (!g->add) memset(g->out, 0, (size_t)(g->m * g->n) * sizeof *g->out);
  for (int64_t i = 0; i < g->m; i++) {
    const float *x = g->a + i * g->a_row;
    float *out = g->out + i * g->n;
    int64_t p = 0;
    for (; p + 4 <= g->k; p += 4)
      add_terms(x + p * g->a_column, g->a_column, 4, g->b + p * g->ldb, g->ldb, g->n, out);
    for (; p < g->k; p++)
      add_terms(x + p * g->a_column, g->a_column, 1, g->b + p * g->ldb, g->ldb, g->n, out);
  }
}

const tocha_small_avx512_loops TOCHA_LOOPS(small_avx512) = {pack,          dots,    pack_pair,
                                                            dots_by_pairs, by_rows, by_terms};

#else

const tocha_small_avx512_loops TOCHA_LOOPS(small_avx512) = {NULL, NULL, NULL, NULL, NULL, NULL};

#endif
