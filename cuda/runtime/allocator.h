/* allocator.h: memory of one device, and page-locked memory of the host. */
#pragma once

#include "runtime/state.h"

namespace tocha {

/* One per device. */
Allocator *new_allocator(tocha_backend_state *state, int device);
void delete_allocator(Allocator *allocator); /* the device's work must be done */
void *allocate(Allocator *allocator, Stream *stream, size_t bytes, bool *exhausted);
void release(Allocator *allocator, Stream *stream, void *data);
void use_on_stream(Allocator *allocator, Stream *stream, void *data);
void empty_cache(Allocator *allocator);
void statistics(Allocator *allocator, tocha_device_memory *answer);
void reset_peak(Allocator *allocator);

} // namespace tocha
