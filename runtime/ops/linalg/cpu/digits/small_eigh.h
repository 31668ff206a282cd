/* small_eigh.h: eigenvalues and eigenvectors of small symmetric matrices, with MKL's signs (small_eigh.c). */
#ifndef TOCHA_SMALL_EIGH_H
#define TOCHA_SMALL_EIGH_H

#include "ops/linalg/cpu/lapack.h"

enum { TOCHA_SMALL_EIGH_ROWS = 25 }; /* maximum rows */

/* One column-major matrix a (n, n), which is replaced by its eigenvectors. w (n): the eigenvalues, ascending. */
typedef struct tocha_small_eigh {
  const tocha_lapack *lapack;
  tocha_dtype dtype;
  int n;
  const char *uplo;
  void *a, *w, *work; /* work: `lwork` elements of the dtype, as many as syevd asks for */
  int lwork, *info;
} tocha_small_eigh;

/* Diagonalizes the matrix as LAPACK's syevd does, for at most TOCHA_SMALL_EIGH_ROWS rows. */
void tocha_diagonalize_small(const tocha_small_eigh *w);

#endif
