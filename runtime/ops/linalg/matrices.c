/* matrices.c: checks and memory of batches of matrices, and LAPACK on the threads. */
#include "ops/linalg/matrices.h"

#include <limits.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "ops/linalg/apart.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tensor/parallel.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/transpose.h"

/* --- checks -------------------------------------------------------------------------------------------------- */

bool tocha_check_real(tocha_context *cx, const tocha_tensor *t, const char *name,
                      const char *kernel) {
  if (t->dtype == TOCHA_FLOAT32 || t->dtype == TOCHA_FLOAT64) return true;
  const char *type = tocha_dtype_scalar_type((tocha_dtype)t->dtype);
  bool low = tocha_dtype_is_floating((tocha_dtype)t->dtype);
  if (kernel && (low || !name))
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s\" not implemented for '%s'", kernel, type);
  else
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "%s: %s Got %s", name,
               low ? "Low precision dtypes not supported."
                   : "Expected a floating point or complex tensor as input.",
               type);
  return false;
}

bool tocha_check_matrix(tocha_context *cx, const tocha_tensor *t, const char *name,
                        const char *what) {
  if (t->ndim >= 2) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s: The input tensor %s must have at least 2 dimensions.",
             name, what);
  return false;
}

bool tocha_check_has_rows(tocha_context *cx, const tocha_tensor *t, const char *name) {
  char text[256];
  if (t->ndim >= 2) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "%s: Expected tensor with 2 or more dimensions. Got size: %s instead", name,
             tocha_shape_text(t->ndim, t->sizes, text, sizeof text));
  return false;
}

bool tocha_check_square(tocha_context *cx, const tocha_tensor *t, const char *name,
                        const char *what) {
  if (!tocha_check_matrix(cx, t, name, what)) return false;
  if (tocha_row_count(t) == tocha_column_count(t)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "%s: %s must be batches of square matrices, but they are %lld by %lld matrices", name,
             what, (long long)tocha_row_count(t), (long long)tocha_column_count(t));
  return false;
}

bool tocha_check_same_dtype(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b,
                            const char *name) {
  if (a->dtype == b->dtype) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "%s: Expected A and B to have the same dtype, but found A of type %s and B of type %s "
             "instead",
             name, tocha_dtype_scalar_type((tocha_dtype)a->dtype),
             tocha_dtype_scalar_type((tocha_dtype)b->dtype));
  return false;
}

bool tocha_check_system(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b, bool left,
                        const char *name) {
  if (!tocha_check_square(cx, a, name, "A") || !tocha_check_matrix(cx, b, name, "B")) return false;
  if ((left ? tocha_row_count(b) : tocha_column_count(b)) == tocha_row_count(a)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "%s: Incompatible shapes of A and B for the equation %s (%lldx%lld and %lldx%lld)",
             name, left ? "AX = B" : "XA = B", (long long)tocha_row_count(a),
             (long long)tocha_column_count(a), (long long)tocha_row_count(b),
             (long long)tocha_column_count(b));
  return false;
}

bool tocha_check_linear(tocha_context *cx, const tocha_tensor *b, const tocha_tensor *a,
                        const char *name) {
  long long rows = (long long)tocha_row_count(a), columns = (long long)tocha_column_count(a);
  if (a->dtype != b->dtype)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected b and A to have the same dtype, but found b of type %s and A of type %s "
               "instead.",
               tocha_dtype_scalar_type((tocha_dtype)b->dtype),
               tocha_dtype_scalar_type((tocha_dtype)a->dtype));
  else if (rows != columns)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "A must be batches of square matrices, but they are %lld by %lld matrices", rows,
               columns);
  else if (columns != tocha_row_count(b))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Incompatible matrix sizes for %s: each A matrix is %lld by %lld but each b matrix "
               "is %lld by %lld",
               name, columns, columns, (long long)tocha_row_count(b),
               (long long)tocha_column_count(b));
  return !tocha_failed(cx);
}

