/* runtime.cpp: a CUDA runtime that does nothing and counts its calls. Linked to the objects that nvcc made of the
 * plug-in, it leaves what the host executes for an operator: no GPU is needed to count that.
 *
 * NULL_CUDA_DEVICES says how many GPUs there are (1). Memory of the device is addresses that nobody reads; what is copied from there is zeros, but for the latest small copy to it. At its end the program
 * appends the counts, `name count` a line, to the file that NULL_CUDA_COUNTS names. A kernel's line is
 * `kernel launches few blocks name`: few, how many of the launches had fewer blocks than an H100 has
 * processors; blocks, the least of a launch. */
#include <cuda_runtime_api.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace {

struct Count {
  const char *name;
  unsigned long long calls = 0;
  Count *next;
  static Count *first;
  explicit Count(const char *function) : name(function), next(first) { first = this; }
};
Count *Count::first = nullptr;

enum { PROCESSORS = 132 };

struct Kernel {
  std::string name;
  unsigned long long launches = 0, few = 0, blocks = ~0ULL;
};

/* By the address of the host's function. Never destroyed, because Report reads it at the end. */
std::map<const void *, Kernel> &kernels() {
  static auto *all = new std::map<const void *, Kernel>();
  return *all;
}

/* Returns the name of a kernel without its namespaces, result and parameters: "sum_rows<float, 4>". */
std::string readable(const char *mangled) {
  int status;
  char *text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = text ? text : mangled;
  free(text);
  for (const char *part : {"(anonymous namespace)::", "tocha::", "void "})
    for (size_t at; (at = name.find(part)) != std::string::npos;) name.erase(at, strlen(part));
  return name.substr(0, name.find('('));
}

struct Report {
  ~Report() {
    const char *path = getenv("NULL_CUDA_COUNTS");
    FILE *file = path ? fopen(path, "a") : nullptr;
    if (!file) return;
    for (Count *c = Count::first; c; c = c->next) fprintf(file, "%s %llu\n", c->name, c->calls);
    for (const auto &[function, k] : kernels())
      if (k.launches)
        fprintf(file, "kernel %llu %llu %llu %s\n", k.launches, k.few, k.blocks, k.name.c_str());
    fclose(file);
  }
} report;

cudaError_t counted(Count &count) {
  count.calls++;
  return cudaSuccess;
}

cudaError_t launched(Kernel &kernel, dim3 grid) {
  static Count count("launch");
  const auto blocks = 1ULL * grid.x * grid.y * grid.z;
  kernel.launches++;
  kernel.few += blocks < PROCESSORS;
  kernel.blocks = std::min(kernel.blocks, blocks);
  return counted(count);
}

int current = 0;

/* What <<<...>>> pushes for the launch that follows. */
struct Configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
} configuration;

} // namespace

