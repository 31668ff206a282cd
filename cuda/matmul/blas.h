/* blas.h: cuBLAS and cuBLASLt, opened when a product is first asked for. */
#pragma once

#include "runtime/state.h"
#include "matmul/launch.h"

namespace tocha {

/* What a device keeps of the libraries: handles, workspaces, plans. The device must be idle. */
void delete_blas(Blas *blas);

/* data[i] = activation(data[i]), a tocha_activation (dot.cu). */
bool start_activation(Stream *stream, void *data, long long n, int dtype, int activation);

} // namespace tocha
