/* matrices.c: checks of batches of matrices, and their memory. */
#include "ops/linalg/matrices.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tensor/transfer.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/transpose.h"

/* --- checks -------------------------------------------------------------------------------------------------- */

bool tocha_check_real(tocha_context *cx, const tocha_tensor *t, const char *name,
                      const char *kernel) {
  if (tocha_linalg_takes((tocha_dtype)t->dtype)) return true;
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

bool tocha_holds_vectors(const tocha_tensor *a, const tocha_tensor *b) {
  return b->ndim == 1 || (a->ndim == b->ndim + 1 &&
                          memcmp(a->sizes, b->sizes, (size_t)b->ndim * sizeof *b->sizes) == 0);
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

/* Writes the meaning of LAPACK's code to text. */
static void describe(char *text, size_t size, tocha_linalg_failure failure, long long code) {
  switch (failure) {
  case TOCHA_FAILS_TO_INVERT:
    snprintf(text, size,
             "The diagonal element %lld is zero, the inversion could not be completed because the "
             "input matrix is singular.",
             code);
    break;
  case TOCHA_FAILS_TO_SOLVE:
    snprintf(text, size, "The solver failed because the input matrix is singular.");
    break;
  case TOCHA_FAILS_POSITIVE_DEFINITE:
    snprintf(text, size,
             "The factorization could not be completed because the input is not positive-definite "
             "(the leading minor of order %lld is not positive-definite).",
             code);
    break;
  case TOCHA_FAILS_SINGULAR_VALUES:
  case TOCHA_FAILS_EIGENVALUES:
    snprintf(text, size,
             "The algorithm failed to converge because the input matrix is ill-conditioned or has "
             "too many repeated %s (error code: %lld).",
             failure == TOCHA_FAILS_EIGENVALUES ? "eigenvalues" : "singular values", code);
    break;
  case TOCHA_FAILS_FULL_RANK:
    snprintf(text, size,
             "The least squares solution could not be computed because the input matrix does not "
             "have full rank (error code: %lld).",
             code);
    break;
  case TOCHA_FAILS_NONZERO_PIVOTS:
    snprintf(text, size,
             "U[%lld,%lld] is zero and using it on lu_solve would result in a division by zero. If "
             "you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
             "linalg.lu_factor_ex(A, pivot)",
             code, code);
    break;
  case TOCHA_FAILS_UNKNOWN:
    snprintf(text, size, "Unknown error code: %lld.", code);
    break;
  }
}

/* Writes the text for a negative code, an argument that LAPACK refuses. For iterations that is a matrix with NaN. */
static void describe_refusal(char *text, size_t size, tocha_linalg_failure failure,
                             long long argument) {
  if (failure == TOCHA_FAILS_SINGULAR_VALUES || failure == TOCHA_FAILS_EIGENVALUES)
    snprintf(text, size,
             "The algorithm failed to converge because the input matrix contained non-finite "
             "values.");
  else
    snprintf(text, size,
             "Argument %lld has illegal value. Most certainly there is a bug in the implementation "
             "calling the backend library.",
             argument);
}

bool tocha_check_info(tocha_context *cx, tocha_tensor *info, tocha_linalg_failure failure,
                      const char *name) {
  char where[64] = "", text[320];
  if (!tocha_has_elements(info)) return true;
  if (!(info = tocha_on_host(cx, info))) return false;
  for (int64_t i = 0; i < info->numel; i++) {
    int code = tocha_info_of(info)[i];
    if (code == 0) continue;
    if (info->ndim > 0) snprintf(where, sizeof where, "(Batch element %lld): ", (long long)i);
    if (code > 0)
      describe(text, sizeof text, failure, code);
    else
      describe_refusal(text, sizeof text, failure, -(long long)code);
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s: %s%s", name, where, text);
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

tocha_tensor *tocha_zero_numbers(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype) {
  tocha_tensor *out = tocha_new_numbers(cx, like, dtype);
  return out && (!tocha_has_elements(out) || tocha_fill_data(cx, out, tocha_int(0))) ? out : NULL;
}

tocha_tensor *tocha_new_nothing(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype) {
  int64_t none = 0;
  return tocha_new(cx, 1, &none, dtype, like->device);
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

/* Expands the matrices of t to the `count` batch sizes in `batch`. */
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

bool tocha_broadcast_vectors(tocha_context *cx, tocha_tensor **vectors, tocha_tensor *like) {
  const tocha_tensor *v = *vectors;
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  for (int d = 0; d < v->ndim; d++) {
    sizes[d] = v->sizes[d];
    strides[d] = v->strides[d];
  }
  sizes[v->ndim] = strides[v->ndim] = 1;
  tocha_tensor *columns = tocha_alias(cx, v, v->ndim + 1, sizes, strides, v->offset);
  if (!columns || !tocha_broadcast_batches(cx, &columns, &like)) return false;
  *vectors = tocha_alias(cx, columns, columns->ndim - 1, columns->sizes, columns->strides,
                         columns->offset);
  return *vectors != NULL;
}

tocha_tensor *tocha_transposed(tocha_context *cx, tocha_tensor *t) {
  return tocha_transpose(cx, t, -2, -1);
}

/* --- args of kernels ----------------------------------------------------------------------------------------- */

/* Returns the distance in elements between consecutive matrices or vectors, whose batch dimensions are all but the last
 * `trailing`. Returns -1 if the distances differ. */
static int64_t step_of(const tocha_tensor *t, int trailing) {
  int64_t step = 0, size = 1;
  for (int d = t->ndim - trailing - 1; d >= 0; d--) {
    if (t->sizes[d] == 1) continue;
    if (size == 1) step = t->strides[d];
    if (t->strides[d] != step * size) return -1;
    size *= t->sizes[d];
  }
  return step;
}

tocha_tensor *tocha_spaced_matrices(tocha_context *cx, tocha_tensor *t) {
  return !t || step_of(t, 2) >= 0 ? t : tocha_copy_matrices(cx, t, true);
}

tocha_tensor *tocha_spaced_vectors(tocha_context *cx, tocha_tensor *t) {
  return !t || step_of(t, 1) >= 0 ? t : tocha_copy_rows(cx, t);
}

tocha_matrix_batch tocha_matrix_batch_of(const tocha_tensor *t) {
  return (tocha_matrix_batch){.data = tocha_bytes(t),
                              .rows = tocha_row_count(t),
                              .columns = tocha_column_count(t),
                              .step = step_of(t, 2)};
}

tocha_vector_batch tocha_vector_batch_of(const tocha_tensor *t) {
  return (tocha_vector_batch){
      .data = tocha_bytes(t), .size = t->sizes[t->ndim - 1], .step = step_of(t, 1)};
}
