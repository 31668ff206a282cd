/* profiler.c: a profile replaces the hooks that every recorded call goes through
 * (dispatch/call.h), so that calls need no test while no profile is on. Calls that reach the
 * hooks are not nested, so one start time is enough. */
#include "tocha/profiler.h"

#include <stdio.h>
#include <string.h>

#include "core/internal.h"
#include "dispatch/call.h"
#include "platform/platform.h"
#include "profiler/gpu_activities.h"
#include "profiler/gpu_times.h"
#include "tocha/device.h"
#include "tocha/graph.h"
#include "tocha/nn.h"
#include "tocha/nvtx.h"

enum { MAX_EVENTS = 4000000, PATH_ROOM = 256 };

/* The path of a module, stored once. */
typedef struct profile_path {
  struct profile_path *next;
  char text[PATH_ROOM];
} profile_path;

/* An event, and what GPUs have to do with it. */
typedef struct profiled_call {
  tocha_profile_event event;
  int64_t gpu_bytes;
} profiled_call;

typedef struct profile {
  tocha_hooks hooks; /* first: cx->hooks is the profile */
  tocha_call_hooks call;
  const tocha_hooks *before;
  profiled_call *calls;
  size_t count, capacity, lost;
  profile_path *paths;
  int64_t mark;
  double start;
  size_t live, gpu_live; /* bytes before the call: on the host and on GPUs; on GPUs */
  bool ranges;           /* operators become ranges of NVTX, and leave no events */
  bool range_is_open;
  tocha_gpu_times *times; /* NULL: GPUs are waited for instead */
  tocha_gpu_activities *activities;
} profile;

static bool begin(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                  tocha_recording *recording);

static profile *profile_of(const tocha_context *cx) {
  return cx && cx->hooks->call->begin_record == begin ? (profile *)cx->hooks : NULL;
}

static double seconds_now(void) { return 1e-9 * (double)platform_nanoseconds(); }

static size_t live_bytes(const tocha_context *cx) {
  return tocha_host_bytes(cx).live + tocha_gpu_bytes(cx).live;
}

/* Waits for the GPU's work, unless its time is measured apart. */
static bool wait_for_gpus(tocha_context *cx, const profile *p) {
  return p->times || tocha_gpu_bytes(cx).live == 0 || tocha_is_capturing(cx) ||
         tocha_synchronize(cx, -1);
}

/* Ends the range of an operator, also of one that failed. */
static void end_range(tocha_context *cx, profile *p) {
  if (p->range_is_open) tocha_nvtx_pop(cx);
  p->range_is_open = false;
}

static void begin_range(tocha_context *cx, profile *p, const tocha_op *op) {
  char name[128];
  end_range(cx, p);
  snprintf(name, sizeof name, "aten::%s", op->lua_name);
  tocha_nvtx_push(cx, name);
  p->range_is_open = true;
}

static bool begin(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                  tocha_recording *recording) {
  profile *p = profile_of(cx);
  if (p->ranges) {
    begin_range(cx, p, op);
    return p->before->call->begin_record(cx, op, args, recording);
  }
  if (!wait_for_gpus(cx, p)) return false;
  if (p->times && !tocha_gpu_times_begin(cx, p->times, op, args)) return false;
  p->live = live_bytes(cx);
  p->gpu_live = tocha_gpu_bytes(cx).live;
  p->start = seconds_now();
  return p->before->call->begin_record(cx, op, args, recording);
}

/* Returns the innermost module's path, or NULL if no module is being called, or memory is short. */
static const char *current_path(tocha_context *cx, profile *p) {
  char text[PATH_ROOM] = "";
  if (cx->module_call_count == 0) return NULL;
  tocha_module_path(cx, NULL, text, sizeof text);
  for (profile_path *path = p->paths; path; path = path->next)
    if (strcmp(path->text, text) == 0) return path->text;
  profile_path *path = tocha_allocate(cx, sizeof *path);
  if (!path) {
    tocha_clear_error(cx); /* the program's call succeeds nevertheless */
    return NULL;
  }
  memcpy(path->text, text, sizeof text);
  path->next = p->paths;
  p->paths = path;
  return path->text;
}

static bool has_room(tocha_context *cx, profile *p) {
  if (p->count < p->capacity) return true;
  if (p->capacity >= MAX_EVENTS) return false;
  size_t capacity = p->capacity ? 2 * p->capacity : 1024;
  profiled_call *calls = tocha_allocate(cx, capacity * sizeof *calls);
  if (!calls) {
    tocha_clear_error(cx);
    return false;
  }
  if (p->count) memcpy(calls, p->calls, p->count * sizeof *calls);
  tocha_deallocate(cx, p->calls, p->capacity * sizeof *calls);
  p->calls = calls;
  p->capacity = capacity;
  return true;
}

