/* wide_svd.h: the singular value decomposition of wide matrices, with MKL's signs (wide_svd.c). */
#ifndef TOCHA_WIDE_SVD_H
#define TOCHA_WIDE_SVD_H

#include "ops/linalg/cpu/lapack.h"

/* One column-major matrix a (m, n), m < n, which is overwritten. u (m, m), s (m), vh (rows, n); rows is m or n. */
typedef struct tocha_wide_svd {
  const tocha_lapack *lapack;
  tocha_dtype dtype;
  int m, n, rows;
  void *a, *u, *s, *vh, *work; /* work: tocha_wide_svd_lwork elements of the dtype */
  int lwork;
  int *indices, *info; /* indices: 8 * m ints; info: LAPACK's */
} tocha_wide_svd;

/* Returns the elements of scratch memory for m x n matrices. */
int tocha_wide_svd_lwork(const tocha_lapack *lapack, int m, int n);
/* Decomposes the matrix as LAPACK's gesdd does, if it has more columns than rows. */
void tocha_decompose_wide(const tocha_wide_svd *w);

#endif
