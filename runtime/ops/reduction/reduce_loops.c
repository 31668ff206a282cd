/* reduce_loops.c: the loops of reduce_loops.h. Compiled once per instruction set.
 *
 * The order of floating-point sums is PyTorch's (its CPU build for AVX2: 32-byte vectors), so that
 * results agree to the last bit: four vectors go side by side down a row; every 2^p additions the
 * running sums move into the next of four levels (a cascade, whose error grows with log n, where
 * p = max(4, log2(n) / 4)); the four partial sums are added in order, the lanes of the vector
 * after the elements that filled no vector. Columns summed downwards keep that cascade each, the
 * last up to 31 of them with rows taken in four interleaved sequences. */
#include "ops/reduction/reduce_loops.h"

#include <string.h>

typedef float vector_float32 __attribute__((vector_size(32)));
typedef double vector_float64 __attribute__((vector_size(32)));
typedef uint64_t vector_int64 __attribute__((vector_size(32)));

enum { LEVELS = 4, GROUP = 4, PANEL_BYTES = 2048 };

static int level_power(int64_t size) {
  int bits = 0; /* the smallest with 2^bits >= size */
  while (((int64_t)1 << bits) < size) bits++;
  return bits / LEVELS > 4 ? bits / LEVELS : 4;
}

/* sums[k] = the cascade sum over i < size of the A at in + i * row + k * column, k < GROUP. */
#define CASCADE(name, A)                                                                           \
  static void name(const char *in, int64_t row, int64_t column, int64_t size, A *sums) {           \
    int power = level_power(size);                                                                 \
    int64_t step = (int64_t)1 << power, i = 0;                                                     \
    A level[LEVELS][GROUP];                                                                        \
    memset(level, 0, sizeof level);                                                                \
    A a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0}, x0, x1, x2, x3;                                      \
    while (i + step <= size) {                                                                     \
      for (int64_t j = 0; j < step; j++) {                                                         \
        memcpy(&x0, in, sizeof x0);                                                                \
        memcpy(&x1, in + column, sizeof x1);                                                       \
        memcpy(&x2, in + 2 * column, sizeof x2);                                                   \
        memcpy(&x3, in + 3 * column, sizeof x3);                                                   \
        a0 += x0;                                                                                  \
        a1 += x1;                                                                                  \
        a2 += x2;                                                                                  \
        a3 += x3;                                                                                  \
        in += row;                                                                                 \
      }                                                                                            \
      i += step;                                                                                   \
      level[1][0] += a0;                                                                           \
      level[1][1] += a1;                                                                           \
      level[1][2] += a2;                                                                           \
      level[1][3] += a3;                                                                           \
      a0 = a1 = a2 = a3 = level[0][0];                                                             \
      for (int l = 2; l < LEVELS && (i & ((step - 1) << ((l - 1) * power))) == 0; l++) {           \
        for (int k = 0; k < GROUP; k++) {                                                          \
          level[l][k] += level[l - 1][k];                                                          \
          level[l - 1][k] = level[0][0];                                                           \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
    for (; i < size; i++) {                                                                        \
      memcpy(&x0, in, sizeof x0);                                                                  \
      memcpy(&x1, in + column, sizeof x1);                                                         \
      memcpy(&x2, in + 2 * column, sizeof x2);                                                     \
      memcpy(&x3, in + 3 * column, sizeof x3);                                                     \
      a0 += x0;                                                                                    \
      a1 += x1;                                                                                    \
      a2 += x2;                                                                                    \
      a3 += x3;                                                                                    \
      in += row;                                                                                   \
    }                                                                                              \
    sums[0] = ((a0 + level[1][0]) + level[2][0]) + level[3][0];                                    \
    sums[1] = ((a1 + level[1][1]) + level[2][1]) + level[3][1];                                    \
    sums[2] = ((a2 + level[1][2]) + level[2][2]) + level[3][2];                                    \
    sums[3] = ((a3 + level[1][3]) + level[2][3]) + level[3][3];                                    \
  }                                                                                                \
  /* sums[0] = the sum over i < size of the A at in + i * stride. */                               \
  static void name##_row(const char *in, int64_t stride, int64_t size, A *sums) {                  \
    int64_t quarter = size / GROUP;                                                                \
    name(in, stride *GROUP, stride, quarter, sums);                                                \
    for (int64_t i = quarter * GROUP; i < size; i++) {                                             \
      A x;                                                                                         \
      memcpy(&x, in + i * stride, sizeof x);                                                       \
      sums[0] += x;                                                                                \
    }                                                                                              \
    sums[0] += sums[1];                                                                            \
    sums[0] += sums[2];                                                                            \
    sums[0] += sums[3];                                                                            \
  }

/* Down the columns: width columns (a multiple of four vectors) in panels that stay in the first
 * cache; each column's sum is a cascade of its own. */
#define PANEL(suffix, T)                                                                           \
  static void panel_##suffix(const char *in, int64_t row, int64_t size, int64_t width, char *out,  \
                             int64_t out_stride) {                                                 \
    enum { W = PANEL_BYTES / sizeof(T) };                                                          \
    _Alignas(64) T level[LEVELS][W];                                                               \
    int power = level_power(size);                                                                 \
    int64_t step = (int64_t)1 << power, i = 0;                                                     \
    memset(level, 0, sizeof level);                                                                \
    T *restrict a = level[0];                                                                      \
    while (i < size) {                                                                             \
      int64_t rows = i + step <= size ? step : size - i, r = 0;                                    \
      for (; r + 4 <= rows; r += 4) {                                                              \
        const T *restrict x0 = (const T *)(in + (i + r) * row);                                    \
        const T *restrict x1 = (const T *)((const char *)x0 + row);                                \
        const T *restrict x2 = (const T *)((const char *)x1 + row);                                \
        const T *restrict x3 = (const T *)((const char *)x2 + row);                                \
        for (int64_t j = 0; j < width; j++) a[j] = (((a[j] + x0[j]) + x1[j]) + x2[j]) + x3[j];     \
      }                                                                                            \
      for (; r < rows; r++) {                                                                      \
        const T *restrict x = (const T *)(in + (i + r) * row);                                     \
        for (int64_t j = 0; j < width; j++) a[j] += x[j];                                          \
      }                                                                                            \
      i += rows;                                                                                   \
      if (rows < step) break;                                                                      \
      for (int l = 1; l < LEVELS; l++) {                                                           \
        for (int64_t j = 0; j < width; j++) {                                                      \
          level[l][j] += level[l - 1][j];                                                          \
          level[l - 1][j] = 0;                                                                     \
        }                                                                                          \
        if ((i & ((step - 1) << (l * power))) != 0) break;                                         \
      }                                                                                            \
    }                                                                                              \
    for (int64_t j = 0; j < width; j++)                                                            \
      *(T *)(out + j * out_stride) += ((a[j] + level[1][j]) + level[2][j]) + level[3][j];          \
  }

