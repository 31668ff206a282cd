/* factors.c: LU, Cholesky and LDL factors of batches of matrices, and determinants and permutations from LU factors. */
#include <string.h>

#include "ops/linalg/cpu/kernels.h"
#include "ops/linalg/cpu/panels.h"
#include "tensor/copy.h"

/* --- LU ------------------------------------------------------------------------------------------------------ */

static void getrf_one(const tocha_batch *b, void *const *at, void *scratch) {
  const tocha_getrf_args *g = b->args;
  (void)scratch;
  tocha_panels_getrf(b, (int)g->a.rows, (int)g->a.columns, at[0], at[1], at[2]);
}

bool tocha_cpu_getrf(tocha_stream *stream, const tocha_getrf_args *args) {
  double m = (double)args->a.rows, n = (double)args->a.columns;
  tocha_batch b = {.one = getrf_one, .args = args, .work = m * n * (m < n ? m : n) / 2};
  tocha_begin_batch(&b, stream, args->batch, args->dtype);
  tocha_add_matrices(&b, &args->a, false);
  tocha_add_vectors(&b, &args->pivots, sizeof(int), false);
  tocha_add_numbers(&b, args->info, sizeof(int));
  return tocha_run_batch(&b);
}

static double element(const void *data, int dtype, int64_t i) {
  return dtype == TOCHA_FLOAT64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* The determinant of one matrix: value = sign * exp(logarithm). */
typedef struct determinant {
  double value, sign, logarithm;
} determinant;

static determinant determinant_of(const tocha_determinant_args *d, int64_t i) {
  const char *lu =
      (const char *)d->lu.data + i * d->lu.step * tocha_item_size((tocha_dtype)d->dtype);
  const int *pivots = (const int *)d->pivots.data + i * d->pivots.step;
  determinant x = {1, 1, 0};
  for (int64_t k = 0; k < d->lu.columns; k++) {
    double u = element(lu, d->dtype, k * (d->lu.columns + 1)),
           swapped = pivots[k] == k + 1 ? 1 : -1;
    x.value *= swapped * u;
    x.sign *= swapped * ((u > 0) - (u < 0));
    if (d->logarithm) x.logarithm += log(fabs(u));
  }
  return x;
}

static void store(void *numbers, int dtype, int64_t i, double value) {
  char *at = (char *)numbers + i * tocha_item_size((tocha_dtype)dtype);
  if (numbers) tocha_store_scalar(at, (tocha_dtype)dtype, tocha_float(value));
}

bool tocha_cpu_determinant(tocha_stream *stream, const tocha_determinant_args *args) {
  (void)stream;
  for (int64_t i = 0; i < args->batch; i++) {
    determinant d = determinant_of(args, i);
    store(args->value, args->dtype, i, d.value);
    store(args->sign, args->dtype, i, d.sign);
    store(args->logarithm, args->dtype, i, d.logarithm);
  }
  return true;
}

/* Writes P of P L U = A, (B, M, M): the rows of the identity matrix, exchanged in the order of the pivots (B, K). */
bool tocha_cpu_permutation(tocha_stream *stream, const tocha_permutation_args *args) {
  int64_t m = args->rows, item = tocha_item_size((tocha_dtype)args->dtype);
  (void)stream;
  for (int64_t i = 0; i < args->batch * m; i++) {
    const int *pivots = (const int *)args->pivots.data + i / m * args->pivots.step;
    int64_t row = i % m, at = row; /* the row of A that this row of L U becomes */
    for (int64_t s = args->pivots.size - 1; s >= 0; s--) {
      int64_t other = pivots[s] - 1;
      at = at == s ? other : at == other ? s : at;
    }
    tocha_store_scalar((char *)args->p + (i / m * m * m + at * m + row) * item,
                       (tocha_dtype)args->dtype, tocha_int(1));
  }
  return true;
}

/* --- Cholesky ------------------------------------------------------------------------------------------------ */

/* Returns the number, from 1, of the first NaN on the diagonal, which OpenBLAS accepts as positive; 0 if there is none. */
static int first_nan(const void *matrix, int dtype, int n) {
  for (int i = 0; i < n; i++) {
    double x = element(matrix, dtype, (int64_t)i * ((int64_t)n + 1));
    if (x != x) return i + 1;
  }
  return 0;
}

static void potrf_one(const tocha_batch *b, void *const *at, void *scratch) {
  const tocha_potrf_args *p = b->args;
  int n = (int)p->a.rows, *info = at[1];
  (void)scratch;
  tocha_panels_potrf(b, p->upper ? "U" : "L", n, at[0], info);
  if (*info == 0) *info = first_nan(at[0], p->dtype, n);
}

static bool run_in_place(tocha_batch *b, tocha_stream *stream, const tocha_potrf_args *args) {
  b->args = args;
  b->args_size = sizeof *args;
  tocha_begin_batch(b, stream, args->batch, args->dtype);
  tocha_add_matrices(b, &args->a, false);
  tocha_add_numbers(b, args->info, sizeof(int));
  return tocha_run_batch(b);
}

bool tocha_cpu_potrf(tocha_stream *stream, const tocha_potrf_args *args) {
  double n = (double)args->a.rows;
  tocha_batch b = {.one = potrf_one, .work = n * n * n / 3};
  return run_in_place(&b, stream, args);
}

/* Inverts the matrix of a factor (n, n). LAPACK writes one triangle, which is then mirrored to the other. */
static void potri_one(const tocha_batch *b, void *const *at, void *scratch) {
  const tocha_potri_args *p = b->args;
  int n = (int)p->a.rows, lda = tocha_leading(n);
  size_t item = b->lapack->item;
  char *a = at[0];
  (void)scratch;
  b->lapack->potri(p->upper ? "U" : "L", &n, a, &lda, at[1], 1);
  for (int c = 0; c < n; c++)
    for (int r = c + 1; r < n; r++) {
      size_t below = ((size_t)c * (size_t)n + (size_t)r) * item,
             above = ((size_t)r * (size_t)n + (size_t)c) * item;
      memcpy(a + (p->upper ? below : above), a + (p->upper ? above : below), item);
    }
}

bool tocha_cpu_potri(tocha_stream *stream, const tocha_potri_args *args) {
  double n = (double)args->a.rows;
  tocha_batch b = {.one = potri_one, .work = n * n * n, .cancellable = true};
  return run_in_place(&b, stream, args);
}

/* --- LDL ----------------------------------------------------------------------------------------------------- */

static void sytrf_one(const tocha_batch *b, void *const *at, void *scratch) {
  int n = (int)((const tocha_sytrf_args *)b->args)->a.rows;
  b->lapack->sytrf("L", &n, at[0], &n, at[1], scratch, &b->lwork, at[2], 1);
}

bool tocha_cpu_sytrf(tocha_stream *stream, const tocha_sytrf_args *args) {
  double answer = 1, unused = 0;
  int n = (int)args->a.rows, ask = -1, pivot = 0, info;
  tocha_batch b = {.one = sytrf_one,
                   .args = args,
                   .args_size = sizeof *args,
                   .work = (double)n * n * n / 3,
                   .cancellable = true};
  tocha_begin_batch(&b, stream, args->batch, args->dtype);
  b.lapack->sytrf("L", &n, &unused, &n, &pivot, &answer, &ask, &info, 1);
  b.lwork = tocha_answered(b.lapack, &answer);
  b.scratch = (uint64_t)b.lwork * b.lapack->item;
  tocha_add_matrices(&b, &args->a, false);
  tocha_add_vectors(&b, &args->pivots, sizeof(int), false);
  tocha_add_numbers(&b, args->info, sizeof(int));
  return tocha_run_batch(&b);
}
