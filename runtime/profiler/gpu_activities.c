/* gpu_activities.c: see gpu_activities.h. */
#include "profiler/gpu_activities.h"

#include <string.h>

#include "device/devices.h"
#include "device/instruments.h"
#include "platform/platform.h"
#include "tocha/device.h"
#include "tocha/graph.h"

/* The name of a kernel, stored once. */
typedef struct activity_name {
  struct activity_name *next;
  size_t bytes; /* of the whole block */
  char text[];
} activity_name;

struct tocha_gpu_activities {
  tocha_context *cx;
  bool on;
  double since; /* the host's clock when the collection began */
  tocha_profile_activity *list;
  size_t count, capacity;
  activity_name *names;
};

static const tocha_instruments *instruments_of(const tocha_context *cx) {
  const tocha_devices *d = cx->devices;
  return d && d->backend && d->count > 0 ? d->backend->instruments : NULL;
}

tocha_gpu_activities *tocha_gpu_activities_new(tocha_context *cx) {
  tocha_gpu_activities *a = tocha_allocate_zeroed(cx, sizeof *a);
  if (!a) return NULL;
  const tocha_instruments *instruments = instruments_of(cx);
  a->cx = cx;
  a->on = instruments && instruments->start_activities();
  a->since = 1e-9 * (double)platform_nanoseconds();
  return a;
}

/* Returns the stored copy of a name, or NULL if memory is short. */
static const char *stored(tocha_gpu_activities *a, const char *text) {
  for (const activity_name *n = a->names; n; n = n->next)
    if (strcmp(n->text, text) == 0) return n->text;
  size_t length = strlen(text) + 1, bytes = sizeof(activity_name) + length;
  activity_name *name = tocha_allocate(a->cx, bytes);
  if (!name) return NULL;
  name->bytes = bytes;
  memcpy(name->text, text, length);
  name->next = a->names;
  a->names = name;
  return name->text;
}

static bool has_room(tocha_gpu_activities *a) {
  if (a->count < a->capacity) return true;
  size_t capacity = a->capacity ? 2 * a->capacity : 1024;
  tocha_profile_activity *list = tocha_allocate(a->cx, capacity * sizeof *list);
  if (!list) return false;
  if (a->count) memcpy(list, a->list, a->count * sizeof *list);
  tocha_deallocate(a->cx, a->list, a->capacity * sizeof *list);
  a->list = list;
  a->capacity = capacity;
  return true;
}

/* Keeps an activity. It is lost if memory is short. */
static void keep(void *user, const tocha_gpu_activity *seen) {
  tocha_gpu_activities *a = user;
  const char *name = has_room(a) ? stored(a, seen->name) : NULL;
  if (!name) {
    tocha_clear_error(a->cx);
    return;
  }
  a->list[a->count++] = (tocha_profile_activity){.name = name,
                                                 .device = seen->device,
                                                 .start = a->since + seen->start,
                                                 .seconds = seen->seconds};
}

bool tocha_gpu_activities_settle(tocha_context *cx, tocha_gpu_activities *a) {
  if (!a->on) return true;
  if (!tocha_is_capturing(cx) && !tocha_synchronize(cx, -1)) return false;
  a->on = false;
  instruments_of(cx)->stop_activities(keep, a);
  return true;
}

const tocha_profile_activity *tocha_gpu_activities_at(const tocha_gpu_activities *a, size_t index) {
  return index < a->count ? &a->list[index] : NULL;
}

void tocha_gpu_activities_free(tocha_context *cx, tocha_gpu_activities *a) {
  if (!a) return;
  if (a->on) instruments_of(cx)->stop_activities(NULL, NULL);
  while (a->names) {
    activity_name *name = a->names;
    a->names = name->next;
    tocha_deallocate(cx, name, name->bytes);
  }
  tocha_deallocate(cx, a->list, a->capacity * sizeof *a->list);
  tocha_deallocate(cx, a, sizeof *a);
}