#define SUM(suffix, T, V)                                                                          \
  CASCADE(cascade_##suffix, T)                                                                     \
  CASCADE(cascade_vector_##suffix, V)                                                              \
  PANEL(suffix, T)                                                                                 \
  static void sum_inner_##suffix(const tocha_plane *p) {                                           \
    enum { W = sizeof(V) / sizeof(T) };                                                            \
    int64_t vectors = p->size[0] / W;                                                              \
    for (int64_t j = 0; j < p->size[1]; j++) {                                                     \
      const char *in = p->in + j * p->in_stride[1];                                                \
      V sums[GROUP];                                                                               \
      T lanes[W], total = 0;                                                                       \
      cascade_vector_##suffix##_row(in, sizeof(V), vectors, sums);                                 \
      for (int64_t k = vectors * W; k < p->size[0]; k++) total += ((const T *)in)[k];              \
      memcpy(lanes, sums, sizeof lanes);                                                           \
      for (int k = 0; k < W; k++) total += lanes[k];                                               \
      *(T *)(p->out + j * p->out_stride[1]) += total;                                              \
    }                                                                                              \
  }                                                                                                \
  static void sum_outer_##suffix(const tocha_plane *p) {                                           \
    enum { W = sizeof(V) / sizeof(T), MOST = PANEL_BYTES / sizeof(T) };                            \
    int64_t j = 0, whole = p->size[1] / (GROUP * W) * (GROUP * W), row = p->in_stride[0];          \
    for (; j < whole; j += MOST) {                                                                 \
      int64_t width = whole - j < MOST ? whole - j : MOST;                                         \
      panel_##suffix(p->in + j * (int64_t)sizeof(T), row, p->size[0], width,                       \
                     p->out + j * p->out_stride[1], p->out_stride[1]);                             \
    }                                                                                              \
    for (j = whole; j + W <= p->size[1]; j += W) {                                                 \
      V sums[GROUP];                                                                               \
      T lanes[W];                                                                                  \
      cascade_vector_##suffix##_row(p->in + j * (int64_t)sizeof(T), row, p->size[0], sums);        \
      memcpy(lanes, sums, sizeof lanes);                                                           \
      for (int k = 0; k < W; k++) *(T *)(p->out + (j + k) * p->out_stride[1]) += lanes[k];         \
    }                                                                                              \
    for (; j < p->size[1]; j++) {                                                                  \
      T sums[GROUP];                                                                               \
      cascade_##suffix##_row(p->in + j * (int64_t)sizeof(T), row, p->size[0], sums);               \
      *(T *)(p->out + j * p->out_stride[1]) += sums[0];                                            \
    }                                                                                              \
  }                                                                                                \
  static void sum_strided_##suffix(const tocha_plane *p) {                                         \
    int64_t j = 0;                                                                                 \
    T sums[GROUP];                                                                                 \
    if (p->in_stride[0] >= p->in_stride[1]) {                                                      \
      for (; j + GROUP <= p->size[1]; j += GROUP) {                                                \
        cascade_##suffix(p->in + j * p->in_stride[1], p->in_stride[0], p->in_stride[1],            \
                         p->size[0], sums);                                                        \
        for (int k = 0; k < GROUP; k++) *(T *)(p->out + (j + k) * p->out_stride[1]) += sums[k];    \
      }                                                                                            \
    }                                                                                              \
    for (; j < p->size[1]; j++) {                                                                  \
      cascade_##suffix##_row(p->in + j * p->in_stride[1], p->in_stride[0], p->size[0], sums);      \
      *(T *)(p->out + j * p->out_stride[1]) += sums[0];                                            \
    }                                                                                              \
  }                                                                                                \
  static void sum_##suffix(const tocha_plane *given) {                                             \
    enum { W = sizeof(V) / sizeof(T) };                                                            \
    tocha_plane p = *given;                                                                        \
    if (p.out_stride[0] != 0 && p.out_stride[1] == 0) p = transposed(given);                       \
    if (p.out_stride[0] != 0) {                                                                    \
      for (int64_t j = 0; j < p.size[1]; j++)                                                      \
        for (int64_t i = 0; i < p.size[0]; i++)                                                    \
          *(T *)(p.out + i * p.out_stride[0] + j * p.out_stride[1]) +=                             \
              *(const T *)(p.in + i * p.in_stride[0] + j * p.in_stride[1]);                        \
    } else if (p.in_stride[0] == sizeof(T) && p.size[0] >= W) {                                    \
      sum_inner_##suffix(&p);                                                                      \
    } else if (p.in_stride[1] == sizeof(T) && p.size[1] >= W) {                                    \
      sum_outer_##suffix(&p);                                                                      \
    } else {                                                                                       \
      sum_strided_##suffix(&p);                                                                    \
    }                                                                                              \
  }

