// cusolver.cpp: the simulated cuSOLVER, by the host's LAPACK. Without it, or with
// TOCHA_SIMULATOR_CUSOLVER=off, there is no handle, as if the library were missing.
#include "cusolverDn.h"

#include <stdlib.h>
#include <string.h>

#include "lapack_calls.h"
#include "library_call.h"

using namespace simulator;

struct cusolverDnContext {
  int device;
  cudaStream_t stream;
};

extern "C" cusolverStatus_t cusolverGetVersion(int *version) {
  *version = 12001;
  return CUSOLVER_STATUS_SUCCESS;
}

static bool is_off() {
  const char *wanted = getenv("TOCHA_SIMULATOR_CUSOLVER");
  return wanted && strcmp(wanted, "off") == 0;
}

extern "C" cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle) {
  Lock lock;
  if (!handle) return CUSOLVER_STATUS_INVALID_VALUE;
  if (is_off() || !has_lapack() || machine().device_count == 0 || machine().broken)
    return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (check_unsafe("cusolverDnCreate") != cudaSuccess) return CUSOLVER_STATUS_ALLOC_FAILED;
  *handle = new cusolverDnContext{current_device(), nullptr};
  return CUSOLVER_STATUS_SUCCESS;
}

extern "C" cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}

extern "C" cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  if (!handle) return CUSOLVER_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}

struct syevjInfo {
  int unused;
};
struct gesvdjInfo {
  int unused;
};
extern "C" cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t *info) {
  *info = new syevjInfo();
  return CUSOLVER_STATUS_SUCCESS;
}
extern "C" cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t info) {
  delete info;
  return CUSOLVER_STATUS_SUCCESS;
}
extern "C" cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t *info) {
  *info = new gesvdjInfo();
  return CUSOLVER_STATUS_SUCCESS;
}
extern "C" cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info) {
  delete info;
  return CUSOLVER_STATUS_SUCCESS;
}

namespace {

template <class F>
cusolverStatus_t solve(cusolverDnHandle_t h, const char *call, std::initializer_list<Range> ranges,
                       F f) {
  if (!h) return CUSOLVER_STATUS_NOT_INITIALIZED;
  return submit_call(h->stream, call, ranges, f) ? CUSOLVER_STATUS_SUCCESS
                                                 : CUSOLVER_STATUS_EXECUTION_FAILED;
}

// Refuses what waits for its stream, because part of it runs on the host, if the stream is captured.
cusolverStatus_t wait_in_call(cusolverDnHandle_t h, const char *call) {
  Lock lock;
  CUstream_st *stream = h ? stream_of(h->stream) : nullptr;
  if (!stream || !stream->capture) return CUSOLVER_STATUS_SUCCESS;
  refuse_in_capture(stream, call);
  return CUSOLVER_STATUS_EXECUTION_FAILED;
}

cusolverStatus_t one_element(int *size) { // LAPACK's own workspace is the host's
  *size = 1;
  return CUSOLVER_STATUS_SUCCESS;
}

// Transposes a square matrix.
template <class T> void transpose(T *a, int n) {
  for (int column = 0; column < n; column++)
    for (int row = 0; row < column; row++) {
      const T kept = a[column * n + row];
      a[column * n + row] = a[row * n + column];
      a[row * n + column] = kept;
    }
}

} // namespace

// --- the functions, for each type ----------------------------------------------------------------

template <class T>
static cusolverStatus_t potrf(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *a, int ld,
                              int *info) {
  return solve(h, "cusolverDnPotrf", {writes(a, extent(ld, n, n)), writes(info, 1)},
               [=] { *seen(info) = lapack_potrf(letter(uplo), n, seen(a), ld); });
}

template <class T>
static cusolverStatus_t potrf_batch(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T **a,
                                    int ld, int *info, int batch) {
  return solve(h, "cusolverDnPotrfBatched", {reads(a, size_t(batch)), writes(info, size_t(batch))},
               [=] {
                 for (int i = 0; i < batch; i++)
                   seen(info)[i] = lapack_potrf(letter(uplo), n, seen(seen(a)[i]), ld);
               });
}

template <class T>
static cusolverStatus_t potrs(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, int columns,
                              const T *a, int lda, T *b, int ldb, int *info) {
  return solve(
      h, "cusolverDnPotrs",
      {reads(a, extent(lda, n, n)), writes(b, extent(ldb, n, columns)), writes(info, 1)},
      [=] { *seen(info) = lapack_potrs(letter(uplo), n, columns, seen(a), lda, seen(b), ldb); });
}

