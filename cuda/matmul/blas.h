/* blas.h: cuBLAS and cuBLASLt, which are opened when the first product is computed. */
#pragma once

#include "runtime/state.h"
#include "matmul/launch.h"

namespace tocha {

/* Frees a device's handles, workspaces and plans. The device must be idle. */
void delete_blas(Blas *blas);
/* Returns the cublasHandle_t of the stream's device, set to the stream, or nullptr after fail(). */
void *blas_handle(Stream *stream);

/* Computes data[i] = activation(data[i]), a tocha_activation (dot.cu). */
bool start_activation(Stream *stream, void *data, long long n, int dtype, int activation);

} // namespace tocha
