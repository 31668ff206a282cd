/* watch.h: by what a program observes the plug-in. */
#pragma once

#include "device/instruments.h"
#include "runtime/state.h"

namespace tocha {

using Observer = void (*)(void *user, const tocha_memory_event *event);

struct Watch {
  Observer observer; /* of requests for memory; NULL: none */
  void *user;
};

extern const tocha_instruments instruments;

} // namespace tocha
