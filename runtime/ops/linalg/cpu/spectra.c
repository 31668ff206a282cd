/* spectra.c: singular values and eigenvalues of batches of matrices. */
#include "ops/linalg/cpu/digits/digits.h"
#include "ops/linalg/cpu/kernels.h"
#include "tensor/copy.h"

/* --- singular values ------------------------------------------------------------------------------------------- */

enum { A, U, S, VH, SVD_INFO };

static int smaller(int64_t m, int64_t n) { return (int)(m < n ? m : n); }

/* Returns true if a has infinite elements and no NaN. LAPACK itself refuses a matrix with NaN. */
static bool has_infinite(const char *a, int64_t count, tocha_dtype dtype) {
  bool found = false;
  for (int64_t k = 0; k < count; k++, a += tocha_dtype_size(dtype)) {
    double x = tocha_scalar_real(tocha_load_scalar(a, dtype));
    if (isnan(x)) return false;
    found = found || isinf(x);
  }
  return found;
}

static void fill_nan(char *at, int64_t count, tocha_dtype dtype) {
  for (int64_t k = 0; k < count; k++, at += tocha_dtype_size(dtype))
    tocha_store_scalar(at, dtype, tocha_float(NAN));
}

/* Fills the results with NaN if the matrix has infinite elements, because LAPACK's iterations may not end for it. Returns false
 * if it has none. */
static bool answer_infinite(const tocha_gesdd_args *g, void *const *at) {
  tocha_dtype dtype = (tocha_dtype)g->dtype;
  if (!has_infinite(at[A], g->a.rows * g->a.columns, dtype)) return false;
  fill_nan(at[S], g->s.size, tocha_dtype_real(dtype));
  *(int *)at[SVD_INFO] = 0;
  if (!at[U]) return true;
  fill_nan(at[U], g->u.rows * g->u.columns, dtype);
  fill_nan(at[VH], g->vh.rows * g->vh.columns, dtype);
  return true;
}

/* Returns LAPACK's letter: N for no vectors, S for min(M, N) of them, A for all. */
static const char *letter_of(const tocha_gesdd_args *g) {
  if (!g->u.data) return "N";
  return g->u.columns == g->a.rows && g->vh.rows == g->a.columns ? "A" : "S";
}

/* Calls LAPACK's gesdd. work: `lwork` elements; with lwork -1 receives the number that LAPACK asks for. indices: 8 * min(M, N). */
static void call_gesdd(const tocha_lapack *l, const tocha_gesdd_args *g, void *const *at,
                       void *work, int lwork, int *indices) {
  int m = (int)g->a.rows, n = (int)g->a.columns, one = 1, ldvh = (int)g->vh.rows;
  bool vectors = g->u.data != NULL;
  l->gesdd(letter_of(g), &m, &n, at[A], &m, at[S], vectors ? at[U] : work, vectors ? &m : &one,
           vectors ? at[VH] : work, vectors ? &ldvh : &one, work, &lwork, indices, at[SVD_INFO], 1);
}

/* Decomposes one matrix. scratch: the indices, then LAPACK's scratch memory. */
static void gesdd_one(const tocha_batch *b, void *const *at, void *scratch) {
  const tocha_gesdd_args *g = b->args;
  char *work = (char *)scratch + tocha_index_bytes(b->liwork);
  if (answer_infinite(g, at)) return;
  tocha_wide_svd wide = {.lapack = b->lapack,
                         .dtype = (tocha_dtype)g->dtype,
                         .m = (int)g->a.rows,
                         .n = (int)g->a.columns,
                         .rows = (int)g->vh.rows,
                         .a = at[A],
                         .u = at[U],
                         .s = at[S],
                         .vh = at[VH],
                         .work = work,
                         .lwork = b->lwork,
                         .indices = scratch,
                         .info = at[SVD_INFO]};
  if (b->own && tocha_is_ordinary(at[A], g->a.rows * g->a.columns, wide.dtype))
    tocha_decompose_wide(&wide);
  else
    call_gesdd(b->lapack, g, at, work, b->lwork, scratch);
}

