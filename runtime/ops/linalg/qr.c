/* qr.c: QR factors. */
#include <string.h>

#include "linalg/implementations.h"
#include "ops/creation/kernels.h"
#include "ops/linalg/matrices.h"
#include "ops/linalg/rules.h"
#include "tensor/copy.h"

/* Fills R (B, K or M, N) with the upper triangle of qr (B, M, N). Both are column-major, so this is the lower triangle of their
 * transposes. */
static bool copy_triangle(tocha_stream *stream, const tocha_tensor *qr, const tocha_tensor *R) {
  tocha_matrix_batch from = tocha_matrix_batch_of(qr), to = tocha_matrix_batch_of(R);
  tocha_triangle_args args = {.out = to.data,
                              .in = from.data,
                              .numel = R->numel,
                              .rows = to.columns,
                              .columns = to.rows,
                              .batch_stride = from.step,
                              .row_stride = from.rows,
                              .column_stride = 1,
                              .item = (int32_t)tocha_dtype_size(qr->dtype)};
  return stream->kernels->creation->triangle(stream, &args);
}

/* Returns Q (B, M, columns), the first columns of the product of the reflections in qr (B, M, N). Overwrites and returns qr if
 * `columns` is N. */
static tocha_tensor *product(tocha_context *cx, tocha_tensor *qr, tocha_tensor *tau,
                             int64_t columns) {
  int64_t n = tocha_column_count(qr), both = columns < n ? columns : n;
  tocha_tensor *Q = qr;
  if (columns != n) {
    Q = tocha_new_matrices(cx, qr, tocha_row_count(qr), columns, true);
    tocha_tensor *from = tocha_part(cx, qr, -1, 0, both), *to = tocha_part(cx, Q, -1, 0, both);
    if (!from || !to || (both > 0 && !tocha_copy_data(cx, to, from))) return NULL;
  }
  tocha_stream *stream = tocha_stream_of(cx, Q->device);
  tocha_orgqr_args args = {.a = tocha_matrix_batch_of(Q),
                           .tau = tocha_vector_batch_of(tau),
                           .batch = tocha_matrix_count(Q),
                           .dtype = Q->dtype};
  return stream && tocha_launched(cx, stream->kernels->linalg->orgqr(stream, &args)) ? Q : NULL;
}

/* Fills R and, unless columns is -1, sets *Q to a new Q with so many columns. */
static bool factor(tocha_context *cx, tocha_tensor *A, int64_t columns, tocha_tensor **Q,
                   tocha_tensor *R) {
  int64_t m = tocha_row_count(A), n = tocha_column_count(A);
  tocha_tensor *qr = tocha_copy_matrices(cx, A, true);
  tocha_tensor *tau = tocha_new_vectors(cx, A, m < n ? m : n, (tocha_dtype)A->dtype);
  tocha_stream *stream = tocha_stream_of(cx, A->device);
  if (!qr || !tau || !stream) return false;
  tocha_geqrf_args args = {.a = tocha_matrix_batch_of(qr),
                           .tau = tocha_vector_batch_of(tau),
                           .batch = tocha_matrix_count(A),
                           .dtype = A->dtype};
  if (!tocha_launched(cx, stream->kernels->linalg->geqrf(stream, &args)) ||
      (R->numel > 0 && !tocha_launched(cx, copy_triangle(stream, qr, R))))
    return false;
  if (columns < 0) return true;
  *Q = product(cx, qr, tau, columns);
  return *Q != NULL;
}

bool tocha_op_qr(tocha_context *cx, tocha_tensor *A, const char *mode, tocha_tensor **Q,
                 tocha_tensor **R) {
  bool complete = strcmp(mode, "complete") == 0, without_q = strcmp(mode, "r") == 0;
  bool floating = tocha_dtype_is_floating((tocha_dtype)A->dtype);
  if (!tocha_check_matrix(cx, A, "linalg.qr", "A") ||
      (!floating && !tocha_check_real(cx, A, "linalg.qr", NULL)))
    return false;
  if (!complete && !without_q && strcmp(mode, "reduced") != 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "qr received unrecognized mode '%s' but expected one of 'reduced' (default), 'r', "
               "or 'complete'",
               mode);
    return false;
  }
  if (!tocha_check_real(cx, A, NULL, "geqrf_cpu")) return false;
  int64_t m = tocha_row_count(A), n = tocha_column_count(A), k = m < n ? m : n;
  int64_t rows = complete ? m : k;
  bool empty = A->device.type == TOCHA_META || tocha_matrix_count(A) == 0 || m == 0;
  *R = tocha_new_matrices(cx, A, rows, n, true);
  if (without_q)
    *Q = tocha_new_nothing(cx, A, (tocha_dtype)A->dtype);
  else if (empty)
    *Q = tocha_new_matrices(cx, A, m, rows, true);
  if (!*R || ((without_q || empty) && !*Q)) return false;
  return empty || factor(cx, A, without_q ? -1 : rows, Q, *R);
}
