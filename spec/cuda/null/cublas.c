/* cublas.c: cuBLAS and cuBLASLt that do nothing (runtime.cpp); one file for both libraries. At its end the
 * program appends to the file that NULL_CUBLAS_COUNTS names, for each type of operands (float32 in
 * TensorFloat-32 counts as a type, tf32), a line `product type products few gflop`: few, how many of them
 * are too small for all processors of an H100. */
#include <cublasLt.h>
#include <cublas_v2.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TF32 = 31, TYPES = 32, PROCESSORS = 132, TILE = 128 };

static int object; /* what handles point to */

static struct {
  long long products, few;
  double gflop;
} counts[TYPES]; /* by cudaDataType, or TF32 */

static void count(int type, cublasComputeType_t compute, double m, double n, double k,
                  double batch) {
  if (compute == CUBLAS_COMPUTE_32F_FAST_TF32) type = TF32;
  if (type < 0 || type >= TYPES) return;
  long long tiles = (long long)((m + TILE - 1) / TILE) * (long long)((n + TILE - 1) / TILE);
  counts[type].products++;
  counts[type].few += (double)tiles * batch < PROCESSORS;
  counts[type].gflop += 2e-9 * m * n * k * batch;
}

static const char *name_of(int type) {
  return type == CUDA_R_32F       ? "float32"
         : type == CUDA_R_64F     ? "float64"
         : type == CUDA_R_16F     ? "float16"
         : type == CUDA_R_16BF    ? "bfloat16"
         : type == CUDA_R_8I      ? "int8"
         : type == CUDA_R_8F_E4M3 ? "float8_e4m3"
         : type == CUDA_R_8F_E5M2 ? "float8_e5m2"
         : type == TF32           ? "tf32"
                                  : "other";
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("NULL_CUBLAS_COUNTS");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file) return;
  for (int i = 0; i < TYPES; i++)
    if (counts[i].products)
      fprintf(file, "product %s %lld %lld %.6f\n", name_of(i), counts[i].products, counts[i].few,
              counts[i].gflop);
  fclose(file);
}

/* A layout of cuBLASLt, or a description of a product. */
typedef struct matrix {
  cudaDataType type;
  double rows, columns, batch;
} matrix;
typedef struct product {
  cublasComputeType_t compute;
  bool transposes;
} product;

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value) {
  *value = type == MAJOR_VERSION ? 13 : 0;
  return CUBLAS_STATUS_SUCCESS;
}
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
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                            int m, int n, int k, const void *alpha, const void *a, cudaDataType at,
                            int lda, const void *b, cudaDataType bt, int ldb, const void *beta,
                            void *c, cudaDataType ct, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
  count(at, compute, m, n, k, 1);
  (void)handle, (void)ta, (void)tb, (void)alpha, (void)a;
  (void)lda, (void)b, (void)bt, (void)ldb, (void)beta, (void)c, (void)ct, (void)ldc;
  (void)compute, (void)algorithm;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta,
                                          cublasOperation_t tb, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType at,
                                          int lda, long long int as, const void *b, cudaDataType bt,
                                          int ldb, long long int bs, const void *beta, void *c,
                                          cudaDataType ct, int ldc, long long int cs, int batch,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  count(at, compute, m, n, k, batch);
  (void)handle, (void)ta, (void)tb, (void)alpha, (void)a;
  (void)lda, (void)as, (void)b, (void)bt, (void)ldb, (void)bs, (void)beta, (void)c, (void)ct;
  (void)ldc, (void)cs, (void)compute, (void)algorithm;
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
  product *made = calloc(1, sizeof *made);
  if (!made) return CUBLAS_STATUS_ALLOC_FAILED;
  made->compute = compute;
  *desc = (cublasLtMatmulDesc_t)made;
  return (void)scale, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  return free(desc), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t which,
                                              const void *value, size_t bytes) {
  if (which == CUBLASLT_MATMUL_DESC_TRANSA)
    ((product *)desc)->transposes = *(const int32_t *)value != CUBLAS_OP_N;
  return (void)bytes, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t ld) {
  matrix *made = calloc(1, sizeof *made);
  if (!made) return CUBLAS_STATUS_ALLOC_FAILED;
  *made = (matrix){type, (double)rows, (double)columns, 1};
  *layout = (cublasLtMatrixLayout_t)made;
  return (void)ld, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return free(layout), CUBLAS_STATUS_SUCCESS;
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
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[],
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
  const matrix *left = (const matrix *)al, *out = (const matrix *)dl;
  const product *p = (const product *)desc;
  count(left->type, p->compute, out->rows, out->columns, p->transposes ? left->rows : left->columns,
        out->batch);
  (void)handle, (void)alpha, (void)a, (void)b, (void)bl, (void)beta, (void)c;
  (void)cl, (void)d, (void)algorithm, (void)workspace, (void)bytes, (void)stream;
  return CUBLAS_STATUS_SUCCESS;
}
