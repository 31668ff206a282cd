// nvml.cpp: the sensors of the simulated GPU: an idle one at room temperature, with one process: this one.
#include "machine.h"

#include <cstdio>
#include <cstring>
#include <unistd.h>

#include "../runtime/nvml_api.h"

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

nvmlReturn_t nvmlInit_v2(void) { return NVML_SUCCESS; }

const char *nvmlErrorString(nvmlReturn_t status) {
  return status == NVML_SUCCESS ? "Success" : "Not Found";
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
  int count = 0;
  cudaGetDeviceCount(&count);
  for (int i = 0; i < count; i++) {
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, i) != cudaSuccess) continue;
    char text[48];
    int used = snprintf(text, sizeof text, "GPU");
    for (int k = 0; k < 16; k++) {
      bool begins = k == 0 || k == 4 || k == 6 || k == 8 || k == 10; // a group of digits
      used += snprintf(text + used, sizeof text - used, "%s%02x", begins ? "-" : "",
                       static_cast<unsigned char>(p.uuid.bytes[k]));
    }
    if (strcmp(text, uuid) != 0) continue;
    *device = reinterpret_cast<nvmlDevice_t>(static_cast<intptr_t>(i) + 1);
    return NVML_SUCCESS;
  }
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t, nvmlUtilization_t *rates) {
  *rates = {0, 0};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t, nvmlTemperatureSensors_t,
                                      unsigned int *degrees) {
  *degrees = 21;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t, unsigned int *milliwatts) {
  *milliwatts = 60000;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t, nvmlClockType_t, unsigned int *megahertz) {
  *megahertz = 1410;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
  memory->used = used_bytes(device_of(device), &memory->total);
  memory->free = memory->total - memory->used;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count,
                                                     nvmlProcessInfo_t *processes) {
  unsigned long long total;
  *count = 1;
  processes[0] = {static_cast<unsigned>(getpid()), used_bytes(device_of(device), &total), 0, 0};
  return NVML_SUCCESS;
}
}
