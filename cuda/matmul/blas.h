/* blas.h: cuBLAS and cuBLASLt, which are opened when the first product is computed. */
#pragma once

#include "runtime/state.h"
#include "matmul/launch.h"

namespace tocha {

/* Frees a device's handles, workspaces and plans. The device must be idle. */
void delete_blas(Blas *blas);
/* Returns the cublasHandle_t of the stream's device, set to the stream, or nullptr after fail(). */
void *blas_handle(Stream *stream);

/* Opens the library and makes the device's handle, if that was not done yet and is possible: a
 * capture does not permit it. */
void prepare_blas(Stream *stream);
/* Makes the next product find its workspace again, and frees those of a capture. Call it before and
 * after one. blas may be nullptr. */
void leave_workspaces(Blas *blas);

/* Computes data[i] = activation(data[i]), a tocha_activation (dot.cu). */
bool start_activation(Stream *stream, void *data, long long n, int dtype, int activation);

} // namespace tocha
