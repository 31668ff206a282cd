/* cancellable.h: runs a long call of LAPACK in a thread of its own, which an interrupt abandons (cancellable.c). */
#ifndef TOCHA_LINALG_CANCELLABLE_H
#define TOCHA_LINALG_CANCELLABLE_H

#include "ops/linalg/cpu/batch.h"

/* Returns true if each matrix of the batch takes long enough for a thread of its own, and the program allowed abandoned calls
 * (tocha_allow_abandoned_calls). */
bool tocha_is_cancellable(const tocha_batch *b);
/* Computes one matrix, whose parts of the operands are at `at`, in a thread that has copies of everything it reads and writes,
 * and waits for the thread. On an interrupt the function returns at once without writing a result, and the thread ends by
 * itself. Returns false, without computing, if there is no memory or no thread. */
bool tocha_run_cancellable(const tocha_batch *b, void *const *at);

#endif
