/* threads.h: the number of threads of libraries that ask OpenMP for it (threads.c). */
#ifndef TOCHA_MATMUL_THREADS_H
#define TOCHA_MATMUL_THREADS_H

#include "core/internal.h"

/* Calls run(user) with OpenMP's number of threads set to the context's, for a library that asks OpenMP; the
 * host's setting stays as it is. false: not called, inside a parallel region. */
bool tocha_with_threads(tocha_context *cx, void (*run)(void *user), void *user);

#endif
