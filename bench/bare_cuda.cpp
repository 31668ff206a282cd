/* bare_cuda.cpp: the speed of the GPU itself, for the last columns of the table: a copy on the GPU, and direct calls
 * of the cuBLAS that Tocha would open. Prints "name<TAB>nanoseconds<TAB>ns[<TAB>bytes moved]" lines, the names those
 * of cases_cuda.lua.
 * SMALL=1 in the environment: small sizes, one batch. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

#include "matmul/blas_library.h"

static bool small_sizes;

static void stop_if(bool failed, const char *what) {
  if (!failed) return;
  fprintf(stderr, "bare_cuda: %s failed: %s\n", what, cudaGetErrorString(cudaGetLastError()));
  exit(1);
}

static void *card_memory(size_t bytes) {
  void *data = nullptr;
  stop_if(cudaMalloc(&data, bytes) != cudaSuccess, "cudaMalloc");
  return data;
}

/* Returns the milliseconds on the GPU of `count` calls. */
template <class F>
static float milliseconds(cudaStream_t stream, cudaEvent_t *events, long count, F call) {
  float time = 0;
  cudaEventRecord(events[0], stream);
  for (long i = 0; i < count; i++) call();
  cudaEventRecord(events[1], stream);
  stop_if(cudaEventSynchronize(events[1]) != cudaSuccess, "the work");
  stop_if(cudaEventElapsedTime(&time, events[0], events[1]) != cudaSuccess, "an event");
  return time;
}

static int compare(const void *a, const void *b) {
  float x = *static_cast<const float *>(a), y = *static_cast<const float *>(b);
  return (x > y) - (x < y);
}

/* Returns the median of batches that are long enough for the clock. */
template <class F>
static void report(const char *name, size_t bytes_moved, cudaStream_t stream, F call) {
  const float wanted = small_sizes ? 0 : 20;
  const int batches = small_sizes ? 1 : 7;
  cudaEvent_t events[2];
  float times[7];
  long count = 1;
  cudaEventCreate(&events[0]);
  cudaEventCreate(&events[1]);
  call();
  for (;;) {
    float elapsed = milliseconds(stream, events, count, call);
    if (elapsed >= wanted) break;
    count = elapsed < wanted / 100 ? count * 10 : static_cast<long>(count * wanted / elapsed) + 1;
  }
  for (int i = 0; i < batches; i++) times[i] = milliseconds(stream, events, count, call);
  qsort(times, static_cast<size_t>(batches), sizeof *times, compare);
  printf("%s\t%.1f\tns", name, times[batches / 2] / count * 1e6);
  if (bytes_moved) printf("\t%zu", bytes_moved);
  printf("\n");
  fflush(stdout);
  cudaEventDestroy(events[0]);
  cudaEventDestroy(events[1]);
}

static void time_copy(cudaStream_t stream) {
  size_t bytes = 4 * (small_sizes ? size_t(16) * 1024 : size_t(64) * 1024 * 1024);
  void *from = card_memory(bytes), *to = card_memory(bytes);
  cudaMemsetAsync(from, 0, bytes, stream);
  report("copy on the GPU, float32", 2 * bytes, stream,
         [=] { cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream); });
  cudaFree(from);
  cudaFree(to);
}

struct Kind {
  const char *name;
  cudaDataType type;
  cublasComputeType_t compute;
  int bytes;
};

/* Fills an array with numbers in [0, 1), because a GPU's clock depends on the numbers it multiplies. */
static void fill(void *data, const Kind &kind, size_t count, cudaStream_t stream) {
  std::vector<unsigned char> values(count * static_cast<size_t>(kind.bytes));
  unsigned state = 1;
  for (size_t i = 0; i < count; i++) {
    state = state * 1664525u + 1013904223u;
    float x = static_cast<float>(state >> 8) / 16777216.0f;
    unsigned bits;
    memcpy(&bits, &x, 4);
    unsigned short half = static_cast<unsigned short>(bits >> 16); /* bfloat16 */
    if (kind.type == CUDA_R_16F)
      half = static_cast<unsigned short>(0x3800 | (state >> 8 & 0x3ff)); /* [0.5, 1) */
    memcpy(&values[i * static_cast<size_t>(kind.bytes)],
           kind.bytes == 4 ? static_cast<const void *>(&x) : static_cast<const void *>(&half),
           static_cast<size_t>(kind.bytes));
  }
  cudaMemcpyAsync(data, values.data(), values.size(), cudaMemcpyHostToDevice, stream);
  stop_if(cudaStreamSynchronize(stream) != cudaSuccess, "a copy to the GPU");
}

static void time_matmul(const tocha::BlasLibrary *library, cublasHandle_t handle,
                        cudaStream_t stream, const Kind &kind, int n) {
  size_t count = static_cast<size_t>(n) * static_cast<size_t>(n),
         bytes = count * static_cast<size_t>(kind.bytes);
  void *a = card_memory(bytes), *b = card_memory(bytes), *c = card_memory(bytes);
  float one = 1, zero = 0;
  char name[64];
  fill(a, kind, count, stream);
  fill(b, kind, count, stream);
  snprintf(name, sizeof name, "matmul %s %dx%d", kind.name, n, n);
  auto multiply = [&] {
    return library->gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, kind.type, n, b,
                         kind.type, n, &zero, c, kind.type, n, kind.compute, CUBLAS_GEMM_DEFAULT);
  };
  stop_if(multiply() != CUBLAS_STATUS_SUCCESS, name);
  report(name, 0, stream, multiply);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}

int main() {
  const Kind kinds[] = {{"float32", CUDA_R_32F, CUBLAS_COMPUTE_32F, 4},
                        {"tf32", CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 4},
                        {"bfloat16", CUDA_R_16BF, CUBLAS_COMPUTE_32F, 2},
                        {"float16", CUDA_R_16F, CUBLAS_COMPUTE_32F, 2}};
  const std::vector<int> large = {256, 1024, 4096, 8192}, tiny = {32, 64};
  const char *small_wanted = getenv("SMALL"), *reason = "";
  small_sizes = small_wanted && strcmp(small_wanted, "1") == 0;
  cudaStream_t stream;
  stop_if(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess,
          "cudaStreamCreate");
  time_copy(stream);
  const tocha::BlasLibrary *library = tocha::blas_library(&reason);
  if (!library) {
    fprintf(stderr, "bare_cuda: %s\n", reason);
    return 0;
  }
  cublasHandle_t handle;
  size_t workspace = small_sizes ? size_t(4096) : size_t(32) * 1024 * 1024;
  stop_if(library->cublasCreate_(&handle) != CUBLAS_STATUS_SUCCESS, "cublasCreate");
  library->cublasSetStream_(handle, stream);
  library->cublasSetWorkspace_(handle, card_memory(workspace), workspace);
  for (const Kind &kind : kinds)
    for (int n : small_sizes ? tiny : large) time_matmul(library, handle, stream, kind, n);
  library->cublasDestroy_(handle);
  return 0;
}
