/* watch.h: by what a program observes the plug-in. */
#pragma once

#include "device/instruments.h"
#include "runtime/state.h"

#include <vector>

namespace tocha {

using Observer = void (*)(void *user, const tocha_memory_event *event);

struct Watch {
  Observer observer; /* of requests for memory; NULL: none */
  void *user;
  std::vector<tocha_stream *> foreign; /* streams whose cudaStream_t belongs to somebody else */
};

extern const tocha_instruments instruments;

/* Returns what watches the plug-in, or nullptr if memory of the host is short. */
Watch *watch_of(tocha_backend_state *state);
/* Returns the stream of a cudaStream_t, which its owner keeps alive (backend.cpp). */
tocha_stream *external_stream(tocha_backend_state *state, int device, void *handle);

} // namespace tocha
