/* pinned.cpp: page-locked memory, which is cached because locking and unlocking pages costs more
 * than copying them. */
#include "runtime/pinned.h"
#include "runtime/events.h"
#include "runtime/graph.h"
#include "runtime/statistics.h"

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace tocha {

namespace {

struct PinnedBlock {
  size_t size;
  bool live;
  int graphs;                      /* whose replays use it */
  std::vector<Stream *> users;     /* streams with copies since it was handed out */
  std::vector<cudaEvent_t> events; /* copies of a released block that may still run */
};

} // namespace

/* The blocks of the process. */
struct Pinned {
  std::mutex lock;
  tocha_pinned_statistics statistics = {};
  int states = 0;                       /* that allocated any, and have not ended */
  int device = -1;                      /* a device that a state uses, or used; -1: none yet */
  std::map<char *, PinnedBlock> blocks; /* by address */
  std::multimap<size_t, char *> free;   /* by size */
  std::deque<char *> waiting;           /* released, but copies may still run; the oldest first */
};

namespace {

/* Never destroyed, because a block may be released when the process ends. */
Pinned &pool() {
  static auto *only = new Pinned();
  return *only;
}

void count_use(Pinned &p, size_t size) {
  add(p.statistics.active_requests, 1);
  add(p.statistics.active_bytes, static_cast<int64_t>(size));
}

/* Counts a new block, which the driver took so long to make. */
void count_block(Pinned &p, size_t size, std::chrono::steady_clock::duration took) {
  tocha_pinned_statistics &s = p.statistics;
  int64_t time = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  if (time > s.longest_allocation) s.longest_allocation = time;
  if (s.allocations.allocated == 0 || time < s.shortest_allocation) s.shortest_allocation = time;
  s.allocation_time += time;
  add(s.allocations, 1);
  add(s.allocated_bytes, static_cast<int64_t>(size));
}

/* Rounds to powers of two, and from 1 MiB on, where that would waste much memory, to multiples of 2 MiB. */
size_t rounded(size_t bytes) {
  const size_t large = 1 << 20, step = 2 << 20;
  if (bytes > large) return (bytes + step - 1) / step * step;
  size_t size = 512;
  while (size < bytes) size *= 2;
  return size;
}

/* Records events behind the copies of a released block; those of streams that are captured later. */
void record_users(PinnedBlock &block) {
  std::vector<Stream *> captured;
  for (Stream *user : block.users)
    if (user->state->capture)
      captured.push_back(user);
    else if (cudaEvent_t event = event_after(user))
      block.events.push_back(event);
  block.users = captured;
}

bool are_done(PinnedBlock &block) {
  record_users(block);
  if (!block.users.empty()) return false;
  while (!block.events.empty()) {
    if (!has_come(block.events.back())) return false;
    cudaEventDestroy(block.events.back());
    block.events.pop_back();
  }
  return true;
}

/* Makes a block free that is not live and in no graph: at once if no copies were noted for it. */
void give_back(Pinned &p, char *data) {
  PinnedBlock &block = p.blocks[data];
  record_users(block);
  if (block.users.empty() && block.events.empty())
    p.free.insert({block.size, data});
  else
    p.waiting.push_back(data);
}

/* Frees the blocks whose copies are done, up to the first whose copies are not. */
void collect(Pinned &p) {
  while (!p.waiting.empty()) {
    char *data = p.waiting.front();
    PinnedBlock &block = p.blocks[data];
    if (!are_done(block)) return;
    p.free.insert({block.size, data});
    p.waiting.pop_front();
  }
}

/* Returns a free block of at least `size` bytes of which at most a fifth is left over, or nullptr. */
char *take_free(Pinned &p, size_t size) {
  auto found = p.free.lower_bound(size);
  if (found == p.free.end() || found->first > size + size / 4) return nullptr;
  char *data = found->second;
  p.free.erase(found);
  p.blocks[data].live = true;
  return data;
}

/* Makes a device current that is used already, if there is one: the first use of another would take
 * memory of it that may be somebody else's. Pages that it locks are locked for all of them. */
bool use_any_device(Pinned &p, tocha_backend_state *state) {
  int device = 0;
  while (device < state->device_count && !state->devices[device].ready) device++;
  if (device == state->device_count && p.device >= 0) return check(state, cudaSetDevice(p.device));
  p.device = device < state->device_count ? device : 0;
  return use_device(state, p.device);
}

/* Returns the block that contains an address, or the end of the blocks. */
std::map<char *, PinnedBlock>::iterator block_of(Pinned &p, const void *data) {
  char *address = static_cast<char *>(const_cast<void *>(data));
  auto next = p.blocks.upper_bound(address);
  if (next == p.blocks.begin()) return p.blocks.end();
  auto found = std::prev(next);
  return address < found->first + found->second.size ? found : p.blocks.end();
}

} // namespace

void *allocate_pinned(tocha_backend_state *state, size_t bytes) {
  Pinned &p = pool();
  std::lock_guard<std::mutex> guard(p.lock);
  if (!state->pinned) p.states++;
  state->pinned = &p;
  if (!use_any_device(p, state)) return nullptr;
  const size_t size = rounded(bytes);
  const Relaxed relaxed;
  if (!state->capture) collect(p);
  void *data = take_free(p, size);
  if (!data) {
    const auto start = std::chrono::steady_clock::now();
    if (!check(state, cudaHostAlloc(&data, size, cudaHostAllocPortable))) return nullptr;
    count_block(p, size, std::chrono::steady_clock::now() - start);
    p.blocks[static_cast<char *>(data)] = {size, true, 0, {}, {}};
  }
  count_use(p, p.blocks[static_cast<char *>(data)].size);
  return data;
}

void pinned_statistics(tocha_backend_state *, tocha_pinned_statistics *answer) {
  Pinned &p = pool();
  std::lock_guard<std::mutex> guard(p.lock);
  *answer = p.statistics;
}

void reset_pinned(tocha_backend_state *, bool peak, bool sums) {
  Pinned &pinned = pool();
  std::lock_guard<std::mutex> guard(pinned.lock);
  tocha_pinned_statistics &p = pinned.statistics;
  for (tocha_statistic *s :
       {&p.allocations, &p.allocated_bytes, &p.active_requests, &p.active_bytes}) {
    if (peak) reset_peak(*s);
    if (sums) reset_sums(*s);
  }
  if (sums) p.allocation_time = p.longest_allocation = p.shortest_allocation = 0;
}

void release_pinned(tocha_backend_state *, void *data) {
  Pinned &p = pool();
  std::lock_guard<std::mutex> guard(p.lock);
  auto found = p.blocks.find(static_cast<char *>(data));
  if (found == p.blocks.end()) return;
  PinnedBlock &block = found->second;
  block.live = false;
  remove(p.statistics.active_requests, 1);
  remove(p.statistics.active_bytes, static_cast<int64_t>(block.size));
  if (block.graphs == 0) give_back(p, found->first);
}

bool note_pinned(tocha_backend_state *state, const void *data, Stream *stream) {
  Pinned &p = pool();
  std::lock_guard<std::mutex> guard(p.lock);
  auto found = block_of(p, data);
  if (found == p.blocks.end() || !found->second.live) return false;
  PinnedBlock &block = found->second;
  if (stream && is_captured(stream)) {
    if (keep_pinned(state->capture, found->first)) block.graphs++;
  } else if (stream) {
    for (Stream *user : block.users)
      if (user == stream) return true;
    block.users.push_back(stream);
  }
  return true;
}

void forget_pinned(tocha_backend_state *, void *data, Stream *last) {
  Pinned &p = pool();
  std::lock_guard<std::mutex> guard(p.lock);
  PinnedBlock &block = p.blocks[static_cast<char *>(data)];
  if (last) block.users.push_back(last);
  if (--block.graphs == 0 && !block.live) give_back(p, static_cast<char *>(data));
}

void close_pinned(tocha_backend_state *state) {
  Pinned &p = pool();
  std::lock_guard<std::mutex> guard(p.lock);
  for (auto &entry : p.blocks) {
    std::vector<Stream *> others;
    for (Stream *user : entry.second.users)
      if (user->state != state) others.push_back(user);
    entry.second.users = others;
  }
  if (!state->pinned || --p.states > 0) return;
  for (auto entry = p.blocks.begin(); entry != p.blocks.end();) {
    if (entry->second.live || entry->second.graphs) {
      ++entry;
      continue;
    }
    for (cudaEvent_t event : entry->second.events) cudaEventDestroy(event);
    cudaFreeHost(entry->first);
    remove(p.statistics.allocations, 1);
    remove(p.statistics.allocated_bytes, static_cast<int64_t>(entry->second.size));
    entry = p.blocks.erase(entry);
  }
  p.free.clear();
  p.waiting.clear();
  p.device = -1;
}

} // namespace tocha
