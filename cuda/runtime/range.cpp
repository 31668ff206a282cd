/* range.cpp: see range.h. The driver's functions are looked up in libcuda.so.1; with the simulated GPU,
 * its own are linked. */
#include "runtime/range.h"

#include <cuda.h>

#include <new>

#ifndef TOCHA_SIMULATED
#include "runtime/library.h"
#endif

namespace tocha {

/* --- the driver --------------------------------------------------------------------------------- */

namespace {
struct Driver {
  bool there = true;
#define DRIVER(name) decltype(&::name) name = nullptr;
#include "runtime/driver_functions.def"
  Driver() {
    load();
    there = there && maps_memory();
  }
  void load();
  bool maps_memory() const;
};
} // namespace

#ifdef TOCHA_SIMULATED

void Driver::load() {
#define DRIVER(name) this->name = &::name;
#include "runtime/driver_functions.def"
}

#else

void Driver::load() {
  const char *const names[] = {"libcuda.so.1", nullptr};
  char file[256];
  void *library = open_library(names, file, sizeof file);
  there = library != nullptr;
#define DRIVER(name) there = there && find(library, #name, &this->name);
#include "runtime/driver_functions.def"
}

#endif

bool Driver::maps_memory() const {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return false;
  for (int device = 0; device < count; device++) {
    int answer = 0;
    if (cuDeviceGetAttribute(&answer, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                             device) != CUDA_SUCCESS ||
        !answer)
      return false;
  }
  return true;
}

static const Driver &driver() {
  static const Driver found;
  return found;
}

bool can_map_memory() { return driver().there; }

/* --- ranges ------------------------------------------------------------------------------------- */

static CUdeviceptr address_of(const char *data) { return reinterpret_cast<CUdeviceptr>(data); }

Range *new_range(tocha_backend_state *state, int device, size_t page) {
  const size_t all = state->devices[device].properties.totalGlobalMem, granularity = 2 << 20;
  page = (page + granularity - 1) / granularity * granularity;
  const size_t count = (all + all / 8 + page - 1) / page;
  CUdeviceptr address;
  if (driver().cuMemAddressReserve(&address, count * page, 0, 0, 0) != CUDA_SUCCESS) return nullptr;
  try {
    return new Range{state,
                     device,
                     page,
                     count * page,
                     reinterpret_cast<char *>(address),
                     std::vector<unsigned long long>(count)};
  } catch (const std::bad_alloc &) {
    driver().cuMemAddressFree(address, count * page);
    return nullptr;
  }
}

void delete_range(Range *range) {
  unmap_pages(range, range->data, range->bytes);
  driver().cuMemAddressFree(address_of(range->data), range->bytes);
  delete range;
}

static CUresult permit(char *at, size_t bytes, int device) {
  CUmemAccessDesc access = {};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = device;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return driver().cuMemSetAccess(address_of(at), bytes, &access, 1);
}

static bool reaches(const Range *range, int other) {
  int answer = 0;
  return range->state->devices[other].peers >> range->device & 1 &&
         cudaDeviceCanAccessPeer(&answer, other, range->device) == cudaSuccess && answer;
}

static CUresult permit_all(Range *range, char *at, size_t bytes) {
  CUresult status = permit(at, bytes, range->device);
  for (int other = 0; other < range->state->device_count && status == CUDA_SUCCESS; other++)
    if (reaches(range, other)) status = permit(at, bytes, other);
  return status;
}

static CUresult map_page(Range *range, size_t index) {
  CUmemAllocationProp wanted = {};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.location.id = range->device;
  CUmemGenericAllocationHandle handle;
  CUresult status = driver().cuMemCreate(&handle, range->page, &wanted, 0);
  if (status != CUDA_SUCCESS) return status;
  char *at = range->data + index * range->page;
  status = driver().cuMemMap(address_of(at), range->page, 0, handle, 0);
  if (status == CUDA_SUCCESS)
    range->memory[index] = handle;
  else
    driver().cuMemRelease(handle);
  return status;
}

bool map_pages(Range *range, char *at, size_t bytes, bool *exhausted) {
  const size_t first = static_cast<size_t>(at - range->data) / range->page,
               end = first + bytes / range->page;
  CUresult status = CUDA_SUCCESS;
  for (size_t i = first; i < end && status == CUDA_SUCCESS; i++) status = map_page(range, i);
  if (status == CUDA_SUCCESS) status = permit_all(range, at, bytes);
  *exhausted = status == CUDA_ERROR_OUT_OF_MEMORY;
  if (status == CUDA_SUCCESS) return true;
  unmap_pages(range, at, bytes);
  return *exhausted ? false
                    : fail(range->state, "CUDA driver error %d while memory is mapped",
                           static_cast<int>(status));
}

void unmap_pages(Range *range, char *at, size_t bytes) {
  const size_t first = static_cast<size_t>(at - range->data) / range->page,
               end = first + bytes / range->page;
  for (size_t i = first; i < end; i++) {
    if (!range->memory[i]) continue;
    driver().cuMemUnmap(address_of(range->data + i * range->page), range->page);
    driver().cuMemRelease(range->memory[i]);
    range->memory[i] = 0;
  }
}

void open_range(Range *range, int other) {
  for (size_t i = 0; i < range->memory.size(); i++)
    if (range->memory[i]) permit(range->data + i * range->page, range->page, other);
}

} // namespace tocha