static const struct {
  const char *function, *words; /* of the functions whose names hold `function`; %lld: the code */
} failures[] = {
    {"inv", "The diagonal element %lld is zero, the inversion could not be completed because the "
            "input matrix is singular."},
    {"solve", "The solver failed because the input matrix is singular."},
    {"cholesky", "The factorization could not be completed because the input is not "
                 "positive-definite (the leading minor of order %lld is not positive-definite)."},
    {"svd", "The algorithm failed to converge because the input matrix is ill-conditioned or has "
            "too many repeated singular values (error code: %lld)."},
    {"eig", "The algorithm failed to converge because the input matrix is ill-conditioned or has "
            "too many repeated eigenvalues (error code: %lld)."},
    {"lstsq", "The least squares solution could not be computed because the input matrix does not "
              "have full rank (error code: %lld)."},
    {"lu_factor", "U[%lld,%lld] is zero and using it on lu_solve would result in a division by "
                  "zero. If you still want to perform the factorization, consider calling "
                  "linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"},
};

static void fail_with_info(tocha_context *cx, const char *name, const char *where, int64_t info) {
  char text[320];
  long long code = (long long)info;
  if (info < 0 && (strstr(name, "svd") || strstr(name, "eig"))) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "%s: %sThe algorithm failed to converge because the input matrix contained "
               "non-finite values.",
               name, where);
    return;
  }
  if (info < 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "%s: %sArgument %lld has illegal value. Most certainly there is a bug in the "
               "implementation calling the backend library.",
               name, where, -code);
    return;
  }
  for (int i = 0; i < TOCHA_COUNT(failures); i++) {
    if (!strstr(name, failures[i].function)) continue;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, failures[i].words, code, code);
#pragma GCC diagnostic pop
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s: %s%s", name, where, text);
    return;
  }
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s: %sUnknown error code: %lld.", name, where, code);
}

bool tocha_check_info(tocha_context *cx, const tocha_tensor *info, const char *name) {
  char where[64] = "";
  if (!tocha_has_elements(info)) return true;
  for (int64_t i = 0; i < info->numel; i++) {
    int code = ((const int *)tocha_bytes(info))[i];
    if (code == 0) continue;
    if (info->ndim > 0) snprintf(where, sizeof where, "(Batch element %lld): ", (long long)i);
    fail_with_info(cx, name, where, code);
    return false;
  }
  return true;
}

/* --- sizes and memory ---------------------------------------------------------------------------------------- */

int64_t tocha_matrix_count(const tocha_tensor *t) {
  int64_t count = 1;
  for (int d = 0; d < t->ndim - 2; d++) count *= t->sizes[d];
  return count;
}

tocha_tensor *tocha_new_matrices(tocha_context *cx, const tocha_tensor *like, int64_t rows,
                                 int64_t columns, bool column_major) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  int n = like->ndim;
  memcpy(sizes, like->sizes, (size_t)n * sizeof *sizes);
  sizes[n - 2] = rows;
  sizes[n - 1] = columns;
  tocha_row_major_strides(n, sizes, strides);
  if (column_major) {
    strides[n - 2] = 1;
    strides[n - 1] = rows > 1 ? rows : 1;
  }
  return tocha_new_strided(cx, n, sizes, strides, (tocha_dtype)like->dtype, like->device);
}

tocha_tensor *tocha_new_vectors(tocha_context *cx, const tocha_tensor *like, int64_t size,
                                tocha_dtype dtype) {
  int64_t sizes[TOCHA_MAX_DIMS];
  memcpy(sizes, like->sizes, (size_t)like->ndim * sizeof *sizes);
  sizes[like->ndim - 2] = size;
  return tocha_new(cx, like->ndim - 1, sizes, dtype, like->device);
}

tocha_tensor *tocha_new_numbers(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype) {
  return tocha_new(cx, like->ndim - 2, like->sizes, dtype, like->device);
}

