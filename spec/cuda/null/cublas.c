/* cublas.c: cuBLAS and cuBLASLt that do nothing (runtime.cpp); one file for both libraries. */
#include <cublasLt.h>
#include <cublas_v2.h>

#include <string.h>

static int object; /* what handles point to */

cublasStatus_t cublasCreate(cublasHandle_t *handle) {
  *handle = (cublasHandle_t)&object;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) { return (void)handle, CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  return (void)handle, (void)stream, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *data, size_t bytes) {
  return (void)handle, (void)data, (void)bytes, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return (void)handle, (void)mode, CUBLAS_STATUS_SUCCESS;
}
/* Callers of the next ones do not read what these leave; the parameters are not named. */
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                            int n, int k, const void *alpha, const void *a, cudaDataType at, int lda,
                            const void *b, cudaDataType bt, int ldb, const void *beta, void *c,
                            cudaDataType ct, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
  (void)handle, (void)ta, (void)tb, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)at;
  (void)lda, (void)b, (void)bt, (void)ldb, (void)beta, (void)c, (void)ct, (void)ldc;
  (void)compute, (void)algorithm;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType at, int lda, long long int as, const void *b,
    cudaDataType bt, int ldb, long long int bs, const void *beta, void *c, cudaDataType ct, int ldc,
    long long int cs, int batch, cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  (void)handle, (void)ta, (void)tb, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)at;
  (void)lda, (void)as, (void)b, (void)bt, (void)ldb, (void)bs, (void)beta, (void)c, (void)ct;
  (void)ldc, (void)cs, (void)batch, (void)compute, (void)algorithm;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  *handle = (cublasLtHandle_t)&object;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return (void)handle, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  *desc = (cublasLtMatmulDesc_t)&object;
  return (void)compute, (void)scale, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  return (void)desc, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t which,
                                              const void *value, size_t bytes) {
  return (void)desc, (void)which, (void)value, (void)bytes, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t ld) {
  *layout = (cublasLtMatrixLayout_t)&object;
  return (void)type, (void)rows, (void)columns, (void)ld, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return (void)layout, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  *preference = (cublasLtMatmulPreference_t)&object;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return (void)preference, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t which,
                                                    const void *value, size_t bytes) {
  return (void)preference, (void)which, (void)value, (void)bytes, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int wanted, cublasLtMatmulHeuristicResult_t results[],
    int *found) {
  memset(results, 0, sizeof *results);
  *found = 1;
  (void)handle, (void)desc, (void)a, (void)b, (void)c, (void)d, (void)preference, (void)wanted;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha,
                              const void *a, cublasLtMatrixLayout_t al, const void *b,
                              cublasLtMatrixLayout_t bl, const void *beta, const void *c,
                              cublasLtMatrixLayout_t cl, void *d, cublasLtMatrixLayout_t dl,
                              const cublasLtMatmulAlgo_t *algorithm, void *workspace, size_t bytes,
                              cudaStream_t stream) {
  (void)handle, (void)desc, (void)alpha, (void)a, (void)al, (void)b, (void)bl, (void)beta, (void)c;
  (void)cl, (void)d, (void)dl, (void)algorithm, (void)workspace, (void)bytes, (void)stream;
  return CUBLAS_STATUS_SUCCESS;
}
