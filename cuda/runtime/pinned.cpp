/* pinned.cpp: page-locked memory, which is cached because locking and unlocking pages costs more
 * than copying them. */
#include "runtime/pinned.h"
#include "runtime/events.h"
#include "runtime/statistics.h"

#include <chrono>
#include <map>
#include <new>
#include <vector>

namespace tocha {

struct PinnedBlock {
  size_t size;
  bool live;
  std::vector<Stream *> users;     /* streams with copies since it was handed out */
  std::vector<cudaEvent_t> events; /* copies of a released block that may still run */
};

struct Pinned {
  std::map<char *, PinnedBlock> blocks; /* by address */
  tocha_pinned_statistics statistics;
};

static void count_use(Pinned *pinned, size_t size) {
  add(pinned->statistics.active_requests, 1);
  add(pinned->statistics.active_bytes, static_cast<int64_t>(size));
}

/* Counts a new block, which the driver took so long to make. */
static void count_block(Pinned *pinned, size_t size, std::chrono::steady_clock::duration took) {
  tocha_pinned_statistics &s = pinned->statistics;
  int64_t time = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  if (time > s.longest_allocation) s.longest_allocation = time;
  if (s.allocations.allocated == 0 || time < s.shortest_allocation) s.shortest_allocation = time;
  s.allocation_time += time;
  add(s.allocations, 1);
  add(s.allocated_bytes, static_cast<int64_t>(size));
}

void pinned_statistics(tocha_backend_state *state, tocha_pinned_statistics *answer) {
  if (state->pinned) *answer = state->pinned->statistics;
}

void reset_pinned(tocha_backend_state *state, bool peak, bool sums) {
  if (!state->pinned) return;
  tocha_pinned_statistics &p = state->pinned->statistics;
  for (tocha_statistic *s :
       {&p.allocations, &p.allocated_bytes, &p.active_requests, &p.active_bytes}) {
    if (peak) reset_peak(*s);
    if (sums) reset_sums(*s);
  }
  if (sums) p.allocation_time = p.longest_allocation = p.shortest_allocation = 0;
}

static size_t rounded(size_t bytes) {
  size_t size = 512;
  while (size < bytes) size *= 2;
  return size;
}

static bool is_free(PinnedBlock &block) {
  if (block.live) return false;
  while (!block.events.empty()) {
    if (!has_come(block.events.back())) return false;
    cudaEventDestroy(block.events.back());
    block.events.pop_back();
  }
  return true;
}

/* Makes a device current that is used already, if there is one: the first use of another would take
 * memory of it that may be somebody else's. Pages that it locks are locked for all of them. */
static bool use_any_device(tocha_backend_state *state) {
  int device = 0;
  while (device < state->device_count && !state->devices[device].ready) device++;
  return use_device(state, device < state->device_count ? device : 0);
}

void *allocate_pinned(tocha_backend_state *state, size_t bytes) {
  if (!state->pinned) state->pinned = new (std::nothrow) Pinned();
  if (!state->pinned || !use_any_device(state)) return nullptr;
  size_t size = rounded(bytes);
  for (auto &entry : state->pinned->blocks)
    if (entry.second.size == size && is_free(entry.second)) {
      entry.second.live = true;
      count_use(state->pinned, size);
      return entry.first;
    }
  void *data = nullptr;
  auto start = std::chrono::steady_clock::now();
  if (!check(state, cudaHostAlloc(&data, size, cudaHostAllocPortable))) return nullptr;
  count_block(state->pinned, size, std::chrono::steady_clock::now() - start);
  count_use(state->pinned, size);
  state->pinned->blocks[static_cast<char *>(data)] = {size, true, {}, {}};
  return data;
}

void release_pinned(tocha_backend_state *state, void *data) {
  auto found = state->pinned->blocks.find(static_cast<char *>(data));
  if (found == state->pinned->blocks.end()) return;
  PinnedBlock &block = found->second;
  for (Stream *user : block.users)
    if (cudaEvent_t event = event_after(user)) block.events.push_back(event);
  block.users.clear();
  block.live = false;
  remove(state->pinned->statistics.active_requests, 1);
  remove(state->pinned->statistics.active_bytes, static_cast<int64_t>(block.size));
}

bool note_pinned(tocha_backend_state *state, const void *data, Stream *stream) {
  if (!state->pinned) return false;
  char *address = static_cast<char *>(const_cast<void *>(data));
  auto next = state->pinned->blocks.upper_bound(address);
  if (next == state->pinned->blocks.begin()) return false;
  auto found = std::prev(next);
  PinnedBlock &block = found->second;
  if (!block.live || address >= found->first + block.size) return false;
  if (stream) {
    for (Stream *user : block.users)
      if (user == stream) return true;
    block.users.push_back(stream);
  }
  return true;
}

void close_pinned(tocha_backend_state *state) {
  if (!state->pinned) return;
  for (auto &entry : state->pinned->blocks) {
    for (cudaEvent_t event : entry.second.events) cudaEventDestroy(event);
    cudaFreeHost(entry.first);
  }
  delete state->pinned;
  state->pinned = nullptr;
}

} // namespace tocha
