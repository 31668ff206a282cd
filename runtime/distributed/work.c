/* work.c: operations of a group: their queue, the threads that run them, and waiting for them. */
#include "distributed/work.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/devices.h"
#include "distributed/board.h"
#include "distributed/channel.h"
#include "distributed/check.h"
#include "distributed/circle.h"
#include "distributed/coalesced.h"
#include "distributed/flight.h"
#include "distributed/host_copies.h"
#include "distributed/log.h"
#include "distributed/mail.h"
#include "distributed/pairs.h"
#include "distributed/questions.h"
#include "distributed/recorder.h"

/* Nanoseconds between two looks: at interrupts; for the end of an operation that a GPU carries out. */
enum { POLL = 50000000, NAP = 50000 };
static const int64_t SECOND = 1000000000;

/* --- life ------------------------------------------------------------------------------------- */

static tocha_lane_kind lane_of(tocha_collective kind) {
  return kind == TOCHA_SEND   ? TOCHA_LANE_SENDS
         : kind == TOCHA_RECV ? TOCHA_LANE_RECEIVES
                              : TOCHA_LANE_COLLECTIVES;
}

tocha_work *tocha_work_new(tocha_context *cx, tocha_process_group *group, tocha_collective kind,
                           tocha_form form, tocha_device device) {
  tocha_work *w = calloc(1, sizeof *w);
  if (!w) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for an operation");
  tocha_refcount_init(&w->owners);
  w->group = group;
  w->lane = &group->lanes[lane_of(kind)];
  w->device = device.type; /* an engine that serves the CPU, too, has one channel for both */
  if (group->engines[device.type] == group->engines[TOCHA_CPU]) w->device = TOCHA_CPU;
  w->transfer.kind = kind;
  w->transfer.root = w->transfer.source = w->last_rank = -1;
  w->timeout = group->timeout;
  w->intent.form = (uint8_t)form;
  w->intent.device = (uint8_t)device.type;
  w->intent.root = -1;
  memcpy(w->intent.place, group->world->place, sizeof w->intent.place);
  return w;
}

bool tocha_work_keep(tocha_context *cx, tocha_work *w, tocha_tensor *tensor) {
  if (w->kept_count == w->kept_capacity) {
    int capacity = w->kept_capacity ? 2 * w->kept_capacity : 2;
    tocha_kept_tensor *more = realloc(w->kept, (size_t)capacity * sizeof *more);
    if (!more) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for a list of tensors");
    w->kept = more;
    w->kept_capacity = capacity;
  }
  w->kept[w->kept_count++] = (tocha_kept_tensor){tocha_retain(tensor), tocha_version_of(tensor)};
  return true;
}

/* Notes if a tensor was written meanwhile, and releases all of them. */
static void release_tensors(tocha_work *w) {
  for (int i = 0; i < w->kept_count; i++) {
    w->written |= tocha_version_of(w->kept[i].tensor) != w->kept[i].writes;
    tocha_release(w->kept[i].tensor);
  }
  free(w->kept);
  w->kept = NULL;
  w->kept_count = w->kept_capacity = 0;
  tocha_copies_free(w);
  tocha_staging_free(&w->staging);
}

static void free_events(tocha_work *w) {
  void *events[] = {w->transfer.ready, w->transfer.finished};
  for (int i = 0; i < 2; i++)
    if (events[i]) w->stream->backend->free_event(w->stream->state, events[i]);
  w->transfer.ready = w->transfer.finished = NULL;
}

static void disown(tocha_work *w) {
  if (!tocha_refcount_release(&w->owners)) return;
  tocha_members_free(w);
  release_tensors(w);
  free_events(w);
  free(w->counts);
  free(w->message);
  free(w);
}

void *tocha_work_drop(tocha_work *w) {
  disown(w);
  return NULL;
}

void tocha_work_free(tocha_work *work) {
  if (work) disown(work);
}

static bool has_failed(const tocha_work *w) { return atomic_load(&w->done) && w->code; }

/* Releases the tensors of an operation that has ended, or that the script's stream waits for; once it has ended, takes it off the
 * group's list. */
static void settle(tocha_work *w) {
  for (tocha_work *part = w; part && !w->is_released; part = tocha_next_part(w, part)) {
    if (!has_failed(w) && part->copies) tocha_copies_return(w->group->world->context, part);
    release_tensors(part);
    w->written |= part->written;
  }
  w->is_released = true;
  if (w->is_settled || !atomic_load(&w->done)) return;
  w->is_settled = true;
  free_events(w);
  tocha_work **at = &w->group->in_flight;
  while (*at != w) at = &(*at)->next_in_flight;
  *at = w->next_in_flight;
  disown(w);
}

/* Releases the tensors of operations that have ended and that the script no longer has; of all of them if
 * `all`. The script's thread calls it. */
