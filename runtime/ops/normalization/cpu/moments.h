/* moments.h: the mean of a row and the sum of squares around it, both in one pass (Welford's recurrence), as PyTorch computes
 * them for layers and groups: 32-byte lanes, in chunks that are joined pairwise, with FMA where PyTorch uses it. */
#ifndef TOCHA_MOMENTS_H
#define TOCHA_MOMENTS_H

#include <string.h>
#ifdef __FMA__
#include <immintrin.h>
#endif

#include "tensor/loops.h"
#include "tensor/math/scalar_math.h"
#include "tensor/interruptible.h"

enum { W = 32 / sizeof(T), CHUNK = 16 };

typedef T row_lanes __attribute__((vector_size(32)));

typedef struct moments {
  int64_t count; /* elements in each lane */
  row_lanes mean, squares;
} moments;

/* Computes c += a b, rounded once if the instruction set has FMA. (gcc would split a loop over the lanes into scalars.) */
static inline void fuse(row_lanes *c, const row_lanes *a, const row_lanes *b) {
#if defined(__FMA__) && defined(TOCHA_LOOPS_float32)
  *c = _mm256_fmadd_ps(*a, *b, *c);
#elif defined(__FMA__)
  *c = _mm256_fmadd_pd(*a, *b, *c);
#else
  for (int k = 0; k < W; k++) (*c)[k] = FMA((*a)[k], (*b)[k], (*c)[k]);
#endif
}

static inline void add_moments(moments *restrict to, const moments *restrict more) {
  int64_t n = to->count + more->count;
  T share = n ? (T)more->count / (T)n : 0;
  row_lanes delta = more->mean - to->mean, step = share * delta;
  to->mean += step;
  delta *= (T)to->count;
  to->squares += more->squares;
  fuse(&to->squares, &delta, &step);
  to->count = n;
}

/* Adds the moments of `count` vectors, at most CHUNK. */
static inline void add_chunk(moments *to, const T *restrict x, int64_t count, const T *inverse) {
  moments m = {count, {0}, {0}};
  for (int64_t j = 0; j < count; j++) {
    row_lanes value, rest, share = (row_lanes){0} + inverse[j];
    memcpy(&value, x + j * W, sizeof value);
    row_lanes delta = value - m.mean;
    fuse(&m.mean, &delta, &share);
    rest = value - m.mean;
    fuse(&m.squares, &delta, &rest);
  }
  add_moments(to, &m);
}

/* Computes the moments of n vectors. Level j of the stack has 2^j chunks or none. */
static void moments_of_lanes(const T *x, int64_t n, tocha_stop stop, moments *out) {
  T inverse[CHUNK];
  moments stack[64];
  int64_t chunks = (n + CHUNK - 1) / CHUNK;
  int depth = chunks <= 2 ? 1 : 64 - __builtin_clzll((unsigned long long)chunks - 1);
  for (int j = 0; j < CHUNK; j++) inverse[j] = 1 / (T)(j + 1);
  memset(stack, 0, (size_t)depth * sizeof *stack);
  for (int64_t i = 0; i < chunks && !tocha_ends_at(i * CHUNK, stop); i++) {
    int64_t left = n - i * CHUNK;
    add_chunk(&stack[0], x + i * CHUNK * W, left < CHUNK ? left : CHUNK, inverse);
    int64_t mask = i + 1;
    for (int j = 1; j < depth && (mask & 1) == 0; j++, mask >>= 1) {
      add_moments(&stack[j], &stack[j - 1]);
      stack[j - 1] = (moments){0};
    }
  }
  for (int j = 1; j < depth; j++) add_moments(&stack[0], &stack[j]);
  *out = stack[0];
}

/* Computes the mean of n elements, and the sum of squares around it. */
static void row_moments(const T *x, int64_t n, tocha_stop stop, T *mean, T *squares) {
  moments all;
  int64_t count = 0;
  moments_of_lanes(x, n / W, stop, &all);
  *mean = *squares = 0;
  for (int64_t i = n / W * W; i < n; i++) {
    T delta = x[i] - *mean;
    *mean += delta / (T)++count;
    *squares += delta * (x[i] - *mean);
  }
  for (int k = 0; k < W && all.count > 0; k++, count += all.count) {
    T delta = all.mean[k] - *mean, share = (T)all.count / (T)(count + all.count);
    *mean = FMA(share, delta, *mean);
    *squares += FMA(delta * delta * share, (T)count, all.squares[k]);
  }
}

#endif
