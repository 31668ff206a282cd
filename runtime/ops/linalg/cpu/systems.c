/* systems.c: batches of systems of linear equations: by factors, triangular, and least squares. */
#include <math.h>
#include <string.h>

#include "ops/linalg/cpu/kernels.h"
#include "ops/linalg/cpu/panels.h"

/* Returns the number of multiplications for k right-hand sides of n equations. */
static double substitutions(int64_t n, int64_t k) { return (double)n * (double)n * (double)k; }

/* --- by factors ------------------------------------------------------------------------------------------------ */

static void getrs_one(const tocha_batch *b, void *const *at, void *scratch) {
  const tocha_getrs_args *g = b->args;
  (void)scratch;
  tocha_panels_getrs(b, g->transposition ? "T" : "N", (int)g->lu.rows, (int)g->x.columns, at[0],
                     at[1], at[2]);
}

bool tocha_cpu_getrs(tocha_stream *stream, const tocha_getrs_args *args) {
  tocha_batch b = {
      .one = getrs_one, .args = args, .work = substitutions(args->lu.rows, args->x.columns)};
  tocha_begin_batch(&b, stream, args->batch, args->dtype);
  tocha_add_matrices(&b, &args->lu, true);
  tocha_add_vectors(&b, &args->pivots, sizeof(int), true);
  tocha_add_matrices(&b, &args->x, false);
  return tocha_run_batch(&b);
}

static void potrs_one(const tocha_batch *b, void *const *at, void *scratch) {
  const tocha_potrs_args *p = b->args;
  (void)scratch;
  tocha_panels_potrs(b, p->upper ? "U" : "L", (int)p->factor.rows, (int)p->x.columns, at[0], at[1]);
}

bool tocha_cpu_potrs(tocha_stream *stream, const tocha_potrs_args *args) {
  tocha_batch b = {
      .one = potrs_one, .args = args, .work = substitutions(args->x.rows, args->x.columns)};
  tocha_begin_batch(&b, stream, args->batch, args->dtype);
  tocha_add_matrices(&b, &args->factor, true);
  tocha_add_matrices(&b, &args->x, false);
  return tocha_run_batch(&b);
}

static void sytrs_one(const tocha_batch *b, void *const *at, void *scratch) {
  const tocha_sytrs_args *s = b->args;
  int n = (int)s->ld.rows, columns = (int)s->x.columns, info;
  (void)scratch;
  b->lapack->sytrs("L", &n, &columns, at[0], &n, at[1], at[2], &n, &info, 1);
}

bool tocha_cpu_sytrs(tocha_stream *stream, const tocha_sytrs_args *args) {
  tocha_batch b = {.one = sytrs_one,
                   .args = args,
                   .args_size = sizeof *args,
                   .work = substitutions(args->x.rows, args->x.columns),
                   .cancellable = true};
  tocha_begin_batch(&b, stream, args->batch, args->dtype);
  tocha_add_matrices(&b, &args->ld, true);
  tocha_add_vectors(&b, &args->pivots, sizeof(int), true);
  tocha_add_matrices(&b, &args->x, false);
  return tocha_run_batch(&b);
}

/* --- triangular ------------------------------------------------------------------------------------------------ */

static void trsm_one(const tocha_batch *b, void *const *at, void *scratch) {
  const tocha_trsm_args *t = b->args;
  int m = (int)t->x.rows, n = (int)t->x.columns, size = (int)t->a.rows;
  (void)scratch;
  b->lapack->trsm(t->left ? "L" : "R", t->upper ? "U" : "L", "N", t->unit ? "U" : "N", &m, &n,
                  b->lapack->one, at[0], &size, at[1], &m, 1, 1, 1, 1);
}

bool tocha_cpu_trsm(tocha_stream *stream, const tocha_trsm_args *args) {
  tocha_batch b = {.one = trsm_one,
                   .args = args,
                   .args_size = sizeof *args,
                   .work =
                       (double)args->x.rows * (double)args->x.columns * (double)args->a.rows / 2,
                   .cancellable = true};
  tocha_begin_batch(&b, stream, args->batch, args->dtype);
  tocha_add_matrices(&b, &args->a, true);
  tocha_add_matrices(&b, &args->x, false);
  return tocha_run_batch(&b);
}