static void release_ended(tocha_process_group *group, bool all) {
  if (group->gpu >= 0) tocha_flight_look(group);
  for (tocha_work *w = group->in_flight, *next; w; w = next) {
    next = w->next_in_flight;
    if (atomic_load(&w->done) && (all || w->is_released || atomic_load(&w->owners) == 1)) settle(w);
  }
}

bool tocha_work_is_completed(const tocha_work *work) {
  if (work && work->leader) work = work->leader;
  if (work && atomic_load(&work->is_on_gpu)) tocha_flight_look(work->group);
  return work && atomic_load(&work->done);
}

int tocha_work_source(const tocha_work *work) { return work ? work->transfer.source : -1; }

void tocha_work_fail(tocha_work *w, tocha_error_code code, const char *format, ...) {
  if (w->code) return;
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  w->message = length < 0 ? NULL : malloc((size_t)length + 1);
  if (w->message) vsnprintf(w->message, (size_t)length + 1, format, again);
  va_end(again);
  va_end(args);
  w->code = w->message ? code : TOCHA_MEMORY_ERROR;
}

/* --- running ---------------------------------------------------------------------------------- */

static int64_t deadline_after(double seconds) {
  return seconds < 1e9 ? platform_nanoseconds() + (int64_t)(seconds * 1e9) : INT64_MAX;
}

void tocha_work_take_turn(tocha_work *w) {
  w->started = platform_nanoseconds();
  tocha_record_change(w->group->world->recorder, w->record, TOCHA_RECORD_STARTED);
  w->transfer.deadline = deadline_after(w->timeout);
}

/* Shows on the board how far the data phase of a collective has come. */
static void show_phase(const tocha_work *w, bool has_ended) {
  tocha_seat *own = w->sequence && w->group->seats ? w->group->seats[w->group->rank] : NULL;
  if (!own) return;
  atomic_store_explicit(&own->sign, platform_nanoseconds(), memory_order_relaxed);
  atomic_store_explicit(has_ended ? &own->moved : &own->moving, w->sequence, memory_order_release);
}

void tocha_work_transfer(tocha_work *w) {
  if (w->leader) return; /* the leader moves its data */
  w->transfer.deadline =
      deadline_after(w->group->timeout); /* the others are there: the wait for data begins */
  show_phase(w, false);
  if (w->log_place) w->met = platform_nanoseconds();
  atomic_int *transfers = &w->group->world->transfers;
  atomic_fetch_add(transfers, 1);
  if (tocha_channel_ready(w) && !w->only_opens) {
    tocha_stage_inputs(&w->staging);
    if (tocha_channel_run(w)) tocha_stage_outputs(&w->staging);
  }
  if (w->transfer.is_pending) return;
  atomic_fetch_sub(transfers, 1);
  if (!w->code) show_phase(w, true);
}

void tocha_work_finish(tocha_work *w) {
  if (w->leader || atomic_load(&w->awaited)) {
    tocha_coalesced_arrive(w);
    return;
  }
  w->transfer.is_pending ? tocha_flight_begin(w) : tocha_work_end(w);
}

void tocha_work_end(tocha_work *w) {
  tocha_process_group *group = w->group;
  w->ended = platform_nanoseconds();
  if (w->transfer.is_pending && !w->code) show_phase(w, true);
  tocha_log_end(w);
  tocha_record_change(group->world->recorder, w->record,
                      w->code ? TOCHA_RECORD_FAILED : TOCHA_RECORD_COMPLETED);
  platform_lock(&group->mutex);
  atomic_store(&w->done, true);
  platform_wake_all(&group->finished);
  platform_unlock(&group->mutex);
}

static void run(tocha_work *w) {
  tocha_work_take_turn(w);
  if (tocha_channel_is_broken(w)) return;
  if (!w->sequence || tocha_check_ranks(w)) tocha_work_transfer(w);
}

static void *run_in_order(void *user) {
  tocha_lane *lane = user;
  tocha_process_group *group = lane->group;
  platform_lock(&group->mutex);
  for (;;) {
    while (!lane->first && !lane->ends) platform_wait(&lane->queued, &group->mutex);
    tocha_work *w = lane->first;
    if (!w) break;
    platform_unlock(&group->mutex);
    run(w);
    platform_lock(&group->mutex);
    lane->first = w->next;
    atomic_fetch_sub(&lane->queued_count, 1);
    platform_unlock(&group->mutex);
    tocha_work_finish(w);
    platform_lock(&group->mutex);
  }
  platform_unlock(&group->mutex);
  return NULL;
}

/* Returns true if the lane's operations wait for one other rank each. */
static bool is_of_pairs(const tocha_lane *lane) {
  return lane->group->seats && lane != &lane->group->lanes[TOCHA_LANE_COLLECTIVES];
}