template <class T>
static cusolverStatus_t potri(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *a, int ld,
                              int *info) {
  return solve(h, "cusolverDnPotri", {writes(a, extent(ld, n, n)), writes(info, 1)},
               [=] { *seen(info) = lapack_potri(letter(uplo), n, seen(a), ld); });
}

template <class T>
static cusolverStatus_t getrf(cusolverDnHandle_t h, int m, int n, T *a, int ld, int *pivots,
                              int *info) {
  return solve(
      h, "cusolverDnGetrf",
      {writes(a, extent(ld, m, n)), writes(pivots, size_t(m < n ? m : n)), writes(info, 1)},
      [=] { *seen(info) = lapack_getrf(m, n, seen(a), ld, seen(pivots)); });
}

template <class T>
static cusolverStatus_t getrs(cusolverDnHandle_t h, cublasOperation_t op, int n, int columns,
                              const T *a, int lda, const int *pivots, T *b, int ldb, int *info) {
  return solve(h, "cusolverDnGetrs",
               {reads(a, extent(lda, n, n)), reads(pivots, size_t(n)),
                writes(b, extent(ldb, n, columns)), writes(info, 1)},
               [=] {
                 *seen(info) =
                     lapack_getrs(letter(op), n, columns, seen(a), lda, seen(pivots), seen(b), ldb);
               });
}

template <class T>
static cusolverStatus_t geqrf(cusolverDnHandle_t h, int m, int n, T *a, int ld, T *tau, int *info) {
  return solve(h, "cusolverDnGeqrf",
               {writes(a, extent(ld, m, n)), writes(tau, size_t(m < n ? m : n)), writes(info, 1)},
               [=] { *seen(info) = lapack_geqrf(m, n, seen(a), ld, seen(tau)); });
}

template <class T>
static cusolverStatus_t orgqr(cusolverDnHandle_t h, int m, int n, int k, T *a, int ld, const T *tau,
                              int *info) {
  return solve(h, "cusolverDnOrgqr",
               {writes(a, extent(ld, m, n)), reads(tau, size_t(k)), writes(info, 1)},
               [=] { *seen(info) = lapack_orgqr(m, n, k, seen(a), ld, seen(tau)); });
}

template <class T>
static cusolverStatus_t ormqr(cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t op,
                              int m, int n, int k, const T *a, int lda, const T *tau, T *c, int ldc,
                              int *info) {
  const int rows = side == CUBLAS_SIDE_LEFT ? m : n;
  return solve(h, "cusolverDnOrmqr",
               {reads(a, extent(lda, rows, k)), reads(tau, size_t(k)), writes(c, extent(ldc, m, n)),
                writes(info, 1)},
               [=] {
                 *seen(info) = lapack_ormqr(letter(side), letter(op), m, n, k, seen(a), lda,
                                            seen(tau), seen(c), ldc);
               });
}

// Of a batch: matrices of n columns, one behind the other.
template <class T>
static cusolverStatus_t syevd(cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t uplo,
                              int n, T *a, int ld, T *w, int *info, int batch) {
  const size_t all = size_t(batch);
  return solve(
      h, "cusolverDnSyevd",
      {writes(a, all * size_t(ld) * size_t(n)), writes(w, all * size_t(n)), writes(info, all)},
      [=] {
        for (size_t i = 0; i < all; i++)
          seen(info)[i] =
              lapack_syevd(mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N', letter(uplo), n,
                           seen(a) + i * size_t(ld) * size_t(n), ld, seen(w) + i * size_t(n));
      });
}

template <class T>
static cusolverStatus_t gesvd(cusolverDnHandle_t h, signed char job, int m, int n, T *a, int lda,
                              T *s, T *u, int ldu, T *vt, int ldvt, int *info) {
  if (m < n) return CUSOLVER_STATUS_INVALID_VALUE; // as in cuSOLVER
  const size_t columns = size_t(job == 'A' ? m : n);
  const bool vectors = job != 'N';
  return solve(h, "cusolverDnGesvd",
               {writes(a, extent(lda, m, n)), writes(s, size_t(n)),
                writes(vectors ? u : nullptr, size_t(ldu) * columns),
                writes(vectors ? vt : nullptr, size_t(ldvt) * size_t(n)), writes(info, 1)},
               [=] {
                 *seen(info) = lapack_gesdd(static_cast<char>(job), m, n, seen(a), lda, seen(s),
                                            seen(u), ldu, seen(vt), ldvt);
               });
}

