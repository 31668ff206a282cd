/* channel.c: finds engines, opens the engines' channels of a group, and runs operations in them. */
#include "distributed/channel.h"

#include "distributed/check.h"
#include "distributed/engines.h"
#include "distributed/flight.h"
#include "distributed/recorder.h"
#include "distributed/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tocha/device.h"

/* Nanoseconds. WORD: that a lost connection has to be explained: the watch looks ten times in them, and asks the launcher. SLICE: that the
 * store is asked for a value at a time: the group may be broken meanwhile. */
static const int64_t WORD = 500000000, SLICE = 50000000,
                     SILENCE = STORE_SILENCE * (int64_t)1000000000;

/* --- the values that ranks exchange while a channel opens --------------------------------------- */

static void name_value(const tocha_channel_values *v, const char *name, char *text, size_t size) {
  const char *engine = v->group->engines[v->device]->name;
  snprintf(text, size, "%s/%s/%s", engine, v->device == TOCHA_CPU ? "cpu" : "gpu", name);
}

static bool set_value(void *user, const char *name, const void *bytes, size_t size) {
  tocha_channel_values *v = user;
  char full[256];
  tocha_store_failure failure;
  name_value(v, name, full, sizeof full);
  return store_set(v->group->store, full, bytes, size, &failure);
}

static bool is_over(void *user) {
  const tocha_channel_values *v = user;
  return atomic_load(&v->group->broken);
}

static int64_t get_value(void *user, const char *name, void *bytes, size_t capacity,
                         int64_t deadline) {
  tocha_channel_values *v = user;
  char full[256];
  void *value = NULL;
  size_t size = 0;
  tocha_store_failure failure;
  name_value(v, name, full, sizeof full);
  for (;;) {
    int64_t now = platform_nanoseconds(), slice = now + SLICE < deadline ? now + SLICE : deadline;
    if (store_get(v->group->store, full, slice, &value, &size, &failure)) break;
    if (failure.kind != TOCHA_STORE_TIMED_OUT || slice == deadline || is_over(user)) return -1;
  }
  memcpy(bytes, value, size < capacity ? size : capacity);
  free(value);
  return (int64_t)size;
}

/* --- engines ------------------------------------------------------------------------------------ */

static const tocha_engine *find_engine(tocha_context *cx, const tocha_distributed *d,
                                       const char *name, char *reason, size_t capacity) {
  if (strcmp(name, "fake") == 0) return tocha_fake_engine();
  if (d->offered && strcmp(d->offered->name, name) == 0) return d->offered;
  return tocha_find_engine(cx, name, reason, capacity);
}

const tocha_engine *tocha_group_engine(tocha_context *cx, tocha_process_group *group,
                                       tocha_device device) {
  char reason[512] = "", text[24];
  const char *name = group->backends.engines[device.type];
  const tocha_engine **engine = &group->engines[device.type];
  if (*engine) return *engine;
  if (!name[0]) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "No backend type associated with device type %s",
               tocha_device_text((tocha_device){device.type, -1}, text));
    tocha_hint(cx, "the group's backend is %s", group->backends.text);
    return NULL;
  }
  *engine = find_engine(cx, group->world, name, reason, sizeof reason);
  if (*engine) return *engine;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Distributed package doesn't have %s built in", name);
  tocha_hint(cx, "%s", reason);
  return NULL;
}

/* --- channels ----------------------------------------------------------------------------------- */

/* Returns true if the watch says in a little while why the group is broken: an engine sees that a rank is gone before it is known
 * how it has died. A store that does not answer may be why: then it is waited for until it answers or is given up. */
static bool is_explained_soon(tocha_work *w) {
  tocha_process_group *group = w->group;
  const tocha_watch *watch = group->world->watch;
  int64_t until = platform_nanoseconds() + (watch ? WORD : 0), later = until + SILENCE;
  platform_lock(&group->mutex);
  while (!atomic_load(&group->broken)) {
    int64_t now = platform_nanoseconds();
    if (now >= until && (tocha_watch_hears(watch) || now >= later)) break;
    platform_wait_until(&group->finished, &group->mutex, now + SLICE);
  }
  platform_unlock(&group->mutex);
  return tocha_channel_is_broken(w);
}

static const char *name_of(const tocha_work *w) {
  return w->only_opens ? "the opening of the group" : tocha_form_name(w->intent.form);
}

