/* digits.h: decompositions whose vectors have the signs that MKL chooses, and so PyTorch's (digits.c). They are here for PyTorch's digits
 * alone: without them LAPACK's own functions give vectors that are as good. */
#ifndef TOCHA_LINALG_DIGITS_H
#define TOCHA_LINALG_DIGITS_H

#include "ops/linalg/cpu/digits/small_eigh.h"
#include "ops/linalg/cpu/digits/wide_svd.h"

typedef enum tocha_linalg_digits { TOCHA_DIGITS_OF_SVD, TOCHA_DIGITS_OF_EIGH } tocha_linalg_digits;

/* Returns true if the context wants PyTorch's digits, so that tocha_digits_apply is to be asked. */
bool tocha_wants_digits(const tocha_context *cx);

/* Returns true if the vectors of the column-major matrix a (m, n) are computed here (tocha_decompose_wide, tocha_diagonalize_small), and
 * not by LAPACK's gesdd or syevd. With a NULL it answers for the sizes: true if that is possible for some matrix. */
bool tocha_digits_apply(tocha_linalg_digits of, int64_t m, int64_t n, const void *a,
                        tocha_dtype dtype);

#endif
