/* statistics.h: counts what a caching allocator does, and tells an observer. */
#pragma once

#include "runtime/bins.h"
#include "tocha/device_memory.h"

namespace tocha {

inline void add(tocha_statistic &s, int64_t amount) {
  s.current += amount;
  s.allocated += amount;
  if (s.current > s.peak) s.peak = s.current;
}
inline void remove(tocha_statistic &s, int64_t amount) {
  s.current -= amount;
  s.freed += amount;
}
inline void reset_peak(tocha_statistic &s) { s.peak = s.current; }
inline void reset_sums(tocha_statistic &s) { s.allocated = s.freed = 0; }

/* The statistics of one device's allocator. `max_split_size`: blocks of at least this size count as
 * oversized. */
class Statistics {
public:
  tocha_device_statistics values = {}; /* all but the figures */
  size_t max_split_size = SIZE_MAX;

  /* A segment came from the driver, or goes back to it. */
  void take_segment(const tocha_backend_state *state, const Block *whole);
  void give_segment(const tocha_backend_state *state, const Block *whole);
  /* A block is handed out; its owner releases it; no stream uses it any more. */
  void allocate(const tocha_backend_state *state, const Block *block);
  void release(const tocha_backend_state *state, const Block *block);
  void settle(const tocha_backend_state *state, const Block *block);
  /* A free block comes into a bin, or leaves it. Only parts of a segment count. */
  void bin(const Block *block) {
    if (block->before || block->after) split(block, 1);
  }
  void unbin(const Block *block) {
    if (block->before || block->after) split(block, -1);
  }
  /* A free block of a segment in parts gets another size, as if it left its bin and came back. */
  void resize(const Block *block, size_t size) {
    const auto more = static_cast<int64_t>(size) - static_cast<int64_t>(block->size);
    counters[TOCHA_FIGURE_INACTIVE_SPLIT].allocated[block->small]++;
    Counter &c = counters[TOCHA_FIGURE_INACTIVE_SPLIT_BYTES];
    c.allocated[block->small] += static_cast<int64_t>(size) - more;
    add(TOCHA_FIGURE_INACTIVE_SPLIT_BYTES, block->small, more);
  }
  /* A request for `bytes` failed. */
  void exhaust(const tocha_backend_state *state, int device, const Stream *stream, size_t bytes);

  int64_t current(tocha_memory_figure figure) const {
    return counters[figure].current[0] + counters[figure].current[1];
  }
  tocha_device_statistics read() const;
  void reset_peaks();
  void reset_sums();

private:
  /* A figure of the two pools, large and small, as every request changes it; read() derives the rest. */
  struct Counter {
    int64_t current[2], allocated[2], peak[2];
    int64_t base[2]; /* current when the sums began */
    int64_t peak_of_both;
  };
  Counter counters[TOCHA_FIGURE_COUNT] = {};

  void add(tocha_memory_figure figure, bool small, int64_t amount) {
    Counter &c = counters[figure];
    int64_t now = c.current[small] += amount, both = now + c.current[!small];
    c.allocated[small] += amount;
    if (now > c.peak[small]) c.peak[small] = now;
    if (both > c.peak_of_both) c.peak_of_both = both;
  }
  void remove(tocha_memory_figure figure, bool small, int64_t amount) {
    counters[figure].current[small] -= amount;
  }
  void split(const Block *block, int count);
};

} // namespace tocha
