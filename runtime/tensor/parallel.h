/* parallel.h: runs work on several threads. */
#ifndef TOCHA_PARALLEL_H
#define TOCHA_PARALLEL_H

#include "core/internal.h"

/* In elements of simple arithmetic. TOCHA_GRAIN: the smallest part that a thread receives, about
 * 10 us of work. TOCHA_WORTH_THREADS: the smallest work for which other threads are called,
 * about 50 us. */
enum { TOCHA_GRAIN = 32768, TOCHA_WORTH_THREADS = 5 * TOCHA_GRAIN };

/* Calls part(user, begin, end) over 0..n in chunks of one to eight grains. Uses several threads
 * if the time of the first chunk says that the rest is worth them, and always for n parts of
 * grain 1 if n is at most the number of threads. Checks for interrupts before each chunk.
 * Returns false if interrupted. */
bool tocha_parallel_for(tocha_context *cx, int64_t n, int64_t grain,
                        void (*part)(void *user, int64_t begin, int64_t end), void *user);

/* Does the same for parts that must run one by one; `work` is the elements of simple arithmetic
 * in all of them. */
bool tocha_parallel_parts(tocha_context *cx, int64_t parts, int64_t work,
                          void (*part)(void *user, int64_t begin, int64_t end), void *user);

#endif
