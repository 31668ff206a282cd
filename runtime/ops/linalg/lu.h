/* lu.h: LU factors and systems solved with them, without autograd (lu.c). */
#ifndef TOCHA_LU_H
#define TOCHA_LU_H

#include "ops/linalg/matrices.h"

typedef struct tocha_lu {
  tocha_tensor *lu, *pivots, *info; /* pivots and info: int32 */
} tocha_lu;

/* Factors the matrices of a (..., M, N), or their transposes, by getrf. */
bool tocha_factor_lu(tocha_context *cx, tocha_tensor *a, bool transposed, tocha_lu *out);
/* Returns true if the transpose of a is to be factored, as in PyTorch: it is column-major already. */
static inline bool tocha_factors_transpose(const tocha_tensor *a) { return tocha_is_contiguous(a); }
/* Returns X with A X = B (left) or X A = B. The factors are those of A, or of its transpose. */
tocha_tensor *tocha_substitute_lu(tocha_context *cx, const tocha_lu *factors, tocha_tensor *b,
                                  bool left, bool transposed);

#endif
