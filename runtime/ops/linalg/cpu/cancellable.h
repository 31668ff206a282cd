/* cancellable.h: a long call of LAPACK in a thread of its own, which an interrupt leaves to itself (cancellable.c). */
#ifndef TOCHA_LINALG_CANCELLABLE_H
#define TOCHA_LINALG_CANCELLABLE_H

#include "ops/linalg/cpu/batch.h"

/* Returns true if each matrix of the batch takes long enough for that, and the program allowed it (tocha_allow_abandoned_calls). */
bool tocha_is_cancellable(const tocha_batch *b);
/* Computes the matrix whose parts of the operands lie at `at` in a thread that has copies of all it reads and writes, and waits for
 * it. After an interrupt it returns at once, nothing is written, and the thread ends by itself. Returns false if there is no
 * memory or no thread for it; nothing was done then. */
bool tocha_run_cancellable(const tocha_batch *b, void *const *at);

#endif
