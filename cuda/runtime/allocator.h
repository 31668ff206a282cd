/* allocator.h: allocates the memory of one device. */
#pragma once

#include "runtime/state.h"
#include "tocha/device_memory.h"

namespace tocha {

class Statistics; /* statistics.h */
struct Settings;  /* settings.h */

/* Creates an allocator; there is one per device. */
Allocator *new_allocator(tocha_backend_state *state, int device, const Settings &settings);
void delete_allocator(Allocator *allocator); /* call it when the device's work is done */
tocha_block *allocate(Allocator *allocator, Stream *stream, size_t bytes, bool *exhausted);
void release(tocha_block *block);
void use_on_stream(Stream *stream, tocha_block *block);
/* Gives back cached memory, except that of pools. Does nothing during a capture. */
void empty_cache(Allocator *allocator);
/* Frees what was freed during a capture, and makes the memory of pools without users ordinary cached
 * memory. Does nothing during a capture. */
void settle_pools(Allocator *allocator);
/* Lets another device, which reaches this one, use its memory. Segments of cudaMalloc need no such call. */
void open_to_peer(Allocator *allocator, int other);
void statistics(Allocator *allocator, tocha_device_memory *answer);
Statistics &statistics_of(Allocator *allocator);
/* Returns the settings, which may be changed but for max_split: that is for configure. */
Settings &settings_of(Allocator *allocator);
void configure(Allocator *allocator, const Settings &settings);
/* Returns PyTorch's warning if the settings ask for what the driver lacks, which they then do not get, or "". */
const char *warning_of(const Settings &settings);
void visit_blocks(const Allocator *allocator,
                  void (*visit)(void *user, const tocha_memory_block *block), void *user);

} // namespace tocha
