/* lu.h: LU factors and systems solved with them, without autograd (lu.c). */
#ifndef TOCHA_LU_H
#define TOCHA_LU_H

#include "ops/linalg/matrices.h"

typedef struct tocha_lu {
  tocha_tensor *lu, *pivots, *info; /* pivots and info: int32 */
} tocha_lu;

/* Returns true if the transpose of a should be factored: if a is row-major, its transpose is column-major already. */
static inline bool tocha_factors_transpose(const tocha_tensor *a) { return tocha_is_contiguous(a); }

#endif
