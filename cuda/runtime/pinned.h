/* pinned.h: page-locked memory of the host, from which copies run beside the host's own work. */
#pragma once

#include "runtime/state.h"

namespace tocha {

void *allocate_pinned(tocha_backend_state *state, size_t bytes);
/* The block is used again when the copies that were noted for it are done. */
void release_pinned(tocha_backend_state *state, void *data);
/* Whether data lies in pinned memory; then the stream is noted as using it (nullptr: only asked). */
bool note_pinned(tocha_backend_state *state, const void *data, Stream *stream);
void close_pinned(tocha_backend_state *state);

} // namespace tocha
