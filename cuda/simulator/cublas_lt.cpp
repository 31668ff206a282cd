// cublas_lt.cpp: the functions of cuBLASLt: descriptors, a heuristic with a single algorithm, the
// product.
#include "cublasLt.h"
#include "matrix_product.h"

#include <string.h>

using namespace simulator;

struct cublasLtContext {
  int device;
};

namespace {

struct Layout { // inside cublasLtMatrixLayoutOpaque_t
  uint64_t rows, cols;
  int64_t ld, batch_stride;
  int32_t type, order, batches;
};
static_assert(sizeof(Layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "a layout fits");

struct Description { // inside cublasLtMatmulDescOpaque_t
  int32_t compute, scale, pointer_mode, transpose_a, transpose_b, epilogue, bias_type;
  void *bias, *scale_a, *scale_b;
  int8_t fast;
};
static_assert(sizeof(Description) <= sizeof(cublasLtMatmulDescOpaque_t), "a description fits");

template <class T, class Opaque> T read(const Opaque *opaque) {
  T value;
  memcpy(static_cast<void *>(&value), opaque, sizeof value);
  return value;
}
template <class T, class Opaque> void write(Opaque *opaque, const T &value) {
  memcpy(static_cast<void *>(opaque), static_cast<const void *>(&value), sizeof value);
}

template <class T> cublasStatus_t assign(T *field, const void *value, size_t bytes) {
  if (!value || bytes != sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
  memcpy(field, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

template <class Opaque> cublasStatus_t create(Opaque **object) {
  if (!object) return CUBLAS_STATUS_INVALID_VALUE;
  *object = new Opaque();
  return CUBLAS_STATUS_SUCCESS;
}

StoredMatrix stored(const void *address, const Layout &layout) {
  StoredMatrix m;
  m.address = reinterpret_cast<uintptr_t>(address);
  m.type = static_cast<cudaDataType>(layout.type);
  m.rows = static_cast<int64_t>(layout.rows);
  m.cols = static_cast<int64_t>(layout.cols);
  m.ld = layout.ld;
  m.batch_stride = layout.batch_stride;
  return m;
}

bool read_epilogue(int32_t epilogue, Product *p, bool *wants_bias) {
  *wants_bias = epilogue & CUBLASLT_EPILOGUE_BIAS;
  switch (epilogue) {
  case CUBLASLT_EPILOGUE_DEFAULT:
  case CUBLASLT_EPILOGUE_BIAS:
    return true;
  case CUBLASLT_EPILOGUE_RELU:
  case CUBLASLT_EPILOGUE_RELU_BIAS:
    p->activation = ACTIVATION_RELU;
    return true;
  case CUBLASLT_EPILOGUE_GELU:
  case CUBLASLT_EPILOGUE_GELU_BIAS:
    p->activation = ACTIVATION_GELU;
    return true;
  default:
    return false;
  }
}

} // namespace

extern "C" cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  Lock lock;
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  if (machine().device_count == 0 || machine().broken) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (check_unsafe("cublasLtCreate") != cudaSuccess) return CUBLAS_STATUS_ALLOC_FAILED;
  *handle = new cublasLtContext{current_device()};
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" size_t cublasLtGetVersion(void) { return 130000; }

extern "C" cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                                     cudaDataType type, uint64_t rows,
                                                     uint64_t cols, int64_t ld) {
  cublasStatus_t status = create(layout);
  if (status == CUBLAS_STATUS_SUCCESS)
    write(*layout, Layout{rows, cols, ld, 0, type, CUBLASLT_ORDER_COL, 1});
  return status;
}

extern "C" cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                 cublasLtMatrixLayoutAttribute_t attribute, const void *value,
                                 size_t bytes) {
  if (!layout) return CUBLAS_STATUS_INVALID_VALUE;
  Layout fields = read<Layout>(layout);
  cublasStatus_t status = CUBLAS_STATUS_INVALID_VALUE;
  switch (attribute) {
  case CUBLASLT_MATRIX_LAYOUT_TYPE:
    status = assign(&fields.type, value, bytes);
    break;
  case CUBLASLT_MATRIX_LAYOUT_ORDER:
    status = assign(&fields.order, value, bytes);
    break;
  case CUBLASLT_MATRIX_LAYOUT_ROWS:
    status = assign(&fields.rows, value, bytes);
    break;
  case CUBLASLT_MATRIX_LAYOUT_COLS:
    status = assign(&fields.cols, value, bytes);
    break;
  case CUBLASLT_MATRIX_LAYOUT_LD:
    status = assign(&fields.ld, value, bytes);
    break;
  case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
    status = assign(&fields.batches, value, bytes);
    break;
  case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
    status = assign(&fields.batch_stride, value, bytes);
    break;
  }
  write(layout, fields);
  return status;
}

extern "C" cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc,
                                                   cublasComputeType_t compute,
                                                   cudaDataType scale) {
  cublasStatus_t status = create(desc);
  if (status == CUBLAS_STATUS_SUCCESS)
    write(*desc, Description{compute, scale, CUBLAS_POINTER_MODE_HOST, CUBLAS_OP_N, CUBLAS_OP_N,
                             CUBLASLT_EPILOGUE_DEFAULT, -1, nullptr, nullptr, nullptr, 0});
  return status;
}

extern "C" cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete desc;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                                         cublasLtMatmulDescAttributes_t attribute,
                                                         const void *value, size_t bytes) {
  if (!desc) return CUBLAS_STATUS_INVALID_VALUE;
  Description fields = read<Description>(desc);
  cublasStatus_t status = CUBLAS_STATUS_INVALID_VALUE;
  switch (attribute) {
  case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
    status = assign(&fields.compute, value, bytes);
    break;
  case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
    status = assign(&fields.scale, value, bytes);
    break;
  case CUBLASLT_MATMUL_DESC_POINTER_MODE:
    status = assign(&fields.pointer_mode, value, bytes);
    break;
  case CUBLASLT_MATMUL_DESC_TRANSA:
    status = assign(&fields.transpose_a, value, bytes);
    break;
  case CUBLASLT_MATMUL_DESC_TRANSB:
    status = assign(&fields.transpose_b, value, bytes);
    break;
  case CUBLASLT_MATMUL_DESC_EPILOGUE:
    status = assign(&fields.epilogue, value, bytes);
    break;
  case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
    status = assign(&fields.bias, value, bytes);
    break;
  case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
    status = assign(&fields.scale_a, value, bytes);
    break;
  case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
    status = assign(&fields.scale_b, value, bytes);
    break;
  case CUBLASLT_MATMUL_DESC_FAST_ACCUM: /* a hint: sums here always have all digits */
    status = assign(&fields.fast, value, bytes);
    break;
  case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
    status = assign(&fields.bias_type, value, bytes);
    break;
  }
  write(desc, fields);
  return status;
}

