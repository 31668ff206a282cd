/* plain_vectors.h: operations on columns of column-major matrices, for the functions that replace LAPACK if no library has it
 * (lapack.c). */
#ifndef TOCHA_LINALG_PLAIN_VECTORS_H
#define TOCHA_LINALG_PLAIN_VECTORS_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "ops/linalg/cpu/lapack.h"
#include "tensor/loops.h"

#ifdef TOCHA_LOOPS_float32
#define EPSILON FLT_EPSILON
#define SMALLEST FLT_MIN
#else
#define EPSILON DBL_EPSILON
#define SMALLEST DBL_MIN
#endif

/* A matrix (rows, columns) with the leading dimension ld: element (r, c) is data[c * ld + r]. */
typedef struct matrix {
  T *data;
  int rows, columns, ld;
} matrix;

static inline T *column(const matrix *a, int c) { return a->data + (size_t)c * (size_t)a->ld; }
static inline T *element(const matrix *a, int r, int c) { return column(a, c) + r; }

/* Returns the part (rows, columns) of a from (r, c) on. */
static inline matrix part(const matrix *a, int r, int c, int rows, int columns) {
  return (matrix){element(a, r, c), rows, columns, a->ld};
}

static inline T magnitude(T x) { return x < 0 ? -x : x; }
static inline T root(T x) { return (T)sqrt((double)x); }
static inline T hypotenuse(T x, T y) { return (T)hypot((double)x, (double)y); }
/* Returns x, which is not negative, with the given sign. */
static inline T copy_sign(T x, T sign) { return sign < 0 ? -x : x; }

static inline T dot(int n, const T *x, const T *y) {
  T sums[4] = {0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) sums[k] += x[i + k] * y[i + k];
  for (; i < n; i++) sums[0] += x[i] * y[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* Adds factor * x (n) to y. */
static inline void add_multiple(int n, T factor, const T *x, T *y) {
  for (int i = 0; i < n; i++) y[i] += factor * x[i];
}

static inline void multiply(int n, T factor, T *x) {
  for (int i = 0; i < n; i++) x[i] *= factor;
}

static inline void exchange(T *a, T *b) {
  T old = *a;
  *a = *b;
  *b = old;
}

static inline void exchange_columns(const matrix *a, int c, int d) {
  for (int r = 0; r < a->rows; r++) exchange(element(a, r, c), element(a, r, d));
}

static inline void exchange_rows(const matrix *a, int r, int s) {
  for (int c = 0; c < a->columns; c++) exchange(element(a, r, c), element(a, s, c));
}

/* Returns the index of the largest magnitude; numbers are preferred to NaN, as in the BLAS. */
static inline int largest(int n, const T *x) {
  int at = 0;
  for (int i = 1; i < n; i++)
    if (magnitude(x[i]) > magnitude(x[at])) at = i;
  return at;
}

/* Returns the Euclidean length of x, without overflow on the way. */
static inline T length(int n, const T *x) {
  T maximum = 0, sum = 0;
  for (int i = 0; i < n; i++) {
    T size = magnitude(x[i]);
    if (!(size <= maximum)) maximum = size;
  }
  if (maximum == 0 || !isfinite(maximum)) return maximum;
  for (int i = 0; i < n; i++) sum += (x[i] / maximum) * (x[i] / maximum);
  return maximum * root(sum);
}

/* Subtracts a b from c, with a (m, k) and b (k, n). */
static inline void subtract_product(const matrix *a, const matrix *b, const matrix *c) {
  for (int j = 0; j < c->columns; j++) {
    T *restrict out = column(c, j);
    const T *factors = column(b, j);
    int k = 0;
    for (; k + 4 <= a->columns; k += 4) {
      const T *a0 = column(a, k), *a1 = a0 + a->ld, *a2 = a1 + a->ld, *a3 = a2 + a->ld;
      T f0 = factors[k], f1 = factors[k + 1], f2 = factors[k + 2], f3 = factors[k + 3];
      for (int i = 0; i < c->rows; i++)
        out[i] -= (a0[i] * f0 + a1[i] * f1) + (a2[i] * f2 + a3[i] * f3);
    }
    for (; k < a->columns; k++) add_multiple(c->rows, -factors[k], column(a, k), out);
  }
}

/* Writes the size of the scratch memory to `work`, and returns true, if `lwork` is -1, which asks for the size. */
static inline bool answers_size(T *work, const int *lwork, int elements) {
  if (*lwork != -1) return false;
  *work = (T)elements;
  return true;
}

#endif
