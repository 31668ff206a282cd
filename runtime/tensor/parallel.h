/* parallel.h: work on several threads. */
#ifndef TOCHA_PARALLEL_H
#define TOCHA_PARALLEL_H

#include "core/internal.h"

/* Elements of simple arithmetic: the least that is handed to a thread at a time, some 10 us of work; and the
 * least for which other threads are called, some 50 us. */
enum { TOCHA_GRAIN = 32768, TOCHA_WORTH_THREADS = 5 * TOCHA_GRAIN };

/* Calls part(user, begin, end) over 0..n in chunks of one to eight grains, on several threads where the time that
 * the first chunk took says that the rest is worth them (n parts of grain 1, no more than threads: always).
 * Interrupts are looked at before each chunk. false when interrupted. */
bool tocha_parallel_for(tocha_context *cx, int64_t n, int64_t grain,
                        void (*part)(void *user, int64_t begin, int64_t end), void *user);

/* The same for parts that are to be run one by one, `work` elements of simple arithmetic in all. */
bool tocha_parallel_parts(tocha_context *cx, int64_t parts, int64_t work,
                          void (*part)(void *user, int64_t begin, int64_t end), void *user);

#endif
