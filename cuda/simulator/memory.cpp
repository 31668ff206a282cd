// memory.cpp: device memory. It has two address ranges of the same size: the host sees addresses of
// the first, which is never accessible; the second contains the bytes. Each allocation ends
// (rounded to 16 bytes) at an inaccessible page, is filled with NaN, and becomes inaccessible when
// freed. Pinned host memory is treated in the same way, but its two ranges are one.
#include "machine.h"

#include <stdio.h>
#include <sys/mman.h>

namespace simulator {

uintptr_t device_low, device_total, device_delta;

static const unsigned char canary = 0xc5;
static const size_t front_canary = 64;
// Larger allocations start as zero, because machines have less memory than GPUs.
static const size_t fill_limit = size_t(256) << 20;
static const size_t pinned_bytes = size_t(32) << 30;

struct Space {
  uintptr_t low = 0;
  size_t size = 0;
  uintptr_t delta = 0;
  uintptr_t cursor = 0;
  std::map<uintptr_t, Allocation>
      allocations; // by the start of their pages; freed ones are kept for reports
};
static Space spaces[max_devices + 1]; // the last is pinned memory
static Space &space_of(int device) { return spaces[device < 0 ? max_devices : device]; }

void *map_pages(size_t bytes) {
  void *pages = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  madvise(pages, bytes, MADV_DONTDUMP);
  return pages;
}

bool open_pages(uintptr_t address, size_t bytes) {
  return mprotect(reinterpret_cast<void *>(address), bytes, PROT_READ | PROT_WRITE) == 0;
}

// Closes pages exactly as map_pages leaves them, so that the kernel merges them with the closed
// pages beside them: a process may have 65530 mappings.
static void close_pages(uintptr_t address, size_t bytes) {
  unpoison(address, bytes);
  void *pages = mmap(reinterpret_cast<void *>(address), bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (pages != MAP_FAILED) madvise(pages, bytes, MADV_DONTDUMP);
}

void poison(uintptr_t address, size_t bytes) {
#ifdef SIMULATOR_ASAN
  ASAN_POISON_MEMORY_REGION(reinterpret_cast<void *>(address), bytes);
#else
  (void)address, (void)bytes;
#endif
}

void unpoison(uintptr_t address, size_t bytes) {
#ifdef SIMULATOR_ASAN
  ASAN_UNPOISON_MEMORY_REGION(reinterpret_cast<void *>(address), bytes);
#else
  (void)address, (void)bytes;
#endif
}

void memory_open() {
  Machine &m = machine();
  size_t devices = static_cast<size_t>(m.device_count);
  // for ranges (address_ranges.cpp), and because freed addresses are not reused for a while
  size_t each = round_up(m.capacity * 16, page_size);
  if (each < size_t(16) << 30) each = size_t(16) << 30;
  void *low = nullptr, *bytes = nullptr, *pinned = map_pages(pinned_bytes);
  for (;; each = round_up(each / 2, page_size)) { // smaller if the process may not reserve so much
    low = map_pages(each * devices);
    bytes = map_pages(each * devices);
    if ((low && bytes) || !devices || each <= page_size) break;
    if (low) munmap(low, each * devices);
    if (bytes) munmap(bytes, each * devices);
  }
  device_low = reinterpret_cast<uintptr_t>(low);
  device_total = low && bytes ? each * devices : 0;
  device_delta = reinterpret_cast<uintptr_t>(bytes) - device_low;
  for (size_t d = 0; d < devices; d++) {
    spaces[d].low = spaces[d].cursor = device_low + d * each;
    spaces[d].size = device_total ? each : 0;
    spaces[d].delta = device_delta;
  }
  Space &p = space_of(pinned_memory);
  p.low = p.cursor = reinterpret_cast<uintptr_t>(pinned);
  p.size = pinned ? pinned_bytes : 0;
}

bool is_device_address(uintptr_t address) { return address - device_low < device_total; }

bool is_pinned_address(uintptr_t address) {
  const Space &p = space_of(pinned_memory);
  return address - p.low < p.size;
}

uintptr_t host_address(uintptr_t address) {
  uintptr_t candidate = address - device_delta;
  return is_device_address(candidate) ? candidate : 0;
}

int device_of(uintptr_t address) {
  return is_device_address(address) ? static_cast<int>((address - device_low) / spaces[0].size)
                                    : pinned_memory;
}

uintptr_t view(const void *pointer) {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  return is_device_address(address) ? address + device_delta : address;
}

Allocation *find_allocation(uintptr_t address) {
  if (!is_device_address(address) && !is_pinned_address(address)) return nullptr;
  auto &allocations = space_of(device_of(address)).allocations;
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin()) return nullptr;
  Allocation &found = std::prev(next)->second;
  return address <= found.pages + found.pages_size ? &found : nullptr;
}

bool is_open(const Allocation &a, uintptr_t address, size_t bytes, int device) {
  const uint32_t wanted = device < 0 ? range_mapped : uint32_t(1) << device;
  const size_t start = address - a.address;
  for (size_t i = start / range_unit; i * range_unit < start + bytes; i++)
    if (i >= a.access.size() || !(a.access[i] & wanted)) return false;
  return true;
}

std::string describe_address(uintptr_t address) {
  char text[200];
  auto &allocations = space_of(device_of(address)).allocations;
  auto next = allocations.upper_bound(address);
  const Allocation *before = next == allocations.begin() ? nullptr : &std::prev(next)->second;
  const Allocation *after = next == allocations.end() ? nullptr : &next->second;
  if (before && address >= before->pages + before->pages_size + page_size) before = nullptr;
  if (before && address >= before->pages + before->pages_size && after &&
      after->address - address < address - before->address - before->size)
    before = nullptr;
  const Allocation *near = before ? before : after;
  if (!near || (near == after && near->address - address > page_size))
    return "no allocation is near";
  const bool lacks = near->is_range() && near == before && address < near->address + near->size &&
                     !is_open(*near, address, 1, pinned_memory);
  const char *kind = near->freed ? "freed memory"
                     : lacks     ? "addresses without memory"
                                 : "an allocation";
  size_t size = near->size;
  if (address < near->address)
    snprintf(text, sizeof text, "%zu bytes before %s of %zu bytes", near->address - address, kind,
             size);
  else if (address >= near->address + size)
    snprintf(text, sizeof text, "%zu bytes past the end of %s of %zu bytes",
             address - near->address - size, kind, size);
  else
    snprintf(text, sizeof text, "%zu bytes into %s of %zu bytes", address - near->address, kind,
             size);
  std::string where = text;
  if (near->device >= 0) where += " on device " + std::to_string(near->device);
  return where;
}

// --- allocating ----------------------------------------------------------------------------------
// Skips addresses whose lower half is a small number: half a pointer left in a gap of a structure,
// with a size beside it, would look like such an address.
static uintptr_t past_small_numbers(uintptr_t start) {
  const uintptr_t half = uintptr_t(1) << 32, small = uintptr_t(1) << 24;
  return start % half < small ? start - start % half + small : start;
}

// Finds addresses for `bytes` with a closed page after them: after all allocations so far, and from
// the start again when the range is used up (only then do reports lose the names of freed memory).
static uintptr_t find_gap(Space &space, size_t bytes) {
  size_t need = bytes + page_size;
  for (int round = 0; round < 2; round++) {
    uintptr_t start = past_small_numbers(space.cursor);
    for (auto a = space.allocations.lower_bound(start); a != space.allocations.end(); ++a) {
      if (a->first - start >= need) break;
      start = past_small_numbers(a->first + a->second.pages_size + page_size);
    }
    if (start - space.low + need <= space.size) {
      space.cursor = start + need;
      return start;
    }
    space.cursor = space.low;
    for (auto a = space.allocations.begin(); a != space.allocations.end();)
      a = a->second.freed ? space.allocations.erase(a) : std::next(a);
  }
  return 0;
}

static size_t front_of(const Allocation &a) {
  return a.address - a.pages < front_canary ? a.address - a.pages : front_canary;
}

static size_t back_of(const Allocation &a) { return a.pages + a.pages_size - a.address - a.size; }

static cudaError_t allocate(int device, void **pointer, size_t bytes) {
  Machine &m = machine();
  if (!pointer) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  Space &space = space_of(device);
  size_t charge = round_up(bytes, 512);
  if (bytes > space.size || (device >= 0 && m.devices[device].used + charge > m.capacity))
    return cudaErrorMemoryAllocation;
  size_t pages_size = round_up(bytes, page_size);
  uintptr_t pages = find_gap(space, pages_size);
  if (!pages || !open_pages(pages + space.delta, pages_size)) return cudaErrorMemoryAllocation;
  Allocation a = {
      pages + pages_size - round_up(bytes, 16), bytes, pages, pages_size, device, false, {}, {}};
  char *view_start = reinterpret_cast<char *>(a.address + space.delta);
  memset(view_start - front_of(a), canary, front_of(a));
  memset(view_start, 0xff, bytes < fill_limit ? bytes : fill_limit);
  memset(view_start + bytes, canary, back_of(a));
  poison(pages + space.delta, a.address - pages);
  poison(a.address + space.delta + bytes, back_of(a));
  if (device >= 0) m.devices[device].used += charge;
  *pointer = reinterpret_cast<void *>(a.address);
  space.allocations[pages] = a;
  return cudaSuccess;
}

uintptr_t reserve_addresses(int device, size_t bytes) {
  Space &space = space_of(device);
  uintptr_t gap = bytes < space.size ? find_gap(space, bytes + range_unit) : 0;
  if (!gap) return 0;
  uintptr_t start = round_up(gap, range_unit);
  space.allocations[start] = {
      start, bytes, start, bytes, device, false, {}, {}, std::vector<uint32_t>(bytes / range_unit)};
  return start;
}

bool open_filled(uintptr_t address, size_t bytes) {
  if (!open_pages(address + device_delta, bytes)) return false;
  memset(reinterpret_cast<void *>(address + device_delta), 0xff, bytes);
  return true;
}

void close_device_pages(uintptr_t address, size_t bytes) {
  close_pages(address + device_delta, bytes);
}

bool canaries_whole(const Allocation &a) {
  uintptr_t start = a.address + space_of(a.device).delta;
  unpoison(start - front_of(a), front_of(a));
  unpoison(start + a.size, back_of(a));
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(start);
  bool whole = true;
  for (size_t i = 1; i <= front_of(a); i++) whole &= bytes[-static_cast<ptrdiff_t>(i)] == canary;
  for (size_t i = 0; i < back_of(a); i++) whole &= bytes[a.size + i] == canary;
  poison(start - front_of(a), front_of(a));
  poison(start + a.size, back_of(a));
  return whole;
}

static void release(Allocation &a) {
  close_pages(a.pages + space_of(a.device).delta, a.pages_size);
  a.freed = true;
  a.accesses.clear();
  a.blocks.clear();
  if (a.device >= 0) machine().devices[a.device].used -= round_up(a.size, 512);
}

static cudaError_t free_memory(void *pointer, bool pinned) {
  if (!pointer) return cudaSuccess;
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  const char *call = pinned ? "cudaFreeHost" : "cudaFree";
  Allocation *a = find_allocation(address);
  if (!a || a->address != address || (a->device == pinned_memory) != pinned || a->is_range())
    return refuse(cudaErrorInvalidValue, "%s: not the start of an allocation of its kind (%s)",
                  call, describe_address(address).c_str());
  if (a->freed) return refuse(cudaErrorInvalidValue, "%s: freed twice (%zu bytes)", call, a->size);
  drain_device(-1); // CUDA waits too, but the host does not learn that work is done
  if (machine().broken) return machine().sticky;
  bool whole = canaries_whole(*a);
  release(*a);
  if (!whole)
    return fault(cudaErrorIllegalAddress,
                 "%s: something wrote just outside of an allocation of %zu bytes", call, a->size);
  return cudaSuccess;
}

void memory_reset(int device) {
  auto &allocations = space_of(device).allocations;
  for (auto &entry : allocations)
    if (!entry.second.freed && !entry.second.is_range()) release(entry.second);
}

// --- checks --------------------------------------------------------------------------------------
Touch touch_of(Allocation *a, uintptr_t address, bool writes) {
  auto next = a->blocks.upper_bound(address);
  if (next != a->blocks.begin()) {
    auto &block = *std::prev(next);
    if (address < block.first + block.second)
      return {a, block.first, block.first + block.second, writes};
  }
  return {a, a->address, a->address + a->size, writes};
}

std::string use_problem(const Allocation &a, uintptr_t address, size_t bytes, int device) {
  const std::string user = std::to_string(device);
  if (a.is_range())
    return is_open(a, address, bytes, device)
               ? ""
               : "reserved addresses without memory that device " + user + " may use";
  if (device < 0 || a.device < 0 || a.device == device || machine().devices[device].peers[a.device])
    return "";
  return "memory of device " + std::to_string(a.device) + ", used on device " + user +
         " without peer access";
}

std::string check_range(uintptr_t address, size_t bytes, int device, bool writes,
                        std::vector<Touch> &touched) {
  if (bytes == 0 || (!is_device_address(address) && !is_pinned_address(address))) return "";
  Allocation *a = find_allocation(address);
  if (!a || a->freed || address < a->address || address > a->address + a->size)
    return describe_address(address);
  if (bytes > a->address + a->size - address)
    return std::to_string(bytes) +
           " bytes from there reach past the end: " + describe_address(address);
  const std::string problem = use_problem(*a, address, bytes, device);
  if (!problem.empty()) return problem;
  touched.push_back({a, address, address + bytes, writes});
  return "";
}

} // namespace simulator

