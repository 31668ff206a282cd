/* channel.c: opens the engines' channels of a group, and runs operations in them. */
#include "distributed/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the values that ranks exchange while a channel opens --------------------------------------- */

static void name_value(const tocha_work *w, const char *name, char *text, size_t size) {
  snprintf(text, size, "%s/%s", w->group->engines[w->device]->name, name);
}

static bool set_value(void *user, const char *name, const void *bytes, size_t size) {
  tocha_work *w = user;
  char full[256];
  tocha_store_failure failure;
  name_value(w, name, full, sizeof full);
  return store_set(w->group->store, full, bytes, size, &failure);
}

static int64_t get_value(void *user, const char *name, void *bytes, size_t capacity,
                         int64_t deadline) {
  tocha_work *w = user;
  char full[256];
  void *value = NULL;
  size_t size = 0;
  tocha_store_failure failure;
  name_value(w, name, full, sizeof full);
  if (!store_get(w->group->store, full, deadline, &value, &size, &failure)) return -1;
  memcpy(bytes, value, size < capacity ? size : capacity);
  free(value);
  return (int64_t)size;
}

/* --- channels ----------------------------------------------------------------------------------- */

static void fail_of_engine(tocha_work *w, const tocha_engine_failure *failure) {
  tocha_process_group *group = w->group;
  const char *engine = group->engines[w->device]->name;
  platform_lock(&group->mutex);
  if (atomic_load(&group->broken))
    tocha_work_fail(w, TOCHA_BACKEND_ERROR, "%s", group->reason);
  platform_unlock(&group->mutex);
  if (failure->kind == TOCHA_ENGINE_TIMED_OUT)
    tocha_work_fail(w, TOCHA_BACKEND_ERROR, "[%s] %s timed out after %g s: %s", engine,
                    tocha_collective_name(w->transfer.kind), w->timeout, failure->message);
  else
    tocha_work_fail(w, TOCHA_BACKEND_ERROR, "[%s] %s: %s", engine,
                    tocha_collective_name(w->transfer.kind), failure->message);
  tocha_group_break(group, w->message);
}

static bool open_channel(tocha_work *w) {
  tocha_process_group *group = w->group;
  const tocha_engine *engine = group->engines[w->device];
  tocha_engine_failure failure = {.peer = -1};
  tocha_channel_options options = {.rank = group->rank,
                                   .size = group->size,
                                   .world_ranks = group->ranks,
                                   .number = group->number,
                                   .store = {w, set_value, get_value},
                                   .deadline = w->transfer.deadline,
                                   .device = -1};
  tocha_channel *channel = engine->open(&options, &failure);
  if (channel) {
    platform_lock(&group->mutex);
    group->channels[w->device] = channel;
    platform_unlock(&group->mutex);
    return true;
  }
  fail_of_engine(w, &failure);
  return false;
}

bool tocha_channel_ready(tocha_work *w) {
  tocha_process_group *group = w->group;
  if (atomic_load(&group->broken)) {
    platform_lock(&group->mutex);
    tocha_work_fail(w, TOCHA_BACKEND_ERROR, "%s", group->reason);
    platform_unlock(&group->mutex);
    return false;
  }
  platform_lock(&group->opening);
  bool ready = group->channels[w->device] || open_channel(w);
  platform_unlock(&group->opening);
  return ready;
}

bool tocha_channel_run(tocha_work *w) {
  tocha_process_group *group = w->group;
  tocha_engine_failure failure = {.peer = -1};
  if (group->engines[w->device]->run(group->channels[w->device], &w->transfer, &failure))
    return true;
  fail_of_engine(w, &failure);
  return false;
}

void tocha_group_break(tocha_process_group *group, const char *reason) {
  platform_lock(&group->mutex);
  if (!atomic_load(&group->broken)) snprintf(group->reason, sizeof group->reason, "%s", reason);
  atomic_store(&group->broken, true);
  for (int d = 0; d < TOCHA_DEVICE_TYPE_COUNT; d++)
    if (group->channels[d]) group->engines[d]->abort(group->channels[d]);
  platform_unlock(&group->mutex);
}

void tocha_channels_close(tocha_process_group *group) {
  for (int d = 0; d < TOCHA_DEVICE_TYPE_COUNT; d++) {
    if (group->channels[d]) group->engines[d]->close(group->channels[d]);
    group->channels[d] = NULL;
  }
}
