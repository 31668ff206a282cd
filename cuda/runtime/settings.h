/* settings.h: the settings of the allocator, as PYTORCH_CUDA_ALLOC_CONF gives them. */
#pragma once

#include <cstddef>
#include <cstdint>

namespace tocha {

/* Sizes in bytes. */
struct Settings {
  enum { INTERVALS = 16 };
  char text[256];                /* as given */
  size_t max_split;              /* blocks of at least this size are not split */
  size_t max_non_split_rounding; /* by how much a block that is not split may be too large */
  size_t large_segment;          /* the segments for requests above 1 MiB and below 10 MiB */
  double
      collection_threshold; /* part of the memory from which on the cache is given back; 0: never */
  bool expandable;          /* segments grow (expandable.h) */
  double fraction;          /* of the GPU's memory that may be taken */
  unsigned divisions
      [INTERVALS]; /* steps from one power of two to the next, by size from 1 MiB on; 0: 512 bytes */
};

/* Returns the text of the environment, or "". */
const char *settings_of_environment();
/* Reads a text. Returns false with PyTorch's message for one that cannot be read. */
bool read_settings(const char *text, Settings *settings, char *problem, size_t capacity);
/* Returns the size of the block for a request, a multiple of 512 bytes. */
size_t rounded_size(const Settings &settings, size_t bytes);

} // namespace tocha
