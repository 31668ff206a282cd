/* events.h: points in a stream that others can wait for. */
#pragma once

#include "runtime/state.h"

namespace tocha {

/* Returns an event that is reached when the stream has done all earlier work. If no event can be
 * created, waits for the stream and returns nullptr. */
cudaEvent_t event_after(Stream *stream);
bool has_come(cudaEvent_t event);

void *new_event(tocha_backend_state *state, int device, bool timing);
void free_event(tocha_backend_state *state, void *event);
bool record_event(tocha_stream *stream, void *event);
bool wait_event(tocha_stream *stream, void *event);
bool synchronize_event(tocha_backend_state *state, void *event);
int query_event(tocha_backend_state *state, void *event);
bool elapsed(tocha_backend_state *state, void *start, void *stop, float *milliseconds);

} // namespace tocha
