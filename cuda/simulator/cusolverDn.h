// cusolverDn.h: the part of cuSOLVER that the simulated GPU offers, under NVIDIA's names and
// numbers. Matrices are column-major.
#ifndef TOCHA_SIMULATOR_CUSOLVERDN_H
#define TOCHA_SIMULATOR_CUSOLVERDN_H

#include "cublas_v2.h"

typedef enum {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_NOT_INITIALIZED = 1,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6
} cusolverStatus_t;

typedef enum { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 } cusolverEigMode_t;

typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct syevjInfo *syevjInfo_t;
typedef struct gesvdjInfo *gesvdjInfo_t;

extern "C" {
cusolverStatus_t cusolverGetVersion(int *version);
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t *info);
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t info);
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t *info);
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info);

cusolverStatus_t cusolverDnSpotrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int n, float *A,
                                             int lda, int *size);
cusolverStatus_t cusolverDnDpotrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int n, double *A,
                                             int lda, int *size);
cusolverStatus_t cusolverDnSpotrf(cusolverDnHandle_t, cublasFillMode_t, int n, float *A, int lda,
                                  float *work, int size, int *info);
cusolverStatus_t cusolverDnDpotrf(cusolverDnHandle_t, cublasFillMode_t, int n, double *A, int lda,
                                  double *work, int size, int *info);
cusolverStatus_t cusolverDnSpotrfBatched(cusolverDnHandle_t, cublasFillMode_t, int n, float *A[],
                                         int lda, int *info, int batch);
cusolverStatus_t cusolverDnDpotrfBatched(cusolverDnHandle_t, cublasFillMode_t, int n, double *A[],
                                         int lda, int *info, int batch);
cusolverStatus_t cusolverDnSpotrs(cusolverDnHandle_t, cublasFillMode_t, int n, int columns,
                                  const float *A, int lda, float *B, int ldb, int *info);
cusolverStatus_t cusolverDnDpotrs(cusolverDnHandle_t, cublasFillMode_t, int n, int columns,
                                  const double *A, int lda, double *B, int ldb, int *info);
cusolverStatus_t cusolverDnSpotri_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int n, float *A,
                                             int lda, int *size);
cusolverStatus_t cusolverDnDpotri_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int n, double *A,
                                             int lda, int *size);
cusolverStatus_t cusolverDnSpotri(cusolverDnHandle_t, cublasFillMode_t, int n, float *A, int lda,
                                  float *work, int size, int *info);
cusolverStatus_t cusolverDnDpotri(cusolverDnHandle_t, cublasFillMode_t, int n, double *A, int lda,
                                  double *work, int size, int *info);
cusolverStatus_t cusolverDnSgetrf_bufferSize(cusolverDnHandle_t, int m, int n, float *A, int lda,
                                             int *size);
cusolverStatus_t cusolverDnDgetrf_bufferSize(cusolverDnHandle_t, int m, int n, double *A, int lda,
                                             int *size);
cusolverStatus_t cusolverDnSgetrf(cusolverDnHandle_t, int m, int n, float *A, int lda, float *work,
                                  int *pivots, int *info);
cusolverStatus_t cusolverDnDgetrf(cusolverDnHandle_t, int m, int n, double *A, int lda,
                                  double *work, int *pivots, int *info);
cusolverStatus_t cusolverDnSgetrs(cusolverDnHandle_t, cublasOperation_t, int n, int columns,
                                  const float *A, int lda, const int *pivots, float *B, int ldb,
                                  int *info);
cusolverStatus_t cusolverDnDgetrs(cusolverDnHandle_t, cublasOperation_t, int n, int columns,
                                  const double *A, int lda, const int *pivots, double *B, int ldb,
                                  int *info);
cusolverStatus_t cusolverDnSgeqrf_bufferSize(cusolverDnHandle_t, int m, int n, float *A, int lda,
                                             int *size);
cusolverStatus_t cusolverDnDgeqrf_bufferSize(cusolverDnHandle_t, int m, int n, double *A, int lda,
                                             int *size);
cusolverStatus_t cusolverDnSgeqrf(cusolverDnHandle_t, int m, int n, float *A, int lda, float *tau,
                                  float *work, int size, int *info);
cusolverStatus_t cusolverDnDgeqrf(cusolverDnHandle_t, int m, int n, double *A, int lda, double *tau,
                                  double *work, int size, int *info);
cusolverStatus_t cusolverDnSorgqr_bufferSize(cusolverDnHandle_t, int m, int n, int k,
                                             const float *A, int lda, const float *tau, int *size);
cusolverStatus_t cusolverDnDorgqr_bufferSize(cusolverDnHandle_t, int m, int n, int k,
                                             const double *A, int lda, const double *tau,
                                             int *size);
cusolverStatus_t cusolverDnSorgqr(cusolverDnHandle_t, int m, int n, int k, float *A, int lda,
                                  const float *tau, float *work, int size, int *info);
