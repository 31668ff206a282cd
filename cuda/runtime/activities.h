/* activities.h: names and times of single kernels, copies and fills, by CUPTI, which is opened at run time. */
#pragma once

#include "device/instruments.h"

namespace tocha {

/* Begins to collect activities. Returns false, without an error, if CUPTI is missing or another tool uses it, or if the
 * process collects them already. */
bool start_activities();
/* Ends it, and visits each activity, if `visit` is given. The GPUs' work must be done. */
void stop_activities(void (*visit)(void *user, const tocha_gpu_activity *activity), void *user);

} // namespace tocha