static bool end(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                tocha_results *results, const tocha_recording *recording) {
  profile *p = profile_of(cx);
  if (!p->before->call->end_record(cx, op, args, results, recording)) return false;
  if (p->ranges) {
    end_range(cx, p);
    return true;
  }
  if (!wait_for_gpus(cx, p)) return false;
  profiled_call call = {.event = {.op = op, .mark = p->mark, .start = p->start}};
  call.event.seconds = seconds_now() - p->start;
  call.event.bytes = (int64_t)live_bytes(cx) - (int64_t)p->live;
  call.event.module = current_path(cx, p);
  call.gpu_bytes = (int64_t)tocha_gpu_bytes(cx).live - (int64_t)p->gpu_live;
  if (!has_room(cx, p)) {
    p->lost++;
    return true;
  }
  p->calls[p->count++] = call;
  return !p->times || tocha_gpu_times_end(cx, p->times, p->count - 1);
}

bool tocha_profile_start(tocha_context *cx) {
  if (!cx) return false;
  if (profile_of(cx)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "a profile is on already");
    return false;
  }
  profile *p = tocha_allocate_zeroed(cx, sizeof *p);
  if (!p) return false;
  p->before = cx->hooks;
  p->hooks = *cx->hooks;
  p->call = *cx->hooks->call;
  p->call.begin_record = begin;
  p->call.end_record = end;
  p->hooks.call = &p->call;
  cx->hooks = &p->hooks;
  return true;
}

bool tocha_profile_time_gpus(tocha_context *cx) {
  profile *p = profile_of(cx);
  if (!p) return tocha_profile_start(cx) && tocha_profile_time_gpus(cx);
  if (!p->times) p->times = tocha_gpu_times_new(cx);
  if (!p->activities) p->activities = tocha_gpu_activities_new(cx);
  return p->times && p->activities;
}

bool tocha_profile_emit_ranges(tocha_context *cx) {
  if (!tocha_profile_start(cx)) return false;
  profile_of(cx)->ranges = true;
  return true;
}

bool tocha_profile_is_on(const tocha_context *cx) { return profile_of(cx) != NULL; }

void tocha_profile_mark(tocha_context *cx, int64_t mark) {
  profile *p = profile_of(cx);
  if (p) p->mark = mark;
}

size_t tocha_profile_count(const tocha_context *cx) {
  const profile *p = profile_of(cx);
  return p ? p->count : 0;
}

size_t tocha_profile_lost(const tocha_context *cx) {
  const profile *p = profile_of(cx);
  return p ? p->lost : 0;
}

const tocha_profile_event *tocha_profile_event_at(const tocha_context *cx, size_t index) {
  const profile *p = profile_of(cx);
  return p && index < p->count ? &p->calls[index].event : NULL;
}

bool tocha_profile_gpu_at(tocha_context *cx, size_t index, tocha_profile_gpu *gpu) {
  profile *p = profile_of(cx);
  if (!gpu) return tocha_refuse_none(cx, "profile_gpu_at", "gpu", "tocha_profile_gpu");
  *gpu = (tocha_profile_gpu){.device = -1};
  if (!p || index >= p->count) return true;
  gpu->bytes = p->calls[index].gpu_bytes;
  if (!p->times) return true;
  if (!tocha_gpu_times_settle(cx, p->times)) return false;
  tocha_gpu_span span = tocha_gpu_times_at(p->times, index);
  gpu->device = span.device;
  gpu->start = span.start;
  gpu->seconds = span.seconds;
  return true;
}

bool tocha_profile_activity_at(tocha_context *cx, size_t index, tocha_profile_activity *activity) {
  const profile *p = profile_of(cx);
  if (!activity)
    return tocha_refuse_none(cx, "profile_activity_at", "activity", "tocha_profile_activity");
  *activity = (tocha_profile_activity){.device = -1};
  if (!p || !p->activities) return true;
  if (!tocha_gpu_activities_settle(cx, p->activities)) return false;
  const tocha_profile_activity *found = tocha_gpu_activities_at(p->activities, index);
  if (found) *activity = *found;
  return true;
}

void tocha_profile_stop(tocha_context *cx) {
  profile *p = profile_of(cx);
  if (!p) return;
  end_range(cx, p);
  cx->hooks = p->before;
  while (p->paths) {
    profile_path *path = p->paths;
    p->paths = path->next;
    tocha_deallocate(cx, path, sizeof *path);
  }
  tocha_gpu_activities_free(cx, p->activities);
  tocha_gpu_times_free(cx, p->times);
  tocha_deallocate(cx, p->calls, p->capacity * sizeof *p->calls);
  tocha_deallocate(cx, p, sizeof *p);
}
