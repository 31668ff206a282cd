/* distributed_threads.h: a world of ranks that are threads of this process, by the engine of distributed_local_engine.h. */
#ifndef TOCHA_DISTRIBUTED_THREADS_H
#define TOCHA_DISTRIBUTED_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/group.h"
#include "distributed_local_engine.h"

#include "check.h"
#include "core/internal.h"
#include "tocha/context.h"
#include "tocha/distributed.h"

/* --- ranks --------------------------------------------------------------------------------------- */

typedef struct rank_thread {
  pthread_t thread;
  int rank, size;
  double timeout;
  int hosts; /* that the ranks pretend to be on */
  tocha_store *store;
  tocha_context *cx;
  void (*run)(struct rank_thread *self);
} rank_thread;

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static void check_in_thread(bool holds, const char *what, int line) {
  pthread_mutex_lock(&counting);
  check_at(holds, what, __FILE__, line);
  pthread_mutex_unlock(&counting);
}
#undef CHECK
#define CHECK(condition) check_in_thread(condition, #condition, __LINE__)

static void show_error(const rank_thread *self) {
  char text[2048];
  if (tocha_failed(self->cx))
    printf("rank %d: %s\n", self->rank, tocha_error_text(self->cx, text, sizeof text));
}

static void *run_rank(void *user) {
  rank_thread *self = user;
  self->cx = tocha_open(NULL);
  char host[32];
  tocha_offer_engine(self->cx, &local_engine);
  snprintf(host, sizeof host, "host %d", self->rank % self->hosts);
  if (self->hosts > 1) self->cx->distributed->host = host;
  tocha_distributed_options o = {.backend = "cpu:local",
                                 .store = self->store,
                                 .rank = self->rank,
                                 .world_size = self->size,
                                 .timeout = self->timeout};
  CHECK(tocha_distributed_init(self->cx, &o));
  CHECK(tocha_default_group(self->cx)->spans_hosts == (self->hosts > 1));
  show_error(self);
  self->run(self);
  show_error(self);
  CHECK(!tocha_failed(self->cx));
  tocha_close(self->cx);
  return NULL;
}

/* Runs a function on `size` ranks, each a thread with a context of its own; they pretend to be on so many hosts. */
static void run_hosts(int hosts, int size, double timeout, void (*run)(rank_thread *self)) {
  rank_thread ranks[LOCAL_RANKS];
  tocha_context *cx = tocha_open(NULL);
  tocha_store *store = tocha_hash_store_new(cx);
  for (int r = 0; r < size; r++) {
    ranks[r] = (rank_thread){
        .rank = r, .size = size, .timeout = timeout, .store = store, .hosts = hosts, .run = run};
    pthread_create(&ranks[r].thread, NULL, run_rank, &ranks[r]);
  }
  for (int r = 0; r < size; r++) pthread_join(ranks[r].thread, NULL);
  tocha_store_free(store);
  tocha_close(cx);
}

static void run_world(int size, double timeout, void (*run)(rank_thread *self)) {
  run_hosts(1, size, timeout, run);
}

/* --- values -------------------------------------------------------------------------------------- */

/* Element i of rank r's tensor: small, so that every dtype can add five of them. */
static double value(int r, int64_t i) { return (double)((r + 1) * (i % 4 + 1)); }

static tocha_tensor *tensor_of(rank_thread *self, tocha_dtype dtype, int64_t n, int r) {
  tocha_tensor *t = tocha_new(self->cx, 1, &n, dtype, tocha_cpu());
  for (int64_t i = 0; i < n; i++)
    tocha_store_scalar((char *)tocha_data(t) + (size_t)i * tocha_dtype_size(dtype), dtype,
                       tocha_float(r < 0 ? 0 : value(r, i)));
  return t;
}

/* Waits for an operation that may be asynchronous. */
static bool done(rank_thread *self, tocha_work *work) {
  bool had_failed = tocha_failed(self->cx) && work, succeeded = tocha_work_wait(self->cx, work, 0);
  if (had_failed) show_error(self);
  tocha_work_free(work);
  return succeeded;
}

#endif