/* A function of the runtime that has nothing to answer. */
#define NOTHING(name, parameters)                                                                  \
  cudaError_t name parameters {                                                                    \
    static Count count(#name);                                                                     \
    return counted(count);                                                                         \
  }

extern "C" {

NOTHING(cudaDeviceSynchronize, ())
NOTHING(cudaDeviceEnablePeerAccess, (int, unsigned))
NOTHING(cudaEventDestroy, (cudaEvent_t))
NOTHING(cudaEventQuery, (cudaEvent_t))
NOTHING(cudaEventRecord, (cudaEvent_t, cudaStream_t))
NOTHING(cudaEventSynchronize, (cudaEvent_t))
NOTHING(cudaFree, (void *))
NOTHING(cudaGetLastError, ())
NOTHING(cudaMemcpyPeerAsync, (void *, int, const void *, int, size_t, cudaStream_t))
NOTHING(cudaStreamDestroy, (cudaStream_t))
NOTHING(cudaStreamQuery, (cudaStream_t))
NOTHING(cudaStreamSynchronize, (cudaStream_t))
NOTHING(cudaStreamWaitEvent, (cudaStream_t, cudaEvent_t, unsigned))
NOTHING(cudaGraphDebugDotPrint, (cudaGraph_t, const char *, unsigned))
NOTHING(cudaGraphDestroy, (cudaGraph_t))
NOTHING(cudaGraphExecDestroy, (cudaGraphExec_t))
NOTHING(cudaGraphLaunch, (cudaGraphExec_t, cudaStream_t))
NOTHING(cudaThreadExchangeStreamCaptureMode, (enum cudaStreamCaptureMode *))

const char *cudaGetErrorString(cudaError_t) { return "no error"; }

cudaError_t cudaDeviceCanAccessPeer(int *answer, int, int) {
  *answer = 1;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
  static Count count("cudaEventCreateWithFlags");
  *event = reinterpret_cast<cudaEvent_t>(&count);
  return counted(count);
}

/* One stream may be capturing. What is launched there is counted as if it ran. */
static cudaStream_t capturing = nullptr;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  capturing = stream;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *graph) {
  capturing = nullptr;
  *graph = reinterpret_cast<cudaGraph_t>(&capturing);
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  static Count count("cudaStreamIsCapturing");
  *status = stream == capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return counted(count);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t *, size_t *count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t, unsigned long long) {
  *exec = reinterpret_cast<cudaGraphExec_t>(&capturing);
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 0;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  static Count count("cudaGetDevice");
  *device = current;
  return counted(count);
}

cudaError_t cudaSetDevice(int device) {
  static Count count("cudaSetDevice"), first("cudaSetDevice(0)");
  current = device;
  return counted(device == 0 ? first : count);
}

cudaError_t cudaGetDeviceCount(int *devices) {
  const char *wanted = getenv("NULL_CUDA_DEVICES");
  *devices = wanted ? atoi(wanted) : 1;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int) {
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "null");
  p->major = 9;
  p->totalGlobalMem = 80ULL << 30;
  p->multiProcessorCount = 132;
  p->maxThreadsPerMultiProcessor = 2048;
  p->maxThreadsPerBlock = 1024;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->warpSize = 32;
  p->sharedMemPerBlock = 48 << 10;
  p->l2CacheSize = 50 << 20;
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **data, size_t bytes, unsigned) {
  static Count count("cudaHostAlloc");
  *data = calloc(1, bytes);
  return *data ? counted(count) : cudaErrorMemoryAllocation;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int) {
  *value = 0;
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void *, size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaHostUnregister(void *) { return cudaSuccess; }
cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }

cudaError_t cudaFreeHost(void *data) {
  free(data);
  return cudaSuccess;
}

cudaError_t cudaMalloc(void **data, size_t bytes) {
  static Count count("cudaMalloc");
  static uintptr_t next = uintptr_t(1) << 44;
  *data = reinterpret_cast<void *>(next);
  next += (bytes + 511) / 512 * 512;
  return counted(count);
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  *available = *total = size_t(80) << 30;
  return cudaSuccess;
}

/* The latest small copy to the device, which a copy from there finds again: ranks exchange numbers so. */
static struct {
  const void *at;
  size_t bytes;
  char data[1 << 14];
} latest;

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  static Count count("cudaMemcpyAsync");
  if (kind == cudaMemcpyHostToDevice && bytes <= sizeof latest.data) {
    latest.at = to;
    latest.bytes = bytes;
    memcpy(latest.data, from, bytes);
  } else if (kind == cudaMemcpyDeviceToHost) {
    memset(to, 0, bytes);
    if (from == latest.at) memcpy(to, latest.data, std::min(bytes, latest.bytes));
  }
  return counted(count);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
  static Count count("cudaStreamCreateWithFlags");
  *stream = reinterpret_cast<cudaStream_t>(&count);
  return counted(count);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned, int) {
  static Count count("cudaStreamCreateWithPriority");
  *stream = reinterpret_cast<cudaStream_t>(&count);
  return counted(count);
}

cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) {
  static Count count("cudaFuncSetAttribute");
  return counted(count);
}

/* What nvcc's own code calls; its declarations are not public. */
void **__cudaRegisterFatBinary(void *) {
  static void *handle;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
void __cudaRegisterFunction(void **, const char *function, char *, const char *name, int, uint3 *,
                            uint3 *, dim3 *, dim3 *, int *) {
  kernels()[function].name = readable(name);
}
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int) {}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  configuration = {grid, block, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  *static_cast<cudaStream_t *>(stream) = configuration.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
  *kernel = reinterpret_cast<cudaKernel_t>(&kernels()[function]); /* its address stays */
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3, void **, size_t,
                               cudaStream_t) {
  return launched(*reinterpret_cast<Kernel *>(kernel), grid);
}
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3, void **, size_t, cudaStream_t) {
  return launched(kernels()[function], grid);
}
}
