/* wide_svd.h: the singular value decomposition of wide matrices, with MKL's signs (wide_svd.c). */
#ifndef TOCHA_WIDE_SVD_H
#define TOCHA_WIDE_SVD_H

#include "ops/linalg/cpu/lapack.h"

/* One column-major matrix a (m, n), m < n, which is overwritten. u (m, m), s (m), vh (rows, n), rows m or n. */
typedef struct tocha_wide_svd {
  const tocha_lapack *lapack;
  tocha_dtype dtype;
  int m, n, rows;
  void *a, *u, *s, *vh, *work; /* work: as much as tocha_wide_svd_room says, of the dtype */
  int room;
  int *indices, *info; /* 8 * m; LAPACK's */
} tocha_wide_svd;

/* Returns the elements of scratch memory for m x n matrices. */
int tocha_wide_svd_room(const tocha_lapack *lapack, int m, int n);
/* Does what LAPACK's gesdd does, for a matrix of more columns than rows. */
void tocha_decompose_wide(const tocha_wide_svd *w);

#endif