extern "C" cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  return create(preference);
}

extern "C" cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}

// Checks only the sizes of the values: the single algorithm needs no workspace and no alignment.
extern "C" cublasStatus_t
cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                     cublasLtMatmulPreferenceAttributes_t attribute,
                                     const void *value, size_t bytes) {
  size_t expected = attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES ? 8 : 4;
  return preference && value && bytes == expected ? CUBLAS_STATUS_SUCCESS
                                                  : CUBLAS_STATUS_INVALID_VALUE;
}

extern "C" cublasStatus_t
cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                               cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc,
                               cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
                               cublasLtMatmulPreference_t preference, int wanted,
                               cublasLtMatmulHeuristicResult_t results[], int *found) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!desc || !Adesc || !Bdesc || !Cdesc || !Ddesc || !preference || wanted < 1 || !results ||
      !found)
    return CUBLAS_STATUS_INVALID_VALUE;
  results[0] = {};
  results[0].state = CUBLAS_STATUS_SUCCESS;
  results[0].wavesCount = 1.0f;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" cublasStatus_t
cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *A,
               cublasLtMatrixLayout_t Adesc, const void *B, cublasLtMatrixLayout_t Bdesc,
               const void *beta, const void *C, cublasLtMatrixLayout_t Cdesc, void *D,
               cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t *, void *workspace,
               size_t workspace_bytes, cudaStream_t stream) {
  Lock lock;
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!desc || !Adesc || !Bdesc || !Cdesc || !Ddesc) return CUBLAS_STATUS_INVALID_VALUE;
  Description how = read<Description>(desc);
  Layout a = read<Layout>(Adesc), b = read<Layout>(Bdesc), c = read<Layout>(Cdesc),
         d = read<Layout>(Ddesc);
  cublasComputeType_t compute = static_cast<cublasComputeType_t>(how.compute);
  Product p;
  p.call = "cublasLtMatmul";
  bool wants_bias;
  if (how.pointer_mode != CUBLAS_POINTER_MODE_HOST ||
      !read_epilogue(how.epilogue, &p, &wants_bias) || a.order | b.order | c.order | d.order)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (a.batches != b.batches || a.batches != c.batches || a.batches != d.batches ||
      c.rows != d.rows || c.cols != d.cols || (wants_bias && !how.bias))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!read_scale(compute, alpha, &p.alpha) || !read_scale(compute, beta, &p.beta))
    return alpha && beta ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_INVALID_VALUE;
  p.transpose_a = how.transpose_a != CUBLAS_OP_N;
  p.transpose_b = how.transpose_b != CUBLAS_OP_N;
  p.batches = a.batches;
  p.a = stored(A, a);
  p.b = stored(B, b);
  p.c = stored(C, c);
  p.d = stored(D, d);
  p.tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  p.scale_a = reinterpret_cast<uintptr_t>(how.scale_a);
  p.scale_b = reinterpret_cast<uintptr_t>(how.scale_b);
  if (wants_bias) p.bias = reinterpret_cast<uintptr_t>(how.bias);
  p.bias_type = how.bias_type < 0 ? p.d.type : static_cast<cudaDataType>(how.bias_type);
  p.workspace = reinterpret_cast<uintptr_t>(workspace);
  p.workspace_bytes = workspace ? workspace_bytes : 0;
  CUstream_st *at = stream_of(stream);
  if (at && at->device != current_device()) return CUBLAS_STATUS_INVALID_VALUE;
  return submit_product(p, compute, at);
}
