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

/* A quantity of both kinds of blocks, large and small, as every request changes it; read() derives the rest. */
struct Counter {
  int64_t current[2], allocated[2], peak[2];
  int64_t base[2]; /* current when the sums began */
  int64_t peak_of_both;

  void add(bool small, int64_t amount) {
    int64_t now = current[small] += amount, both = now + current[!small];
    allocated[small] += amount;
    if (now > peak[small]) peak[small] = now;
    if (both > peak_of_both) peak_of_both = both;
  }
  void remove(bool small, int64_t amount) { current[small] -= amount; }
  void read(tocha_statistic answer[TOCHA_POOL_COUNT]) const;
  void reset_peak();
  void reset_sums();
};

/* The statistics of one device's allocator. `max_split_size`: blocks of at least this size count as
 * oversized. */
class Statistics {
public:
  tocha_device_statistics values = {}; /* all but the figures */
  size_t max_split_size = SIZE_MAX;

  /* A segment came from the driver, or goes back to it. */
  void take_segment(const tocha_backend_state *state, const Block *whole);
  void give_segment(const tocha_backend_state *state, const Block *whole);
  /* A part of a range receives memory, or loses it. No segment is counted, as in PyTorch. */
  void map(const tocha_backend_state *state, const Block *part);
  void unmap(const tocha_backend_state *state, const Block *part);
  /* A block is handed out; its owner releases it; no stream uses it any more. */
  void allocate(const tocha_backend_state *state, const Block *block);
  void release(const tocha_backend_state *state, const Block *block);
  void settle(const tocha_backend_state *state, const Block *block);
  /* A free block comes into a bin, or leaves it. Only parts of an ordinary segment count. */
  void bin(const Block *block) {
    if (!is_part(block)) return;
    add(TOCHA_FIGURE_INACTIVE_SPLIT, block->small, 1);
    add(TOCHA_FIGURE_INACTIVE_SPLIT_BYTES, block->small, static_cast<int64_t>(block->size));
  }
  void unbin(const Block *block) {
    if (!is_part(block)) return;
    remove(TOCHA_FIGURE_INACTIVE_SPLIT, block->small, 1);
    remove(TOCHA_FIGURE_INACTIVE_SPLIT_BYTES, block->small, static_cast<int64_t>(block->size));
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
  Counter counters[TOCHA_FIGURE_COUNT] = {};

  void add(tocha_memory_figure figure, bool small, int64_t amount) {
    counters[figure].add(small, amount);
  }
  void remove(tocha_memory_figure figure, bool small, int64_t amount) {
    counters[figure].remove(small, amount);
  }
  void reserve(const Block *block);
  void give_back(const Block *block);
  static bool is_part(const Block *block) {
    return (block->before || block->after) && !block->range;
  }
};

} // namespace tocha
