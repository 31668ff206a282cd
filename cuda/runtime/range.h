/* range.h: ranges of addresses that the driver maps memory into, page by page. */
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/state.h"

namespace tocha {

/* Returns true if the driver and all GPUs can map memory. Looks at them on the first call. */
bool can_map_memory();

/* Addresses for an eighth more than the device's memory, because free pages may lie between those in
 * use. */
struct Range {
  tocha_backend_state *state;
  int device;
  size_t page;  /* bytes that are mapped at once */
  size_t bytes; /* a multiple of page */
  char *data;
  std::vector<unsigned long long> memory; /* the driver's handles, by page; 0: not mapped */
};

/* Reserves a range for pages of at least `page` bytes. Returns nullptr if addresses or memory of the host
 * are short. */
Range *new_range(tocha_backend_state *state, int device, size_t page);
/* Gives the range and its memory back, which no work may use any more. */
void delete_range(Range *range);
/* Maps memory to whole pages that have none, for the device and those that reach it. Returns false if the
 * GPU is full (sets *exhausted) or the driver failed; then nothing is mapped. */
bool map_pages(Range *range, char *at, size_t bytes, bool *exhausted);
/* Takes the memory of whole pages away, which no work may use any more. */
void unmap_pages(Range *range, char *at, size_t bytes);
/* Lets another device use what is mapped. */
void open_range(Range *range, int other);

} // namespace tocha
