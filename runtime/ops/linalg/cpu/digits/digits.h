/* digits.h: decompositions whose vectors have the signs that MKL chooses, and so PyTorch's (digits.c). They are here for PyTorch's digits
 * alone: without them LAPACK's own functions give vectors that are as good. */
#ifndef TOCHA_LINALG_DIGITS_H
#define TOCHA_LINALG_DIGITS_H

#include "ops/linalg/cpu/digits/small_eigh.h"
#include "ops/linalg/cpu/digits/wide_svd.h"

typedef enum tocha_linalg_digits { TOCHA_DIGITS_OF_SVD, TOCHA_DIGITS_OF_EIGH } tocha_linalg_digits;

/* Returns true if the vectors of m x n matrices are computed here (tocha_decompose_wide, tocha_diagonalize_small), and not by LAPACK's gesdd or
 * syevd, unless their elements are out of the ordinary. */
bool tocha_digits_apply(tocha_linalg_digits of, int64_t m, int64_t n);
/* Returns true if no element of a is NaN, and the largest is of a size for which LAPACK would not scale the matrix. */
bool tocha_is_ordinary(const void *a, int64_t count, tocha_dtype dtype);

#endif
