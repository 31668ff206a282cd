/* pinned.h: page-locked memory of the host, whose copies run while the host continues. */
#pragma once

#include "runtime/state.h"
#include "tocha/device_memory.h"

namespace tocha {

void *allocate_pinned(tocha_backend_state *state, size_t bytes);
/* Releases a block, which is reused when the copies noted for it are done. */
void release_pinned(tocha_backend_state *state, void *data);
/* Returns true if `data` is in pinned memory, and notes that `stream` uses it (nullptr: no
 * stream). */
void pinned_statistics(tocha_backend_state *state, tocha_pinned_statistics *answer);
void reset_pinned(tocha_backend_state *state, bool peak, bool sums);
bool note_pinned(tocha_backend_state *state, const void *data, Stream *stream);
void close_pinned(tocha_backend_state *state);

} // namespace tocha
