// cuda_profiler_api.h: calls for tools and for other libraries' memory, under CUDA's names. CUDA has those of
// memory in <cuda_runtime_api.h>.
#ifndef TOCHA_SIMULATOR_CUDA_PROFILER_API_H
#define TOCHA_SIMULATOR_CUDA_PROFILER_API_H

#include "cuda_runtime_api.h"

extern "C" {
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *pointer);
}

#endif
