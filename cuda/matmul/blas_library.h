/* blas_library.h: the functions of cuBLAS and cuBLASLt as a table. */
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

namespace tocha {

/* The libraries' own names in full: the headers redirect some of them (cublasCreate_v2). */
#define FOR_EACH_CUBLAS_FUNCTION(F)                                                                \
  F(cublasCreate) F(cublasDestroy) F(cublasSetStream) F(cublasSetWorkspace) F(cublasSetMathMode)
/* clang-format off */
#define FOR_EACH_CUBLASLT_FUNCTION(F)                                                              \
  F(cublasLtCreate) F(cublasLtDestroy) F(cublasLtMatmul)                                           \
  F(cublasLtMatmulAlgoGetHeuristic) F(cublasLtMatmulDescCreate)                                    \
  F(cublasLtMatmulDescDestroy) F(cublasLtMatmulDescSetAttribute)                                   \
  F(cublasLtMatrixLayoutCreate) F(cublasLtMatrixLayoutDestroy)                                     \
  F(cublasLtMatmulPreferenceCreate) F(cublasLtMatmulPreferenceDestroy)                             \
  F(cublasLtMatmulPreferenceSetAttribute)
/* clang-format on */

/* These two are overloaded in C++; this is the one that the library has. */
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
#define MEMBER(name) decltype(&::name) name##_;
  FOR_EACH_CUBLAS_FUNCTION(MEMBER)
  FOR_EACH_CUBLASLT_FUNCTION(MEMBER)
#undef MEMBER
  GemmEx gemm;
  GemmStridedBatchedEx gemm_batched;
  bool has_lt;
};

/* The same for all contexts; nullptr, with the reason in words, where cuBLAS is not there. */
const BlasLibrary *blas_library(const char **reason);

} // namespace tocha
