// shared.cpp: shared memory. Each array of a kernel ends at an inaccessible page, is NaN at the
// start of every block, and counts against the block's total. The bytes between an array and the
// ends of its pages are canaries (and, under AddressSanitizer, poisoned).
#include "machine.h"

namespace simulator {

static const size_t arena_bytes = size_t(256)
                                  << 20; // addresses only, for all arrays of all kernels
static const unsigned char canary = 0xc5;
static const size_t front_canary = 64;

struct OpenArray {
  const char *name;
  char *memory;
  size_t size;
};

static char *arena;
static size_t arena_used;
static size_t limit, static_total;
static std::vector<OpenArray> open_arrays; // the running block's
static std::vector<OpenArray> known_arrays;
static SharedSlot dynamic = {0, "(dynamic)", nullptr, 0};
static char *dynamic_end;

// Returns a range of whole pages with an inaccessible one after it.
static char *new_pages(size_t bytes) {
  if (!arena) arena = static_cast<char *>(map_pages(arena_bytes));
  if (!arena || arena_used + bytes + page_size > arena_bytes) return nullptr;
  char *pages = arena + arena_used;
  if (!open_pages(reinterpret_cast<uintptr_t>(pages), bytes)) return nullptr;
  arena_used += bytes + page_size;
  return pages;
}

static void no_room() {
  kernel_fault(cudaErrorLaunchOutOfResources, "no addresses left for shared memory");
}

// Fills an array with fresh contents, and puts canaries around it.
static void begin_array(const char *name, char *memory, size_t size) {
  uintptr_t start = reinterpret_cast<uintptr_t>(memory);
  uintptr_t pages = start / page_size * page_size, end = round_up(start + size, page_size);
  unpoison(pages, end - pages);
  size_t front = start - pages < front_canary ? start - pages : front_canary;
  memset(memory - front, canary, front);
  memset(memory, 0xff, size);
  memset(memory + size, canary, end - start - size);
  poison(pages, start - pages);
  poison(start + size, end - start - size);
  open_arrays.push_back({name, memory, size});
}

void open_shared(SharedSlot &slot) {
  if (!in_kernel()) __builtin_trap();
  size_t rounded = round_up(slot.size, 16);
  if (!slot.memory) {
    size_t bytes = round_up(rounded, page_size);
    char *pages = new_pages(bytes);
    if (!pages) no_room();
    slot.memory = pages + bytes - rounded;
    known_arrays.push_back({slot.name, slot.memory, slot.size});
  }
  static_total += rounded;
  if (static_total > shared_static_limit)
    kernel_fault(cudaErrorLaunchOutOfResources,
                 "its shared arrays take %zu bytes, more than the %zu of a block", static_total,
                 shared_static_limit);
  if (static_total + dynamic.size > limit)
    kernel_fault(cudaErrorLaunchOutOfResources,
                 "its shared arrays take %zu bytes and the launch asks for %zu more: above %zu",
                 static_total, dynamic.size, limit);
  slot.epoch = shared_epoch;
  begin_array(slot.name, slot.memory, slot.size);
}

void *dynamic_shared() {
  if (!in_kernel()) __builtin_trap();
  if (dynamic.epoch != shared_epoch) {
    dynamic.epoch = shared_epoch;
    if (dynamic.size) begin_array(dynamic.name, dynamic.memory, dynamic.size);
  }
  return dynamic.memory;
}

void begin_shared(size_t dynamic_bytes, size_t total_limit) {
  if (!dynamic_end) {
    size_t bytes = round_up(shared_optin_limit, page_size);
    char *pages = new_pages(bytes);
    if (!pages) return; // dynamic_shared() then returns the null page, which faults
    dynamic_end = pages + bytes;
    poison(reinterpret_cast<uintptr_t>(pages), bytes);
  }
  if (dynamic.memory) // may have been opened by an earlier launch
    poison(reinterpret_cast<uintptr_t>(dynamic.memory), round_up(dynamic.size, 16));
  dynamic.size = dynamic_bytes;
  dynamic.memory = dynamic_end - round_up(dynamic_bytes, 16);
  limit = total_limit;
  static_total = 0;
  open_arrays.clear();
}

static bool is_canary(const char *bytes, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (static_cast<unsigned char>(bytes[i]) != canary) return false;
  return true;
}

static bool is_whole(const OpenArray &array) {
  uintptr_t start = reinterpret_cast<uintptr_t>(array.memory);
  size_t front = start % page_size < front_canary ? start % page_size : front_canary;
  size_t back = round_up(start + array.size, page_size) - start - array.size;
  unpoison(start - front, front);
  unpoison(start + array.size, back);
  return is_canary(array.memory - front, front) && is_canary(array.memory + array.size, back);
}

const char *check_shared() {
  const char *damaged = nullptr;
  for (const OpenArray &array : open_arrays)
    if (!is_whole(array)) damaged = array.name;
  open_arrays.clear();
  static_total = 0;
  return damaged;
}

const char *shared_name_at(uintptr_t address, ptrdiff_t *past, size_t *size) {
  if (!arena || address - reinterpret_cast<uintptr_t>(arena) >= arena_bytes) return nullptr;
  OpenArray nearest = {dynamic.name, dynamic.memory, dynamic.size};
  for (const OpenArray &array : known_arrays) {
    uintptr_t end = round_up(reinterpret_cast<uintptr_t>(array.memory) + array.size, page_size);
    if (address >= end - round_up(array.size, page_size) && address < end + page_size)
      nearest = array;
  }
  *past =
      static_cast<ptrdiff_t>(address - reinterpret_cast<uintptr_t>(nearest.memory + nearest.size));
  *size = nearest.size;
  return nearest.name;
}

} // namespace simulator
