/* matrices.h: batches of column-major matrices, what is checked of them, and LAPACK run over each. */
#ifndef TOCHA_MATRICES_H
#define TOCHA_MATRICES_H

#include <limits.h>
#include <math.h>

#include "ops/linalg/cpu/lapack.h"
#include "tensor/pieces.h"

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
/* The first code in info that is not zero, as PyTorch's error of the function; true where all are zero. */
bool tocha_check_info(tocha_context *cx, const tocha_tensor *info, const char *name);

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
/* Where matrix i of t, or vector i (trailing 1), or number i (trailing 0) lies. */
char *tocha_place(const tocha_tensor *t, int trailing, int64_t i);

/* --- running ------------------------------------------------------------------------------------------------- */

/* What of a job goes into another thread's copy (apart.h): the job's size in bytes, and how many tensors follow its beginning.
 * The first of them holds matrices; each bit of read_only stands for one that is not changed. */
typedef struct tocha_apart {
  size_t size; /* 0: none: a job that looks itself whether it is interrupted */
  int tensors;
  unsigned read_only;
} tocha_apart;

/* The beginning of what is to be done to each matrix of a batch. */
typedef struct tocha_lapack_job {
  void (*one)(const struct tocha_lapack_job *job, int64_t i, char *work);
  size_t room; /* bytes of work */
  const tocha_lapack *lapack;
  tocha_context *cx; /* set by tocha_run_lapack */
  tocha_apart apart;
} tocha_lapack_job;

/* Whether an interrupt has come; a part of the job that ran on several threads may have made an error of it. */
static inline bool tocha_job_stopped(const tocha_lapack_job *job) {
  return tocha_is_set(&job->cx->interrupted) || tocha_failed(job->cx);
}

/* Calls job->one for 0..count, on several threads where `work` of each, in multiplications, is worth it. */
bool tocha_run_lapack(tocha_context *cx, tocha_lapack_job *job, int64_t count, double work);
/* The size of its work that LAPACK answered, in the dtype: a float32 above 2^24 may be rounded down. */
static inline int tocha_answered(const void *work, int dtype) {
  double size = dtype == TOCHA_FLOAT64 ? *(const double *)work
                : *(const float *)work < 1 << 24
                    ? (double)*(const float *)work
                    : (double)nextafterf(*(const float *)work, INFINITY);
  return size < INT_MAX ? (int)size : INT_MAX;
}

#endif
