/* gpu_activities.h: the kernels, copies and fills that GPUs run while a profile is on, as far as
 * the plug-in can collect them. */
#ifndef TOCHA_GPU_ACTIVITIES_H
#define TOCHA_GPU_ACTIVITIES_H

#include "core/internal.h"
#include "tocha/profiler.h"

typedef struct tocha_gpu_activities tocha_gpu_activities;

/* Begins to collect. Returns NULL if memory is short; without a collector there are no activities,
 * which is no error. */
tocha_gpu_activities *tocha_gpu_activities_new(tocha_context *cx);
/* Ends the collection, and frees its activities. NULL is allowed. */
void tocha_gpu_activities_free(tocha_context *cx, tocha_gpu_activities *activities);
/* Waits for the GPUs' work and ends the collection, if it is on. Fails if a kernel failed. */
bool tocha_gpu_activities_settle(tocha_context *cx, tocha_gpu_activities *activities);
/* Returns activity number `index` of a collection that has ended, or NULL if there is none. */
const tocha_profile_activity *tocha_gpu_activities_at(const tocha_gpu_activities *activities,
                                                      size_t index);

#endif