static bool start_lane(tocha_lane *lane) {
  if (is_of_pairs(lane) && lane->group->spans_hosts && !tocha_mail_open(lane->group->world))
    return false;
  void *(*run_lane)(void *user) = !is_of_pairs(lane) ? run_in_order
                                  : lane == &lane->group->lanes[TOCHA_LANE_SENDS]
                                      ? tocha_run_sends
                                      : tocha_run_receives;
  lane->has_thread = platform_start_thread(&lane->thread, 0, run_lane, lane);
  return lane->has_thread;
}

/* Runs an operation that the script waits for on its own thread, if nothing is before it: no other thread must then be woken.
 * Returns false if it has to be queued. */
static bool run_here(tocha_context *cx, tocha_work *w) {
  tocha_process_group *group = w->group;
  if (!w->sequence || atomic_load(&w->lane->queued_count) || group->spans_hosts ||
      atomic_load(&group->broken) || !group->channels[w->device])
    return false;
  tocha_work_take_turn(w);
  if (group->seats && !tocha_check_ranks_here(cx, w)) return false;
  atomic_store(&group->runs_here, true);
  if (!w->code) tocha_work_transfer(w);
  atomic_store(&group->runs_here, false);
  tocha_work_finish(w);
  return true;
}

bool tocha_work_enqueue(tocha_work *w) {
  tocha_lane *lane = w->lane;
  if (!lane->has_thread && !start_lane(lane)) return false;
  platform_lock(&w->group->mutex);
  atomic_fetch_add(&lane->queued_count, 1);
  if (lane->first)
    lane->last->next = w;
  else
    lane->first = w;
  lane->last = w;
  platform_wake(&lane->queued);
  platform_unlock(&w->group->mutex);
  if (is_of_pairs(lane)) tocha_ring_pairs(lane);
  return true;
}

/* Marks the point in the script's stream after which the memory of a GPU may be used, and makes an event for the end. Returns false
 * with an error. */
static bool mark_stream(tocha_context *cx, tocha_work *w) {
  const tocha_engine *engine = w->group->engines[w->device];
  if (!engine || !engine->moves_gpu) return true;
  w->stream = tocha_stream_of(cx, tocha_cuda_device(w->group->gpu));
  if (!w->stream) return false;
  const tocha_backend *backend = w->stream->backend;
  if (backend->is_capturing(w->stream)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s is not permitted when stream is capturing",
               tocha_form_name(w->intent.form));
    tocha_hint(cx, "capture what is before it and after it in graphs of their own");
    return false;
  }
  w->transfer.ready = backend->new_event(w->stream->state, w->stream->device, false);
  w->transfer.finished = backend->new_event(w->stream->state, w->stream->device, false);
  return tocha_launched(cx, w->transfer.ready && w->transfer.finished &&
                                backend->record(w->stream, w->transfer.ready));
}

/* Enters how long the script was in the call that began an operation, which has run here if `ran`. */
static void log_call(const tocha_work *w, bool ran) {
  int64_t waited = ran ? w->ended - w->started : 0;
  tocha_log_wait(w, waited, platform_nanoseconds() - w->begun - waited);
}

tocha_work *tocha_work_start(tocha_context *cx, tocha_work *w, bool async) {
  tocha_process_group *group = w->group;
  if (group->collector && !w->only_opens) return tocha_coalesce(cx, w);
  if (!mark_stream(cx, w)) return tocha_work_drop(w);
  release_ended(group, false);
  bool is_batch = atomic_load(&w->awaited);
  if (w->lane == &group->lanes[TOCHA_LANE_COLLECTIVES] && !w->only_opens && !is_batch)
    w->sequence = ++group->collectives;
  w->begun = platform_nanoseconds();
  if (!w->only_opens)
    w->record = tocha_record(group->world->recorder, group, &w->intent, w->sequence, w->timeout);
  tocha_refcount_retain(&w->owners);
  w->next_in_flight = group->in_flight;
  group->in_flight = w;
  tocha_log_begin(w);
  bool ran = !async && run_here(cx, w);
  if (!ran && !tocha_work_enqueue(w)) {
    atomic_store(&w->done, true);
    settle(w);
    disown(w);
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "no thread can be started for a process group");
  }
  if (is_batch) tocha_members_start(w);
  if (w->log_place) log_call(w, ran);
  if (async || tocha_work_wait(cx, w, 0)) return w;
  disown(w);
  return NULL;
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* Returns true if the operation, which has ended, succeeded; else sets its error. */
static bool report(tocha_context *cx, const tocha_work *w) {
  bool failed = has_failed(w);
  if (failed) tocha_flight_forgive(cx, w->group);
  if (failed && tocha_interrupted(cx)) return false;
  if (failed) {
    if (atomic_load(&w->group->broken)) w->group->world->knows_of_death = true;
    tocha_fail(cx, w->code, "%s", w->message ? w->message : "no memory for a message");
    return false;
  }
  if (!w->written) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "a tensor was modified in place between the start of %s and its wait()",
             tocha_form_name(w->intent.form));
  tocha_hint(cx, "wait for the operation before its tensors are written");
  return false;
}

