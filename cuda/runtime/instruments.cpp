/* instruments.cpp: the plug-in's instruments (device/instruments.h): statistics of memory. */
#include <new>

#include <cuda_profiler_api.h>

#include "matmul/blas.h"
#include "runtime/activities.h"
#include "runtime/allocator.h"
#include "runtime/nvml.h"
#include "runtime/pinned.h"
#include "runtime/pools.h"
#include "runtime/settings.h"
#include "runtime/watch.h"

namespace tocha {

Watch *watch_of(tocha_backend_state *state) {
  if (!state->watch) state->watch = new (std::nothrow) Watch();
  return state->watch;
}

static bool statistics(tocha_backend_state *state, int device, tocha_device_statistics *answer) {
  if (!use_device(state, device)) return false;
  *answer = statistics_of(state->devices[device].allocator).read();
  return true;
}

static bool reset_sums(tocha_backend_state *state, int device) {
  if (!use_device(state, device)) return false;
  Allocator *a = state->devices[device].allocator;
  statistics_of(a).reset_sums();
  reset_sums(pools_of(a));
  return true;
}

static bool set_fraction(tocha_backend_state *state, int device, double fraction) {
  if (!use_device(state, device)) return false;
  settings_of(state->devices[device].allocator).fraction = fraction;
  return true;
}

static bool fraction(tocha_backend_state *state, int device, double *answer) {
  if (!use_device(state, device)) return false;
  *answer = settings_of(state->devices[device].allocator).fraction;
  return true;
}

static bool settings(tocha_backend_state *state, int device, tocha_allocator_settings *answer) {
  if (!use_device(state, device)) return false;
  const Settings &s = settings_of(state->devices[device].allocator);
  snprintf(answer->text, sizeof answer->text, "%s", s.text);
  answer->max_split_size = static_cast<int64_t>(s.max_split);
  answer->garbage_collection_threshold = s.collection_threshold;
  answer->expandable_segments = s.expandable;
  for (int i = 0; i < Settings::INTERVALS; i++)
    answer->roundup_power2_divisions[i] = s.divisions[i];
  return true;
}

static bool configure_all(tocha_backend_state *state, const char *text, const char **warning) {
  Settings s;
  char problem[256];
  if (!read_settings(text, &s, problem, sizeof problem)) return fail(state, "%s", problem);
  for (int i = 0; i < state->device_count; i++)
    if (state->devices[i].ready) configure(state->devices[i].allocator, s);
  *warning = warning_of(s);
  return true;
}

static void visit_all(tocha_backend_state *state,
                      void (*visit)(void *user, const tocha_memory_block *block), void *user) {
  for (int i = 0; i < state->device_count; i++)
    if (state->devices[i].ready) visit_blocks(state->devices[i].allocator, visit, user);
}

static bool visit_pools(tocha_backend_state *state, int device,
                        void (*visit)(void *user, uint64_t pool, const tocha_statistic *reserved),
                        void *user) {
  if (!use_device(state, device)) return false;
  for (const Pool *pool : pools_of(state->devices[device].allocator).all) {
    tocha_statistic reserved[TOCHA_POOL_COUNT];
    pool->reserved.read(reserved);
    visit(user, pool->number, reserved);
  }
  return true;
}

static void observe(tocha_backend_state *state, Observer observer, void *user) {
  Watch *watch = watch_of(state);
  if (!watch) return;
  watch->observer = observer;
  watch->user = user;
}

/* --- tools -------------------------------------------------------------------------------------- */

static void *handle_of_blas(tocha_stream *stream) { return blas_handle(own(stream)); }

static bool record_profile(tocha_backend_state *state, int device, bool on) {
  return use_device(state, device) && check(state, on ? cudaProfilerStart() : cudaProfilerStop());
}

static int host_register(tocha_backend_state *, void *data, size_t bytes, uint32_t flags) {
  cudaError_t status = bytes ? cudaHostRegister(data, bytes, flags) : cudaHostUnregister(data);
  if (status != cudaSuccess) cudaGetLastError();
  return static_cast<int>(status);
}

static int attribute(int device, cudaDeviceAttr name) {
  int value = 0;
  cudaDeviceGetAttribute(&value, name, device);
  return value;
}

static bool details(tocha_backend_state *state, int device, tocha_device_details *answer) {
  if (!use_device(state, device)) return false;
  const cudaDeviceProp &p = state->devices[device].properties;
  *answer = {};
  uuid_text(p.uuid, answer->uuid);
  answer->pci_bus = p.pciBusID;
  answer->pci_device = p.pciDeviceID;
  answer->pci_domain = p.pciDomainID;
  answer->integrated = p.integrated;
  answer->multi_gpu_board = p.isMultiGpuBoard;
  answer->max_threads_per_block = p.maxThreadsPerBlock;
  answer->registers_per_processor = p.regsPerMultiprocessor;
  answer->shared_memory_per_block_optin = p.sharedMemPerBlockOptin;
  answer->shared_memory_per_processor = p.sharedMemPerMultiprocessor;
  answer->memory_bus_width = p.memoryBusWidth;
  answer->clock_rate = attribute(device, cudaDevAttrClockRate);
  answer->memory_clock_rate = attribute(device, cudaDevAttrMemoryClockRate);
  return true;
}

const tocha_instruments instruments = {
    statistics, reset_sums,      pinned_statistics, reset_pinned,     set_fraction,
    fraction,   settings,        configure_all,     visit_all,        visit_pools,
    observe,    external_stream, handle_of_blas,    record_profile,   host_register,
    details,    read_sensor,     gpu_processes,     start_activities, stop_activities,
};

} // namespace tocha