/* --- least squares --------------------------------------------------------------------------------------------- */

enum { A, X, VALUES, RANK, INFO, OPERANDS };

/* Calls LAPACK's function for the driver. indices: column pivots or scratch memory. With lwork -1 LAPACK writes the sizes of
 * work and indices instead. */
static void call_driver(const tocha_lapack *l, const tocha_gels_args *g, void *const *at,
                        void *work, int lwork, int *indices, int *rank) {
  int m = (int)g->a.rows, n = (int)g->a.columns, columns = (int)g->x.columns;
  int lda = tocha_leading(m), ldx = (int)g->x.rows, *info = at[INFO];
  float single = (float)g->rcond;
  const void *rcond = l->real_item == sizeof single ? (const void *)&single : &g->rcond;
  void *a = at[A], *x = at[X], *values = at[VALUES];
  if (g->driver == TOCHA_GELS)
    l->gels("N", &m, &n, &columns, a, &lda, x, &ldx, work, &lwork, info, 1);
  else if (g->driver == TOCHA_GELSY)
    l->gelsy(&m, &n, &columns, a, &lda, x, &ldx, indices, rcond, rank, work, &lwork, info);
  else if (g->driver == TOCHA_GELSD)
    l->gelsd(&m, &n, &columns, a, &lda, x, &ldx, values, rcond, rank, work, &lwork, indices, info);
  else
    l->gelss(&m, &n, &columns, a, &lda, x, &ldx, values, rcond, rank, work, &lwork, info);
}

/* Returns true if the elements of a matrix, a block without gaps, are finite. */
static bool is_finite(const void *a, int64_t count, tocha_dtype dtype) {
  const char *at = a;
  for (; count > 0; count--, at += tocha_dtype_size(dtype))
    if (!isfinite(tocha_scalar_real(tocha_load_scalar(at, dtype)))) return false;
  return true;
}

/* Solves one matrix's problem. scratch: the indices, then LAPACK's scratch memory. */
static void gels_one(const tocha_batch *b, void *const *at, void *scratch) {
  const tocha_gels_args *g = b->args;
  if (g->values.data && !is_finite(at[A], g->a.rows * g->a.columns, (tocha_dtype)g->dtype)) {
    /* The singular values would not converge, or gelsd would write out of bounds. */
    *(int *)at[INFO] = 1;
    return;
  }
  size_t indices = tocha_index_bytes(b->liwork);
  int rank = 0;
  memset(scratch, 0, indices);
  call_driver(b->lapack, b->args, at, (char *)scratch + indices, b->lwork, scratch, &rank);
  if (at[RANK]) *(int64_t *)at[RANK] = rank;
}

bool tocha_cpu_gels(tocha_stream *stream, const tocha_gels_args *args) {
  double answer = 1, unused[3];
  int indices = 0, rank, info, n = (int)args->a.columns;
  void *const nowhere[OPERANDS] = {&unused[0], &unused[1], &unused[2], NULL, &info};
  tocha_batch b = {.one = gels_one,
                   .args = args,
                   .args_size = sizeof *args,
                   .work = 2.0 * (double)args->a.rows * n * (double)(n + args->x.columns),
                   .cancellable = true};
  tocha_begin_batch(&b, stream, args->batch, args->dtype);
  call_driver(b.lapack, args, nowhere, &answer, -1, &indices, &rank);
  b.lwork = tocha_answered(b.lapack, &answer);
  b.liwork = args->driver == TOCHA_GELSD && indices > n ? indices : n;
  b.scratch = tocha_index_bytes(b.liwork) + (uint64_t)(b.lwork > 0 ? b.lwork : 1) * b.lapack->item;
  tocha_add_matrices(&b, &args->a, false);
  tocha_add_matrices(&b, &args->x, false);
  tocha_add_vectors(&b, &args->values, b.lapack->real_item, false);
  tocha_add_numbers(&b, args->rank, sizeof *args->rank);
  tocha_add_numbers(&b, args->info, sizeof *args->info);
  return tocha_run_batch(&b);
}