static tocha_plane transposed(const tocha_plane *p) {
  tocha_plane t = {p->out,
                   p->in,
                   {p->size[1], p->size[0]},
                   {p->out_stride[1], p->out_stride[0]},
                   {p->in_stride[1], p->in_stride[0]}};
  return t;
}

SUM(float32, float, vector_float32)
SUM(float64, double, vector_float64)
SUM(int64, uint64_t, vector_int64)

/* Other folds: over contiguous rows in 4 x 32 bytes side by side, combined pairwise, lanes in
 * order; down columns all at once. */
#define FOLD(name, suffix, T, OP)                                                                  \
  static void name##_row_##suffix(const T *in, int64_t n, T *out) {                                \
    enum { W = 128 / sizeof(T), Q = W / 4 };                                                       \
    T acc[W], total = *out;                                                                        \
    int64_t i = 0;                                                                                 \
    if (n >= W) {                                                                                  \
      memcpy(acc, in, sizeof acc);                                                                 \
      for (i = W; i + W <= n; i += W)                                                              \
        for (int k = 0; k < W; k++) acc[k] = OP(acc[k], in[i + k]);                                \
      for (int k = 0; k < Q; k++) {                                                                \
        T x = OP(acc[k], acc[k + Q]), y = OP(acc[k + 2 * Q], acc[k + 3 * Q]);                      \
        acc[k] = OP(x, y);                                                                         \
      }                                                                                            \
      for (int k = 1; k < Q; k++) acc[0] = OP(acc[0], acc[k]);                                     \
      total = OP(total, acc[0]);                                                                   \
    }                                                                                              \
    for (; i < n; i++) total = OP(total, in[i]);                                                   \
    *out = total;                                                                                  \
  }                                                                                                \
  static void name##_##suffix(const tocha_plane *given) {                                          \
    tocha_plane p = *given;                                                                        \
    if (p.out_stride[0] != 0 && p.out_stride[1] == 0) p = transposed(given);                       \
    if (p.out_stride[0] == 0 && p.in_stride[0] == sizeof(T)) {                                     \
      for (int64_t j = 0; j < p.size[1]; j++)                                                      \
        name##_row_##suffix((const T *)(p.in + j * p.in_stride[1]), p.size[0],                     \
                            (T *)(p.out + j * p.out_stride[1]));                                   \
      return;                                                                                      \
    }                                                                                              \
    for (int64_t i = 0; i < p.size[0]; i++) {                                                      \
      char *out = p.out + i * p.out_stride[0];                                                     \
      const char *in = p.in + i * p.in_stride[0];                                                  \
      if (p.out_stride[1] == sizeof(T) && p.in_stride[1] == sizeof(T)) {                           \
        T *restrict o = (T *)out;                                                                  \
        const T *restrict x = (const T *)in;                                                       \
        for (int64_t j = 0; j < p.size[1]; j++) o[j] = OP(o[j], x[j]);                             \
      } else {                                                                                     \
        for (int64_t j = 0; j < p.size[1]; j++) {                                                  \
          T *o = (T *)(out + j * p.out_stride[1]), x = *(const T *)(in + j * p.in_stride[1]);      \
          *o = OP(*o, x);                                                                          \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
  }

#define TIMES(a, b) ((a) * (b))
#define GREATER(a, b) ((a) >= (b) || (a) != (a) ? (a) : (b))
#define LESS(a, b) ((a) <= (b) || (a) != (a) ? (a) : (b))

FOLD(prod, float32, float, TIMES)
FOLD(prod, float64, double, TIMES)
FOLD(prod, int64, uint64_t, TIMES)
FOLD(max, float32, float, GREATER)
FOLD(max, float64, double, GREATER)
FOLD(max, int64, int64_t, GREATER)
FOLD(min, float32, float, LESS)
FOLD(min, float64, double, LESS)
FOLD(min, int64, int64_t, LESS)

/* The extreme of a block first (vectorized), then its position, only where it beats the best. */
#define POSITION(name, suffix, T, fold, BETTER)                                                    \
  static int64_t name##_##suffix(const void *data, int64_t n) {                                    \
    const T *in = data;                                                                            \
    int64_t best = 0;                                                                              \
    for (int64_t at = 0; at < n; at += 2048) {                                                     \
      int64_t count = n - at < 2048 ? n - at : 2048;                                               \
      T extreme = in[at], top = in[best];                                                          \
      fold##_row_##suffix(in + at, count, &extreme);                                               \
      if (top != top) break;                                                                       \
      if (at > 0 && !(extreme BETTER top) && extreme == extreme) continue;                         \
      int64_t i = at;                                                                              \
      for (int found = 0; i + 64 <= at + count; i += 64) { /* its 64, then itself */               \
        for (int k = 0; k < 64; k++) found |= (in[i + k] == extreme) | (in[i + k] != in[i + k]);   \
        if (found) break;                                                                          \
      }                                                                                            \
      for (; i < at + count; i++) {                                                                \
        if (in[i] == extreme || in[i] != in[i]) {                                                  \
          best = i;                                                                                \
          break;                                                                                   \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
    return best;                                                                                   \
  }                                                                                                \
  static void step_##name##_##suffix(void *top, int64_t *index, const void *data, int64_t width,   \
                                     int64_t at) {                                                 \
    T *restrict best = top;                                                                        \
    const T *restrict in = data;                                                                   \
    int64_t *restrict where = index;                                                               \
    for (int64_t j = 0; j < width; j++) {                                                          \
      T x = in[j], b = best[j];                                                                    \
      int better = (x BETTER b) | ((x != x) & (b == b));                                           \
      better &= b == b;                                                                            \
      best[j] = better ? x : b;                                                                    \
      where[j] = better ? at : where[j];                                                           \
    }                                                                                              \
  }

POSITION(argmax, float32, float, max, >)
POSITION(argmax, float64, double, max, >)
POSITION(argmax, int64, int64_t, max, >)
POSITION(argmin, float32, float, min, <)
POSITION(argmin, float64, double, min, <)
POSITION(argmin, int64, int64_t, min, <)

static int64_t count_bytes(const uint8_t *in, int64_t n) {
  int64_t total = 0, i = 0;
  while (i < n) {
    uint32_t some = 0;
    int64_t end = n - i < 65536 ? n : i + 65536;
    for (; i < end; i++) some += in[i];
    total += some;
  }
  return total;
}

/* Sum of squares in eight (float64: four) lanes, then the lanes, then the rest: PyTorch's norm. */
static double square_sum_float32(const void *data, int64_t n) {
  const float *in = data;
  vector_float32 acc = {0}, x;
  float lanes[8], total;
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    memcpy(&x, in + i, sizeof x);
    acc += x * x;
  }
  memcpy(lanes, &acc, sizeof lanes);
  total = lanes[0];
  for (int k = 1; k < 8; k++) total += lanes[k];
  for (; i < n; i++) total += in[i] * in[i];
  return total;
}

static double square_sum_float64(const void *data, int64_t n) {
  const double *in = data;
  vector_float64 acc = {0}, x;
  double lanes[4], total;
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    memcpy(&x, in + i, sizeof x);
    acc += x * x;
  }
  memcpy(lanes, &acc, sizeof lanes);
  total = ((lanes[0] + lanes[1]) + lanes[2]) + lanes[3];
  for (; i < n; i++) total += in[i] * in[i];
  return total;
}

#define DEVIATIONS(suffix, T)                                                                      \
  static double deviations_##suffix(const void *data, int64_t n, double center, bool squared) {    \
    enum { LANES = 32 };                                                                           \
    const T *in = data;                                                                            \
    double lanes[LANES] = {0}, total = 0;                                                          \
    int64_t i = 0;                                                                                 \
    if (squared) {                                                                                 \
      for (; i + LANES <= n; i += LANES)                                                           \
        for (int k = 0; k < LANES; k++)                                                            \
          lanes[k] += ((double)in[i + k] - center) * ((double)in[i + k] - center);                 \
      for (; i < n; i++) total += ((double)in[i] - center) * ((double)in[i] - center);             \
    } else {                                                                                       \
      for (; i + LANES <= n; i += LANES)                                                           \
        for (int k = 0; k < LANES; k++) lanes[k] += (double)in[i + k] - center;                    \
      for (; i < n; i++) total += (double)in[i] - center;                                          \
    }                                                                                              \
    for (int k = 0; k < LANES; k++) total += lanes[k];                                             \
    return total;                                                                                  \
  }
DEVIATIONS(float32, float)
DEVIATIONS(float64, double)

#define ALL(name)                                                                                  \
  { name##_float32, name##_float64, name##_int64 }
#define JOIN_NAMES(a, b) a##b
#define JOIN(a, b) JOIN_NAMES(a, b)
extern const tocha_reduce_loops JOIN(tocha_reduce_loops_, TOCHA_ISA);
const tocha_reduce_loops JOIN(tocha_reduce_loops_,
                              TOCHA_ISA) = {ALL(sum),
                                            ALL(prod),
                                            ALL(max),
                                            ALL(min),
                                            ALL(argmax),
                                            ALL(argmin),
                                            ALL(step_argmax),
                                            ALL(step_argmin),
                                            count_bytes,
                                            {square_sum_float32, square_sum_float64},
                                            {deviations_float32, deviations_float64}};
