/* events.h: points in a stream that others can wait for. */
#pragma once

#include "runtime/state.h"

namespace tocha {

/* An event that comes when the stream has done what it was asked for so far; nullptr: there is none to be had, and
 * the stream was waited for. */
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
