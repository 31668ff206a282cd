/* apart.c: calls that wait for other ranks inside MPI and cannot be told to stop. Each runs on a thread of its own, which is left
 * behind if a rank dies meanwhile. */
#include <stdlib.h>

#include "distributed/mpi/mpi.h"

/* Nanoseconds between two looks at the group. */
enum { LOOK = 50000000 };

typedef struct apart {
  void (*call)(void *data);
  void *data;
  platform_mutex mutex;
  platform_condition changed;
  bool done, left_behind;
} apart;

static void free_apart(apart *a) {
  platform_condition_close(&a->changed);
  platform_mutex_close(&a->mutex);
  free(a);
}

static void *run_apart(void *user) {
  apart *a = user;
  a->call(a->data);
  platform_lock(&a->mutex);
  bool left_behind = a->left_behind;
  a->done = true;
  platform_wake(&a->changed);
  platform_unlock(&a->mutex);
  if (left_behind) {
    free(a->data);
    free_apart(a);
  }
  return NULL;
}

/* Waits for the call. Returns false with a failure if the group ends, or the deadline comes first. */
static bool wait_for(apart *a, const tocha_channel_options *options,
                     tocha_engine_failure *failure) {
  const tocha_engine_store *store = &options->store;
  platform_lock(&a->mutex);
  while (!a->done && !store->ends(store->user) && platform_nanoseconds() < options->deadline)
    platform_wait_until(&a->changed, &a->mutex, platform_nanoseconds() + LOOK);
  bool done = a->done;
  a->left_behind = !done;
  platform_unlock(&a->mutex);
  if (done) return true;
  mpi_give_up();
  if (store->ends(store->user))
    return mpi_fail(failure, TOCHA_ENGINE_ABORTED, "the group is broken");
  return mpi_fail(failure, TOCHA_ENGINE_TIMED_OUT, "MPI did not connect the ranks");
}

bool mpi_call_apart(const tocha_channel_options *options, void (*call)(void *data), void *data,
                    tocha_engine_failure *failure) {
  apart *a = calloc(1, sizeof *a);
  platform_thread thread;
  if (a && platform_mutex_open(&a->mutex) && platform_condition_open(&a->changed)) {
    a->call = call;
    a->data = data;
    if (platform_start_thread(&thread, 0, run_apart, a)) {
      if (!wait_for(a, options, failure)) {
        platform_detach_thread(&thread);
        return false;
      }
      platform_join_thread(&thread);
      free_apart(a);
      return true;
    }
  }
  free(a);
  free(data);
  return mpi_fail(failure, TOCHA_ENGINE_FAILED, "no thread can be started for MPI");
}
