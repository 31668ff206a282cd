/* matrices.h: batches of column-major matrices, what is checked of them, and how kernels receive them. */
#ifndef TOCHA_MATRICES_H
#define TOCHA_MATRICES_H

#include "device/devices.h"
#include "ops/linalg/kernels.h"

/* --- checks: false, with PyTorch's words about the function `name` ------------------------------------------ */

/* float32 or float64. kernel: what PyTorch says does not take 16 bits, or, where name is NULL, any other type. */
bool tocha_check_real(tocha_context *cx, const tocha_tensor *t, const char *name,
                      const char *kernel);
/* At least two dimensions; `what`: "A". */
bool tocha_check_matrix(tocha_context *cx, const tocha_tensor *t, const char *name,
                        const char *what);
/* The same, in the words of what factors it. */
bool tocha_check_has_rows(tocha_context *cx, const tocha_tensor *t, const char *name);
bool tocha_check_square(tocha_context *cx, const tocha_tensor *t, const char *name,
                        const char *what);
bool tocha_check_same_dtype(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b,
                            const char *name);
/* Square a and matrices b that go together in A X = B (left) or X A = B. */
bool tocha_check_system(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b, bool left,
                        const char *name);
/* The same of older functions, which take b first: they compare the types, too. */
bool tocha_check_linear(tocha_context *cx, const tocha_tensor *b, const tocha_tensor *a,
                        const char *name);
/* What a code in info says of a matrix. */
typedef enum tocha_linalg_failure {
  TOCHA_FAILS_UNKNOWN,
  TOCHA_FAILS_TO_INVERT,
  TOCHA_FAILS_TO_SOLVE,
  TOCHA_FAILS_POSITIVE_DEFINITE,
  TOCHA_FAILS_SINGULAR_VALUES,
  TOCHA_FAILS_EIGENVALUES,
  TOCHA_FAILS_FULL_RANK,
  TOCHA_FAILS_NONZERO_PIVOTS
} tocha_linalg_failure;

/* Returns true if info holds zeros. Else fails with PyTorch's words for the first other code, in the function `name`. */
bool tocha_check_info(tocha_context *cx, tocha_tensor *info, tocha_linalg_failure failure,
                      const char *name);

/* --- sizes and memory ---------------------------------------------------------------------------------------- */

static inline int64_t tocha_row_count(const tocha_tensor *t) { return t->sizes[t->ndim - 2]; }
static inline int64_t tocha_column_count(const tocha_tensor *t) { return t->sizes[t->ndim - 1]; }
/* How many matrices t holds. */
int64_t tocha_matrix_count(const tocha_tensor *t);
/* A batch as like's (any dims before its last two), of column-major (or row-major) matrices (rows, columns). */
tocha_tensor *tocha_new_matrices(tocha_context *cx, const tocha_tensor *like, int64_t rows,
                                 int64_t columns, bool column_major);
/* The same as a tensor (batch, size) and one of the batch alone. */
tocha_tensor *tocha_new_vectors(tocha_context *cx, const tocha_tensor *like, int64_t size,
                                tocha_dtype dtype);
tocha_tensor *tocha_new_numbers(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype);
/* A copy of t, column-major (or row-major). */
tocha_tensor *tocha_copy_matrices(tocha_context *cx, tocha_tensor *t, bool column_major);
/* t and other with the batch dimensions that both broadcast to. */
bool tocha_broadcast_batches(tocha_context *cx, tocha_tensor **t, tocha_tensor **other);
/* t's transpose, without autograd. */
tocha_tensor *tocha_transposed(tocha_context *cx, tocha_tensor *t);

/* --- args of kernels ----------------------------------------------------------------------------------------- */

/* Returns t, or a copy of it, as an operand of a kernel: its matrices lie evenly spaced, each column-major without gaps. t is what a
 * function above has made, perhaps broadcast. NULL for NULL. */
tocha_tensor *tocha_spaced_matrices(tocha_context *cx, tocha_tensor *t);
tocha_tensor *tocha_spaced_vectors(tocha_context *cx, tocha_tensor *t);
/* Return such a tensor, or a new one, as kernels receive it: (..., M, N) or (..., N). */
tocha_matrix_batch tocha_matrix_batch_of(const tocha_tensor *t);
tocha_vector_batch tocha_vector_batch_of(const tocha_tensor *t);
/* The numbers of a new tensor (...). */
static inline int32_t *tocha_info_of(const tocha_tensor *info) {
  return (int32_t *)(void *)tocha_bytes(info);
}

#endif