/* Says in the words of PyTorch's watchdog that a GPU has not ended an operation in time. */
static void fail_late(tocha_work *w) {
  const tocha_transfer *t = &w->transfer;
  bool gathers = t->kind == TOCHA_ALL_GATHER || t->kind == TOCHA_GATHER;
  bool scatters = t->kind == TOCHA_REDUCE_SCATTER || t->kind == TOCHA_SCATTER;
  char operation[256];
  tocha_work_fail(w, TOCHA_BACKEND_ERROR,
                  "[Rank %d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=%llu, "
                  "OpType=%s, NumelIn=%lld, NumelOut=%lld, Timeout(ms)=%.0f) ran for %lld "
                  "milliseconds before timing out.\nrank %d was running %s",
                  w->group->rank, (unsigned long long)w->sequence, tocha_form_type(w->intent.form),
                  (long long)(scatters ? t->count * w->group->size : t->count),
                  (long long)(gathers ? t->count * w->group->size : t->count), w->timeout * 1e3,
                  (long long)(platform_nanoseconds() - w->started) / 1000000, w->group->rank,
                  tocha_intent_text(&w->intent, operation, sizeof operation));
}

static bool has_left(const tocha_process_group *group, int rank) {
  return rank >= 0 && group->seats && tocha_presence_of(group, rank) == TOCHA_LEFT;
}

/* Says that an operation has not ended in time, and which ranks are still in it. */
static void fail_unfinished(tocha_work *w, const char *engine, const char *words) {
  tocha_text text = {0};
  tocha_append_phases(w, &text);
  char *phases = tocha_text_finish(NULL, &text);
  tocha_work_fail(w, TOCHA_BACKEND_ERROR, "[%s] %s timed out after %g s: %s%s", engine, name_of(w),
                  w->timeout, words, phases ? phases : "");
  free(phases);
}

void tocha_channel_fail(tocha_work *w, const tocha_engine *engine,
                        const tocha_engine_failure *failure) {
  char operation[256];
  if (tocha_channel_is_broken(w)) return;
  if (failure->kind == TOCHA_ENGINE_TIMED_OUT && engine->look)
    fail_late(w);
  else if (failure->kind == TOCHA_ENGINE_TIMED_OUT)
    fail_unfinished(w, engine->name, failure->message);
  else if (failure->kind == TOCHA_ENGINE_LOST_PEER && has_left(w->group, failure->peer))
    tocha_fail_left(w, failure->peer);
  else if (failure->kind == TOCHA_ENGINE_LOST_PEER && failure->peer >= 0)
    tocha_work_fail(
        w, TOCHA_BACKEND_ERROR,
        "Rank %d has died, or its host cannot be reached: [%s] %s\nrank %d was running %s",
        w->group->ranks[failure->peer], engine->name, failure->message, w->group->rank,
        tocha_intent_text(&w->intent, operation, sizeof operation));
  else
    tocha_work_fail(w, TOCHA_BACKEND_ERROR, "[%s] %s: %s", engine->name, name_of(w),
                    failure->message);
  if (w->group->spans_hosts) /* what this rank saw, the others may not */
    tocha_leave_seat(w->group, TOCHA_GAVE_UP, w->intent.place, w->message);
  tocha_group_break(w->group, w->message);
}

/* Does so, unless the watch soon says why. */
static void explain(tocha_work *w, const tocha_engine *engine,
                    const tocha_engine_failure *failure) {
  if (failure->kind == TOCHA_ENGINE_TIMED_OUT || !is_explained_soon(w))
    tocha_channel_fail(w, engine, failure);
}

/* Describes a group to its engine. */
static tocha_channel_options options_of(tocha_process_group *group, tocha_device_type device,
                                        int64_t deadline) {
  group->values[device] = (tocha_channel_values){group, device};
  tocha_channel_options options = {.rank = group->rank,
                                   .size = group->size,
                                   .world_ranks = group->ranks,
                                   .number = group->number,
                                   .store = {&group->values[device], set_value, get_value, is_over},
                                   .deadline = deadline,
                                   .device = group->engines[device]->moves_gpu ? group->gpu : -1};
  memcpy(options.address, group->world->address, sizeof options.address);
  return options;
}

static void set_channel(tocha_process_group *group, tocha_device_type device,
                        tocha_channel *channel) {
  platform_lock(&group->mutex);
  group->channels[device] = channel;
  platform_unlock(&group->mutex);
}

