/* svd.c: singular values and vectors, and those of symmetric matrices. */
#include <math.h>
#include <string.h>

#include "linalg/implementations.h"
#include "ops/linalg/small_eigh.h"
#include "ops/linalg/wide_svd.h"
#include "tensor/copy.h"
#include "tocha/ops/eye.h"

/* --- singular values ----------------------------------------------------------------------------------------- */

typedef struct svd_job {
  tocha_lapack_job base;
  const tocha_tensor *a, *U, *S, *Vh, *info; /* a is overwritten */
  const char *job;
  int room;
} svd_job;

static size_t index_room(int64_t m, int64_t n) { return 8 * (size_t)(m < n ? m : n) * sizeof(int); }

static bool has_infinite(const char *at, int64_t count, tocha_dtype dtype) {
  bool found = false;
  for (int64_t k = 0; k < count; k++, at += tocha_dtype_size(dtype)) {
    double x = tocha_scalar_real(tocha_load_scalar(at, dtype));
    if (isnan(x)) return false; /* LAPACK refuses it */
    found = found || isinf(x);
  }
  return found;
}

static void fill_nan(char *at, int64_t count, tocha_dtype dtype) {
  for (int64_t k = 0; k < count; k++, at += tocha_dtype_size(dtype))
    tocha_store_scalar(at, dtype, tocha_float(NAN));
}

/* Of a matrix with infinite elements: nan, where LAPACK's steps may not end. false: it has none. */
static bool answer_infinite(const svd_job *j, int64_t i, int64_t m, int64_t n) {
  tocha_dtype dtype = (tocha_dtype)j->a->dtype;
  if (!has_infinite(tocha_place(j->a, 2, i), m * n, dtype)) return false;
  fill_nan(tocha_place(j->S, 1, i), m < n ? m : n, dtype);
  *(int *)(void *)tocha_place(j->info, 0, i) = 0;
  if (*j->job == 'N') return true;
  fill_nan(tocha_place(j->U, 2, i), m * tocha_column_count(j->U), dtype);
  fill_nan(tocha_place(j->Vh, 2, i), tocha_row_count(j->Vh) * n, dtype);
  return true;
}

/* Of a wide matrix, where tocha_wide_svd_takes it. */
static bool decompose_wide(const svd_job *j, int64_t i, char *work, size_t indices) {
  tocha_dtype dtype = (tocha_dtype)j->a->dtype;
  int64_t m = tocha_row_count(j->a), n = tocha_column_count(j->a);
  char *a = tocha_place(j->a, 2, i);
  if (*j->job == 'N' || !tocha_wide_svd_fits(m, n) || !tocha_wide_svd_takes(a, m * n, dtype))
    return false;
  tocha_wide_svd w = {.lapack = j->base.lapack,
                      .dtype = dtype,
                      .m = (int)m,
                      .n = (int)n,
                      .rows = (int)tocha_row_count(j->Vh),
                      .a = a,
                      .u = tocha_place(j->U, 2, i),
                      .s = tocha_place(j->S, 1, i),
                      .vh = tocha_place(j->Vh, 2, i),
                      .work = work + indices,
                      .room = j->room,
                      .indices = (int *)(void *)work,
                      .info = (int *)(void *)tocha_place(j->info, 0, i)};
  tocha_decompose_wide(&w);
  return true;
}

static void decompose_one(const tocha_lapack_job *base, int64_t i, char *work) {
  const svd_job *j = (const svd_job *)base;
  bool vectors = *j->job != 'N';
  int m = (int)tocha_row_count(j->a), n = (int)tocha_column_count(j->a), one = 1;
  int ldvh = vectors ? (int)tocha_row_count(j->Vh) : 1;
  size_t indices = (index_room(m, n) + 15) / 16 * 16;
  if (answer_infinite(j, i, m, n) || decompose_wide(j, i, work, indices)) return;
  base->lapack->gesdd(j->job, &m, &n, tocha_place(j->a, 2, i), &m, tocha_place(j->S, 1, i),
                      vectors ? tocha_place(j->U, 2, i) : work + indices, vectors ? &m : &one,
                      vectors ? tocha_place(j->Vh, 2, i) : work + indices, &ldvh, work + indices,
                      &j->room, (int *)(void *)work, (int *)tocha_place(j->info, 0, i), 1);
}

