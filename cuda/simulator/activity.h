// activity.h: items of work that the simulated GPU reports to its CUPTI.
#ifndef TOCHA_SIMULATOR_ACTIVITY_H
#define TOCHA_SIMULATOR_ACTIVITY_H

#include "machine.h"

#include "../runtime/cupti_api.h"

namespace simulator {

struct Activity {
  CUpti_ActivityKind kind;
  int device;
  const char *kernel;              // as LAUNCH spells it
  CUpti_ActivityMemoryKind source; // of a copy
  CUpti_ActivityMemoryKind target;
  double start, end;
};

// Keeps an activity if its kind is enabled.
void keep_activity(const Activity &activity);

// Runs a function as an activity.
template <class Function> void as_activity(Activity activity, Function function) {
  activity.start = seconds();
  function();
  activity.end = seconds();
  keep_activity(activity);
}

} // namespace simulator

#endif
