/* qr.c: QR factors. */
#include <string.h>

#include "linalg/implementations.h"
#include "ops/linalg/panels.h"
#include "tensor/copy.h"

typedef struct qr_job {
  tocha_lapack_job base;
  const tocha_tensor *qr, *Q, *R; /* qr: A, then the reflectors and R; Q may be NULL */
  int room;                       /* elements that LAPACK works in */
} qr_job;

/* work: the scalars of the reflectors, then LAPACK's. */
static void factor_one(const tocha_lapack_job *base, int64_t i, char *work) {
  const qr_job *j = (const qr_job *)base;
  size_t item = (size_t)tocha_item_size((tocha_dtype)j->qr->dtype);
  int m = (int)tocha_row_count(j->qr), n = (int)tocha_column_count(j->qr), k = m < n ? m : n;
  int rows = (int)tocha_row_count(j->R);
  char *a = tocha_place(j->qr, 2, i), *r = tocha_place(j->R, 2, i);
  char *rest = work + (size_t)k * item;
  tocha_panels_geqrf(base, m, n, a, work, rest, j->room);
  if (tocha_job_stopped(base)) return;
  memset(r, 0, (size_t)rows * (size_t)n * item);
  for (int c = 0; c < n; c++) {
    int count = c + 1 < rows ? c + 1 : rows;
    memcpy(r + (size_t)c * (size_t)rows * item, a + (size_t)c * (size_t)m * item,
           (size_t)(count < m ? count : m) * item);
  }
  if (!j->Q) return;
  int columns = (int)tocha_column_count(j->Q), copied = columns < n ? columns : n;
  char *q = tocha_place(j->Q, 2, i);
  memcpy(q, a, (size_t)m * (size_t)copied * item);
  tocha_panels_orgqr(base, m, columns, k, q, work, rest, j->room);
}

/* The room that LAPACK asks for, for both of its functions. */
static int room_for(const tocha_lapack *lapack, int m, int n, int columns, int dtype) {
  double answer[2] = {1, 1}, unused[1] = {0};
  int k = m < n ? m : n, lda = m > 1 ? m : 1, ask = -1, info;
  lapack->geqrf(&m, &n, unused, &lda, unused, &answer[0], &ask, &info);
  int first = tocha_answered(&answer[0], dtype);
  if (columns < k) return first;
  lapack->orgqr(&m, &columns, &k, unused, &lda, unused, &answer[1], &ask, &info);
  int second = tocha_answered(&answer[1], dtype);
  return first > second ? first : second;
}

static bool factor(tocha_context *cx, tocha_tensor *A, tocha_tensor *Q, tocha_tensor *R) {
  tocha_tensor *qr = tocha_copy_matrices(cx, A, true);
  const tocha_lapack *lapack = qr ? tocha_find_lapack(cx, (tocha_dtype)A->dtype) : NULL;
  if (!lapack) return false;
  int m = (int)tocha_row_count(A), n = (int)tocha_column_count(A);
  int room = room_for(lapack, m, n, Q ? (int)tocha_column_count(Q) : 0, A->dtype);
  qr_job job = {
      {.one = factor_one, .room = ((size_t)room + (size_t)m + (size_t)n) * 8, .lapack = lapack},
      qr,
      Q,
      R,
      room};
  return tocha_run_lapack(cx, &job.base, tocha_matrix_count(A),
                          2.0 * (double)m * (double)n * (double)(m < n ? m : n));
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
  int64_t m = tocha_row_count(A), n = tocha_column_count(A), k = m < n ? m : n, none = 0;
  *Q = without_q ? tocha_new(cx, 1, &none, (tocha_dtype)A->dtype, A->device)
                 : tocha_new_matrices(cx, A, m, complete ? m : k, true);
  *R = tocha_new_matrices(cx, A, complete ? m : k, n, true);
  if (!*Q || !*R || A->device.type == TOCHA_META || tocha_matrix_count(A) == 0 || m == 0)
    return *Q && *R;
  return factor(cx, A, without_q ? NULL : *Q, *R);
}