static int svd_room(const svd_job *j, int dtype) {
  double answer = 1, unused = 0;
  int m = (int)tocha_row_count(j->a), n = (int)tocha_column_count(j->a), k = m < n ? m : n,
      ask = -1, info, indices;
  int ldvh = *j->job == 'A' ? n : k;
  j->base.lapack->gesdd(j->job, &m, &n, &unused, &m, &unused, &unused, &m, &unused, &ldvh, &answer,
                        &ask, &indices, &info, 1);
  int room = tocha_answered(&answer, dtype), wide = 0;
  if (tocha_wide_svd_fits(m, n))
    wide = tocha_wide_svd_room(j->base.lapack, (tocha_dtype)dtype, m, n);
  return room > wide ? room : wide;
}

static bool decompose(tocha_context *cx, svd_job *j, tocha_tensor *A, const char *name) {
  tocha_tensor *info = tocha_new_numbers(cx, A, TOCHA_INT32);
  j->a = tocha_copy_matrices(cx, A, true);
  j->base.lapack = tocha_find_lapack(cx, (tocha_dtype)A->dtype);
  if (!j->a || !info || !j->base.lapack) return false;
  int64_t m = tocha_row_count(A), n = tocha_column_count(A);
  j->info = info;
  j->room = svd_room(j, A->dtype);
  j->base.one = decompose_one;
  j->base.apart = (tocha_apart){sizeof *j, 5, 0};
  j->base.room = index_room(m, n) + 16 + (size_t)j->room * 8;
  double k = (double)(m < n ? m : n);
  return tocha_run_lapack(cx, &j->base, tocha_matrix_count(A), 8.0 * (double)m * (double)n * k) &&
         tocha_check_info(cx, info, name);
}

/* Of matrices without elements the vectors are those of the unit matrix. */
static bool unit_vectors(tocha_context *cx, tocha_tensor *t) {
  int64_t columns = tocha_column_count(t);
  if (!tocha_has_elements(t)) return true;
  tocha_tensor *unit =
      tocha_eye_full(cx, tocha_row_count(t), &columns, (tocha_dtype)t->dtype, t->device, false);
  return unit && tocha_copy_data(cx, t, unit);
}

bool tocha_op__linalg_svd(tocha_context *cx, tocha_tensor *A, bool full_matrices, bool compute_uv,
                          const char *driver, const char *name, tocha_tensor **U, tocha_tensor **S,
                          tocha_tensor **Vh) {
  bool floating = tocha_dtype_is_floating((tocha_dtype)A->dtype);
  if (!tocha_check_matrix(cx, A, "linalg.svd", "A") ||
      (!floating && !tocha_check_real(cx, A, "linalg.svd", NULL)))
    return false;
  if (driver && A->numel) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs "
               "with cuSOLVER backend.");
    return false;
  }
  if (A->numel && !tocha_check_real(cx, A, NULL, "linalg_svd_cpu")) return false;
  int64_t m = tocha_row_count(A), n = tocha_column_count(A), k = m < n ? m : n, none = 0;
  tocha_dtype dtype = (tocha_dtype)A->dtype;
  *U = compute_uv ? tocha_new_matrices(cx, A, m, full_matrices ? m : k, true)
                  : tocha_new(cx, 1, &none, dtype, A->device);
  *S = tocha_new_vectors(cx, A, k, dtype);
  *Vh = compute_uv ? tocha_new_matrices(cx, A, full_matrices ? n : k, n, true)
                   : tocha_new(cx, 1, &none, dtype, A->device);
  if (!*U || !*S || !*Vh) return false;
  if (A->numel == 0 && compute_uv) return unit_vectors(cx, *U) && unit_vectors(cx, *Vh);
  if (!tocha_has_elements(A)) return true;
  svd_job job = {.U = *U, .S = *S, .Vh = *Vh, .job = !compute_uv ? "N" : full_matrices ? "A" : "S"};
  return decompose(cx, &job, A, name);
}

/* --- symmetric matrices -------------------------------------------------------------------------------------- */

