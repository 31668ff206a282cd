// device.cpp: the machine with its devices, their properties, and synchronization with them. The
// environment is read once: TOCHA_SIMULATED_GPUS (default 1), TOCHA_SIMULATED_MEMORY (bytes, or
// with K, M, G; default 8G), TOCHA_SIMULATOR_ORDER (ascending or descending),
// TOCHA_SIMULATOR_FAULTS (1: install the fault handler), TOCHA_SIMULATOR_PLANT (the name of a
// kernel that faults; by default CMake's option TOCHA_PLANT).
#include "machine.h"

#include <chrono>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thread>

namespace simulator {

static __thread int chosen_device;

static __thread int lock_depth;

void MachineLock::lock() {
  mutex.lock();
  lock_depth++;
}

void MachineLock::unlock() {
  lock_depth--;
  mutex.unlock();
}

void MachineLock::rest() {
  const int depth = lock_depth;
  for (int i = 0; i < depth; i++) unlock();
  std::this_thread::sleep_for(std::chrono::microseconds(100));
  for (int i = 0; i < depth; i++) lock();
}

MachineLock &machine_lock() {
  static auto *lock = new MachineLock; // never destroyed: streams may be used at exit
  return *lock;
}

static size_t memory_wanted(const char *text) {
  const size_t standard = size_t(8) << 30;
  if (!text || !*text) return standard;
  char *end;
  double amount = strtod(text, &end);
  if (*end == 'K' || *end == 'k') amount *= 1024.0;
  if (*end == 'M' || *end == 'm') amount *= 1024.0 * 1024.0;
  if (*end == 'G' || *end == 'g') amount *= 1024.0 * 1024.0 * 1024.0;
  return amount >= 1 && amount < 1e15 ? static_cast<size_t>(amount) : standard;
}

static Machine *make_machine() {
  Machine *m = new Machine;
  const char *count = getenv("TOCHA_SIMULATED_GPUS"), *order = getenv("TOCHA_SIMULATOR_ORDER");
  m->device_count = count && *count ? atoi(count) : 1;
  if (m->device_count < 0) m->device_count = 0;
  if (m->device_count > max_devices) m->device_count = max_devices;
  m->capacity = memory_wanted(getenv("TOCHA_SIMULATED_MEMORY"));
  const char *capability = getenv("TOCHA_SIMULATED_CAPABILITY");
  if (capability && strcmp(capability, "8.9") == 0) m->minor = 9;
  m->descending = order && strcmp(order, "descending") == 0;
  const char *planted = getenv("TOCHA_SIMULATOR_PLANT");
  m->planted = planted ? planted : TOCHA_PLANT;
  return m;
}

Machine &machine() {
  static Machine *the_machine;
  if (!the_machine) {
    the_machine = make_machine();
    memory_open();
    const char *faults = getenv("TOCHA_SIMULATOR_FAULTS");
    if (faults && strcmp(faults, "1") == 0) install_fault_handler();
  }
  return *the_machine;
}

int current_device() { return chosen_device; }

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static bool is_device(int device) { return device >= 0 && device < machine().device_count; }

static void describe(cudaDeviceProp *p, int device) {
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "Simulated GPU");
  memcpy(p->uuid.bytes, "simulated GPU ", 14);
  p->uuid.bytes[15] = static_cast<char>(device);
  p->totalGlobalMem = machine().capacity;
  p->sharedMemPerBlock = shared_static_limit;
  p->sharedMemPerBlockOptin = shared_optin_limit;
  p->sharedMemPerMultiprocessor = shared_optin_limit + 1024;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = 32;
  p->memPitch = 0x7fffffff;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->totalConstMem = 65536;
  p->major = 8;
  p->minor = machine().minor;
  p->multiProcessorCount = 108;
  p->maxThreadsPerMultiProcessor = 2048;
  p->maxBlocksPerMultiProcessor = 32;
  p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = 1;
  p->streamPrioritiesSupported = 1;
  p->asyncEngineCount = 3;
  p->memoryBusWidth = 5120;
  p->l2CacheSize = 40 << 20;
  p->pciBusID = device + 1;
}

