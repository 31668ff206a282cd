/* flight.c: operations in flight. */
#include "distributed/flight.h"

#include "device/devices.h"
#include "distributed/channel.h"
#include "distributed/coalesced.h"
#include "distributed/host_copies.h"

/* Nanoseconds. WORD: a failure has so long to be explained by the watch. PARTING: operations have so long to end when their
 * group does. NAP: between two looks then. */
static const int64_t WORD = 500000000, PARTING = 2000000000, NAP = 50000;

void tocha_flight_begin(tocha_work *w) {
  tocha_process_group *group = w->group;
  platform_lock(&group->mutex);
  tocha_work **at = &group->on_gpu;
  while (*at) at = &(*at)->next_on_gpu;
  *at = w;
  atomic_store(&w->is_on_gpu, true);
  platform_wake_all(&group->finished);
  platform_unlock(&group->mutex);
}

/* --- looking ------------------------------------------------------------------------------------------- */

/* Returns 1 if the operation has ended, 0 if not yet, -1 with a failure. */
static int ask(tocha_work *w, tocha_engine_failure *failure) {
  const tocha_process_group *group = w->group;
  int64_t now = platform_nanoseconds();
  int answer = group->engines[w->device]->look(group->channels[w->device], &w->transfer, failure);
  if (answer < 0 && !w->failed) w->failed = now;
  if (answer < 0 && !atomic_load(&group->broken) && now - w->failed < WORD) return 0;
  if (answer || now < w->transfer.deadline || atomic_load(&group->broken)) return answer;
  *failure = (tocha_engine_failure){.kind = TOCHA_ENGINE_TIMED_OUT, .peer = -1};
  return -1;
}

/* Finds an operation that has ended, which no other thread has found. Returns NULL if there is none. */
static tocha_work *find_ended(const tocha_process_group *group, int *answer,
                              tocha_engine_failure *failure) {
  bool waits[TOCHA_LANE_COUNT] = {
      false}; /* an operation of the lane has not ended, nor those behind it */
  for (tocha_work *w = group->on_gpu; w; w = w->next_on_gpu) {
    bool *lane = &waits[w->lane - group->lanes];
    *answer = *lane || w->is_ending ? 0 : ask(w, failure);
    if (*answer) return w;
    *lane = true;
  }
  return NULL;
}

/* Ends an operation that was found. It is in the list until the group is broken, if it failed. */
static void end_found(tocha_work *w, const tocha_engine_failure *failure) {
  tocha_process_group *group = w->group;
  if (failure) tocha_channel_fail(w, group->engines[w->device], failure);
  platform_lock(&group->mutex);
  tocha_work **at = &group->on_gpu;
  while (*at != w) at = &(*at)->next_on_gpu;
  *at = w->next_on_gpu;
  platform_unlock(&group->mutex);
  atomic_fetch_sub(&group->world->transfers, 1);
  tocha_work_end(w);
}

/* Lets the engine abort what it has. */
static void carry_out_abort(tocha_process_group *group) {
  tocha_engine_failure failure;
  for (int d = 0; d < TOCHA_DEVICE_TYPE_COUNT; d++)
    if (group->channels[d] && group->engines[d]->look)
      group->engines[d]->look(group->channels[d], NULL, &failure);
}

void tocha_flight_look(tocha_process_group *group) {
  for (;;) {
    tocha_engine_failure failure = {.peer = -1};
    int answer;
    platform_lock(&group->mutex);
    if (atomic_load(&group->broken)) carry_out_abort(group);
    tocha_work *w = find_ended(group, &answer, &failure);
    if (w) w->is_ending = true;
    platform_unlock(&group->mutex);
    if (!w) return;
    end_found(w, answer < 0 ? &failure : NULL);
  }
}

void tocha_flight_end(tocha_process_group *group) {
  int64_t until = platform_nanoseconds() + PARTING;
  platform_lock(&group->mutex);
  while (group->on_gpu) {
    int64_t now = platform_nanoseconds();
    platform_wait_until(&group->finished, &group->mutex, now + NAP);
    platform_unlock(&group->mutex);
    if (now > until) tocha_group_break(group, "the process group was destroyed");
    tocha_flight_look(group);
    platform_lock(&group->mutex);
  }
  platform_unlock(&group->mutex);
}

/* --- the script ---------------------------------------------------------------------------------------- */

/* Lets the memory of the operation's tensors be used again only after what the stream does now. */
static bool use_on(tocha_context *cx, tocha_work *w, tocha_stream *stream) {
  for (tocha_work *part = w; part; part = tocha_next_part(w, part)) {
    for (int i = 0; i < part->kept_count; i++)
      if (!tocha_record_stream(cx, part->kept[i].tensor, stream)) return false;
    if (!tocha_copies_use_on(cx, part, stream)) return false;
  }
  return true;
}

bool tocha_flight_join(tocha_context *cx, tocha_work *w) {
  tocha_process_group *group = w->group;
  tocha_stream *stream = tocha_stream_of(cx, tocha_cuda_device(group->gpu));
  if (!stream || !tocha_launched(cx, stream->backend->wait(stream, w->transfer.finished)))
    return false;
  platform_lock(&group->mutex);
  w->is_joined = true;
  if (atomic_load(&group->broken)) tocha_flight_lose(group);
  platform_unlock(&group->mutex);
  return stream == w->stream || use_on(cx, w, stream);
}

void tocha_flight_lose(tocha_process_group *group) {
  const tocha_work *w = group->on_gpu;
  while (w && !w->is_joined) w = w->next_on_gpu;
  if (w && !atomic_exchange(&group->has_lost, true))
    w->stream->backend->lose(w->stream->state, group->reason);
}

void tocha_flight_forgive(tocha_context *cx, tocha_process_group *group) {
  if (atomic_load(&group->has_lost) && cx->devices)
    cx->devices->backend->lose(cx->devices->state, NULL);
}
