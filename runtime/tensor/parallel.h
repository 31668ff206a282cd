/* parallel.h: work on several threads. */
#ifndef TOCHA_PARALLEL_H
#define TOCHA_PARALLEL_H

#include "core/internal.h"

enum { TOCHA_GRAIN = 32768 }; /* elements of simple arithmetic that are worth a thread */

/* Calls part(user, begin, end) over 0..n in pieces of at least grain, on several threads where
 * n > grain. false when interrupted. */
bool tocha_parallel_for(tocha_context *cx, int64_t n, int64_t grain,
                        void (*part)(void *user, int64_t begin, int64_t end), void *user);

#endif