static bool attribute_value(const cudaDeviceProp &p, cudaDeviceAttr attribute, int *value) {
  const struct {
    cudaDeviceAttr attribute;
    size_t value;
  } table[] = {
      {cudaDevAttrMaxThreadsPerBlock, size_t(p.maxThreadsPerBlock)},
      {cudaDevAttrMaxBlockDimX, size_t(p.maxThreadsDim[0])},
      {cudaDevAttrMaxBlockDimY, size_t(p.maxThreadsDim[1])},
      {cudaDevAttrMaxBlockDimZ, size_t(p.maxThreadsDim[2])},
      {cudaDevAttrMaxGridDimX, size_t(p.maxGridSize[0])},
      {cudaDevAttrMaxGridDimY, size_t(p.maxGridSize[1])},
      {cudaDevAttrMaxGridDimZ, size_t(p.maxGridSize[2])},
      {cudaDevAttrMaxSharedMemoryPerBlock, p.sharedMemPerBlock},
      {cudaDevAttrTotalConstantMemory, p.totalConstMem},
      {cudaDevAttrWarpSize, size_t(p.warpSize)},
      {cudaDevAttrMaxRegistersPerBlock, size_t(p.regsPerBlock)},
      {cudaDevAttrClockRate, 1410000},
      {cudaDevAttrMultiProcessorCount, size_t(p.multiProcessorCount)},
      {cudaDevAttrIntegrated, 0},
      {cudaDevAttrCanMapHostMemory, 1},
      {cudaDevAttrConcurrentKernels, 1},
      {cudaDevAttrMemoryClockRate, 1215000},
      {cudaDevAttrGlobalMemoryBusWidth, size_t(p.memoryBusWidth)},
      {cudaDevAttrL2CacheSize, size_t(p.l2CacheSize)},
      {cudaDevAttrMaxThreadsPerMultiProcessor, size_t(p.maxThreadsPerMultiProcessor)},
      {cudaDevAttrAsyncEngineCount, size_t(p.asyncEngineCount)},
      {cudaDevAttrUnifiedAddressing, 1},
      {cudaDevAttrComputeCapabilityMajor, size_t(p.major)},
      {cudaDevAttrComputeCapabilityMinor, size_t(p.minor)},
      {cudaDevAttrStreamPrioritiesSupported, 1},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, p.sharedMemPerMultiprocessor},
      {cudaDevAttrManagedMemory, 0},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, p.sharedMemPerBlockOptin},
      {cudaDevAttrMaxBlocksPerMultiprocessor, size_t(p.maxBlocksPerMultiProcessor)},
      {cudaDevAttrMemoryPoolsSupported, 0},
  };
  for (const auto &entry : table)
    if (entry.attribute == attribute) {
      *value = static_cast<int>(entry.value);
      return true;
    }
  return false;
}

} // namespace simulator

using namespace simulator;

extern "C" cudaError_t cudaGetDeviceCount(int *count) {
  Lock lock;
  if (!count) return result(cudaErrorInvalidValue);
  *count = machine().device_count;
  return *count ? cudaSuccess : result(cudaErrorNoDevice);
}

extern "C" cudaError_t cudaSetDevice(int device) {
  Lock lock;
  if (!is_device(device)) return result(cudaErrorInvalidDevice);
  chosen_device = device;
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaGetDevice(int *device) {
  Lock lock;
  if (!device) return result(cudaErrorInvalidValue);
  *device = chosen_device;
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  Lock lock;
  if (!properties) return result(cudaErrorInvalidValue);
  if (!is_device(device)) return result(cudaErrorInvalidDevice);
  describe(properties, device);
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  Lock lock;
  if (!is_device(device)) return result(cudaErrorInvalidDevice);
  cudaDeviceProp properties;
  describe(&properties, device);
  bool known = value && attribute_value(properties, attribute, value);
  return result(known ? cudaSuccess : cudaErrorInvalidValue);
}

extern "C" cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device) {
  Lock lock;
  if (!text || length < 13) return result(cudaErrorInvalidValue);
  if (!is_device(device)) return result(cudaErrorInvalidDevice);
  snprintf(text, static_cast<size_t>(length), "0000:%02x:00.0", device + 1);
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaDriverGetVersion(int *version) {
  if (!version) return result(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

extern "C" cudaError_t cudaRuntimeGetVersion(int *version) { return cudaDriverGetVersion(version); }

extern "C" cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  Lock lock;
  if (!can) return result(cudaErrorInvalidValue);
  if (!is_device(device) || !is_device(peer)) return result(cudaErrorInvalidDevice);
  *can = device != peer;
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  Lock lock;
  if (flags != 0) return result(cudaErrorInvalidValue);
  if (!is_device(peer) || peer == chosen_device) return result(cudaErrorInvalidDevice);
  bool &enabled = machine().devices[chosen_device].peers[peer];
  if (enabled) return result(cudaErrorPeerAccessAlreadyEnabled);
  enabled = true;
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  Lock lock;
  if (!is_device(peer)) return result(cudaErrorInvalidDevice);
  bool &enabled = machine().devices[chosen_device].peers[peer];
  if (!enabled) return result(cudaErrorPeerAccessNotEnabled);
  enabled = false;
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}

extern "C" cudaError_t cudaDeviceSynchronize(void) {
  Lock lock;
  Machine &m = machine();
  if (!m.captures.empty()) return result(refuse_in_capture(nullptr, "cudaDeviceSynchronize"));
  drain_device(chosen_device);
  for (CUstream_st *stream : m.streams)
    if (stream->device == chosen_device) m.host.merge(stream->clock);
  return result(cudaSuccess);
}

// Frees the current device's memory and streams, except pinned memory; clears the state of a fault,
// and the last error.
extern "C" cudaError_t cudaDeviceReset(void) {
  Lock lock;
  Machine &m = machine();
  m.broken = false;
  m.fault[0] = 0;
  for (int d = 0; d < m.device_count; d++)
    if (d != chosen_device) drain_device(d);
  m.captures.clear();
  streams_reset(chosen_device);
  memory_reset(chosen_device);
  for (bool &peer : m.devices[chosen_device].peers) peer = false;
  cudaGetLastError();
  return cudaSuccess;
}
