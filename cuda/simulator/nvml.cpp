// nvml.cpp: the sensors of the simulated GPU: an idle one at room temperature, with one process: this one.
#include "machine.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "runtime/nvml.h"

enum { NVML_OK = 0, NVML_NOT_FOUND = 6 };

static int device_of(nvmlDevice_t device) {
  return static_cast<int>(reinterpret_cast<intptr_t>(device)) - 1;
}

// Returns the bytes that are taken of a device's memory.
static unsigned long long used_bytes(int device, unsigned long long *total) {
  int before = 0;
  size_t free = 0, all = 0;
  cudaGetDevice(&before);
  cudaSetDevice(device);
  cudaMemGetInfo(&free, &all);
  cudaSetDevice(before);
  *total = all;
  return all - free;
}

extern "C" {

int nvmlInit_v2(void) { return NVML_OK; }

const char *nvmlErrorString(int status) { return status == NVML_OK ? "Success" : "Not Found"; }

int nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
  int count = 0;
  cudaGetDeviceCount(&count);
  for (int i = 0; i < count; i++) {
    cudaDeviceProp p;
    char text[48] = "GPU-";
    if (cudaGetDeviceProperties(&p, i) != cudaSuccess) continue;
    tocha::uuid_text(p.uuid, text + 4);
    if (strcmp(text, uuid) != 0) continue;
    *device = reinterpret_cast<nvmlDevice_t>(static_cast<intptr_t>(i) + 1);
    return NVML_OK;
  }
  return NVML_NOT_FOUND;
}

int nvmlDeviceGetUtilizationRates(nvmlDevice_t, nvmlUtilization_t *rates) {
  *rates = {0, 0};
  return NVML_OK;
}

int nvmlDeviceGetTemperature(nvmlDevice_t, int, unsigned int *degrees) {
  *degrees = 21;
  return NVML_OK;
}

int nvmlDeviceGetPowerUsage(nvmlDevice_t, unsigned int *milliwatts) {
  *milliwatts = 60000;
  return NVML_OK;
}

int nvmlDeviceGetClockInfo(nvmlDevice_t, int, unsigned int *megahertz) {
  *megahertz = 1410;
  return NVML_OK;
}

int nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
  memory->used = used_bytes(device_of(device), &memory->total);
  memory->free = memory->total - memory->used;
  return NVML_OK;
}

int nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count,
                                            nvmlProcessInfo_t *processes) {
  unsigned long long total;
  *count = 1;
  processes[0] = {static_cast<unsigned>(getpid()), used_bytes(device_of(device), &total), 0, 0};
  return NVML_OK;
}
}
