/* digits.h: decompositions whose vectors have the signs that MKL chooses, and with it PyTorch (digits.c). They only serve
 * PyTorch's digits: LAPACK's own functions give vectors that are as good. */
#ifndef TOCHA_LINALG_DIGITS_H
#define TOCHA_LINALG_DIGITS_H

#include "ops/linalg/cpu/digits/small_eigh.h"
#include "ops/linalg/cpu/digits/wide_svd.h"

typedef enum tocha_decomposition { TOCHA_SVD, TOCHA_EIGH } tocha_decomposition;

/* Returns true if vectors of m x n matrices are computed by tocha_decompose_wide or tocha_diagonalize_small: for MKL's signs, and with
 * fast digits if this takes no longer than LAPACK's gesdd or syevd does. */
bool tocha_uses_own_decomposition(const tocha_context *cx, tocha_decomposition kind, int64_t m,
                                  int64_t n);
/* Returns true if no element of a is NaN, and the largest is of a size for which LAPACK would not scale the matrix: others go to gesdd and
 * syevd in any case. */
bool tocha_is_ordinary(const void *a, int64_t count, tocha_dtype dtype);

#endif
