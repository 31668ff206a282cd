/* cudnn.c: a cuDNN that does nothing (runtime.cpp). It takes every convolution, by one engine. At its end the program appends to
 * the file that NULL_CUBLAS_COUNTS names a line `convolutions N`: the plans that were executed.
 *
 * If cuDNN's own header is there, the compiler compares the constants of cuda/dnn with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<cudnn_graph.h>)
#include <cudnn_graph.h>
#define CONSTANT(name, value) _Static_assert((name) == (value), #name);
#include "dnn/constants.def"
#else
#include "dnn/interface.h"
#endif

static int object; /* what handles and descriptors point to */
static long long executed;

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("NULL_CUBLAS_COUNTS");
  FILE *file = path && executed ? fopen(path, "a") : NULL;
  if (!file) return;
  fprintf(file, "convolutions %lld\n", executed);
  fclose(file);
}

size_t cudnnGetVersion(void) { return 90000; }
const char *cudnnGetErrorString(cudnnStatus_t status) { return (void)status, ""; }
cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
  *handle = (cudnnHandle_t)&object;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) { return (void)handle, CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  return (void)handle, (void)stream, CUDNN_STATUS_SUCCESS;
}

#if __has_include(<cudnn_graph.h>)
#define DESCRIPTOR_TYPE cudnnBackendDescriptorType_t
#define NAME cudnnBackendAttributeName_t
#define TYPE cudnnBackendAttributeType_t
#define READ_ONLY cudnnBackendDescriptor_t const
#else
#define DESCRIPTOR_TYPE int
#define NAME int
#define TYPE int
#define READ_ONLY cudnnBackendDescriptor_t
#endif

cudnnStatus_t cudnnBackendCreateDescriptor(DESCRIPTOR_TYPE type,
                                           cudnnBackendDescriptor_t *descriptor) {
  *descriptor = &object;
  return (void)type, CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  return (void)descriptor, CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  return (void)descriptor, CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, NAME name, TYPE type,
                                       int64_t count, const void *elements) {
  return (void)descriptor, (void)name, (void)type, (void)count, (void)elements,
         CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendGetAttribute(READ_ONLY descriptor, NAME name, TYPE type, int64_t wanted,
                                       int64_t *count, void *elements) {
  *count = name != CUDNN_ATTR_ENGINE_NUMERICAL_NOTE;
  if (name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE) memset(elements, 0, sizeof(int64_t));
  return (void)descriptor, (void)type, (void)wanted, CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t pack) {
  executed++;
  return (void)handle, (void)plan, (void)pack, CUDNN_STATUS_SUCCESS;
}
