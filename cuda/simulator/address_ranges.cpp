// address_ranges.cpp: ranges of addresses that are reserved, and memory that is mapped into them. A
// range belongs to the device that is current when it is reserved. TOCHA_SIMULATOR_RANGES=off: a GPU that
// has none of this.
#include "machine.h"

#include <stdlib.h>
#include <string.h>

#include "cuda.h"

using namespace simulator;

namespace {
// Memory that is mapped nowhere or at one address. It is given back when it is neither mapped nor held.
struct Memory {
  int device;
  size_t bytes;
  bool mapped, released;
};
} // namespace

static std::map<CUmemGenericAllocationHandle, Memory> memories;
static std::map<CUdeviceptr, CUmemGenericAllocationHandle> mappings;
static CUmemGenericAllocationHandle last_handle;

static size_t first_unit(const Allocation *range, CUdeviceptr address) {
  return (static_cast<uintptr_t>(address) - range->address) / range_unit;
}

// Returns the range that contains the bytes, which must be whole units, or nullptr.
static Allocation *range_at(CUdeviceptr address, size_t bytes) {
  Allocation *a = find_allocation(static_cast<uintptr_t>(address));
  if (!a || a->freed || !a->is_range() || address % range_unit || bytes % range_unit)
    return nullptr;
  return bytes && address - a->address + bytes <= a->size ? a : nullptr;
}

static void give_back_unused(CUmemGenericAllocationHandle handle) {
  const Memory &memory = memories[handle];
  if (memory.mapped || !memory.released) return;
  machine().devices[memory.device].used -= memory.bytes;
  memories.erase(handle);
}

// Forgets the accesses of memory that is taken away. Returns false if work has still to use it.
static bool end_accesses(Allocation *a, uintptr_t low, uintptr_t high) {
  auto &accesses = a->accesses;
  for (auto use = accesses.begin(); use != accesses.end();) {
    const bool inside = use->low < high && low < use->high;
    if (inside && !is_done({use->stream, use->number})) return false;
    use = inside ? accesses.erase(use) : std::next(use);
  }
  return true;
}

extern "C" {

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice) {
  const char *wanted = getenv("TOCHA_SIMULATOR_RANGES");
  *value = attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED &&
           !(wanted && strcmp(wanted, "off") == 0);
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t, CUdeviceptr,
                             unsigned long long) {
  Lock lock;
  if (!bytes || bytes % range_unit || !machine().device_count) return CUDA_ERROR_INVALID_VALUE;
  *address = reserve_addresses(current_device(), bytes);
  return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  Lock lock;
  Allocation *a = range_at(address, bytes);
  if (!a || a->address != address || a->size != bytes) return CUDA_ERROR_INVALID_VALUE;
  for (uint32_t unit : a->access)
    if (unit) return CUDA_ERROR_INVALID_VALUE;
  a->freed = true;
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *properties, unsigned long long) {
  Lock lock;
  Machine &m = machine();
  const int device = properties->location.id;
  if (!bytes || bytes % range_unit || device < 0 || device >= m.device_count)
    return CUDA_ERROR_INVALID_VALUE;
  if (m.devices[device].used + bytes > m.capacity) return CUDA_ERROR_OUT_OF_MEMORY;
  m.devices[device].used += bytes;
  *handle = ++last_handle;
  memories[*handle] = {device, bytes, false, false};
  return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  Lock lock;
  auto found = memories.find(handle);
  if (found == memories.end() || found->second.released) return CUDA_ERROR_INVALID_VALUE;
  found->second.released = true;
  give_back_unused(handle);
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long) {
  Lock lock;
  Allocation *a = range_at(address, bytes);
  auto found = memories.find(handle);
  if (!a || found == memories.end() || offset || found->second.bytes != bytes ||
      found->second.mapped || found->second.device != a->device)
    return CUDA_ERROR_INVALID_VALUE;
  const size_t first = first_unit(a, address), end = first + bytes / range_unit;
  for (size_t i = first; i < end; i++)
    if (a->access[i]) return CUDA_ERROR_INVALID_VALUE;
  if (!open_filled(static_cast<uintptr_t>(address), bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  for (size_t i = first; i < end; i++) a->access[i] = range_mapped;
  found->second.mapped = true;
  mappings[address] = handle;
  return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  Lock lock;
  Allocation *a = range_at(address, bytes);
  auto found = mappings.find(address);
  if (!a || found == mappings.end() || memories[found->second].bytes != bytes)
    return CUDA_ERROR_INVALID_VALUE;
  const uintptr_t start = static_cast<uintptr_t>(address);
  if (!end_accesses(a, start, start + bytes)) {
    fault(cudaErrorIllegalAddress, "cuMemUnmap: work that is not done uses the memory");
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  close_device_pages(start, bytes);
  for (size_t i = 0; i < bytes / range_unit; i++) a->access[first_unit(a, address) + i] = 0;
  const CUmemGenericAllocationHandle handle = found->second;
  mappings.erase(found);
  memories[handle].mapped = false;
  give_back_unused(handle);
  return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access,
                        size_t count) {
  Lock lock;
  Allocation *a = range_at(address, bytes);
  if (!a) return CUDA_ERROR_INVALID_VALUE;
  const size_t first = first_unit(a, address), end = first + bytes / range_unit;
  for (size_t i = first; i < end; i++)
    if (!a->access[i]) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = first; i < end; i++)
    for (size_t k = 0; k < count; k++) a->access[i] |= uint32_t(1) << access[k].location.id;
  return CUDA_SUCCESS;
}

} // extern "C"