static bool open_channel(tocha_work *w, tocha_device_type device) {
  const tocha_engine *engine = w->group->engines[device];
  tocha_engine_failure failure = {.peer = -1};
  tocha_channel_options options = options_of(w->group, device, w->transfer.deadline);
  tocha_channel *channel = engine->open(&options, &failure);
  if (channel)
    set_channel(w->group, device, channel);
  else
    explain(w, engine, &failure);
  return channel != NULL;
}

/* Divides the channel of the operation, and gives a part of it to the new group. */
static bool split_channel(tocha_work *w) {
  const tocha_engine *engine = w->group->engines[w->device];
  tocha_engine_failure failure = {.peer = -1};
  tocha_channel_options options = {.deadline = w->transfer.deadline};
  tocha_channel *channel;
  if (w->child) options = options_of(w->child, w->device, w->transfer.deadline);
  if (!engine->split(w->group->channels[w->device], w->color, &options, &channel, &failure)) {
    explain(w, engine, &failure);
    return false;
  }
  if (channel && w->child) set_channel(w->child, w->device, channel);
  return true;
}

/* Opens the channel for a device's tensors unless it is open. Returns false with the operation's failure. */
static bool is_ready(tocha_work *w, tocha_device_type device) {
  tocha_process_group *group = w->group;
  if (tocha_channel_is_broken(w)) return false;
  if (group->channels[device]) return true;
  platform_lock(&group->opening);
  bool ready = group->channels[device] || open_channel(w, device);
  platform_unlock(&group->opening);
  return ready;
}

bool tocha_channel_is_broken(tocha_work *w) {
  tocha_process_group *group = w->group;
  if (!atomic_load(&group->broken)) return false;
  char operation[256];
  platform_lock(&group->mutex);
  tocha_work_fail(w, TOCHA_BACKEND_ERROR, "%s\nrank %d was running %s", group->reason, group->rank,
                  tocha_intent_text(&w->intent, operation, sizeof operation));
  platform_unlock(&group->mutex);
  return true;
}

bool tocha_channel_ready(tocha_work *w) { return is_ready(w, w->device); }

bool tocha_channel_transfer(tocha_work *w, tocha_device_type device, tocha_transfer *message) {
  tocha_process_group *group = w->group;
  tocha_engine_failure failure = {.peer = -1};
  if (!is_ready(w, device)) return false;
  if (group->engines[device]->run(group->channels[device], message, &failure)) return true;
  explain(w, group->engines[device], &failure);
  return false;
}

bool tocha_channel_run(tocha_work *w) {
  return w->transfer.kind == TOCHA_SPLIT ? split_channel(w)
                                         : tocha_channel_transfer(w, w->device, &w->transfer);
}

void tocha_group_break(tocha_process_group *group, const char *reason) {
  platform_lock(&group->mutex);
  bool is_first = !atomic_load(&group->broken);
  if (is_first)
    snprintf(group->reason, sizeof group->reason, "%.*s", (int)strcspn(reason, "\n"), reason);
  atomic_store(&group->broken, true);
  platform_wake_all(&group->finished);
  if (is_first) tocha_flight_lose(group);
  for (int d = 0; d < TOCHA_DEVICE_TYPE_COUNT; d++)
    if (group->channels[d]) group->engines[d]->abort(group->channels[d]);
  platform_unlock(&group->mutex);
  if (is_first) tocha_recorder_write(group->world->recorder, false);
}

void tocha_channels_close(tocha_process_group *group) {
  for (int d = 0; d < TOCHA_DEVICE_TYPE_COUNT; d++) {
    if (group->channels[d]) group->engines[d]->close(group->channels[d]);
    group->channels[d] = NULL;
  }
}

/* Does so for a device's tensors. */
static bool open_soon(tocha_context *cx, tocha_process_group *group, tocha_device device) {
  if (!group->backends.engines[device.type][0] || tocha_failed(cx)) return true;
  if (!tocha_group_engine(cx, group, device)) {
    tocha_clear_error(cx);
    return true;
  }
  tocha_work *w = tocha_work_new(cx, group, TOCHA_BARRIER, TOCHA_FORM_NONE, device);
  if (!w) return false;
  w->only_opens = true;
  w = tocha_work_start(cx, w, true);
  tocha_work_free(w);
  return w != NULL;
}

bool tocha_channel_open_soon(tocha_context *cx, tocha_process_group *group) {
  return open_soon(cx, group, tocha_cpu()) &&
         (group->gpu < 0 || open_soon(cx, group, tocha_cuda_device(group->gpu)));
}