typedef struct eigh_job {
  tocha_lapack_job base;
  const tocha_tensor *V, *L, *info; /* V: A, then the vectors */
  const char *job;
  char uplo[2];
  int room, index_room;
} eigh_job;

/* Of a small matrix, where tocha_small_eigh_takes it. */
static bool diagonalize_small(const eigh_job *j, int64_t i, char *work) {
  tocha_dtype dtype = (tocha_dtype)j->V->dtype;
  int64_t n = tocha_row_count(j->V);
  char *a = tocha_place(j->V, 2, i);
  if (*j->job == 'N' || !tocha_small_eigh_takes(a, n, dtype)) return false;
  tocha_small_eigh w = {.lapack = j->base.lapack,
                        .dtype = dtype,
                        .n = (int)n,
                        .uplo = j->uplo,
                        .a = a,
                        .w = tocha_place(j->L, 1, i),
                        .work = work,
                        .room = j->room,
                        .info = (int *)(void *)tocha_place(j->info, 0, i)};
  tocha_diagonalize_small(&w);
  return true;
}

static void diagonalize_one(const tocha_lapack_job *base, int64_t i, char *work) {
  const eigh_job *j = (const eigh_job *)base;
  int n = (int)tocha_row_count(j->V);
  size_t indices = ((size_t)j->index_room * sizeof(int) + 15) / 16 * 16;
  if (diagonalize_small(j, i, work + indices)) return;
  base->lapack->syevd(j->job, j->uplo, &n, tocha_place(j->V, 2, i), &n, tocha_place(j->L, 1, i),
                      work + indices, &j->room, (int *)(void *)work, &j->index_room,
                      (int *)tocha_place(j->info, 0, i), 1, 1);
}

static bool diagonalize(tocha_context *cx, eigh_job *j, tocha_tensor *A, const char *name) {
  double answer = 1, unused = 0;
  int n = (int)tocha_row_count(A), ask = -1, info;
  tocha_tensor *infos = tocha_new_numbers(cx, A, TOCHA_INT32);
  j->base.lapack = tocha_find_lapack(cx, (tocha_dtype)A->dtype);
  if (!infos || !j->base.lapack) return false;
  j->base.lapack->syevd(j->job, j->uplo, &n, &unused, &n, &unused, &answer, &ask, &j->index_room,
                        &ask, &info, 1, 1);
  j->room = tocha_answered(&answer, A->dtype);
  j->info = infos;
  j->base.one = diagonalize_one;
  j->base.apart = (tocha_apart){sizeof *j, 3, 0};
  j->base.room = (size_t)j->index_room * sizeof(int) + 16 + (size_t)j->room * 8;
  return tocha_run_lapack(cx, &j->base, tocha_matrix_count(A), 4.0 * n * n * n) &&
         tocha_check_info(cx, infos, name);
}

bool tocha_op__linalg_eigh(tocha_context *cx, tocha_tensor *A, const char *UPLO, bool compute_v,
                           const char *name, tocha_tensor **eigenvalues,
                           tocha_tensor **eigenvectors) {
  int64_t none = 0;
  char letter = (char)(UPLO[0] == 'l' ? 'L' : UPLO[0] == 'u' ? 'U' : UPLO[0]);
  if (!tocha_check_square(cx, A, "linalg.eigh", "A")) return false;
  if ((letter != 'L' && letter != 'U') || UPLO[1]) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expected UPLO argument to be 'L' or 'U', but got %s",
               UPLO);
    return false;
  }
  if (!tocha_check_real(cx, A, NULL, "linalg_eigh_cpu")) return false;
  tocha_tensor *V = tocha_copy_matrices(cx, A, true);
  *eigenvalues = tocha_new_vectors(cx, A, tocha_row_count(A), (tocha_dtype)A->dtype);
  *eigenvectors = compute_v ? V : tocha_new(cx, 1, &none, (tocha_dtype)A->dtype, A->device);
  if (!V || !*eigenvalues || !*eigenvectors) return false;
  eigh_job job = {.V = V, .L = *eigenvalues, .job = compute_v ? "V" : "N", .uplo = {letter, 0}};
  return !tocha_has_elements(A) || diagonalize(cx, &job, A, name);
}
