/* lu.h: LU factors and systems solved with them, without autograd (lu.c). */
#ifndef TOCHA_LU_H
#define TOCHA_LU_H

#include "ops/linalg/matrices.h"

typedef struct tocha_lu {
  tocha_tensor *lu, *pivots, *info; /* pivots and info: int32 */
} tocha_lu;

/* The factors of the matrices of a, or of their transposes. */
bool tocha_factor_lu(tocha_context *cx, tocha_tensor *a, bool transposed, tocha_lu *out);
/* Whether PyTorch factors the transpose of a, which needs no reordering. */
static inline bool tocha_factors_transpose(const tocha_tensor *a) { return tocha_is_contiguous(a); }
/* X of A X = B (left) or X A = B by the factors of A, or of its transpose. */
tocha_tensor *tocha_substitute_lu(tocha_context *cx, const tocha_lu *factors, tocha_tensor *b,
                                  bool left, bool transposed);

#endif