tocha_tensor *tocha_copy_matrices(tocha_context *cx, tocha_tensor *t, bool column_major) {
  if (!t) return NULL;
  int64_t rows = tocha_row_count(t), columns = tocha_column_count(t);
  if ((rows > INT_MAX || columns > INT_MAX) && t->device.type != TOCHA_META)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "a matrix of %lld rows and %lld columns is larger than LAPACK can count",
                      (long long)rows, (long long)columns);
  tocha_tensor *out = tocha_new_matrices(cx, t, rows, columns, column_major);
  return out && (!tocha_has_elements(out) || tocha_copy_data(cx, out, t)) ? out : NULL;
}

/* t with count other batch dimensions. */
static tocha_tensor *with_batch(tocha_context *cx, tocha_tensor *t, int count,
                                const int64_t *batch) {
  int64_t sizes[TOCHA_MAX_DIMS];
  memcpy(sizes, batch, (size_t)count * sizeof *sizes);
  sizes[count] = tocha_row_count(t);
  sizes[count + 1] = tocha_column_count(t);
  return tocha_expand(cx, t, count + 2, sizes);
}

bool tocha_broadcast_batches(tocha_context *cx, tocha_tensor **t, tocha_tensor **other) {
  tocha_tensor *batches[2];
  int64_t sizes[TOCHA_MAX_DIMS];
  int ndim;
  for (int i = 0; i < 2; i++) {
    const tocha_tensor *x = i ? *other : *t;
    batches[i] = tocha_alias(cx, x, x->ndim - 2, x->sizes, x->strides, x->offset);
    if (!batches[i]) return false;
  }
  if (!tocha_broadcast_sizes(cx, 2, batches, &ndim, sizes)) return false;
  *t = with_batch(cx, *t, ndim, sizes);
  *other = with_batch(cx, *other, ndim, sizes);
  return *t && *other;
}

tocha_tensor *tocha_transposed(tocha_context *cx, tocha_tensor *t) {
  return tocha_transpose(cx, t, -2, -1);
}

char *tocha_place(const tocha_tensor *t, int trailing, int64_t i) {
  int64_t offset = 0;
  for (int d = t->ndim - trailing - 1; d >= 0; d--) {
    offset += i % t->sizes[d] * t->strides[d];
    i /= t->sizes[d];
  }
  return tocha_bytes(t) + offset * tocha_item_size((tocha_dtype)t->dtype);
}

/* --- running ------------------------------------------------------------------------------------------------- */

typedef struct run {
  const tocha_lapack_job *job;
  bool apart;
  atomic_bool lacks_memory;
} run;

static void run_part(void *user, int64_t begin, int64_t end) {
  run *r = user;
  const tocha_lapack_job *job = r->job;
  char *work = NULL;
  int threads = tocha_use_one_thread(&job->lapack->openmp);
  for (int64_t i = begin; i < end && !tocha_job_stopped(job); i++) {
    if (r->apart && tocha_run_apart(job, i)) continue;
    if (!work && !(work = malloc(job->room + 1))) {
      atomic_store(&r->lacks_memory, true);
      break;
    }
    job->one(job, i, work);
  }
  tocha_restore_threads(&job->lapack->openmp, threads);
  free(work);
}

bool tocha_run_lapack(tocha_context *cx, tocha_lapack_job *job, int64_t count, double work) {
  enum { PER_ELEMENT = 2, PER_CALL = 2000 };
  int64_t each = (int64_t)(work / PER_ELEMENT) + PER_CALL;
  run r = {.job = job, .apart = tocha_runs_apart(job, work)};
  job->cx = cx;
  if (!tocha_parallel_for(cx, count, TOCHA_GRAIN / each + 1, run_part, &r)) return false;
  if (atomic_load(&r.lacks_memory))
    tocha_fail(cx, TOCHA_MEMORY_ERROR, "out of memory: %zu bytes for LAPACK", job->room);
  return !tocha_failed(cx);
}
