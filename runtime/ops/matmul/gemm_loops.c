/* gemm_loops.c: the kernels of gemm_loops.h. Compiled once per instruction set.
 *
 * b is packed in panels of two vectors' width, zero-filled at the edge; four rows of a go over a
 * panel at a time with their sums in registers. */
#include "ops/matmul/gemm_loops.h"

static inline bool asked(const tocha_gemm *g) {
  return atomic_load_explicit(g->stop, memory_order_relaxed) != 0;
}

#include <string.h>

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

enum { ROWS = 4, BLOCK_K = 256, BLOCK_N = 512 };

typedef float vector_float32 __attribute__((vector_size(VECTOR_BYTES)));
typedef double vector_float64 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t vector_int64 __attribute__((vector_size(VECTOR_BYTES)));

/* The templates take T, the element, and V, its vector. Integers are unsigned: they wrap. */
#define GEMM(suffix, T, V, alpha_of)                                                               \
  enum { WIDTH_##suffix = 2 * VECTOR_BYTES / sizeof(T) };                                          \
  static void pack_##suffix(const T *b, int64_t b_row, int64_t b_column, int64_t k, int64_t n,     \
                            T *pack) {                                                             \
    enum { W = WIDTH_##suffix };                                                                   \
    for (int64_t j = 0; j < n; j += W) {                                                           \
      int64_t width = n - j < W ? n - j : W;                                                       \
      if (b_column == 1 && width == W) {                                                           \
        for (int64_t p = 0; p < k; p++) memcpy(pack + p * W, b + p * b_row + j, W * sizeof(T));    \
      } else {                                                                                     \
        if (width < W) memset(pack, 0, (size_t)(k * W) * sizeof(T));                               \
        for (int64_t q = 0; q < width; q++) {                                                      \
          const T *column = b + (j + q) * b_column;                                                \
          for (int64_t p = 0; p < k; p++) pack[p * W + q] = column[p * b_row];                     \
        }                                                                                          \
      }                                                                                            \
      pack += k * W;                                                                               \
    }                                                                                              \
  }                                                                                                \
  static void store_##suffix(T *c, const T *sums, int64_t width, T alpha, T beta) {                \
    if (beta == 0) {                                                                               \
      for (int64_t j = 0; j < width; j++) c[j] = alpha * sums[j];                                  \
    } else {                                                                                       \
      for (int64_t j = 0; j < width; j++) c[j] = alpha * sums[j] + beta * c[j];                    \
    }                                                                                              \
  }                                                                                                \
  static void four_rows_##suffix(const T *a, int64_t row, int64_t column, const T *pack,           \
                                 int64_t k, T *sums) {                                             \
    V s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0}, s20 = {0}, s21 = {0}, s30 = {0}, s31 = {0};      \
    for (int64_t p = 0; p < k; p++) {                                                              \
      const T *at = a + p * column;                                                                \
      V x, y;                                                                                      \
      memcpy(&x, pack, sizeof x);                                                                  \
      memcpy(&y, (const char *)pack + sizeof x, sizeof y);                                         \
      pack += WIDTH_##suffix;                                                                      \
      s00 += at[0] * x;                                                                            \
      s01 += at[0] * y;                                                                            \
      s10 += at[row] * x;                                                                          \
      s11 += at[row] * y;                                                                          \
      s20 += at[2 * row] * x;                                                                      \
      s21 += at[2 * row] * y;                                                                      \
      s30 += at[3 * row] * x;                                                                      \
      s31 += at[3 * row] * y;                                                                      \
    }                                                                                              \
    V all[8] = {s00, s01, s10, s11, s20, s21, s30, s31};                                           \
    memcpy(sums, all, sizeof all);                                                                 \
  }                                                                                                \
  static void one_row_##suffix(const T *a, int64_t column, const T *pack, int64_t k, T *sums) {    \
    V s0 = {0}, s1 = {0};                                                                          \
    for (int64_t p = 0; p < k; p++) {                                                              \
      V x, y;                                                                                      \
      memcpy(&x, pack, sizeof x);                                                                  \
      memcpy(&y, (const char *)pack + sizeof x, sizeof y);                                         \
      pack += WIDTH_##suffix;                                                                      \
      s0 += a[p * column] * x;                                                                     \
      s1 += a[p * column] * y;                                                                     \
    }                                                                                              \
    memcpy(sums, &s0, sizeof s0);                                                                  \
    memcpy((char *)sums + sizeof s0, &s1, sizeof s1);                                              \
  }                                                                                                \
  static void block_##suffix(const tocha_gemm *g, const T *a, const T *pack, T *c, int64_t k,      \
                             int64_t n, T alpha, T beta) {                                         \
    enum { W = WIDTH_##suffix };                                                                   \
    T sums[ROWS * W];                                                                              \
    for (int64_t j = 0; j < n && !asked(g); j += W) {                                              \
      int64_t width = n - j < W ? n - j : W, i = 0;                                                \
      for (; i + ROWS <= g->m && !asked(g); i += ROWS) {                                           \
        four_rows_##suffix(a + i * g->a_row, g->a_row, g->a_column, pack, k, sums);                \
        for (int64_t r = 0; r < ROWS; r++)                                                         \
          store_##suffix(c + (i + r) * g->c_row + j, sums + r * W, width, alpha, beta);            \
      }                                                                                            \
      for (; i < g->m; i++) {                                                                      \
        one_row_##suffix(a + i * g->a_row, g->a_column, pack, k, sums);                            \
        store_##suffix(c + i * g->c_row + j, sums, width, alpha, beta);                            \
      }                                                                                            \
      pack += k * W;                                                                               \
    }                                                                                              \
  }                                                                                                \
  static void gemm_##suffix(const tocha_gemm *g, void *pack) {                                     \
    T alpha = (T)alpha_of(g->alpha);                                                               \
    for (int64_t p = 0; p < g->k && !asked(g); p += BLOCK_K) {                                     \
      int64_t k = g->k - p < BLOCK_K ? g->k - p : BLOCK_K;                                         \
      T beta = p == 0 ? (T)alpha_of(g->beta) : 1;                                                  \
      for (int64_t j = 0; j < g->n; j += BLOCK_N) {                                                \
        int64_t n = g->n - j < BLOCK_N ? g->n - j : BLOCK_N;                                       \
        pack_##suffix((const T *)g->b + p * g->b_row + j * g->b_column, g->b_row, g->b_column, k,  \
                      n, pack);                                                                    \
        block_##suffix(g, (const T *)g->a + p * g->a_column, pack, (T *)g->c + j, k, n, alpha,     \
                       beta);                                                                      \
      }                                                                                            \
    }                                                                                              \
  }

static inline uint64_t whole(tocha_scalar s) {
  return s.kind == TOCHA_SCALAR_FLOAT ? (uint64_t)(int64_t)s.value.real : (uint64_t)s.value.integer;
}

GEMM(float32, float, vector_float32, tocha_scalar_real)
GEMM(float64, double, vector_float64, tocha_scalar_real)
GEMM(int64, uint64_t, vector_int64, whole)

#define JOIN_NAMES(a, b) a##b
#define JOIN(a, b) JOIN_NAMES(a, b)
extern const tocha_gemm_loops JOIN(tocha_gemm_loops_, TOCHA_ISA);
const tocha_gemm_loops JOIN(tocha_gemm_loops_, TOCHA_ISA) = {gemm_float32, gemm_float64,
                                                             gemm_int64};
