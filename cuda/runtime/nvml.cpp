/* nvml.cpp: see nvml.h. With the simulated GPU, its own NVML is linked. */
#include "runtime/nvml.h"
#include "runtime/nvml_api.h"

#include <cstring>

#ifndef TOCHA_SIMULATED
#include <dlfcn.h>
#endif

namespace tocha {

namespace {
struct Library {
  bool there = true;
  char reason[256] = "";
#define NVML(name) decltype(&::name) name = nullptr;
#include "runtime/nvml_functions.def"
  Library() { load(); }
  void load();
};
} // namespace

#ifdef TOCHA_SIMULATED

void Library::load() {
#define NVML(name) this->name = &::name;
#include "runtime/nvml_functions.def"
  nvmlInit_v2();
}

#else

template <class Function> static bool find(void *library, const char *name, Function *function) {
  void *address = dlsym(library, name);
  memcpy(function, &address, sizeof address);
  return address != nullptr;
}

void Library::load() {
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    there = false;
    snprintf(reason, sizeof reason,
             "libnvidia-ml.so.1, the part of NVIDIA's driver that reads sensors, is not there (%s)",
             why ? why : "");
    return;
  }
#define NVML(name) there = find(library, #name, &this->name) && there;
#include "runtime/nvml_functions.def"
  if (!there) {
    snprintf(reason, sizeof reason, "libnvidia-ml.so.1 lacks functions: the driver is too old");
  } else if (nvmlReturn_t status = nvmlInit_v2()) {
    there = false;
    snprintf(reason, sizeof reason, "NVML: %s", nvmlErrorString(status));
  }
}

#endif

static const Library &library() {
  static const Library opened;
  return opened;
}

void uuid_text(const cudaUUID_t &uuid, char text[40]) {
  int used = 0;
  for (int i = 0; i < 16; i++) {
    const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
    used += snprintf(text + used, 40 - static_cast<size_t>(used), "%s%02x", dash,
                     static_cast<unsigned char>(uuid.bytes[i]));
  }
}

/* Finds the device of NVML, which numbers devices by itself: by its UUID. */
static bool find(tocha_backend_state *state, int device, nvmlDevice_t *found) {
  if (!use_device(state, device)) return false;
  const Library &l = library();
  if (!l.there) return fail(state, "%s", l.reason);
  char uuid[48] = "GPU-";
  uuid_text(state->devices[device].properties.uuid, uuid + 4);
  nvmlReturn_t status = l.nvmlDeviceGetHandleByUUID(uuid, found);
  return status == NVML_SUCCESS || fail(state, "NVML: %s (%s)", l.nvmlErrorString(status), uuid);
}

static nvmlReturn_t read(const Library &l, nvmlDevice_t device, tocha_sensor sensor,
                         int64_t *value) {
  nvmlUtilization_t rates = {};
  nvmlMemory_t memory = {};
  unsigned number = 0;
  nvmlReturn_t status = NVML_SUCCESS;
  switch (sensor) {
  case TOCHA_SENSOR_UTILIZATION:
  case TOCHA_SENSOR_MEMORY_UTILIZATION:
    status = l.nvmlDeviceGetUtilizationRates(device, &rates);
    number = sensor == TOCHA_SENSOR_UTILIZATION ? rates.gpu : rates.memory;
    break;
  case TOCHA_SENSOR_TEMPERATURE:
    status = l.nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &number);
    break;
  case TOCHA_SENSOR_POWER:
    status = l.nvmlDeviceGetPowerUsage(device, &number);
    break;
  case TOCHA_SENSOR_CLOCK:
    status = l.nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &number);
    break;
  default:
    status = l.nvmlDeviceGetMemoryInfo(device, &memory);
    *value = static_cast<int64_t>(memory.used);
    return status;
  }
  *value = number;
  return status;
}

bool read_sensor(tocha_backend_state *state, int device, tocha_sensor sensor, int64_t *value) {
  nvmlDevice_t found;
  *value = 0;
  if (!find(state, device, &found)) return false;
  nvmlReturn_t status = read(library(), found, sensor, value);
  return status == NVML_SUCCESS || fail(state, "NVML: %s", library().nvmlErrorString(status));
}

int gpu_processes(tocha_backend_state *state, int device, tocha_gpu_process *processes,
                  int capacity) {
  enum { ROOM = 256 };
  nvmlDevice_t found;
  nvmlProcessInfo_t infos[ROOM];
  unsigned count = ROOM;
  if (!find(state, device, &found)) return -1;
  nvmlReturn_t status = library().nvmlDeviceGetComputeRunningProcesses_v3(found, &count, infos);
  if (status == NVML_ERROR_INSUFFICIENT_SIZE)
    count = ROOM;
  else if (status != NVML_SUCCESS)
    return fail(state, "NVML: %s", library().nvmlErrorString(status)), -1;
  int listed = static_cast<int>(count) < capacity ? static_cast<int>(count) : capacity;
  for (int i = 0; i < listed; i++)
    processes[i] = {infos[i].pid, static_cast<int64_t>(infos[i].usedGpuMemory)};
  return listed;
}

} // namespace tocha
