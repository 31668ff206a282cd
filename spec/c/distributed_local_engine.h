/* distributed_local_engine.h: an engine for ranks that are threads of one process: each reads the others' memory. It checks nothing, so that
 * only the groups' own checks keep operations apart. */
#ifndef TOCHA_LOCAL_ENGINE_H
#define TOCHA_LOCAL_ENGINE_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/engine.h"
#include "platform/platform.h"

enum { LOCAL_RANKS = 16 };

typedef struct local_letter {
  struct local_letter *next;
  int from, to;
  const tocha_transfer *sent;
  bool taken;
} local_letter;

/* The ranks of a group meet at a hub. It lives as long as the process, for nobody knows whether a rank that fails has yet
 * to find it. */
typedef struct local_hub {
  struct local_hub *older;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int size, arrived, turn;
  bool aborted;
  tocha_transfer *transfers[LOCAL_RANKS];
  local_letter *letters;
} local_hub;

struct tocha_channel {
  local_hub *hub;
  int rank;
};

static _Atomic(local_hub *) local_hubs;
static atomic_int local_runs; /* operations that entered the engine */

static const char *local_library(void) { return "threads"; }

static bool local_takes(tocha_collective kind, tocha_dtype dtype, tocha_reduce_op op) {
  (void)kind, (void)dtype;
  return op != TOCHA_REDUCE_PREMUL_SUM && op != TOCHA_REDUCE_AVG;
}

static bool local_fail(tocha_engine_failure *failure, int kind, const char *message) {
  failure->kind = kind;
  failure->peer = -1;
  snprintf(failure->message, sizeof failure->message, "%s", message);
  return false;
}

static local_hub *local_new_hub(int size) {
  local_hub *hub = calloc(1, sizeof *hub);
  hub->size = size;
  pthread_mutex_init(&hub->mutex, NULL);
  pthread_cond_init(&hub->changed, NULL);
  hub->older = atomic_load(&local_hubs);
  while (!atomic_compare_exchange_weak(&local_hubs, &hub->older, hub)) continue;
  return hub;
}

static tocha_channel *local_open(const tocha_channel_options *o, tocha_engine_failure *failure) {
  tocha_channel *channel = calloc(1, sizeof *channel);
  channel->rank = o->rank;
  if (o->rank == 0) {
    channel->hub = local_new_hub(o->size);
    o->store.set(o->store.user, "hub", &channel->hub, sizeof channel->hub);
  } else if (o->store.get(o->store.user, "hub", &channel->hub, sizeof channel->hub, o->deadline) !=
             sizeof channel->hub) {
    free(channel);
    local_fail(failure, TOCHA_ENGINE_TIMED_OUT, "no hub");
    return NULL;
  }
  return channel;
}

static void local_close(tocha_channel *channel) { free(channel); }

static void local_abort(tocha_channel *channel) {
  pthread_mutex_lock(&channel->hub->mutex);
  channel->hub->aborted = true;
  pthread_cond_broadcast(&channel->hub->changed);
  pthread_mutex_unlock(&channel->hub->mutex);
}

/* Waits a little for a change. Returns false, with a failure, after an abort or the deadline. The mutex is locked. */
static bool local_wait(local_hub *hub, int64_t deadline, tocha_engine_failure *failure) {
  int64_t at = platform_wall_clock() + 20000000;
  struct timespec until = {(time_t)(at / 1000000000), (long)(at % 1000000000)};
  if (hub->aborted) return local_fail(failure, TOCHA_ENGINE_ABORTED, "aborted");
  if (platform_nanoseconds() > deadline)
    return local_fail(failure, TOCHA_ENGINE_TIMED_OUT, "the others did not come");
  pthread_cond_timedwait(&hub->changed, &hub->mutex, &until);
  return true;
}

/* Waits until all ranks are here. */
static bool local_meet(local_hub *hub, int64_t deadline, tocha_engine_failure *failure) {
  pthread_mutex_lock(&hub->mutex);
  int turn = hub->turn;
  bool whole = true;
  if (++hub->arrived == hub->size) {
    hub->arrived = 0;
    hub->turn++;
    pthread_cond_broadcast(&hub->changed);
  }
  while (whole && hub->turn == turn) whole = local_wait(hub, deadline, failure);
  pthread_mutex_unlock(&hub->mutex);
  return whole;
}

/* --- operations --------------------------------------------------------------------------------- */

static tocha_scalar local_combine(tocha_reduce_op op, tocha_scalar a, tocha_scalar b) {
  if (a.kind == TOCHA_SCALAR_FLOAT) {
    double x = tocha_scalar_real(a), y = tocha_scalar_real(b);
    return tocha_float(op == TOCHA_REDUCE_SUM       ? x + y
                       : op == TOCHA_REDUCE_PRODUCT ? x * y
                       : op == TOCHA_REDUCE_MIN     ? (x < y ? x : y)
                                                    : (x > y ? x : y));
  }
  int64_t x = a.value.integer, y = b.value.integer;
  return tocha_int(op == TOCHA_REDUCE_SUM       ? x + y
                   : op == TOCHA_REDUCE_PRODUCT ? x * y
                   : op == TOCHA_REDUCE_MIN     ? (x < y ? x : y)
                   : op == TOCHA_REDUCE_MAX     ? (x > y ? x : y)
                   : op == TOCHA_REDUCE_BAND    ? (x & y)
                   : op == TOCHA_REDUCE_BOR     ? (x | y)
                                                : (x ^ y));
}

