/* gemm.c: the loops of gemm.h. b is packed in panels of two vectors' width, zero-filled at the edge. Four rows of a at a time,
 * interleaved, are multiplied with all panels; their sums with a panel stay in registers. */
#include "ops/matmul/cpu/gemm.h"
#include "tensor/interruptible.h"

#include <string.h>

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#ifdef TOCHA_LOOPS_int64
typedef uint64_t element; /* unsigned, because overflow wraps */
#else
typedef T element;
#endif

typedef element vector __attribute__((vector_size(VECTOR_BYTES)));

enum { ROWS = 4, WIDTH = 2 * VECTOR_BYTES / sizeof(element) };

static element number(tocha_scalar s) {
#ifdef TOCHA_LOOPS_int64
  return s.kind == TOCHA_SCALAR_FLOAT ? (uint64_t)(int64_t)s.value.real : (uint64_t)s.value.integer;
#else
  return (element)tocha_scalar_real(s);
#endif
}

static inline bool interrupted(const tocha_gemm_block *g) { return tocha_is_set(g->stop); }

/* Interleaves `count` rows, or columns, which are `apart` from each other: the elements of one step lie side by side. */
static inline void interleave(const element *from, int64_t apart, int64_t count, int64_t step,
                              int64_t steps, element *to) {
  for (int64_t p = 0; p < steps; p++, from += step, to += count)
    for (int64_t q = 0; q < count; q++) to[q] = from[q * apart];
}

static void pack(const element *b, int64_t b_row, int64_t b_column, int64_t k, int64_t n,
                 element *packed) {
  for (int64_t j = 0; j < n; j += WIDTH) {
    int64_t width = n - j < WIDTH ? n - j : WIDTH;
    if (width == WIDTH && b_column == 1) {
      for (int64_t p = 0; p < k; p++)
        memcpy(packed + p * WIDTH, b + p * b_row + j, WIDTH * sizeof(element));
    } else if (width == WIDTH) {
      interleave(b + j * b_column, b_column, WIDTH, b_row, k, packed);
    } else {
      memset(packed, 0, (size_t)(k * WIDTH) * sizeof(element));
      for (int64_t q = 0; q < width; q++) {
        const element *column = b + (j + q) * b_column;
        for (int64_t p = 0; p < k; p++) packed[p * WIDTH + q] = column[p * b_row];
      }
    }
    packed += k * WIDTH;
  }
}

static void store(element *c, const element *sums, int64_t width, element alpha, element beta) {
  if (beta == 0) {
    for (int64_t j = 0; j < width; j++) c[j] = alpha * sums[j];
  } else {
    for (int64_t j = 0; j < width; j++) c[j] = alpha * sums[j] + beta * c[j];
  }
}

static inline void load_pair(const element *panel, vector *x, vector *y) {
  memcpy(x, panel, sizeof *x);
  memcpy(y, panel + WIDTH / 2, sizeof *y);
}

static void four_rows(const element *a, const element *panel, int64_t k, element *sums) {
  vector s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0}, s20 = {0}, s21 = {0}, s30 = {0}, s31 = {0};
  for (int64_t p = 0; p < k; p++, a += ROWS, panel += WIDTH) {
    vector x, y;
    load_pair(panel, &x, &y);
    s00 += a[0] * x;
    s01 += a[0] * y;
    s10 += a[1] * x;
    s11 += a[1] * y;
    s20 += a[2] * x;
    s21 += a[2] * y;
    s30 += a[3] * x;
    s31 += a[3] * y;
  }
  vector all[8] = {s00, s01, s10, s11, s20, s21, s30, s31};
  memcpy(sums, all, sizeof all);
}

static void one_row(const element *a, int64_t column, const element *panel, int64_t k,
                    element *sums) {
  vector all[2] = {{0}, {0}};
  for (int64_t p = 0; p < k; p++, panel += WIDTH) {
    vector x, y;
    load_pair(panel, &x, &y);
    all[0] += a[p * column] * x;
    all[1] += a[p * column] * y;
  }
  memcpy(sums, all, sizeof all);
}

/* Computes c (m, n) = alpha * a (m, k) @ the packed block of b (k, n) + beta * c. The few rows of a that all panels are
 * multiplied with stay in the first cache. */
static void block(const tocha_gemm_block *g, const element *a, const element *packed, element *c,
                  int64_t k, int64_t n, element alpha, element beta) {
  element rows[ROWS * TOCHA_GEMM_BLOCK_K], sums[ROWS * WIDTH];
  int64_t i = 0;
  for (; i + ROWS <= g->m && !interrupted(g); i += ROWS, a += ROWS * g->a_row) {
    interleave(a, g->a_row, ROWS, g->a_column, k, rows);
    for (int64_t j = 0; j < n; j += WIDTH) {
      int64_t width = n - j < WIDTH ? n - j : WIDTH;
      four_rows(rows, packed + j * k, k, sums);
      for (int64_t r = 0; r < ROWS; r++)
        store(c + (i + r) * g->c_row + j, sums + r * WIDTH, width, alpha, beta);
    }
  }
  for (; i < g->m && !interrupted(g); i++, a += g->a_row) {
    for (int64_t j = 0; j < n; j += WIDTH) {
      int64_t width = n - j < WIDTH ? n - j : WIDTH;
      one_row(a, g->a_column, packed + j * k, k, sums);
      store(c + i * g->c_row + j, sums, width, alpha, beta);
    }
  }
}

static void multiply(const tocha_gemm_block *g, void *packed) {
  const element *a = g->a, *b = g->b;
  element *c = g->c, alpha = number(g->alpha);
  for (int64_t p = 0; p < g->k && !interrupted(g); p += TOCHA_GEMM_BLOCK_K) {
    int64_t k = g->k - p < TOCHA_GEMM_BLOCK_K ? g->k - p : TOCHA_GEMM_BLOCK_K;
    element beta = p == 0 ? number(g->beta) : 1;
    for (int64_t j = 0; j < g->n; j += TOCHA_GEMM_BLOCK_N) {
      int64_t n = g->n - j < TOCHA_GEMM_BLOCK_N ? g->n - j : TOCHA_GEMM_BLOCK_N;
      pack(b + p * g->b_row + j * g->b_column, g->b_row, g->b_column, k, n, packed);
      block(g, a + p * g->a_column, packed, c + j, k, n, alpha, beta);
    }
  }
}

const tocha_gemm_loops TOCHA_LOOPS(gemm) = {multiply};
