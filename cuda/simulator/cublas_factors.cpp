// cublas_factors.cpp: the functions of cuBLAS for triangular systems and for batches of factors, by
// the host's LAPACK.
#include "lapack_calls.h"
#include "library_call.h"

using namespace simulator;

template <class F>
static cublasStatus_t submit_blas(cublasHandle_t h, const char *call,
                                  std::initializer_list<Range> ranges, F f) {
  cudaStream_t stream = nullptr;
  if (cublasGetStream(h, &stream) != CUBLAS_STATUS_SUCCESS) return CUBLAS_STATUS_NOT_INITIALIZED;
  return submit_call(stream, call, ranges, f) ? CUBLAS_STATUS_SUCCESS
                                              : CUBLAS_STATUS_EXECUTION_FAILED;
}

template <class T>
static cublasStatus_t trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                           cublasOperation_t op, cublasDiagType_t diag, int m, int n, T alpha,
                           const T *a, int lda, T *b, int ldb) {
  const int rows = side == CUBLAS_SIDE_LEFT ? m : n;
  return submit_blas(h, "cublasTrsm",
                     {reads(a, extent(lda, rows, rows)), writes(b, extent(ldb, m, n))}, [=] {
                       lapack_trsm(letter(side), letter(uplo), letter(op), letter(diag), m, n,
                                   alpha, seen(a), lda, seen(b), ldb);
                     });
}

template <class T>
static cublasStatus_t trsm_batch(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                                 cublasOperation_t op, cublasDiagType_t diag, int m, int n, T alpha,
                                 const T *const *a, int lda, T *const *b, int ldb, int batch) {
  return submit_blas(h, "cublasTrsmBatched", {reads(a, size_t(batch)), reads(b, size_t(batch))},
                     [=] {
                       for (int i = 0; i < batch; i++)
                         lapack_trsm(letter(side), letter(uplo), letter(op), letter(diag), m, n,
                                     alpha, seen(seen(a)[i]), lda, seen(seen(b)[i]), ldb);
                     });
}

template <class T>
static cublasStatus_t getrf_batch(cublasHandle_t h, int n, T *const *a, int ld, int *pivots,
                                  int *info, int batch) {
  return submit_blas(h, "cublasGetrfBatched",
                     {reads(a, size_t(batch)), writes(pivots, size_t(batch) * size_t(n)),
                      writes(info, size_t(batch))},
                     [=] {
                       for (int i = 0; i < batch; i++)
                         seen(info)[i] = lapack_getrf(n, n, seen(seen(a)[i]), ld,
                                                      seen(pivots) + size_t(i) * size_t(n));
                     });
}

template <class T>
static cublasStatus_t getrs_batch(cublasHandle_t h, cublasOperation_t op, int n, int columns,
                                  const T *const *a, int lda, const int *pivots, T *const *b,
                                  int ldb, int *info, int batch) {
  *info = 0;
  return submit_blas(
      h, "cublasGetrsBatched",
      {reads(a, size_t(batch)), reads(pivots, size_t(batch) * size_t(n)), reads(b, size_t(batch))},
      [=] {
        for (int i = 0; i < batch; i++)
          lapack_getrs(letter(op), n, columns, seen(seen(a)[i]), lda,
                       seen(pivots) + size_t(i) * size_t(n), seen(seen(b)[i]), ldb);
      });
}

// --- NVIDIA's names ------------------------------------------------------------------------------

extern "C" cublasStatus_t cublasStrsm_v2(cublasHandle_t h, cublasSideMode_t side,
                                         cublasFillMode_t uplo, cublasOperation_t op,
                                         cublasDiagType_t diag, int m, int n, const float *alpha,
                                         const float *a, int lda, float *b, int ldb) {
  return trsm(h, side, uplo, op, diag, m, n, *alpha, a, lda, b, ldb);
}

extern "C" cublasStatus_t cublasDtrsm_v2(cublasHandle_t h, cublasSideMode_t side,
                                         cublasFillMode_t uplo, cublasOperation_t op,
                                         cublasDiagType_t diag, int m, int n, const double *alpha,
                                         const double *a, int lda, double *b, int ldb) {
  return trsm(h, side, uplo, op, diag, m, n, *alpha, a, lda, b, ldb);
}

extern "C" cublasStatus_t cublasStrsmBatched(cublasHandle_t h, cublasSideMode_t side,
                                             cublasFillMode_t uplo, cublasOperation_t op,
                                             cublasDiagType_t diag, int m, int n,
                                             const float *alpha, const float *const a[], int lda,
                                             float *const b[], int ldb, int batch) {
  return trsm_batch(h, side, uplo, op, diag, m, n, *alpha, a, lda, b, ldb, batch);
}

extern "C" cublasStatus_t cublasDtrsmBatched(cublasHandle_t h, cublasSideMode_t side,
                                             cublasFillMode_t uplo, cublasOperation_t op,
                                             cublasDiagType_t diag, int m, int n,
                                             const double *alpha, const double *const a[], int lda,
                                             double *const b[], int ldb, int batch) {
  return trsm_batch(h, side, uplo, op, diag, m, n, *alpha, a, lda, b, ldb, batch);
}

extern "C" cublasStatus_t cublasSgetrfBatched(cublasHandle_t h, int n, float *const a[], int ld,
                                              int *pivots, int *info, int batch) {
  return getrf_batch(h, n, a, ld, pivots, info, batch);
}

extern "C" cublasStatus_t cublasDgetrfBatched(cublasHandle_t h, int n, double *const a[], int ld,
                                              int *pivots, int *info, int batch) {
  return getrf_batch(h, n, a, ld, pivots, info, batch);
}

extern "C" cublasStatus_t cublasSgetrsBatched(cublasHandle_t h, cublasOperation_t op, int n,
                                              int columns, const float *const a[], int lda,
                                              const int *pivots, float *const b[], int ldb,
                                              int *info, int batch) {
  return getrs_batch(h, op, n, columns, a, lda, pivots, b, ldb, info, batch);
}

extern "C" cublasStatus_t cublasDgetrsBatched(cublasHandle_t h, cublasOperation_t op, int n,
                                              int columns, const double *const a[], int lda,
                                              const int *pivots, double *const b[], int ldb,
                                              int *info, int batch) {
  return getrs_batch(h, op, n, columns, a, lda, pivots, b, ldb, info, batch);
}
