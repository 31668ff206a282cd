/* statistics.cpp: see statistics.h. */
#include "runtime/statistics.h"

#include "runtime/pools.h"
#include "runtime/watch.h"

namespace tocha {

void Counter::read(tocha_statistic answer[TOCHA_POOL_COUNT]) const {
  tocha_statistic &all = answer[TOCHA_POOL_ALL] = {};
  for (int small = 0; small < 2; small++) {
    tocha_statistic &s = answer[small ? TOCHA_POOL_SMALL : TOCHA_POOL_LARGE];
    s = {current[small], peak[small], allocated[small],
         base[small] + allocated[small] - current[small]};
    all.current += s.current;
    all.allocated += s.allocated;
    all.freed += s.freed;
  }
  all.peak = peak_of_both;
}

void Counter::reset_peak() {
  for (int small = 0; small < 2; small++) peak[small] = current[small];
  peak_of_both = current[0] + current[1];
}

void Counter::reset_sums() {
  for (int small = 0; small < 2; small++) {
    allocated[small] = 0;
    base[small] = current[small];
  }
}

tocha_device_statistics Statistics::read() const {
  tocha_device_statistics answer = values;
  for (int i = 0; i < TOCHA_FIGURE_COUNT; i++) counters[i].read(answer.figures[i]);
  return answer;
}

static void tell(const tocha_backend_state *state, tocha_memory_action action, const Block *block,
                 size_t size) {
  if (!state->watch || !state->watch->observer) return;
  tocha_memory_event event = {action, block->stream->device,
                              reinterpret_cast<uintptr_t>(block->data), size,
                              block->stream->handle};
  state->watch->observer(state->watch->user, &event);
}

static int64_t bytes(const Block *block) { return static_cast<int64_t>(block->size); }

/* Counts memory that came from the driver, or goes back to it. Memory of a pool does not go back. */
void Statistics::reserve(const Block *block) {
  add(TOCHA_FIGURE_RESERVED_BYTES, block->small, bytes(block));
  if (Pool *pool = block->cache->pool) pool->reserved.add(block->small, bytes(block));
  values.driver_allocations++;
}

void Statistics::give_back(const Block *block) {
  remove(TOCHA_FIGURE_RESERVED_BYTES, block->small, bytes(block));
  values.driver_frees++;
}

void Statistics::take_segment(const tocha_backend_state *state, const Block *whole) {
  add(TOCHA_FIGURE_SEGMENT, whole->small, 1);
  reserve(whole);
  if (whole->size >= max_split_size) tocha::add(values.oversize_segments, 1);
  tell(state, TOCHA_MEMORY_SEGMENT_ALLOC, whole, whole->size);
}

void Statistics::give_segment(const tocha_backend_state *state, const Block *whole) {
  remove(TOCHA_FIGURE_SEGMENT, whole->small, 1);
  give_back(whole);
  if (whole->size >= max_split_size) tocha::remove(values.oversize_segments, 1);
  tell(state, TOCHA_MEMORY_SEGMENT_FREE, whole, whole->size);
}

void Statistics::map(const tocha_backend_state *state, const Block *part) {
  reserve(part);
  tell(state, TOCHA_MEMORY_SEGMENT_MAP, part, part->size);
}

void Statistics::unmap(const tocha_backend_state *state, const Block *part) {
  give_back(part);
  tell(state, TOCHA_MEMORY_SEGMENT_UNMAP, part, part->size);
}

void Statistics::allocate(const tocha_backend_state *state, const Block *block) {
  add(TOCHA_FIGURE_ALLOCATION, block->small, 1);
  add(TOCHA_FIGURE_ALLOCATED_BYTES, block->small, bytes(block));
  add(TOCHA_FIGURE_ACTIVE, block->small, 1);
  add(TOCHA_FIGURE_ACTIVE_BYTES, block->small, bytes(block));
  add(TOCHA_FIGURE_REQUESTED_BYTES, block->small, static_cast<int64_t>(block->requested));
  if (block->size >= max_split_size) tocha::add(values.oversize_allocations, 1);
  tell(state, TOCHA_MEMORY_ALLOC, block, block->requested);
}

void Statistics::release(const tocha_backend_state *state, const Block *block) {
  remove(TOCHA_FIGURE_ALLOCATION, block->small, 1);
  remove(TOCHA_FIGURE_ALLOCATED_BYTES, block->small, bytes(block));
  if (block->size >= max_split_size) tocha::remove(values.oversize_allocations, 1);
  tell(state, TOCHA_MEMORY_FREE_REQUESTED, block, block->requested);
}

void Statistics::settle(const tocha_backend_state *state, const Block *block) {
  remove(TOCHA_FIGURE_ACTIVE, block->small, 1);
  remove(TOCHA_FIGURE_ACTIVE_BYTES, block->small, bytes(block));
  remove(TOCHA_FIGURE_REQUESTED_BYTES, block->small, static_cast<int64_t>(block->requested));
  tell(state, TOCHA_MEMORY_FREE_COMPLETED, block, block->requested);
}

void Statistics::exhaust(const tocha_backend_state *state, int device, const Stream *stream,
                         size_t bytes) {
  values.exhausted++;
  if (!state->watch || !state->watch->observer) return;
  size_t free = 0, all = 0;
  cudaMemGetInfo(&free, &all);
  tocha_memory_event event = {TOCHA_MEMORY_EXHAUSTED, device, free, bytes, stream->handle};
  state->watch->observer(state->watch->user, &event);
}

void Statistics::reset_peaks() {
  for (Counter &c : counters) c.reset_peak();
  reset_peak(values.oversize_allocations);
  reset_peak(values.oversize_segments);
}

void Statistics::reset_sums() {
  for (Counter &c : counters) c.reset_sums();
  tocha::reset_sums(values.oversize_allocations);
  tocha::reset_sums(values.oversize_segments);
  values.retries = values.exhausted = values.waits_for_all_streams = 0;
  values.driver_allocations = values.driver_frees = 0;
}

} // namespace tocha
