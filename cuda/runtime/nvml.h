/* nvml.h: reads the driver's sensors through NVML, which is opened at run time. */
#pragma once

#include "runtime/state.h"
#include "tocha/device_tools.h"

/* The part of NVML that is used, under its names. */
extern "C" {
typedef struct nvmlDevice_st *nvmlDevice_t;
typedef struct {
  unsigned int gpu, memory;
} nvmlUtilization_t;
typedef struct {
  unsigned long long total, free, used;
} nvmlMemory_t;
typedef struct {
  unsigned int pid;
  unsigned long long usedGpuMemory;
  unsigned int gpuInstanceId, computeInstanceId;
} nvmlProcessInfo_t;
int nvmlInit_v2(void);
const char *nvmlErrorString(int status);
int nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device);
int nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *rates);
int nvmlDeviceGetTemperature(nvmlDevice_t device, int sensor, unsigned int *degrees);
int nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int *milliwatts);
int nvmlDeviceGetClockInfo(nvmlDevice_t device, int clock, unsigned int *megahertz);
int nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory);
int nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count,
                                            nvmlProcessInfo_t *processes);
}

namespace tocha {

bool read_sensor(tocha_backend_state *state, int device, tocha_sensor sensor, int64_t *value);
int gpu_processes(tocha_backend_state *state, int device, tocha_gpu_process *processes,
                  int capacity);
/* Writes a UUID as text, without "GPU-". */
void uuid_text(const cudaUUID_t &uuid, char text[40]);

} // namespace tocha