/* Returns the elements of scratch memory that suffice for LAPACK and for the wide decomposition. */
static int svd_lwork(const tocha_batch *b, const tocha_gesdd_args *g) {
  double answer = 1, unused[4];
  int indices, info, m = (int)g->a.rows, n = (int)g->a.columns, wide = 0;
  void *const nowhere[] = {&unused[A], &unused[U], &unused[S], &unused[VH], &info};
  call_gesdd(b->lapack, g, nowhere, &answer, -1, &indices);
  int lwork = tocha_answered(b->lapack, &answer);
  if (b->own) wide = tocha_wide_svd_lwork(b->lapack, m, n);
  return lwork > wide ? lwork : wide;
}

bool tocha_cpu_gesdd(tocha_stream *stream, const tocha_gesdd_args *args) {
  const tocha_context *cx = tocha_stream_context(stream);
  int64_t m = args->a.rows, n = args->a.columns;
  tocha_batch b = {.one = gesdd_one,
                   .args = args,
                   .args_size = sizeof *args,
                   .work = 8.0 * (double)m * (double)n * smaller(m, n),
                   .liwork = 8 * smaller(m, n),
                   .cancellable = true,
                   .own = args->u.data && tocha_uses_own_decomposition(cx, TOCHA_SVD, m, n)};
  tocha_begin_batch(&b, stream, args->batch, args->dtype);
  b.lwork = svd_lwork(&b, args);
  b.scratch = tocha_index_bytes(b.liwork) + (uint64_t)b.lwork * b.lapack->item;
  tocha_add_matrices(&b, &args->a, false);
  tocha_add_matrices(&b, &args->u, false);
  tocha_add_vectors(&b, &args->s, b.lapack->real_item, false);
  tocha_add_matrices(&b, &args->vh, false);
  tocha_add_numbers(&b, args->info, sizeof *args->info);
  return tocha_run_batch(&b);
}

/* --- symmetric matrices ---------------------------------------------------------------------------------------- */

/* Diagonalizes one matrix. scratch: the indices, then LAPACK's scratch memory. */
static void syevd_one(const tocha_batch *b, void *const *at, void *scratch) {
  const tocha_syevd_args *s = b->args;
  const char *uplo = s->upper ? "U" : "L";
  char *work = (char *)scratch + tocha_index_bytes(b->liwork);
  int n = (int)s->a.rows;
  tocha_small_eigh small = {.lapack = b->lapack,
                            .dtype = (tocha_dtype)s->dtype,
                            .n = n,
                            .uplo = uplo,
                            .a = at[0],
                            .w = at[1],
                            .work = work,
                            .lwork = b->lwork,
                            .info = at[2]};
  if (b->own && tocha_is_ordinary(at[0], s->a.rows * s->a.rows, small.dtype))
    tocha_diagonalize_small(&small);
  else
    b->lapack->syevd(s->vectors ? "V" : "N", uplo, &n, at[0], &n, at[1], work, &b->lwork, scratch,
                     &b->liwork, at[2], 1, 1);
}

bool tocha_cpu_syevd(tocha_stream *stream, const tocha_syevd_args *args) {
  double answer = 1, unused = 0;
  int n = (int)args->a.rows, ask = -1, info;
  const tocha_context *cx = tocha_stream_context(stream);
  tocha_batch b = {.one = syevd_one,
                   .args = args,
                   .args_size = sizeof *args,
                   .work = 4.0 * n * n * n,
                   .cancellable = true,
                   .own = args->vectors && tocha_uses_own_decomposition(cx, TOCHA_EIGH, n, n)};
  tocha_begin_batch(&b, stream, args->batch, args->dtype);
  b.lapack->syevd(args->vectors ? "V" : "N", args->upper ? "U" : "L", &n, &unused, &n, &unused,
                  &answer, &ask, &b.liwork, &ask, &info, 1, 1);
  b.lwork = tocha_answered(b.lapack, &answer);
  b.scratch = tocha_index_bytes(b.liwork) + (uint64_t)b.lwork * b.lapack->item;
  tocha_add_matrices(&b, &args->a, false);
  tocha_add_vectors(&b, &args->w, b.lapack->real_item, false);
  tocha_add_numbers(&b, args->info, sizeof *args->info);
  return tocha_run_batch(&b);
}
