/* digits.h: decompositions whose vectors have the signs that MKL chooses, and with it PyTorch (digits.c). They only serve
 * PyTorch's digits: LAPACK's own functions give vectors that are as good. */
#ifndef TOCHA_LINALG_DIGITS_H
#define TOCHA_LINALG_DIGITS_H

#include "ops/linalg/cpu/digits/small_eigh.h"
#include "ops/linalg/cpu/digits/wide_svd.h"

typedef enum tocha_decomposition { TOCHA_SVD, TOCHA_EIGH } tocha_decomposition;

/* Returns true if tocha_decompose_wide or tocha_diagonalize_small computes the vectors of m x n matrices: for MKL's signs, or,
 * with fast digits, if that takes no longer than LAPACK's gesdd or syevd. */
bool tocha_uses_own_decomposition(const tocha_context *cx, tocha_decomposition kind, int64_t m,
                                  int64_t n);
/* Returns true if no element of a is NaN and the largest is of a size for which LAPACK would not scale the matrix. Other
 * matrices are decomposed by gesdd and syevd in any case. */
bool tocha_is_ordinary(const void *a, int64_t count, tocha_dtype dtype);

#endif
