/* matrices.h: batches of matrices (..., M, N) in operators: checks, memory, and conversion to arguments of kernels. */
#ifndef TOCHA_MATRICES_H
#define TOCHA_MATRICES_H

#include <math.h>

#include "device/devices.h"
#include "ops/linalg/kernels.h"

/* --- checks: on failure they return false, with an error that names the function `name` ------------------ */

/* Returns true if the kernels of linear algebra take matrices of this dtype: float32 and float64. */
static inline bool tocha_linalg_takes(tocha_dtype dtype) {
  return dtype == TOCHA_FLOAT32 || dtype == TOCHA_FLOAT64;
}
/* Fails unless tocha_linalg_takes(t->dtype). kernel: the name that the error gives for 16-bit types, or, if name is NULL, for any
 * other type. */
bool tocha_check_real(tocha_context *cx, const tocha_tensor *t, const char *name,
                      const char *kernel);
/* Returns true if b holds vectors, one for each matrix of a, not matrices. */
bool tocha_holds_vectors(const tocha_tensor *a, const tocha_tensor *b);
/* Fails if t has fewer than two dimensions. what: the name of t in the error, such as "A". */
bool tocha_check_matrix(tocha_context *cx, const tocha_tensor *t, const char *name,
                        const char *what);
/* Fails if t has fewer than two dimensions, with the message of the functions that factor t. */
bool tocha_check_has_rows(tocha_context *cx, const tocha_tensor *t, const char *name);
/* Fails if t has fewer than two dimensions, or if the sizes of the last two differ. */
bool tocha_check_square(tocha_context *cx, const tocha_tensor *t, const char *name,
                        const char *what);
bool tocha_check_same_dtype(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b,
                            const char *name);
/* Fails if a is not square, or its size does not fit b in A X = B (left) or X A = B. */
bool tocha_check_system(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b, bool left,
                        const char *name);
/* Checks a and b as tocha_check_system does, and their dtypes, with the messages of the older functions, which take b first. */
bool tocha_check_linear(tocha_context *cx, const tocha_tensor *b, const tocha_tensor *a,
                        const char *name);

/* The meaning of a code in info, by the task of the kernel. */
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

/* Fails if a code in info (...) is not 0, with the message for the first such code. A GPU's info is copied to the host. */
bool tocha_check_info(tocha_context *cx, tocha_tensor *info, tocha_linalg_failure failure,
                      const char *name);

/* --- sizes and memory ---------------------------------------------------------------------------------------- */

/* Returns the distance from 1 to the next larger number of a floating-point dtype. */
static inline double tocha_epsilon(tocha_dtype dtype) {
  return ldexp(1, 1 - tocha_dtype_digits(dtype));
}
static inline int64_t tocha_row_count(const tocha_tensor *t) { return t->sizes[t->ndim - 2]; }
static inline int64_t tocha_column_count(const tocha_tensor *t) { return t->sizes[t->ndim - 1]; }
/* Returns the number of matrices of t, B. */
int64_t tocha_matrix_count(const tocha_tensor *t);
/* Returns new matrices (..., rows, columns), with the batch dimensions, dtype and device of like, column-major or row-major. */
tocha_tensor *tocha_new_matrices(tocha_context *cx, const tocha_tensor *like, int64_t rows,
                                 int64_t columns, bool column_major);
/* Return new vectors (..., size), and new numbers (...), with the batch dimensions and device of like. */
tocha_tensor *tocha_new_vectors(tocha_context *cx, const tocha_tensor *like, int64_t size,
                                tocha_dtype dtype);
tocha_tensor *tocha_new_numbers(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype);
/* Returns zeros (...) with the batch dimensions and device of like. */
tocha_tensor *tocha_zero_numbers(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype);
/* Returns a tensor without elements (0), for a result that was not wanted. */
tocha_tensor *tocha_new_nothing(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype);
/* Returns a copy of t, column-major or row-major; NULL for NULL. */
tocha_tensor *tocha_copy_matrices(tocha_context *cx, tocha_tensor *t, bool column_major);
/* Expands *t and *other to the batch dimensions that both broadcast to. */
bool tocha_broadcast_batches(tocha_context *cx, tocha_tensor **t, tocha_tensor **other);
/* Expands *vectors (..., K) to the batch dimensions of the matrices `like`. */
bool tocha_broadcast_vectors(tocha_context *cx, tocha_tensor **vectors, tocha_tensor *like);
/* Returns the transpose of t, without autograd. */
tocha_tensor *tocha_transposed(tocha_context *cx, tocha_tensor *t);

/* --- args of kernels ----------------------------------------------------------------------------------------- */

/* Return t if its matrices (vectors) are evenly spaced, as kernels need them, else a copy. t was made by a function above, and
 * perhaps broadcast since. Return NULL for NULL. */
tocha_tensor *tocha_spaced_matrices(tocha_context *cx, tocha_tensor *t);
tocha_tensor *tocha_spaced_vectors(tocha_context *cx, tocha_tensor *t);
/* Return a tensor of these functions, column-major (..., M, N) or contiguous (..., N), as an operand of a kernel. */
tocha_matrix_batch tocha_matrix_batch_of(const tocha_tensor *t);
tocha_vector_batch tocha_vector_batch_of(const tocha_tensor *t);
/* Returns the elements of a new int32 tensor (...). */
static inline int32_t *tocha_info_of(const tocha_tensor *info) {
  return (int32_t *)(void *)tocha_bytes(info);
}

#endif
