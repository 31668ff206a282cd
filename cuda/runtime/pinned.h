/* pinned.h: page-locked memory of the host, whose copies run while the host continues. All contexts of a process share one
 * pool, so that a block may be used and released on any thread. */
#pragma once

#include "runtime/state.h"
#include "tocha/device_memory.h"

namespace tocha {

void *allocate_pinned(tocha_backend_state *state, size_t bytes);
/* Releases a block, which is reused when the copies noted for it are done. `state` is not used and may have ended. */
void release_pinned(tocha_backend_state *state, void *data);
void pinned_statistics(tocha_backend_state *state, tocha_pinned_statistics *answer);
void reset_pinned(tocha_backend_state *state, bool peak, bool sums);
/* Returns true if `data` is in pinned memory, and notes that `stream` uses it (nullptr: no
 * stream), or the graph that it is captured for. */
bool note_pinned(tocha_backend_state *state, const void *data, Stream *stream);
/* Tells that a graph, replayed last on `last` (nullptr: never), no longer uses the block. */
void forget_pinned(tocha_backend_state *state, void *block, Stream *last);
/* Forgets the streams of a state, whose work must be done. The last state frees what nobody uses. */
void close_pinned(tocha_backend_state *state);

} // namespace tocha
