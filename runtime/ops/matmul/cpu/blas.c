/* blas.c: products by the BLAS. Small ones go to it, too: against OpenBLAS 0.3.21 on avx512 our loops were up to
 * 1.7 times slower below 28x28x28, and up to 1.9 times faster only from 32x32x32 to 64x64x64. */
#include "ops/matmul/cpu/blas.h"

#include "ops/matmul/cpu/threads.h"
#include "tensor/parallel.h"

#ifdef TOCHA_HAVE_BLAS
#include <cblas.h>

bool tocha_blas_takes(const tocha_gemm_args *args) {
  return args->dtype != TOCHA_INT64 && args->m <= INT32_MAX && args->n <= INT32_MAX &&
         args->k <= INT32_MAX && args->lda <= INT32_MAX && args->ldb <= INT32_MAX;
}

bool tocha_blas_takes_dot(const tocha_dot_args *args) {
  return args->dtype != TOCHA_INT64 && args->n <= INT32_MAX && args->a_stride > 0 &&
         args->b_stride > 0;
}

static enum CBLAS_TRANSPOSE transpose(bool transposed) {
  return transposed ? CblasTrans : CblasNoTrans;
}

/* y = alpha * matrix (rows, columns, as it is stored) @ x + beta * y, its transpose where it is transposed. */
static void gemv(const tocha_gemm_args *args, bool transposed, int64_t rows, int64_t columns,
                 const void *matrix, int64_t ld, const void *x, int64_t step, void *y) {
  double alpha = tocha_scalar_real(args->alpha), beta = tocha_scalar_real(args->beta);
  if (args->dtype == TOCHA_FLOAT32)
    cblas_sgemv(CblasRowMajor, transpose(transposed), (int)rows, (int)columns, (float)alpha, matrix,
                (int)ld, x, (int)step, (float)beta, y, 1);
  else
    cblas_dgemv(CblasRowMajor, transpose(transposed), (int)rows, (int)columns, alpha, matrix,
                (int)ld, x, (int)step, beta, y, 1);
}

/* a times a column. */
static void multiply_column(const tocha_gemm_args *args, const void *a, const void *b, void *out) {
  int64_t rows = args->a_transposed ? args->k : args->m;
  int64_t columns = args->a_transposed ? args->m : args->k;
  gemv(args, args->a_transposed, rows, columns, a, args->lda, b, args->k == 1 ? 1 : args->ldb, out);
}

/* A row times b: b's transpose times a column. A b of one row is a column of its transpose. */
static void multiply_row(const tocha_gemm_args *args, const void *a, const void *b, void *out) {
  int64_t step = args->a_transposed && args->k > 1 ? args->lda : 1;
  if (args->k == 1)
    gemv(args, false, args->n, 1, b, args->b_transposed ? args->ldb : 1, a, step, out);
  else if (args->b_transposed)
    gemv(args, false, args->n, args->k, b, args->ldb, a, step, out);
  else
    gemv(args, true, args->k, args->n, b, args->ldb, a, step, out);
}

static void multiply_matrices(const tocha_gemm_args *args, const void *a, const void *b,
                              void *out) {
  double alpha = tocha_scalar_real(args->alpha), beta = tocha_scalar_real(args->beta);
  int m = (int)args->m, n = (int)args->n, k = (int)args->k;
  if (args->dtype == TOCHA_FLOAT32)
    cblas_sgemm(CblasRowMajor, transpose(args->a_transposed), transpose(args->b_transposed), m, n,
                k, (float)alpha, a, (int)args->lda, b, (int)args->ldb, (float)beta, out, n);
  else
    cblas_dgemm(CblasRowMajor, transpose(args->a_transposed), transpose(args->b_transposed), m, n,
                k, alpha, a, (int)args->lda, b, (int)args->ldb, beta, out, n);
}

static void multiply_some(void *user, int64_t begin, int64_t end) {
  const tocha_gemm_args *args = user;
  int64_t item = (int64_t)tocha_dtype_size((tocha_dtype)args->dtype);
  for (int64_t i = begin; i < end; i++) {
    const char *a = (const char *)args->a + i * args->a_batch_stride * item;
    const char *b = (const char *)args->b + i * args->b_batch_stride * item;
    char *out = (char *)args->out + i * args->m * args->n * item;
    if (args->n == 1)
      multiply_column(args, a, b, out);
    else if (args->m == 1)
      multiply_row(args, a, b, out);
    else
      multiply_matrices(args, a, b, out);
  }
}

static void multiply_all(void *user) {
  const tocha_gemm_args *args = user;
  multiply_some(user, 0, args->batch);
}

/* The OpenMP flavour of OpenBLAS uses as many threads as OpenMP would; many small products are divided
 * among ours. */
bool tocha_blas_gemm(tocha_context *cx, const tocha_gemm_args *args) {
  int64_t work = args->m * args->n * args->k;
  void *user = (void *)(uintptr_t)args;
  if (args->batch > 1 && work < ((int64_t)1 << 24)) {
    int64_t grain = ((int64_t)1 << 18) / work + 1;
    return tocha_parallel_for(cx, args->batch, grain, multiply_some, user);
  }
  if (!tocha_with_threads(cx, multiply_all, user)) multiply_all(user);
  return !tocha_interrupted(cx);
}

void tocha_blas_dot(const tocha_dot_args *args) {
  int n = (int)args->n, a_stride = (int)args->a_stride, b_stride = (int)args->b_stride;
  if (args->dtype == TOCHA_FLOAT32)
    *(float *)args->out = cblas_sdot(n, args->a, a_stride, args->b, b_stride);
  else
    *(double *)args->out = cblas_ddot(n, args->a, a_stride, args->b, b_stride);
}

#else

bool tocha_blas_takes(const tocha_gemm_args *args) {
  (void)args;
  return false;
}
bool tocha_blas_takes_dot(const tocha_dot_args *args) {
  (void)args;
  return false;
}
bool tocha_blas_gemm(tocha_context *cx, const tocha_gemm_args *args) {
  (void)args;
  return !tocha_interrupted(cx);
}
void tocha_blas_dot(const tocha_dot_args *args) { (void)args; }

#endif
