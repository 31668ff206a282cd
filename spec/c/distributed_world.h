/* distributed_world.h: ranks for tests of engines: a thread for each, which share a store in memory; or, for MPI, this process. */
#ifndef TOCHA_DISTRIBUTED_WORLD_H
#define TOCHA_DISTRIBUTED_WORLD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/engine.h"
#include "platform/platform.h"

enum { MOST_RANKS_HERE = 8, MOST_VALUES = 64 };

/* Values under names. */
typedef struct memory_store {
  platform_mutex mutex;
  platform_condition changed;
  int count;
  struct {
    char name[64];
    void *bytes;
    size_t size;
  } values[MOST_VALUES];
} memory_store;

static inline bool memory_set(void *user, const char *name, const void *bytes, size_t size) {
  memory_store *s = user;
  platform_lock(&s->mutex);
  int i = s->count++;
  snprintf(s->values[i].name, sizeof s->values[i].name, "%s", name);
  s->values[i].bytes = malloc(size + 1);
  s->values[i].size = size;
  memcpy(s->values[i].bytes, bytes, size);
  platform_wake_all(&s->changed);
  platform_unlock(&s->mutex);
  return true;
}

static inline int64_t memory_get(void *user, const char *name, void *bytes, size_t capacity,
                                 int64_t deadline) {
  memory_store *s = user;
  int64_t size = -1;
  platform_lock(&s->mutex);
  for (bool waits = true; size < 0 && waits;) {
    for (int i = 0; i < s->count && size < 0; i++)
      if (strcmp(s->values[i].name, name) == 0) size = (int64_t)s->values[i].size;
    for (int i = 0; i < s->count; i++)
      if (strcmp(s->values[i].name, name) == 0)
        memcpy(bytes, s->values[i].bytes, (size_t)size < capacity ? (size_t)size : capacity);
    if (size < 0) waits = platform_wait_until(&s->changed, &s->mutex, deadline);
  }
  platform_unlock(&s->mutex);
  return size;
}

/* The store of processes, which the launcher has started together: everybody is there. */
static inline int64_t everybody_get(void *user, const char *name, void *bytes, size_t capacity,
                                    int64_t deadline) {
  (void)user, (void)name, (void)deadline;
  memset(bytes, 1, capacity);
  return (int64_t)capacity;
}

static inline void memory_open(memory_store *s) {
  memset(s, 0, sizeof *s);
  platform_mutex_open(&s->mutex);
  platform_condition_open(&s->changed);
}

static inline void memory_close(memory_store *s) {
  for (int i = 0; i < s->count; i++) free(s->values[i].bytes);
  platform_condition_close(&s->changed);
  platform_mutex_close(&s->mutex);
}

/* One rank, as the function of a test sees it. */
typedef struct rank_here {
  const tocha_engine *engine;
  tocha_channel *channel; /* NULL if it could not be opened: see failure */
  int rank, size;
  void *user; /* the same for all ranks */
  tocha_engine_failure failure;
  bool keeps_channel; /* set by the function: it has closed the channel itself */
} rank_here;

typedef void rank_function(rank_here *r);

typedef struct world {
  const tocha_engine *engine;
  int size, present; /* ranks, and how many of them come */
  double seconds;    /* until the opening fails */
  rank_function *function;
  void *user;
  memory_store store;
} world;

typedef struct rank_thread {
  world *w;
  int rank;
  uint64_t number;
  platform_thread thread;
} rank_thread;

static inline int64_t after(double seconds) {
  return platform_nanoseconds() + (int64_t)(seconds * 1e9);
}

static inline bool never_ends(void *store) {
  (void)store;
  return false;
}

static inline void *run_rank(void *user) {
  rank_thread *t = user;
  world *w = t->w;
  int ranks[MOST_RANKS_HERE];
  for (int i = 0; i < w->size && i < MOST_RANKS_HERE; i++) ranks[i] = i;
  tocha_channel_options options = {
      .rank = t->rank,
      .size = w->size,
      .world_ranks = ranks,
      .number = t->number,
      .store = {&w->store, memory_set, w->engine->world ? everybody_get : memory_get, never_ends},
      .deadline = after(w->seconds),
      .device = -1};
  rank_here r = {.engine = w->engine, .rank = t->rank, .size = w->size, .user = w->user};
  r.channel = w->engine->open(&options, &r.failure);
  w->function(&r);
  if (r.channel && !r.keeps_channel) w->engine->close(r.channel);
  return NULL;
}

/* Runs the function on `present` threads of a world of `size` ranks; with an engine whose ranks are processes, on this one. */
static inline void run_world(const tocha_engine *engine, int size, int present, double seconds,
                             rank_function *function, void *user) {
  static uint64_t number;
  world w = {.engine = engine,
             .size = size,
             .present = present,
             .seconds = seconds,
             .function = function,
             .user = user};
  rank_thread threads[MOST_RANKS_HERE];
  memory_open(&w.store);
  number++;
  int own;
  if (engine->world) {
    engine->world(&own, &w.size);
    threads[0] = (rank_thread){&w, own, number, {{0}}};
    run_rank(&threads[0]);
  } else {
    for (int i = 0; i < present; i++) {
      threads[i] = (rank_thread){&w, i, number, {{0}}};
      platform_start_thread(&threads[i].thread, 0, run_rank, &threads[i]);
    }
    for (int i = 0; i < present; i++) platform_join_thread(&threads[i].thread);
  }
  memory_close(&w.store);
}

#endif