/* Reduces elements [first, first + count) of all inputs. */
static void local_reduce(const local_hub *hub, const tocha_transfer *t, int64_t first, char *to) {
  size_t item = tocha_dtype_size(t->dtype);
  for (int64_t i = 0; i < t->count; i++) {
    size_t at = (size_t)(first + i) * item;
    tocha_scalar sum = tocha_load_scalar((const char *)hub->transfers[0]->input + at, t->dtype);
    for (int r = 1; r < hub->size; r++)
      sum = local_combine(t->op, sum,
                          tocha_load_scalar((const char *)hub->transfers[r]->input + at, t->dtype));
    tocha_store_scalar(to + (size_t)i * item, t->dtype, sum);
  }
}

static size_t local_bytes(const local_hub *hub, const tocha_transfer *t) {
  int64_t count = t->count;
  if (t->kind == TOCHA_ALL_GATHER || t->kind == TOCHA_GATHER) count *= hub->size;
  if (t->kind == TOCHA_ALL_TO_ALL) {
    count = 0;
    for (int r = 0; r < hub->size; r++) count += t->output_counts[r];
  }
  return (size_t)count * tocha_dtype_size(t->dtype);
}

/* Writes what the rank receives to `to`. Returns false if it receives nothing. */
static bool local_receive(const tocha_channel *channel, const tocha_transfer *t, char *to) {
  const local_hub *hub = channel->hub;
  size_t item = tocha_dtype_size(t->dtype), bytes = (size_t)t->count * item;
  switch (t->kind) {
  case TOCHA_ALL_REDUCE:
    local_reduce(hub, t, 0, to);
    return true;
  case TOCHA_REDUCE:
    local_reduce(hub, t, 0, to);
    return t->root == channel->rank;
  case TOCHA_REDUCE_SCATTER:
    local_reduce(hub, t, t->count * channel->rank, to);
    return true;
  case TOCHA_BROADCAST:
    memcpy(to, hub->transfers[t->root]->input, bytes);
    return true;
  case TOCHA_SCATTER:
    memcpy(to, (const char *)hub->transfers[t->root]->input + bytes * (size_t)channel->rank, bytes);
    return true;
  case TOCHA_GATHER:
  case TOCHA_ALL_GATHER:
    for (int r = 0; r < hub->size; r++)
      memcpy(to + bytes * (size_t)r, hub->transfers[r]->input, bytes);
    return t->kind == TOCHA_ALL_GATHER || t->root == channel->rank;
  case TOCHA_ALL_TO_ALL:
    for (int r = 0; r < hub->size; r++) {
      const tocha_transfer *other = hub->transfers[r];
      size_t before = 0;
      for (int q = 0; q < channel->rank; q++) before += (size_t)other->input_counts[q];
      size_t part = (size_t)other->input_counts[channel->rank] * item;
      if (part) memcpy(to, (const char *)other->input + before * item, part);
      to += part;
    }
    return true;
  default:
    return false;
  }
}

static bool local_send(tocha_channel *channel, tocha_transfer *t, tocha_engine_failure *failure) {
  local_hub *hub = channel->hub;
  local_letter letter = {NULL, channel->rank, t->root, t, false};
  pthread_mutex_lock(&hub->mutex);
  local_letter **end = &hub->letters;
  while (*end) end = &(*end)->next;
  *end = &letter;
  pthread_cond_broadcast(&hub->changed);
  bool whole = true;
  while (whole && !letter.taken) whole = local_wait(hub, t->deadline, failure);
  for (local_letter **at = &hub->letters; *at; at = &(*at)->next)
    if (*at == &letter) {
      *at = letter.next;
      break;
    }
  pthread_mutex_unlock(&hub->mutex);
  return whole;
}

static bool local_take(tocha_channel *channel, tocha_transfer *t, tocha_engine_failure *failure) {
  local_hub *hub = channel->hub;
  pthread_mutex_lock(&hub->mutex);
  bool whole = true, received = false;
  while (whole && !received) {
    for (local_letter *l = hub->letters; l && !received; l = l->next) {
      if (l->to != channel->rank || l->taken || l->sent->tag != t->tag || l->from != t->root)
        continue;
      memcpy(t->output, l->sent->input, (size_t)t->count * tocha_dtype_size(t->dtype));
      t->source = l->from;
      received = l->taken = true;
      pthread_cond_broadcast(&hub->changed);
    }
    if (!received) whole = local_wait(hub, t->deadline, failure);
  }
  pthread_mutex_unlock(&hub->mutex);
  return whole;
}

/* Nanoseconds that rank 1 stays in each operation before it goes on. */
static _Atomic int64_t local_pause;

static bool local_run(tocha_channel *channel, tocha_transfer *t, tocha_engine_failure *failure) {
  local_hub *hub = channel->hub;
  atomic_fetch_add(&local_runs, 1);
  if (channel->rank == 1 && atomic_load(&local_pause)) platform_sleep(atomic_load(&local_pause));
  if (t->kind == TOCHA_SEND) return local_send(channel, t, failure);
  if (t->kind == TOCHA_RECV) return local_take(channel, t, failure);
  size_t bytes = local_bytes(hub, t);
  char *received = malloc(bytes + 1);
  hub->transfers[channel->rank] = t;
  bool whole = local_meet(hub, t->deadline, failure);
  bool receives = whole && local_receive(channel, t, received);
  whole = whole && local_meet(hub, t->deadline, failure);
  if (whole && receives && bytes) memcpy(t->output, received, bytes);
  free(received);
  return whole;
}

static const tocha_engine local_engine = {.version = TOCHA_ENGINE_VERSION,
                                          .name = "local",
                                          .library = local_library,
                                          .takes = local_takes,
                                          .open = local_open,
                                          .close = local_close,
                                          .run = local_run,
                                          .abort = local_abort};

#endif
