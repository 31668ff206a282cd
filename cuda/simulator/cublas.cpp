// cublas.cpp: the functions of cuBLAS.
#include "matrix_product.h"

using namespace simulator;

struct cublasContext {
  int device;
  cudaStream_t stream;
  cublasMath_t math;
  uintptr_t workspace;
  size_t workspace_bytes;
};

extern "C" cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  Lock lock;
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  if (machine().device_count == 0 || machine().broken) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (check_unsafe("cublasCreate") != cudaSuccess) return CUBLAS_STATUS_ALLOC_FAILED;
  *handle = new cublasContext{current_device(), nullptr, CUBLAS_DEFAULT_MATH, 0, 0};
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int *version) {
  if (!version) return CUBLAS_STATUS_INVALID_VALUE;
  *version = 130000;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value) {
  if (!value) return CUBLAS_STATUS_INVALID_VALUE;
  *value = type == MAJOR_VERSION ? 13 : 0;
  return CUBLAS_STATUS_SUCCESS;
}

// Removes the workspace with a new stream, as cuBLAS does.
extern "C" cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  handle->workspace = 0;
  handle->workspace_bytes = 0;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!stream) return CUBLAS_STATUS_INVALID_VALUE;
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace,
                                                size_t bytes) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->workspace = reinterpret_cast<uintptr_t>(workspace);
  handle->workspace_bytes = workspace ? bytes : 0;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->math = mode;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!mode) return CUBLAS_STATUS_INVALID_VALUE;
  *mode = handle->math;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  return mode == CUBLAS_POINTER_MODE_HOST ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

extern "C" cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle,
                                                  cublasPointerMode_t *mode) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!mode) return CUBLAS_STATUS_INVALID_VALUE;
  *mode = CUBLAS_POINTER_MODE_HOST;
  return CUBLAS_STATUS_SUCCESS;
}

static const struct {
  cublasStatus_t status;
  const char *name, *text;
} status_texts[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
     "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "the GPU program failed to execute"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the functionality requested is not supported"},
};

extern "C" const char *cublasGetStatusName(cublasStatus_t status) {
  for (const auto &entry : status_texts)
    if (entry.status == status) return entry.name;
  return "unknown status";
}

extern "C" const char *cublasGetStatusString(cublasStatus_t status) {
  for (const auto &entry : status_texts)
    if (entry.status == status) return entry.text;
  return "unknown status";
}

// --- products ------------------------------------------------------------------------------------
static StoredMatrix stored(const void *address, cudaDataType type, bool transposed, int rows,
                           int cols, int ld, long long stride) {
  StoredMatrix m;
  m.address = reinterpret_cast<uintptr_t>(address);
  m.type = type;
  m.rows = transposed ? cols : rows;
  m.cols = transposed ? rows : cols;
  m.ld = ld;
  m.batch_stride = stride;
  return m;
}

static cublasStatus_t finish(cublasHandle_t handle, Product &p, const void *alpha, const void *beta,
                             cublasComputeType_t compute) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!read_scale(compute, alpha, &p.alpha) || !read_scale(compute, beta, &p.beta))
    return alpha && beta ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_INVALID_VALUE;
  p.tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32 ||
           (compute == CUBLAS_COMPUTE_32F && (handle->math & 15) == CUBLAS_TF32_TENSOR_OP_MATH);
  p.d = p.c;
  p.workspace = handle->workspace;
  p.workspace_bytes = handle->workspace_bytes;
  CUstream_st *stream = stream_of(handle->stream);
  if (stream && stream->device != handle->device) {
    refuse(cudaErrorInvalidResourceHandle, "%s: a stream of device %d in a handle of device %d",
           p.call, stream->device, handle->device);
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  return submit_product(p, compute, stream);
}

static Product shape(const char *call, cublasOperation_t transa, cublasOperation_t transb, int m,
                     int n, int k, const void *A, cudaDataType Atype, int lda, const void *B,
                     cudaDataType Btype, int ldb, void *C, cudaDataType Ctype, int ldc) {
  Product p;
  p.call = call;
  p.transpose_a = transa != CUBLAS_OP_N;
  p.transpose_b = transb != CUBLAS_OP_N;
  p.a = stored(A, Atype, p.transpose_a, m, k, lda, 0);
  p.b = stored(B, Btype, p.transpose_b, k, n, ldb, 0);
  p.c = stored(C, Ctype, false, m, n, ldc, 0);
  return p;
}

extern "C" cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const float *alpha, const float *A, int lda,
                                         const float *B, int ldb, const float *beta, float *C,
                                         int ldc) {
  Lock lock;
  Product p = shape("cublasSgemm", transa, transb, m, n, k, A, CUDA_R_32F, lda, B, CUDA_R_32F, ldb,
                    C, CUDA_R_32F, ldc);
  return finish(handle, p, alpha, beta, CUBLAS_COMPUTE_32F);
}

extern "C" cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const double *alpha, const double *A, int lda,
                                         const double *B, int ldb, const double *beta, double *C,
                                         int ldc) {
  Lock lock;
  Product p = shape("cublasDgemm", transa, transb, m, n, k, A, CUDA_R_64F, lda, B, CUDA_R_64F, ldb,
                    C, CUDA_R_64F, ldc);
  return finish(handle, p, alpha, beta, CUBLAS_COMPUTE_64F);
}

extern "C" cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                                       cublasOperation_t transb, int m, int n, int k,
                                       const void *alpha, const void *A, cudaDataType Atype,
                                       int lda, const void *B, cudaDataType Btype, int ldb,
                                       const void *beta, void *C, cudaDataType Ctype, int ldc,
                                       cublasComputeType_t computeType, cublasGemmAlgo_t) {
  Lock lock;
  Product p =
      shape("cublasGemmEx", transa, transb, m, n, k, A, Atype, lda, B, Btype, ldb, C, Ctype, ldc);
  return finish(handle, p, alpha, beta, computeType);
}

extern "C" cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
    const void *alpha, const void *A, cudaDataType Atype, int lda, long long int strideA,
    const void *B, cudaDataType Btype, int ldb, long long int strideB, const void *beta, void *C,
    cudaDataType Ctype, int ldc, long long int strideC, int batchCount,
    cublasComputeType_t computeType, cublasGemmAlgo_t) {
  Lock lock;
  Product p = shape("cublasGemmStridedBatchedEx", transa, transb, m, n, k, A, Atype, lda, B, Btype,
                    ldb, C, Ctype, ldc);
  p.a.batch_stride = strideA;
  p.b.batch_stride = strideB;
  p.c.batch_stride = strideC;
  p.batches = batchCount;
  return finish(handle, p, alpha, beta, computeType);
}

extern "C" cublasStatus_t
cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                    int m, int n, int k, const void *alpha, const void *const Aarray[],
                    cudaDataType Atype, int lda, const void *const Barray[], cudaDataType Btype,
                    int ldb, const void *beta, void *const Carray[], cudaDataType Ctype, int ldc,
                    int batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t) {
  Lock lock;
  Product p = shape("cublasGemmBatchedEx", transa, transb, m, n, k, nullptr, Atype, lda, nullptr,
                    Btype, ldb, nullptr, Ctype, ldc);
  p.a.array = Aarray;
  p.b.array = Barray;
  p.c.array = const_cast<const void *const *>(Carray);
  p.batches = batchCount;
  return finish(handle, p, alpha, beta, computeType);
}
