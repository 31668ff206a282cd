/* bfloat16_tiles.c: the loops of bfloat16_tiles.h. Of the instruction sets that loops are compiled for, only avx512 has them. */
#include "ops/matmul/cpu/bfloat16_tiles.h"

#include <stddef.h>

#if defined(__AVX512BW__) && (defined(__clang__) || __GNUC__ >= 10)
#include <immintrin.h>
#include <string.h>

enum { ROWS = TOCHA_BFLOAT16_ROWS };

/* Packs lines that are contiguous along K, so that pairs are adjacent already. */
static void pack_along(const uint16_t *from, int64_t across, int64_t lines, int64_t pairs,
                       int64_t width, uint16_t *panel) {
  for (int64_t q = 0; q < lines; q++) {
    const uint16_t *line = from + q * across;
    for (int64_t p = 0; p < pairs; p++) memcpy(panel + (p * width + q) * 2, line + 2 * p, 4);
  }
}

/* Packs 32 adjacent lines: pairs of their elements are interleaved from two rows along K. */
static void pack_across(const uint16_t *from, int64_t along, int64_t pairs, uint16_t *panel) {
  static const uint16_t low[32] = {0, 32, 1, 33, 2,  34, 3,  35, 4,  36, 5,  37, 6,  38, 7,  39,
                                   8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47};
  __m512i first = _mm512_loadu_si512(low);
  __m512i second = _mm512_add_epi16(first, _mm512_set1_epi16(16));
  for (int64_t p = 0; p < pairs; p++) {
    __m512i x = _mm512_loadu_si512(from + 2 * p * along);
    __m512i y = _mm512_loadu_si512(from + (2 * p + 1) * along);
    _mm512_storeu_si512(panel + p * 64, _mm512_permutex2var_epi16(x, first, y));
    _mm512_storeu_si512(panel + p * 64 + 32, _mm512_permutex2var_epi16(x, second, y));
  }
}

static void pack(const uint16_t *from, int64_t across, int64_t along, int64_t lines, int64_t k,
                 int64_t width, uint16_t *panel) {
  int64_t whole = k / 2, pairs = (k + 1) / 2;
  if (lines < width) memset(panel, 0, (size_t)(pairs * width) * 4);
  if (along == 1) {
    pack_along(from, across, lines, whole, width, panel);
  } else if (across == 1 && lines == 32 && width == 32) {
    pack_across(from, along, whole, panel);
  } else {
    for (int64_t p = 0; p < 2 * whole; p++)
      for (int64_t q = 0; q < lines; q++)
        panel[(p / 2 * width + q) * 2 + p % 2] = from[q * across + p * along];
  }
  if (pairs == whole) return;
  uint16_t *last = panel + whole * width * 2;
  for (int64_t q = 0; q < lines; q++) {
    last[2 * q] = from[q * across + (k - 1) * along];
    last[2 * q + 1] = 0;
  }
}

#define BFLOAT16_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))

static inline __attribute__((always_inline)) BFLOAT16_TARGET __m512 widened(const uint16_t *from,
                                                                            __mmask16 mask) {
  __m512i wide = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, from));
  return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}

static inline __attribute__((always_inline)) BFLOAT16_TARGET void
tile(const uint16_t *a, const uint16_t *b, int64_t pairs, const uint16_t *bias,
     tocha_bfloat16_factors factors, uint16_t *out, int64_t n, const int rows, int64_t columns) {
  __m512 sums[ROWS][2];
  __mmask16 mask[2] = {(__mmask16)(columns >= 16 ? 0xffff : (1 << columns) - 1),
                       (__mmask16)(columns >= 32   ? 0xffff
                                   : columns <= 16 ? 0
                                                   : (1 << (columns - 16)) - 1)};
  for (int h = 0; h < 2; h++) {
    __m512 start = bias ? widened(bias + 16 * h, mask[h]) : _mm512_setzero_ps();
    for (int r = 0; r < rows; r++) sums[r][h] = start;
  }
  for (int64_t p = 0; p < pairs; p++) {
    __m512bh x = (__m512bh)_mm512_loadu_si512(b + p * 64);
    __m512bh y = (__m512bh)_mm512_loadu_si512(b + p * 64 + 32);
    for (int r = 0; r < rows; r++) {
      int pair;
      memcpy(&pair, a + (p * ROWS + r) * 2, sizeof pair);
      __m512bh both = (__m512bh)_mm512_set1_epi32(pair);
      sums[r][0] = _mm512_dpbf16_ps(sums[r][0], both, x);
      sums[r][1] = _mm512_dpbf16_ps(sums[r][1], both, y);
    }
  }
  if (factors.alpha != 1)
    for (int r = 0; r < rows; r++)
      for (int h = 0; h < 2; h++)
        sums[r][h] = _mm512_mul_ps(sums[r][h], _mm512_set1_ps(factors.alpha));
  if (factors.beta != 0)
    for (int r = 0; r < rows; r++)
      for (int h = 0; h < 2; h++)
        sums[r][h] = _mm512_fmadd_ps(_mm512_set1_ps(factors.beta),
                                     widened(out + r * n + 16 * h, mask[h]), sums[r][h]);
  for (int r = 0; r < rows; r++)
    for (int h = 0; h < 2; h++)
      _mm256_mask_storeu_epi16(out + r * n + 16 * h, mask[h],
                               (__m256i)_mm512_cvtneps_pbh(sums[r][h]));
}

/* Computes a tile (rows, columns) with a constant number of rows, so that the sums stay in registers. */
static BFLOAT16_TARGET void tile_of_rows(const uint16_t *a, const uint16_t *b, int64_t pairs,
                                         const uint16_t *bias, tocha_bfloat16_factors factors,
                                         uint16_t *out, int64_t n, int64_t rows, int64_t columns) {
  switch (rows) {
  case 1:
    tile(a, b, pairs, bias, factors, out, n, 1, columns);
    break;
  case 2:
    tile(a, b, pairs, bias, factors, out, n, 2, columns);
    break;
  case 3:
    tile(a, b, pairs, bias, factors, out, n, 3, columns);
    break;
  case 4:
    tile(a, b, pairs, bias, factors, out, n, 4, columns);
    break;
  case 5:
    tile(a, b, pairs, bias, factors, out, n, 5, columns);
    break;
  case 6:
    tile(a, b, pairs, bias, factors, out, n, 6, columns);
    break;
  case 7:
    tile(a, b, pairs, bias, factors, out, n, 7, columns);
    break;
  case 8:
    tile(a, b, pairs, bias, factors, out, n, 8, columns);
    break;
  case 9:
    tile(a, b, pairs, bias, factors, out, n, 9, columns);
    break;
  case 10:
    tile(a, b, pairs, bias, factors, out, n, 10, columns);
    break;
  case 11:
    tile(a, b, pairs, bias, factors, out, n, 11, columns);
    break;
  default:
    tile(a, b, pairs, bias, factors, out, n, ROWS, columns);
  }
}

const tocha_bfloat16_tiles_loops TOCHA_LOOPS(bfloat16_tiles) = {pack, tile_of_rows};

#else

const tocha_bfloat16_tiles_loops TOCHA_LOOPS(bfloat16_tiles) = {NULL, NULL};

#endif
