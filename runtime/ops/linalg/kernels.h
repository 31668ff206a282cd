/* kernels.h: the arguments of the kernels of linear algebra, and the table that a device fills (device/kernels.h).
 *
 * The kernels are named after the functions of LAPACK that do the same to one matrix. Here each works on a batch: B matrices
 * are written (B, M, N), B vectors (B, N), B numbers (B). dtype is that of all elements of matrices and vectors except pivots:
 * float32 or float64. Singular values, eigenvalues and logarithms are real in every dtype. B is at least 1.
 *
 * info (B) is 0 for each matrix that was factored, and LAPACK's positive or negative code for any other. Such a code is not a
 * failure of the kernel; the operator reads it. Pivots are int32 and count rows from 1, as LAPACK's.
 *
 * A device sets a kernel that it lacks to NULL, or the whole table. Operators that need such a kernel say `host = true` in the
 * list: their tensors are copied to the CPU and back (dispatch/host_fallback.c). */
#ifndef TOCHA_LINALG_KERNELS_H
#define TOCHA_LINALG_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

/* B matrices (B, rows, columns), each column-major without gaps: element (r, c) of matrix b is data[b * step + c * rows + r].
 * With step 0 the whole batch shares one matrix. data may be NULL if a kernel says so. */
typedef struct tocha_matrix_batch {
  void *data;
  int64_t rows, columns, step;
} tocha_matrix_batch;

/* B vectors (B, size): element i of vector b is data[b * step + i]. */
typedef struct tocha_vector_batch {
  void *data;
  int64_t size, step;
} tocha_vector_batch;

/* The form in which a factor is used: itself, its transpose, or the conjugate of the transpose (the same for real types). */
typedef enum tocha_transposition {
  TOCHA_NOT_TRANSPOSED,
  TOCHA_TRANSPOSED,
  TOCHA_ADJOINT
} tocha_transposition;

/* P L U = A. a (B, M, N) becomes U, and below the diagonal L without its ones. pivots (B, K), K = min(M, N): row i was
 * exchanged with row pivots[i]. */
typedef struct tocha_getrf_args {
  tocha_matrix_batch a;
  tocha_vector_batch pivots;
  int32_t *info;
  int64_t batch;
  int8_t dtype;
} tocha_getrf_args;

/* A X = B, by getrf's factors lu (B, N, N) and pivots (B, N). x (B, N, K) holds B, then X. */
typedef struct tocha_getrs_args {
  tocha_matrix_batch lu, x;
  tocha_vector_batch pivots;
  int64_t batch;
  int8_t dtype;
  int8_t transposition; /* of A: a tocha_transposition */
} tocha_getrs_args;

/* The determinants, by getrf's factors lu (B, N, N) and pivots (B, N). Writes value (B), the determinant, or sign (B) and
 * logarithm (B) of its magnitude. Any of the three may be NULL. */
typedef struct tocha_determinant_args {
  tocha_matrix_batch lu;
  tocha_vector_batch pivots;
  void *value, *sign, *logarithm;
  int64_t batch;
  int8_t dtype;
} tocha_determinant_args;

/* The matrices P of getrf's pivots (B, K). p (B, M, M), row-major, holds zeros, then P. */
typedef struct tocha_permutation_args {
  tocha_vector_batch pivots;
  void *p;
  int64_t batch, rows; /* M */
  int8_t dtype;
} tocha_permutation_args;

/* L L' = A, or U' U = A with upper. a (B, N, N) becomes the factor; its other triangle is neither read nor changed. */
typedef struct tocha_potrf_args {
  tocha_matrix_batch a;
  int32_t *info;
  int64_t batch;
  int8_t dtype;
  bool upper;
} tocha_potrf_args;

/* A X = B, by potrf's factor (B, N, N). x (B, N, K) holds B, then X. */
typedef struct tocha_potrs_args {
  tocha_matrix_batch factor, x;
  int64_t batch;
  int8_t dtype;
  bool upper;
} tocha_potrs_args;

/* a (B, N, N) holds potrf's factor, then both triangles of the inverse of the factored matrix. */
typedef tocha_potrf_args tocha_potri_args;

/* Q R = A. a (B, M, N) becomes R and, below R, the reflections I - tau v v' whose product is Q: v is column i of a below the
 * diagonal, 1 on it, and 0 above. tau (B, K), K = min(M, N). */
typedef struct tocha_geqrf_args {
  tocha_matrix_batch a;
  tocha_vector_batch tau;
  int64_t batch;
  int8_t dtype;
} tocha_geqrf_args;

/* a (B, M, N), N <= M, holds geqrf's reflections, then the first N columns of the product of the first K. tau (B, K), K <= N. */
typedef tocha_geqrf_args tocha_orgqr_args;

