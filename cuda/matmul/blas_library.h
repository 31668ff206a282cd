/* blas_library.h: the functions of cuBLAS and cuBLASLt as a table. */
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

namespace tocha {

/* GemmEx and GemmStridedBatchedEx are overloaded in C++; these are the types of the library's
 * functions. */
typedef cublasStatus_t (*GemmEx)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n,
                                 int k, const void *alpha, const void *a, cudaDataType, int lda,
                                 const void *b, cudaDataType, int ldb, const void *beta, void *c,
                                 cudaDataType, int ldc, cublasComputeType_t, cublasGemmAlgo_t);
typedef cublasStatus_t (*GemmStridedBatchedEx)(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                                               int m, int n, int k, const void *alpha,
                                               const void *a, cudaDataType, int lda,
                                               long long a_stride, const void *b, cudaDataType,
                                               int ldb, long long b_stride, const void *beta,
                                               void *c, cudaDataType, int ldc, long long c_stride,
                                               int batch, cublasComputeType_t, cublasGemmAlgo_t);

struct BlasLibrary {
#define CUBLAS(name) decltype(&::name) name##_;
#define CUBLASLT(name) decltype(&::name) name##_;
#include "matmul/blas_functions.def"
  GemmEx gemm;
  GemmStridedBatchedEx gemm_batched;
  bool has_lt;
};

/* Returns the table, which is the same for all contexts, or nullptr if cuBLAS is missing. Sets *file to the opened file, or to
 * the reason in words. */
const BlasLibrary *blas_library(const char **file);
/* Returns the version of cuBLAS as a number, 130002 for 13.0.2. */
int blas_version(const BlasLibrary *library);

} // namespace tocha