// Needs full matrices of vectors, without gaps. Returns V, not its transpose.
template <class T>
static cusolverStatus_t gesvd_batch(cusolverDnHandle_t h, cusolverEigMode_t mode, int m, int n,
                                    T *a, int lda, T *s, T *u, int ldu, T *v, int ldv, int *info,
                                    int batch) {
  const size_t all = size_t(batch), k = size_t(m < n ? m : n), rows = size_t(m),
               columns = size_t(n);
  const bool vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
  if (m > 32 || n > 32 || ldu != m || ldv != n) return CUSOLVER_STATUS_INVALID_VALUE;
  return solve(h, "cusolverDnGesvdjBatched",
               {writes(a, all * size_t(lda) * columns), writes(s, all * k),
                writes(vectors ? u : nullptr, all * rows * rows),
                writes(vectors ? v : nullptr, all * columns * columns), writes(info, all)},
               [=] {
                 for (size_t i = 0; i < all; i++) {
                   T *own = seen(v) + i * columns * columns;
                   seen(info)[i] =
                       lapack_gesdd(vectors ? 'A' : 'N', m, n, seen(a) + i * size_t(lda) * columns,
                                    lda, seen(s) + i * k, seen(u) + i * rows * rows, ldu, own, ldv);
                   if (vectors) transpose(own, n);
                 }
               });
}

// --- NVIDIA's names --------------------------------------------------------------------------------