cusolverStatus_t cusolverDnDorgqr(cusolverDnHandle_t, int m, int n, int k, double *A, int lda,
                                  const double *tau, double *work, int size, int *info);
cusolverStatus_t cusolverDnSormqr_bufferSize(cusolverDnHandle_t, cublasSideMode_t,
                                             cublasOperation_t, int m, int n, int k, const float *A,
                                             int lda, const float *tau, const float *C, int ldc,
                                             int *size);
cusolverStatus_t cusolverDnDormqr_bufferSize(cusolverDnHandle_t, cublasSideMode_t,
                                             cublasOperation_t, int m, int n, int k,
                                             const double *A, int lda, const double *tau,
                                             const double *C, int ldc, int *size);
cusolverStatus_t cusolverDnSormqr(cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t, int m,
                                  int n, int k, const float *A, int lda, const float *tau, float *C,
                                  int ldc, float *work, int size, int *info);
cusolverStatus_t cusolverDnDormqr(cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t, int m,
                                  int n, int k, const double *A, int lda, const double *tau,
                                  double *C, int ldc, double *work, int size, int *info);
cusolverStatus_t cusolverDnSsyevd_bufferSize(cusolverDnHandle_t, cusolverEigMode_t,
                                             cublasFillMode_t, int n, const float *A, int lda,
                                             const float *W, int *size);
cusolverStatus_t cusolverDnDsyevd_bufferSize(cusolverDnHandle_t, cusolverEigMode_t,
                                             cublasFillMode_t, int n, const double *A, int lda,
                                             const double *W, int *size);
cusolverStatus_t cusolverDnSsyevd(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int n,
                                  float *A, int lda, float *W, float *work, int size, int *info);
cusolverStatus_t cusolverDnDsyevd(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int n,
                                  double *A, int lda, double *W, double *work, int size, int *info);
cusolverStatus_t cusolverDnSsyevjBatched_bufferSize(cusolverDnHandle_t, cusolverEigMode_t,
                                                    cublasFillMode_t, int n, const float *A,
                                                    int lda, const float *W, int *size, syevjInfo_t,
                                                    int batch);
cusolverStatus_t cusolverDnDsyevjBatched_bufferSize(cusolverDnHandle_t, cusolverEigMode_t,
                                                    cublasFillMode_t, int n, const double *A,
                                                    int lda, const double *W, int *size,
                                                    syevjInfo_t, int batch);
cusolverStatus_t cusolverDnSsyevjBatched(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t,
                                         int n, float *A, int lda, float *W, float *work, int size,
                                         int *info, syevjInfo_t, int batch);
cusolverStatus_t cusolverDnDsyevjBatched(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t,
                                         int n, double *A, int lda, double *W, double *work,
                                         int size, int *info, syevjInfo_t, int batch);
cusolverStatus_t cusolverDnSgesvd_bufferSize(cusolverDnHandle_t, int m, int n, int *size);
cusolverStatus_t cusolverDnDgesvd_bufferSize(cusolverDnHandle_t, int m, int n, int *size);
cusolverStatus_t cusolverDnSgesvd(cusolverDnHandle_t, signed char jobu, signed char jobvt, int m,
                                  int n, float *A, int lda, float *S, float *U, int ldu, float *VT,
                                  int ldvt, float *work, int size, float *rwork, int *info);
cusolverStatus_t cusolverDnDgesvd(cusolverDnHandle_t, signed char jobu, signed char jobvt, int m,
                                  int n, double *A, int lda, double *S, double *U, int ldu,
                                  double *VT, int ldvt, double *work, int size, double *rwork,
                                  int *info);
cusolverStatus_t cusolverDnSgesvdjBatched_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, int m,
                                                     int n, const float *A, int lda, const float *S,
                                                     const float *U, int ldu, const float *V,
                                                     int ldv, int *size, gesvdjInfo_t, int batch);
cusolverStatus_t cusolverDnDgesvdjBatched_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, int m,
                                                     int n, const double *A, int lda,
                                                     const double *S, const double *U, int ldu,
                                                     const double *V, int ldv, int *size,
                                                     gesvdjInfo_t, int batch);
cusolverStatus_t cusolverDnSgesvdjBatched(cusolverDnHandle_t, cusolverEigMode_t, int m, int n,
                                          float *A, int lda, float *S, float *U, int ldu, float *V,
                                          int ldv, float *work, int size, int *info, gesvdjInfo_t,
                                          int batch);
cusolverStatus_t cusolverDnDgesvdjBatched(cusolverDnHandle_t, cusolverEigMode_t, int m, int n,
                                          double *A, int lda, double *S, double *U, int ldu,
                                          double *V, int ldv, double *work, int size, int *info,
                                          gesvdjInfo_t, int batch);
}

#endif
