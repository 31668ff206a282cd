// tools.cpp: calls for tools and for other libraries' memory, which have no effect on the simulated GPU.
#include "cuda_profiler_api.h"
#include "machine.h"

#include <set>

using namespace simulator;

static std::set<void *> &registered() {
  static std::set<void *> pointers;
  return pointers;
}

extern "C" cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int) {
  Lock lock;
  if (!pointer || !bytes) return result(cudaErrorInvalidValue);
  return result(registered().insert(pointer).second ? cudaSuccess
                                                    : cudaErrorHostMemoryAlreadyRegistered);
}

extern "C" cudaError_t cudaHostUnregister(void *pointer) {
  Lock lock;
  return result(registered().erase(pointer) ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

extern "C" cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
extern "C" cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