extern "C" cusolverStatus_t cusolverDnSpotrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int,
                                                        float *, int, int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnDpotrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int,
                                                        double *, int, int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnSpotri_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int,
                                                        float *, int, int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnDpotri_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int,
                                                        double *, int, int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnSgetrf_bufferSize(cusolverDnHandle_t, int, int, float *, int,
                                                        int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnDgetrf_bufferSize(cusolverDnHandle_t, int, int, double *, int,
                                                        int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnSgeqrf_bufferSize(cusolverDnHandle_t, int, int, float *, int,
                                                        int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnDgeqrf_bufferSize(cusolverDnHandle_t, int, int, double *, int,
                                                        int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnSorgqr_bufferSize(cusolverDnHandle_t, int, int, int,
                                                        const float *, int, const float *,
                                                        int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnDorgqr_bufferSize(cusolverDnHandle_t, int, int, int,
                                                        const double *, int, const double *,
                                                        int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnSormqr_bufferSize(cusolverDnHandle_t, cublasSideMode_t,
                                                        cublasOperation_t, int, int, int,
                                                        const float *, int, const float *,
                                                        const float *, int, int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnDormqr_bufferSize(cusolverDnHandle_t, cublasSideMode_t,
                                                        cublasOperation_t, int, int, int,
                                                        const double *, int, const double *,
                                                        const double *, int, int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnSsyevd_bufferSize(cusolverDnHandle_t, cusolverEigMode_t,
                                                        cublasFillMode_t, int, const float *, int,
                                                        const float *, int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnDsyevd_bufferSize(cusolverDnHandle_t, cusolverEigMode_t,
                                                        cublasFillMode_t, int, const double *, int,
                                                        const double *, int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t
cusolverDnSsyevjBatched_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int,
                                   const float *, int, const float *, int *size, syevjInfo_t, int) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnDsyevjBatched_bufferSize(cusolverDnHandle_t,
                                                               cusolverEigMode_t, cublasFillMode_t,
                                                               int, const double *, int,
                                                               const double *, int *size,
                                                               syevjInfo_t, int) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnSgesvd_bufferSize(cusolverDnHandle_t, int, int, int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnDgesvd_bufferSize(cusolverDnHandle_t, int, int, int *size) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnSgesvdjBatched_bufferSize(cusolverDnHandle_t,
                                                                cusolverEigMode_t, int, int,
                                                                const float *, int, const float *,
                                                                const float *, int, const float *,
                                                                int, int *size, gesvdjInfo_t, int) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnDgesvdjBatched_bufferSize(cusolverDnHandle_t,
                                                                cusolverEigMode_t, int, int,
                                                                const double *, int, const double *,
                                                                const double *, int, const double *,
                                                                int, int *size, gesvdjInfo_t, int) {
  return one_element(size);
}

extern "C" cusolverStatus_t cusolverDnSpotrf(cusolverDnHandle_t h, cublasFillMode_t uplo, int n,
                                             float *a, int ld, float *, int, int *info) {
  return potrf(h, uplo, n, a, ld, info);
}

extern "C" cusolverStatus_t cusolverDnDpotrf(cusolverDnHandle_t h, cublasFillMode_t uplo, int n,
                                             double *a, int ld, double *, int, int *info) {
  return potrf(h, uplo, n, a, ld, info);
}

extern "C" cusolverStatus_t cusolverDnSpotrfBatched(cusolverDnHandle_t h, cublasFillMode_t uplo,
                                                    int n, float *a[], int ld, int *info,
                                                    int batch) {
  return potrf_batch(h, uplo, n, a, ld, info, batch);
}

extern "C" cusolverStatus_t cusolverDnDpotrfBatched(cusolverDnHandle_t h, cublasFillMode_t uplo,
                                                    int n, double *a[], int ld, int *info,
                                                    int batch) {
  return potrf_batch(h, uplo, n, a, ld, info, batch);
}

extern "C" cusolverStatus_t cusolverDnSpotrs(cusolverDnHandle_t h, cublasFillMode_t uplo, int n,
                                             int columns, const float *a, int lda, float *b,
                                             int ldb, int *info) {
  return potrs(h, uplo, n, columns, a, lda, b, ldb, info);
}

extern "C" cusolverStatus_t cusolverDnDpotrs(cusolverDnHandle_t h, cublasFillMode_t uplo, int n,
                                             int columns, const double *a, int lda, double *b,
                                             int ldb, int *info) {
  return potrs(h, uplo, n, columns, a, lda, b, ldb, info);
}

extern "C" cusolverStatus_t cusolverDnSpotri(cusolverDnHandle_t h, cublasFillMode_t uplo, int n,
                                             float *a, int ld, float *, int, int *info) {
  return potri(h, uplo, n, a, ld, info);
}

extern "C" cusolverStatus_t cusolverDnDpotri(cusolverDnHandle_t h, cublasFillMode_t uplo, int n,
                                             double *a, int ld, double *, int, int *info) {
  return potri(h, uplo, n, a, ld, info);
}

extern "C" cusolverStatus_t cusolverDnSgetrf(cusolverDnHandle_t h, int m, int n, float *a, int ld,
                                             float *, int *pivots, int *info) {
  return getrf(h, m, n, a, ld, pivots, info);
}

extern "C" cusolverStatus_t cusolverDnDgetrf(cusolverDnHandle_t h, int m, int n, double *a, int ld,
                                             double *, int *pivots, int *info) {
  return getrf(h, m, n, a, ld, pivots, info);
}

extern "C" cusolverStatus_t cusolverDnSgetrs(cusolverDnHandle_t h, cublasOperation_t op, int n,
                                             int columns, const float *a, int lda,
                                             const int *pivots, float *b, int ldb, int *info) {
  return getrs(h, op, n, columns, a, lda, pivots, b, ldb, info);
}

extern "C" cusolverStatus_t cusolverDnDgetrs(cusolverDnHandle_t h, cublasOperation_t op, int n,
                                             int columns, const double *a, int lda,
                                             const int *pivots, double *b, int ldb, int *info) {
  return getrs(h, op, n, columns, a, lda, pivots, b, ldb, info);
}

extern "C" cusolverStatus_t cusolverDnSgeqrf(cusolverDnHandle_t h, int m, int n, float *a, int ld,
                                             float *tau, float *, int, int *info) {
  return geqrf(h, m, n, a, ld, tau, info);
}

extern "C" cusolverStatus_t cusolverDnDgeqrf(cusolverDnHandle_t h, int m, int n, double *a, int ld,
                                             double *tau, double *, int, int *info) {
  return geqrf(h, m, n, a, ld, tau, info);
}

extern "C" cusolverStatus_t cusolverDnSorgqr(cusolverDnHandle_t h, int m, int n, int k, float *a,
                                             int ld, const float *tau, float *, int, int *info) {
  return orgqr(h, m, n, k, a, ld, tau, info);
}

extern "C" cusolverStatus_t cusolverDnDorgqr(cusolverDnHandle_t h, int m, int n, int k, double *a,
                                             int ld, const double *tau, double *, int, int *info) {
  return orgqr(h, m, n, k, a, ld, tau, info);
}

extern "C" cusolverStatus_t cusolverDnSormqr(cusolverDnHandle_t h, cublasSideMode_t side,
                                             cublasOperation_t op, int m, int n, int k,
                                             const float *a, int lda, const float *tau, float *c,
                                             int ldc, float *, int, int *info) {
  return ormqr(h, side, op, m, n, k, a, lda, tau, c, ldc, info);
}

extern "C" cusolverStatus_t cusolverDnDormqr(cusolverDnHandle_t h, cublasSideMode_t side,
                                             cublasOperation_t op, int m, int n, int k,
                                             const double *a, int lda, const double *tau, double *c,
                                             int ldc, double *, int, int *info) {
  return ormqr(h, side, op, m, n, k, a, lda, tau, c, ldc, info);
}

extern "C" cusolverStatus_t cusolverDnSsyevd(cusolverDnHandle_t h, cusolverEigMode_t mode,
                                             cublasFillMode_t uplo, int n, float *a, int ld,
                                             float *w, float *, int, int *info) {
  const cusolverStatus_t status = wait_in_call(h, "cusolverDnSyevd");
  return status ? status : syevd(h, mode, uplo, n, a, ld, w, info, 1);
}

extern "C" cusolverStatus_t cusolverDnDsyevd(cusolverDnHandle_t h, cusolverEigMode_t mode,
                                             cublasFillMode_t uplo, int n, double *a, int ld,
                                             double *w, double *, int, int *info) {
  const cusolverStatus_t status = wait_in_call(h, "cusolverDnSyevd");
  return status ? status : syevd(h, mode, uplo, n, a, ld, w, info, 1);
}

extern "C" cusolverStatus_t cusolverDnSsyevjBatched(cusolverDnHandle_t h, cusolverEigMode_t mode,
                                                    cublasFillMode_t uplo, int n, float *a, int ld,
                                                    float *w, float *, int, int *info, syevjInfo_t,
                                                    int batch) {
  return syevd(h, mode, uplo, n, a, ld, w, info, batch);
}

extern "C" cusolverStatus_t cusolverDnDsyevjBatched(cusolverDnHandle_t h, cusolverEigMode_t mode,
                                                    cublasFillMode_t uplo, int n, double *a, int ld,
                                                    double *w, double *, int, int *info,
                                                    syevjInfo_t, int batch) {
  return syevd(h, mode, uplo, n, a, ld, w, info, batch);
}

extern "C" cusolverStatus_t cusolverDnSgesvd(cusolverDnHandle_t h, signed char jobu,
                                             signed char jobvt, int m, int n, float *a, int lda,
                                             float *s, float *u, int ldu, float *vt, int ldvt,
                                             float *, int, float *, int *info) {
  if (jobu != jobvt) return CUSOLVER_STATUS_INVALID_VALUE;
  return gesvd(h, jobu, m, n, a, lda, s, u, ldu, vt, ldvt, info);
}

extern "C" cusolverStatus_t cusolverDnDgesvd(cusolverDnHandle_t h, signed char jobu,
                                             signed char jobvt, int m, int n, double *a, int lda,
                                             double *s, double *u, int ldu, double *vt, int ldvt,
                                             double *, int, double *, int *info) {
  if (jobu != jobvt) return CUSOLVER_STATUS_INVALID_VALUE;
  return gesvd(h, jobu, m, n, a, lda, s, u, ldu, vt, ldvt, info);
}

extern "C" cusolverStatus_t cusolverDnSgesvdjBatched(cusolverDnHandle_t h, cusolverEigMode_t mode,
                                                     int m, int n, float *a, int lda, float *s,
                                                     float *u, int ldu, float *v, int ldv, float *,
                                                     int, int *info, gesvdjInfo_t, int batch) {
  return gesvd_batch(h, mode, m, n, a, lda, s, u, ldu, v, ldv, info, batch);
}

extern "C" cusolverStatus_t cusolverDnDgesvdjBatched(cusolverDnHandle_t h, cusolverEigMode_t mode,
                                                     int m, int n, double *a, int lda, double *s,
                                                     double *u, int ldu, double *v, int ldv,
                                                     double *, int, int *info, gesvdjInfo_t,
                                                     int batch) {
  return gesvd_batch(h, mode, m, n, a, lda, s, u, ldu, v, ldv, info, batch);
}
