/* log.c: see log.h. */
#include "distributed/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/board.h"
#include "platform/platform.h"

enum { MOST = 4000000 };

struct tocha_communication_log {
  platform_mutex mutex;
  /* Under the mutex. */
  tocha_communication *list;
  size_t count, capacity;
  uint32_t round; /* of start and stop: an operation of an earlier one is not entered */
  atomic_bool on;
};

static tocha_communication_log *log_of(const tocha_work *w) { return w->group->world->log; }

static double seconds(int64_t nanoseconds) { return 1e-9 * (double)nanoseconds; }

/* Returns a new entry, NULL if memory is short. Under the mutex. */
static tocha_communication *append(tocha_communication_log *l) {
  if (l->count == l->capacity) {
    size_t capacity = l->capacity ? 2 * l->capacity : 256;
    tocha_communication *list =
        capacity > MOST ? NULL : realloc(l->list, capacity * sizeof *l->list);
    if (!list) return NULL;
    l->list = list;
    l->capacity = capacity;
  }
  tocha_communication *c = &l->list[l->count++];
  *c = (tocha_communication){.last_rank = -1};
  return c;
}

/* Returns the entry of an operation, NULL if it has none. Under the mutex. */
static tocha_communication *entry_of(tocha_communication_log *l, const tocha_work *w) {
  return w->log_round == l->round && w->log_place ? &l->list[w->log_place - 1] : NULL;
}

void tocha_log_begin(tocha_work *w) {
  tocha_communication_log *l = log_of(w);
  if (!l || !atomic_load(&l->on) || w->only_opens) return;
  const tocha_process_group *group = w->group;
  platform_lock(&l->mutex);
  tocha_communication *c = append(l);
  if (c) {
    w->log_round = l->round;
    w->log_place = l->count;
    snprintf(c->backend, sizeof c->backend, "%s", group->backends.engines[w->intent.device]);
    snprintf(c->group, sizeof c->group, "%s", group->name);
    memcpy(c->place, w->intent.place, sizeof c->place);
    c->operation = tocha_form_name(w->intent.form);
    c->group_number = group->number;
    c->group_size = group->size;
    c->dtype = (tocha_dtype)w->intent.dtype;
    c->count = w->intent.has_tensor ? w->intent.count : 0;
    c->begun = seconds(w->begun);
  }
  platform_unlock(&l->mutex);
}

void tocha_log_end(const tocha_work *w) {
  tocha_communication_log *l = log_of(w);
  if (!w->log_place) return;
  platform_lock(&l->mutex);
  tocha_communication *c = entry_of(l, w);
  if (c) {
    c->started = seconds(w->started);
    c->met = seconds(w->met ? w->met : w->ended);
    c->ended = seconds(w->ended);
    c->last_rank = w->last_rank;
    c->lateness = seconds(w->lateness);
  }
  platform_unlock(&l->mutex);
}

void tocha_log_wait(const tocha_work *w, int64_t waited, int64_t called) {
  tocha_communication_log *l = log_of(w);
  if (!w->log_place) return;
  platform_lock(&l->mutex);
  tocha_communication *c = entry_of(l, w);
  if (c) {
    c->waited += seconds(waited);
    c->called += seconds(called);
  }
  platform_unlock(&l->mutex);
}

void tocha_log_arrivals(tocha_work *w) {
  const tocha_process_group *group = w->group;
  int64_t first = INT64_MAX, last = INT64_MIN;
  w->last_rank = -1;
  for (int r = 0; w->log_place && group->seats && r < group->size; r++) {
    if (!group->seats[r]) continue;
    int64_t posted = group->seats[r]->entries[w->sequence & 1].posted;
    if (posted < first) first = posted;
    if (posted > last) {
      last = posted;
      w->last_rank = group->ranks[r];
    }
  }
  if (w->last_rank >= 0) w->lateness = last - first;
}

void tocha_log_free(tocha_communication_log *l) {
  if (!l) return;
  platform_mutex_close(&l->mutex);
  free(l->list);
  free(l);
}

/* --- for the host ------------------------------------------------------------------------------------------ */

static tocha_communication_log *new_log(void) {
  tocha_communication_log *l = calloc(1, sizeof *l);
  if (l && platform_mutex_open(&l->mutex)) return l;
  free(l);
  return NULL;
}

bool tocha_communication_start(tocha_context *cx) {
  tocha_distributed *d = cx ? tocha_distributed_of(cx) : NULL;
  if (!d) return false;
  if (!d->log) d->log = new_log();
  if (!d->log) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for a profile");
  platform_lock(&d->log->mutex);
  d->log->round++;
  d->log->count = 0;
  atomic_store(&d->log->on, true);
  platform_unlock(&d->log->mutex);
  return true;
}

void tocha_communication_stop(tocha_context *cx) {
  if (cx && cx->distributed && cx->distributed->log) atomic_store(&cx->distributed->log->on, false);
}

bool tocha_communication_at(tocha_context *cx, size_t index, tocha_communication *communication) {
  tocha_communication_log *l = cx && cx->distributed ? cx->distributed->log : NULL;
  if (!l || !communication) return false;
  platform_lock(&l->mutex);
  bool found = index < l->count;
  if (found) *communication = l->list[index];
  platform_unlock(&l->mutex);
  return found;
}