/* Tells, once, for which ranks an operation waits, when these have said where they stand. */
static void report_wait(tocha_context *cx, tocha_work *w) {
  if (w->is_reported || !cx->options.log) return;
  if (!w->has_asked) tocha_ask_missing(w);
  w->has_asked = true;
  if (!tocha_has_answers(w)) return;
  w->is_reported = true;
  char *text = tocha_describe_wait(w);
  if (text) cx->options.log(cx->options.log_user, TOCHA_LOG_WARNING, text);
  free(text);
}

/* Returns true if the operation has ended. If it `joins`, it is enough that a stream can wait for it. */
static bool has_come(const tocha_work *w, bool joins) {
  return atomic_load(&w->done) || (joins && atomic_load(&w->is_on_gpu) && !w->is_lost);
}

/* Waits until the operation has come so far. Returns false with an error if an interrupt or `until` comes first. */
static bool wait_until_come(tocha_context *cx, tocha_work *w, bool joins, int64_t until) {
  tocha_process_group *group = w->group;
  int64_t now;
  platform_lock(&group->mutex);
  while (!has_come(w, joins)) {
    now = platform_nanoseconds();
    if (now >= until) break;
    int64_t pause = atomic_load(&w->is_on_gpu) ? NAP : POLL;
    platform_wait_until(&group->finished, &group->mutex, now + pause < until ? now + pause : until);
    if (has_come(w, joins)) break;
    platform_unlock(&group->mutex);
    if (tocha_interrupted(cx)) return false;
    if (atomic_load(&w->is_on_gpu)) tocha_flight_look(group);
    tocha_distributed_answer(cx);
    if (now - w->begun >= group->world->report_after) report_wait(cx, w);
    platform_lock(&group->mutex);
  }
  platform_unlock(&group->mutex);
  if (has_come(w, joins)) return true;
  tocha_fail(cx, TOCHA_BACKEND_ERROR, "Operation timed out!");
  return false;
}

/* Does so; a wait that ends only with the operation is known to the watch. */
static bool wait_until(tocha_context *cx, tocha_work *w, bool joins, int64_t until) {
  tocha_distributed *world = w->group->world;
  if (has_come(w, joins)) return true;
  int64_t since = platform_nanoseconds();
  if (until == INT64_MAX) tocha_note_wait(world, w);
  bool came = wait_until_come(cx, w, joins, until);
  if (until == INT64_MAX) tocha_note_wait(world, NULL);
  tocha_log_wait(w, platform_nanoseconds() - since, 0);
  return came;
}

bool tocha_work_wait(tocha_context *cx, tocha_work *work, double timeout) {
  if (!work || tocha_failed(cx)) return false;
  if (work->leader) work = work->leader;
  if (work == work->group->collector)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "Illegal to call wait on IllegalWork object");
  int64_t until = INT64_MAX;
  if (timeout > 0 && timeout < 1e9)
    until = platform_nanoseconds() + (int64_t)(timeout * (double)SECOND);
  const tocha_process_group *group = work->group;
  bool joins = until == INT64_MAX && !group->blocks && !atomic_load(&group->broken);
  if (!wait_until(cx, work, joins, until)) return false;
  bool ended = atomic_load(&work->done);
  if (!ended && !tocha_flight_join(cx, work)) return false;
  settle(work);
  return report(cx, work) && !tocha_failed(cx);
}

bool tocha_lanes_drain(tocha_context *cx, tocha_process_group *group) {
  for (tocha_work *w = group->in_flight, *next; w; w = next) {
    next = w->next_in_flight;
    if (!w->only_opens && !wait_until(cx, w, false, INT64_MAX)) return false;
  }
  return true;
}

void tocha_lanes_end(tocha_process_group *group) {
  platform_lock(&group->mutex);
  for (int i = 0; i < TOCHA_LANE_COUNT; i++) {
    group->lanes[i].ends = true;
    platform_wake_all(&group->lanes[i].queued);
  }
  platform_unlock(&group->mutex);
  for (int i = 0; i < TOCHA_LANE_COUNT; i++)
    if (is_of_pairs(&group->lanes[i])) tocha_ring_pairs(&group->lanes[i]);
  for (int i = 0; i < TOCHA_LANE_COUNT; i++)
    if (group->lanes[i].has_thread) platform_join_thread(&group->lanes[i].thread);
  tocha_flight_end(group);
  release_ended(group, true);
}
