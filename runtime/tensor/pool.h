/* pool.h: the threads of this process that help a caller with its work (pool.c). */
#ifndef TOCHA_POOL_H
#define TOCHA_POOL_H

#include <stdbool.h>
#include <stdint.h>

enum { TOCHA_MAX_CHUNKS = (1 << 24) - 2 };

/* Work in chunks, numbered from 0. */
typedef struct tocha_pool_task {
  void (*run)(void *user, int64_t chunk);
  void *user;
  int64_t chunks; /* at most TOCHA_MAX_CHUNKS */
  int helpers;    /* threads beside the caller's that may take part */
  bool small;     /* tocha_pool_takes_small returned true for it */
} tocha_pool_task;

/* Runs the chunks from `first` on, each once, on the caller's thread and on helpers. Returns
 * when all are done. Waits only for chunks that have started, so the caller does all of the work
 * itself if no other core is free. */
void tocha_pool_run(const tocha_pool_task *task, int64_t first);

/* Returns true if a task shorter than the time to wake a thread should still be shared: a helper
 * is awake, or small tasks are arriving in quick succession. Returns false while other programs
 * seem to need the cores. `nanoseconds` is the time that the task takes on one thread. */
bool tocha_pool_takes_small(int64_t now, int64_t nanoseconds);
/* Returns true if a helper is awake and other programs do not seem to need its core. */
bool tocha_pool_is_awake(int64_t now);

/* Returns true if this thread is running a chunk. It then runs all that it calls alone. */
bool tocha_in_pool(void);

#endif