// --- the CUDA entries ----------------------------------------------------------------------------
using namespace simulator;

extern "C" cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  Lock lock;
  if (machine().broken) return machine().sticky;
  cudaError_t error = check_unsafe("cudaMalloc");
  if (error != cudaSuccess) return result(error);
  return result(allocate(current_device(), pointer, bytes));
}

extern "C" cudaError_t cudaFree(void *pointer) {
  Lock lock;
  if (machine().broken) return machine().sticky;
  cudaError_t error = check_unsafe("cudaFree");
  if (error != cudaSuccess) return result(error);
  return result(free_memory(pointer, false));
}

extern "C" cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int) {
  Lock lock;
  if (machine().broken) return machine().sticky;
  cudaError_t error = check_unsafe("cudaHostAlloc");
  if (error != cudaSuccess) return result(error);
  return result(allocate(pinned_memory, pointer, bytes));
}

extern "C" cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

extern "C" cudaError_t cudaFreeHost(void *pointer) {
  Lock lock;
  if (machine().broken) return machine().sticky;
  cudaError_t error = check_unsafe("cudaFreeHost");
  if (error != cudaSuccess) return result(error);
  return result(free_memory(pointer, true));
}

extern "C" cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *host_pointer,
                                                unsigned int) {
  Lock lock;
  if (!device_pointer) return result(cudaErrorInvalidValue);
  Allocation *a = find_allocation(reinterpret_cast<uintptr_t>(host_pointer));
  if (!a || a->freed || a->device != pinned_memory) return result(cudaErrorInvalidValue);
  *device_pointer = host_pointer;
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes,
                                                const void *pointer) {
  Lock lock;
  if (!attributes) return result(cudaErrorInvalidValue);
  void *plain = const_cast<void *>(pointer);
  Allocation *a = find_allocation(reinterpret_cast<uintptr_t>(pointer));
  if (!a || a->freed)
    *attributes = {cudaMemoryTypeUnregistered, -1, nullptr, plain};
  else if (a->device == pinned_memory)
    *attributes = {cudaMemoryTypeHost, current_device(), plain, plain};
  else
    *attributes = {cudaMemoryTypeDevice, a->device, plain, nullptr};
  return result(cudaSuccess);
}

extern "C" cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  Lock lock;
  if (!available || !total) return result(cudaErrorInvalidValue);
  *total = machine().capacity;
  *available = machine().capacity - machine().devices[current_device()].used;
  return result(cudaSuccess);
}

extern "C" void tocha_simulator_block(const void *pointer, size_t bytes) {
  Lock lock;
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  Allocation *a = is_device_address(address) ? find_allocation(address) : nullptr;
  if (!a || a->freed) return;
  if (bytes)
    a->blocks[address] = bytes;
  else
    a->blocks.erase(address);
}
