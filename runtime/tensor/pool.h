/* pool.h: the threads of this process that help a caller with its work (pool.c). */
#ifndef TOCHA_POOL_H
#define TOCHA_POOL_H

#include <stdbool.h>
#include <stdint.h>

enum { TOCHA_MOST_CHUNKS = (1 << 24) - 2 };

/* Work in chunks, numbered from 0. */
typedef struct tocha_job {
  void (*run)(void *user, int64_t chunk);
  void *user;
  int64_t chunks; /* at most TOCHA_MOST_CHUNKS */
  int helpers;    /* threads beside the caller's that may take part */
  bool small;     /* tocha_pool_takes_small said that it may be shared */
} tocha_job;

/* Runs the chunks from `first` on, each once, on the caller's thread and on those that come to help; returns when
 * all are done. Waits for nobody but who has begun a chunk: where no other core is free, the caller does it all. */
void tocha_pool_run(const tocha_job *job, int64_t first);

/* Whether to share a small job, which takes less than waking a thread: where a helper is awake, or to wake it because
 * small jobs follow one another; not while other programs seem to need the cores. */
bool tocha_pool_takes_small(int64_t now, int64_t nanoseconds);
/* Whether a helper looks for work, and gets its core. */
bool tocha_pool_is_awake(int64_t now);
int64_t tocha_nanoseconds(void); /* of a clock that is never set */

/* Whether this thread runs a chunk: it does what it calls alone. */
bool tocha_in_pool(void);

#endif