/* c (B, M, N) becomes Q C with left, else C Q. Q is the product of the reflections in a, (B, M, K) or (B, N, K), and tau (B,
 * K). */
typedef struct tocha_ormqr_args {
  tocha_matrix_batch a, c;
  tocha_vector_batch tau;
  int64_t batch;
  int8_t dtype;
  int8_t transposition; /* of Q: a tocha_transposition */
  bool left;
} tocha_ormqr_args;

/* L D L' = A for symmetric A, from its lower triangle. a (B, N, N) becomes L and D. pivots (B, N): two equal negative numbers
 * mark a block of two rows in D. */
typedef struct tocha_sytrf_args {
  tocha_matrix_batch a;
  tocha_vector_batch pivots;
  int32_t *info;
  int64_t batch;
  int8_t dtype;
} tocha_sytrf_args;

/* A X = B, by sytrf's factors ld (B, N, N) and pivots (B, N). x (B, N, K) holds B, then X. */
typedef struct tocha_sytrs_args {
  tocha_matrix_batch ld, x;
  tocha_vector_batch pivots;
  int64_t batch;
  int8_t dtype;
} tocha_sytrs_args;

/* A X = B, or X A = B, for triangular a (B, N, N), of which one triangle is read; x (B, N, K) or (B, K, N) holds B, then X. */
typedef struct tocha_trsm_args {
  tocha_matrix_batch a, x;
  int64_t batch;
  int8_t dtype;
  bool left, upper, unit; /* unit: the diagonal counts as ones and is not read */
} tocha_trsm_args;

/* U diag(S) Vh = A. a (B, M, N) is overwritten. s (B, K), K = min(M, N), descending. u (B, M, M or K), vh (B, N or K, N); both
 * have no data if only s is wanted. A matrix with infinite elements gets NaN. */
typedef struct tocha_gesdd_args {
  tocha_matrix_batch a, u, vh;
  tocha_vector_batch s;
  int32_t *info;
  int64_t batch;
  int8_t dtype;
} tocha_gesdd_args;

/* V diag(w) V' = A for symmetric a (B, N, N), of which one triangle is read. w (B, N), ascending. With vectors a becomes V;
 * without, a is overwritten. */
typedef struct tocha_syevd_args {
  tocha_matrix_batch a;
  tocha_vector_batch w;
  int32_t *info;
  int64_t batch;
  int8_t dtype;
  bool upper, vectors;
} tocha_syevd_args;

typedef enum tocha_gels_driver {
  TOCHA_GELS,
  TOCHA_GELSY,
  TOCHA_GELSD,
  TOCHA_GELSS
} tocha_gels_driver;

/* The X that minimizes the norms of the columns of A X - B. a (B, M, N) is overwritten. x (B, max(M, N), K) holds B in its
 * first M rows, then X in its first N. rank (B) and values (B, min(M, N)), the singular values, may be NULL: gels computes
 * neither, gelsy no values. */
typedef struct tocha_gels_args {
  tocha_matrix_batch a, x;
  tocha_vector_batch values;
  int64_t *rank;
  int32_t *info;
  double rcond; /* singular values up to rcond times the largest count as zero */
  int64_t batch;
  int8_t dtype;
  int8_t driver; /* a tocha_gels_driver */
} tocha_gels_args;

typedef struct tocha_linalg_kernels {
  bool (*getrf)(tocha_stream *stream, const tocha_getrf_args *args);
  bool (*getrs)(tocha_stream *stream, const tocha_getrs_args *args);
  bool (*determinant)(tocha_stream *stream, const tocha_determinant_args *args);
  bool (*permutation)(tocha_stream *stream, const tocha_permutation_args *args);
  bool (*potrf)(tocha_stream *stream, const tocha_potrf_args *args);
  bool (*potrs)(tocha_stream *stream, const tocha_potrs_args *args);
  bool (*potri)(tocha_stream *stream, const tocha_potri_args *args);
  bool (*geqrf)(tocha_stream *stream, const tocha_geqrf_args *args);
  bool (*orgqr)(tocha_stream *stream, const tocha_orgqr_args *args);
  bool (*ormqr)(tocha_stream *stream, const tocha_ormqr_args *args);
  bool (*sytrf)(tocha_stream *stream, const tocha_sytrf_args *args);
  bool (*sytrs)(tocha_stream *stream, const tocha_sytrs_args *args);
  bool (*trsm)(tocha_stream *stream, const tocha_trsm_args *args);
  bool (*gesdd)(tocha_stream *stream, const tocha_gesdd_args *args);
  bool (*syevd)(tocha_stream *stream, const tocha_syevd_args *args);
  bool (*gels)(tocha_stream *stream, const tocha_gels_args *args);
} tocha_linalg_kernels;

#ifdef __cplusplus
}
#endif
#endif
