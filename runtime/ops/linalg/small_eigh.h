/* small_eigh.h: eigenvalues and vectors of small symmetric matrices, with MKL's signs (small_eigh.c). */
#ifndef TOCHA_SMALL_EIGH_H
#define TOCHA_SMALL_EIGH_H

#include "ops/linalg/matrices.h"

/* One column-major matrix a (n, n), which becomes the vectors; w: the values. */
typedef struct tocha_small_eigh {
  const tocha_lapack *lapack;
  tocha_dtype dtype;
  int n;
  const char *uplo;
  void *a, *w, *work; /* work: room elements of the dtype, as many as syevd asks for */
  int room, *info;
} tocha_small_eigh;

/* Whether it is of a size that is done so, with no element too large or small for it. */
bool tocha_small_eigh_takes(const void *a, int64_t n, tocha_dtype dtype);
void tocha_diagonalize_small(const tocha_small_eigh *w);

#endif
