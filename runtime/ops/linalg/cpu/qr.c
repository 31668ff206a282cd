/* qr.c: QR factors of batches of matrices, whose Q is a product of reflections. */
#include "ops/linalg/cpu/kernels.h"
#include "ops/linalg/cpu/panels.h"

static void geqrf_one(const tocha_batch *b, void *const *at, void *scratch) {
  const tocha_geqrf_args *g = b->args;
  tocha_panels_geqrf(b, (int)g->a.rows, (int)g->a.columns, at[0], at[1], scratch, b->lwork);
}

static void orgqr_one(const tocha_batch *b, void *const *at, void *scratch) {
  const tocha_orgqr_args *o = b->args;
  tocha_panels_orgqr(b, (int)o->a.rows, (int)o->a.columns, (int)o->tau.size, at[0], at[1], scratch,
                     b->lwork);
}

/* Runs a batch with as much scratch memory as LAPACK asked for in `answer`. */
static bool run_reflections(tocha_batch *b, const void *answer, const tocha_geqrf_args *args) {
  b->lwork = tocha_answered(b->lapack, answer);
  b->scratch = (uint64_t)b->lwork * b->lapack->item;
  tocha_add_matrices(b, &args->a, false);
  tocha_add_vectors(b, &args->tau, b->lapack->item, false);
  return tocha_run_batch(b);
}

bool tocha_cpu_geqrf(tocha_stream *stream, const tocha_geqrf_args *args) {
  double answer = 1, unused = 0;
  int m = (int)args->a.rows, n = (int)args->a.columns, lda = tocha_leading(m), ask = -1, info;
  tocha_batch b = {.one = geqrf_one, .args = args, .work = (double)m * n * (m < n ? m : n)};
  tocha_begin_batch(&b, stream, args->batch, args->dtype);
  b.lapack->geqrf(&m, &n, &unused, &lda, &unused, &answer, &ask, &info);
  return run_reflections(&b, &answer, args);
}

bool tocha_cpu_orgqr(tocha_stream *stream, const tocha_orgqr_args *args) {
  double answer = 1, unused = 0;
  int m = (int)args->a.rows, n = (int)args->a.columns, k = (int)args->tau.size, ask = -1, info;
  int lda = tocha_leading(m);
  tocha_batch b = {.one = orgqr_one, .args = args, .work = (double)m * n * k};
  tocha_begin_batch(&b, stream, args->batch, args->dtype);
  b.lapack->orgqr(&m, &n, &k, &unused, &lda, &unused, &answer, &ask, &info);
  return run_reflections(&b, &answer, args);
}

/* Calls LAPACK's ormqr. With lwork -1 writes to scratch the number of elements that LAPACK asks for, and computes nothing. */
static void call_ormqr(const tocha_lapack *l, const tocha_ormqr_args *o, void *const *at,
                       void *scratch, int lwork) {
  int m = (int)o->c.rows, n = (int)o->c.columns, lda = (int)o->a.rows, k = (int)o->tau.size, info;
  l->ormqr(o->left ? "L" : "R", o->transposition ? "T" : "N", &m, &n, &k, at[0], &lda, at[1], at[2],
           &m, scratch, &lwork, &info, 1, 1);
}

static void ormqr_one(const tocha_batch *b, void *const *at, void *scratch) {
  call_ormqr(b->lapack, b->args, at, scratch, b->lwork);
}

bool tocha_cpu_ormqr(tocha_stream *stream, const tocha_ormqr_args *args) {
  double answer = 1, unused[3];
  void *const nowhere[3] = {&unused[0], &unused[1], &unused[2]};
  tocha_batch b = {.one = ormqr_one,
                   .args = args,
                   .args_size = sizeof *args,
                   .work = (double)args->c.rows * (double)args->c.columns * (double)args->tau.size,
                   .cancellable = true};
  tocha_begin_batch(&b, stream, args->batch, args->dtype);
  call_ormqr(b.lapack, args, nowhere, &answer, -1);
  b.lwork = tocha_answered(b.lapack, &answer);
  b.scratch = (uint64_t)b.lwork * b.lapack->item;
  tocha_add_matrices(&b, &args->a, true);
  tocha_add_vectors(&b, &args->tau, b.lapack->item, true);
  tocha_add_matrices(&b, &args->c, false);
  return tocha_run_batch(&b);
}
