// matrix_product.h: the matrix product behind the functions of cuBLAS and cuBLASLt.
#ifndef TOCHA_SIMULATOR_MATRIX_PRODUCT_H
#define TOCHA_SIMULATOR_MATRIX_PRODUCT_H

#include "cublas_v2.h"
#include "machine.h"

namespace simulator {

// A column-major matrix as it is stored: batches of `cols` columns of `rows` elements, ld apart.
struct StoredMatrix {
  uintptr_t address = 0; // the address that the host sees
  cudaDataType type = CUDA_R_32F;
  int64_t rows = 0, cols = 0, ld = 0, batch_stride = 0;
  const void *const *array = nullptr; // or device memory with the address of each batch
};

enum Activation { ACTIVATION_NONE, ACTIVATION_RELU, ACTIVATION_GELU };

// D = activation(alpha scale_a scale_b op(A) op(B) + beta C + bias), with one value of bias per row. The
// scales, of float8 operands, are floats on the device.
struct Product {
  const char *call = "";
  bool transpose_a = false, transpose_b = false;
  int64_t batches = 1;
  double alpha = 1, beta = 0;
  StoredMatrix a, b, c, d;
  bool tf32 = false; // float operands lose all but 10 bits of their fraction
  Activation activation = ACTIVATION_NONE;
  uintptr_t scale_a = 0, scale_b = 0;
  uintptr_t bias = 0;
  cudaDataType bias_type = CUDA_R_32F;
  uintptr_t workspace = 0;
  size_t workspace_bytes = 0;
};

// Checks shapes, types and memory, and puts the product into the stream.
cublasStatus_t submit_product(const Product &product, cublasComputeType_t compute,
                              CUstream_st *stream);
bool read_scale(cublasComputeType_t compute, const void *host_number, double *value);

// Reads and writes an element of an array of any of the types of products.
double read_number(uintptr_t at, cudaDataType type, int64_t index);
void write_number(uintptr_t at, cudaDataType type, int64_t index, double value);
// Rounds to TF32, which keeps 10 bits of the fraction: to nearest, ties away from zero.
float as_tf32(float value);

// Computes column-major C = alpha op(A) op(B) + beta C by OpenBLAS if it was found, else by loops
// (blas.cpp).
void multiply(bool transpose_a, bool transpose_b, int m, int n, int k, float alpha, const float *a,
              int lda, const float *b, int ldb, float beta, float *c, int ldc);
void multiply(bool transpose_a, bool transpose_b, int m, int n, int k, double alpha,
              const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);

} // namespace simulator

#endif
